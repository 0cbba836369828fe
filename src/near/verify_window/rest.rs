//! What the window keeps of a message besides its tokens: its position, numbers, topics, clauses and signs. The [overlap
//! engine](crate::near::overlap) has the tokens.

use std::collections::VecDeque;

use crate::hash::memory::{LEAST_GROWTH, make_room_in_queue, on_heap};
use crate::record::Pos;
use crate::rule::facts::Count;
use crate::text::Gist;
use crate::text::signs::Sign;
use crate::text::tokens::{Digits, Spellings};

/// A message of the window: its position, and its gist without the tokens.
pub(super) struct TokenlessGist {
    pub(crate) pos: Pos,
    /// Whether the message is kept. False if it was entered before its turn and turned out to be a repeat.
    pub(crate) is_kept: bool,
    /// The [few numbers](crate::rule::bounds::few_counts) of the body, if a different number makes another message.
    pub(crate) counts: Box<[Count]>,
    pub(crate) digits: Box<Digits>,
    pub(crate) spellings: Box<Spellings>,
    pub(crate) topics: Box<[u64]>,
    pub(crate) comment_tokens: u32,
    pub(crate) breaks: Box<[u32]>,
    pub(crate) signs: Box<[(u32, Sign)]>,
}

impl TokenlessGist {
    /// Makes the rest of the message at `pos`, whose body has these `counts`. `is_kept` says whether it is kept, or only entered.
    pub(crate) fn of(gist: &Gist, counts: &[Count], pos: Pos, is_kept: bool) -> Self {
        let Gist { body, topics, comment_tokens, breaks, signs, .. } = gist;
        Self {
            pos,
            is_kept,
            counts: counts.into(),
            digits: body.digits.as_slice().into(),
            spellings: body.spellings.as_slice().into(),
            topics: topics.clone(),
            comment_tokens: *comment_tokens,
            breaks: breaks.clone(),
            signs: signs.clone(),
        }
    }

    /// Heap bytes of its boxes.
    fn boxed(&self) -> usize {
        let digits = self.digits.iter().map(|(_, digits)| on_heap(digits.len())).sum::<usize>();
        let lists = [
            size_of_val(&*self.counts),
            size_of_val(&*self.digits),
            size_of_val(&*self.spellings),
            size_of_val(&*self.topics),
            size_of_val(&*self.breaks),
            size_of_val(&*self.signs),
        ];
        digits + lists.into_iter().map(on_heap).sum::<usize>()
    }
}

/// The rests of the messages in the window, kept or entered, by their numbers.
#[derive(Default)]
pub(super) struct Rests {
    all: VecDeque<TokenlessGist>,
    /// The number of the first message.
    first: u64,
    /// How many of the messages are kept.
    kept: usize,
    /// Heap bytes of all boxes.
    boxed: usize,
}

impl Rests {
    /// Returns the rest of the message `number`, if it is in the window.
    #[inline(always)]
    pub(super) fn get(&self, number: u64) -> Option<&TokenlessGist> {
        self.all.get(number.checked_sub(self.first)? as usize)
    }

    /// Adds the next message.
    pub(super) fn push(&mut self, rest: TokenlessGist) {
        self.boxed += rest.boxed();
        self.kept += usize::from(rest.is_kept);
        make_room_in_queue(&mut self.all, LEAST_GROWTH);
        self.all.push_back(rest);
    }

    /// Keeps the message `number`, which was entered before its turn. Returns whether it is in the window.
    pub(super) fn keep(&mut self, number: u64) -> bool {
        let at = number.checked_sub(self.first);
        let Some(rest) = at.and_then(|at| self.all.get_mut(at as usize)) else { return false };
        rest.is_kept = true;
        self.kept += 1;
        true
    }

    /// Forgets the messages before a position.
    pub(super) fn forget(&mut self, before: Pos) {
        while self.all.front().is_some_and(|rest| rest.pos < before) {
            let Some(rest) = self.all.pop_front() else { return };
            self.boxed -= rest.boxed();
            self.kept -= usize::from(rest.is_kept);
            self.first += 1;
        }
    }

    /// Releases the memory of forgotten messages.
    pub(super) fn shrink(&mut self) {
        self.all.shrink_to_fit();
    }

    /// How many messages are kept.
    pub(super) fn kept(&self) -> usize {
        self.kept
    }

    /// How many messages there are, including those that were entered and are not kept.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Heap bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<TokenlessGist>() + self.boxed
    }
}
