//! The exact stage of Gao & Li 2014 to the letter, for the reproduction: their Bloom filter, with their two hash functions
//! and their rule, for `quchong tune` and `--exact paper-bloom`; and [their trie](trie).
//!
//! The paper calls a text a repeat if *any* of its marks is set, and sets the marks only if none is set ([`BloomRule::Any`]). The crate
//! behind [`bloom`](super::bloom) has neither that rule nor other hash functions, so this is a small filter of our own. With t = kn/m, the
//! share of clear bits u falls as du/dt = −u under the standard rule, and as −u^k under the paper's. So the paper's filter loses texts long
//! before the standard filter does, and cannot reach a low error: see `tune/predict.rs`.

pub(crate) mod literal;
pub mod trie;

pub use crate::config::BloomRule;
use crate::error::{Error, Result};
use crate::fingerprint::Digest;
use crate::fingerprint::textbook::{ap, bkdr};
use crate::hash::memory::zeros;
use crate::locale::tr;

/// Where the marks of a text come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum BloomHash {
    /// The 128-bit XXH3 digest of the text.
    #[serde(rename = "xxh3")]
    Xxh3,
    /// BKDR and AP of the text's bytes (Gao & Li 2014). They give only two marks of 32 bits, so that a filter of more than 2^32 bits has
    /// the error of one of 2^32 (see `effective_bits`).
    #[serde(rename = "bkdr-ap")]
    BkdrAp,
}

impl BloomHash {
    /// The name in `quchong tune bloom --hash`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Xxh3 => "xxh3",
            Self::BkdrAp => "bkdr-ap",
        }
    }
}

/// The two 64-bit numbers by which a filter knows a text. Mark i is a + i·b modulo the bits. Under [`BloomHash::BkdrAp`] the two marks are
/// a and b themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    a: u64,
    b: u64,
}

impl Marks {
    /// The marks of a text, given its bytes and their digest.
    pub(crate) fn of(hash: BloomHash, bytes: &[u8], digest: Digest) -> Self {
        match hash {
            // Even steps would reach only half of the bits of a filter with an even size.
            BloomHash::Xxh3 => Self { a: digest.0 as u64, b: (digest.0 >> 64) as u64 | 1 },
            BloomHash::BkdrAp => Self { a: bkdr(bytes).into(), b: ap(bytes).into() },
        }
    }
}

/// Returns the error for a filter that is too large for this machine.
pub(crate) fn no_memory(bits: u64) -> Error {
    let reason = tr!("this machine has no memory for a filter of {bits} bits ({} bytes)", bits.div_ceil(8), bits);
    Error::config("--bits", tr!("{reason}; try fewer bits, a smaller --capacity or a larger --target-error", reason))
}

/// A Bloom filter with either rule and either hash.
pub(crate) struct PaperFilter {
    words: Vec<u64>,
    bits: u64,
    /// Bits that are set.
    set: u64,
    hashes: u32,
    rule: BloomRule,
    hash: BloomHash,
}

impl PaperFilter {
    /// Makes an empty filter of `bits` (8..=2^40) and `hashes` (1..=64; 2 under [`BloomHash::BkdrAp`]).
    ///
    /// # Errors
    /// [`Error::Config`] for a size out of range, or for which there is no memory.
    pub(crate) fn new(bits: u64, hashes: u32, rule: BloomRule, hash: BloomHash) -> Result<Self> {
        if !(8..=1 << 40).contains(&bits) {
            return Err(Error::config("--bits", tr!("{bits} is out of range; use 8 to 1099511627776", bits)));
        }
        if !(1..=64).contains(&hashes) || (hash == BloomHash::BkdrAp && hashes != 2) {
            let reason = tr!("{hashes} is out of range; use 1 to 64, and 2 with --hash bkdr-ap", hashes);
            return Err(Error::config("--hashes", reason));
        }
        let length = usize::try_from(bits.div_ceil(64)).map_err(|_| no_memory(bits))?;
        let words = zeros(length).ok_or_else(|| no_memory(bits))?;
        Ok(Self { words, bits, set: 0, hashes, rule, hash })
    }

    fn places(&self, marks: Marks) -> impl Iterator<Item = (usize, u64)> + use<> {
        let (bits, hash) = (self.bits, self.hash);
        (0..u64::from(self.hashes)).map(move |i| {
            let mark = match hash {
                BloomHash::BkdrAp if i == 0 => marks.a,
                BloomHash::BkdrAp => marks.b,
                BloomHash::Xxh3 => marks.a.wrapping_add(i.wrapping_mul(marks.b)),
            };
            ((mark % bits / 64) as usize, 1 << (mark % bits % 64))
        })
    }

    /// Whether the filter takes the text for a repeat.
    pub(crate) fn holds(&self, marks: Marks) -> bool {
        let mut places = self.places(marks);
        match self.rule {
            BloomRule::All => places.all(|(word, bit)| self.words[word] & bit != 0),
            BloomRule::Any => places.any(|(word, bit)| self.words[word] & bit != 0),
        }
    }

    /// Adds a text by the rule. Returns true if the filter takes it for a repeat.
    pub(crate) fn insert(&mut self, marks: Marks) -> bool {
        let held = self.holds(marks);
        if !held {
            for (word, bit) in self.places(marks) {
                self.set += u64::from(self.words[word] & bit == 0);
                self.words[word] |= bit;
            }
        }
        held
    }

    /// Share of bits that are set, 0..=1.
    pub(crate) fn fill(&self) -> f64 {
        self.set as f64 / self.bits as f64
    }

    /// Heap bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_is_stricter_than_all_and_sets_less() {
        let fill = |rule| {
            let mut filter = PaperFilter::new(4096, 2, rule, BloomHash::BkdrAp).unwrap();
            let mut lost = 0;
            for i in 0..1000 {
                let text = format!("第{i}条");
                let marks = Marks::of(BloomHash::BkdrAp, text.as_bytes(), Digest(0));
                lost += i32::from(filter.insert(marks));
                assert!(filter.holds(marks));
            }
            (lost, filter.fill())
        };
        let (all, any) = (fill(BloomRule::All), fill(BloomRule::Any));
        assert!(any.0 > 2 * all.0 && any.1 < all.1, "{all:?} {any:?}");
    }

    #[test]
    fn sizes_that_cannot_work() {
        assert!(PaperFilter::new(7, 2, BloomRule::All, BloomHash::Xxh3).is_err());
        assert!(PaperFilter::new(64, 3, BloomRule::All, BloomHash::BkdrAp).is_err());
    }
}
