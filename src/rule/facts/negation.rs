//! Finds what negates a claim or weakens it: 不 (可以出门 / 不可以出门), the 副 of a title (部长 / 副部长), 辟谣, 可能.

use std::ops::Range;

use super::Conflict;
use super::slips::{SMALL, is_misspelling, is_negating};
use super::slots::{Slot, has_clause_boundaries};
use super::text_kind::is_either;
use super::words::{COMMON, Word};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{self, Entry, Tag};
use crate::text::tokens::{Token, character, find, is_one_of, is_word, number};

/// Longest gap, in tokens a side, in which refutations are compared, and verbs that one side denies.
const REFUTED: usize = 16;

/// A verb of at least this frequency (log2) is often a word by itself: 说, 过.
const FREQUENT_VERB: u32 = 15;

/// Whether the stretch has a word with this flag, outside of idioms.
pub(super) fn has_flag(text: GistView<'_>, stretch: &Range<usize>, flag: u64) -> bool {
    let (list, mut at) = (text.body.list, stretch.start);
    while at < stretch.end {
        let (mut found, mut idiom) = (0, 0);
        lexicon::lexicon().words_at(&list[..stretch.end], at, |length, entry| {
            found = if entry.is(flag) { found.max(length) } else { found };
            idiom = if entry.is(lexicon::IDIOM) { idiom.max(length) } else { idiom };
        });
        if found > idiom {
            return true;
        }
        at += idiom.max(1);
    }
    false
}

/// Whether the list consists only of words with this flag.
fn is_all(list: &[Token], flag: u64) -> bool {
    let longest = lexicon::lexicon().longest_at(list, 0, |_, entry| entry.is(flag));
    longest > 0 && (longest == list.len() || is_all(&list[longest..], flag))
}

