//! A look into one bucket of the [band tables](super::bands): is there a fingerprint near the one asked for?
//!
//! A bucket has two lists: the numbers of fingerprints, rising, and a *rest* of each, the first 32 bits beside the band. The rests are
//! compared 16 at a time. Only where a rest is near, the whole fingerprint is looked at.

use super::arena::TOGETHER;
use super::segments::Counted;

/// What is asked for, and all values by number.
pub(super) struct Query<'q> {
    pub(crate) value: u64,
    /// Most bits that a match may differ in.
    pub(crate) budget: u32,
    pub(crate) values: &'q [u64],
    pub(crate) counted: Counted<'q>,
}

/// What is in a bucket, in order of number, and what its rests must be near.
#[derive(Clone, Copy, Default)]
pub(super) struct Run<'t> {
    pub(crate) lines: &'t [[u32; TOGETHER]],
    /// Rests of others that stand before.
    pub(crate) skip: usize,
    pub(crate) numbers: &'t [u32],
    pub(crate) rest: u32,
    pub(crate) left: u32,
}

impl Run<'_> {
    /// Where a rest is near, from there on; maybe behind the last number.
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

    /// The better of `best` and the first match, where the first near rest is known.
    #[inline(always)]
    pub(crate) fn best(&self, mut at: usize, query: &Query<'_>, best: (u32, u32)) -> (u32, u32) {
        let Query { value, budget, values, counted } = query;
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
