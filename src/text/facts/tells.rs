//! What is added to a long text: does it tell a fact (无人受伤), or is it a remark of one's own (太暖了)?

use std::ops::Range;

use super::negation::says;
use super::words::{Word, all, cut};
use crate::text::GistView;
use crate::text::cues::{CUES, Words};
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, character, is_number, number};

/// Longest clause that tells one fact, in tokens.
const MOST: usize = 12;
/// Longest addition that a number or a day in it tells as news, in tokens.
const DATED: usize = 20;
/// Fewest different tokens of a clause that states something.
const STATED: usize = 4;

/// Whether a clause or more of B, which A has not, tells a fact: it [reports] one, or states something in a text of one's own, without a
/// topic (左手柄漂移).
pub(super) fn tells(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>) -> bool {
    let is_own = b.comments == 0 && a.topics.is_empty() && b.topics.is_empty();
    let side = || -> String { b.body.list[added.clone()].iter().filter_map(|token| character(*token)).collect() };
    // 打卡第3天.
    let is_aside = || is_own && CUES.aside.within(&side());
    (reports(a, b, added) || is_own && states(b, added)) && !is_aside()
}

/// Whether it says who, when, where, how many, or what became of it. Remarks do not: 太暖了, 我看哭了. Under a topic, where many write what
/// they think, it must have a number that A has not, or say what became of it.
pub(super) fn reports(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>) -> bool {
    let list = &b.body.list[added.clone()];
    if !(2..=DATED).contains(&list.len()) || is_stamp(list) {
        return false;
    }
    let words = cut(b.body.list, added, &all(lexicon::lexicon(), b, added));
    let is_remark = words.iter().any(|word| is_stance(word, b.body.list));
    let has = |token: &Token, of: &Words| character(*token).is_some_and(|c| of.has(c));
    let is_under_topic = !(a.topics.is_empty() && b.topics.is_empty());
    let is_new = |number: &Token| is_number(*number) && !(is_under_topic && a.body.list.contains(number));
    let counted = |two: &[Token]| is_new(&two[0]) && has(&two[1], &CUES.counted);
    let is_own = b.comments == 0 && !is_under_topic;
    if is_remark {
        return is_own && list.iter().any(|token| is_new(token) && *token != number(1));
    }
    let is_brief = list.len() <= MOST;
    if list.windows(2).any(counted) || is_brief && says(b, added, lexicon::TOLD | lexicon::CORRECTION) {
        return true;
    }
    if is_under_topic {
        return false;
    }
    let is_day = |word: &Word| tagged(word, |tag| tag == Tag::Time);
    // 涨六百.
    let is_numbered = || list.last().is_some_and(is_new) && !is_number(list[0]);
    let said = |two: &[Word]| {
        let [who, what] = two else { return false };
        let spoken = who.tokens(b.body.list);
        tagged(who, |tag| tag == Tag::Noun)
            && has(&what.tokens(b.body.list)[0], &CUES.spoken)
            && a.body.list.windows(spoken.len()).any(|tokens| tokens == spoken)
    };
    words.iter().any(is_day) || is_numbered() || is_brief && words.windows(2).any(said)
}

/// When a text was posted: …，何须长吁短叹。2017.08.28.
fn is_stamp(list: &[Token]) -> bool {
    let is_of_stamp = |token: &Token| is_number(*token) || character(*token).is_some_and(|c| "年月日".contains(c));
    list.contains(&Token::from('年')) && list.iter().all(is_of_stamp)
}

/// Whether the word says what one feels or wishes, or asks. 乐 of 乐队 does not.
fn is_stance(word: &Word, list: &[Token]) -> bool {
    let is_thing = word.range.len() > 1
        && word.entry.is_some_and(|entry| match entry.tag() {
            // 下学期 is of the lists alone.
            Tag::None => entry.has_senses(),
            tag => tag.is_noun() || matches!(tag, Tag::Time | Tag::Count),
        });
    !is_thing && word.tokens(list).iter().any(|token| character(*token).is_some_and(|c| CUES.stance.has(c)))
}

/// Whether a clause states something: 已签认罪书. Not what one finds behind a link.
fn states(b: GistView<'_>, added: &Range<usize>) -> bool {
    let list = &b.body.list[added.clone()];
    let words = cut(b.body.list, added, &all(lexicon::lexicon(), b, added));
    let distinct = list.iter().enumerate().filter(|(at, token)| !list[..*at].contains(token)).count();
    let side: String = list.iter().filter_map(|token| character(*token)).collect();
    let is_content = |word: &Word| tagged(word, |tag| tag.is_noun() || tag == Tag::Verb);
    let has_number = || list.iter().any(|token| is_number(*token));
    distinct >= STATED
        && list.len() <= DATED
        && !is_stamp(list)
        && !words.iter().any(|word| is_stance(word, b.body.list))
        && (words.iter().any(is_content) || has_number())
        && !CUES.pointer.ends(&side)
        // What else stands in front is a headline: 【寒潮来袭】.
        && (added.start > 0 || CUES.front.begins(&side))
}

/// Whether it is a word of the dictionary that is tagged so.
fn tagged(word: &Word, is_so: impl Fn(Tag) -> bool) -> bool {
    word.is_known() && word.entry.is_some_and(|entry| is_so(entry.tag()))
}
