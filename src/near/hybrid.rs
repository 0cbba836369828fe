//! The hybrid: it compares the last messages by the [repeat rule](crate::rule), and all older ones by their fingerprints.
//!
//! Take a message and a kept one that it may repeat. If the kept one is among the last 200 000 messages (`--verify-window`), the rule
//! compares the two texts. If it is older, the Hamming distance of their fingerprints decides. If the two texts differ in a number or a
//! negation, a mask of their facts has already moved their fingerprints apart. So a verdict depends only on the two texts and their
//! distance in positions.
//!
//! A kept message is either in the window or in the tables: it goes to the tables as it leaves the window. So recent repeats are judged
//! exactly, and old ones are still known at some tens of bytes per message.

use std::collections::VecDeque;

use super::verify_window::{Answer, Searcher, VerifyWindow};
use super::{NearMatch, SimHashStage};
use crate::config::{Config, Span};
use crate::error::Result;
use crate::fingerprint::Printed;
use crate::hash::memory::{LEAST_GROWTH, make_room_in_queue};
use crate::reach::Reach;
use crate::record::{Engine, Likeness, Pos};

/// The window, and the tables of the messages that came before it.
pub(crate) struct Hybrid {
    length: u64,
    /// The last messages with their texts.
    pub(super) window: VerifyWindow,
    /// The fingerprints of the window's messages, which will go to `history`.
    leaving: VecDeque<(Pos, u64)>,
    history: SimHashStage,
}

impl Hybrid {
    /// Makes an empty stage.
    pub(crate) fn new(config: &Config) -> Self {
        let length = match config.window {
            Some(Span::Messages(window)) => window.min(config.verify_window),
            _ => config.verify_window,
        };
        Self {
            length,
            window: VerifyWindow::new(length, config.policy(), config.memory_for_messages()),
            leaving: VecDeque::new(),
            history: SimHashStage::new(config),
        }
    }

    /// Returns the earliest kept message that the message at `pos` repeats. If there is none, keeps the message, if it has a body.
    /// Positions must rise.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 messages older than the window.
    pub(crate) fn judge(&mut self, printed: &Printed, pos: Pos, reach: &Reach<'_>) -> Result<Option<NearMatch>> {
        self.age(pos, reach)?;
        let Some(gist) = &printed.gist else { return Ok(None) };
        let older = self.older(printed, reach);
        let found = older.or_else(|| self.window.judge(gist, pos, reach).map(NearMatch::from));
        if found.is_none() {
            self.let_leave(printed, pos);
        }
        Ok(found)
    }

    /// Returns the earliest kept message that a message repeats. The message comes after all others and is not remembered.
    pub(crate) fn find(&self, searcher: &mut Searcher, printed: &Printed, reach: &Reach<'_>) -> Option<NearMatch> {
        let gist = printed.gist.as_ref()?;
        self.older(printed, reach).or_else(|| self.window.find(searcher, gist, reach).map(NearMatch::from))
    }

    /// Returns the earliest message older than the window that a message repeats. It is earlier than all messages in the window.
    fn older(&self, printed: &Printed, reach: &Reach<'_>) -> Option<NearMatch> {
        self.history.earliest(printed.simhash?, reach)
    }

    /// Moves the messages older than the window at `pos` to the tables.
    fn age(&mut self, pos: Pos, reach: &Reach<'_>) -> Result<()> {
        while let Some(&(kept, simhash)) = self.leaving.front().filter(|(kept, _)| kept.0 + self.length < pos.0) {
            if kept >= reach.floor {
                self.history.remember(simhash, kept, reach)?;
            }
            self.leaving.pop_front();
        }
        Ok(())
    }

    /// Keeps the fingerprint of the message just kept at `pos`, for the time when it leaves the window.
    fn let_leave(&mut self, printed: &Printed, pos: Pos) {
        if let Some(simhash) = printed.simhash {
            make_room_in_queue(&mut self.leaving, LEAST_GROWTH);
            self.leaving.push_back((pos, simhash));
        }
    }

    /// Keeps a message of an earlier run again. If it is older than the window at `next`, it goes to the tables at once, with its
    /// fingerprint only.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 messages older than the window.
    pub(crate) fn restore(&mut self, printed: &Printed, pos: Pos, next: Pos, reach: &Reach<'_>) -> Result<()> {
        if pos.0 + self.length < next.0 {
            return printed.simhash.map_or(Ok(()), |simhash| self.history.remember(simhash, pos, reach));
        }
        self.age(pos, reach)?;
        if let Some(gist) = &printed.gist {
            self.window.remember(gist, pos);
            self.let_leave(printed, pos);
        }
        Ok(())
    }

    /// Forgets the messages before a position, and releases their memory.
    pub(crate) fn forget(&mut self, before: Pos) {
        self.window.release(before);
        while self.leaving.front().is_some_and(|(kept, _)| *kept < before) {
            self.leaving.pop_front();
        }
        self.history.kept.forget(before);
    }

    /// How many messages are stored.
    pub(super) fn len(&self) -> usize {
        self.window.len() + self.history.kept.len()
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.window.bytes() + self.history.bytes() + self.leaving.capacity() * size_of::<(Pos, u64)>()
    }
}

impl From<Answer> for NearMatch {
    fn from(Answer { of, similarity }: Answer) -> Self {
        Self { of, engine: Engine::Overlap, by: Likeness::Similarity(similarity) }
    }
}
