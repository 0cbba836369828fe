//! Measures the error rates of Bloom filters of many sizes on your own texts, and recommends a size.
//!
//! ```text
//! texts ─▶ [sweep] ─▶ BloomSweep ─▶ [write] ─▶ table, CSV, JSON, HTML
//!            ├─ [predict]: what theory says
//!            └─ [recommend]: the smallest filter that meets the target, filled and measured
//! ```
//! [`paper`] repeats the experiments of Gao & Li 2014 with the same parts.
//!
//! # What is measured
//! - *False drops*: distinct texts of the input that the filter took for repeats while it was filled. Theory: `predict::loss`.
//! - *False-positive rate*: the share of probes that the full filter takes for repeats. Probes are fresh [generated](crate::generate)
//!   posts that are not in the input. A feed seldom holds enough new texts to measure 10^-4, and marks depend on hashes, not on the
//!   meaning of the texts. Theory: `predict::rate`.
//! - *Time*: of the filter alone, without hashing, which takes the same time for each setting of one run. It differs between hashes:
//!   byte-wise BKDR and AP take longer than XXH3. So compare times within one run, or compare hashes with [`paper`].
//! - *The recommended filter at the capacity*: every row holds the input. The recommended filter is also filled up to the
//!   capacity, first with texts of the input and then with generated posts, and probed with others, up to a capacity of 10^7 texts.

mod charts;
pub mod paper;
pub(crate) mod predict;
mod race;
pub(crate) mod recommend;
pub mod sweep;
pub mod texts;
pub(crate) mod write;

use serde::Serialize;

use crate::config::ExactOn;
use crate::error::{Error, Result};
use crate::exact::paper::{BloomHash, BloomRule};
use crate::locale::Bilingual;
use crate::locale::tr;

/// The settings to try, and how to measure them.
#[derive(Debug, Clone)]
pub struct Grid {
    /// Sizes in bits, each 8..=2^40, rounded up to whole bytes.
    pub bits: Vec<u64>,
    /// Numbers of hash functions, each 1..=64; only 2 under [`BloomHash::BkdrAp`].
    pub hashes: Vec<u32>,
    /// When a filter calls a text a repeat: if all its marks are set, or if any is.
    pub rule: BloomRule,
    /// The hash that gives the marks. [`BloomRule::All`] with [`BloomHash::Xxh3`] is the product's own filter.
    pub hash: BloomHash,
    /// Distinct texts that the recommended filter must hold, 1..=2^32.
    pub capacity: u64,
    /// False-positive rate allowed at the capacity, in (0, 1).
    pub target: f64,
    /// Which form of a text is hashed.
    pub exact_on: ExactOn,
    /// Number of fresh texts that measure the error of each filter, 1..=10^8. `None`: `PROBES`; for the recommended filter, enough for
    /// about a thousand errors, up to 10^7.
    pub probes: Option<u64>,
    /// Seed of the probes.
    pub seed: u64,
    /// Threads that share the settings, at least 1. Apart from times, all results are the same for any number.
    pub threads: usize,
}

/// Number of fresh texts that probe each full filter, by default.
const PROBES: u64 = 100_000;

/// Most bytes of memory that the filters of one sweep may take, including the recommended one.
const MOST_BYTES: u64 = 16 << 30;

/// Most settings of one sweep. More would not fit a chart, and every text goes through all of them.
const MOST_SETTINGS: usize = 2000;

impl Grid {
    /// Number of fresh texts that probe each full filter.
    fn probes(&self) -> u64 {
        self.probes.unwrap_or(PROBES)
    }

    /// Checks that the options are in range and fit in memory.
    ///
    /// # Errors
    /// [`Error::Config`] naming the option whose value cannot work.
    pub(crate) fn validate(&self) -> Result<()> {
        let wrong = |option, reason: String| Err(Error::config(option, reason));
        if let Some(bits) = self.bits.iter().find(|bits| !(8..=1 << 40).contains(*bits)) {
            return wrong("--bits", tr!("{bits} is out of range; use 8 to 1099511627776", bits));
        }
        if let Some(hashes) = self.hashes.iter().find(|hashes| !(1..=64).contains(*hashes)) {
            return wrong("--hashes", tr!("{hashes} is out of range; use 1 to 64", hashes));
        }
        if self.hash == BloomHash::BkdrAp && self.hashes.iter().any(|hashes| *hashes != 2) {
            return wrong("--hashes", tr!("--hash bkdr-ap is two functions; use --hashes 2"));
        }
        if self.bits.is_empty() || self.hashes.is_empty() {
            return wrong(if self.bits.is_empty() { "--bits" } else { "--hashes" }, tr!("nothing to try"));
        }
        let settings = self.bits.len().saturating_mul(self.hashes.len());
        if settings > MOST_SETTINGS {
            return wrong(
                "--bits",
                tr!("{settings} settings with --hashes; try at most {MOST_SETTINGS}", settings, MOST_SETTINGS),
            );
        }
        let bits = self.bits.iter().sum::<u64>().saturating_mul(self.hashes.len() as u64);
        if bits / 8 > MOST_BYTES {
            return wrong("--bits", tr!("all filters together would take more than 16 GiB; try fewer or smaller ones"));
        }
        if !(1..=1 << 32).contains(&self.capacity) {
            return wrong("--capacity", tr!("{} is out of range; use 1 to 4294967296", self.capacity));
        }
        if !(self.target > 0.0 && self.target < 1.0) {
            return wrong("--target-error", tr!("{} is out of range; use a rate between 0 and 1", self.target));
        }
        if let Some(probes) = self.probes.filter(|probes| !(1..=100_000_000).contains(probes)) {
            return wrong("--probes", tr!("{} is out of range; use 1 to 100000000", probes));
        }
        let recommended = recommend::recommend(self).map_or(0, |best| best.bits);
        if recommended.saturating_add(bits) / 8 > MOST_BYTES {
            let reason = tr!(
                "the filter for {} texts would have {recommended} bits, and with all others take more than 16 GiB; try a larger \
                 --target-error or fewer",
                self.capacity,
                recommended
            );
            return wrong("--capacity", reason);
        }
        Ok(())
    }
}

