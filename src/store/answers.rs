//! The latest answers of a service, by message id, in memory and in the log.
//!
//! The answers of a batch come at the end of its frame. So they reach the disk together with the batch's remembered messages,
//! or not at all. In memory each answer takes about 110 bytes; the answer about a repeat also takes the bytes of its verdict.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::wire::{begin_of_bytes, to_bytes};
use crate::error::Result;
use crate::hash::HashMap;
use crate::record::Pos;

/// The answer about one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The position of the message.
    pub(crate) pos: u64,
    /// Digest of the message's id …
    pub(crate) id: [u8; 16],
    /// … and of its text.
    pub(crate) text: [u8; 8],
    /// The verdict as it was written; empty if the message was kept.
    pub(crate) note: Box<str>,
}

/// The latest answers, in the order of their messages.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// How many answers are held at most; 0 unless a service ran.
    most: u64,
    held: VecDeque<Answer>,
    /// The position of the latest message with each id.
    places: HashMap<[u8; 16], u64>,
}

impl Answers {
    /// Returns the answer about the message with this id, if it is still held.
    #[cfg(any(feature = "serve", test))]
    pub(crate) fn of(&self, id: &[u8; 16]) -> Option<&Answer> {
        let pos = self.places.get(id)?;
        self.held.get(self.held.partition_point(|answer| answer.pos < *pos))
    }

    /// Sets how many answers are held from now on, and drops the oldest ones beyond that number.
    pub(crate) fn hold(&mut self, most: u64) {
        self.most = most;
        while self.held.len() as u64 > most {
            let Some(old) = self.held.pop_front() else { return };
            // A later message may have come with the same id; its place stays.
            if self.places.get(&old.id) == Some(&old.pos) {
                self.places.remove(&old.id);
            }
        }
    }

    /// Adds the answer about the next message.
    pub(crate) fn add(&mut self, answer: Answer) {
        self.places.insert(answer.id, answer.pos);
        self.held.push_back(answer);
        self.hold(self.most);
    }

    /// The position of the first message whose answer is held.
    pub(crate) fn oldest(&self) -> Option<Pos> {
        self.held.front().map(|answer| Pos(answer.pos))
    }

    /// How many answers are held.
    #[cfg(any(feature = "serve", test))]
    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    /// Appends an answer to the encoded answers of a batch. The number of held answers comes first.
    pub(super) fn write(&self, answer: &Answer, out: &mut Vec<u8>) -> Result<()> {
        if out.is_empty() {
            out.extend(to_bytes(&self.most)?);
        }
        out.extend(to_bytes(answer)?);
        Ok(())
    }

    /// Adds the encoded answers of a batch.
    ///
    /// # Errors
    /// [`Error::State`](crate::Error::State) if the bytes are not encoded answers.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (most, mut bytes) = begin_of_bytes(bytes)?;
        self.hold(most);
        while !bytes.is_empty() {
            let (answer, rest) = begin_of_bytes(bytes)?;
            self.add(answer);
            bytes = rest;
        }
        Ok(())
    }

    /// Encodes all answers as frames hold them, in pieces of at least `size` bytes each; the last piece may be smaller.
    pub(super) fn pieces(&self, size: usize) -> Result<Vec<Vec<u8>>> {
        let mut pieces = vec![Vec::new()];
        for answer in &self.held {
            if pieces.last().is_some_and(|piece| piece.len() >= size) {
                pieces.push(Vec::new());
            }
            pieces.last_mut().map_or(Ok(()), |piece| self.write(answer, piece))?;
        }
        pieces.retain(|piece| !piece.is_empty());
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(pos: u64, id: u8) -> Answer {
        let note = if pos.is_multiple_of(2) { "" } else { r#"{"verdict":"exact","of":1}"# };
        Answer { pos, id: [id; 16], text: [7; 8], note: note.into() }
    }

    fn known(answers: &Answers) -> Vec<(u8, u64)> {
        (0..20).filter_map(|id| Some((id, answers.of(&[id; 16])?.pos))).collect()
    }

    #[test]
    fn the_last_are_held_and_come_back_as_they_were() {
        let mut answers = Answers::default();
        answers.hold(3);
        let mut written = Vec::new();
        // Id 1 comes again after it is forgotten.
        for (pos, id) in [(10, 1), (11, 2), (14, 3), (15, 4), (20, 1), (21, 5)] {
            assert_eq!(answers.of(&[id; 16]), None);
            answers.add(answer(pos, id));
            answers.write(&answer(pos, id), &mut written).unwrap();
        }
        let expected = vec![(1, 20), (4, 15), (5, 21)];
        assert_eq!((known(&answers), answers.len(), answers.oldest()), (expected.clone(), 3, Some(Pos(15))));
        assert_eq!(answers.of(&[5; 16]), Some(&answer(21, 5)));
        let mut again = Answers::default();
        again.read(&written).unwrap();
        assert_eq!((known(&again), again.len(), again.places.len()), (expected.clone(), 3, 3));
        let mut rewritten = Answers::default();
        let pieces = again.pieces(30).unwrap();
        assert_eq!(pieces.len(), 2);
        pieces.iter().for_each(|piece| rewritten.read(piece).unwrap());
        assert_eq!(known(&rewritten), expected);
        assert!((1..written.len()).any(|end| Answers::default().read(&written[..end]).is_err()));
        again.hold(1);
        assert_eq!(known(&again), [(5, 21)]);
    }
}
