//! Finds names after or before a cue in a single text: 尊敬的王芳, 患者李小明, 王芳同学. Also a name before 的 at the beginning (王芳的检测结果), and a name
//! that begins a short text (王芳撤回了一条消息).

use std::cmp::Ordering;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use super::numeric::is_plain;
use crate::text::common_chars::CharSet;
use crate::text::cues::CUES;
use crate::text::lexicon::{CUE_AFTER, CUE_BEFORE, Entry, GIVEN, LONGEST_WORD, SURNAME, Tag, lexicon};
use crate::text::lists::section;
use crate::text::normalise::canonical;
use crate::text::numerals::is_numeral;
use crate::text::tokens::{self, Token, Tokens, character};

/// The number of tokens of a name.
pub(crate) const NAMED: RangeInclusive<usize> = 2..=3;

/// The number of tokens after a name that begins a short text. They say what its bearer does, or what happened to this person.
const FOLLOWED_BY: RangeInclusive<usize> = 4..=13;
/// Longest cue before a name, in tokens.
const CUE: usize = 4;
/// Longest cue after a name, in tokens.
const CUE_BEHIND: usize = 3;
/// A word of at most this frequency (log2) may be a name: 程志.
const RARE_WORD: u32 = 8;
/// The same for a place: 罗兰.
const RARE_PLACE: u32 = 6;
/// A word above this frequency (log2) must not begin or end inside a name.
const RAREST: u32 = 4;

/// The list of names.
static LIST: &str = include_str!("../../../data/lexicon/names.txt");

/// Surnames of one character: first the usual ones, then those that are more often words or numbers. A table, because every token of a body
/// is looked up.
static SURNAMES: LazyLock<[CharSet; 2]> = LazyLock::new(|| {
    let alone = section(LIST, "surname").filter(|line| line.chars().count() == 1);
    let (others, all): (String, String) =
        alone.partition(|line| line.chars().any(|c| CUES.surname_word.has(c) || is_numeral(c)));
    [CharSet::of(&all), CharSet::of(&others)]
});

/// The last characters of cues before a name. A table for the same reason.
static CUE_ENDS: LazyLock<CharSet> = LazyLock::new(|| {
    let last = section(LIST, "cue_before").flat_map(str::split_whitespace).filter_map(|word| word.chars().last());
    CharSet::of(&last.chain(CUES.is_called.each()).collect::<String>())
});

/// The first characters of cues after a name, both as spelled and in canonical form.
static CUE_STARTS: LazyLock<CharSet> = LazyLock::new(|| {
    let (mut read, mut starts) = (Tokens::default(), String::new());
    let sections = ["cue_after", "title"].into_iter().flat_map(|name| section(LIST, name));
    for cue in sections.flat_map(str::split_whitespace) {
        read.read(&canonical(cue));
        let first = read.list.first().and_then(|token| character(*token));
        starts.extend(cue.chars().next().into_iter().chain(first));
    }
    CharSet::of(&starts)
});

/// Whether this stretch is a name: a surname and one or two characters of given names, which are no word together, directly after or
/// before a cue or at the beginning of a short text. Between two cues they may be [any characters](is_between_cues). No word may begin or
/// end inside the name: 资金周转 has no name 金周.
pub(crate) fn is_named(list: &[Token], name: &Range<usize>) -> bool {
    name.start < list.len() && is_named_if(list, name, may_be_due(list, name.start))
}

/// The same, if it is known whether a name [may be due](may_be_due) there.
fn is_named_if(list: &[Token], name: &Range<usize>, may_be_due: bool) -> bool {
    let Some((surname, given)) = list.get(name.clone()).and_then(<[Token]>::split_first) else { return false };
    // A quick check, because nearly every stretch that begins with a surname is no name.
    if !may_be_due && !is_before_cue(list, name) {
        return false;
    }
    if !NAMED.contains(&name.len()) || !given.iter().all(|token| is_plain(*token)) || given.first() == Some(surname) {
        return false;
    }
    let is_usual = || may_begin(list, name.start) && given.iter().all(may_be_given) && !ends_in_adverb(given);
    (is_usual() && is_shown(list, name) || is_between_cues(list, name))
        && !parts(list, name).any(|part| lexicon().get(part).is_some_and(is_word))
        && !is_cut(list, name, cue_before(list, name.start) > 1)
}

