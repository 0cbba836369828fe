//! A small picture of a kept body's bigrams, to rule out most pairs without fetching its tokens: of five candidates that would be
//! compared one is left, which takes an eighth off the time of `quchong dedup` on posts.

use super::cover::bigram;
use crate::text::tokens::Token;

/// Bits for each bigram. With 4, half as many candidates more are left; with 16, a quarter fewer, and nothing is faster.
const BITS: usize = 8;

/// A Bloom filter of one hash function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    /// A power of two of them.
    words: Box<[u64]>,
}

/// Writes the hashes of a body's bigrams, in its order.
pub fn hashes(body: &[Token], out: &mut Vec<u32>) {
    let mixed = |bigram: u64| (bigram ^ bigram >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    out.clear();
    out.extend(body.windows(2).map(|two| (mixed(bigram(two[0], two[1])) >> 32) as u32));
}

impl Marks {
    /// Bytes of the marks.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// The marks of a body with these [hashes].
    pub fn of(hashes: &[u32]) -> Self {
        let bits = (hashes.len() * BITS).next_power_of_two().max(64);
        let mut marks = Self { words: vec![0; bits / 64].into() };
        for hash in hashes {
            let (word, bit) = marks.place(*hash);
            marks.words[word] |= bit;
        }
        marks
    }

    fn place(&self, hash: u32) -> (usize, u64) {
        let place = hash as usize & (self.words.len() * 64 - 1);
        (place / 64, 1 << (place % 64))
    }

    /// Whether the body may cover at least so many tokens of one with these [hashes]: sometimes true where it does not, never
    /// false where it does.
    pub fn may_cover(&self, least: usize, hashes: &[u32]) -> bool {
        let Some(most_bare) = (hashes.len() + 1).checked_sub(least) else { return false };
        let (mut bare, mut last) = (0, false);
        for hash in hashes {
            let (word, bit) = self.place(*hash);
            let shared = self.words[word] & bit != 0;
            bare += usize::from(!(shared | last));
            if bare > most_bare {
                return false;
            }
            last = shared;
        }
        bare + usize::from(!last) <= most_bare
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::cover::Coverage;
    use proptest::prelude::*;

    fn hashed(body: &[Token]) -> Vec<u32> {
        let mut out = Vec::new();
        hashes(body, &mut out);
        out
    }

    proptest! {
        #[test]
        fn what_is_covered_may_be(
            a in prop::collection::vec(0_u32..9, 2..80),
            b in prop::collection::vec(0_u32..9, 2..80),
        ) {
            let mut coverage = Coverage::default();
            coverage.read(&b);
            let (_, own) = coverage.cover(&a);
            prop_assert!(Marks::of(&hashed(&a)).may_cover(own, &hashed(&b)));
            prop_assert!(!Marks::of(&hashed(&a)).may_cover(b.len() + 1, &hashed(&b)));
        }
    }

    #[test]
    fn most_others_are_ruled_out() {
        let body = |seed: u32, len: u32| (0..len).map(|at| seed * 1000 + at).collect::<Vec<_>>();
        for len in [20, 60, 300] {
            let kept = Marks::of(&hashed(&body(0, len)));
            let may = (1..200).filter(|seed| kept.may_cover(40, &hashed(&body(*seed, 100)))).count();
            assert!(may < 10, "{len}: {may}");
        }
    }
}
