//! Finds what an editor or an advertiser adds to a message: adverts, a number of its own, keywords, and [who tells it](super::bylines).
//!
//! …。关注公众号“车小匠”，领洗车券, 疾控中心通报：…, …（科普第118期）, 全红婵回村过年 全红婵 过年.

use std::ops::Range;

use super::bylines::{is_byline, is_credit};
use super::counts::has_numbers;
use super::is_numeric;
use super::slots::has_clause_boundaries;
use super::text_kind::asks;
use super::told_or_remarked::reports;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::civility;
use crate::text::cues::CUES;
use crate::text::lexicon::{self, Entry};
use crate::text::tokens::{Token, character, find, is_code, is_one_of, number, spelled};

/// Longest advert, in tokens.
const ADVERT_UPTO: usize = 32;
/// Fewest tokens of a call: 点击蓝字, 关注公众号.
const CALL_FROM: usize = 4;
/// Most tokens after a call that say what it is for.
const PURPOSE_UPTO: usize = 12;
/// Most tokens of keywords at the end.
const KEYWORDS_UPTO: usize = 12;
/// Longest number of a notice, with the words that name it, in tokens.
const SERIAL_UPTO: usize = 10;
/// In a text of fewer tokens any added number is news: 快来认领这只猫（编号YJ-0065）.
const MESSAGE_FROM: usize = 16;
/// Longest signature of a notice, with its time, in tokens.
const SIGNATURE_UPTO: usize = 10;
/// Longest item of a list, in tokens.
const ITEM_UPTO: usize = 6;

/// Whether B only adds something beside the message: an advert, a signature, an author, a number or keywords.
pub(super) fn is_beside(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    let ways = [is_signature, is_credit, is_byline, is_serial, are_keywords];
    is_advert(b, &gap.b) || ways.iter().any(|is| is(a, b, gap))
}

/// Whether a passage after the beginning of a text only agrees with it: a clause +1.
fn agrees(text: GistView<'_>, passage: &Range<usize>) -> bool {
    passage.start > 0 && has_clause_boundaries(text, passage) && text.body.list[passage.clone()] == [number(1)]
}

/// Whether a passage is an advert, civility, or [+1](agrees). Adverts and civility are whole clauses at an end, without a number. Civility
/// at the beginning of a text may be a part of a clause. At least two thirds of an advert are typical words and filler.
pub(crate) fn is_advert(text: GistView<'_>, passage: &Range<usize>) -> bool {
    if agrees(text, passage) {
        return true;
    }
    let list = text.body.list;
    let is_at_end = passage.start == 0 || passage.end == list.len();
    let fits = (1..=ADVERT_UPTO).contains(&passage.len()) && is_at_end;
    if !fits || has_numbers(&list[passage.clone()]) {
        return false;
    }
    // 想请教一下 begins the same clause that asks.
    let is_whole = has_clause_boundaries(text, passage);
    if (is_whole || passage.start == 0) && civility::is_civil(lexicon::lexicon(), &list[passage.clone()]) {
        return true;
    }
    if !is_whole {
        return false;
    }
    let (mut at, mut covered) = (passage.start, 0);
    while at < passage.end {
        let is_usual = |_, entry: Entry| entry.is(lexicon::TAIL | lexicon::FILLER);
        let longest = lexicon::lexicon().longest_at(&list[..passage.end], at, is_usual);
        let begins_clause = at == passage.start || text.breaks_at(at);
        // 想了解更多养生知识，请关注公众号“本草小院”.
        let invites = || at + 1 < passage.end && CUES.invite.begins(&spelled(&list[at..passage.end]));
        if begins_clause && invites() {
            let end = (at + 1..passage.end).find(|end| text.breaks_at(*end)).unwrap_or(passage.end);
            covered += end - at;
            at = end;
            continue;
        }
        let (call, purpose) = (&list[at..at + longest], at + longest..passage.end);
        let is_call = || passage.start > 0 && call.len() >= CALL_FROM && CUES.urge.begins(&spelled(call));
        let is_advert_so_far = || 3 * covered >= 2 * (at - passage.start);
        // 关注公众号“车小匠”，领洗车券: after a call, a few words say what it is for.
        let is_purpose = || purpose.len() <= PURPOSE_UPTO && !reports(text, text, &purpose);
        if begins_clause && is_call() && is_advert_so_far() && is_purpose() {
            return true;
        }
        // A single character is a particle.
        covered += if longest > 1 { longest } else { 0 };
        at += longest.max(1);
    }
    3 * covered >= 2 * passage.len()
}

