//! Finds titles that tell of another event: one to come (将发布 / 发布), another time (点名 / 再次点名), or who else does it (印度发现… / 韩国发现印度…).

use std::ops::Range;

use super::text_kind::NEWS_TITLE_BELOW;
use super::told_or_remarked::is_remark;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{Entry, FILLER, Tag, lexicon};
use crate::text::tokens::{Token, find, is_number, is_one_of};

/// The classes of those who act in the news and are places.
const ACTORS: [&str; 3] = ["country", "province", "city"];

/// Whether only one of two titles says that what follows is to come or unsure, and the other names no time: 将发布 / 发布, 或取消 / 取消. Or B says
/// that it happens once more: 点名 / 再次点名.
pub(super) fn is_other_event(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    let Some((side, at)) = gap.one_sided() else { return false };
    let [own, other] = if side == 0 { [a, b] } else { [b, a] };
    let words = &own.body.list[at.clone()];
    let is_inside = || at.end < own.body.list.len() && !own.ends_clause(at.end);
    let is_only_here = || find(other.body.list, words).is_none();
    // 甲或乙 / 甲乙.
    let joins = || {
        is_one_of(words[0], "或")
            && lexicon().longest_at(own.body.list, at.end, |_, entry| matches!(entry.tag(), Tag::Verb | Tag::Function))
                == 0
    };
    let comes = || CUES.to_come.is_codes(words) && !joins() && !tells_when(other.body.list);
    // 再次提醒 says no more than 提醒.
    let is_filler = || lexicon().longest_at(own.body.list, at.start, |_, entry| entry.is(FILLER)) > at.len();
    let is_again = || side == 1 && at.start > 0 && CUES.once_more.is_codes(words) && !is_filler();
    (comes() || is_again()) && is_inside() && is_only_here() && is_title(a) && is_title(b)
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
    let is_date = |two: &[Token]| is_number(two[0]) && is_one_of(two[1], "年月日号点时");
    let is_time = |at: usize| lexicon().longest_at(list, at, |_, entry| entry.tag() == Tag::Time) > 1;
    list.windows(2).any(is_date) || (0..list.len()).any(is_time)
}
