//! Compares the works that two texts name: 今晚上演《茶馆》 / 今晚上演《雷雨》 are two messages. Texts of 64 tokens or more are left to the other steps.

use std::ops::Range;

use super::slips::is_one_alike;
use super::text_kind::ONE_SUBJECT_BELOW;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::signs::TitleMark;
use crate::text::tokens::{Token, are_characters, find};

/// Longest title, in tokens.
const TITLE_UPTO: usize = 16;

/// Returns where each of two texts names a work that the other does not have. Neither title may be a misspelling or a part of the other:
/// they have less than half of their characters in common.
pub(crate) fn other_title(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    if x.len().min(y.len()) >= ONE_SUBJECT_BELOW || a.comment_tokens > 0 || b.comment_tokens > 0 {
        return None;
    }
    let of_b = lacking(b, x);
    let other = |p: Range<usize>| {
        let is_other = |q: &&Range<usize>| !may_be_one_title(&x[p.clone()], &y[(*q).clone()]);
        of_b.iter().all(|q| is_other(&q)).then(|| of_b.first().map(|q| Gap { a: p, b: q.clone() }))?
    };
    if of_b.is_empty() { None } else { lacking(a, y).into_iter().find_map(other) }
}

/// Returns the titles of a text that a body does not have.
fn lacking(text: GistView<'_>, body: &[Token]) -> Vec<Range<usize>> {
    let mut marks = text.signs.iter().filter_map(|(at, sign)| Some((*at as usize, sign.title_mark()?))).peekable();
    let mut found = Vec::new();
    while let Some((start, mark)) = marks.next() {
        if let Some((end, TitleMark::Ends)) = marks.peek().copied().filter(|_| mark == TitleMark::Begins)
            && (1..=TITLE_UPTO).contains(&(end - start))
        {
            let title = &text.body.list[start..end];
            if find(body, title).is_none() {
                found.push(start..end);
            }
        }
    }
    found
}

/// Whether one title may be the other: a character sounds or looks alike, the longer title has half of the shorter one's tokens, or the
/// scripts differ.
fn may_be_one_title(x: &[Token], y: &[Token]) -> bool {
    let (short, long) = if x.len() < y.len() { (x, y) } else { (y, x) };
    let sounds_so = x.len() == y.len() && is_one_alike(x, y);
    sounds_so
        || 2 * short.iter().filter(|token| long.contains(token)).count() >= short.len()
        || are_characters(x) != are_characters(y)
}