/// Whether B repeats words at its end, as keywords: 全红婵回村过年 全红婵 过年.
pub(super) fn are_keywords(a: GistView<'_>, b: GistView<'_>, gap @ Gap { a: p, b: q }: &Gap) -> bool {
    let (x, y) = (&b.body.list[..q.start], &b.body.list[q.clone()]);
    let is_end = p.is_empty() && gap.is_at_end(a, b) && q.len() <= KEYWORDS_UPTO;
    if !is_end || y.iter().any(|token| is_numeric(*token)) {
        return false;
    }
    let mut at = 0;
    while at < y.len() {
        let is_there = |end: &usize| find(x, &y[at..*end]).is_some();
        match (at + 2..=y.len()).rev().find(is_there) {
            Some(end) => at = end,
            None => return false,
        }
    }
    true
}

/// Whether B ends with a number that an editor gave the message: …（科普第118期）, … 编号SX-00871.
pub(super) fn is_serial(a: GistView<'_>, b: GistView<'_>, gap @ Gap { a: p, b: q }: &Gap) -> bool {
    let list = &b.body.list[q.clone()];
    let is_end = p.is_empty() && gap.is_at_end(a, b);
    let of_issue = |three: &[Token]| is_one_of(three[0], "第") && is_numeric(three[1]) && is_one_of(three[2], "期批版");
    is_end
        && a.body.list.len() >= MESSAGE_FROM
        && (2..=SERIAL_UPTO).contains(&list.len())
        && list.iter().any(|token| is_numeric(*token) || is_code(*token))
        // 第一期 alone is the next part of a series.
        && (CUES.serial.within(&spelled(list)) || has_clause_boundaries(b, q) && list[1..].windows(3).any(of_issue))
}

/// Whether B adds a signature: …，明日停电六小时——城东供电所, 【中国移动】…, …（市气象台17时发布）.
pub(super) fn is_signature(a: GistView<'_>, b: GistView<'_>, gap @ Gap { a: p, b: q }: &Gap) -> bool {
    let list = b.body.list;
    let is_end = gap.is_at_end(a, b);
    if !p.is_empty()
        || !(is_end || q.start == 0)
        || !has_clause_boundaries(b, q)
        || !(3..=SIGNATURE_UPTO).contains(&q.len())
    {
        return false;
    }
    let side = spelled(&list[q.clone()]);
    let has_no_number = side.chars().count() == q.len();
    if has_no_number && CUES.sender.is(&side) {
        // After a report or a question the sender is the subject or the answer: 工商银行 下调存款利率, 谁赚得最多？中国移动. In a list it is one more item:
        // 您可选中国联通、中国移动. The canonical form of 您 is 你.
        let is_spoken_to = || a.body.list.iter().any(|token| character(*token) == Some('你')) && !asks(a);
        let clause = (0..q.start).rev().find(|at| b.breaks_at(*at)).unwrap_or_default();
        return (is_spoken_to() || CUES.press.ends(&side)) && (q.start == 0 || q.start - clause > ITEM_UPTO);
    }
    let stamped = || {
        CUES.sent
            .strip_from_end(&side)
            .map(|who| who.trim_end_matches(|c| "年月日时点分今昨早晚上午下于在".contains(c)))
    };
    is_end && (has_no_number && CUES.signer.ends(&side) || stamped().is_some_and(|who| CUES.signer.ends(who)))
}
