//! Judges what only one of two texts has, if it is no plain addition: a time that the other text has elsewhere (今日北京有大风 / 北京今日有大风), a
//! half (7点半 / 7点), words said twice. Also compares words that count things: 两台手机 / 两部手机.

use std::ops::Range;

use super::numeric::{is_numeric, is_plain, value};
use super::slots::Slot;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::{CUES, Chars};
use crate::text::lexicon::{self, Entry, Tag};
use crate::text::numerals::digit;
use crate::text::tokens::{Token, character, is_number, is_one_of, number};

/// Whether the words of this gap only moved: the other text has them in another gap. One of these must hold:
/// - The words are a time, or moved only past a time: 今日北京有大风 / 北京今日有大风, 公司3月5日发布 / 3月5日公司发布.
/// - They ask how, and moved between the ends of a text: 怎么去除油渍 / 油渍怎么去除.
/// - They offer, seek or warn, and moved to or from the end of a clause: 转让健身卡 / 健身卡转让.
pub(super) fn is_elsewhere(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap], at: usize) -> bool {
    // Seen from the text that has the words in this gap (`own`). The `other` text may have them in another gap.
    let is_of_b = gaps[at].a.is_empty();
    let (own, other) = if is_of_b { (b, a) } else { (a, b) };
    let seen = |gap: &Gap| if is_of_b { gap.turned() } else { gap.clone() };
    let Gap { a: here, b: lacking } = seen(&gaps[at]);
    let (words, list) = (&own.body.list[here.clone()], other.body.list);
    let is_time = |words: &[Token]| lexicon::lexicon().get(words).is_some_and(|entry| entry.tag() == Tag::Time);
    let is_free = |there: &Range<usize>| {
        let passed = &list[there.end.min(lacking.start)..there.start.max(lacking.start)];
        let passes_time = || is_time(passed) || is_date(passed) || are_times(passed);
        // Words moved from the beginning of the text to its end.
        let is_whole =
            here.start == 0 && there.end == list.len() || there.start == 0 && here.end == own.body.list.len();
        let turns = || gaps.len() == 2 && is_whole && (asks_how(words) || asks_how(passed));
        let is_at_end = own.ends_clause(here.end) != other.ends_clause(there.end);
        is_time(words) || are_times(bare(words)) || passes_time() || turns() || is_at_end && is_listing(words)
    };
    let is_there = |Gap { a: lacking, b: there }: Gap| {
        lacking.is_empty() && bare(&list[there.clone()]) == bare(words) && is_free(&there)
    };
    words.len() > 1 && gaps.iter().map(seen).any(is_there)
}

/// Returns words without the characters at their ends that mean "from": 今晚24时起 is 今晚24时.
fn bare(words: &[Token]) -> &[Token] {
    let is = |token: &Token| is_one_of(*token, "起自");
    let start = words.iter().take_while(|token| is(token)).count();
    let end = words.iter().rev().take_while(|token| is(token)).count();
    words.get(start..words.len() - end).unwrap_or(words)
}

/// Whether words offer or seek a thing, or warn of it: 转让健身卡 / 健身卡转让, 请勿轻信来电 / 来电请勿轻信.
fn is_listing(word: &[Token]) -> bool {
    let text: Option<String> = word.iter().map(|token| character(*token)).collect();
    text.is_some_and(|text| CUES.listing.is(&text) || CUES.warning.begins(&text))
}

/// Whether only one text has 一个, 一名 or the like there, or 一 before such a classifier.
pub(super) fn is_counted_one(slot: &Slot<'_>) -> bool {
    let Some((side, gap)) = slot.gap.one_sided() else { return false };
    let list = slot.lists()[side];
    let is = |token: Option<&Token>, of: &Chars| token.is_some_and(|token| of.has_code(*token));
    let one = |token: &Token| value(*token) == number(1);
    let before = gap.start.checked_sub(1).and_then(|at| list.get(at));
    let next = list.get(gap.end);
    let is_bound = before.is_some_and(|token| is_numeric(*token)) || is(before, &CUES.binds_one);
    let counts = match &list[gap.clone()] {
        [first] => one(first) && is(next, &CUES.classifier_of_one),
        [first, second] => one(first) && is(Some(second), &CUES.classifier_of_one),
        _ => false,
    };
    // 一家 of 张先生一家获救 is a family.
    let mut behind = None;
    lexicon::lexicon().words_at(list, gap.end, |_, entry| behind = Some(entry.tag()));
    let is_family = gap.len() == 2 && list.get(gap.start + 1) == Some(&('家' as Token)) && behind != Some(Tag::Noun);
    counts && !is_bound && !is_family && next.is_some_and(|token| is_plain(*token))
}

