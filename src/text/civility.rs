//! Clauses at the ends of a message that say nothing: civility, adverts, sources, calls to pass it on.
//!
//! 尊敬的业主您好，明天停水，给您带来不便敬请谅解 says 明天停水. The words are a closed list: `[politeness]`, `[advert]`, `[source]` and
//! `[civil]` of `data/lexicon/filler.txt`, and `[beside]`, what may stand beside them. Judgement (点赞, 支持, 活该) is none of it.

use std::ops::Range;

use super::lexicon::{BESIDE, CIVIL, FILLER, Lexicon, lexicon};
use super::tokens::{Token, Tokens};

/// Longest clause, in tokens.
const MOST: usize = 24;
/// Fewest tokens of what is left, but for particles: after less, civility is the message.
const LEAST: usize = 6;
/// Longer texts, in bytes, are not looked at: no civility is half as long as the rest.
const LONGEST: usize = 320;

/// Whether the tokens are nothing but words of the list, one of them more than what stands beside.
pub(super) fn is_civil(lexicon: &Lexicon, list: &[Token]) -> bool {
    if list.is_empty() || list.len() > MOST {
        return false;
    }
    // Whether words reach to before a token: bit 0 without civility, bit 1 with it.
    let mut reached = [0_u8; MOST + 1];
    reached[0] = 1;
    for at in 0..list.len() {
        let here = reached[at];
        if here == 0 {
            continue;
        }
        lexicon.words_at(list, at, |length, entry| {
            if entry.is(CIVIL | BESIDE) {
                reached[at + length] |= if entry.is(CIVIL) && length > 1 { 2 } else { here };
            }
        });
    }
    reached[list.len()] & 2 != 0
}

/// What a body says between civility at its ends, if that is at least half as long as the rest: shorter civility counts in the
/// comparison as any clause does. `breaks` are where clauses end.
pub(super) fn news(text: &str, breaks: &[usize]) -> Range<usize> {
    let whole = 0..text.len();
    if text.len() > LONGEST || breaks.iter().all(|end| *end == 0 || *end == text.len()) {
        return whole;
    }
    let mut start = 0;
    let mut clauses: Vec<Range<usize>> = Vec::new();
    for end in breaks.iter().copied().chain([text.len()]) {
        let from = text.len() - text[start..].trim_start().len();
        if from < end {
            clauses.push(from..end);
        }
        start = end;
    }
    let (mut tokens, lexicon, mut civil) = (Tokens::default(), lexicon(), 0);
    let mut length = |range: Range<usize>| {
        tokens.read(&text[range]);
        is_civil(lexicon, &tokens.list).then_some(tokens.list.len())
    };
    let mut left = clauses.as_slice();
    while let [rest @ .., last] = left
        && let Some(tokens) = length(last.clone())
    {
        (left, civil) = (rest, civil + tokens);
    }
    while let [first, rest @ ..] = left
        && let Some(tokens) = length(first.clone())
    {
        (left, civil) = (rest, civil + tokens);
    }
    let (Some(first), Some(last)) = (left.first(), left.last()) else { return whole };
    let news = first.start..last.end;
    if civil == 0 {
        return whole;
    }
    tokens.read(&text[news.clone()]);
    // 停水 and 停水了 are as long.
    let is_particle = |token: &&Token| lexicon.get(&[**token]).is_some_and(|entry| entry.is(FILLER));
    let said = tokens.list.len() - tokens.list.iter().filter(is_particle).count();
    if said < LEAST || 2 * civil < said { whole } else { news }
}

#[cfg(test)]
mod tests;
