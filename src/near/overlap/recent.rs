//! Whether a body may have something in common with the bodies kept last, those of the batch in hand.
//!
//! What was kept before was searched ahead, by many threads. Of the rest most bodies have nothing, and this table of bits knows.

use super::features::{CLASSES, Hash, lengths};
use crate::near::bounds::{Bounds, LONG, RUN};

/// Bits of the table (log2): a batch of posts sets one of fifty.
const LOG: u32 = 20;

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

    /// Notes a body: the hashes of its bigrams, if it can have a short partner, and those of its runs.
    pub(crate) fn note(&mut self, bigrams: &[u32], runs: impl Iterator<Item = Hash>) {
        if !self.bits.is_empty() {
            let places = bigrams.iter().map(|hash| bigram(*hash)).chain(runs.map(run));
            places.for_each(|at| self.bits[at / 64] |= 1 << (at % 64));
        }
    }

    /// Whether a body of `len` tokens, with these bigrams and runs, may have enough in common with a noted one.
    pub(crate) fn may_share(
        &self,
        len: usize,
        bigrams: &[u32],
        runs: impl Iterator<Item = Hash>,
        bounds: &Bounds,
    ) -> bool {
        let is_noted = |at: usize| self.bits[at / 64] >> (at % 64) & 1 == 1;
        let vouched = |places: &mut dyn Iterator<Item = usize>, width: usize| {
            let (mut count, mut end) = (0, 0);
            for (start, _) in places.enumerate().filter(|(_, at)| is_noted(*at)) {
                count += start + width - end.max(start);
                end = start + width;
            }
            count
        };
        if len >= LONG && vouched(&mut runs.map(run), RUN) >= bounds.least_in_runs(len) {
            return true;
        }
        let classes = (0..CLASSES).map(lengths).filter(|(_, longest)| len < LONG || *longest < LONG);
        let least = classes.filter_map(|(shortest, longest)| bounds.least_covered(shortest, longest, len)).min();
        len <= bounds.longest_partner()
            && least.is_some_and(|least| vouched(&mut bigrams.iter().map(|hash| bigram(*hash)), 2) >= least)
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.capacity() * 8
    }
}

fn bigram(hash: u32) -> usize {
    (hash >> (32 - LOG)) as usize
}

fn run(hash: Hash) -> usize {
    (hash >> (64 - LOG)) as usize
}
