//! Compares members of a class that exclude each other (河南 / 河北, 红色预警 / 橙色预警), and brands (小熊 / 小白熊).

use std::ops::Range;

use super::slots::Slot;
use super::words::Found;
use crate::rule::gap::Gap;
use crate::text::tokens::{Token, find};

/// Texts of at least this many tokens are not the names of goods.
const GOODS: usize = 25;
/// In a post, at most this many tokens of a gap beside a word do not separate the word from the one in its place.
const MOST_BESIDE: usize = 3;

/// Returns the group, if a member of a class replaces another one, or a word replaces its opposite: 红色预警 / 橙色预警, 加息 / 降息.
pub(super) fn member_for_member(slot: &Slot<'_>) -> Option<u16> {
    let [x, y] = slot.lists();
    let (of_a, of_b) = (slot.sensed(0), slot.sensed(1));
    let Gap { a: p, b: q } = &slot.gap;
    // A word inside another word does not count as a second one: 祖母 of 外祖母.
    let has = |list: &[Token], range: &Range<usize>, word: &[Token], but: &Range<usize>| {
        let is_other = |at: usize| at < but.start || at + word.len() > but.end;
        let mut windows = list[range.clone()].windows(word.len()).enumerate();
        // The first tokens are compared first: most differ.
        windows.any(|(at, tokens)| tokens[0] == word[0] && tokens == word && is_other(range.start + at))
    };
    let by_words = of_a.iter().find_map(|Found { range: i, entry }| {
        of_b.iter().find_map(|Found { range: j, entry: other }| {
            let before = p.start as isize - i.start as isize == q.start as isize - j.start as isize;
            let after = i.end as isize - p.end as isize == j.end as isize - q.end as isize;
            let single = i.len() == 1 || j.len() == 1;
            let alone = !single || p.len() <= 1 && q.len() <= 1 || i == p && j == q;
            let (word, instead) = (&x[i.clone()], &y[j.clone()]);
            let moved = has(x, &slot.whole.a, instead, i)
                || has(y, &slot.whole.b, word, j)
                || has(x, &(0..x.len()), instead, i) && has(y, &(0..y.len()), word, j);
            // Beside an addition or an omission there are words that replace no others.
            let placed = if slot.gap.is_pure() { before && after } else { before || after };
            let group = slot.lexicon.conflict(*entry, *other).filter(|_| placed && alone && !moved)?;
            let loose = !slot.lexicon.is_of_opposites(*entry, group) && loosely_placed(slot, i, j);
            Some(group).filter(|_| !loose)
        })
    });
    // 尺码 and 尺寸 say the same, though 码 and 寸 are two units.
    let by_characters = || match (&x[p.clone()], &y[q.clone()]) {
        ([i], [j]) => slot.lexicon.conflict(slot.lexicon.get(&[*i])?, slot.lexicon.get(&[*j])?),
        _ => None,
    };
    by_words.or_else(|| by_characters().or_else(|| inside(slot)).filter(|_| !slot.are_synonyms()))
}

/// Returns the group of two words inside longer ones that are otherwise equal: 外地 and 本地 of 外地车辆 / 本地车辆.
fn inside(slot: &Slot<'_>) -> Option<u16> {
    let Gap { a: p, b: q } = &slot.gap;
    if slot.gap.is_pure() {
        return None;
    }
    slot.around(0).find_map(|Found { range: i, entry }| {
        let is_there = |j: &Range<usize>| p.start - i.start == q.start - j.start && i.end - p.end == j.end - q.end;
        slot.around(1)
            .filter(|other| is_there(&other.range))
            .find_map(|other| slot.lexicon.conflict(*entry, other.entry))
    })
}

/// Whether two words are only loosely in each other's place, in a post that is nearly the same. Either they are in gaps with many other
/// tokens: 愿平安归来 / 护理队今天出征. Such a passage was written anew, and its words need not replace each other. Or one is the end of the
/// other: 新型冠状病毒肺炎 / 肺炎.
fn loosely_placed(slot: &Slot<'_>, i: &Range<usize>, j: &Range<usize>) -> bool {
    if !slot.is_post {
        return false;
    }
    let ([x, y], Gap { a: p, b: q }) = (slot.lists(), &slot.gap);
    let beside = |gap: &Range<usize>, word: &Range<usize>| {
        word.start.saturating_sub(gap.start) + gap.end.saturating_sub(word.end.max(gap.start))
    };
    let (word, instead) = (&x[i.clone()], &y[j.clone()]);
    // 南充出发，高铁往返 / 宜昌出发，房车往返: two gaps so close that they were joined.
    let before = |list: &[Token], word: &Range<usize>| word.start.checked_sub(1).map(|at| list[at]);
    let has_neighbours = before(x, i) == before(y, j) && x.get(i.end) == y.get(j.end);
    let is_far = beside(p, i).max(beside(q, j)) > MOST_BESIDE && !has_neighbours;
    is_far || word.ends_with(instead) || instead.ends_with(word)
}

/// Returns the group of a brand that begins a short text, if the other text has a similar name there: 小熊温奶器 / 小白熊温奶器. A brand that only
/// sounds alike is a slip.
pub(super) fn other_brand(slot: &Slot<'_>) -> Option<u16> {
    let (lists, gaps) = (slot.lists(), [&slot.gap.a, &slot.gap.b]);
    let bare = slot.a.topics.is_empty() && slot.b.topics.is_empty();
    if !bare || lists[0].len().max(lists[1].len()) >= GOODS {
        return None;
    }
    let [x, y] = slot.sides();
    let slip = x.len() == y.len() && x.iter().zip(y).all(|(x, y)| slot.lexicon.sound_alike(*x, *y));
    let brand = |side: usize| {
        let (list, gap, other) = (lists[side], gaps[side], lists[1 - side]);
        let mut found = None;
        slot.lexicon.words_at(list, 0, |length, entry| {
            let mut groups = slot.lexicon.senses(entry).map(|sense| sense.group);
            let group = groups.find(|group| slot.lexicon.is_of_goods(*group));
            // If the gap is pure, a part of the name must be outside it.
            let within = match (gap.is_empty(), gaps[1 - side].is_empty()) {
                (true, _) => 0 < gap.start && gap.start < length && gaps[1 - side].len() == 1,
                (_, true) => gap.end < length,
                _ => gap.start < length,
            };
            let lacks = || find(other, &list[..length]).is_none();
            // The longest word decides: 国台 is a liquor, 国台办 an office.
            found = group.filter(|_| length > 1 && within && lacks());
        });
        found
    };
    if slip { None } else { brand(0).or_else(|| brand(1)) }
}
