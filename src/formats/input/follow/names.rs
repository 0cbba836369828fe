//! Tells from the names of rotated files which of them are older.

use std::cmp::Ordering;

/// The numbers in the name of a rotated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    numbers: Vec<u128>,
    /// What marks must have in common to be compared: the signs around the numbers, or, of a date, how many digits its first number has.
    kind: (String, usize),
    is_date: bool,
}

impl Mark {
    /// The numbers in the digits and signs of a name.
    pub(crate) fn of(mark: &str) -> Self {
        let groups: Vec<&str> = mark.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
        let is_date = is_date(&groups);
        let signs = mark.split(|c: char| c.is_ascii_digit()).filter(|signs| !signs.is_empty());
        // A date may have a number after it, which counts the files of that date.
        let signs = if is_date { String::new() } else { signs.collect::<Vec<_>>().join("0") };
        let kind = (signs, groups.first().filter(|_| is_date).map_or(0, |first| first.len()));
        // A number of more than 38 digits is no number of a log.
        Self { numbers: groups.iter().map(|group| group.parse().unwrap_or(0)).collect(), kind, is_date }
    }
}

/// Whether the first numbers are a date with the year first, or seconds or milliseconds since 1970.
fn is_date(groups: &[&str]) -> bool {
    let Some(first) = groups.first() else { return false };
    let is_in = |from: &str, least: u32, most: u32| from.parse().is_ok_and(|number| (least..=most).contains(&number));
    let is_month = |digits: Option<&str>| digits.is_some_and(|digits| is_in(digits, 1, 12));
    match first.len() {
        4 => is_in(first, 1970, 2099) && is_month(groups.get(1).copied()),
        6 | 8 | 12 | 14 => is_in(&first[..4], 1970, 2099) && is_month(first.get(4..6)),
        10 | 13 => true,
        _ => false,
    }
}

/// How names tell which file is older.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    /// Whether dates are to be believed.
    pub(crate) has_dates: bool,
    /// Whether a file with a higher number is newer; `None` if that is not known.
    pub(crate) rises: Option<bool>,
}

impl Rule {
    /// Finds the rule from pairs of names of which the first is older.
    pub(crate) fn of<'m>(pairs: impl Iterator<Item = [&'m Mark; 2]>) -> Self {
        let mut seen = [[false; 2]; 2];
        for [older, newer] in pairs.filter(|[older, newer]| older.kind == newer.kind) {
            match older.numbers.cmp(&newer.numbers) {
                Ordering::Less => seen[usize::from(older.is_date)][1] = true,
                Ordering::Greater => seen[usize::from(older.is_date)][0] = true,
                Ordering::Equal => {}
            }
        }
        let [[falls, rises], [is_wrong, _]] = seen;
        Self { has_dates: !is_wrong, rises: (falls != rises).then_some(rises) }
    }

    /// Compares the ages of two files; the older is the lesser. `None` if their names do not tell.
    pub(crate) fn compare(self, one: &Mark, other: &Mark) -> Option<Ordering> {
        let is_begin = one.numbers.starts_with(&other.numbers) || other.numbers.starts_with(&one.numbers);
        let order = (one.kind == other.kind && !is_begin).then(|| one.numbers.cmp(&other.numbers))?;
        match (one.is_date, self.rises) {
            (true, _) => self.has_dates.then_some(order),
            (false, Some(true)) => Some(order),
            (false, Some(false)) => Some(order.reverse()),
            (false, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_tell_the_order_and_numbers_only_with_a_pair_that_is_known() {
        let compare = |rule: Rule, one, other| rule.compare(&Mark::of(one), &Mark::of(other));
        let none = Rule::of(std::iter::empty());
        for (older, newer) in [
            ("-20261101", "-20261102"),
            ("-2026-11-09", "-2026-11-10"),
            (".2026-11-09.9", ".2026-11-09.10"),
            ("-2026-11-22T10:00:00Z", "-2026-11-22T11:00:00Z"),
            ("-1795000000", "-1795003600"),
            ("_202611", "_202612"),
        ] {
            assert_eq!(compare(none, older, newer), Some(Ordering::Less), "{older}");
            assert_eq!(compare(none, newer, older), Some(Ordering::Greater), "{older}");
        }
        // The day first, a number, and two kinds of names.
        for (one, other) in [
            ("-01112026", "-02102026"),
            (".1", ".2"),
            ("-20261101", ".2"),
            ("-2026-11-01", "-20261102"),
            ("-20261101", "-20261101.1"),
        ] {
            assert_eq!(compare(none, one, other), None, "{one}");
        }
        let (nine, ten) = (Mark::of(".9"), Mark::of(".10"));
        let rises = Rule::of([[&nine, &ten]].into_iter());
        assert_eq!([compare(rises, ".9", ".10"), compare(rises, ".9", "-10")], [Some(Ordering::Less), None]);
        let falls = Rule::of([[&ten, &nine]].into_iter());
        assert_eq!(compare(falls, ".1", ".2"), Some(Ordering::Greater));
        let both = Rule::of([[&ten, &nine], [&nine, &ten]].into_iter());
        assert_eq!(compare(both, ".1", ".2"), None);
        // A pair that contradicts the dates.
        let (first, second) = (Mark::of("-20261101"), Mark::of("-20261102"));
        assert_eq!(compare(Rule::of([[&second, &first]].into_iter()), "-20261101", "-20261102"), None);
    }
}
