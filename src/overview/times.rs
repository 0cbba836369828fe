//! Labels for an axis of times.

use crate::formats::time::rfc3339;

/// The possible distances between two labels, in seconds.
const STEPS: [i64; 20] = [
    1,
    5,
    15,
    30,
    60,
    300,
    900,
    1800,
    3600,
    3 * 3600,
    6 * 3600,
    12 * 3600,
    DAY,
    2 * DAY,
    5 * DAY,
    10 * DAY,
    30 * DAY,
    90 * DAY,
    180 * DAY,
    365 * DAY,
];
const DAY: i64 = 86_400;
/// Most labels.
const MOST: i64 = 6;

/// Places from `first` to `last`, in seconds since 1970, each with a label. Days are labelled `10-31`, with the year if several
/// years are shown. Times within a day are labelled `12:00`, and the beginning of a day with its date.
pub(super) fn ticks(first: i64, last: i64) -> Vec<(f64, String)> {
    let length = last.saturating_sub(first);
    let step = STEPS.into_iter().find(|step| length / step < MOST);
    // For even longer ranges: whole years.
    let step = step.unwrap_or_else(|| 365 * DAY * (length / (365 * DAY * MOST) + 1));
    let (Some(from), Some(to)) = (rfc3339(first, 1), rfc3339(last, 1)) else { return Vec::new() };
    let is_one_year = from.get(..4) == to.get(..4);
    let label = |at: i64| {
        let time = rfc3339(at, 1)?;
        let part = match (step >= DAY, at.rem_euclid(DAY) == 0) {
            (true, _) if is_one_year => 5..10,
            (true, _) => 0..10,
            (false, true) => 5..10,
            (false, false) if step < 60 => 11..19,
            (false, false) => 11..16,
        };
        Some((at as f64, time.get(part)?.to_owned()))
    };
    let begin = first.div_euclid(step) + i64::from(first.rem_euclid(step) > 0);
    (begin..=last.div_euclid(step)).filter_map(|number| label(number * step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_labels_at_round_times() {
        let labels = |first, last| ticks(first, last).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        let noon = 1_540_987_200;
        assert_eq!(labels(noon, noon + 4 * 3600), ["12:00", "13:00", "14:00", "15:00", "16:00"]);
        assert_eq!(labels(noon + 1, noon + DAY), ["18:00", "11-01", "06:00", "12:00"]);
        assert_eq!(labels(noon, noon + 4 * DAY), ["11-01", "11-02", "11-03", "11-04"]);
        assert_eq!(labels(noon, noon + 2), ["12:00:00", "12:00:01", "12:00:02"]);
        assert!(labels(0, i64::from(u32::MAX)).iter().all(|label| label.len() == 10));
        for length in [0, 1, 59, 3601, 86_399, 40 * DAY, 4000 * DAY] {
            assert!(labels(noon + 7, noon + 7 + length).len() as i64 <= MOST + 1, "{length}");
        }
    }
}
