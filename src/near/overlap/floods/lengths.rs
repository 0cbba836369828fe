//! Similarity: a body that has none of the rarer bigrams of the new one has too little in common with it.
//!
//! 尊敬的客户，您的订单已发货，这是系统自动发送的通知… / 尊敬的客户，您的账户已扣款，这是系统自动发送的通知…: both have the frame 这是系统自动发送的通知. If b is 36 tokens long, a kept
//! body as long must cover 23 of them. The frame has 21. So a body that shares no bigram with the rest of b is no repeat.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::postings::{Key, Postings};
use super::super::query::Query;
use super::{ALL, Floods};

/// Where the flood has fewer members, they are compared.
const MANY: usize = 512;
/// Most steps: each is for the lengths that need the same.
const MOST: usize = 12;

impl Floods {
    /// Takes away the members that share so few of a body's `bigrams` that they cover fewer of its tokens than `least` says for their
    /// length. For each number that is needed, the rarest bigrams are found without which the others cover fewer: who has none of these is
    /// taken away. That tells nothing where the flood has most of them.
    pub(super) fn ask_for_lengths<'p>(
        &self,
        bigrams: &[Key],
        least: impl Fn(usize) -> usize,
        query: &mut Query<'p>,
        postings: &'p Postings,
    ) {
        let members = self.counted.get(&ALL).map_or(0, |set| postings.sets.get(*set).len());
        if members < MANY {
            return;
        }
        let mut needed: BTreeMap<Reverse<usize>, Vec<u32>> = BTreeMap::new();
        for (length, set) in &self.lengths {
            needed.entry(Reverse(least(*length as usize))).or_default().push(*set);
        }
        let frequencies: Vec<usize> = bigrams.iter().map(|key| postings.count(*key)).collect();
        let mut rarest: Vec<usize> = (0..bigrams.len()).collect();
        rarest.sort_by_key(|at| frequencies[*at]);
        let mut left = Left::all(bigrams.len());
        let mut taken = 0;
        for (Reverse(least), mut sets) in needed.into_iter().take(MOST) {
            while left.covered >= least && taken < rarest.len() {
                left.take(rarest[taken]);
                taken += 1;
            }
            let is_frequent = taken.checked_sub(1).is_some_and(|last| 2 * frequencies[rarest[last]] > members);
            if is_frequent || left.covered >= least {
                return;
            }
            sets.sort_unstable();
            sets.iter().for_each(|set| query.add(*set, &postings.sets));
            let who = query.union();
            rarest[..taken].iter().for_each(|at| query.having(bigrams[*at], postings));
            let sharing = query.union();
            query.slot(who, sharing);
        }
    }
}

/// The bigrams that a kept body may share.
struct Left {
    /// By place, with one that is never shared before the first and behind the last.
    is_left: Vec<bool>,
    /// How many tokens stand in one of them.
    covered: usize,
}

impl Left {
    fn all(bigrams: usize) -> Self {
        let mut is_left = vec![true; bigrams + 2];
        (is_left[0], is_left[bigrams + 1]) = (false, false);
        Self { is_left, covered: if bigrams == 0 { 0 } else { bigrams + 1 } }
    }

    /// Takes the bigram at a place away, and with it the tokens that stand in no other one.
    fn take(&mut self, at: usize) {
        self.is_left[at + 1] = false;
        self.covered -= usize::from(!self.is_left[at]) + usize::from(!self.is_left[at + 2]);
    }
}