/// Returns the parts that must not be words: the first two characters, and the whole name.
fn parts<'l>(list: &'l [Token], name: &Range<usize>) -> impl Iterator<Item = &'l [Token]> {
    let name = &list[name.clone()];
    NAMED.map(move |length| &name[..length.min(name.len())])
}

/// Whether a character occurs in names.
fn may_be_given(token: &Token) -> bool {
    lexicon().get(&[*token]).is_some_and(|entry| entry.is(SURNAME) || entry.is(GIVEN))
}

/// Whether the rest of a possible name ends in an adverb.
fn ends_in_adverb(given: &[Token]) -> bool {
    given.last().is_some_and(|last| CUES.adverb.has_code(*last))
}

/// Whether a cue shows the name, or the name begins a short text.
fn is_shown(list: &[Token], name: &Range<usize>) -> bool {
    // In 谷爱凌顺利晋级, 凌 belongs to the name 谷爱凌.
    let goes_on = || list[name.start.saturating_sub(2)..name.start].iter().any(|token| is_surname(*token));
    cue_before(list, name.start) > 0 || is_before_cue(list, name) && !goes_on() || is_first(list, name)
}

/// Whether the stretch is between two cues that enclose only names: 请周固同学, 感谢苏固送的礼物. Then its characters may be any. But after a surname
/// that is also another word they must be usual in names (感谢班里老师). The stretch must not be a word of the dictionary (请应考同学).
fn is_between_cues(list: &[Token], name: &Range<usize>) -> bool {
    let (surname, given) = (list[name.start], &list[name.start + 1..name.end]);
    let may_be_any = |token: &Token| is_surname(surname) && character(*token).is_some_and(|c| !CUES.joining.has(c));
    let closes = || list.get(name.end).is_some_and(|token| CUES.after_name.has_code(*token));
    // At the beginning of a text the name may end earlier: 肖战演的顾魏.
    let does = |token: &Token| {
        let entry = lexicon().get(&[*token]);
        entry.is_none_or(|entry| matches!(entry.tag(), Tag::Verb | Tag::Function))
    };
    let is_last = |token: &Token| may_be_given(token) || !does(token);
    let is_listed = |entry: Entry| !matches!(entry.tag(), Tag::None | Tag::Name);
    (is_surname(surname) || SURNAMES[1].has(surname))
        && is_due(list, name.start)
        && (is_before_cue(list, name) || closes())
        && given.iter().all(|token| may_be_given(token) || may_be_any(token))
        && (name.start > 0 || !ends_in_adverb(given) && given.last().is_some_and(is_last))
        && !parts(list, name).any(|part| lexicon().get(part).is_some_and(is_listed))
}

/// Whether a name is expected at this place: after a cue, after 请, or at the beginning of a text with a surname.
fn is_due(list: &[Token], start: usize) -> bool {
    match start.checked_sub(1) {
        None => is_surname(list[0]),
        Some(before) => character(list[before]) == Some('请') || cue_before(list, start) > 0,
    }
}

fn may_be_due(list: &[Token], start: usize) -> bool {
    start == 0 || is_due(list, start)
}

/// Whether a name may begin there. A short text may also begin with a surname that is more often another word: 常伟, 万芳.
fn may_begin(list: &[Token], start: usize) -> bool {
    let is_first = || start == 0 && list.len() <= FOLLOWED_BY.end() + NAMED.end();
    let is_any = || lexicon().get(&list[..1]).is_some_and(|entry| entry.is(SURNAME));
    is_surname(list[start]) || is_first() && is_any()
}

