//! Maps values to pixels, and chooses the values that an axis labels.

use super::Axis;

/// Maps the values of an axis to pixels.
pub(super) struct Scale {
    low: f64,
    high: f64,
    axis: Axis,
    from: f64,
    to: f64,
}

impl Scale {
    /// The scale of an axis that shows these values between two pixel positions.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let usable = values.filter(|v| v.is_finite() && (!axis.log || *v > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = match (low.is_finite(), axis.log) {
            // Names after the last one with a value would take room from the others.
            (true, _) if !axis.names.is_empty() => (-0.5, high + 0.5),
            _ if axis.shares => (0.0, 1.0),
            (false, log) => (if log { -1.0 } else { 0.0 }, 1.0),
            _ if !axis.ticks.is_empty() => (low, high),
            (true, true) => (low.log10() - 0.04, high.log10() + 0.04),
            (true, false) => (0.0, high * 1.05),
        };
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, axis: axis.clone(), from, to }
    }

    /// The pixel position of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let value = if self.axis.log { value.max(1e-300).log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
    }

    /// The values that are labelled.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if !self.axis.ticks.is_empty() {
            return self.axis.ticks.clone();
        }
        if !self.axis.names.is_empty() {
            let places = (0..).map(f64::from).zip(&self.axis.names).take_while(|(at, _)| *at < self.high);
            return places.map(|(at, name)| (at, name.clone())).collect();
        }
        if self.axis.shares {
            return (0..=4).map(|quarter| (f64::from(quarter) / 4.0, format!("{} %", 25 * quarter))).collect();
        }
        let span = self.high - self.low;
        if self.axis.log {
            let step = (span / 8.0).ceil().max(1.0) as i32;
            let mut tens: Vec<i32> = (self.low.ceil() as i32..=self.high.floor() as i32).collect();
            tens.retain(|ten| ten % step == 0);
            return tens.into_iter().map(|ten| (10f64.powi(ten), format!("10{}", superscript(ten)))).collect();
        }
        let raw = span / 6.0;
        let ten = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * ten).find(|s| *s >= raw).unwrap_or(ten);
        let count = (self.high / step).floor() as i64;
        (0..=count).map(|i| (i as f64 * step, brief(i as f64 * step, step))).collect()
    }
}

/// Formats a value on an axis with labels `step` apart, in few digits: `0.25`, `500`, `20k`, `1.5M`.
fn brief(value: f64, step: f64) -> String {
    let (divisor, unit) = match step {
        1e6.. => (1e6, "M"),
        1e3.. => (1e3, "k"),
        _ => (1.0, ""),
    };
    let places = usize::try_from(-((step / divisor).log10().floor() as i64)).unwrap_or(0);
    let unit = if value == 0.0 { "" } else { unit };
    format!("{:.places$}{unit}", value / divisor)
}

fn superscript(number: i32) -> String {
    let digit = |c| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c as usize - '0' as usize);
    number.to_string().chars().map(|c| if c == '-' { '⁻' } else { digit(c).unwrap_or(c) }).collect()
}
