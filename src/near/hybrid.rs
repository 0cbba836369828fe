//! The hybrid: the last messages by the [repeat rule](super::verify), all older ones by their fingerprints.
//!
//! For a kept k and a later m, near(k, m) is decided by the two texts and their distance in positions alone: within the window
//! by the rule on the texts themselves, beyond it by the Hamming distance of fingerprints that a [mask] of their facts has set
//! apart. A kept message is in one of the two at a time: it goes to the tables as it leaves the window. So recent repeats are
//! judged exactly, and old ones are still known at some tens of bytes a message.
//!
//! [mask]: crate::text::facts::mask

use std::collections::VecDeque;

use super::window::Window;
use super::{NearMatch, SimHashStage};
use crate::config::Config;
use crate::error::Result;
use crate::fingerprint::Printed;
use crate::record::{Engine, Likeness, Pos};

/// The window, and what came before it.
pub struct Hybrid {
    length: u64,
    window: Window,
    /// Fingerprints of the window's messages, on their way to `history`.
    leaving: VecDeque<(Pos, u64)>,
    history: SimHashStage,
    /// Kept messages in either.
    kept: usize,
}

impl Hybrid {
    /// An empty stage.
    pub fn new(config: &Config) -> Self {
        Self {
            length: config.verify_window,
            window: Window::new(config.verify_window, config.similarity, config.guard),
            leaving: VecDeque::new(),
            history: SimHashStage::new(config.max_distance),
            kept: 0,
        }
    }

    /// The earliest kept message that the one at `pos` repeats. Positions must not fall.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 messages older than the window.
    pub fn earliest(&mut self, printed: &Printed, pos: Pos) -> Result<Option<NearMatch>> {
        while let Some(&(kept, simhash)) = self.leaving.front().filter(|(kept, _)| kept.0 + self.length < pos.0) {
            self.history.remember(simhash, kept)?;
            self.leaving.pop_front();
        }
        let Some(gist) = &printed.gist else { return Ok(None) };
        // What is older than the window is earlier than all that is in it.
        let old = printed.simhash.and_then(|simhash| self.history.earliest(simhash));
        Ok(old.or_else(|| {
            let (of, similarity) = self.window.earliest(gist, pos)?;
            Some(NearMatch { of, engine: Engine::Overlap, by: Likeness::Similarity(similarity) })
        }))
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub fn remember(&mut self, printed: &Printed, pos: Pos) {
        let Some(gist) = &printed.gist else { return };
        self.window.remember(gist.clone(), pos);
        self.leaving.extend(printed.simhash.map(|simhash| (pos, simhash)));
        self.kept += 1;
    }

    /// Kept messages.
    pub fn len(&self) -> usize {
        self.kept
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.kept == 0
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        self.window.bytes() + self.history.bytes() + self.leaving.capacity() * size_of::<(Pos, u64)>()
    }
}
