//! Finds titles that tell of another event: one to come (将发布 / 发布), another time (点名 / 再次点名), or who else does it (印度发现… / 韩国发现印度…).

use std::ops::Range;

use super::slips::is_negating;
use super::text_kind::NEWS_TITLE_BELOW;
use super::told_or_remarked::is_remark;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{Entry, Tag, lexicon};
use crate::text::tokens::{Token, find, is_number, is_one_of};

/// Longest verb before 或 that joins it to another one, in tokens.
const LONGEST_VERB: usize = 4;

/// The classes of those who act in the news and are places.
const ACTORS: [&str; 3] = ["country", "province", "city"];

/// Whether only one of two titles says that what follows is to come or unsure, and the other names no time: 将发布 / 发布, 或取消 / 取消. Or B says
/// that it happens once more: 点名 / 再次点名.
pub(super) fn is_other_event(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    let Some((side, at)) = gap.one_sided() else { return false };
    let [own, other] = if side == 0 { [a, b] } else { [b, a] };
    let list = own.body.list;
    let words = &list[at.clone()];
    let (before, behind) = (&list[..at.start], &list[at.end..]);
    let is_one = || match words {
        [word] if is_one_of(*word, "将") => is_to_come(before, behind),
        [word] if is_one_of(*word, "或") => is_unsure(before, behind),
        _ => side == 1 && CUES.once_more.is_codes(words) && is_again(before, words, behind),
    };
    let is_inside = || !behind.is_empty() && !own.ends_clause(at.end);
    let is_only_here = || find(other.body.list, words).is_none() && !tells_when(other.body.list);
    is_one() && is_inside() && is_only_here() && is_title(a) && is_title(b)
}

/// Whether 将 between these tokens tells of something to come: not 宣布将取消, 获奖者将获得奖金, 水电费将会涨价, nor 建议将费用纳入医保.
fn is_to_come(before: &[Token], behind: &[Token]) -> bool {
    let is_announced = || (0..before.len()).any(|at| CUES.announcing.starting(&before[at..]).is_some());
    let is_rule = || before.last().is_some_and(|token| CUES.not_to_come_before.has_code(*token));
    let is_told = || behind.first().is_some_and(|token| CUES.not_to_come_behind.has_code(*token));
    let longest = |at: usize, is: fn(Tag) -> bool| lexicon().longest_at(behind, at, |_, entry| is(entry.tag()));
    let takes_thing = || {
        let (noun, is_verb) = (longest(0, Tag::is_noun), |tag| tag == Tag::Verb);
        noun > longest(0, is_verb).max(1) && (noun..behind.len()).any(|at| longest(at, is_verb) > 1)
    };
    !is_rule() && !is_told() && !is_announced() && !takes_thing()
}

/// Whether 或 between these tokens says that something is unsure: not 刷卡或扫码, nor 甲或乙.
fn is_unsure(before: &[Token], behind: &[Token]) -> bool {
    let is_verb = |words: &[Token]| lexicon().get(words).is_some_and(|entry| entry.tag() == Tag::Verb);
    let ends_in_verb = || (2..=before.len().min(LONGEST_VERB)).any(|length| is_verb(&before[before.len() - length..]));
    let goes_on = || behind.first().is_some_and(|token| CUES.unsure.has_code(*token));
    let says = |_, entry: Entry| matches!(entry.tag(), Tag::Verb | Tag::Function);
    // 本科或以上学历.
    let adds = || behind.first().is_some_and(|token| is_one_of(*token, "以其"));
    lexicon().longest_at(behind, 0, says) > 0 && (goes_on() || !ends_in_verb() && !adds())
}

/// Whether these `words` say that it is another time: not 再次提醒, 不再, 付款后再发货, 又快又好的, nor 一次又一次.
fn is_again(before: &[Token], words: &[Token], behind: &[Token]) -> bool {
    let Some(last) = before.last() else { return false };
    let is_said = || CUES.said_again.starting(behind).is_some();
    let is_denied = || before.iter().rev().take(2).any(|token| is_negating(*token));
    let follows = || before.iter().any(|token| is_one_of(*token, "先后完了起等"));
    let joins = || behind.iter().take(3).any(|token| token == last || is_one_of(*token, "的"));
    let is_single = words.len() == 1;
    !is_said() && !is_denied() && !(is_single && (follows() || joins()))
}

/// Returns the two words with which two titles begin, if they are other countries, provinces or cities and the same verb follows.
pub(crate) fn other_actor(a: GistView<'_>, b: GistView<'_>) -> Option<(Gap, u16)> {
    if !is_title(a) || !is_title(b) {
        return None;
    }
    let (of_a, of_b) = (actor(a.body.list)?, actor(b.body.list)?);
    let (verb, same) = (verb_at(a.body.list, of_a.0), verb_at(b.body.list, of_b.0));
    let acts_alike = !verb.is_empty() && a.body.list[verb] == b.body.list[same];
    let group = lexicon().conflict(of_b.1, of_a.1).filter(|_| acts_alike)?;
    Some((Gap { a: 0..of_a.0, b: 0..of_b.0 }, group))
}

/// Returns the length of the place that a title begins with, and its entry.
fn actor(list: &[Token]) -> Option<(usize, Entry)> {
    let mut found = None;
    lexicon().words_at(list, 0, |length, entry| {
        let is_actor = lexicon().senses(entry).any(|sense| ACTORS.contains(&lexicon().name(sense.group)));
        if length > 1 && is_actor {
            found = Some((length, entry));
        }
    });
    found
}

/// Returns where the verb that begins at `start` is; empty if none does.
fn verb_at(list: &[Token], start: usize) -> Range<usize> {
    let is_verb = |length: usize, entry: Entry| length > 1 && entry.tag() == Tag::Verb;
    start..start + lexicon().longest_at(list, start, is_verb)
}

/// Whether a text is a title: short, without a topic, and no remark.
fn is_title(text: GistView<'_>) -> bool {
    let length = text.body.list.len();
    length < NEWS_TITLE_BELOW && text.topics.is_empty() && text.comment_tokens == 0 && !is_remark(text, &(0..length))
}

/// Whether a list names a day, a date or a time of day.
fn tells_when(list: &[Token]) -> bool {
    let is_date = |two: &[Token]| is_number(two[0]) && is_one_of(two[1], "年月日点时");
    let is_time = |at: usize| lexicon().longest_at(list, at, |_, entry| entry.tag() == Tag::Time) > 1;
    list.windows(2).any(is_date) || (0..list.len()).any(is_time)
}
