//! Hash tables with open addressing, whose places nobody outside can predict.

use std::hash::{BuildHasher, RandomState};

/// Spreads numbers over a table by multiplication with a random odd factor (Dietzfelbinger et al., *A reliable randomized
/// algorithm for the closest-pair problem*, 1997). Two numbers collide with probability at most 2 / places, even if an
/// attacker chose them, as long as the attacker does not know the factor. The factor is drawn anew for each value of this
/// type. It affects only speed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MultiplyShift(u64);

impl Default for MultiplyShift {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0) | 1)
    }
}

impl MultiplyShift {
    /// Multiplies by the factor; the upper bits of the product are well mixed.
    #[inline(always)]
    pub(crate) fn product(self, number: u64) -> u64 {
        number.wrapping_mul(self.0)
    }

    /// The place of a number in a table of `places`, a power of two.
    #[inline(always)]
    pub(crate) fn place(self, number: u64, places: usize) -> usize {
        // In two steps, because for a table of one place the shift would be by all 64 bits.
        (self.product(number) >> 1 >> (63 - places.trailing_zeros())) as usize
    }
}

/// Finds a key in a table by linear probing from the place `first`. Each place holds `1 + number`, or 0 if it is empty.
/// `is_other` returns whether a number belongs to another key. Returns the place of the key, or the empty place where it
/// would go. The size of the table must be a power of two, and some of it must be empty.
#[inline(always)]
pub(crate) fn probe<T: Copy + Into<u64>>(table: &[T], first: usize, is_other: impl Fn(usize) -> bool) -> usize {
    let mut place = first;
    while table[place].into().checked_sub(1).is_some_and(|number| is_other(number as usize)) {
        place = (place + 1) & (table.len() - 1);
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_can_choose_numbers_that_meet() {
        // These numbers all collide in a table that uses the lowest bits, or in one whose factor is known.
        let known = 0x9E37_79B9_7F4A_7C15_u64;
        let inverse = (0..6).fold(known, |x, _| x.wrapping_mul(2_u64.wrapping_sub(known.wrapping_mul(x))));
        for number in [|i: u64, _| i << 12, |i: u64, inverse: u64| i.wrapping_mul(inverse)] {
            let factor = MultiplyShift::default();
            let mut met = [0_u32; 4096];
            (0..4096).for_each(|i| met[factor.place(number(i, inverse), 4096)] += 1);
            assert!(met.iter().all(|met| *met < 600), "{factor:?}");
        }
        assert_eq!(MultiplyShift::default().place(7, 1), 0);
    }
}
