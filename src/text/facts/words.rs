//! The words of a stretch of tokens.

use std::ops::Range;

use crate::text::{GistView, numerals};
use crate::text::lexicon::{self, Entry, LONGEST, Lexicon, Tag};
use crate::text::tokens::{Token, character, is_number, is_word};

/// Bits of information that a word costs if it is never seen: 26 are the words of the dictionary's corpus.
const UNSEEN: u32 = 26;
/// A word of the lists alone counts as if it were there so often (log2).
const LISTED: u32 = 9;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub range: Range<usize>,
    /// What the lexicon knows of it.
    pub entry: Option<Entry>,
}

impl Word {
    pub fn tokens<'a>(&self, list: &'a [Token]) -> &'a [Token] {
        &list[self.range.clone()]
    }

    /// Whether it says something: no particle, pronoun, adverb, and no filler.
    pub fn is_content(&self, list: &[Token]) -> bool {
        match self.entry {
            Some(entry) => !entry.is(lexicon::FILLER) && entry.tag() != Tag::Function,
            None => self.tokens(list).iter().any(|token| character(*token).is_some() || is_word(*token) || is_number(*token)),
        }
    }

    /// Whether it may be put in or left out without a change of what is said.
    pub fn is_filler(&self) -> bool {
        self.entry.is_some_and(|entry| entry.is(lexicon::FILLER))
    }
}

/// Cuts the stretch of a text into the words that are likeliest by their frequencies alone. None goes over the end of a clause.
pub(super) fn cut(lexicon: &Lexicon, text: GistView<'_>, stretch: Range<usize>) -> Vec<Word> {
    let (list, start, length) = (text.body.list, stretch.start, stretch.len());
    // The least cost of what stands before each place, and the word that ends there.
    let mut best: Vec<(u32, usize, Option<Entry>)> = vec![(u32::MAX, 0, None); length + 1];
    best[0].0 = 0;
    for at in 0..length {
        let cost = best[at].0;
        let mut offer = |end: usize, more: u32, entry: Option<Entry>| {
            if cost + more < best[end].0 {
                best[end] = (cost + more, at, entry);
            }
        };
        let is_numeral = |token: &Token| character(*token).is_some_and(numerals::is_numeral);
        let run = list[start + at..start + length].iter().take_while(|token| is_numeral(token)).count();
        offer(at + 1, UNSEEN, None);
        if run > 1 {
            offer(at + run, UNSEEN - LISTED, None);
        }
        let clause = text.breaks.iter().map(|end| *end as usize).find(|end| *end > start + at).unwrap_or(list.len());
        let end = (start + length).min(clause).min(start + at + LONGEST);
        lexicon.words_at(&list[..end], start + at, |count, entry| {
            let log = if entry.tag() == Tag::None { LISTED } else { entry.log_frequency() };
            offer(at + count, UNSEEN.saturating_sub(if count == 1 && entry.tag() == Tag::None { 1 } else { log }), Some(entry));
        });
    }
    let (mut words, mut end) = (Vec::new(), length);
    while end > 0 {
        let (_, begin, entry) = best[end];
        words.push(Word { range: start + begin..start + end, entry });
        end = begin;
    }
    words.reverse();
    words
}
