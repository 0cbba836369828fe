//! Numbers of records in a feed (`--seq-field`): which came before, and which one is noted as the last.
//!
//! *Passed over.* An earlier run noted a number. A record whose number is not above it is passed over if its text is known. If its text
//! is not known, it is judged, and the number is reported as late: two runs may cut a feed where it is out of order. Where texts are
//! forgotten, as under a window, nobody can tell which texts are new. Then the record is passed over, and that is reported. Within one
//! run no record is passed over.
//!
//! *Noted.* After each other record its number is noted, even if it is lower than the one before; that is reported, too. There is one
//! exception. After a step that is larger than all before, the number before that step stays noted until the next record comes. If that
//! record goes on from there, the step was right. If it goes back, its own number is noted.
//!
//! *Far ahead.* A number may be above the last one, and above the highest that was believed, by more than a hundred times the largest
//! step so far. It is not noted until later ones bear it out: a hundred records, its own among them, that go on from it; or fewer, once
//! their own steps make this one plausible, as in a feed whose numbers are times; or two more, if no number was ever noted. If it is not
//! borne out, that is reported. If only the count of records bears it out, that is reported, too, in time before any record is passed
//! over for it. So wrong numbers end nothing, even many in a row. A new feed begins near zero, or is reported to begin elsewhere.

/// How many times the largest step so far, and at the least how many ones, a step may be.
const TIMES: u64 = 100;

/// So many records bear out a number that is far ahead.
const ENOUGH: u64 = 100;

/// So many records bear it out, itself included, where no number was noted before it.
const ENOUGH_AT_FIRST: u64 = 3;

/// What a number says of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// It is not above the last one that an earlier run noted, which this is.
    Before(u64),
    /// It is the next one.
    Next,
    /// It is not above the one before, which is told.
    Late(u64),
    /// It is far ahead, or goes on from one that is: what comes tells whether it is believed.
    Doubtful,
    /// It bears out the first number that was far ahead: the feed goes on from there.
    Moved {
        /// The last number before; none if none was noted ever.
        from: Option<u64>,
        /// The first one that was far ahead.
        to: u64,
    },
}

/// Numbers that were not taken as they stood, in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Numbers {
    /// Records whose number was not above the one before; they were judged.
    pub late: u64,
    /// Records whose number was implausibly far ahead, and was not noted; they were judged.
    pub jumped: u64,
    /// Records that were passed over, and whose texts are not known, but could have been forgotten.
    pub unknown: u64,
    /// Records without a number, or with what is no whole number from 0 on; they were judged.
    pub missing: u64,
}

/// Numbers that are far ahead, in a row.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    first: u64,
    last: u64,
    /// The largest step in it.
    step: u64,
    count: u64,
}

/// Reads numbers as they come.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// The last number of the runs before.
    floor: Option<u64>,
    /// The number of the last record that is believed, and the highest that was.
    last: Option<u64>,
    top: u64,
    /// The last number that is believed and was borne out.
    noted: Option<u64>,
    /// The largest step between numbers that are believed.
    step: u64,
    ahead: Option<Ahead>,
    pub(crate) counts: Numbers,
}

impl Sequence {
    /// Goes on behind what earlier runs noted: records up to `floor` are passed over, `last` is the number noted last.
    pub(crate) fn new(floor: Option<u64>, last: Option<u64>) -> Self {
        Self { floor, last, top: last.unwrap_or(0), noted: last, ..Self::default() }
    }

    /// The number that is noted.
    pub(crate) fn noted(&self) -> Option<u64> {
        self.noted
    }

    /// Reads the next number. The second value is the first of those that are now known to be wrong.
    pub(crate) fn take(&mut self, number: u64) -> (Said, Option<u64>) {
        if let Some(floor) = self.floor.filter(|floor| *floor >= number) {
            return (Said::Before(floor), None);
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
            return (Said::Next, self.refute());
        }
        if number > before.max(self.top) {
            return self.doubt(number);
        }
        let late = self.last.filter(|last| number <= *last);
        self.believe(number);
        self.counts.late += u64::from(late.is_some());
        (late.map_or(Said::Next, Said::Late), self.refute())
    }

