//! A small picture of a body's bigrams, to rule out most pairs without looking at their tokens.

use super::verify::least_covered;
use crate::text::tokens::Token;

/// 512 bits, one of them set for each bigram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks([u64; 8]);

impl Marks {
    /// The marks of a body.
    pub fn of(body: &[Token]) -> Self {
        let mut marks = [0; 8];
        for two in body.windows(2) {
            let bigram = u64::from(two[0]) << 32 | u64::from(two[1]);
            let place = (bigram ^ bigram >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55;
            marks[place as usize / 64] |= 1 << (place % 64);
        }
        Self(marks)
    }

    /// Whether a body with these marks may repeat one of `la` tokens with those of `kept`, being of `lb` tokens itself, under
    /// this similarity in thousandths.
    ///
    /// c covered tokens take ⌈c/2⌉ bigrams, since none covers more than two. Each of them is marked in both bodies; two share a
    /// mark at most as often as this body has more bigrams than marks.
    pub fn may_repeat(&self, kept: &Self, la: usize, lb: usize, similarity: u32) -> bool {
        let ones = |marks: [u64; 8]| marks.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let both = std::array::from_fn(|word| self.0[word] & kept.0[word]);
        let sharing = lb.saturating_sub(1) - ones(self.0);
        2 * (ones(both) + sharing) >= least_covered(similarity, la, lb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::cover::Coverage;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_pair_that_is_covered_enough_is_ruled_out(
            a in prop::collection::vec(0_u32..9, 2..80),
            b in prop::collection::vec(0_u32..9, 2..80),
            similarity in 1_u32..=1000,
        ) {
            let mut coverage = Coverage::default();
            coverage.read(&b);
            let (_, own) = coverage.cover(&a);
            if own >= least_covered(similarity, a.len(), b.len()) {
                prop_assert!(Marks::of(&b).may_repeat(&Marks::of(&a), a.len(), b.len(), similarity));
            }
        }
    }

    #[test]
    fn most_others_are() {
        let body = |seed: u32| (0..60).map(|at| seed * 1000 + at).collect::<Vec<_>>();
        let kept = Marks::of(&body(0));
        let may = (1..200).filter(|seed| Marks::of(&body(*seed)).may_repeat(&kept, 60, 60, 620)).count();
        assert!(may < 10, "{may}");
    }
}
