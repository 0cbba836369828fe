//! What stands in only one of two texts, and is no plain addition: a time that the other text has elsewhere (今日北京有大风 / 北京今日有大风), a
//! signature (…——城东供电所), a half (7点半 / 7点).

use std::ops::Range;

use super::slots::{Gap, Slot, is_clauses};
use super::{is_numeric, value};
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, character, is_code, is_number};

/// Most tokens of the keywords at an end.
const KEYWORDS: usize = 12;
/// Words that count single things, and say as much as each other: 两只餐椅 / 两把餐椅.
const CLASSIFIERS: &str = "个只把张条件台辆部位名头匹枚颗粒根支枝";
/// Longest number of a notice, with what names it, in tokens.
const SERIAL: usize = 10;
/// Longest byline, in tokens.
const BYLINE: usize = 14;
/// Longest name of who signs a notice, in tokens.
const SIGNATURE: usize = 10;

/// Whether words stand on one side only, and elsewhere on the other side only, and they are a time, or pass nothing but one:
/// 今日北京有大风 / 北京今日有大风, 公司3月5日发布 / 3月5日公司发布.
pub(super) fn is_moved(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap], at: usize) -> bool {
    let [x, y] = [a.body.list, b.body.list];
    let (p, q) = &gaps[at];
    let word = if p.is_empty() { &y[q.clone()] } else { &x[p.clone()] };
    let is_time = |word: &[Token]| lexicon::lexicon().get(word).is_some_and(|entry| entry.tag() == Tag::Time);
    let passed = |(r, s): &Gap| match p.is_empty() {
        true => r.end.min(p.start)..r.start.max(p.start),
        false => s.end.min(q.start)..s.start.max(q.start),
    };
    let passes_time = |gap: &Gap| {
        let between = if p.is_empty() { &x[passed(gap)] } else { &y[passed(gap)] };
        is_time(between) || is_date(between) || are_times(between)
    };
    let is_back = |(r, s): &Gap| match p.is_empty() {
        true => s.is_empty() && x[r.clone()] == *word,
        false => r.is_empty() && y[s.clone()] == *word,
    };
    word.len() > 1 && gaps.iter().any(|gap| is_back(gap) && (is_time(word) || passes_time(gap)))
}

/// Whether the tokens are a date or a time of day: 3月5日, 14点30分.
fn is_date(tokens: &[Token]) -> bool {
    let is_unit = |token: &Token| character(*token).is_some_and(|c| "年月日点时分".contains(c));
    let has = |is: &dyn Fn(&Token) -> bool| tokens.iter().any(is);
    has(&is_unit) && has(&|token| is_numeric(*token)) && tokens.iter().all(|token| is_unit(token) || is_numeric(*token))
}

/// Whether the tokens are words of time, one behind the other: 今天零点.
fn are_times(tokens: &[Token]) -> bool {
    let mut at = 0;
    while at < tokens.len() {
        let mut longest = 0;
        lexicon::lexicon().words_at(tokens, at, |length, entry| {
            longest = if entry.tag() == Tag::Time { length } else { longest };
        });
        let date = (at + 1..=tokens.len()).rev().find(|end| is_date(&tokens[at..*end])).map_or(0, |end| end - at);
        match longest.max(date) {
            0 => return false,
            length => at += length,
        }
    }
    !tokens.is_empty()
}

/// Whether B says words again at its end, as keywords: 全红婵回村过年 全红婵 过年.
pub(super) fn are_keywords(a: GistView<'_>, b: GistView<'_>, (p, q): &Gap) -> bool {
    let (x, y) = (&b.body.list[..q.start], &b.body.list[q.clone()]);
    let is_end = p.is_empty() && p.end == a.body.list.len() && q.end == b.body.list.len() && q.len() <= KEYWORDS;
    if !is_end || y.iter().any(|token| is_numeric(*token)) {
        return false;
    }
    let mut at = 0;
    while at < y.len() {
        let is_there = |end: &usize| x.windows(end - at).any(|tokens| tokens == &y[at..*end]);
        match (at + 2..=y.len()).rev().find(is_there) {
            Some(end) => at = end,
            None => return false,
        }
    }
    true
}

/// Whether B says a clause or a word twice in a row: 快跑！快跑！, 鲜嫩鲜嫩的.
pub(super) fn is_again(b: GistView<'_>, (p, q): &Gap) -> bool {
    let (list, end) = (b.body.list, b.body.list.len());
    let again = &list[q.clone()];
    let particle = matches!(again, [.., last] if character(*last).is_some_and(|c| "的了啊呀哦吧".contains(c)));
    let is_row = |again: &[Token]| {
        again.len() > 1
            && !again.iter().any(|token| is_numeric(*token))
            && (list[..q.start].ends_with(again) || list[q.end.min(end)..].starts_with(again))
    };
    p.is_empty() && (is_row(again) || particle && is_row(&again[..again.len() - 1]))
}