    /// Nothing more comes: what is still doubtful is not believed. The first number of it.
    pub(crate) fn end(&mut self) -> Option<u64> {
        self.refute()
    }

    fn believe(&mut self, number: u64) {
        (self.last, self.noted) = (Some(number), Some(number));
        self.top = self.top.max(number);
    }

    /// A number is far ahead: alone, or behind others that are.
    fn doubt(&mut self, number: u64) -> (Said, Option<u64>) {
        let before = self.last.unwrap_or(0);
        let goes_on = |ahead: &Ahead| number > ahead.last && number - ahead.last <= ahead.first - before;
        let Some(ahead) = self.ahead.as_mut().filter(|ahead| goes_on(ahead)) else {
            let wrong = self.refute();
            self.ahead = Some(Ahead { first: number, last: number, step: 0, count: 1 });
            return (Said::Doubtful, wrong);
        };
        ahead.step = ahead.step.max(number - ahead.last);
        (ahead.last, ahead.count) = (number, ahead.count + 1);
        let Ahead { first, step, count, .. } = *ahead;
        let enough = if self.last.is_none() { ENOUGH_AT_FIRST } else { ENOUGH };
        let is_plausible = self.last.is_some() && first - before <= TIMES.saturating_mul(step);
        if count < enough && !is_plausible {
            return (Said::Doubtful, None);
        }
        let from = self.last;
        self.step = self.step.max(step);
        self.believe(number);
        self.ahead = None;
        (if is_plausible { Said::Next } else { Said::Moved { from, to: first } }, None)
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

    /// What is passed over, the number that is noted, and how many were late and wrong.
    fn run(floor: Option<u64>, numbers: &[u64]) -> (u64, Option<u64>, u64, u64) {
        let mut sequence = Sequence::new(floor, floor);
        let before = numbers.iter().filter(|number| matches!(sequence.take(**number).0, Said::Before(_))).count();
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
        // One that would have passed for the next is not noted alone, whatever comes after it.
        assert_eq!(run(Some(3), &[90]), (0, Some(3), 0, 0));
        assert_eq!(run(None, &[1, 2, 3, 90]), (0, Some(3), 0, 0));
        assert_eq!(run(None, &[1, 2, 3, 90, 4]), (0, Some(4), 1, 0));
        assert_eq!(run(None, &[1, 3, 9, 11, 13]), (0, Some(13), 0, 0));
        // Nor does one alone, one that is less far ahead, or the last of a run.
        assert_eq!(run(None, &[WRONG]), (0, None, 0, 1));
        assert_eq!(run(None, &[1, 2, 500_000, 3]), (0, Some(3), 0, 1));
        assert_eq!(run(None, &[1, 2, 3, 90, 4, 5]), (0, Some(5), 1, 0));
        assert_eq!(run(Some(5), &[6, WRONG, WRONG + 1]), (0, Some(6), 0, 2));
    }

    #[test]
    fn what_is_out_of_order_is_told_and_goes_on() {
        assert_eq!(run(None, &[1, 3, 2, 4, 4]), (0, Some(4), 2, 0));
        // One that stayed behind, and a feed that counts from its beginning again.
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
        // One that begins far from zero; and times for numbers, which go on after a while.
        assert_eq!(run(None, &rising(WRONG, 3, 1)), (0, Some(WRONG + 2), 0, 0));
        let steps = rising(1 << 60, 100, 5 << 22);
        assert_eq!(run(None, &steps), (0, steps.last().copied(), 0, 0));
        let later = rising((1 << 60) + (300 << 32), 5, 5 << 32);
        assert_eq!(run(Some(1 << 60), &later), (0, later.last().copied(), 0, 0));
    }
}
