//! The conditions of a repeat that an index can look up: how many tokens two bodies must have in common, and what must not differ.
//!
//! For example, a body that 我在东湖旁的樱花树下等你 repeats has at least eight covered tokens in common with it. So the [overlap
//! engine](crate::near::overlap) offers only such bodies, and the rule then judges these. The conditions here may be weaker than the rule,
//! but never stronger.

pub(crate) use crate::rule::facts::ONE_SUBJECT_BELOW;
use crate::rule::facts::{self, Count};
use crate::text::GistView;
use crate::text::tokens::{Token, are_permuted};

/// Longer bodies are no short texts: only equal ones are repeats. This limits a comparison to a few milliseconds.
pub(crate) const LONGEST: usize = 8192;

/// A body of at least this many tokens is long. If both bodies are, a part of B must be in common runs of [`RUN`] tokens. In a shorter
/// body a changed word is a larger part of the content.
pub(crate) const LONG: usize = 16;
/// Fewest tokens of a run that counts as common to two long bodies.
pub(crate) const RUN: usize = 5;

/// Lengths of a body that is long, but may have few common runs with its repeat. The repeat may have a synonym or a particle in each clause,
/// so one run is enough, if no difference is news. When clauses and items change places, perhaps no run remains.
pub(crate) const RATHER_SHORT: std::ops::Range<usize> = LONG..25;

/// A comment on a repost is a remark of its own if it has this many adjacent tokens that A does not cover.
pub(crate) const COMMENT: usize = 8;

/// Bodies of at most this many tokens say nothing without their topic.
pub(crate) const REMARK: usize = 5;

/// What two bodies must have in common for a repeat, in thousandths. [`Standalone`](crate::near::overlap::Standalone) takes this.
///
/// `a` is a kept body of la tokens, and `b` a new one of lb tokens. A body of `LONG` tokens or more is long. One of these must hold:
/// - Both are long, and b has lb · `runs` / 1000 tokens or more in runs of `RUN` tokens or more that a has, too. If lb is in
///   `RATHER_SHORT`, it is also enough that both have the same tokens in any order, and, with `counts`, that they have one such run.
/// - One is not long, and 2 · min(covered of a, covered of b) · 1000 ≥ `short` · (la + lb). A token is covered if one of the two bigrams
///   that contain it occurs anywhere in the other body.
/// - la = lb is in `SLIP_LENGTHS`, and as many tokens are covered as `least_of_slip` says.
/// - With `quotes`: lb is in `QUOTED`, and a is long and contains b in one piece.
///
/// And these must hold:
/// - With `counts`: `counts_differ` finds no difference between their `few_counts`. No numbers of b are `renumbered` in a, no code is
///   `recoded`, and no name is `renamed`. Neither `other_only`, `listed` nor `other_entries` finds a difference.
/// - With `slots`, if both are long: no slot of b is `refilled` in a, and no brief slots are (`refilled_briefly`).
/// - With `counts` or `slots`, if b is long: a covers at least one of any `COMMENT` adjacent tokens among b's `commented` tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The setting of the similarity, 0..=1000. [`least_covered`](Self::least_covered) reads it.
    pub(crate) similarity: u32,
    /// Least similarity if one body is short, 1..=1000; values outside this range are clamped.
    pub(crate) short: u32,
    /// Least share of a long body in common runs if both are long, 1..=1000; values outside this range are clamped.
    pub(crate) runs: u32,
    /// Whether a different number, code, name or item makes b another message.
    pub(crate) counts: bool,
    /// Whether other words in a slot make b another message.
    pub(crate) slots: bool,
    /// Whether a short body may be a repeat because a long one contains it: a [quote](QUOTED).
    pub(crate) quotes: bool,
}

/// Lengths of a body that may be a clause of a long one.
pub(crate) const QUOTED: std::ops::Range<usize> = 8..LONG;

/// Whether two [rather short](RATHER_SHORT) bodies have the same tokens in any order.
pub(super) fn are_rearranged(x: &[Token], y: &[Token]) -> bool {
    RATHER_SHORT.contains(&y.len()) && are_permuted(x, y)
}

/// Returns how many tokens of a message comment on a reposted text; 0 if they may be an advert, which is no news.
pub(crate) fn commented(b: GistView<'_>) -> usize {
    let comments = b.comment_tokens as usize;
    let is_news = |end| !facts::is_advert(b, &(0..end));
    if comments < b.body.list.len() && (COMMENT..=comments).all(is_news) { comments } else { 0 }
}

/// In bodies with more numbers than this, the search for one that differs costs more time than it saves.
pub(super) const MOST_NUMBERS: usize = 16;

/// Returns the numbers of a body if they are few. They tell apart messages of one template that give each receiver another number.
pub(crate) fn few_counts(list: &[Token]) -> Box<[Count]> {
    if !facts::has_numbers(list) {
        return Box::default();
    }
    let counts: Box<[Count]> = facts::counts(list).take(MOST_NUMBERS + 1).collect();
    if counts.len() > MOST_NUMBERS { Box::default() } else { counts }
}

/// Two bodies of such a length, with the same number of tokens, may differ in one character that is confused with the other one, whatever
/// the other bounds say: 武汉加油 / 武汉加由.
pub(crate) const SLIP_LENGTHS: std::ops::RangeInclusive<usize> = 4..=6;

/// Returns the fewest covered tokens of a body of this length that differs from another body in one character. That character is not
/// covered, nor is a first or last token beside it. `None` if the body is too short for that, or so long that the two are alike anyway.
#[inline]
pub(crate) fn least_of_slip(tokens: usize) -> Option<usize> {
    SLIP_LENGTHS.contains(&tokens).then(|| tokens - 2)
}

impl Bounds {
    /// Returns the bounds with the thousandths clamped to 1..=1000.
    pub(crate) fn checked(self) -> Self {
        Self { short: self.short.clamp(1, 1000), runs: self.runs.clamp(1, 1000), ..self }
    }

    /// Returns the most tokens that the partner of a short body can have.
    pub(crate) fn longest_partner(&self) -> usize {
        (LONG - 1) * (2000 - self.short as usize) / self.short as usize
    }

    /// Returns the fewest tokens that a long body of `lb` tokens must have in runs that its partner has, too.
    pub(crate) fn least_in_runs(&self, lb: usize) -> usize {
        let least = (lb * self.runs as usize).div_ceil(1000);
        if self.counts && RATHER_SHORT.contains(&lb) { least.min(RUN) } else { least }
    }

    /// Returns how many tokens of a body of `lb` tokens must be covered at least, for it to repeat a kept body of `shortest..=longest`
    /// tokens. One of the two is short. The result is at least 1, or `None` if no number is enough.
    #[inline]
    pub(crate) fn least_covered_of_short(&self, shortest: usize, longest: usize, lb: usize) -> Option<usize> {
        let (similarity, least_length) = (self.short as usize, shortest);
        // At most all la tokens of a can be covered: 2000 · la ≥ s · (la + lb).
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
