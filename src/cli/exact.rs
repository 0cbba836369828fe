//! The options of the exact stage.

use clap::ValueEnum;
use quchong::config::options::Options;
use quchong::config::units::count;
use quchong::config::{ExactMode, ExactOn};

/// What exact repeats are, and how they are found.
#[derive(clap::Args)]
pub struct ExactArgs {
    /// How exact repeats are found
    #[arg(long, value_enum, default_value_t = ExactArg::Verified, help_heading = "Exact stage")]
    exact: ExactArg,

    /// What equal means: the canonical form (width, case, blanks, script do not count) or the raw text
    #[arg(long, value_enum, default_value_t = ExactOnArg::Canonical, help_heading = "Exact stage")]
    exact_on: ExactOnArg,

    /// Distinct messages expected; sizes the Bloom filter
    #[arg(long, visible_alias = "bloom-capacity", value_name = "N", default_value = "10M", value_parser = count,
          help_heading = "Exact stage")]
    capacity: u64,

    /// False-positive rate of the Bloom filter (all rounds together) at --capacity [default: 1e-6; 1e-2 where the trie verifies]
    #[arg(long, value_name = "RATE", conflicts_with_all = ["bloom_bits", "bloom_hashes"], help_heading = "Exact stage")]
    bloom_error: Option<f64>,

    /// Bits of the Bloom filter (of each round), in place of --bloom-error
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Exact stage")]
    bloom_bits: Option<u64>,

    /// Hash functions of the Bloom filter [default: the best number for --bloom-bits and --capacity]
    #[arg(long, value_name = "K", requires = "bloom_bits", help_heading = "Exact stage")]
    bloom_hashes: Option<u32>,

    /// Bloom filters asked one after another, each with another seed; a repeat is what all hold. Errs as often as
    /// one filter with the same bits altogether, and is slower
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Exact stage")]
    bloom_rounds: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum ExactArg {
    /// Filter and trie: nothing is lost
    Verified,
    /// Filter alone: bounded memory, a stated share of unique messages is lost
    Bloom,
    /// Trie alone: nothing is lost
    Trie,
    /// Gao & Li's trie of 32-bit hashes, for comparison only: loses 129 of a million unique messages and 12 925 of ten million,
    /// takes 600 bytes each
    PaperTrie,
    /// Not at all
    None,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExactOnArg {
    Canonical,
    Raw,
}

impl From<ExactOnArg> for ExactOn {
    fn from(exact_on: ExactOnArg) -> Self {
        match exact_on {
            ExactOnArg::Canonical => Self::Canonical,
            ExactOnArg::Raw => Self::Raw,
        }
    }
}

impl ExactArgs {
    /// `base` with these options.
    pub fn options(&self, base: Options) -> Options {
        let exact = match self.exact {
            ExactArg::Verified => ExactMode::Verified,
            ExactArg::Bloom => ExactMode::Bloom,
            ExactArg::Trie => ExactMode::Trie,
            ExactArg::PaperTrie => ExactMode::PaperTrie,
            ExactArg::None => ExactMode::None,
        };
        Options {
            exact: Some(exact),
            exact_on: Some(self.exact_on.into()),
            capacity: Some(self.capacity),
            bloom_error: self.bloom_error,
            bloom_bits: self.bloom_bits,
            bloom_hashes: self.bloom_hashes,
            bloom_rounds: Some(self.bloom_rounds),
            ..base
        }
    }
}
