//! Another person.

use std::ops::Range;

use super::is_numeric;
use super::slips::is_typed_twice;
use super::slots::{Gap, Slot, is_misspelt};
use crate::text::GistView;
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, character};

/// Longest name, in tokens.
const NAME: usize = 3;
/// Longest cue before a name, in tokens.
pub(super) const CUE: usize = 4;

/// A character that is more frequent (log2) is a word more often than a part of a name.
const RARE: u32 = 10;

/// Another name behind or before a cue, one character of it at least: 张老师 / 李老师, 何书瑶同学 / 何书琪同学.
pub(super) fn is_person(slot: &Slot<'_>) -> bool {
    let (p, q) = &slot.gap;
    let is_name = |gap: &Range<usize>| (1..=NAME).contains(&gap.len());
    if !is_name(p) || !is_name(q) {
        return false;
    }
    let [x, y] = slot.lists();
    let is_plain = |token: &Token| character(*token).is_some() && !is_numeric(*token);
    if !x[p.clone()].iter().chain(&y[q.clone()]).all(is_plain) {
        return false;
    }
    let word = |list: &[Token], range: Range<usize>, flag: u64| {
        list.get(range).and_then(|tokens| slot.lexicon.get(tokens)).is_some_and(|entry| entry.is(flag))
    };
    // The name begins with a surname, in the gap or up to two characters before it.
    let starts = |list: &[Token], gap: &Range<usize>| {
        (gap.start.saturating_sub(2)..=gap.start).rev().find(|at| word(list, *at..*at + 1, lexicon::SURNAME))
    };
    let (Some(i), Some(j)) = (starts(x, p), starts(y, q)) else { return false };
    if p.start - i != q.start - j || p.end - i > NAME || q.end - j > NAME {
        return false;
    }
    // 东南亚 begins with a surname and is no name.
    let is_word = |list: &[Token], name: Range<usize>| {
        let entry = slot.lexicon.get(&list[name.clone()]);
        name.len() > 1 && entry.is_some_and(|entry| !matches!(entry.tag(), Tag::None | Tag::Name))
    };
    if is_word(x, i..p.end) || is_word(y, j..q.end) {
        return false;
    }
    let after = || (1..=3).any(|length| word(x, p.end..p.end + length, lexicon::CUE_AFTER));
    // The longer ones first: 亲爱的.
    let before = || (1..=CUE).rev().any(|length| i >= length && word(x, i - length..i, lexicon::CUE_BEFORE));
    let entries = || x[p.clone()].iter().chain(&y[q.clone()]).filter_map(|token| slot.lexicon.get(&[*token]));
    let single = p.len() == 1 && q.len() == 1;
    if single && slot.has_particle() {
        return false;
    }
    let (of_a, of_b) = (&x[p.clone()], &y[q.clone()]);
    let misspelt = is_misspelt(slot.lexicon, of_a, of_b);
    let sounds = || of_a.iter().zip(of_b).all(|(i, j)| slot.lexicon.sound_alike(*i, *j));
    let bare = |i: usize, j: usize| slot.is_bare(0, &(i..p.end)) && slot.is_bare(1, &(j..q.end));
    if before() || after() {
        // 郭晨 and 郭宸 are two; what only looks alike is a slip.
        return !misspelt || sounds() && bare(p.start, q.start);
    }
    // Without a cue: a surname, and behind it characters of which one is rare, in no word: 沈昕 / 沈听.
    let listed = |list: &[Token], gap: &Range<usize>| {
        let word = slot.lexicon.get(&list[gap.start - 1..gap.end]);
        word.is_some_and(|word| word.has_senses())
    };
    let resemble = || of_a.iter().zip(of_b).all(|(i, j)| slot.lexicon.resemble(*i, *j));
    // 涉日 / 涉台 are a class.
    single
        && i < p.start
        && !(listed(x, p) && listed(y, q))
        && !resemble()
        && entries().any(|entry| entry.log_frequency() <= RARE)
        && bare(i, j)
}

/// Whether another person stands in a gap whose sides have no token in common, and around which [`AROUND`](super::AROUND) tokens match or
/// all. Then [`differences`](super::differences) says that B is of another person, if it looks at this gap.
pub(crate) fn is_another(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    is_person(&Slot::bare(a, b, std::slice::from_ref(gap), 0, false)) && !is_typed_twice(a, b, gap)
}

/// Whether each side of the gap is a name behind a cue, which may be spelled with numerals: 恭喜张三 / 恭喜李四.
pub(super) fn are_names([x, y]: [&[Token]; 2], (p, q): &Gap) -> bool {
    let lexicon = lexicon::lexicon();
    let is = |tokens: &[Token], flag| lexicon.get(tokens).is_some_and(|entry| entry.is(flag));
    let is_name = |list: &[Token], gap: &Range<usize>| {
        let cue = (1..=gap.start.min(CUE)).any(|length| is(&list[gap.start - length..gap.start], lexicon::CUE_BEFORE));
        cue && (2..=NAME).contains(&gap.len()) && is(&list[gap.start..gap.start + 1], lexicon::SURNAME)
    };
    is_name(x, p) && is_name(y, q)
}
