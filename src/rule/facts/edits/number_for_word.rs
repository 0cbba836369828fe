//! Finds a number in the place of a word: 督办4起事故 / 督办某县事故.

use crate::rule::facts::numeric::value;
use crate::rule::facts::slips::is_mask;
use crate::rule::facts::slots::{Slot, is_level};
use crate::rule::facts::words::Word;
use crate::text::lexicon::Tag;
use crate::text::tokens::{Token, is_number, is_one_of};

/// Longest word, in tokens, that a number may replace.
const WORD_UPTO: usize = 5;

/// Whether one side has a number, and the other a word that is no number: 督办4起事故 / 督办某县事故. A date and a word of time do not count.
pub(super) fn is_number_for_word(slot: &Slot<'_>) -> bool {
    let [of_a, of_b] = slot.sides();
    let fits = |side: &[Token]| (1..=WORD_UPTO).contains(&side.len()) && !is_mask(side);
    let (a, b) = (has_unmatched_number(of_a, of_b), has_unmatched_number(of_b, of_a));
    fits(of_a)
        && fits(of_b)
        && a != b
        && !is_level(of_a, of_b)
        && !(a && is_date(slot, 0))
        && !(b && is_date(slot, 1))
        && has_word(slot, if a { 1 } else { 0 })
}

/// Whether a side has a number that the other side lacks. The context decides which numerals are numbers: 一 of 一天 is one, 一 of 一大 is
/// not.
fn has_unmatched_number(side: &[Token], other: &[Token]) -> bool {
    let lacks = |token: &Token| other.iter().all(|other| value(*other) != value(*token));
    side.iter().any(|token| is_number(*token) && lacks(token))
}

/// Whether a side, or the token after it, is a part of a date or a time.
fn is_date(slot: &Slot<'_>, side: usize) -> bool {
    let (list, range) = (slot.lists()[side], slot.whole.place(side));
    list[range.start..(range.end + 1).min(list.len())].iter().any(|token| is_one_of(*token, "年月日号点时周"))
}

/// Whether a side has a content word that neither counts nor tells a time, and no word of time.
fn has_word(slot: &Slot<'_>, side: usize) -> bool {
    let (list, words) = (slot.lists()[side], &slot.only[side]);
    let has_tag = |word: &Word, is: fn(Tag) -> bool| word.entry.is_some_and(|entry| is(entry.tag()));
    let is_other = |word: &Word| word.is_content(list) && !has_tag(word, |tag| matches!(tag, Tag::Time | Tag::Count));
    words.iter().any(is_other) && !words.iter().any(|word| has_tag(word, |tag| tag == Tag::Time))
}
