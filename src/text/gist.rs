//! The parts of a message that the repeat rule compares: the tokens of its body, its topics, where clauses end, its signs and their
//! places, and how much of it is a comment on a repost.

use std::ops::Range;

use super::body::Body;
use super::shingle;
use super::signs::Sign;
use super::tokens::{Token, Tokens, View};
use crate::hash::memory::on_heap;

/// The parts of a message that the repeat rule compares.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub struct Gist {
    /// The body's tokens.
    pub body: Tokens,
    /// Hashes of the topics.
    pub(crate) topics: Box<[u64]>,
    /// Number of tokens before the last repost marker: the message's own comment, and the comments that it passes on.
    pub(crate) comment_tokens: u32,
    /// The tokens before which a clause ends, in rising order.
    pub(crate) breaks: Box<[u32]>,
    /// Signs, each with the token that follows it, in rising order.
    pub(crate) signs: Box<[(u32, Sign)]>,
    /// Hash of the values of the `--scope` fields, which two messages must share to be repeats; 0 if any two may be. The rule does
    /// not read it: the search for candidates does.
    pub(crate) scope: u64,
}

/// The signs and clause ends between the tokens of a body, collected while the tokens are read.
struct Events<'b> {
    /// Number of tokens read so far.
    count: u32,
    /// Byte offset of the next event that is not yet collected. Few tokens have an event before them, so one comparison is usually
    /// enough.
    next: usize,
    ends: &'b [usize],
    marks: &'b [(usize, Sign)],
    last_repost: usize,
    /// Number of tokens before the last repost; `None` until the repost is passed.
    comment_tokens: Option<u32>,
    breaks: Vec<u32>,
    signs: Vec<(u32, Sign)>,
}

impl<'b> Events<'b> {
    fn of(body: &'b Body) -> Self {
        let last_repost = body.reposts.last().copied().unwrap_or_default();
        let (ends, marks) = (&body.breaks[..], &body.signs[..]);
        let (breaks, signs) = (Vec::with_capacity(ends.len()), Vec::new());
        Self { count: 0, next: 0, ends, marks, last_repost, comment_tokens: None, breaks, signs }
    }

    /// Collects the events before a token that begins at this byte.
    #[inline(never)]
    fn collect_before(&mut self, start: usize) {
        let (mut next, ends) = (usize::MAX, self.ends.len());
        while let Some((end, rest)) = self.ends.split_first() {
            if *end > start {
                next = *end;
                break;
            }
            self.ends = rest;
        }
        if self.ends.len() < ends {
            self.breaks.push(self.count);
        }
        while let Some(((at, sign), rest)) = self.marks.split_first() {
            if *at > start {
                next = next.min(*at);
                break;
            }
            self.signs.push((self.count, *sign));
            self.marks = rest;
        }
        if self.comment_tokens.is_none() {
            if self.last_repost <= start {
                self.comment_tokens = Some(self.count);
            } else {
                next = next.min(self.last_repost);
            }
        }
        self.next = next;
    }

    /// Counts the next token, and collects the events before it.
    #[inline(always)]
    fn token(&mut self, place: Range<usize>) {
        if self.next <= place.start {
            self.collect_before(place.start);
        }
        self.count += 1;
    }
}

/// A borrowed gist, wherever its parts are stored.
#[derive(Debug, Clone, Copy)]
pub struct GistView<'a> {
    /// The body's tokens.
    pub(crate) body: View<'a>,
    /// See [`Gist::topics`].
    pub(crate) topics: &'a [u64],
    /// See [`Gist::comment_tokens`].
    pub(crate) comment_tokens: u32,
    /// See [`Gist::breaks`].
    pub(crate) breaks: &'a [u32],
    /// See [`Gist::signs`].
    pub(crate) signs: &'a [(u32, Sign)],
}

impl<'a> GistView<'a> {
    /// Returns the tokens before which a clause ends, in rising order. The end of the last clause is not among them.
    pub(crate) fn clause_ends(self) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
        self.breaks.iter().map(|at| *at as usize)
    }

    /// Returns the token ranges of the clauses, in order, without empty ones.
    pub(crate) fn clauses(self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut start = 0;
        let ends = self.clause_ends().chain([self.body.list.len()]);
        ends.map(move |end| std::mem::replace(&mut start, end)..end).filter(|clause| !clause.is_empty())
    }

    /// Whether a clause ends before one of these tokens.
    pub(crate) fn breaks_in(&self, places: Range<usize>) -> bool {
        let first = self.breaks.partition_point(|at| (*at as usize) < places.start);
        self.breaks.get(first).is_some_and(|at| (*at as usize) < places.end)
    }

    /// Whether a mark that ends a clause is right before this token.
    pub(crate) fn breaks_at(&self, at: usize) -> bool {
        self.breaks.binary_search(&(at as u32)).is_ok()
    }

    /// Whether a clause begins with this token.
    pub(crate) fn begins_clause(&self, at: usize) -> bool {
        at == 0 || self.breaks_at(at)
    }

    /// Whether a clause ends before this token.
    pub(crate) fn ends_clause(&self, at: usize) -> bool {
        at == self.body.list.len() || self.breaks_at(at)
    }
}

impl Gist {
    /// Builds the gist of a message from its body and its `canonical` form.
    pub(crate) fn of(body: &Body, canonical: &str) -> Self {
        let (mut tokens, mut events) = (Tokens::default(), Events::of(body));
        tokens.read_with(&body.text, |place| events.token(place));
        let Events { count, marks, comment_tokens, breaks, mut signs, .. } = events;
        signs.extend(marks.iter().map(|(_, sign)| (count, *sign)));
        let comment_tokens = comment_tokens.unwrap_or(count);
        let topics = body.topics.iter().map(|range| shingle::word(&canonical[range.clone()])).collect();
        Self { body: tokens, topics, comment_tokens, breaks: breaks.into(), signs: signs.into(), scope: 0 }
    }

    /// Heap bytes of its lists.
    pub(crate) fn heap_bytes(&self) -> usize {
        let Self { body, topics, breaks, signs, .. } = self;
        let digits = body.digits.iter().map(|(_, digits)| on_heap(digits.len())).sum::<usize>();
        let lists = [
            body.list.capacity() * size_of::<Token>(),
            body.digits.capacity() * size_of::<(Token, Box<str>)>(),
            body.spellings.capacity() * size_of::<(Token, u32)>(),
            size_of_val(&**topics),
            size_of_val(&**breaks),
            size_of_val(&**signs),
        ];
        digits + lists.into_iter().map(on_heap).sum::<usize>()
    }

    /// Whether the message is nothing but wrapping, so that it repeats no other.
    pub fn is_empty(&self) -> bool {
        self.body.list.is_empty() && self.topics.is_empty()
    }

    /// Returns a borrowed view of this gist.
    pub fn view(&self) -> GistView<'_> {
        GistView {
            body: self.body.view(),
            topics: &self.topics,
            comment_tokens: self.comment_tokens,
            breaks: &self.breaks,
            signs: &self.signs,
        }
    }
}
