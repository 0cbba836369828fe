//! The choices of a configuration: how repeats are found, and which parts of a text are compared.

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::Config;

/// How exact repeats are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExactMode {
    /// The Bloom filter first. If it answers "new", the message is new. If it answers "perhaps seen", the digest trie
    /// decides. No unique message is lost.
    Verified,
    /// The Bloom filter alone (Gao & Li 2014). Memory is bounded, and unique messages are lost at a stated rate.
    Bloom,
    /// The digest trie alone.
    Trie,
    /// The trie of Gao & Li 2014 alone, for the reproduction. Its hashes have 32 bits, so unique messages are lost, and twice
    /// as many with a signed hash. See [`exact::paper::trie`](crate::exact::paper::trie).
    PaperTrie,
    /// The Bloom filter of Gao & Li 2014 alone, for the reproduction: BKDR and AP hash and [their rule](Config::bloom_rule).
    /// As it fills, most unique messages are lost. See [`exact::paper`](crate::exact::paper).
    PaperBloom,
    /// No exact stage.
    None,
}

impl ExactMode {
    /// Whether a filter decides alone, without a trie. It then remembers no message and can name none.
    pub(crate) fn is_filter_alone(self) -> bool {
        matches!(self, Self::Bloom | Self::PaperBloom)
    }

    /// Whether this mode can drop new messages, depending on how full the filter or trie is.
    pub(crate) fn errs(self) -> bool {
        self.is_filter_alone() || self == Self::PaperTrie
    }
}

/// Which form of the text the exact stage compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExactOn {
    /// The canonical form: differences of width, case, blanks and script do not count.
    Canonical,
    /// The raw text, byte for byte.
    Raw,
}

/// Size of the Bloom filter, either computed from an error rate or given in bits.
///
/// ```
/// use quchong::config::{BloomSize, ExactMode};
/// use quchong::{Config, Deduplicator};
///
/// // A filter alone, for a million texts, that takes one new text in a thousand for a repeat.
/// let bloom = BloomSize::Error(Some(1e-3));
/// Deduplicator::new(Config { exact: ExactMode::Bloom, bloom, capacity: 1_000_000, ..Config::default() })?;
/// # Ok::<(), quchong::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BloomSize {
    /// The smallest filters whose false-positive rate is at most this value in (0, 1), over all rounds, at [`Config::capacity`]
    /// messages. They keep the bits of a text in two cache lines, and need slightly more bits than the standard filter for it.
    /// `None` means [`BLOOM_ERROR`], or [`VERIFIED_BLOOM_ERROR`] if a trie verifies the filter.
    Error(Option<f64>),
    /// The standard filter, with this number of bits (rounded up to whole bytes) and hash functions (1..=64) in each round.
    Bits {
        /// Bits of the filter, 8..=2^40.
        bits: u64,
        /// Hash functions; `None` is the best number for [`Config::capacity`].
        hashes: Option<u32>,
    },
}

/// False-positive rate of a filter that decides alone. At 10 million messages, ten are lost.
pub const BLOOM_ERROR: f64 = 1e-6;

/// False-positive rate of a filter that a trie verifies. A false positive then costs one look-up in the trie, so the filter
/// can be a third of the size and take a third of the time.
pub const VERIFIED_BLOOM_ERROR: f64 = 1e-2;

impl Default for BloomSize {
    fn default() -> Self {
        Self::Error(None)
    }
}

/// The units of the shingles that a fingerprint is made from, and the number of units in a shingle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shingle {
    /// This many consecutive words of jieba's segmentation (Gao & Li 2014). Loads jieba's dictionary.
    Words(usize),
    /// This many consecutive characters.
    Chars(usize),
}

/// The weight of a feature in a SimHash fingerprint. [`fingerprint`](crate::fingerprint) gives the reasons. MinHash uses sets,
/// without weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// The number of times the feature occurs (Gao & Li 2014).
    Count,
    /// One, however often the feature occurs. A shingle that a text repeats many times cannot outvote the rest.
    Once,
}

/// How near repeats are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NearMode {
    /// The repeat rule compares texts with the last [`Config::verify_window`] messages. For all older messages it is SimHash
    /// fingerprints together with facts.
    Hybrid,
    /// 64-bit SimHash fingerprints within [`Config::max_distance`], found through permuted-band tables.
    SimHash,
    /// MinHash signatures whose estimated Jaccard similarity is at least [`Config::similarity`], found by their bands.
    MinHash,
    /// No near stage.
    None,
}

/// The action when [`Config::max_memory`] is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFull {
    /// Forget the oldest kept messages, an eighth at a time.
    ExpireOldest,
    /// End the run with an error. All earlier verdicts are written.
    Stop,
}
