//! Numbers of records in a feed (`--seq-field`): which records came before, and which number is recorded as the last.
//!
//! *Skipping.* An earlier run recorded its last number. A record whose number is not above it is skipped if its text is known. If its
//! text is not known, the record is judged, and its number is reported as late: two runs may cut a feed where it is out of order. If
//! texts are forgotten, as under a window, nobody can tell which texts are new. Then the record is skipped, and that is reported. Within
//! one run no record is skipped because of an earlier one.
//!
//! *Recording.* After each other record its number is recorded, even if it is lower than the one before; that is reported, too. There is
//! one exception. After a step that is larger than all before, the number before that step stays recorded until the next record comes. If
//! that record goes on from there, the step was right. If it goes back, its own number is recorded.
//!
//! *Far ahead.* A number may exceed both the last number and the highest one believed by more than a hundred times the largest step so
//! far. It is not recorded until later records confirm it. In general that takes a hundred records, including the first one, that go on
//! from it. Fewer are enough once their own steps make the first number plausible, as in a feed whose numbers are times. Three are enough
//! if no number was ever recorded. A number that is not confirmed is reported. A number that is confirmed only by the count of records is
//! reported, too, before any record is skipped because of it. So wrong numbers do no lasting harm, even many in a row. A new feed begins
//! near zero, or is reported to begin elsewhere.

/// A step may be at most this many times the largest step so far; that largest step counts as at least 1.
const TIMES: u64 = 100;

/// The number of records that confirm a number far ahead.
const ENOUGH: u64 = 100;

/// The number of records that confirm it, including itself, if no number was recorded before.
const ENOUGH_AT_FIRST: u64 = 3;

/// What a record's number says about the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberVerdict {
    /// It is not above the last number of an earlier run, which is given.
    Before(u64),
    /// It is the next one.
    Next,
    /// It is not above the number before it, which is given.
    Late(u64),
    /// It is far ahead, or goes on from a number far ahead. Later numbers decide whether it is believed.
    Doubtful,
    /// It confirms the first number that was far ahead: the feed goes on from there.
    Moved {
        /// The last number before; `None` if no number was ever recorded.
        from: Option<u64>,
        /// The first one that was far ahead.
        to: u64,
    },
}

/// Counts of numbers that were not as expected, in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Numbers {
    /// Records whose number was not above the one before; they were judged.
    pub late: u64,
    /// Records whose number was implausibly far ahead and was not recorded; they were judged.
    pub jumped: u64,
    /// Skipped records whose texts are not known but could have been forgotten.
    pub unknown: u64,
    /// Records without a number, or with a value that is not a whole number from 0 on; they were judged.
    pub missing: u64,
}

/// A row of numbers that are far ahead.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    first: u64,
    last: u64,
    /// The largest step within the row.
    step: u64,
    count: u64,
}

/// Judges the numbers of records as they come.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// The last number of the runs before.
    floor: Option<u64>,
    /// The last number that is believed.
    last: Option<u64>,
    /// The highest number that is believed.
    top: u64,
    /// The last number that is believed and confirmed.
    noted: Option<u64>,
    /// The largest step between believed numbers.
    step: u64,
    ahead: Option<Ahead>,
    pub(crate) counts: Numbers,
}

impl Sequence {
    /// Continues after earlier runs: records with numbers up to `floor` are skipped, and `last` is the number recorded last.
    pub(crate) fn new(floor: Option<u64>, last: Option<u64>) -> Self {
        Self { floor, last, top: last.unwrap_or(0), noted: last, ..Self::default() }
    }

    /// The number to be recorded.
    pub(crate) fn noted(&self) -> Option<u64> {
        self.noted
    }

    /// Takes the next number. Also returns the first number of a row that is now known to be wrong.
    pub(crate) fn take(&mut self, number: u64) -> (NumberVerdict, Option<u64>) {
        if let Some(floor) = self.floor.filter(|floor| *floor >= number) {
            return (NumberVerdict::Before(floor), None);
        }
        let before = self.last.unwrap_or(0);
        let far = TIMES.saturating_mul(self.step.max(1));
        let reach = |from: u64| number > from && number - from <= far;
        if reach(before) || reach(self.top) {
            let step = number - if reach(before) { before } else { self.top };
            let borne_out = if step > self.step.max(1) { self.last } else { Some(number) };
            self.step = self.step.max(step);
            self.believe(number);
            self.noted = borne_out;
            return (NumberVerdict::Next, self.refute());
        }
        if number > before.max(self.top) {
            return self.doubt(number);
        }
        let late = self.last.filter(|last| number <= *last);
        self.believe(number);
        self.counts.late += u64::from(late.is_some());
        (late.map_or(NumberVerdict::Next, NumberVerdict::Late), self.refute())
    }

    /// Ends the feed: doubtful numbers are not believed. Returns the first of them.
    pub(crate) fn end(&mut self) -> Option<u64> {
        self.refute()
    }

    fn believe(&mut self, number: u64) {
        (self.last, self.noted) = (Some(number), Some(number));
        self.top = self.top.max(number);
    }

