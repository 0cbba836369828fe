//! Tables that grow without being made anew, and the positions of what is in them.

use crate::error::{Error, Result};
use crate::record::Pos;

/// Messages in the first segment, and how many times larger each next one is.
const FIRST_SEGMENT: usize = 1 << 16;
const GROWTH: usize = 8;

/// Most messages that can be stored: what the tables' 32-bit offsets reach with room for runs that grow.
const MOST: usize = 1 << 29;

/// Kept messages in segments, each with tables shaped for its size and each larger than the one before. So nobody has to
/// say how many will come, memory follows their number, and no message waits while tables are made anew.
pub struct Segments<T> {
    segments: Vec<Segment<T>>,
    /// Messages that the segments so far are for.
    room: usize,
    /// Position of each stored message.
    kept: Vec<Pos>,
}

struct Segment<T> {
    /// Messages in the segments before.
    first: usize,
    tables: T,
}

impl<T> Segments<T> {
    /// No segment.
    pub fn new() -> Self {
        Self { segments: Vec::new(), room: 0, kept: Vec::new() }
    }

    /// The earliest match: `ask` answers with a message's number in the segment, and how alike it is.
    pub fn earliest(&self, ask: impl Fn(&T) -> Option<(u32, u32)>) -> Option<(Pos, u32)> {
        // Each segment is later than the one before, so the first answer is the earliest.
        self.segments.iter().find_map(|segment| {
            let (number, likeness) = ask(&segment.tables)?;
            Some((self.kept[segment.first + number as usize], likeness))
        })
    }

    /// Stores the message at `pos`; positions must rise. `insert` gets the tables and the message's number in them, numbers
    /// from 0; `make` makes tables for so many messages.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond 2^29 stored messages.
    pub fn remember(
        &mut self,
        pos: Pos,
        make: impl FnOnce(usize) -> T,
        insert: impl FnOnce(&mut T, u32),
    ) -> Result<()> {
        let number = self.kept.len();
        if number == MOST {
            return Err(Error::Limit("the near stage holds at most 536870912 kept messages"));
        }
        if number == self.room {
            let size = FIRST_SEGMENT * GROWTH.pow(self.segments.len() as u32);
            self.segments.push(Segment { first: number, tables: make(size) });
            self.room += size;
        }
        if let Some(segment) = self.segments.last_mut() {
            insert(&mut segment.tables, (number - segment.first) as u32);
        }
        self.kept.push(pos);
        Ok(())
    }

    /// Stored messages.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Heap bytes in use, where `bytes` counts those of tables.
    pub fn bytes(&self, bytes: impl Fn(&T) -> usize) -> usize {
        let tables = self.segments.iter().map(|segment| bytes(&segment.tables)).sum::<usize>();
        tables + self.kept.capacity() * size_of::<Pos>()
    }
}
