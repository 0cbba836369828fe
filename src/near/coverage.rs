//! Coverage: which tokens of two bodies stand in a bigram that the other body has too.

use crate::hash::HashSet;

use super::bounds::RUN;
use super::multiply_shift::MultiplyShift;
use crate::text::tokens::Token;

/// Two neighbouring tokens.
pub(crate) type Bigram = u64;

/// The bigram of two tokens.
pub(crate) fn bigram(first: Token, second: Token) -> Bigram {
    u64::from(first) << 32 | u64::from(second)
}

const FREE: u32 = u32::MAX;

/// The bigrams of one body, numbered, to hold others against; and which of them the last one had.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// Open addressing: a bigram, and its number or [`FREE`].
    table: Vec<(Bigram, u32)>,
    /// Number of the bigram that begins at each token but the last.
    numbers: Vec<u32>,
    /// By number: the other body that last had it.
    seen: Vec<u32>,
    other: u32,
    factor: MultiplyShift,
}

impl Coverage {
    /// Takes `body` as the one that others are held against.
    pub(crate) fn read(&mut self, body: &[Token]) {
        self.table.clear();
        self.table.resize((body.len() * 4).next_power_of_two(), (0, FREE));
        self.numbers.clear();
        self.seen.clear();
        self.other = 0;
        for two in body.windows(2) {
            let bigram = bigram(two[0], two[1]);
            let slot = self.slot(bigram);
            if self.table[slot].1 == FREE {
                self.table[slot] = (bigram, self.seen.len() as u32);
                self.seen.push(0);
            }
            self.numbers.push(self.table[slot].1);
        }
    }

    /// Where `bigram` is in the table, or would be.
    fn slot(&self, bigram: Bigram) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = self.factor.place(bigram, self.table.len());
        while self.table[slot].1 != FREE && self.table[slot].0 != bigram {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// How many tokens of `other` the body covers, and how many of its own `other` covers.
    pub(crate) fn cover(&mut self, other: &[Token]) -> (usize, usize) {
        self.other += 1;
        let (mut theirs, mut last) = (0, false);
        for two in other.windows(2) {
            let number = self.table[self.slot(bigram(two[0], two[1]))].1;
            let shared = number != FREE;
            if shared {
                self.seen[number as usize] = self.other;
            }
            // Each token but the last is counted at the bigram that it begins.
            theirs += usize::from(shared || last);
            last = shared;
        }
        (theirs + usize::from(last), self.covered().filter(|covered| *covered).count())
    }

    /// For each token of the body, whether the last `other` covers it.
    pub(crate) fn covered(&self) -> impl Iterator<Item = bool> + '_ {
        let shared = |number: &u32| self.seen[*number as usize] == self.other;
        let begins = self.numbers.iter().map(shared).chain([false]);
        let ends = [false].into_iter().chain(self.numbers.iter().map(shared));
        begins.zip(ends).map(|(begins, ends)| begins || ends)
    }
}

/// Whether `least` tokens of `body` are in runs of [`RUN`] tokens or more that `other` has too. Common ends are looked at first: of
/// a template they are enough.
pub(crate) fn are_in_runs(body: &[Token], other: &[Token], least: usize) -> bool {
    let head = body.iter().zip(other).take_while(|(own, other)| own == other).count();
    let rest = body[head..].iter().rev().zip(other[head..].iter().rev());
    let tail = rest.take_while(|(own, other)| own == other).count();
    let ends: usize = [head, tail].into_iter().filter(|end| *end >= RUN).sum();
    ends >= least || in_runs(body, other) >= least
}

/// How many tokens of `body` are in runs of [`RUN`] tokens or more that `other` has too.
fn in_runs(body: &[Token], other: &[Token]) -> usize {
    let runs: HashSet<&[Token]> = other.windows(RUN).collect();
    let (mut count, mut end) = (0, 0);
    for (at, _) in body.windows(RUN).enumerate().filter(|(_, run)| runs.contains(run)) {
        count += at + RUN - end.max(at);
        end = at + RUN;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plainly(body: &[Token], other: &[Token]) -> Vec<bool> {
        let has = |at: usize| other.windows(2).any(|two| two == &body[at..at + 2]);
        (0..body.len()).map(|at| at > 0 && has(at - 1) || at + 1 < body.len() && has(at)).collect()
    }

    proptest! {
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