/// Whether the name begins a short text that goes on after it.
fn is_first(list: &[Token], name: &Range<usize>) -> bool {
    let is_given = |token: &Token| lexicon().get(&[*token]).is_some_and(|entry| entry.is(GIVEN));
    let joins = |token: &Token| character(*token).is_some_and(|c| CUES.joining_behind.has(c));
    let is_last = || list[..name.end].last().is_some_and(|last| !joins(last));
    // 白云 of 白云机场 is no name. Nor is a name that is a word.
    let is_no_word = || {
        let mut is_word = false;
        lexicon().words_at(list, 0, |length, entry| {
            is_word |= match length.cmp(&name.end) {
                Ordering::Less => false,
                Ordering::Equal => !matches!(entry.tag(), Tag::None | Tag::Name),
                Ordering::Greater => entry.has_senses() || !matches!(entry.tag(), Tag::None | Tag::Name),
            };
        });
        !is_word
    };
    name.start == 0
        && FOLLOWED_BY.contains(&(list.len() - name.end))
        && is_last()
        && list[1..name.end].iter().all(is_given)
        && is_no_word()
}

/// Whether a name may begin with the character.
pub(crate) fn is_surname(token: Token) -> bool {
    SURNAMES[0].has(token)
}

/// Returns the lengths of the cues that end there, the longest first: 3 for 亲爱的.
fn cues_before(list: &[Token], end: usize) -> impl Iterator<Item = usize> + '_ {
    let is_cue = move |length: &usize| lexicon().get(&list[end - length..end]).is_some_and(|word| word.is(CUE_BEFORE));
    (1..=end.min(CUE)).rev().filter(is_cue)
}

/// Whether there is a cue directly before this place: 亲爱的.
pub(super) fn has_cue_before(list: &[Token], start: usize) -> bool {
    cues_before(list, start).next().is_some()
}

/// Whether there is a cue directly after this place: 同学.
pub(super) fn has_cue_behind(list: &[Token], end: usize) -> bool {
    let behind = &list[end..];
    if behind.first().is_none_or(|first| character(*first).is_some() && !CUE_STARTS.has(*first)) {
        return false;
    }
    let is_cue = |length| lexicon().get(&behind[..length]).is_some_and(|word| word.is(CUE_AFTER));
    (1..=behind.len().min(CUE_BEHIND)).any(is_cue)
}

/// Returns the length of the cue that ends there, 0 without one: 患者, 负责人是.
fn cue_before(list: &[Token], end: usize) -> usize {
    let cue = |end: usize| {
        // 小乔双: only one character of a name follows the cue 小.
        let is_familiar = |length| length == 1 && CUES.familiar.has_code(list[end - 1]);
        cues_before(list, end).find(|length| !is_familiar(*length)).unwrap_or_default()
    };
    if end == 0 || !CUE_ENDS.has(list[end - 1]) && !tokens::is_word(list[end - 1]) {
        return 0;
    }
    match cue(end) {
        0 if end > 1 && CUES.is_called.has_code(list[end - 1]) && cue(end - 1) > 0 => cue(end - 1) + 1,
        length => length,
    }
}

/// Whether a cue comes directly after a name, or 的 after a name that begins the text.
pub(super) fn is_before_cue(list: &[Token], name: &Range<usize>) -> bool {
    has_cue_behind(list, name.end) || name.start == 0 && list.get(name.end) == Some(&('的' as Token))
}

/// Whether the text shows where a name ends: a cue or 您 follows.
pub(crate) fn is_closed(list: &[Token], name: &Range<usize>) -> bool {
    let next = list.get(name.end).and_then(|token| character(*token));
    is_before_cue(list, name) || next.is_some_and(|c| "您你".contains(c))
}

/// Whether an entry is a word, and neither a name nor rare.
fn is_word(entry: Entry) -> bool {
    match entry.tag() {
        Tag::None | Tag::Name => false,
        Tag::Place => entry.log_frequency() > RARE_PLACE,
        _ => entry.log_frequency() > RARE_WORD,
    }
}

/// Whether a word overlaps an end of a possible name: 资金 overlaps the beginning of 金周. If `is_cued`, a cue says where the name begins
/// (承办人为何兰, 亲爱的张敏感谢您). Then a word that begins before the name does not count. Nor does a word over the end of the name, if another
/// word begins right after the name and ends later. A cue right after the name does the same, even if not `is_cued` (邓国家长).
fn is_cut(list: &[Token], at: &Range<usize>, is_cued: bool) -> bool {
    let cuts = |entry: Entry| match entry.tag() {
        Tag::None => false,
        Tag::Name => true,
        _ => entry.log_frequency() > RAREST,
    };
    let ends = |start: usize, is: &dyn Fn(usize) -> bool| {
        let mut ends = false;
        lexicon().words_at(list, start, |length, entry| ends |= length > 1 && cuts(entry) && is(start + length));
        ends
    };
    let mut next = at.end;
    lexicon().words_at(list, at.end, |length, entry| {
        let is_next = is_cued && is_word(entry) || entry.is(CUE_AFTER);
        next = if length > 1 && is_next { at.end + length } else { next };
    });
    let first = if is_cued { at.start } else { at.start.saturating_sub(LONGEST_WORD - 1) };
    (first..at.start).any(|start| ends(start, &|end| end > at.start))
        || (at.start + 1..at.end).any(|start| ends(start, &|end| end > at.end && end >= next))
}

