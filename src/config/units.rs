//! Reads numbers as people write them: `10M`, `16MiB`, `24h`.

use super::Span;
use crate::locale::tr;

const COUNTS: [(&str, f64); 3] = [("k", 1e3), ("m", 1e6), ("g", 1e9)];
const TIMES: [(&str, f64); 5] = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3), ("d", 86_400e3)];
const SIZES: [(&str, f64); 13] = [
    ("kib", 1024.0),
    ("mib", 1048576.0),
    ("gib", 1073741824.0),
    ("tib", 1099511627776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("k", 1e3),
    ("m", 1e6),
    ("g", 1e9),
    ("t", 1e12),
    ("b", 1.0),
];

/// Below 2^53 every whole number is exact.
const MOST: f64 = 9007199254740992.0;

/// Reads a count: `250000`, `1e7`, `10M`, `10m`.
///
/// # Errors
/// Returns a message with examples.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    scaled(text, &COUNTS, &tr!("250000, 1e7 or 10M"))
}

/// Reads a window: a number of messages, or a length of time (`500ms`, `90s`, `30m`, `24h`, `7d`). Here `10M` means ten million
/// messages, and `10m` means ten minutes.
///
/// # Errors
/// Returns a message with examples.
pub(crate) fn window(text: &str) -> Result<Span, String> {
    let time = || duration(text).map(|length| Span::Time { length, lateness: 0 });
    let messages = if text.ends_with('m') { Err(String::new()) } else { count(text) };
    messages.map(Span::Messages).or_else(|_| time()).map_err(|_| match is_too_large(text) {
        true => tr!("too large; use 1 to 1099511627776 messages, or 1ms to 36600d"),
        false => tr!("write a number of messages (200000, 1e6, 10M) or a length of time (90s, 30m, 24h, 7d)"),
    })
}

/// Reads a length of time, and returns it in milliseconds.
///
/// # Errors
/// Returns a message with examples.
pub(crate) fn duration(text: &str) -> Result<u64, String> {
    let examples = &tr!("90s, 30m, 24h or 7d");
    if !text.ends_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(tr!("no length of time: its unit is missing; write {examples}", examples));
    }
    scaled(text, &TIMES, examples)
}

/// Writes a length of time in milliseconds in the form that [`duration`] reads.
pub(super) fn length(milliseconds: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")];
    let unit = units.into_iter().find(|(unit, _)| milliseconds > 0 && milliseconds.is_multiple_of(*unit));
    match (milliseconds, unit) {
        (0, _) => "0s".to_owned(),
        (_, Some((unit, name))) => format!("{}{name}", milliseconds / unit),
        (milliseconds, None) => format!("{milliseconds}ms"),
    }
}

/// Reads a number of bytes: `65536`, `64KiB`, `16MiB`, `1GB`, `1tb`, `64k`.
///
/// # Errors
/// Returns a message with examples.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    scaled(text, &SIZES, &tr!("65536, 64KiB, 16MiB or 2GB"))
}

/// Reads a similarity from 0 to 1, and returns it in thousandths.
///
/// # Errors
/// Returns a message with an example.
pub(crate) fn similarity(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(similarity) if (0.0..=1.0).contains(&similarity) => Ok((similarity * 1000.0).round() as u32),
        _ => Err(tr!("write a number from 0.001 to 1, 0.5 for example")),
    }
}

/// Whether a count, a length of time or a number of bytes is larger than any that can be read.
pub(crate) fn is_too_large(text: &str) -> bool {
    let values = [&COUNTS[..], &TIMES, &SIZES].map(|units| value_of(text, units));
    values.into_iter().any(|value| value.is_finite() && value > MOST)
}

/// The value of a number with a unit; NaN if it is none.
fn value_of(text: &str, units: &[(&str, f64)]) -> f64 {
    let lower = text.to_ascii_lowercase();
    let unit = units.iter().find_map(|(unit, factor)| Some((lower.strip_suffix(unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((&lower, 1.0));
    number.trim().parse::<f64>().map_or(f64::NAN, |number| number * factor)
}

fn scaled(text: &str, units: &[(&str, f64)], examples: &str) -> Result<u64, String> {
    match value_of(text, units) {
        value if value.is_finite() && value > MOST => Err(tr!("too large; the most is {MOST}", MOST)),
        value if value.fract() == 0.0 && value >= 0.0 => Ok(value as u64),
        value if value < 0.0 => Err(tr!("less than nothing; write {examples}", examples)),
        _ => Err(match unknown_unit(text, units) {
            Some(unit) => tr!("`{unit}` is no unit; write {examples}", unit, examples),
            None => tr!("not a whole number; write {examples}", examples),
        }),
    }
}

/// Returns the letters after a number, if they are no known unit.
fn unknown_unit<'t>(text: &'t str, units: &[(&str, f64)]) -> Option<&'t str> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_unit = unit.len() < text.len() && !unit.is_empty() && unit.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_known = units.iter().any(|(known, _)| known.eq_ignore_ascii_case(unit));
    (is_unit && !is_known).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        for (text, value) in [("0", 0), ("250000", 250_000), ("1e7", 10_000_000), ("10M", 10_000_000), ("1.5k", 1500)] {
            assert_eq!(count(text), Ok(value), "{text}");
        }
        for (text, value) in [
            ("64KiB", 65_536),
            ("16MiB", 16 << 20),
            ("1GB", 1_000_000_000),
            ("7", 7),
            ("50mb", 50_000_000),
            ("1TB", 1_000_000_000_000),
            ("2g", 2_000_000_000),
            ("1b", 1),
        ] {
            assert_eq!(size(text), Ok(value), "{text}");
        }
        for (text, length) in [("500ms", 500), ("90s", 90_000), ("1.5h", 5_400_000), ("7d", 604_800_000)] {
            assert_eq!(window(text), Ok(Span::Time { length, lateness: 0 }), "{text}");
        }
        for text in ["0s", "7d", "25h", "90s", "1500ms"] {
            assert_eq!(length(duration(text).unwrap()), text);
        }
        assert_eq!(window("10M"), Ok(Span::Messages(10_000_000)));
        assert_eq!(window("10m"), Ok(Span::Time { length: 600_000, lateness: 0 }));
        assert_eq!(window("24H"), window("24h"));
        assert_eq!((window("10K"), count("10m")), (Ok(Span::Messages(10_000)), Ok(10_000_000)));
        for text in ["", "h", "24 hours", "-1h", "1.5", "1e400h"] {
            assert!(window(text).is_err(), "{text}");
        }
        for text in ["", "x", "-1", "1.5", "1e30", "nan", "inf", "M", "1mm"] {
            assert!(count(text).is_err(), "{text}");
        }
        assert!(count("1e18").unwrap_err().starts_with("too large"));
        assert!(["99999999999d", "1e17"].iter().all(|text| window(text).unwrap_err().contains("1ms to 36600d")));
        assert_eq!((similarity("0.62"), similarity("1")), (Ok(620), Ok(1000)));
        assert!(["1.1", "-0.1", "nan", ""].iter().all(|text| similarity(text).is_err()));
    }
}
