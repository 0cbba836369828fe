//! A place where two texts differ: in 今天武汉下雨 / 昨日武汉下雨 it is 今天 of A and 昨日 of B.

use std::ops::Range;

use crate::text::GistView;
use crate::text::tokens::{Token, common_ends};

/// A stretch of A and a stretch of B that replace each other. One of them may be empty: its text has nothing there.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Its tokens in A.
    pub(crate) a: Range<usize>,
    /// Its tokens in B.
    pub(crate) b: Range<usize>,
}

impl Gap {
    /// Returns its place on one side: 0 for A, 1 for B.
    pub(crate) fn place(&self, side: usize) -> &Range<usize> {
        [&self.a, &self.b][side]
    }

    /// Returns its tokens in A and its tokens in B.
    pub(crate) fn of<'t>(&self, x: &'t [Token], y: &'t [Token]) -> [&'t [Token]; 2] {
        [&x[self.a.clone()], &y[self.b.clone()]]
    }

    /// Returns the same gap with A and B exchanged.
    pub(crate) fn turned(&self) -> Self {
        Self { a: self.b.clone(), b: self.a.clone() }
    }

    /// Returns the gap without the common beginning and the common end of its two sides.
    pub(crate) fn narrowed(&self, x: &[Token], y: &[Token]) -> Self {
        let [own, other] = self.of(x, y);
        let (head, tail) = common_ends(own, other);
        Self { a: self.a.start + head..self.a.end - tail, b: self.b.start + head..self.b.end - tail }
    }

    /// Whether one of the two texts, or both, have nothing there.
    pub(crate) fn is_pure(&self) -> bool {
        self.a.is_empty() || self.b.is_empty()
    }

    /// Whether neither text has anything there.
    pub(crate) fn is_empty(&self) -> bool {
        self.a.is_empty() && self.b.is_empty()
    }

    /// Returns the side that has something, and its place there, if the other side has nothing.
    pub(crate) fn one_sided(&self) -> Option<(usize, &Range<usize>)> {
        match (self.a.is_empty(), self.b.is_empty()) {
            (false, true) => Some((0, &self.a)),
            (true, false) => Some((1, &self.b)),
            _ => None,
        }
    }

    /// Whether both texts end there.
    pub(crate) fn is_at_end(&self, a: GistView<'_>, b: GistView<'_>) -> bool {
        self.a.end == a.body.list.len() && self.b.end == b.body.list.len()
    }

    /// Returns the number of its tokens on the longer side.
    pub(crate) fn longer(&self) -> usize {
        self.a.len().max(self.b.len())
    }
}
