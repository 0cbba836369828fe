//! Cuts a stretch of tokens into words: 河南发布通知 is 河南, 发布 and 通知. It takes the likeliest words, judged by the frequencies in the lexicon.

use std::ops::Range;

use crate::text::lexicon::{self, Entry, Lexicon, Tag};
use crate::text::tokens::{Token, character, is_number, is_word};
use crate::text::{GistView, numerals};

/// The cost, in bits, of a word that is never seen. The corpus of the dictionary has about 2^26 words.
const UNSEEN: u32 = 26;
/// A word that only the lists have counts as if it had this frequency (log2).
const LISTED: u32 = 9;

/// A word is common from this frequency (log2) on in the dictionary's corpus.
pub(super) const COMMON: u32 = 5;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(crate) range: Range<usize>,
    /// The entry of the word in the lexicon.
    pub(crate) entry: Option<Entry>,
}

impl Word {
    pub(crate) fn tokens<'a>(&self, list: &'a [Token]) -> &'a [Token] {
        &list[self.range.clone()]
    }

    /// Whether the dictionary has the word, and the word has two characters or more and is not rare.
    pub(super) fn is_known(&self) -> bool {
        self.range.len() > 1
            && self.entry.is_some_and(|entry| entry.tag() != Tag::None && entry.log_frequency() >= COMMON)
    }

    /// Whether the word means the same as another word, according to the dictionary.
    pub(super) fn is_synonym(&self, other: &Self, lexicon: &Lexicon) -> bool {
        self.entry.zip(other.entry).is_some_and(|(own, other)| lexicon.same(own, other))
    }

    /// Whether the word says something: it is no particle, pronoun, adverb or filler.
    pub(crate) fn is_content(&self, list: &[Token]) -> bool {
        match self.entry {
            Some(entry) => !entry.is(lexicon::FILLER) && entry.tag() != Tag::Function,
            None => self
                .tokens(list)
                .iter()
                .any(|token| character(*token).is_some() || is_word(*token) || is_number(*token)),
        }
    }
}

/// A word that a text may have at a place.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) entry: Entry,
}

/// Returns every word of the lexicon in the stretch of a text, sorted by its beginning. No word crosses the end of a clause.
pub(super) fn all(lexicon: &Lexicon, text: GistView<'_>, stretch: &Range<usize>) -> Vec<Found> {
    all_beside(lexicon, text, stretch, |_, _| {})
}

/// Does the same, and calls `each` for every entry, including phrases of civility, which are no words.
pub(super) fn all_beside(
    lexicon: &Lexicon,
    text: GistView<'_>,
    stretch: &Range<usize>,
    mut each: impl FnMut(Range<usize>, Entry),
) -> Vec<Found> {
    let list = text.body.list;
    let mut found = Vec::with_capacity(2 * stretch.len());
    let mut ends = text.clause_ends().chain([list.len()]);
    let mut clause = 0;
    for at in stretch.clone() {
        while clause <= at {
            clause = ends.next().unwrap_or(list.len().max(at + 1));
        }
        lexicon.words_at(&list[..clause.min(stretch.end)], at, |length, entry| {
            each(at..at + length, entry);
            if !entry.is_only(lexicon::CIVIL | lexicon::BESIDE) {
                found.push(Found { range: at..at + length, entry });
            }
        });
    }
    found
}

/// Cuts the stretch of a text into words of `all`. It takes the likeliest words, judged only by their frequencies.
pub(super) fn cut(list: &[Token], stretch: &Range<usize>, all: &[Found]) -> Vec<Word> {
    let (start, length) = (stretch.start, stretch.len());
    // For each place: the least cost of the tokens before it, and the word that ends there.
    let mut best: Vec<(u32, usize, Option<Entry>)> = vec![(u32::MAX, 0, None); length + 1];
    best[0].0 = 0;
    let mut all = all.iter().peekable();
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
        while let Some(Found { range, entry }) = all.next_if(|found| found.range.start == start + at) {
            let more = match (range.len(), entry.tag()) {
                (1, Tag::None) => 1,
                (_, Tag::None) => LISTED,
                _ => entry.log_frequency(),
            };
            offer(range.end - start, UNSEEN.saturating_sub(more), Some(*entry));
        }
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