/// Whether B begins or ends with who wrote it, took its pictures or told it, and A does not: …。文/李明，图/视觉中国, 据人社部官微，….
pub(super) fn is_byline(a: GistView<'_>, b: GistView<'_>, (p, q): &Gap) -> bool {
    let side: String = b.body.list[q.clone()].iter().filter_map(|token| character(*token)).collect();
    let is_end = p.end == a.body.list.len() && q.end == b.body.list.len();
    let is_signed = || side.starts_with(['文', '图']) && b.breaks.contains(&(q.start as u32 + 1));
    let is_told = || side.starts_with('据') && CUES.teller.ends(&side) && (is_end || q.start == 0);
    // 疾控中心通报：…
    let is_headed = || q.start == 0 && q.end < b.body.list.len() && CUES.heading.ends(&side) && !side.starts_with('网');
    p.is_empty()
        && q.len() <= BYLINE
        && is_clauses(b, q)
        && !b.body.list[q.clone()].iter().any(|token| is_number(*token))
        && (is_end && (is_signed() || CUES.byline.begins(&side)) || is_told() || is_headed())
}

/// Whether B ends with the number that an editor gave the message: …（科普第118期）, … 编号SX-00871.
pub(super) fn is_serial(a: GistView<'_>, b: GistView<'_>, (p, q): &Gap) -> bool {
    let list = &b.body.list[q.clone()];
    let is_end = p.is_empty() && p.end == a.body.list.len() && q.end == b.body.list.len();
    let text = || -> String { list.iter().filter_map(|token| character(*token)).collect() };
    let of_issue = |three: &[Token]| {
        let is = |token: Token, of: &str| character(token).is_some_and(|c| of.contains(c));
        is(three[0], "第") && is_numeric(three[1]) && is(three[2], "期批版")
    };
    is_end
        && (2..=SERIAL).contains(&list.len())
        && list.iter().any(|token| is_numeric(*token) || is_code(*token))
        && (CUES.serial.within(&text()) || list.windows(3).any(of_issue))
}

/// Whether one word that counts single things stands for another one: 两只餐椅 / 两把餐椅.
pub(super) fn are_classifiers(slot: &Slot<'_>) -> bool {
    let ([x, y], (p, q)) = (slot.lists(), &slot.gap);
    let is = |token: &Token, of: &str| character(*token).is_some_and(|c| of.contains(c));
    let counts = |list: &[Token], at: usize| {
        at.checked_sub(1).is_some_and(|before| is_numeric(list[before]) || is(&list[before], "每几这那某"))
    };
    let follows = || x.get(p.end).zip(y.get(q.end)).is_some_and(|(x, y)| x == y);
    match slot.sides() {
        // 两 is a number before 只, and none before 把.
        [[.., i], [.., j]] if p.len() == q.len() && p.len() <= 2 => {
            let (of_a, of_b) = (p.end - 1, q.end - 1);
            let are_counted = counts(x, of_a) && counts(y, of_b) && value(x[of_a - 1]) == value(y[of_b - 1]);
            is(i, CLASSIFIERS) && is(j, CLASSIFIERS) && are_counted && follows()
        }
        _ => false,
    }
}

/// Whether B is signed, and A is not: …，明日停电六小时——城东供电所.
pub(super) fn is_signature(a: GistView<'_>, b: GistView<'_>, (p, q): &Gap) -> bool {
    let side: String = b.body.list[q.clone()].iter().filter_map(|token| character(*token)).collect();
    let is_end = p.is_empty() && p.end == a.body.list.len() && q.end == b.body.list.len() && is_clauses(b, q);
    is_end && (3..=SIGNATURE).contains(&q.len()) && side.chars().count() == q.len() && CUES.signer.ends(&side)
}

/// Whether B lacks the half or the minutes of 7点半, 两年半 of A before something else.
pub(super) fn is_half(slot: &Slot<'_>) -> bool {
    let ([x, y], (p, q)) = (slot.lists(), &slot.gap);
    let is = |token: Token, characters: &str| character(token).is_some_and(|c| characters.contains(c));
    let [.., number, unit] = x[..p.start] else { return false };
    let is_sum = is_numeric(number) && is(unit, "点年");
    let is_more = |more: Token| is(more, "半") || is(unit, "点") && is_numeric(more);
    matches!(x[p.clone()], [more] if is_sum && is_more(more)) && q.is_empty() && q.end < y.len()
}

/// The number that stands behind 每 in one text only: 每五年 / 每年. 每一天 and 每天 are the same.
pub(super) fn every(slot: &Slot<'_>) -> Option<Token> {
    let ([x, y], (p, q)) = (slot.lists(), &slot.gap);
    let counted = |list: &[Token], at: &Range<usize>| {
        let is =
            |token: Option<&Token>, of: &str| token.and_then(|token| character(*token)).is_some_and(|c| of.contains(c));
        let before = at.start.checked_sub(1).and_then(|before| list.get(before));
        let is_period = is(before, "每") && is(list.get(at.end), "年月日天周季个小分次");
        match list[at.clone()] {
            [count] if is_numeric(count) && is_period => Some(value(count)),
            _ => None,
        }
    };
    match (p.is_empty(), q.is_empty()) {
        (true, _) => counted(y, q),
        (_, true) => counted(x, p),
        _ => None,
    }
}
