//! What a repeat needs by the rule, as far as an index can look it up: how many tokens two bodies must have in common, and what may not
//! differ.
//!
//! For example, if 我在东湖旁的樱花树下等你 repeats a body, the two have eight covered tokens or more in common. So the [overlap
//! engine](crate::near::overlap) offers only such bodies. The rule then judges these, so the conditions here may be weaker than the rule, and
//! never stronger.

pub(crate) use crate::rule::facts::ONE_SUBJECT_BELOW;
use crate::rule::facts::{self, Count};
use crate::text::GistView;
use crate::text::tokens::{Token, are_permuted};

/// Longer bodies are no short texts: only equal ones are repeats, so that a comparison takes at most a few milliseconds.
pub(crate) const LONGEST: usize = 8192;

/// From so many tokens on a body is long. If both are, a part of B must be in common runs of [`RUN`] tokens. In a shorter body a changed
/// word is a larger part of what it says.
pub(crate) const LONG: usize = 16;
/// Tokens of a run that counts if two long bodies have it in common.
pub(crate) const RUN: usize = 5;

/// A body of so many tokens needs only one such run, if no difference is news: a repeat with a synonym or a particle in each clause.
pub(crate) const ONE_RUN: std::ops::Range<usize> = LONG..25;

/// So many tokens side by side that a repost adds in its comment are a remark of its own.
pub(crate) const COMMENT: usize = 8;

/// Bodies of up to so many tokens say nothing without their topic.
pub(crate) const REMARK: usize = 5;

/// What two bodies must have in common for a repeat, in thousandths: what [`bounds`](super::bounds()) gives and
/// [`Standalone`](crate::near::overlap::Standalone) takes.
///
/// Of a kept body `a` and a new one `b`, of la and lb tokens:
/// - both long, that is of `LONG` tokens or more: b has lb · `runs` / 1000 tokens or more in runs of `RUN` tokens or more that a has, too; or
///   one such run, with `counts`, if b has few tokens (`ONE_RUN`); or both have the same tokens in any order, as many as `REARRANGED` says;
/// - else: 2 · min(covered of a, covered of b) · 1000 ≥ `short` · (la + lb). A token is covered if one of the two bigrams it
///   is in occurs in the other body, anywhere;
/// - or, with `quotes`: b has a length in `QUOTED`, and a is long and has b in one piece;
/// - with `counts`: `counts_differ` does not say of their `few_counts` that they differ, and no numbers of b are `renumbered` in a, no code of
///   b is `recoded` in a, no name of b is `renamed` in a, a has another (`other_only`) of nothing that b has only one of, and b does not list
///   other items (`listed`), nor say something else of two (`other_entries`);
/// - both long, with `slots`: no slot of b is `refilled` in a, nor are brief ones (`refilled_briefly`);
/// - b long, with `counts` or `slots`: of b's `commented` tokens, a covers one of each `COMMENT` side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Least similarity where one body is short, 1..=1000; other numbers count as the nearest of these.
    pub(crate) short: u32,
    /// Least share of a long body in common runs where both are long, 1..=1000; the same.
    pub(crate) runs: u32,
    /// Whether what they count, and whom they name, may not differ.
    pub(crate) counts: bool,
    /// Whether a slot may not be filled with other words.
    pub(crate) slots: bool,
    /// Whether a short body that a long one [quotes](QUOTED) is possible.
    pub(crate) quotes: bool,
}

/// A body of so many tokens may be a clause of a long one.
pub(crate) const QUOTED: std::ops::Range<usize> = 8..LONG;

/// In bodies of so many tokens clauses and items may be so short that no run of [`RUN`] is left when they change places.
pub(crate) const REARRANGED: std::ops::Range<usize> = LONG..25;

/// Whether two bodies of a [fitting length](REARRANGED) have the same tokens in any order.
pub(super) fn are_rearranged(x: &[Token], y: &[Token]) -> bool {
    REARRANGED.contains(&y.len()) && are_permuted(x, y)
}

/// How many tokens of a message comment on what it reposts; 0 if they may be an advert, which is no news.
pub(crate) fn commented(b: GistView<'_>) -> usize {
    let comments = b.comments as usize;
    let is_news = |end| !facts::is_advert(b, &(0..end));
    if comments < b.body.list.len() && (COMMENT..=comments).all(is_news) { comments } else { 0 }
}

/// In bodies with more numbers than this, the search for one that differs takes longer than it saves.
const MOST_COUNTS: usize = 16;

/// The numbers of a body, if they are few. They tell messages of one template apart that have another number for each receiver.
pub(crate) fn few_counts(list: &[Token]) -> Box<[Count]> {
    if !facts::has_numbers(list) {
        return Box::default();
    }
    let counts: Box<[Count]> = facts::counts(list).take(MOST_COUNTS + 1).collect();
    if counts.len() > MOST_COUNTS { Box::default() } else { counts }
}

/// Two bodies of so few tokens, as many in each, may differ in one character that is taken for another, whatever the other bounds say:
/// 武汉加油 / 武汉加由.
pub(crate) const SLIP: std::ops::RangeInclusive<usize> = 4..=6;

/// Fewest covered tokens of a body of so many that differs from another one in one character. That character is not covered, nor is a
/// first or last token beside it. `None` where bodies are too short for that, or so long that they are alike anyway.
#[inline]
pub(crate) fn least_of_slip(tokens: usize) -> Option<usize> {
    SLIP.contains(&tokens).then(|| tokens - 2)
}

impl Bounds {
    /// The bounds with thousandths in 1..=1000.
    pub(crate) fn checked(self) -> Self {
        Self { short: self.short.clamp(1, 1000), runs: self.runs.clamp(1, 1000), ..self }
    }

    /// Most tokens of a body that has a short partner.
    pub(crate) fn longest_partner(&self) -> usize {
        (LONG - 1) * (2000 - self.short as usize) / self.short as usize
    }

    /// Fewest tokens of a long body of `lb` tokens in runs that it has in common with its partner.
    pub(crate) fn least_in_runs(&self, lb: usize) -> usize {
        let least = (lb * self.runs as usize).div_ceil(1000);
        if self.counts && ONE_RUN.contains(&lb) { least.min(RUN) } else { least }
    }

    /// Fewest covered tokens of a body of `lb` tokens that can do for a kept body of `shortest..=longest` tokens, one of
    /// them short; at least 1. `None` if no number can.
    #[inline]
    pub(crate) fn least_covered_of_short(&self, shortest: usize, longest: usize, lb: usize) -> Option<usize> {
        let (similarity, least_length) = (self.short as usize, shortest);
        // No more of a than la can be covered: 2000 · la ≥ s · (la + lb).
        let shortest = shortest.max((lb * similarity).div_ceil(2000 - similarity));
        let least = (similarity * (shortest + lb)).div_ceil(2000);
        let alike = (shortest <= longest && least <= lb).then_some(least);
        let slip = least_of_slip(lb).filter(|_| (least_length..=longest).contains(&lb));
        match (alike, slip) {
            (Some(alike), Some(slip)) => Some(alike.min(slip)),
            (alike, slip) => alike.or(slip),
        }
    }
}
