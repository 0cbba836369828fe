//! The filter of the exact stage: ours or the paper's.

use super::bloom::{Filter, FilterHealth, Fullness};
#[cfg(feature = "lab")]
use super::paper::literal::Literal;
use crate::config::{Config, ExactMode};
use crate::error::Result;
use crate::fingerprint::Digest;

/// A filter over digests.
pub(super) enum Sieve {
    Ours(Filter),
    #[cfg(feature = "lab")]
    Paper(Literal),
}

/// Makes the paper's filter, if it was built.
#[cfg(feature = "lab")]
fn literal(config: &Config) -> Result<Sieve> {
    Literal::new(config).map(Sieve::Paper)
}

/// Makes the paper's filter, if it was built.
#[cfg(not(feature = "lab"))]
fn literal(_: &Config) -> Result<Sieve> {
    Err(crate::error::Error::config(
        "--exact",
        crate::locale::tr!(
            "paper-bloom is of the laboratory, without which this quchong was built (its feature `lab`); use bloom"
        ),
    ))
}

impl Sieve {
    /// Makes an empty filter, if the mode has one.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if it does not fit this machine, or was not built.
    pub(super) fn of(config: &Config) -> Result<Option<Self>> {
        match config.exact {
            ExactMode::Verified | ExactMode::Bloom => Filter::new(config).map(|filter| Some(Self::Ours(filter))),
            ExactMode::PaperBloom => literal(config).map(Some),
            ExactMode::Trie | ExactMode::PaperTrie | ExactMode::None => Ok(None),
        }
    }

    /// Adds a digest. Returns true if the filter held it already, or seems to have held it.
    pub(super) fn insert(&mut self, digest: Digest) -> bool {
        match self {
            Self::Ours(filter) => filter.insert(digest),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.insert(digest),
        }
    }

    /// Whether the filter holds a digest, or seems to hold it.
    pub(super) fn holds(&self, digest: Digest) -> bool {
        match self {
            Self::Ours(filter) => filter.holds(digest),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.holds(digest),
        }
    }

    /// Prefetches what inserting a digest will read, if that is little.
    pub(super) fn ask_for(&self, digest: Digest) {
        match self {
            Self::Ours(filter) => filter.ask_for(digest),
            #[cfg(feature = "lab")]
            Self::Paper(_) => {}
        }
    }

    /// The probability that the paper's filter takes a new text for a repeat. 0 for our filter, whose losses are not counted.
    pub(super) fn error(&self) -> f64 {
        match self {
            Self::Ours(_) => 0.0,
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.error(),
        }
    }

    /// Heap bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Ours(filter) => filter.bytes(),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.bytes(),
        }
    }

    /// How full the filter is, of the texts that it was sized for.
    pub(super) fn fullness(&self) -> Fullness {
        match self {
            Self::Ours(filter) => filter.fullness(),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.fullness(),
        }
    }

    /// How well the filter works.
    pub(super) fn health(&self) -> FilterHealth {
        match self {
            Self::Ours(filter) => filter.health(),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.health(),
        }
    }

    /// The same from a sample, if counting all bits takes long.
    pub(super) fn health_by_sample(&self) -> FilterHealth {
        match self {
            Self::Ours(filter) => filter.health_by_sample(),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.health(),
        }
    }
}
