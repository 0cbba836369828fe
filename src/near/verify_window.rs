//! The window: the last kept messages with their texts, and the repeat rule over them.
//!
//! A new message asks for the earliest kept message that it repeats. If an equal message came before, the answer is already known. A
//! message without bigrams asks the [tiny index](super::tiny_index). For any other message the [overlap engine](super::overlap) offers
//! candidates, and the [rule](crate::rule) judges them.

pub(crate) mod ahead;
mod answers;
mod digest;
mod index;
mod rest;

#[cfg(any(feature = "cli", feature = "lab"))]
use std::ops::ControlFlow;

use crate::config::Policy;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;
use ahead::{Ahead, Coming};
pub(crate) use answers::Answer;
use answers::Answers;
#[cfg(feature = "cli")]
pub(crate) use digest::digest;
pub(crate) use index::Searcher;
use index::{Found, Index, Question};

/// The kept messages of the last positions, and the indexes that find the earliest one that a new message repeats.
pub(crate) struct VerifyWindow {
    length: u64,
    index: Index,
    searcher: Searcher,
    answers: Answers,
    ahead: Ahead,
}

impl VerifyWindow {
    /// Makes a window over the last `length` positions, for this policy. `memory` limits the bytes that it may take; see [`Index::new`].
    pub(crate) fn new(length: u64, policy: Policy, memory: Option<u64>) -> Self {
        let index = Index::new(length, policy, memory);
        Self { length, searcher: index.searcher(), index, answers: Answers::new(), ahead: Ahead::new() }
    }

    /// Returns the earliest kept message of the window that counts and that `gist`, at `pos`, repeats. If there is none, keeps the message.
    /// Positions must rise.
    pub(crate) fn judge(&mut self, gist: &Gist, pos: Pos, reach: &Reach<'_>) -> Option<Answer> {
        self.index.forget(reach.floor);
        let oldest = self.expire(pos);
        let counts = |of: Pos| of >= oldest && reach.has(of);
        let own = self.ahead.take(pos);
        let digest = own.as_ref().map_or_else(|| self.answers.digest(gist), |own| own.digest);
        // Equal gists have the same answer, as long as this message counts and no earlier one does.
        if let Some(known) = self.answers.get(&digest).filter(|known| reach.timely && counts(known.of)) {
            return Some(known);
        }
        let entered = own.as_ref().and_then(|own| own.entered);
        let is_answer = |found: &Found| counts(found.answer.of) && self.index.is_kept(found.number);
        let (answer, is_read) = match &own {
            Some(Coming { found: Some(found), .. }) if is_answer(found) => (Some(found.answer), false),
            Some(Coming { found: None, entered: Some(_), .. }) => (None, false),
            own => {
                let from = own.as_ref().map_or(0, |own| self.ahead.unsearched(own));
                let features = own.as_ref().filter(|_| entered.is_some()).map(|own| &own.features);
                let question = Question { oldest, among: from..u64::MAX, features, ..Question::of(gist, *reach) };
                let found = self.index.find_first(&mut self.searcher, &question);
                (found.map(|found| found.answer), features.is_none())
            }
        };
        match answer {
            Some(answer) => self.answers.put(digest, answer),
            None => {
                self.answers.put(digest, Answer::itself(pos));
                self.keep(gist, pos, entered, is_read);
            }
        }
        answer
    }

    /// Returns the earliest kept message of the window that counts and that `gist` repeats. The message of `gist` comes after all others
    /// and is not remembered.
    pub(crate) fn find(&self, searcher: &mut Searcher, gist: &Gist, reach: &Reach<'_>) -> Option<Answer> {
        self.index.find_first(searcher, &Question::of(gist, *reach)).map(|found| found.answer)
    }

    /// Calls `each` with the kept messages of the window that `gist`, at `pos`, repeats, by rising position, and the similarity in
    /// thousandths, until `each` returns break. Positions must not fall.
    #[cfg(any(feature = "cli", feature = "lab"))]
    pub(crate) fn each(&mut self, gist: &Gist, pos: Pos, mut each: impl FnMut(Pos, u32) -> ControlFlow<()>) {
        self.expire(pos);
        self.index.search(&mut self.searcher, &Question::of(gist, Reach::ALL), |found| {
            each(found.answer.of, found.answer.similarity).break_value()
        });
    }

    /// Makes the buffers for one more thread.
    pub(crate) fn searcher(&self) -> Searcher {
        self.index.searcher()
    }

    /// Keeps the message at `pos` without judging it. Positions must rise.
    pub(crate) fn remember(&mut self, gist: &Gist, pos: Pos) {
        self.expire(pos);
        self.ahead.clear();
        self.answers.put(self.answers.digest(gist), Answer::itself(pos));
        self.keep(gist, pos, None, false);
    }

    /// Adds a message to the index, if it was not `entered` before its turn. If it `is_read`, the searcher has its features.
    fn keep(&mut self, gist: &Gist, pos: Pos, entered: Option<u64>, is_read: bool) {
        if gist.body.list.len() < 2 {
            self.index.keep_tiny(gist, pos);
        } else if !self.keep_entered(entered) {
            if !is_read {
                self.index.read(gist, &mut self.searcher.features);
            }
            self.index.enter(gist, &self.searcher.features, pos, true);
        }
    }

    /// Forgets the messages older than the window at `pos`, and returns the first position in the window.
    fn expire(&mut self, pos: Pos) -> Pos {
        let oldest = Pos(pos.0.saturating_sub(self.length));
        self.index.forget(oldest);
        self.answers.expire(pos, oldest);
        oldest
    }

    /// Forgets the messages before a position and about half of the answers, and releases their memory.
    pub(crate) fn release(&mut self, before: Pos) {
        self.index.forget(before);
        self.index.shrink();
        self.answers.halve();
    }

    /// How many kept messages of two tokens or more are in the window.
    pub(super) fn len(&self) -> usize {
        self.index.rests.kept()
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let searchers = self.ahead.crew.iter().chain([&self.searcher]);
        let buffers = searchers.map(|searcher| searcher.buffers.bytes()).sum::<usize>();
        self.index.bytes() + buffers + self.answers.bytes()
    }
}
