//! How many bits for which measured error: filters of many sizes over one's own texts, beside a set that never errs.
//!
//! ```text
//! texts ─▶ [sweep] ─▶ BloomSweep ─▶ [write] ─▶ table, CSV, JSON, HTML
//!            ├─ [predict]: what theory says
//!            └─ [recommend]: the smallest filter that meets the target, filled and measured
//! ```
//! [`paper`] repeats the experiments of Gao & Li 2014 with the same parts.
//!
//! # What is measured
//! - *False drops*: distinct texts of the input that the filter took for repeats while it filled. Theory: `predict::loss`.
//! - *False-positive rate*: how many of the probes the full filter takes for repeats. Probes are fresh
//!   [generated](crate::generate) posts that are not in the input: a feed seldom holds enough new texts to measure 10^-4,
//!   and marks depend on hashes, not on what the texts say. Theory: `predict::rate`.
//! - *Time*: of the filter alone, hashing left out: it is the same for each setting of one run. It is not the same for each
//!   hash: byte-wise BKDR and AP take longer than XXH3, so compare times within one run, or hashes by [`paper`].
//! - *The recommended filter at the capacity*: the rows all hold the input; the recommended filter is then filled up to the
//!   capacity with generated posts and asked for others, up to 10^7 texts.

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
use crate::locale::Said;
use crate::locale::tr;

/// What to try.
#[derive(Debug, Clone)]
pub struct Grid {
    /// Sizes in bits, each 8..=2^40, rounded up to whole bytes.
    pub bits: Vec<u64>,
    /// Numbers of hash functions, each 1..=64; 2 alone under [`BloomHash::BkdrAp`].
    pub hashes: Vec<u32>,
    /// When a text is a repeat.
    pub rule: BloomRule,
    /// Where marks come from. [`BloomRule::All`] with [`BloomHash::Xxh3`] is the product's own filter.
    pub hash: BloomHash,
    /// Distinct texts that the recommended filter is to hold, 1..=2^32.
    pub capacity: u64,
    /// False-positive rate allowed at the capacity, in (0, 1).
    pub target: f64,
    /// Which form of a text is hashed.
    pub exact_on: ExactOn,
    /// How many fresh texts measure the error of each filter, 1..=10^8. `None`: `PROBES`; for the recommended filter enough for about
    /// a thousand errors, up to 10^7.
    pub probes: Option<u64>,
    /// Seed of the probes.
    pub seed: u64,
    /// Threads that the settings are split among, at least 1. All results but times are the same for any number.
    pub threads: usize,
}

/// Fresh texts that each full filter is asked for, if nobody says how many.
const PROBES: u64 = 100_000;

/// Most memory that the filters of one sweep may take, the recommended one included, in bytes.
const MOST_BYTES: u64 = 16 << 30;

/// Most settings of one sweep: more are no picture, and each text meets all of them.
const MOST_SETTINGS: usize = 2000;

impl Grid {
    /// Fresh texts that each full filter is asked for.
    fn probes(&self) -> u64 {
        self.probes.unwrap_or(PROBES)
    }

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

/// Counts of one kind of event and what follows from them. Rates are shares of 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// Fresh texts asked for.
    pub probes: u64,
    /// Those taken for repeats.
    pub false_positives: u64,
    /// Their share.
    pub rate: f64,
    /// Lower end of its 95 % Wilson interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Measured {
    /// `false_positives` of `probes`.
    pub(crate) fn new(false_positives: u64, probes: u64) -> Self {
        let (low, high) = predict::wilson(false_positives, probes, predict::Z95);
        Self { probes, false_positives, rate: false_positives as f64 / probes.max(1) as f64, low, high }
    }
}

/// One setting, after all texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// Bits of the filter.
    pub bits: u64,
    /// Hash functions.
    pub hashes: u32,
    /// Bytes of the filter.
    pub bytes: u64,
    /// Distinct texts that it took for repeats.
    pub false_drops: u64,
    /// Their share of all distinct texts.
    pub loss: f64,
    /// The share that theory expects.
    pub predicted_loss: f64,
    /// The full filter's error.
    pub measured: Measured,
    /// From kn/m: (1 − e^(−kn/m))^k for the standard rule.
    pub predicted: f64,
    /// From the fill: fill^k for the standard rule.
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
    /// Bits.
    pub bits: u64,
    /// Hash functions.
    pub hashes: u32,
    /// Bytes.
    pub bytes: u64,
    /// Expected error when it holds [`Grid::capacity`] texts.
    pub predicted: f64,
    /// Its error as measured then; `None` beyond 10^7 texts.
    pub confirmed: Option<Confirmed>,
}

/// A recommended filter that was filled to the capacity and asked for posts fresh to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Confirmed {
    /// Distinct texts of the input in it: all, or none if they are more than the capacity.
    pub of_input: u64,
    /// Generated posts in it beside those.
    pub generated: u64,
    /// Share of bits that are set.
    pub fill: f64,
    /// Its error.
    pub measured: Measured,
}

/// An exact stage over the same texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// `bloom` (the recommended one), `trie` or `verified`: names of `quchong dedup --exact`.
    pub mode: &'static str,
    /// Bytes after all texts of the input. A filter has its full size from the start, a trie grows.
    pub bytes: u64,
    /// Bytes at [`Grid::capacity`] texts: the filter, and a trie with that many other texts (beyond 10^6
    /// scaled from there).
    pub bytes_at_capacity: u64,
    /// Nanoseconds per text of the input; the stage alone, without hashing.
    pub ns_per_text: f64,
    /// Distinct texts taken for repeats.
    pub false_drops: u64,
    /// Repeats taken for new texts.
    pub missed: u64,
}

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BloomSweep {
    /// Where the texts came from: file names, or the generator's options.
    pub(crate) source: Said,
    /// Texts.
    pub texts: u64,
    /// Distinct texts among them.
    pub distinct: u64,
    /// Records that could not be judged, and texts with nothing to compare.
    pub skipped: u64,
    /// As asked for.
    pub rule: BloomRule,
    /// As asked for.
    pub hash: BloomHash,
    /// As asked for.
    pub capacity: u64,
    /// As asked for.
    pub target: f64,
    /// As asked for.
    pub exact_on: ExactOn,
    /// As asked for.
    pub seed: u64,
    /// A row for each setting, in the order of hashes, then bits.
    pub rows: Vec<Trial>,
    /// `None` if the hash cannot reach as many bits.
    pub recommended: Option<Recommended>,
    /// What the exact stages cost.
    pub costs: Vec<Cost>,
}
