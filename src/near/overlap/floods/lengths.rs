//! Similarity: a body that has none of the rarer bigrams of the new one has too little in common with it.
//!
//! 您订购的套餐即将到期，这是系统自动发送的通知，… / 您的账户今日转出100元，这是系统自动发送的通知，…: both have the frame 这是系统自动发送的通知，…. If b has 36 tokens,
//! a kept body of the same length must cover 23 of them. The frame has 21. So a body that shares no bigram with the rest of b is no repeat.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::postings::Key;
use super::super::query::Query;
use super::{FEW_LEFT, Floods};

/// If the query asks for fewer bodies, they are compared.
const BODIES_FROM: usize = 128;
/// Most steps. A step is for some lengths, and at least one in this many members must have one of these lengths.
const STEPS_UPTO: usize = 8;

impl Floods {
    /// Adds steps that take away members that cover fewer tokens of a body than `least` says for their length. `bigrams` has the keys of
    /// the body's bigrams, by place. For each number of tokens that may be needed, it finds the rarest bigrams without which the others
    /// cover fewer tokens. A step takes away the members that have none of these. If most members have one of them, there is no further
    /// step.
    pub(super) fn add_steps_by_lengths(&self, bigrams: &[Key], least: impl Fn(usize) -> usize, query: &mut Query<'_>) {
        let postings = query.postings;
        let members = self.with_bigrams.map_or(0, |set| postings.sets.get(set).len());
        // In a flood of one template, a single step may take away nearly all bodies by itself.
        let asked = query.largest();
        if asked < BODIES_FROM || query.takes_about(asked.saturating_sub(FEW_LEFT)) {
            return;
        }
        // By the tokens needed, falling. So the frequent bigrams come last.
        let mut needed: BTreeMap<Reverse<usize>, Vec<u32>> = BTreeMap::new();
        for (length, set) in self.lengths.iter() {
            needed.entry(Reverse(least(*length as usize))).or_default().push(*set);
        }
        let frequencies: Vec<usize> = bigrams.iter().map(|key| postings.count(*key)).collect();
        let mut rarest: Vec<usize> = (0..bigrams.len()).collect();
        rarest.sort_by_key(|at| frequencies[*at]);
        let (mut left, mut taken, mut sets) = (Left::all(bigrams.len()), 0, Vec::new());
        for (Reverse(least), more) in needed {
            sets.extend(more);
            if STEPS_UPTO * sets.iter().map(|set| postings.sets.get(*set).len()).sum::<usize>() < members {
                continue;
            }
            while left.covered >= least && taken < rarest.len() {
                left.take(rarest[taken]);
                taken += 1;
            }
            let is_frequent = |at: &usize| 2 * frequencies[*at] > members;
            if left.covered >= least || rarest[..taken].last().is_some_and(is_frequent) {
                return;
            }
            sets.sort_unstable();
            let who = query.union_of(|union| sets.drain(..).for_each(|set| union.add_set(set)));
            let sharing = query.union_of(|union| rarest[..taken].iter().for_each(|at| union.add_key(bigrams[*at])));
            query.step(who, sharing, Vec::new());
        }
    }
}

/// The bigrams that a kept body may still share.
struct Left {
    /// By place. A bigram that is never shared is added before the first and after the last.
    is_left: Vec<bool>,
    /// How many tokens are in at least one of these bigrams.
    covered: usize,
}

impl Left {
    fn all(bigrams: usize) -> Self {
        let mut is_left = vec![true; bigrams + 2];
        (is_left[0], is_left[bigrams + 1]) = (false, false);
        Self { is_left, covered: if bigrams == 0 { 0 } else { bigrams + 1 } }
    }

    /// Takes away the bigram at a place, and with it the tokens that are in no other bigram left.
    fn take(&mut self, at: usize) {
        self.is_left[at + 1] = false;
        self.covered -= usize::from(!self.is_left[at]) + usize::from(!self.is_left[at + 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::coverage::Coverage;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_lacks_the_bigrams_that_were_taken_covers_no_more_than_is_left(
            a in prop::collection::vec(0_u32..5, 2..20),
            b in prop::collection::vec(0_u32..5, 2..20),
        ) {
            let mut coverage = Coverage::default();
            coverage.read(&b);
            let (_, covered) = coverage.cover(&a);
            let mut left = Left::all(b.len() - 1);
            for (at, two) in b.windows(2).enumerate() {
                if !a.windows(2).any(|other| other == two) {
                    left.take(at);
                }
            }
            prop_assert_eq!(left.covered, covered);
        }
    }
}
