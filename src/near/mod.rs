//! The near stage: is there an earlier kept message whose fingerprint is within the distance?
//!
//! Only kept messages are stored, so a dropped message always names a kept one and chains cannot drift: of A ~ B ~ C with
//! A unlike C, B is dropped and C is kept.

mod arena;
pub mod bands;
pub mod plan;
#[cfg(test)]
mod tests;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::record::Pos;
use bands::BandTables;

/// The near stage's state: one owner, no locks.
pub struct NearStage {
    tables: BandTables,
    /// Position of each stored message, by its number in the tables.
    kept: Vec<Pos>,
}

/// A kept message that a new one nearly repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearMatch {
    /// The earliest kept message within the distance.
    pub of: Pos,
    /// Hamming distance of the two fingerprints.
    pub distance: u32,
}

impl NearStage {
    /// An empty stage.
    pub fn new(config: &Config) -> Self {
        Self { tables: BandTables::new(config.max_distance, config.capacity), kept: Vec::new() }
    }

    /// The earliest kept message within the distance.
    pub fn earliest(&self, simhash: u64) -> Option<NearMatch> {
        let (number, distance) = self.tables.earliest(simhash)?;
        Some(NearMatch { of: self.kept[number as usize], distance })
    }

    /// Stores a kept message. Positions must rise.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond 2^32 − 1 stored messages.
    pub fn remember(&mut self, simhash: u64, pos: Pos) -> Result<()> {
        let number = u32::try_from(self.kept.len())
            .ok()
            .filter(|number| *number < u32::MAX)
            .ok_or(Error::Limit("the near stage holds at most 4294967295 kept messages"))?;
        self.tables.insert(simhash, number);
        self.kept.push(pos);
        Ok(())
    }

    /// Stored messages.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether no message is stored.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        self.tables.bytes() + self.kept.capacity() * size_of::<Pos>()
    }
}
