//! Looks into one bucket of the [band tables](super::bands): is there a fingerprint near the one of the query?
//!
//! A bucket has two lists: the numbers of fingerprints, rising, and for each a *rest*, that is, the bits beside the band folded into 32.
//! The rests are compared 16 at a time. The whole fingerprint is compared only if its rest is near.

use super::arena::TOGETHER;
use super::segments::Counted;

/// The fingerprint of a query, and all stored fingerprints by number.
pub(super) struct Lookup<'q> {
    pub(crate) value: u64,
    /// Most bits that a match may differ in.
    pub(crate) budget: u32,
    pub(crate) values: &'q [u64],
    pub(crate) counted: Counted<'q>,
}

/// The content of a bucket in order of number, and the rest that its rests must be near.
#[derive(Clone, Copy, Default)]
pub(super) struct Run<'t> {
    pub(crate) lines: &'t [[u32; TOGETHER]],
    /// How many rests of other buckets come first in `lines`.
    pub(crate) skip: usize,
    pub(crate) numbers: &'t [u32],
    pub(crate) rest: u32,
    pub(crate) left: u32,
}

impl Run<'_> {
    /// Returns the index of the first near rest at `from` or after it. It may be after the last number.
    #[inline(always)]
    pub(crate) fn first_near(&self, from: usize) -> Option<usize> {
        let near = |stored: &u32| (stored ^ self.rest).count_ones() <= self.left;
        let (from, mut first) = (self.skip + from, (self.skip + from) % TOGETHER);
        for (line, at) in self.lines.iter().zip(0..).skip(from / TOGETHER) {
            // No branch inside: the compiler uses vectors.
            if line.iter().fold(false, |any, stored| any | near(stored))
                && let Some(i) = line[first..].iter().position(near)
            {
                return Some(at * TOGETHER + first + i - self.skip);
            }
            first = 0;
        }
        None
    }

    /// Returns the better of `best` and the first match from `at` on, the index of the first near rest.
    #[inline(always)]
    pub(crate) fn best(&self, mut at: usize, lookup: &Lookup<'_>, best: (u32, u32)) -> (u32, u32) {
        let Lookup { value, budget, values, counted } = lookup;
        while let Some(number) = self.numbers.get(at) {
            if *number >= best.0 {
                break;
            }
            let next = if *number < counted.first {
                self.numbers.partition_point(|number| *number < counted.first)
            } else {
                let distance = (values[*number as usize] ^ value).count_ones();
                if distance <= *budget && counted.has(*number) {
                    return (*number, distance);
                }
                at + 1
            };
            match self.first_near(next) {
                Some(next) => at = next,
                None => break,
            }
        }
        best
    }
}
