//! Finds clauses at the ends of a message that carry no news: civility, adverts, sources, requests to pass it on.
//!
//! 尊敬的业主您好，明天小区停水，给您带来不便敬请谅解 says 明天小区停水. The words are a closed list, in `data/lexicon/filler.txt`: its sections `[politeness]`,
//! `[advert]`, `[source]` and `[civil]`, and `[beside]` for words that may come with them. Judgement (点赞, 支持, 活该) is not in the
//! list.

use std::ops::Range;
use std::sync::LazyLock;

use super::beginnings::Beginnings;
use super::lexicon::{BESIDE, CIVIL, FILLER, LONGEST_WORD, Lexicon, lexicon};
use super::lists::{Line, lines};
use super::normalise::canonical_into;
use super::tokens::{self, Token, Tokens};

/// Longest clause, in tokens.
const CLAUSE_UPTO: usize = 24;
/// Fewest tokens of the rest, not counting particles: if fewer are left, the civility is the message.
const REST_FROM: usize = 6;
/// Texts of more bytes are not examined: no civility is half as long as the rest of them.
const TEXT_BYTES: usize = 320;

/// The list that the lexicon's words of civility come from.
static LIST: &str = include_str!("../../data/lexicon/filler.txt");

/// The first two tokens of each word of the list. Few other clauses begin with two such tokens, so the rest need not be read.
static WORDS: LazyLock<Beginnings> = LazyLock::new(|| {
    let (mut words, mut read, mut word) = (Beginnings::default(), Tokens::default(), String::new());
    let sections = ["politeness", "advert", "source", "civil", "beside"];
    let listed = lines(LIST).filter(|line| sections.contains(&line.section));
    for spelled in listed.flat_map(Line::words) {
        canonical_into(spelled, &mut word);
        let ([mut first, mut second], length, whole) = tokens::beginning(&word);
        if length < 2 && !whole {
            read.read(&word);
            [first, second] = [0, 1].map(|at| read.list.get(at).copied().unwrap_or_default());
        }
        words.add(first, second);
    }
    words
});

/// Whether the first two characters of a clause already show that it is not civil.
fn cannot_be_civil(clause: &str) -> bool {
    let ([first, second], length, _) = tokens::beginning(clause);
    length == 2 && !(WORDS.has_first(first) && WORDS.has(first, second))
}

/// Whether the tokens are nothing but words of the list, and not all of them words of `[beside]`.
pub(crate) fn is_civil(lexicon: &Lexicon, list: &[Token]) -> bool {
    is_civil_as_far(lexicon, list, true) == Some(true)
}

/// Does the same for a clause that begins with these tokens, which are the `whole` clause or only a part. Returns `None` if the
/// other tokens decide.
fn is_civil_as_far(lexicon: &Lexicon, list: &[Token], whole: bool) -> Option<bool> {
    if list.is_empty() || list.len() > CLAUSE_UPTO {
        return if list.is_empty() && !whole { None } else { Some(false) };
    }
    let words = &*WORDS;
    // Whether a chain of words of the list ends before each token: bit 0 is set for chains without civility, bit 1 for chains with
    // it.
    let mut reached = [0_u8; CLAUSE_UPTO + 1];
    reached[0] = 1;
    for (at, token) in list.iter().enumerate() {
        let here = reached[at];
        let begins = match list.get(at + 1) {
            _ if here == 0 || !words.has_first(*token) => false,
            None => !whole || words.has(*token, 0),
            Some(next) => words.has(*token, *next),
        };
        if !begins {
            continue;
        }
        if !whole && at + LONGEST_WORD > list.len() {
            return None;
        }
        lexicon.words_at(list, at, |length, entry| {
            if entry.is(CIVIL | BESIDE) {
                reached[at + length] |= if entry.is(CIVIL) && length > 1 { 2 } else { here };
            }
        });
    }
    match reached[list.len()] {
        0 => Some(false),
        end => whole.then_some(end & 2 != 0),
    }
}

/// Returns the number of tokens of a clause, if it is civil.
fn civil_tokens(lexicon: &Lexicon, clause: &str, read: &mut Tokens) -> Option<usize> {
    if cannot_be_civil(clause) {
        return None;
    }
    let (list, length, whole) = tokens::beginning::<{ CLAUSE_UPTO + 1 }>(clause);
    let (length, is_civil) = match is_civil_as_far(lexicon, &list[..length], whole) {
        Some(is_civil) => (length, is_civil),
        None => {
            read.read(clause);
            (read.list.len(), is_civil(lexicon, &read.list))
        }
    };
    is_civil.then_some(length)
}

/// Returns the part of a body between the civil clauses at its ends, if the civility is at least half as long as that part.
/// Otherwise returns the whole body: shorter civility counts in the comparison like any other clause. `breaks` are the places where
/// clauses end.
pub(super) fn without_civility(text: &str, breaks: &[usize]) -> Range<usize> {
    let whole = 0..text.len();
    if text.len() > TEXT_BYTES || breaks.iter().all(|end| *end == 0 || *end == text.len()) {
        return whole;
    }
    let clause = |at: usize| {
        let start = at.checked_sub(1).map_or(0, |before| breaks[before]);
        let from = text.len() - text[start..].trim_start().len();
        let end = breaks.get(at).copied().unwrap_or(text.len());
        (from < end).then_some(from..end)
    };
    let mut clauses = (0..=breaks.len()).filter_map(clause);
    let (mut tokens, lexicon, mut civil) = (Tokens::default(), lexicon(), 0);
    let last = loop {
        let Some(last) = clauses.next_back() else { return whole };
        match civil_tokens(lexicon, &text[last.clone()], &mut tokens) {
            Some(length) => civil += length,
            None => break last,
        }
    };
    let first = loop {
        let Some(first) = clauses.next() else { break last.start };
        match civil_tokens(lexicon, &text[first.clone()], &mut tokens) {
            Some(length) => civil += length,
            None => break first.start,
        }
    };
    if civil == 0 {
        return whole;
    }
    let news = first..last.end;
    tokens.read(&text[news.clone()]);
    // 停水 and 停水了 count as equally long.
    let is_particle = |token: &&Token| lexicon.get(&[**token]).is_some_and(|entry| entry.is(FILLER));
    let said = tokens.list.len() - tokens.list.iter().filter(is_particle).count();
    if said < REST_FROM || 2 * civil < said { whole } else { news }
}

#[cfg(test)]
mod tests;
