//! Finds a member of a class that only A has, and another one that only B has, anywhere in the texts: 浙江学考怎么样 / 高考英语怎么样,
//! 补贴截止到什么时候 / 补贴从什么时候开始.
//!
//! Also finds what only B, a title, says happened after the first report: 高校食堂饭菜… / 高校回应食堂饭菜….
//!
//! Only texts with one subject are compared, and only if B does not comment on a repost. [`members`](super::members) has already compared
//! the words in the same place.

use std::ops::Range;

use super::Conflict;
use super::edits::{Difference, Edit};
use super::news::News;
use super::text_kind::ONE_SUBJECT_BELOW;
use super::words::{Word, all, cut};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::{CUES, Row};
use crate::text::lexicon::lexicon;
use crate::text::tokens::{Token, find, is_one_of};

/// Before what somebody says, it says no more than 称.
const REPLIED: [Token; 2] = ['回' as Token, '应' as Token];

/// The classes of places.
const PLACES: [&str; 4] = ["country", "province", "city", "district"];

/// Returns the two words, as news. Words in harmless `differences` do not count.
pub(crate) fn another_member(a: GistView<'_>, b: GistView<'_>, differences: &[Difference]) -> Option<(Gap, News)> {
    let (x, y) = (a.body.list, b.body.list);
    let lacks = |list: &[Token], other: &[Token]| list.iter().any(|token| !other.contains(token));
    if x.len().max(y.len()) >= ONE_SUBJECT_BELOW || b.comment_tokens > 0 || !lacks(x, y) || !lacks(y, x) {
        return None;
    }
    let only = |text: GistView<'_>, other: &[Token]| {
        let list = text.body.list;
        let clauses = text.clauses().filter(|clause| lacks(&list[clause.clone()], other));
        let words = clauses.flat_map(|clause| members(text, &clause));
        words.filter(|word| lacks(word.tokens(list), other)).collect::<Vec<_>>()
    };
    let (mut of_a, mut of_b) = (only(a, y), only(b, x));
    // A class name inside a byline says nothing.
    let harmless = differences.iter().filter(|difference| difference.edit == Edit::Harmless);
    for Gap { a: p, b: q } in harmless.map(|difference| &difference.gap) {
        of_a.retain(|word| !(p.contains(&word.range.start) && word.range.end <= p.end));
        of_b.retain(|word| !(q.contains(&word.range.start) && word.range.end <= q.end));
    }
    first_conflict(&of_a, &of_b).map(|(place, group)| (place, News::Fact(Conflict::Class(group))))
}

/// Returns a place that only A has, and another one of its kind that only B has. This is for a B that is only
/// [inside](crate::rule::thresholds) a longer A: 全国疫情通报：湖北新增…，浙江新增… / 江苏新增…. Such texts are aligned over long passages, whose words are not
/// compared one by one.
pub(crate) fn another_place(a: GistView<'_>, b: GistView<'_>) -> Option<(Gap, Conflict)> {
    let only = |text: GistView<'_>, other: &[Token], from: usize| {
        let list = text.body.list;
        // 武汉市 is 武汉.
        let name = |word: &Word| {
            let tokens = word.tokens(list);
            if tokens.len() > 2 { &tokens[..tokens.len() - 1] } else { tokens }
        };
        let is_place = |word: &Word| {
            let mut groups = word.entry.into_iter().flat_map(|entry| lexicon().senses(entry)).map(|sense| sense.group);
            groups.any(|group| PLACES.contains(&lexicon().name(group)))
        };
        // Most clauses of B are in A as they are.
        let clauses = text.clauses().filter(|clause| find(other, &list[clause.clone()]).is_none());
        let words = clauses.flat_map(|clause| members(text, &clause)).filter(|word| word.range.start >= from);
        words.filter(|word| is_place(word) && find(other, name(word)).is_none()).collect::<Vec<_>>()
    };
    let of_b = only(b, a.body.list, b.comment_tokens as usize);
    let of_a = if of_b.is_empty() { Vec::new() } else { only(a, b.body.list, 0) };
    first_conflict(&of_a, &of_b).map(|(place, group)| (place, Conflict::Class(group)))
}

/// Returns what B says happened after the first report, if A says nothing of the kind: 高校食堂饭菜… / 高校回应食堂饭菜…. Both are titles or
/// other short texts of their own. 商家称 / 商家回应称 says the same, and so does a synonym in one of the `differences`.
pub(crate) fn followed_up(a: GistView<'_>, b: GistView<'_>, differences: &[Difference]) -> Option<Gap> {
    let is_title = |text: GistView<'_>| {
        text.body.list.len() < ONE_SUBJECT_BELOW && text.topics.is_empty() && text.comment_tokens == 0
    };
    if !is_title(a) || !is_title(b) {
        return None;
    }
    let list = b.body.list;
    let word_of =
        |list: &[Token], row: &Row| (0..list.len()).find_map(|at| Some(at..at + row.words.starting(&list[at..])?));
    let is_synonym = |word: &Range<usize>| {
        let holds = |difference: &Difference| {
            let Gap { a: p, b: q } = &difference.gap;
            difference.edit == Edit::Harmless && !p.is_empty() && q.start <= word.start && word.end <= q.end
        };
        differences.iter().any(holds)
    };
    // 去世 is no word of 想去世界各地.
    let is_cut = |word: &Range<usize>| {
        let clause = b.clauses().find(|clause| clause.end >= word.end).unwrap_or(0..list.len());
        let words = cut(list, &clause, &all(lexicon(), b, &clause));
        // 立案侦查 begins with 立案, and 被立案 ends with it.
        let crosses = |Range { start, end }: &Range<usize>| {
            let is_before = start < &word.start && word.start < *end && *end < word.end;
            is_before || word.start < *start && *start < word.end && word.end < *end
        };
        !words.iter().any(|other| crosses(&other.range))
    };
    let introduces = |word: &Range<usize>| {
        let is_said = |token: &Token| is_one_of(*token, "称说道表");
        list[word.clone()] == REPLIED && (b.breaks_at(word.end) || list.get(word.end).is_some_and(is_said))
    };
    let rows = CUES.follow_up.rows.iter().filter(|row| word_of(a.body.list, row).is_none());
    let mut words = rows.filter_map(|row| word_of(list, row));
    words.find(|word| !introduces(word) && !is_synonym(word) && is_cut(word)).map(|b| Gap { a: 0..0, b })
}

/// Returns the first two words that are members of one class and exclude each other.
fn first_conflict(of_a: &[Word], of_b: &[Word]) -> Option<(Gap, u16)> {
    of_b.iter().find_map(|own| {
        of_a.iter().find_map(|other| {
            let group = lexicon().conflict(own.entry?, other.entry?)?;
            Some((Gap { a: other.range.clone(), b: own.range.clone() }, group))
        })
    })
}

/// Returns the words of classes, of two characters or more, in a clause.
fn members(text: GistView<'_>, clause: &Range<usize>) -> impl Iterator<Item = Word> + use<> {
    let words = cut(text.body.list, clause, &all(lexicon(), text, clause)).into_iter();
    words.filter(|word| word.range.len() > 1 && word.entry.is_some_and(|entry| entry.has_senses()))
}