/// Returns the names of a text that begin at these places.
pub(crate) fn named(list: &[Token], starts: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let may_start = |start: usize| may_begin(list, start) || SURNAMES[1].has(list[start]) && is_due(list, start);
    let starts = (starts.start..starts.end.min(list.len())).filter(move |start| may_start(*start));
    starts.flat_map(move |start| {
        let may_be_due = may_be_due(list, start);
        NAMED.map(move |length| start..start + length).filter(move |name| is_named_if(list, name, may_be_due))
    })
}

/// Whether two names may belong to one person: they are equal, or one is the [familiar] form of the other. A name with another character is
/// another person, even if it sounds or looks alike: 王明 / 王铭.
pub(crate) fn may_be_one(x: &[Token], y: &[Token]) -> bool {
    let is_familiar = |x: &[Token], y: &[Token]| familiar(x).is_some_and(|x| x == y);
    x == y || is_familiar(x, y) || is_familiar(y, x)
}

/// Returns the name that a familiar form stands for: 王芳 for 王小芳.
pub(crate) fn familiar(name: &[Token]) -> Option<[Token; 2]> {
    let [surname, more, last] = *name else { return None };
    CUES.familiar.has_code(more).then_some([surname, last])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::tokens;

    #[test]
    fn a_name_stands_behind_a_cue() {
        for (text, found) in [
            ("尊敬的王芳您好", true),
            ("恭喜李丽娟获奖", true),
            ("尊敬的客户您好", false),
            ("感谢高速公路交警", false),
            ("负责人是李国光", true),
            ("王芳您好", true),
            ("请王小芳同学到教务处", true),
            ("王芳的检测结果", true),
            ("请王芳到教务处", false),
            ("请周固同学到教务处", true),
            ("请苏固同学到教务处", true),
            ("请苏固到教务处", false),
            ("请常志同学到教务处", true),
            ("感谢班里老师的关心", false),
            ("感谢车友们送的月饼", false),
            ("感谢苏固送的礼物", true),
            ("感谢高原赠送的礼物", false),
            ("秦河撤回了一条消息", true),
            ("方才撤回了一条消息", false),
            ("请江苏同学到教务处", false),
            ("请全体同学到教务处", false),
            ("老师好，王芳今日体温正常", true),
            ("王芳撤回了一条消息", true),
            ("高兴地撤回了一条消息", false),
            ("方便面涨价了没有", false),
            ("白云机场今天延误", false),
            ("常伟撤回了一条消息", true),
            ("常温保存三天没坏", false),
            ("高中同学聚会", false),
            ("亲爱的张敏感谢您光临", true),
            ("邓国家长您好", true),
            ("资金周转老师", false),
            ("黑龙江人表示", false),
            ("和家属老师", false),
        ] {
            let list = tokens(text);
            assert_eq!(named(&list, 0..list.len()).next().is_some(), found, "{text}");
        }
    }

    #[test]
    fn names_that_may_be_one() {
        for (x, y, one) in [
            ("王芳", "王芳", true),
            ("王芳", "王方", false),
            ("王芳", "王小芳", true),
            ("王芳", "王丽", false),
            ("王芳", "王丽芳", false),
            ("王芳", "王芳华", false),
            ("王芳", "李芳", false),
            ("王芳", "李丽娟", false),
        ] {
            assert_eq!(may_be_one(&tokens(x), &tokens(y)), one, "{x} / {y}");
            assert_eq!(may_be_one(&tokens(y), &tokens(x)), one, "{y} / {x}");
        }
    }
}
