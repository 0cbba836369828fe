//! The filter of the exact stage: ours or the paper's.

use super::bloom::{Filter, FilterHealth, Fullness};
#[cfg(feature = "lab")]
use super::paper::literal::Literal;
use crate::config::{Config, ExactMode};
use crate::error::Result;
use crate::fingerprint::Digest;

/// A filter over digests.
pub(super) enum ExactFilter {
    Bloom(Filter),
    #[cfg(feature = "lab")]
    PaperBloom(Literal),
}

/// Makes the paper's filter, if it was built.
#[cfg(feature = "lab")]
fn paper_bloom(config: &Config) -> Result<ExactFilter> {
    Literal::new(config).map(ExactFilter::PaperBloom)
}

/// Makes the paper's filter, if it was built.
#[cfg(not(feature = "lab"))]
fn paper_bloom(_: &Config) -> Result<ExactFilter> {
    Err(crate::error::Error::config(
        "--exact",
        crate::locale::tr!(
            "paper-bloom is of the laboratory, without which this quchong was built (its feature `lab`); use bloom"
        ),
    ))
}

impl ExactFilter {
    /// Makes an empty filter, if the mode has one.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if it does not fit this machine, or was not built.
    pub(super) fn of(config: &Config) -> Result<Option<Self>> {
        match config.exact {
            ExactMode::Verified | ExactMode::Bloom => Filter::new(config).map(|filter| Some(Self::Bloom(filter))),
            ExactMode::PaperBloom => paper_bloom(config).map(Some),
            ExactMode::Trie | ExactMode::PaperTrie | ExactMode::None => Ok(None),
        }
    }

    /// Adds a digest. Returns true if the filter held it already, or seems to have held it.
    pub(super) fn insert(&mut self, digest: Digest) -> bool {
        match self {
            Self::Bloom(filter) => filter.insert(digest),
            #[cfg(feature = "lab")]
            Self::PaperBloom(filter) => filter.insert(digest),
        }
    }

    /// Whether the filter holds a digest, or seems to hold it.
    pub(super) fn holds(&self, digest: Digest) -> bool {
        match self {
            Self::Bloom(filter) => filter.holds(digest),
            #[cfg(feature = "lab")]
            Self::PaperBloom(filter) => filter.holds(digest),
        }
    }

    /// Prefetches what inserting a digest will read, if that is little.
    pub(super) fn prefetch(&self, digest: Digest) {
        match self {
            Self::Bloom(filter) => filter.prefetch(digest),
            #[cfg(feature = "lab")]
            Self::PaperBloom(_) => {}
        }
    }

    /// The probability that the paper's filter takes a new text for a repeat. 0 for our filter, whose losses are not counted.
    pub(super) fn error(&self) -> f64 {
        match self {
            Self::Bloom(_) => 0.0,
            #[cfg(feature = "lab")]
            Self::PaperBloom(filter) => filter.error(),
        }
    }

    /// Heap bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Bloom(filter) => filter.bytes(),
            #[cfg(feature = "lab")]
            Self::PaperBloom(filter) => filter.bytes(),
        }
    }

    /// How full the filter is, of the texts that it was sized for.
    pub(super) fn fullness(&self) -> Fullness {
        match self {
            Self::Bloom(filter) => filter.fullness(),
            #[cfg(feature = "lab")]
            Self::PaperBloom(filter) => filter.fullness(),
        }
    }

    /// How well the filter works.
    pub(super) fn health(&self) -> FilterHealth {
        match self {
            Self::Bloom(filter) => filter.health(),
            #[cfg(feature = "lab")]
            Self::PaperBloom(filter) => filter.health(),
        }
    }

    /// The same from a sample, if counting all bits takes long.
    pub(super) fn health_by_sample(&self) -> FilterHealth {
        match self {
            Self::Bloom(filter) => filter.health_by_sample(),
            #[cfg(feature = "lab")]
            Self::PaperBloom(filter) => filter.health(),
        }
    }
}
