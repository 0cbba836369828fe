//! How to index fingerprints that crowd into a few buckets.
//!
//! If thousands of fingerprints have the same 16 bits, a band of those bits puts them all into one bucket. So the bands are laid over the
//! bits that differ most in a sample. Of several plans, the cheapest is chosen, judged by how often two fingerprints of the sample meet.

use super::band_plan::BandPlan;

/// Fingerprints in a sample.
const SAMPLE: usize = 256;
/// Nanoseconds of a lookup, of a bucket that is not empty, and of a scanned value, measured while they are in no near cache. A `BYTE` for
/// each value costs half its price in the plan's model, because only the query is counted here, and not the insertion.
const PROBE_NS: f64 = 14.0;
const RUN_NS: f64 = 10.0;
const SCAN_NS: f64 = 0.3;
const BYTE: f64 = 1.0;

/// An order of the 64 bits. It has a table for each byte of a value.
pub(crate) struct BitOrder(Box<[[u64; 256]; 8]>);

impl BitOrder {
    /// Bit `i` of the result is bit `bits[i]` of the value.
    fn new(bits: &[u32]) -> Self {
        let mut tables = Box::new([[0; 256]; 8]);
        for (to, from) in bits.iter().enumerate() {
            let (byte, bit) = (*from as usize / 8, from % 8);
            for (value, entry) in tables[byte].iter_mut().enumerate() {
                *entry |= (value as u64 >> bit & 1) << to;
            }
        }
        Self(tables)
    }

    /// Returns the value in this order. Hamming distances stay the same.
    #[inline(always)]
    pub(crate) fn of(&self, value: u64) -> u64 {
        let bytes = value.to_le_bytes();
        self.0.iter().zip(bytes).fold(0, |all, (table, byte)| all | table[byte as usize])
    }

    /// Bytes that an order takes.
    pub(crate) const BYTES: usize = 8 * 256 * 8;
}

/// Chooses the order and the plan for about `expected` fingerprints like `values`.
pub(crate) fn learn(values: &[u64], max_distance: u32, expected: u64) -> (BitOrder, BandPlan) {
    let step = values.len().div_ceil(SAMPLE).max(1);
    let mut sample: Vec<u64> = values.iter().step_by(step).copied().collect();
    let alike = |bit: &u32| {
        let ones = sample.iter().filter(|value| **value >> bit & 1 == 1).count();
        ones.abs_diff(sample.len() - ones)
    };
    let mut bits: Vec<u32> = (0..64).collect();
    bits.sort_by_cached_key(alike);
    let order = BitOrder::new(&bits);
    for value in &mut sample {
        *value = order.of(*value);
    }
    let mut best = (f64::INFINITY, BandPlan::choose(64, max_distance, expected));
    for bits in (16..=64).step_by(4) {
        for wider in [1, 8, 64] {
            let plan = BandPlan::choose(bits, max_distance, expected.saturating_mul(wider));
            let cost = cost(&plan, &sample, expected);
            if cost < best.0 {
                best = (cost, plan);
            }
        }
    }
    (order, best.1)
}

/// Nanoseconds of a query, judged by how often two fingerprints of the sample meet in a band, plus the price of the memory.
fn cost(plan: &BandPlan, sample: &[u64], expected: u64) -> f64 {
    let n = expected.max(1) as f64;
    let pairs = (sample.len() * sample.len().saturating_sub(1) / 2).max(1) as f64;
    let each = plan.bands.iter().map(|band| {
        let met = sample.iter().enumerate().map(|(i, a)| {
            sample[..i].iter().filter(|b| (band.of(*a) ^ band.of(**b)).count_ones() <= band.flips).count()
        });
        let (met, headers) = (met.sum::<usize>() as f64, (1u64 << band.width) as f64);
        let scanned = n * met / pairs;
        band.probes() * PROBE_NS
            + scanned.min(band.probes()) * RUN_NS
            + scanned * SCAN_NS
            + BYTE * (18.0 + 8.0 * headers / n)
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::GOLDEN;

    #[test]
    fn an_order_keeps_distances() {
        let mut bits: Vec<u32> = (0..64).collect();
        bits.reverse();
        bits.swap(3, 40);
        let order = BitOrder::new(&bits);
        let (a, b) = (0x0123_4567_89AB_CDEF, 0x9E37_79B9_7F4A_7C15);
        assert_eq!((order.of(a) ^ order.of(b)).count_ones(), (a ^ b).count_ones());
        assert_eq!((order.of(1), order.of(1 << 63), order.of(u64::MAX)), (1 << 63, 1, u64::MAX));
    }

    #[test]
    fn bands_lie_over_bits_that_differ() {
        let mixed = |i: u64| i.wrapping_mul(GOLDEN) ^ i.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32;
        let values: Vec<u64> = (1..3000).map(|i| mixed(i) & 0x5555_5555_5555_5555).collect();
        let (order, plan) = learn(&values, 4, 100_000);
        let used: u32 = plan.bands.iter().map(|band| band.width).sum();
        assert!(used <= 36, "{plan}");
        assert!(values.iter().all(|value| order.of(*value) >> 32 == 0));
    }
}
