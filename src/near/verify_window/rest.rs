//! What the window keeps of a message beside its tokens, which the [overlap engine](crate::near::overlap) has: its numbers, topics, clauses
//! and signs.

use crate::near::bounds::few_counts;
use crate::record::Pos;
use crate::text::Gist;
use crate::text::facts::Count;
use crate::text::signs::Sign;
use crate::text::tokens::Digits;

/// A gist without its tokens.
pub(super) struct Rest {
    pub(crate) pos: Pos,
    /// Whether it is kept: not what was entered before its turn and turned out a repeat.
    pub(crate) is_kept: bool,
    pub(crate) counts: Box<[Count]>,
    pub(crate) digits: Box<Digits>,
    pub(crate) topics: Box<[u64]>,
    pub(crate) comments: u32,
    pub(crate) breaks: Box<[u32]>,
    pub(crate) signs: Box<[(u32, Sign)]>,
}

impl Rest {
    /// Of the message at `pos`, which is kept if so.
    pub(crate) fn of(Gist { body, topics, comments, breaks, signs, .. }: &Gist, pos: Pos, is_kept: bool) -> Self {
        Self {
            pos,
            is_kept,
            counts: few_counts(&body.list),
            digits: body.digits.as_slice().into(),
            topics: topics.clone(),
            comments: *comments,
            breaks: breaks.clone(),
            signs: signs.clone(),
        }
    }

    /// Bytes that are behind its boxes.
    pub(crate) fn boxed(&self) -> usize {
        let digits = self.digits.iter().map(|(_, digits)| on_heap(digits.len())).sum::<usize>();
        let lists = [
            size_of_val(&*self.counts),
            size_of_val(&*self.digits),
            size_of_val(&*self.topics),
            size_of_val(&*self.breaks),
            size_of_val(&*self.signs),
        ];
        digits + lists.into_iter().map(on_heap).sum::<usize>()
    }
}

/// Bytes that so many take on the heap: with 8 beside, in units of 16, 32 at the least, as glibc and others hand them out.
fn on_heap(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}
