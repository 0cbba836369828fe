//! The filter of the exact stage: ours, or the paper's.

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

/// The paper's filter, if there is one.
#[cfg(feature = "lab")]
fn literal(config: &Config) -> Result<Sieve> {
    Literal::new(config).map(Sieve::Paper)
}

/// The paper's filter, if there is one.
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
    /// An empty filter, if the mode has one.
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

    /// Adds a digest; true if the filter held it already, or seems to.
    pub(super) fn insert(&mut self, digest: Digest) -> bool {
        match self {
            Self::Ours(filter) => filter.insert(digest),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.insert(digest),
        }
    }

    /// Whether the filter holds a digest, or seems to.
    pub(super) fn holds(&self, digest: Digest) -> bool {
        match self {
            Self::Ours(filter) => filter.holds(digest),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.holds(digest),
        }
    }

    /// Asks the processor for what inserting a digest will read, if that is little.
    pub(super) fn ask_for(&self, digest: Digest) {
        match self {
            Self::Ours(filter) => filter.ask_for(digest),
            #[cfg(feature = "lab")]
            Self::Paper(_) => {}
        }
    }

    /// Probability that a new text is taken for a repeat; 0 where nobody counts what that loses: of the paper's filter alone.
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

    /// How full it is of the texts that it was sized for.
    pub(super) fn fullness(&self) -> Fullness {
        match self {
            Self::Ours(filter) => filter.fullness(),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.fullness(),
        }
    }

    /// How it fares.
    pub(super) fn health(&self) -> FilterHealth {
        match self {
            Self::Ours(filter) => filter.health(),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.health(),
        }
    }

    /// The same by a sample, where counting takes long.
    pub(super) fn health_by_sample(&self) -> FilterHealth {
        match self {
            Self::Ours(filter) => filter.health_by_sample(),
            #[cfg(feature = "lab")]
            Self::Paper(filter) => filter.health(),
        }
    }
}