    /// Takes a number that is far ahead, either alone or after others that are.
    fn doubt(&mut self, number: u64) -> (NumberVerdict, Option<u64>) {
        let before = self.last.unwrap_or(0);
        let goes_on = |ahead: &Ahead| number > ahead.last && number - ahead.last <= ahead.first - before;
        let Some(ahead) = self.ahead.as_mut().filter(|ahead| goes_on(ahead)) else {
            let wrong = self.refute();
            self.ahead = Some(Ahead { first: number, last: number, step: 0, count: 1 });
            return (NumberVerdict::Doubtful, wrong);
        };
        ahead.step = ahead.step.max(number - ahead.last);
        (ahead.last, ahead.count) = (number, ahead.count + 1);
        let Ahead { first, step, count, .. } = *ahead;
        let enough = if self.last.is_none() { ENOUGH_AT_FIRST } else { ENOUGH };
        let is_plausible = self.last.is_some() && first - before <= TIMES.saturating_mul(step);
        if count < enough && !is_plausible {
            return (NumberVerdict::Doubtful, None);
        }
        let from = self.last;
        self.step = self.step.max(step);
        self.believe(number);
        self.ahead = None;
        (if is_plausible { NumberVerdict::Next } else { NumberVerdict::Moved { from, to: first } }, None)
    }

    fn refute(&mut self) -> Option<u64> {
        let ahead = self.ahead.take()?;
        self.counts.jumped += ahead.count;
        Some(ahead.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRONG: u64 = 99_999_999_999;

    /// Returns the number of skipped records, the recorded number, and how many numbers were late and wrong.
    fn run(floor: Option<u64>, numbers: &[u64]) -> (u64, Option<u64>, u64, u64) {
        let mut sequence = Sequence::new(floor, floor);
        let before =
            numbers.iter().filter(|number| matches!(sequence.take(**number).0, NumberVerdict::Before(_))).count();
        sequence.end();
        (before as u64, sequence.noted(), sequence.counts.late, sequence.counts.jumped)
    }

    fn rising(from: u64, count: u64, step: u64) -> Vec<u64> {
        (0..count).map(|at| from + at * step).collect()
    }

    #[test]
    fn wrong_numbers_end_nothing() {
        assert_eq!(run(None, &[1, 2, 3]), (0, Some(3), 0, 0));
        assert_eq!(run(Some(2), &[1, 2, 3]), (2, Some(3), 0, 0));
        assert_eq!(run(None, &[1, 2, WRONG, 3, 4]), (0, Some(4), 0, 1));
        assert_eq!(run(None, &[WRONG, 1, 2, 3]), (0, Some(3), 0, 1));
        assert_eq!(run(Some(7), &[8, WRONG]), (0, Some(8), 0, 1));
        assert_eq!(run(None, &[1, 2, WRONG, WRONG, 3]), (0, Some(3), 0, 2));
        assert_eq!(run(None, &[1, 2, WRONG, WRONG + 1, WRONG + 2, 3]), (0, Some(3), 0, 3));
        // A number that could have been the next one is not recorded by itself, whatever follows it.
        assert_eq!(run(Some(3), &[90]), (0, Some(3), 0, 0));
        assert_eq!(run(None, &[1, 2, 3, 90]), (0, Some(3), 0, 0));
        assert_eq!(run(None, &[1, 2, 3, 90, 4]), (0, Some(4), 1, 0));
        assert_eq!(run(None, &[1, 3, 9, 11, 13]), (0, Some(13), 0, 0));
        // Nor is a lone number far ahead, a number less far ahead, or the last ones of a run.
        assert_eq!(run(None, &[WRONG]), (0, None, 0, 1));
        assert_eq!(run(None, &[1, 2, 500_000, 3]), (0, Some(3), 0, 1));
        assert_eq!(run(None, &[1, 2, 3, 90, 4, 5]), (0, Some(5), 1, 0));
        assert_eq!(run(Some(5), &[6, WRONG, WRONG + 1]), (0, Some(6), 0, 2));
    }

    #[test]
    fn what_is_out_of_order_is_told_and_goes_on() {
        assert_eq!(run(None, &[1, 3, 2, 4, 4]), (0, Some(4), 2, 0));
        // A single late number, and a feed that counts from its beginning again.
        assert_eq!(run(Some(100_000), &[100_001, 100_000, 100_002]), (1, Some(100_002), 0, 0));
        let mut numbers = rising(1, 2000, 1);
        numbers.extend([7, 2001, 2002]);
        assert_eq!(run(None, &numbers), (0, Some(2002), 1, 0));
        numbers.extend(rising(1, 50, 1));
        assert_eq!(run(None, &numbers), (0, Some(50), 2, 0));
    }

    #[test]
    fn a_feed_that_has_moved_on_is_followed() {
        let mut numbers = vec![1, 2];
        numbers.extend(rising(WRONG, ENOUGH, 1));
        assert_eq!(run(None, &numbers), (0, Some(WRONG + ENOUGH - 1), 0, 0));
        numbers.pop();
        assert_eq!(run(None, &numbers), (0, Some(2), 0, ENOUGH - 1));
        // A feed that begins far from zero; and times as numbers, which go on after a pause.
        assert_eq!(run(None, &rising(WRONG, 3, 1)), (0, Some(WRONG + 2), 0, 0));
        let steps = rising(1 << 60, 100, 5 << 22);
        assert_eq!(run(None, &steps), (0, steps.last().copied(), 0, 0));
        let later = rising((1 << 60) + (300 << 32), 5, 5 << 32);
        assert_eq!(run(Some(1 << 60), &later), (0, later.last().copied(), 0, 0));
    }
}