/// A measured false-positive rate with its interval. Rates are shares of 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// Number of fresh texts that probed the filter.
    pub probes: u64,
    /// Number of them that the filter took for repeats.
    pub false_positives: u64,
    /// Their share of the probes.
    pub rate: f64,
    /// Lower end of the rate's 95 % Wilson interval.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
}

impl Measured {
    /// The rate of `false_positives` among `probes`.
    pub(crate) fn new(false_positives: u64, probes: u64) -> Self {
        let (low, high) = predict::wilson(false_positives, probes, predict::Z95);
        Self { probes, false_positives, rate: false_positives as f64 / probes.max(1) as f64, low, high }
    }
}

/// A filter of one setting, after all texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// Bits of the filter.
    pub bits: u64,
    /// Number of hash functions.
    pub hashes: u32,
    /// Bytes of the filter.
    pub bytes: u64,
    /// Number of distinct texts that the filter took for repeats.
    pub false_drops: u64,
    /// Share of these among all distinct texts.
    pub loss: f64,
    /// The loss that theory predicts.
    pub predicted_loss: f64,
    /// The full filter's error.
    pub measured: Measured,
    /// Error predicted from kn/m: (1 − e^(−kn/m))^k for the standard rule.
    pub predicted: f64,
    /// Error predicted from the fill: fill^k for the standard rule.
    pub predicted_by_fill: f64,
    /// Share of bits that are set.
    pub fill: f64,
    /// Nanoseconds per text, repeats included; the filter alone, without hashing.
    pub ns_per_text: f64,
    /// Whether this is the recommended setting.
    pub recommended: bool,
}

/// The smallest filter that meets the target at the capacity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommended {
    /// Its bits.
    pub bits: u64,
    /// Its number of hash functions.
    pub hashes: u32,
    /// Its bytes.
    pub bytes: u64,
    /// Predicted error when it holds [`Grid::capacity`] texts.
    pub predicted: f64,
    /// The error measured at that capacity; `None` above 10^7 texts.
    pub confirmed: Option<Confirmed>,
}

/// The recommended filter after it was filled to the capacity and probed with fresh posts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Confirmed {
    /// Number of the input's distinct texts in the filter: all of them, or the first ones if there are more than the capacity.
    pub of_input: u64,
    /// Number of generated posts in the filter.
    pub generated: u64,
    /// Share of bits that are set.
    pub fill: f64,
    /// Its measured error.
    pub measured: Measured,
}

/// The cost of an exact stage on the same texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// `bloom` (the recommended one), `trie` or `verified`: names of `quchong dedup --exact`.
    pub mode: &'static str,
    /// Bytes after all texts of the input. A filter has its full size from the start; a trie grows.
    pub bytes: u64,
    /// Bytes at [`Grid::capacity`] texts: the filter's size, and that of a trie with that many other texts (above 10^6, scaled up from
    /// there).
    pub bytes_at_capacity: u64,
    /// Nanoseconds per text of the input, for the stage alone, without hashing.
    pub ns_per_text: f64,
    /// Number of distinct texts taken for repeats.
    pub false_drops: u64,
    /// Number of repeats taken for new texts.
    pub missed: u64,
}

/// The results of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BloomSweep {
    /// The source of the texts: file names, or the generator's options.
    pub(crate) source: Bilingual,
    /// Number of texts.
    pub texts: u64,
    /// Number of distinct texts among them.
    pub distinct: u64,
    /// Number of records that could not be judged, and of texts with nothing to compare.
    pub skipped: u64,
    /// The records that could not be read.
    #[serde(skip)]
    pub(crate) unread: texts::Unread,
    /// The rule of the [`Grid`].
    pub rule: BloomRule,
    /// The hash of the [`Grid`].
    pub hash: BloomHash,
    /// The capacity of the [`Grid`].
    pub capacity: u64,
    /// The target of the [`Grid`].
    pub target: f64,
    /// The form of texts of the [`Grid`].
    pub exact_on: ExactOn,
    /// The seed of the [`Grid`].
    pub seed: u64,
    /// A row for each setting, ordered by number of hashes, then by bits.
    pub rows: Vec<Trial>,
    /// The recommended filter; `None` if the hash cannot use as many bits as needed.
    pub recommended: Option<Recommended>,
    /// The costs of the exact stages.
    pub costs: Vec<Cost>,
}
