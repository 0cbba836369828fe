//! Finds another place with a name that no list has: 凤起路 / 凤城路, 石门中学 / 石桥中学.

use std::ops::Range;

use super::numeric::is_plain;
use super::slots::Slot;
use crate::rule::gap::Gap;
use crate::text::cues::CUES;
use crate::text::lexicon::{Entry, Tag};
use crate::text::tokens::{Token, character, is_one_of};

/// Longest differing part of a name, in tokens.
const PART: usize = 2;

/// Whether the gap is the end of a name before 路, 中学 or the like, and the characters are not easily confused.
pub(super) fn is_other_place(slot: &Slot<'_>) -> bool {
    let (Gap { a: p, b: q }, [x, y]) = (&slot.gap, slot.sides());
    let as_long = x.len() == y.len() && (1..=PART).contains(&x.len());
    if !as_long || p.start == 0 || !x.iter().chain(y).all(|token| is_plain(*token)) {
        return false;
    }
    let alike = x.iter().zip(y).all(|(x, y)| x == y || slot.lexicon.confused(*x, *y));
    let behind: String = slot.lists()[0][p.end..].iter().take(PART).map_while(|token| character(*token)).collect();
    // 镇 of 天悲镇压 is no town.
    let mut is_word = false;
    slot.lexicon.words_at(slot.lists()[0], p.end, |length, entry| {
        is_word |= length > 1 && matches!(entry.tag(), Tag::Verb | Tag::Function);
    });
    // 马路 is no name.
    let is_apart =
        |side: usize, gap: &Range<usize>| !slot.words(side).any(|word| word.start < gap.end && word.end > gap.end);
    let is_named = !is_word && behind.starts_with(|c| CUES.street.has(c)) && is_apart(0, p) && is_apart(1, q);
    let says = |token: &Token| {
        slot.lexicon.get(&[*token]).is_some_and(|entry| matches!(entry.tag(), Tag::Verb | Tag::Function))
    };
    // 顺义 is a place, though 顺 alone is a verb.
    let is_place = |side: &[Token]| slot.lexicon.get(side).is_some_and(|entry| entry.tag() == Tag::Place);
    // 各大门店 and 亏损门店 name none.
    let names_none = |side: &[Token]| {
        let is_other = |entry: Entry| !entry.tag().is_noun() && !matches!(entry.tag(), Tag::Name | Tag::None);
        let first = if side.len() > 1 { side[0] } else { slot.lists()[0][p.start - 1] };
        is_one_of(first, "各全所任本该每") || side.len() > 1 && slot.lexicon.get(side).is_some_and(is_other)
    };
    let may_be_name = |side: &[Token]| is_place(side) || !side.iter().any(says) && !names_none(side);
    let is_kind = || CUES.site.is(&behind) && may_be_name(x) && may_be_name(y);
    !alike && (is_named || is_kind())
}
