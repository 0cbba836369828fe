//! The ids of kept messages, packed.

use crate::record::{Pos, RecordId};

/// Ids by position. An id that is the 1-based position itself, as line numbers of one plain file are, takes no memory;
/// any other takes 16 bytes and its own length.
#[derive(Default)]
pub struct Ids {
    /// Position, and where the id's text ends; positions rise.
    entries: Vec<(u64, u64)>,
    text: String,
}

impl Ids {
    /// Remembers the id of the message at `pos`. Positions must rise.
    pub fn push(&mut self, pos: Pos, id: RecordId<'_>) {
        if id != RecordId::Number(pos.0 + 1) {
            use std::fmt::Write as _;
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{id}");
            self.entries.push((pos.0, self.text.len() as u64));
        }
    }

    /// The id of the message at `pos`, which must have been pushed.
    pub fn get(&self, pos: Pos) -> Option<RecordId<'static>> {
        let Ok(index) = self.entries.binary_search_by_key(&pos.0, |(pos, _)| *pos) else {
            return Some(RecordId::Number(pos.0 + 1));
        };
        let start = if index == 0 { 0 } else { self.entries[index - 1].1 };
        let text = self.text.get(start as usize..self.entries[index].1 as usize)?;
        Some(text.parse().map_or_else(|_| RecordId::Json(text.to_owned().into()), RecordId::Number))
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
        ];
        for (pos, id) in &given {
            ids.push(*pos, id.clone());
        }
        for (pos, id) in given {
            assert_eq!(ids.get(pos), Some(id));
        }
    }
}
