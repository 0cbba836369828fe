//! Chooses the tables that bring near fingerprints together.
//!
//! The bits are divided into k + r blocks. Two fingerprints that differ in at most k bits differ in at most k blocks, so at least r
//! blocks are equal. With a table for each choice of r blocks, they meet in a bucket of at least one table (Manku, Jain & Das
//! Sarma, *Detecting near-duplicates for web crawling*, 2007). More blocks make smaller buckets, but more tables. For k = 4, with
//! the average number of bits in a key, rounded down:
//!
//! | fingerprints | blocks, equal | tables | bits |
//! |---|---|---|---|
//! | 10^3 | | 1 | 0 |
//! | 10^4 to 10^6 | 5, 1 | 5 | 12 |
//! | 10^7 to 10^9 | 6, 2 | 15 | 21 |
//! | 10^10 | 7, 3 | 35 | 27 |
//! | 10^12 | 8, 4 | 70 | 32 |

/// The cost of a row, in comparisons of two fingerprints: of one that is shuffled, and of one that is sorted in memory.
const SHUFFLED: u64 = 1000;
const SORTED: u64 = 60;
/// Most tables. Each table is a copy of all rows.
const MOST: u64 = 500;

/// Tables that are complete for a distance. Each table has a mask of some bits of a fingerprint, which are equal within a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tables {
    masks: Vec<u64>,
}

impl Tables {
    /// Chooses the cheapest tables for about `expected` fingerprints, of which those within `max_distance` bits (0..=64) of each
    /// other must meet.
    pub(crate) fn choose(max_distance: u32, expected: u64) -> Self {
        Self::cheapest(u64::MAX, max_distance, expected, SHUFFLED)
    }

    /// The same over the given bits, for `expected` fingerprints in memory.
    pub(super) fn within(bits: u64, max_distance: u32, expected: u64) -> Self {
        Self::cheapest(bits, max_distance, expected, SORTED)
    }

    fn cheapest(bits: u64, max_distance: u32, expected: u64, row: u64) -> Self {
        // A single bucket costs nothing but the comparisons.
        let mut best = (expected, Self { masks: vec![0] });
        for equal in 1..=bits.count_ones().saturating_sub(max_distance) {
            let blocks = max_distance + equal;
            let tables = choose(blocks, equal);
            if tables > MOST {
                break;
            }
            // The bucket size of random fingerprints. Real ones have larger buckets, so each row is compared with a whole bucket,
            // not half.
            let width = bits.count_ones() * equal / blocks;
            let cost = tables * (row + expected.checked_shr(width).unwrap_or(0));
            if cost < best.0 {
                best = (cost, Self { masks: masks(bits, blocks, equal) });
            }
        }
        best.1
    }

    /// The mask of each table: the bits that are equal within a bucket.
    pub(crate) fn masks(&self) -> &[u64] {
        &self.masks
    }

    /// The first table in which two fingerprints share a bucket. If there is none, they are further apart than the distance.
    pub(crate) fn first(&self, a: u64, b: u64) -> Option<usize> {
        self.masks.iter().position(|mask| (a ^ b) & mask == 0)
    }
}

/// The number of subsets of `k` out of `n`, capped at 2^32.
fn choose(n: u32, k: u32) -> u64 {
    (0..k.min(n - k)).fold(1, |c, i| (c * u64::from(n - i) / u64::from(i + 1)).min(1 << 32))
}

/// The unions of `equal` out of `blocks` blocks of `bits`, in the order of their blocks.
fn masks(bits: u64, blocks: u32, equal: u32) -> Vec<u64> {
    let width = bits.count_ones();
    let mut cut = vec![0u64; blocks as usize];
    for (bit, number) in (0..64).filter(|bit| bits >> bit & 1 == 1).zip(0..) {
        cut[(number * blocks / width) as usize] |= 1 << bit;
    }
    let mut unions = vec![(0, 0)];
    for _ in 0..equal {
        let longer = |(mask, next): (u64, usize)| (next..cut.len()).map(move |at| (at, mask)).collect::<Vec<_>>();
        unions = unions.into_iter().flat_map(longer).map(|(at, mask)| (mask | cut[at], at + 1)).collect();
    }
    unions.into_iter().map(|(mask, _)| mask).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_documented_tables_are_the_tables() {
        let tables = |expected| {
            let masks = Tables::choose(4, expected).masks;
            (masks.len(), masks.iter().map(|mask| mask.count_ones()).min().unwrap())
        };
        let documented =
            [(3..=3, (1, 0)), (4..=6, (5, 12)), (7..=9, (15, 20)), (10..=10, (35, 27)), (12..=12, (70, 32))];
        for (exponents, expected) in documented {
            for exponent in exponents {
                assert_eq!(tables(10u64.pow(exponent)), expected, "10^{exponent}");
            }
        }
        assert_eq!(Tables::choose(0, 10_000).masks.len(), 1);
        assert_eq!(masks(0b1111, 4, 2), [0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        #[test]
        fn what_is_near_meets(
            bits in prop_oneof![Just(u64::MAX), any::<u64>()],
            max_distance in 0u32..=12,
            expected in 1u64..1_000_000_000_000,
            a: u64,
            flips in prop::collection::vec(0u32..64, 0..=12),
        ) {
            let tables = Tables::within(bits, max_distance, expected);
            prop_assert!(tables.masks.iter().all(|mask| mask & !bits == 0));
            let b = flips.iter().take(max_distance as usize).fold(a, |b, bit| b ^ (1 << bit & bits));
            prop_assert!(tables.first(a, b).is_some());
        }
    }
}
