//! The near stage: is there an earlier kept message whose fingerprint is within the distance?
//!
//! Only kept messages are stored, so a dropped message always names a kept one and chains cannot drift: of A ~ B ~ C with
//! A unlike C, B is dropped and C is kept.

mod align;
mod arena;
pub mod bands;
pub mod cover;
pub mod overlap;
pub mod plan;
#[cfg(test)]
mod tests;
pub mod verify;
pub mod window;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::record::{Likeness, Pos};
use bands::BandTables;

/// Messages in the first segment, and how many times larger each next one is.
const FIRST_SEGMENT: usize = 1 << 16;
const GROWTH: usize = 8;

/// Most messages that can be stored: what the tables' 32-bit offsets reach with room for runs that grow.
const MOST: usize = 1 << 29;

/// The near stage's state: one owner, no locks.
///
/// Kept messages go to segments, each with tables shaped for its size and each larger than the one before. So nobody has to
/// say how many will come, memory follows their number, and no message waits while tables are made anew.
pub struct NearStage {
    max_distance: u32,
    segments: Vec<BandTables>,
    /// Messages that the segments so far are for.
    room: usize,
    /// Position of each stored message, by its number in the tables.
    kept: Vec<Pos>,
}

/// A kept message that a new one nearly repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearMatch {
    /// The earliest kept message within the distance.
    pub of: Pos,
    /// How alike the two are.
    pub by: Likeness,
}

impl NearStage {
    /// An empty stage.
    pub fn new(config: &Config) -> Self {
        Self { max_distance: config.max_distance, segments: Vec::new(), room: 0, kept: Vec::new() }
    }

    /// The earliest kept message within the distance.
    pub fn earliest(&self, simhash: u64) -> Option<NearMatch> {
        // Each segment is later than the one before, so the first answer is the earliest.
        let (number, distance) = self.segments.iter().find_map(|segment| segment.earliest(simhash))?;
        Some(NearMatch { of: self.kept[number as usize], by: Likeness::Distance(distance) })
    }

    /// Stores a kept message. Positions must rise.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond 2^29 stored messages.
    pub fn remember(&mut self, simhash: u64, pos: Pos) -> Result<()> {
        let number = self.kept.len();
        if number == MOST {
            return Err(Error::Limit("the near stage holds at most 536870912 kept messages"));
        }
        if number == self.room {
            let size = FIRST_SEGMENT * GROWTH.pow(self.segments.len() as u32);
            self.segments.push(BandTables::new(self.max_distance, size as u64));
            self.room += size;
        }
        if let Some(segment) = self.segments.last_mut() {
            segment.insert(simhash, number as u32);
        }
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
        self.segments.iter().map(BandTables::bytes).sum::<usize>() + self.kept.capacity() * size_of::<Pos>()
    }
}