/// Whether words are a verb after a word that asks how: 怎么去除.
fn asks_how(words: &[Token]) -> bool {
    let [first, second, verb @ ..] = words else { return false };
    let asks = match character(*first) {
        Some('怎') => is_one_of(*second, "么样"),
        Some('如') => character(*second) == Some('何'),
        _ => false,
    };
    asks && lexicon::lexicon().get(verb).is_some_and(|entry| entry.tag() == Tag::Verb)
}

/// Whether the tokens are a date or a time of day: 3月5日, 14点30分.
fn is_date(tokens: &[Token]) -> bool {
    let is_unit = |token: &Token| is_one_of(*token, "年月日点时分");
    let has = |is: &dyn Fn(&Token) -> bool| tokens.iter().any(is);
    has(&is_unit) && has(&|token| is_numeric(*token)) && tokens.iter().all(|token| is_unit(token) || is_numeric(*token))
}

/// Whether the tokens are only words of time: 今天零点.
fn are_times(tokens: &[Token]) -> bool {
    let mut at = 0;
    while at < tokens.len() {
        // 中秋节.
        let is_feast = |length: usize| length > 2 && character(tokens[at + length - 1]) == Some('节');
        let is_time = |length: usize, entry: Entry| entry.tag() == Tag::Time || is_feast(length);
        let longest = lexicon::lexicon().longest_at(tokens, at, is_time);
        let date = (at + 1..=tokens.len()).rev().find(|end| is_date(&tokens[at..*end])).map_or(0, |end| end - at);
        match longest.max(date) {
            0 => return false,
            length => at += length,
        }
    }
    !tokens.is_empty()
}

/// Whether a stretch only puts two things side by side, or asks which of them: 甲和乙, 是甲问题还是乙问题.
pub(super) fn joins(between: &[Token]) -> bool {
    between.iter().all(|token| is_one_of(*token, "和与及跟同或以对的"))
        || between.windows(2).any(|two| is_one_of(two[0], "还") && is_one_of(two[1], "是"))
}

/// Whether B says a clause or a word twice in a row: 快跑！快跑！, 鲜嫩鲜嫩的.
pub(super) fn is_again(b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    let (list, end) = (b.body.list, b.body.list.len());
    let again = &list[q.clone()];
    let particle = matches!(again, [.., last] if is_one_of(*last, "的了啊呀哦吧"));
    let is_row = |again: &[Token]| {
        again.len() > 1
            && !again.iter().any(|token| is_numeric(*token))
            && (list[..q.start].ends_with(again) || list[q.end.min(end)..].starts_with(again))
    };
    p.is_empty() && (is_row(again) || particle && is_row(&again[..again.len() - 1]))
}

/// Whether one classifier of single things replaces another: 两台手机 / 两部手机.
pub(super) fn are_classifiers(a: GistView<'_>, b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    let [x, y] = [a.body.list, b.body.list];
    // 两 is read as a number before 个, but not before 张.
    let count = |list: &[Token], at: usize| {
        let before = *list.get(at.checked_sub(1)?)?;
        let said = character(before).and_then(digit).map(number);
        said.or((is_number(before) || is_one_of(before, "每几这那某")).then_some(before))
    };
    match (&x[p.clone()], &y[q.clone()]) {
        ([head @ .., i], [others @ .., j]) if head.len() == others.len() => {
            let before = head.len().saturating_sub(1);
            let of_a = count(x, p.end - 1);
            let follows = x.get(p.end).is_some_and(|token| y.get(q.end) == Some(token));
            let is_alone = head[..before] == others[..before] && of_a.is_some() && of_a == count(y, q.end - 1);
            CUES.classifier.has_code(*i) && CUES.classifier.has_code(*j) && is_alone && follows
        }
        _ => false,
    }
}

/// Whether B lacks the half or the minutes that A has in 7点半 or 两年半, and B goes on after that.
pub(super) fn is_half(slot: &Slot<'_>) -> bool {
    let ([x, y], Gap { a: p, b: q }) = (slot.lists(), &slot.gap);
    let [.., number, unit] = x[..p.start] else { return false };
    let is_sum = is_numeric(number) && is_one_of(unit, "点年");
    let is_more = |more: Token| is_one_of(more, "半") || is_one_of(unit, "点") && is_numeric(more);
    matches!(x[p.clone()], [more] if is_sum && is_more(more)) && q.is_empty() && q.end < y.len()
}

/// Returns the number that only one text has after 每: 每五年 / 每年. 每一天 and 每天 are the same.
pub(super) fn every(slot: &Slot<'_>) -> Option<Token> {
    let ([x, y], Gap { a: p, b: q }) = (slot.lists(), &slot.gap);
    let counted = |list: &[Token], at: &Range<usize>| {
        let is = |token: Option<&Token>, of: &str| token.is_some_and(|token| is_one_of(*token, of));
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
