//! Fingerprints: the 128-bit digest that the exact stage compares, and what the near stage compares: the 64-bit SimHash, or the
//! [MinHash signature](minhash).

pub mod minhash;

use twox_hash::XxHash3_128;

use crate::config::{Config, ExactMode, ExactOn, NearMode};
use crate::record::Record;
use crate::text::{Analyser, Clean};
use minhash::{Orders, Signature};

/// What the stages need to know of a message. Computed without any state, on any thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Digest of the text as the exact stage sees it; `None` if there is nothing to compare (an empty canonical form).
    pub digest: Option<Digest>,
    /// SimHash of the body, for [`NearMode::SimHash`]; `None` if the body is empty, so that two messages of nothing but
    /// wrapping are not alike.
    pub simhash: Option<u64>,
    /// MinHash signature of the body, for [`NearMode::MinHash`]; `None` if the body is empty.
    pub signature: Option<Signature>,
}

/// 128-bit keyed XXH3 of a text. Among 10^9 different texts two are expected to share one with probability 10^-21.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub u128);

impl Digest {
    /// The digest of `bytes` under `seed`.
    pub fn of(bytes: &[u8], seed: u64) -> Self {
        Self(XxHash3_128::oneshot_with_seed(seed, bytes))
    }
}

/// What the engine of the near stage compares.
enum NearPrinter {
    SimHash,
    MinHash(Orders),
    None,
}

/// Prints messages: [`Analyser`], then the hashes.
pub struct Printer {
    analyser: Analyser,
    near: NearPrinter,
    exact: Option<ExactOn>,
    seed: u64,
}

impl Printer {
    /// A printer for these settings. Loads jieba's dictionary if word shingles are asked for.
    pub fn new(config: &Config) -> Self {
        Self {
            analyser: Analyser::new(config),
            near: match config.near {
                NearMode::SimHash => NearPrinter::SimHash,
                NearMode::MinHash => NearPrinter::MinHash(Orders::new(config.permutations)),
                NearMode::None => NearPrinter::None,
            },
            exact: (config.exact != ExactMode::None).then_some(config.exact_on),
            seed: config.seed,
        }
    }

    /// The fingerprints of a record's text; `clean` holds its forms afterwards.
    pub fn print(&self, record: &Record<'_>, clean: &mut Clean) -> Printed {
        self.print_text(&record.text, clean)
    }

    /// The fingerprints of `text`; `clean` holds its forms afterwards.
    pub fn print_text(&self, text: &str, clean: &mut Clean) -> Printed {
        self.analyser.analyse(text, clean);
        let digest = match self.exact {
            // Nothing visible is no message: blank lines are not repeats of each other.
            _ if clean.canonical.is_empty() => None,
            None => None,
            Some(ExactOn::Canonical) => Some(Digest::of(clean.canonical.as_bytes(), self.seed)),
            Some(ExactOn::Raw) => Some(Digest::of(text.as_bytes(), self.seed)),
        };
        let (simhash, signature) = match &self.near {
            NearPrinter::SimHash => (simhash(&clean.features), None),
            NearPrinter::MinHash(orders) => (None, orders.sign(&clean.features)),
            NearPrinter::None => (None, None),
        };
        Printed { digest, simhash, signature }
    }
}

/// 64-bit SimHash of hashed features, each of weight 1 (Gao & Li 2014): bit i is 1 if and only if more features have bit i
/// than have it not. `None` for no features.
///
/// Counts 64 bits at once: plane p holds bit p of each of 64 counters, and a feature is added to all of them by one
/// ripple of carries, two planes long on average (154 ns for 38 features; bench `pipeline`).
///
/// ```
/// use quchong::fingerprint::simhash;
/// assert_eq!(simhash(&[0b0011, 0b0101, 0b1001]), Some(0b0001));
/// assert_eq!(simhash(&[0b01, 0b10]), Some(0)); // a tie is no majority
/// assert_eq!(simhash(&[]), None);
/// ```
pub fn simhash(features: &[u64]) -> Option<u64> {
    if features.is_empty() {
        return None;
    }
    let mut planes = [0u64; usize::BITS as usize];
    let mut used = 0;
    for feature in features {
        let mut carry = *feature;
        let mut plane = 0;
        while carry != 0 {
            let both = planes[plane] & carry;
            planes[plane] ^= carry;
            carry = both;
            plane += 1;
        }
        used = used.max(plane);
    }
    // Which of the 64 counters exceed half the features: compared from the highest plane down.
    let half = features.len() / 2;
    used = used.max((usize::BITS - half.leading_zeros()) as usize);
    let (mut above, mut equal) = (0u64, u64::MAX);
    for (plane, bits) in planes[..used].iter().enumerate().rev() {
        let half_bit = if half >> plane & 1 == 1 { u64::MAX } else { 0 };
        above |= equal & bits & !half_bit;
        equal &= !(bits ^ half_bit);
    }
    Some(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The paper's words, bit by bit.
    fn slow_simhash(features: &[u64]) -> Option<u64> {
        let mut v = [0i64; 64];
        for feature in features {
            for (i, v) in v.iter_mut().enumerate() {
                *v += if feature >> i & 1 == 1 { 1 } else { -1 };
            }
        }
        (!features.is_empty()).then(|| (0..64).filter(|&i| v[i] > 0).fold(0, |bits, i| bits | 1 << i))
    }

    proptest! {
        #[test]
        fn the_sliced_counters_count(features in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4, Just(u64::MAX)], 0..300)) {
            prop_assert_eq!(simhash(&features), slow_simhash(&features));
        }
    }
}
