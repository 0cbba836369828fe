//! Tables that grow without being rebuilt, and the positions of the messages in them.
//!
//! If nothing is forgotten, the first segment has room for 65 536 kept messages, and each next one for eight times as many. A full segment
//! stays as it is. With a window, a segment begins with each quarter of it, and is dropped as a whole when none of its messages counts.

use std::collections::VecDeque;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::reach::{PARTS, Reach};
use crate::record::Pos;

/// Messages in the first segment, and how many times larger each next segment is if nothing is forgotten.
const FIRST_SEGMENT: usize = 1 << 16;
const GROWTH: usize = 8;
/// Fewest messages in a segment that begins with a part of the window.
const LEAST_PART: usize = 1 << 12;
/// Fewest bytes of a limited memory for each message of a segment: ten times the bytes that a message takes.
const BYTES_PER_MESSAGE: u64 = 1 << 11;

/// Most messages that can be stored: as many as the tables' 32-bit offsets can address, with room for runs that grow.
const NUMBERS_UPTO: usize = 1 << 29;

/// Kept messages in segments, each with tables shaped for its size. So the user need not say how many messages will come, memory follows
/// their number, and no message waits for tables to be rebuilt.
///
/// If nothing is forgotten, each segment is larger than the one before. Otherwise each is at most a part of the window, and is
/// dropped as a whole when nothing in it counts any longer.
pub(crate) struct Segments<T> {
    segments: VecDeque<Segment<T>>,
    /// The least room of a segment that is the first, or begins because the last is full. `None` if nothing is forgotten: then each segment
    /// has room for eight times as many messages as the last.
    least: Option<usize>,
    len: usize,
}

struct Segment<T> {
    /// How many messages the tables are made for.
    room: usize,
    /// The part of the window in which it began.
    part: i64,
    /// The position of each message. Never empty.
    kept: Vec<Pos>,
    tables: T,
}

/// Which messages of a table count, by number.
#[derive(Clone, Copy)]
pub(crate) struct Counted<'a> {
    /// No message below this number counts.
    pub(crate) first: u32,
    /// All messages from this number on count.
    sure: u32,
    /// Whether a message between `first` and `sure` counts.
    between: &'a dyn Fn(u32) -> bool,
}

impl Counted<'static> {
    /// All messages count.
    pub(crate) const ALL: Self = Self { first: 0, sure: 0, between: &|_| true };
}

impl Counted<'_> {
    /// Whether the message with this number counts.
    #[inline(always)]
    pub(crate) fn has(&self, number: u32) -> bool {
        number >= self.sure || number >= self.first && (self.between)(number)
    }
}

impl<T> Segments<T> {
    /// Makes no segment yet.
    pub(crate) fn new(config: &Config) -> Self {
        let of_memory = |bytes| {
            usize::try_from(bytes / BYTES_PER_MESSAGE).unwrap_or(FIRST_SEGMENT).clamp(LEAST_PART, FIRST_SEGMENT)
        };
        let least = config.memory_for_messages().map(of_memory).or(config.window.map(|_| FIRST_SEGMENT));
        Self { segments: VecDeque::new(), least, len: 0 }
    }

    /// Returns the earliest match that counts. `ask` returns a message's number in the segment, and how alike it is.
    pub(crate) fn earliest(
        &self,
        reach: &Reach<'_>,
        ask: impl Fn(&T, Counted<'_>) -> Option<(u32, u32)>,
    ) -> Option<(Pos, u32)> {
        // Each segment is later than the one before, so the first answer is the earliest.
        self.segments.iter().find_map(|Segment { kept, tables, .. }| {
            let from = |pos| if kept.first() >= Some(&pos) { 0 } else { kept.partition_point(|kept| *kept < pos) };
            let first = from(reach.oldest);
            if first == kept.len() {
                return None;
            }
            let sure = if reach.sure == reach.oldest { first } else { from(reach.sure) };
            let between = |number: u32| reach.has(kept[number as usize]);
            let (number, likeness) =
                ask(tables, Counted { first: first as u32, sure: sure as u32, between: &between })?;
            Some((kept[number as usize], likeness))
        })
    }

    /// Stores the message at `pos`, and drops segments that no longer count. Positions must rise. `make` makes tables for a number of
    /// messages, and `insert` adds the message to the tables.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond 2^29 stored messages.
    pub(crate) fn remember(
        &mut self,
        pos: Pos,
        reach: &Reach<'_>,
        make: impl FnOnce(usize) -> T,
        insert: impl FnOnce(&mut T),
    ) -> Result<()> {
        self.forget(reach.floor);
        if self.len == NUMBERS_UPTO {
            return Err(Error::Limit("the near stage holds at most 536870912 kept messages; give a --window"));
        }
        let last = self.segments.back();
        let turned = last.is_some_and(|last| last.part != reach.part);
        if turned || last.is_none_or(|last| last.kept.len() == last.room) {
            let part = self.len / PARTS as usize;
            let room = match self.least {
                None => FIRST_SEGMENT * GROWTH.pow(self.segments.len() as u32),
                Some(_) if turned => part.max(LEAST_PART),
                Some(least) => part.max(least),
            };
            self.segments.push_back(Segment { room, part: reach.part, kept: Vec::new(), tables: make(room) });
        }
        if let Some(segment) = self.segments.back_mut() {
            insert(&mut segment.tables);
            segment.kept.push(pos);
            self.len += 1;
        }
        Ok(())
    }

    /// Drops the segments in which no message counts, because all are before a position.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.segments.front().is_some_and(|segment| segment.kept.last() < Some(&before)) {
            self.len -= self.segments.pop_front().map_or(0, |gone| gone.kept.len());
        }
    }

    /// How many messages are stored.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Heap bytes in use. `bytes` returns those of some tables.
    pub(crate) fn bytes(&self, bytes: impl Fn(&T) -> usize) -> usize {
        let each = |segment: &Segment<T>| bytes(&segment.tables) + segment.kept.capacity() * size_of::<Pos>();
        self.segments.iter().map(each).sum()
    }
}