/// Judges whether a slot negates a claim, or weakens it, in one way.
type Way = fn(&Slot<'_>) -> bool;

/// Returns how the slot negates a claim, or weakens it. The first of these ways that applies decides.
pub(super) fn negated(slot: &Slot<'_>) -> Option<Conflict> {
    let ways: [(Way, Conflict); 5] = [
        (is_negated, Conflict::Negation),
        (is_qualified, Conflict::Qualifier),
        (is_ranked, Conflict::Rank),
        (is_denied, Conflict::Negation),
        (is_refuted, Conflict::Refutation),
    ];
    ways.into_iter().find(|(is_so, _)| is_so(slot)).map(|(_, conflict)| conflict)
}

/// Whether 不, 没, 未, 非 or the like is on one side only: 可以出门 / 不可以出门.
fn is_negated(slot: &Slot<'_>) -> bool {
    if is_double_negation(slot) || asks_by_either(slot) {
        return true;
    }
    if slot.gap.longer() > SMALL {
        return false;
    }
    // 严防输入，严防输入 / 严防输入，加油.
    let is_said =
        |side: usize| slot.sides()[side].len() > 2 && find(slot.lists()[1 - side], slot.sides()[side]).is_some();
    let [of_a, of_b] = [0, 1].map(|side| if is_said(side) { 0 } else { count(slot, side, lexicon::NEGATION) });
    // 可小刀，不包邮 / 不刀，包邮.
    if of_a == 1 && of_b == 1 && reaches_over(slot, 0) != reaches_over(slot, 1) && !is_misspelling(slot) {
        return true;
    }
    // 没有反对 is not the same as 反对了.
    let differ = (of_a > 0) != (of_b > 0) || of_a % 2 != of_b % 2;
    // One character for another is more often a slip (难 / 那), unless it only negates.
    let is_slip = matches!(slot.sides(), [[i], [j]] if is_negating(*i) == is_negating(*j));
    let is_pure = slot.gap.is_pure();
    // An additional clause like 不要聚集 negates nothing in the others.
    let is_clause = is_pure && has_clause_boundaries(slot.a, &slot.gap.a) && has_clause_boundaries(slot.b, &slot.gap.b);
    differ && !is_slip && !is_clause && !is_cut_off(slot) && (is_pure || is_turned(slot) || !is_misspelling(slot))
}

/// Whether one side negates in a way that is no slip of what the other side has.
fn is_turned(slot: &Slot<'_>) -> bool {
    // 不好 / 很好.
    let grades = |token: &Token| CUES.degree.has_code(*token);
    // 终于 and 没有 in the same place are no slip of each other.
    let turns = |side: &[Token]| {
        let word = slot.lexicon.get(side).filter(|_| side.len() > 1);
        word.is_some_and(|word| word.tag() == Tag::Function || word.is(lexicon::NEGATION))
    };
    // 已成年 / 未成年: both words say something in a sentence, and nobody types one for the other.
    let is_adverb = |token: Token| slot.lexicon.get(&[token]).is_some_and(|word| word.tag() == Tag::Function);
    let speaks = |token: Token| {
        let is_verb = |word: Entry| word.tag() == Tag::Verb && word.log_frequency() >= FREQUENT_VERB;
        slot.lexicon.get(&[token]).is_some_and(is_verb)
    };
    let stand = |x: Token, y: Token| is_adverb(x) && is_adverb(y) || is_negating(x) && speaks(y);
    slot.sides().into_iter().flatten().any(grades)
        || slot.sides().into_iter().all(turns)
        || matches!(slot.sides(), [[i], [j]] if (stand(*i, *j) || stand(*j, *i)) && !slot.lexicon.confused(*i, *j))
}

/// Whether only one side says how sure a claim is, or for how much it holds: 可能停课 / 停课. An omission at the end of a text contradicts
/// nothing.
fn is_qualified(slot: &Slot<'_>) -> bool {
    let Some((side, at)) = slot.gap.one_sided() else { return false };
    let only = slot.sides()[side];
    let is_inside = || slot.gap.a.end < slot.a.body.list.len() || only.iter().all(|token| is_word(*token));
    at.len() <= SMALL && is_inside() && !is_noun_part(slot) && is_all(only, lexicon::QUALIFIER)
}

/// Whether the only difference is 副, 前 or the like on one side: 部长 / 副部长.
fn is_ranked(slot: &Slot<'_>) -> bool {
    let is_rank = |side: &[Token]| slot.lexicon.get(side).is_some_and(|entry| entry.is(lexicon::RANK));
    let Some((side, at)) = slot.gap.one_sided() else { return false };
    at.len() <= SMALL && is_rank(slot.sides()[side]) && count(slot, side, lexicon::RANK) > 0
}

/// Whether one side [denies](denies) what the other says.
fn is_denied(slot: &Slot<'_>) -> bool {
    slot.gap.longer() <= REFUTED && (denies(slot, 0) || denies(slot, 1))
}

/// Whether only one side has 辟谣, 不实 or the like.
fn is_refuted(slot: &Slot<'_>) -> bool {
    let is_refutation = |word: &Word| word.entry.is_some_and(|entry| entry.is(lexicon::REFUTATION));
    let refutes = |side: usize| slot.only[side].iter().any(is_refutation);
    slot.gap.longer() <= REFUTED && refutes(0) != refutes(1)
}

/// Whether the difference is 部分 after 的, and no noun follows: 没吃完的部分, but not 学校的部分宿舍.
fn is_noun_part(slot: &Slot<'_>) -> bool {
    let is = |token: Option<&Token>, c: char| token.and_then(|token| character(*token)) == Some(c);
    let is_part = |(side, gap): (usize, &Range<usize>)| {
        let (text, list) = (slot.text(side), slot.lists()[side]);
        let [first, second] = list[gap.clone()] else { return false };
        let mut next = None;
        slot.lexicon.words_at(list, gap.end, |_, entry| next = Some(entry.tag()));
        is(Some(&first), '部')
            && is(Some(&second), '分')
            && is(gap.start.checked_sub(1).and_then(|at| list.get(at)), '的')
            && (text.ends_clause(gap.end) || matches!(next, Some(Tag::Verb | Tag::Function)))
    };
    slot.gap.one_sided().is_some_and(is_part)
}

/// Whether one text asks 好不好用 and the other says 不好用, or one asks 能不能停药 and the other says 能不停药.
fn asks_by_either(slot: &Slot<'_>) -> bool {
    let asks = |list: &[Token], gap: &Range<usize>| {
        let is_one = |start: usize| list.get(start..start + 3).is_some_and(is_either);
        let can = |start: &usize| is_one_of(list[*start], "能会可要该");
        let goes_on = || list.get(gap.end).is_some_and(|token| character(*token).is_some()) && list.len() > gap.end + 1;
        let behind = || gap.start.checked_sub(2).filter(can).is_some_and(is_one) && goes_on();
        gap.len() == 1 && (is_one(gap.start) || behind())
    };
    slot.gap.one_sided().is_some_and(|(side, gap)| asks(slot.lists()[side], gap))
}

/// Whether one side says 不得不, 不能不 or the like, and the other 不: 不得不承认 / 不承认.
fn is_double_negation(slot: &Slot<'_>) -> bool {
    let Some((side, gap)) = slot.gap.one_sided() else { return false };
    let list = slot.lists()[side];
    let is = |at: usize, of: &str| list.get(at).is_some_and(|token| is_one_of(*token, of));
    let begins = |at: usize| is(at, "不") && is(at + 1, "得能会可") && is(at + 2, "不");
    // One 不 is beside the gap, before or after it.
    gap.len() == 2 && (gap.start.saturating_sub(1)..=gap.start).any(begins)
}

/// Whether one side denies a verb that the other side affirms: 未造成人员伤亡 / 造成两人受轻伤.
fn denies(slot: &Slot<'_>, side: usize) -> bool {
    let (gap, there, text) = (slot.gap.place(side), slot.gap.place(1 - side), slot.text(1 - side));
    let list = slot.lists()[side];
    let mut denials = gap.clone().filter(|at| is_negating(list[*at]));
    let (Some(at), None) = (denials.next(), denials.next()) else { return false };
    let Some(word) = list.get(at + 1..at + 3) else { return false };
    // 拒绝参加, 少出门 and 0新增 also deny.
    let before = there.start.saturating_sub(SMALL)..there.end;
    let weakens = |token: &Token| is_negating(*token) || *token == number(0) || character(*token) == Some('少');
    if text.body.list[before.clone()].iter().any(weakens) || has_flag(text, &before, lexicon::NEGATION) {
        return false;
    }
    // After a long gap the denied verb may come outside it: 部分指标不符合 / 各项指标均符合. In a short gap, 别 may belong to 特别.
    let is_long = gap.len().min(there.len()) > SMALL;
    let behind = if is_long { (at + 3).saturating_sub(gap.end) } else { 0 };
    if at + 3 > gap.end + behind {
        return false;
    }
    let count = |list: &[Token]| list.windows(2).filter(|two| *two == word).count();
    let within = |list: &[Token], place: &Range<usize>| count(&list[place.start..(place.end + behind).min(list.len())]);
    slot.lexicon.get(word).is_some_and(|entry| entry.tag() == Tag::Verb)
        && within(list, gap) == 1
        && within(text.body.list, there) > 0
}

/// Whether a word of one side negates what follows the gap, and nothing inside it: 不 of 可小刀，不包邮, where B has 不刀，包邮.
fn reaches_over(slot: &Slot<'_>, side: usize) -> bool {
    let stretch = slot.sides()[side];
    let says = |token: &Token| {
        let is_word = |word: Entry| word.tag() != Tag::Function && !word.is(lexicon::FILLER);
        slot.lexicon.get(&[*token]).is_none_or(is_word)
    };
    let mut end = None;
    for at in 0..stretch.len() {
        slot.lexicon.words_at(stretch, at, |length, entry| {
            end = if entry.is(lexicon::NEGATION) { end.max(Some(at + length)) } else { end };
        });
    }
    end.is_some_and(|end| !stretch[end..].iter().any(says))
}

/// Whether B is cut off here, and A's omitted part does not begin with a negation: 票价两元不变 / 票价, but not 说法不正确 / 说法.
fn is_cut_off(slot: &Slot<'_>) -> bool {
    let (Gap { a: p, b: q }, [x, y]) = (&slot.gap, slot.lists());
    let mut negates = false;
    slot.lexicon.words_at(x, p.start, |_, entry| negates |= entry.is(lexicon::NEGATION));
    q.is_empty() && p.end == x.len() && q.end == y.len() && !negates
}

/// Returns how many words with this flag begin in the gap, outside of idioms. A negation between equal tokens asks, and does not count:
/// 能不能.
fn count(slot: &Slot<'_>, side: usize, flag: u64) -> usize {
    let (list, gap, window) = (slot.lists()[side], slot.gap.place(side), slot.window.place(side));
    // 不过 does not count in 对鸡蛋不过敏 if the other text has 过敏.
    let is_parted = |end: usize| {
        let mut is_parted = false;
        slot.lexicon.words_at(&list[..window.end], gap.end, |length, entry| {
            let is_word = entry.tag() != Tag::None || entry.has_senses();
            is_parted |= length > 1 && gap.end + length > end && is_word;
        });
        gap.len() == 1 && is_parted
    };
    let idiom = |at: usize| {
        // These characters negate the word that they begin: 避免 has no negation.
        let within = is_one_of(list[at], "免假反伪拒禁");
        (window.start..=at).any(|start| {
            // The longest word decides: 没收 is an idiom, 没收到 is not.
            let (mut found, mut idiom, mut negation) = (false, 0, 0);
            slot.lexicon.words_at(&list[..window.end], start, |length, entry| {
                if start + length > at && length > 1 {
                    let common = within && start < at && entry.tag() != Tag::None && entry.log_frequency() >= COMMON;
                    found |= common;
                    let is_idiom = entry.is(lexicon::IDIOM) && !(start == at && is_parted(start + length));
                    idiom = if is_idiom { idiom.max(length) } else { idiom };
                    negation = if entry.is(lexicon::NEGATION) { negation.max(length) } else { negation };
                }
            });
            found || idiom > negation
        })
    };
    let (mut found, mut behind) = (0, gap.start);
    for at in gap.clone() {
        let (mut end, before) = (0, at.checked_sub(1).map(|at| list[at]));
        slot.lexicon.words_at(&list[..gap.end], at, |length, entry| {
            if entry.is(flag) {
                end = at + length
            }
        });
        let asks = |after: &Token| flag == lexicon::NEGATION && Some(*after) == before || *after == list[at];
        if end > 0 && list.get(end).is_some_and(|after| !asks(after)) && !idiom(at) {
            // 没有 is one negation, not one of 没 and another.
            found += usize::from(at >= behind);
            behind = behind.max(end);
        }
    }
    found
}
