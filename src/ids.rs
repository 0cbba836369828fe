//! The ids of kept messages, in little memory.

use std::collections::VecDeque;

use crate::record::{Pos, RecordId};

/// Most ids in a block. A block is dropped whole.
const BLOCK: usize = 1 << 12;

/// Ids by position. One kind of id takes no memory: line numbers of a single file, because they equal the 1-based positions.
/// The first such id decides which kind that is: numbers, lines or records. Any other id takes 16 bytes and its own length.
#[derive(Default)]
pub(crate) struct Ids {
    blocks: VecDeque<Block>,
    /// The kind of id that takes no memory; `None` until one comes.
    own: Option<Own>,
    text_bytes: usize,
}

/// A kind of id that can equal the position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Number,
    Line,
    Record,
}

#[derive(Default)]
struct Block {
    /// For each id its position and the end of its text, by rising position. Never empty.
    entries: Vec<(u64, usize)>,
    text: String,
}

impl Ids {
    /// Stores the id of the message at `pos`. Positions must rise.
    pub(crate) fn push(&mut self, pos: Pos, id: RecordId<'_>) {
        let own = match id {
            RecordId::Number(number) if number == pos.0 + 1 => Some(Own::Number),
            RecordId::Line(line) if line == pos.0 + 1 => Some(Own::Line),
            RecordId::Record(record) if record == pos.0 + 1 => Some(Own::Record),
            _ => None,
        };
        if own.is_none_or(|own| *self.own.get_or_insert(own) != own) {
            use std::fmt::Write as _;
            if self.blocks.back().is_none_or(|block| block.entries.len() == BLOCK) {
                self.blocks.push_back(Block::default());
            }
            let Some(block) = self.blocks.back_mut() else { return };
            self.text_bytes -= block.text.capacity();
            // Writing to a string cannot fail.
            let _ = write!(block.text, "{id}");
            self.text_bytes += block.text.capacity();
            block.entries.push((pos.0, block.text.len()));
        }
    }

    /// The id of the message at `pos`, which must have been stored.
    pub(crate) fn get(&self, pos: Pos) -> Option<RecordId<'static>> {
        let at = self.blocks.partition_point(|block| block.entries.last().is_some_and(|(last, _)| *last < pos.0));
        let found = self.blocks.get(at).and_then(|block| {
            let index = block.entries.binary_search_by_key(&pos.0, |(pos, _)| *pos).ok()?;
            Some((block, index))
        });
        let Some((block, index)) = found else {
            return Some(match self.own {
                Some(Own::Line) => RecordId::Line(pos.0 + 1),
                Some(Own::Record) => RecordId::Record(pos.0 + 1),
                Some(Own::Number) | None => RecordId::Number(pos.0 + 1),
            });
        };
        let start = if index == 0 { 0 } else { block.entries[index - 1].1 };
        let text = block.text.get(start..block.entries[index].1)?;
        Some(RecordId::of_json(text.to_owned().into()))
    }

    /// Drops the ids before a position, in whole blocks.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.blocks.front().is_some_and(|block| block.entries.last().is_some_and(|(last, _)| *last < before.0)) {
            self.text_bytes -= self.blocks.pop_front().map_or(0, |block| block.text.capacity());
        }
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * (BLOCK * size_of::<(u64, usize)>() + size_of::<Block>()) + self.text_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_as_they_went_in() {
        let mut ids = Ids::default();
        let given: Vec<(Pos, RecordId<'_>)> = vec![
            (Pos(0), 1.into()),
            (Pos(1), "b".into()),
            (Pos(4), 5.into()),
            (Pos(5), 17.into()),
            (Pos(9), "重\"复".into()),
            (Pos(10), RecordId::Json("-1.5".into())),
            (Pos(11), RecordId::Line(12)),
            (Pos(12), RecordId::Line(7)),
            (Pos(13), RecordId::Record(14)),
        ];
        for (pos, id) in &given {
            ids.push(*pos, id.clone());
        }
        for (pos, id) in given {
            assert_eq!(ids.get(pos), Some(id));
        }
    }

    #[test]
    fn old_ones_go_in_blocks() {
        let mut ids = Ids::default();
        let id = |i: u64| if i.is_multiple_of(5) { RecordId::Number(i + 1) } else { RecordId::Number(i + 7) };
        let mut most = 0;
        for i in 0..100_000 {
            ids.push(Pos(i), id(i));
            ids.forget(Pos(i.saturating_sub(10_000)));
            assert_eq!(ids.get(Pos(i.saturating_sub(9_999))), Some(id(i.saturating_sub(9_999))));
            most = most.max(ids.bytes());
        }
        assert!(most < 500_000, "{most}");
    }
}
