//! Whether a body may have something in common with the bodies kept last, those of the batch in hand.
//!
//! What was kept before was searched ahead, by many threads. Of the rest most bodies have nothing, and this table of bits knows.

use super::RUNS;
use super::features::{CLASSES, Hash, lengths};
use crate::near::bounds::{Bounds, LONG, RUN};

/// Bits of the table (log2): a batch of posts sets one of fifty.
const LOG: u32 = 20;

/// Kinds of bodies that can be searched: a bit for each class, and one for runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Partners(u32);

impl Partners {
    /// All.
    pub(crate) const ALL: Self = Self(u32::MAX);
    /// None.
    pub(crate) const NONE: Self = Self(0);

    /// Whether bodies of a class, or those known by their runs, are among them.
    #[inline(always)]
    pub(super) fn has(self, class: usize) -> bool {
        self.0 >> class & 1 == 1
    }
}

/// Bigrams and runs of the bodies from one number on.
#[derive(Default)]
pub(super) struct Recent {
    /// Empty as long as nobody searches ahead.
    bits: Vec<u64>,
    from: u64,
}

impl Recent {
    /// Begins with the bodies from a number on.
    pub(crate) fn begin(&mut self, from: u64) {
        self.from = from;
        self.bits.clear();
        self.bits.resize(1 << (LOG - 6), 0);
    }

    /// The number it began with; none if it did not begin.
    pub(crate) fn from(&self) -> Option<u64> {
        (!self.bits.is_empty()).then_some(self.from)
    }

    /// Notes a body of a class: the hashes of its bigrams, if it can have a short partner, and those of its runs.
    pub(crate) fn note(&mut self, class: usize, bigrams: &[u32], runs: impl Iterator<Item = Hash>) {
        if !self.bits.is_empty() {
            let places = bigrams.iter().map(|hash| bigram(*hash, class)).chain(runs.map(run));
            places.for_each(|at| self.bits[at / 64] |= 1 << (at % 64));
        }
    }

    /// Among which noted bodies one of `len` tokens, with these bigrams and runs, may have a partner.
    pub(crate) fn partners(
        &self,
        len: usize,
        bigrams: &[u32],
        runs: impl Iterator<Item = Hash>,
        bounds: &Bounds,
    ) -> Partners {
        let mut partners = Partners(0);
        if len >= LONG && self.vouched(runs.map(run), RUN) >= bounds.least_in_runs(len) {
            partners.0 |= 1 << RUNS;
        }
        if len <= bounds.longest_partner() {
            for class in 0..CLASSES {
                let (shortest, longest) = lengths(class);
                let least = bounds.least_covered(shortest, longest, len).filter(|_| len < LONG || longest < LONG);
                let vouched = || self.vouched(bigrams.iter().map(|hash| bigram(*hash, class)), 2);
                partners.0 |= u32::from(least.is_some_and(|least| vouched() >= least)) << class;
            }
        }
        partners
    }

    /// For how many tokens those of some features are vouched, each of `width` tokens and one token behind the one before, that are
    /// noted.
    fn vouched(&self, places: impl Iterator<Item = usize>, width: usize) -> usize {
        let (mut count, mut end) = (0, 0);
        for (start, at) in places.enumerate() {
            if self.bits[at / 64] >> (at % 64) & 1 == 1 {
                count += start + width - end.max(start);
                end = start + width;
            }
        }
        count
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.capacity() * 8
    }
}

#[inline(always)]
fn bigram(hash: u32, class: usize) -> usize {
    // Another stretch of the table for each class.
    ((hash >> (32 - LOG)) as usize).wrapping_add(class << (LOG - 2)) & ((1 << LOG) - 1)
}

#[inline(always)]
fn run(hash: Hash) -> usize {
    (hash >> (64 - LOG)) as usize
}
