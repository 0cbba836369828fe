//! The near stage: is there an earlier kept message that is nearly the same?
//!
//! The stage stores only kept messages. So a dropped message always names a kept one, and chains cannot drift: of A ~ B ~ C with
//! A unlike C, B is dropped and C is kept. The engine decides what "nearly the same" means: the [rule](crate::rule) on the texts of the
//! last messages and fingerprints for all older ones ([hybrid]), [SimHash](bands) fingerprints within a Hamming distance, or
//! [MinHash](minhash) signatures with a Jaccard similarity. The verdict always depends only on the two texts, their order and their
//! distance.

mod arena;
pub(crate) mod band_plan;
pub mod banding;
pub mod bands;
pub(crate) mod bitmap;
mod crowd;
pub mod hybrid;
pub mod minhash;
pub mod overlap;
mod run;
mod segments;
#[cfg(test)]
mod tests;
mod tiny_index;
pub(crate) mod verify_window;

use crate::config::{Config, NearMode};
use crate::error::Result;
use crate::fingerprint::Printed;
use crate::reach::Reach;
use crate::record::{Engine, Likeness, Pos, Verdict};
use banding::Banding;
use bands::BandTables;
use hybrid::Hybrid;
use minhash::SignatureTables;
use segments::Segments;
pub(crate) use verify_window::ahead::LEAST_AHEAD;
pub(crate) use verify_window::{Searcher, VerifyWindow};

/// The near stage's state: one owner, no locks.
pub(crate) enum NearStage {
    /// The repeat rule over the last messages, fingerprints over all older ones.
    Hybrid(Box<Hybrid>),
    /// SimHash fingerprints in permuted-band tables.
    SimHash(SimHashStage),
    /// MinHash signatures by their bands.
    MinHash(MinHashStage),
}

/// A kept message that a new one nearly repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NearMatch {
    /// The earliest such kept message.
    pub(crate) of: Pos,
    /// Which engine found it.
    pub(crate) engine: Engine,
    /// How alike the two are.
    pub(crate) by: Likeness,
}

impl From<NearMatch> for Verdict {
    fn from(NearMatch { of, engine, by }: NearMatch) -> Self {
        Self::Near { of, engine, by }
    }
}

impl NearStage {
    /// Makes an empty stage. `None` under [`NearMode::None`].
    pub(crate) fn new(config: &Config) -> Option<Self> {
        match config.near {
            NearMode::Hybrid => Some(Self::Hybrid(Box::new(Hybrid::new(config)))),
            NearMode::SimHash => Some(Self::SimHash(SimHashStage::new(config))),
            NearMode::MinHash => Some(Self::MinHash(MinHashStage::new(config))),
            NearMode::None => None,
        }
    }

    /// Returns the earliest kept message that the message at `pos` nearly repeats. If there is none, keeps the message. A message that has
    /// only wrapping and no body repeats nothing and is not kept. Positions must rise.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 stored messages.
    pub(crate) fn judge(&mut self, printed: &Printed, pos: Pos, reach: &Reach<'_>) -> Result<Option<NearMatch>> {
        if let Self::Hybrid(stage) = self {
            return stage.judge(printed, pos, reach);
        }
        let found = self.find(None, printed, reach);
        if found.is_none() {
            self.remember(printed, pos, reach)?;
        }
        Ok(found)
    }

    /// The window of the hybrid.
    pub(crate) fn window(&self) -> Option<&VerifyWindow> {
        match self {
            Self::Hybrid(stage) => Some(&stage.window),
            Self::SimHash(_) | Self::MinHash(_) => None,
        }
    }

    /// The same, for looking ahead.
    pub(crate) fn window_mut(&mut self) -> Option<&mut VerifyWindow> {
        match self {
            Self::Hybrid(stage) => Some(&mut stage.window),
            Self::SimHash(_) | Self::MinHash(_) => None,
        }
    }

    /// Makes buffers for one more thread that calls [`find`](Self::find). `None` if the engine needs none.
    pub(crate) fn searcher(&self) -> Option<Searcher> {
        self.window().map(VerifyWindow::searcher)
    }

