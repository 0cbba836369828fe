//! Numbers of records in a feed (`--seq-field`): which came before, and which are not believed.
//!
//! Records up to the last number that an earlier run noted are passed over. Within a run none is: a number that is not above the
//! last one is told, and the record judged. A number that is ahead of the last one by more than a million, and by more than a
//! thousand times the largest step so far, is taken for the last one (the nearest that is plausible), unless the next record
//! is ahead as far: two in succession are a feed that has moved on. So one wrong number ends nothing.

/// A step that is always plausible.
const STEP: u64 = 1_000_000;

/// How many times the largest step so far another one may be.
const TIMES: u64 = 1000;

/// What a number says of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// An earlier run noted it.
    Before,
    /// It is the next one.
    Next,
    /// It is not above the last one, which is told.
    Late(u64),
    /// It is the next one, or a wrong one: what comes tells which.
    Doubtful,
}

/// Numbers that were not taken as they stood, in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Numbers {
    /// Records whose number was not above the last one; they were judged.
    pub late: u64,
    /// Numbers that were implausibly far ahead, and taken for the last one.
    pub jumped: u64,
}

/// Reads numbers as they come.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// The last number of the runs before.
    floor: Option<u64>,
    /// The last one that is believed, and whether another one bears it out.
    last: Option<u64>,
    is_borne_out: bool,
    /// The largest step between numbers that are believed.
    step: u64,
    doubtful: Option<u64>,
    pub(crate) counts: Numbers,
}

impl Sequence {
    /// Goes on behind what earlier runs noted: records up to `floor` are passed over, `last` is the number noted last.
    pub(crate) fn new(floor: Option<u64>, last: Option<u64>) -> Self {
        Self { floor, last, is_borne_out: last.is_some(), ..Self::default() }
    }

    /// The last number that is believed.
    pub(crate) fn last(&self) -> Option<u64> {
        self.last
    }

    /// Reads the next number. The second value is a number that is now known to be wrong.
    pub(crate) fn take(&mut self, number: u64) -> (Said, Option<u64>) {
        if self.floor >= Some(number) {
            return (Said::Before, None);
        }
        let Some(last) = self.last else {
            self.last = Some(number);
            return (Said::Next, None);
        };
        let far = STEP.max(self.step.saturating_mul(TIMES));
        let doubtful = self.doubtful.take();
        if number > last && number - last <= far {
            self.believe(number, last);
            return (Said::Next, self.refute(doubtful));
        }
        if number > last {
            return match doubtful {
                Some(before) if number > before => {
                    self.believe(number, before);
                    (Said::Next, None)
                }
                _ => {
                    self.doubtful = Some(number);
                    (Said::Doubtful, self.refute(doubtful))
                }
            };
        }
        // The first number of all was the wrong one.
        if !self.is_borne_out && last - number > far {
            self.last = Some(number);
            return (Said::Next, self.refute(Some(last)));
        }
        self.counts.late += 1;
        (Said::Late(last), self.refute(doubtful))
    }

    /// Nothing more comes: a number that is still doubtful is not believed.
    pub(crate) fn end(&mut self) -> Option<u64> {
        let doubtful = self.doubtful.take();
        self.refute(doubtful)
    }

    fn believe(&mut self, number: u64, before: u64) {
        (self.last, self.is_borne_out) = (Some(number), true);
        self.step = self.step.max(number - before);
    }

    fn refute(&mut self, doubtful: Option<u64>) -> Option<u64> {
        self.counts.jumped += u64::from(doubtful.is_some());
        doubtful
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed over, the last number, and how many were late and wrong.
    fn run(floor: Option<u64>, numbers: &[u64]) -> (u64, Option<u64>, u64, u64) {
        let mut sequence = Sequence::new(floor, floor);
        let before = numbers.iter().filter(|number| sequence.take(**number).0 == Said::Before).count();
        sequence.end();
        (before as u64, sequence.last(), sequence.counts.late, sequence.counts.jumped)
    }

    #[test]
    fn a_wrong_number_ends_nothing() {
        let wrong = 99_999_999_999;
        assert_eq!(run(None, &[1, 2, 3]), (0, Some(3), 0, 0));
        assert_eq!(run(Some(2), &[1, 2, 3]), (2, Some(3), 0, 0));
        assert_eq!(run(None, &[1, 2, wrong, 3, 4]), (0, Some(4), 0, 1));
        assert_eq!(run(None, &[wrong, 1, 2, 3]), (0, Some(3), 0, 1));
        assert_eq!(run(Some(7), &[8, wrong]), (0, Some(8), 0, 1));
        assert_eq!(run(None, &[1, 2, wrong, wrong, 3]), (0, Some(3), 0, 2));
        assert_eq!(run(None, &[1, 3, 2, 4, 4]), (0, Some(4), 2, 0));
        // A feed that has moved on, and one with large steps.
        assert_eq!(run(None, &[1, 2, wrong, wrong + 1, wrong + 2]), (0, Some(wrong + 2), 0, 0));
        let steps: Vec<u64> = (0..100).map(|at| (1 << 60) + at * (5 << 22)).collect();
        assert_eq!(run(None, &steps), (0, steps.last().copied(), 0, 0));
    }
}
