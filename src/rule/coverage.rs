//! Coverage: which tokens of two bodies are in a bigram that the other body has, too.
//!
//! 我在家等你 / 等你回家: 等 and 你 of B are covered, because A has the bigram 等你. 家 is not covered, though A has this token: 回家 is only in
//! B. The [similarity](super::thresholds) of two bodies counts covered tokens.

use super::bounds::RUN;
use crate::hash::table::{MultiplyShift, probe};
use crate::text::tokens::{Token, are_characters, common_ends};

/// Two neighbouring tokens.
pub(crate) type Bigram = u64;

/// The bigram of two tokens.
pub(crate) fn bigram(first: Token, second: Token) -> Bigram {
    u64::from(first) << 32 | u64::from(second)
}

/// The numbered bigrams of one body, to compare other bodies with. Also holds which of them the last other body had.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// A hash table to [probe]: 1 + the number of a bigram, or 0.
    table: Vec<u32>,
    body: Vec<Token>,
    /// For each token but the last, the number of the bigram that begins there.
    numbers: Vec<u32>,
    /// For each bigram, by its number: where it first begins in the body, and the last other body that had it.
    seen: Vec<(u32, u32)>,
    /// The number of the last other body.
    other: u32,
    /// For each token of the body, whether the last other body covers it.
    covered: Vec<bool>,
    factor: MultiplyShift,
}

impl Coverage {
    /// Takes `body` as the one that others are compared with.
    pub(crate) fn read(&mut self, body: &[Token]) {
        self.table.clear();
        self.table.resize((body.len() * 2).next_power_of_two(), 0);
        self.body.clear();
        self.body.extend_from_slice(body);
        self.numbers.clear();
        self.seen.clear();
        self.covered.clear();
        self.covered.resize(body.len(), false);
        self.other = 0;
        for (two, at) in body.windows(2).zip(0..) {
            let slot = self.slot(two[0], two[1]);
            if self.table[slot] == 0 {
                self.seen.push((at, 0));
                self.table[slot] = self.seen.len() as u32;
            }
            self.numbers.push(self.table[slot] - 1);
        }
    }

    /// Returns the slot of a bigram in the table, or the free slot where it belongs.
    #[inline]
    fn slot(&self, first: Token, second: Token) -> usize {
        let slot = self.factor.place(bigram(first, second), self.table.len());
        probe(&self.table, slot, |number| {
            let at = self.seen[number].0 as usize;
            self.body[at] != first || self.body[at + 1] != second
        })
    }

    /// Returns how many tokens of `other` the body covers, and how many tokens of the body `other` covers.
    pub(crate) fn cover(&mut self, other: &[Token]) -> (usize, usize) {
        self.other += 1;
        let (mut theirs, mut last) = (0, false);
        // Where the body goes on after the last shared bigram. `other` often goes on alike, so this place is tried before the table.
        let mut next = 0;
        for (first, second) in other.iter().zip(other.get(1..).unwrap_or_default()) {
            let goes_on = self.body.get(next) == Some(first) && self.body.get(next + 1) == Some(second);
            let number = if goes_on { self.numbers[next] + 1 } else { self.table[self.slot(*first, *second)] };
            let shared = number > 0;
            if shared {
                let (begins, seen) = &mut self.seen[number as usize - 1];
                *seen = self.other;
                next = if goes_on { next } else { *begins as usize } + 1;
            }
            // Each token but the last is counted at the bigram that it begins.
            theirs += usize::from(shared || last);
            last = shared;
        }
        let (mut own, mut before) = (0, false);
        for (number, covered) in self.numbers.iter().zip(&mut self.covered) {
            let shared = self.seen[*number as usize].1 == self.other;
            *covered = shared || before;
            own += usize::from(*covered);
            before = shared;
        }
        if let Some(covered) = self.covered.last_mut() {
            *covered = before;
        }
        (theirs + usize::from(last), own + usize::from(before))
    }

    /// For each token of the body, whether the last `other` covers it.
    pub(crate) fn covered(&self) -> impl Iterator<Item = bool> + '_ {
        self.covered.iter().copied()
    }
}

/// The runs of [`RUN`] tokens of one body, to look up those of another. A run that has not only characters counts only as a part of a
/// longer one: hundreds of reports begin with NBA 21-22 赛季.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// A hash table to [probe]: 1 + where a run begins, or 0.
    table: Vec<u32>,
    factor: MultiplyShift,
}

