//! MinHash signatures (Broder 1997). A signature has P slots. Each slot stands for a random order of all features and holds
//! the first feature of the text in that order. Two texts agree in a slot with a probability equal to their Jaccard
//! similarity J = |A ∩ B| / |A ∪ B|. So the share of equal slots estimates it, with a standard deviation of √(J (1 − J) / P).
//!
//! # Which orders
//! The orders are multiply-shift, x ↦ a·x + b mod 2^32 with a odd, of features that are well mixed already. They estimate as
//! well as one 64-bit hash for each order. One-permutation hashing with optimal densification (Shrivastava 2017) looks at
//! each feature once instead of P times, yet it is slower on short texts: they leave most slots empty, and each empty slot
//! must be filled from others. See `benches/RESULTS.md`, *Orders of MinHash*.

use crate::hash::mix::{GOLDEN, finish};

/// The slots of one text. Short-lived: the near stage copies the slots of kept messages to rows of its own.
pub type Signature = Box<[u32]>;

/// Slots that are filled together, in registers.
const LANES: usize = 32;

/// P fixed orders of all features. They are the same on every machine, and those of a smaller P are the first ones of a
/// larger P.
pub struct Orders {
    /// The constants a and b of each order.
    terms: Vec<([u32; LANES], [u32; LANES])>,
    count: usize,
}

impl Orders {
    /// `count` orders, at least 1.
    pub fn new(count: usize) -> Self {
        let term = |order: usize| mix(order as u64 + 1);
        let block = |first: usize| {
            let factors = std::array::from_fn(|lane| term(first + lane) as u32 | 1);
            let offsets = std::array::from_fn(|lane| (term(first + lane) >> 32) as u32);
            (factors, offsets)
        };
        Self { terms: (0..count).step_by(LANES).map(block).collect(), count }
    }

    /// The signature of hashed features; `None` without features. The order and the repetitions of features do not count.
    ///
    /// ```
    /// use quchong::fingerprint::minhash::{Orders, similarity};
    /// let orders = Orders::new(128);
    /// let hashed = |i: u64| (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    /// let a: Vec<u64> = (0..60).map(hashed).collect();
    /// let b: Vec<u64> = (20..80).map(hashed).collect();
    /// let (a, b) = (orders.sign(&a).unwrap(), orders.sign(&b).unwrap());
    /// assert!((400..600).contains(&similarity(&a, &b))); // 40 of 80 features: 500
    /// assert!(orders.sign(&[]).is_none());
    /// ```
    pub fn sign(&self, features: &[u64]) -> Option<Signature> {
        if features.is_empty() {
            return None;
        }
        let mut slots = Vec::with_capacity(self.terms.len() * LANES);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[target_feature(enable = "avx2")]
            fn fill(orders: &Orders, features: &[u64], slots: &mut Vec<u32>) {
                orders.fill(features, slots);
            }
            // SAFETY: the processor has the feature that the function is compiled for.
            unsafe { fill(self, features, &mut slots) };
        } else {
            self.fill(features, &mut slots);
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.fill(features, &mut slots);
        slots.truncate(self.count);
        Some(slots.into_boxed_slice())
    }

    #[inline(always)]
    fn fill(&self, features: &[u64], slots: &mut Vec<u32>) {
        for (factors, offsets) in &self.terms {
            let mut least = [u32::MAX; LANES];
            for feature in features {
                let high = (feature >> 32) as u32;
                for lane in 0..LANES {
                    least[lane] = least[lane].min(high.wrapping_mul(factors[lane]).wrapping_add(offsets[lane]));
                }
            }
            slots.extend_from_slice(&least);
        }
    }
}

/// Estimated Jaccard similarity of two texts, from signatures of the same length: the share of equal slots in thousandths,
/// 0..=1000, rounded down.
///
/// ```
/// use quchong::fingerprint::minhash::similarity;
/// assert_eq!(similarity(&[1, 2, 3, 4], &[1, 2, 3, 9]), 750);
/// ```
pub fn similarity(a: &[u32], b: &[u32]) -> u32 {
    let equal = a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum::<u32>();
    equal * 1000 / (a.len() as u32).max(1)
}

/// The i-th number of SplitMix64.
fn mix(i: u64) -> u64 {
    finish(i.wrapping_mul(GOLDEN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, order by order.
    fn slow(features: &[u64], count: usize) -> Vec<u32> {
        let order = |i: usize| (mix(i as u64 + 1) as u32 | 1, (mix(i as u64 + 1) >> 32) as u32);
        let first =
            |(a, b): (u32, u32)| features.iter().map(move |x| a.wrapping_mul((x >> 32) as u32).wrapping_add(b)).min();
        (0..count).filter_map(|i| first(order(i))).collect()
    }

    proptest! {
        #[test]
        fn blocks_and_vectors_change_nothing(features in prop::collection::vec(any::<u64>(), 1..80), count in 1usize..200) {
            let signature = Orders::new(count).sign(&features).unwrap();
            prop_assert_eq!(signature.as_ref(), slow(&features, count));
        }
    }

    /// Mean and spread of the estimate over 300 pairs of 60 features each, of which 40 are shared: J = 0.5.
    #[test]
    fn the_estimate_is_unbiased_and_spreads_as_broder_says() {
        let orders = Orders::new(128);
        let sign = |from: u64, to: u64| orders.sign(&(from..to).map(mix).collect::<Vec<_>>()).unwrap();
        let estimates: Vec<f64> = (1..=300u64)
            .map(|pair| {
                f64::from(similarity(&sign(pair * 1000, pair * 1000 + 60), &sign(pair * 1000 + 20, pair * 1000 + 80)))
            })
            .collect();
        let mean = estimates.iter().sum::<f64>() / 300.0;
        let deviation = (estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 300.0).sqrt();
        // The mean's own standard deviation is 44 / √300 = 2.6.
        assert!((mean - 500.0).abs() < 8.0, "{mean}");
        assert!((35.0..55.0).contains(&deviation), "{deviation}");
    }
}