    /// Returns the earliest kept message that a message nearly repeats. The message comes after all others and is not remembered.
    pub(crate) fn find(
        &self,
        searcher: Option<&mut Searcher>,
        printed: &Printed,
        reach: &Reach<'_>,
    ) -> Option<NearMatch> {
        match self {
            Self::Hybrid(stage) => stage.find(searcher?, printed, reach),
            Self::SimHash(stage) => stage.earliest(printed.simhash?, reach),
            Self::MinHash(stage) => stage.earliest(printed.signature.as_deref()?, reach),
        }
    }

    /// Stores the fingerprint or the signature of a kept message, if it has a body. Positions must rise.
    fn remember(&mut self, printed: &Printed, pos: Pos, reach: &Reach<'_>) -> Result<()> {
        match (self, printed.simhash, &printed.signature) {
            (Self::SimHash(stage), Some(simhash), _) => stage.remember(simhash, pos, reach),
            (Self::MinHash(stage), _, Some(signature)) => stage.remember(signature, pos, reach),
            _ => Ok(()),
        }
    }

    /// Stores a message of an earlier run again, which came before `next`. Positions must rise.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 stored messages.
    pub(crate) fn restore(&mut self, printed: &Printed, pos: Pos, next: Pos, reach: &Reach<'_>) -> Result<()> {
        match self {
            Self::Hybrid(stage) => stage.restore(printed, pos, next, reach),
            stage => stage.remember(printed, pos, reach),
        }
    }

    /// Forgets the messages before a position.
    pub(crate) fn forget(&mut self, before: Pos) {
        match self {
            Self::Hybrid(stage) => stage.forget(before),
            Self::SimHash(stage) => stage.kept.forget(before),
            Self::MinHash(stage) => stage.kept.forget(before),
        }
    }

    /// How many messages are stored.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Hybrid(stage) => stage.len(),
            Self::SimHash(stage) => stage.kept.len(),
            Self::MinHash(stage) => stage.kept.len(),
        }
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Hybrid(stage) => stage.bytes(),
            Self::SimHash(stage) => stage.bytes(),
            Self::MinHash(stage) => stage.kept.bytes(SignatureTables::bytes),
        }
    }
}

/// Kept messages by their SimHash fingerprints.
pub(crate) struct SimHashStage {
    max_distance: u32,
    kept: Segments<BandTables>,
}

impl SimHashStage {
    /// Makes an empty stage for [`Config::max_distance`].
    pub(crate) fn new(config: &Config) -> Self {
        Self { max_distance: config.max_distance, kept: Segments::new(config) }
    }

    /// Returns the earliest kept message within the distance.
    pub(crate) fn earliest(&self, simhash: u64, reach: &Reach<'_>) -> Option<NearMatch> {
        let (of, distance) = self.kept.earliest(reach, |tables, counted| tables.earliest_of(simhash, counted))?;
        Some(NearMatch { of, engine: Engine::SimHash, by: Likeness::Distance(distance) })
    }

    /// Stores a kept message. Positions must rise.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 stored messages.
    pub(crate) fn remember(&mut self, simhash: u64, pos: Pos, reach: &Reach<'_>) -> Result<()> {
        let make = |size| BandTables::new(self.max_distance, size as u64);
        self.kept.remember(pos, reach, make, |tables| tables.insert(simhash))
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.kept.bytes(BandTables::bytes)
    }
}

/// Kept messages by their MinHash signatures.
pub(crate) struct MinHashStage {
    banding: Banding,
    permutations: usize,
    kept: Segments<SignatureTables>,
}

impl MinHashStage {
    /// Makes an empty stage for [`Config::permutations`] and [`Config::similarity`].
    pub(crate) fn new(config: &Config) -> Self {
        let banding = Banding::choose(config.permutations, config.similarity);
        Self { banding, permutations: config.permutations, kept: Segments::new(config) }
    }

    /// Returns the earliest kept message that is [near](Banding::near).
    pub(crate) fn earliest(&self, signature: &[u32], reach: &Reach<'_>) -> Option<NearMatch> {
        let (of, similarity) = self.kept.earliest(reach, |tables, counted| tables.earliest_of(signature, counted))?;
        Some(NearMatch { of, engine: Engine::MinHash, by: Likeness::Similarity(similarity) })
    }

    /// Stores a kept message. Positions must rise.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 stored messages.
    pub(crate) fn remember(&mut self, signature: &[u32], pos: Pos, reach: &Reach<'_>) -> Result<()> {
        let make = |size| SignatureTables::new(self.banding, self.permutations, size);
        self.kept.remember(pos, reach, make, |tables| tables.insert(signature))
    }
}