impl Runs {
    /// Whether at least `least` tokens of `body` are in runs of [`RUN`] tokens or more that `other` has, too. Looks at common ends first:
    /// if both texts fill one template, the ends are enough.
    pub(crate) fn are_common(&mut self, body: &[Token], other: &[Token], least: usize) -> bool {
        let (head, tail) = common_ends(body, other);
        let ends = [&body[..head], &body[body.len() - tail..]];
        let counts = |end: &&&[Token]| end.len() > RUN || end.len() == RUN && are_characters(end);
        let ends: usize = ends.iter().filter(counts).map(|end| end.len()).sum();
        ends >= least || self.common(body, other, least) >= least
    }

    /// Returns how many tokens of `body` are in runs of [`RUN`] tokens or more that `other` has, too. Stops counting at `enough`.
    fn common(&mut self, body: &[Token], other: &[Token], enough: usize) -> usize {
        self.table.clear();
        self.table.resize((other.len() * 2).next_power_of_two(), 0);
        for (run, at) in other.windows(RUN).zip(1..) {
            let place = self.place(run, other);
            self.table[place] = at;
        }
        let has = |run: &[Token]| self.table[self.place(run, other)] > 0;
        let (mut count, mut end, mut before) = (0, 0, false);
        let mut runs = body.windows(RUN).enumerate().peekable();
        while let Some((at, run)) = runs.next() {
            let is_here = has(run);
            if is_here && (before || are_characters(run) || runs.peek().is_some_and(|(_, next)| has(next))) {
                count += at + RUN - end.max(at);
                end = at + RUN;
                if count >= enough {
                    break;
                }
            }
            before = is_here;
        }
        count
    }

    /// Returns the place of a run in the table, or the free place where it belongs.
    #[inline(always)]
    fn place(&self, run: &[Token], other: &[Token]) -> usize {
        let sum = run.iter().fold(0, |sum: u64, token| self.factor.product(sum ^ u64::from(*token)));
        let place = self.factor.place(sum ^ sum >> 32, self.table.len());
        probe(&self.table, place, |at| !other[at..].starts_with(run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::number;
    use proptest::prelude::*;

    fn plainly(body: &[Token], other: &[Token]) -> Vec<bool> {
        let has = |at: usize| other.windows(2).any(|two| two == &body[at..at + 2]);
        (0..body.len()).map(|at| at > 0 && has(at - 1) || at + 1 < body.len() && has(at)).collect()
    }

    proptest! {
        #[test]
        fn common_runs_are_those_of_both(
            body in prop::collection::vec(prop::sample::select(vec![0, 1, number(1)]), 0..40),
            others in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![0, 1, number(1)]), 0..40), 1..4),
        ) {
            let mut runs = Runs::default();
            for other in &others {
                let has = |at: usize| body.len() >= at && other.windows(RUN).any(|run| body[at..].starts_with(run));
                let begins = |at: usize| {
                    let run = body.get(at..at + RUN).unwrap_or_default();
                    has(at) && (are_characters(run) || has(at + 1) || at > 0 && has(at - 1))
                };
                let is_in = |at: &usize| (at.saturating_sub(RUN - 1)..=*at).any(begins);
                let expected = (0..body.len()).filter(is_in).count();
                prop_assert_eq!(runs.common(&body, other, usize::MAX), expected);
                prop_assert!(runs.are_common(&body, other, expected));
                prop_assert!(!runs.are_common(&body, other, expected + 1));
            }
        }

        #[test]
        fn covered_tokens_are_in_a_shared_bigram(
            body in prop::collection::vec(0_u32..5, 1..40),
            others in prop::collection::vec(prop::collection::vec(0_u32..5, 0..40), 1..4),
        ) {
            let mut coverage = Coverage::default();
            coverage.read(&body);
            for other in &others {
                let (theirs, own) = coverage.cover(other);
                let (expected_theirs, expected_own) = (plainly(other, &body), plainly(&body, other));
                prop_assert_eq!(coverage.covered().collect::<Vec<_>>(), expected_own.clone());
                prop_assert_eq!(own, expected_own.iter().filter(|covered| **covered).count());
                prop_assert_eq!(theirs, expected_theirs.iter().filter(|covered| **covered).count());
            }
        }
    }
}
