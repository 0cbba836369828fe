//! Decides which differences make B another message: the end of the step *words* of the [repeat rule](crate::rule).
//!
//! 展开辩论 / 展开表决 is another message, and so is 停运 / 停运，预计一小时恢复. [`edits`](super::edits) classifies each difference. This module
//! decides whether a difference is news. A typo, a synonym, filler and a word said twice are *harmless*, and never news. A difference is
//! *alone* if all others are harmless. n is the number of tokens of the shorter body.
//!
//! *A fact* is news. A number for a word (七家银行 / 民生银行) is news only if it is alone, or, below 25 tokens, one of two differences.
//!
//! *Content words for others* are news if all of this holds:
//! - They are alone, or, below 25 tokens, one of two differences, or, from 16 to 63, nouns for [other nouns](super::nouns).
//! - They have at most 12 tokens on each side.
//! - From n = 80 on, they are alone, have at most 6 tokens and none in common, and are no dates.
//! - From n = 16 on, they are not one character for another, which is more often a slip. But below 25 a noun with another character counts,
//!   as in 酒精 / 香精.
//! - From n = 16 on, they are not whole clauses, except such nouns. But below 64, without a topic, a clause that is alone counts if neither
//!   clause is a remark: 简装 / 带全套家电.
//! - They are not the readers that two texts with a link greet in their first 4 tokens.
//!
//! *What B adds* is news if it is alone and one of these holds. Links, adverts and sources are never news.
//! - It has a number, or it is at least 15 % of B and 2 tokens: 购物即返现300元 / 购物即返现300元截止5月27日. It is at the end, or anywhere below 25
//!   tokens. Neither message has a topic.
//! - It is only 上, 下, 完 or the like, as a clause or at the end of such a message: …的老座钟 / …的老座钟（下）.
//! - It is a clause that [tells](super::told_or_remarked) a fact: …停运 / …停运，无人受伤. It counts from n = 12 on at the end, and from 25 on anywhere, if
//!   neither has a topic. Under a topic it must have a number that A lacks, or say what became of the matter.
//! - It is the whole comment on a repost, tells a fact, and n ≥ 16: 92岁//@…. Other comments count only if they say the opposite, or that
//!   the reposted text is wrong or over.
//! - It is one more noun with 和, and n < 64: 总馆 / 总馆及全部分馆.
//! - It rewords A, is longer, and has a number, as a score or a date, that A lacks. Neither message has a topic, and n < 40.
//!
//! *Short texts* (n < 12, no topics). Any content word that is replaced or added is news. So is any number that B adds, 吗 in only one of
//! them (手机支持反向充电 / 手机支持反向充电吗), and another grammatical person (你的名字真好听 / 我的名字真好听). Of two questions, even under a topic, words that B
//! leaves out are news, too: 怎么煮白米饭最香呢 / 怎么煮米饭最香呢.
//!
//! *Questions.* Without a topic, in texts of any length, 吗 in only one of them is news if the other asks nothing. So is 能不能 of B for 能 of
//! A.
//!
//! *A subject* is an A of up to 7 tokens, if B has at least 2 tokens that A does not cover, and neither has a topic. Then every difference
//! that is not harmless is news: 上海疫情 / 上海疫情发布会.
//!
//! *Under `careful`* any content word that is replaced, added, or left out inside a clause is news. A cut end is not. Nor is a small
//! addition: without a number, and less than 5 % of a text of 40 tokens or more.

use std::ops::Range;

use super::Conflict;
use super::clauses::is_joint;
use super::edits::{Difference, Edit};
use super::nouns::{are_other_nouns, is_other_modifier};
use super::numeric::{is_numeric, value};
use super::slips::{has_link, is_mask};
use super::slots::Slot;
use super::text_kind::{EACH_WORD_BELOW, NEWS_TITLE_BELOW, ONE_SUBJECT_BELOW, POST, asks, is_either, offers};
use super::told_or_remarked::{adds_part, is_aside, tells};
use super::views::{adds_to_question, is_question_of_views};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{LONGEST_WORD, lexicon};
use crate::text::tokens::{Token, character, find, is_number, is_one_of, number};

/// In a text of fewer tokens a whole clause in the place of another is news, too. In a longer text it is a remark.
const CLAUSE_NEWS_BELOW: usize = 16;
/// In a text of at least this many tokens, replaced words are an edit. They are news only if they are alone, and up to [`LONE_WORD_UPTO`]
/// tokens.
const LONG_POST: usize = 80;
/// Most tokens of a replaced word that is news in a [long post](LONG_POST).
const LONE_WORD_UPTO: usize = 6;
/// Under `careful`, an addition of a smaller share of a post, in hundredths, is no news.
const SMALL_SHARE: usize = 5;
/// Longest form of address, in tokens.
const GREETING: usize = 4;
/// Longest replaced stretch of words, in tokens. Longer ones are passages.
const REPLACED_UPTO: usize = 12;
/// Least share of B, in hundredths, of an addition without a number that is news. Readers called smaller additions a repeat.
const SHARE: usize = 15;
/// Fewest tokens that B lacks at its end if it was cut short.
const CUT: usize = 4;

/// Most tokens of an addition with 吗 that turns a text into a question.
const ASKED: usize = 6;

/// The persons that a brief text speaks of or to. 他, 她 and 它 sound alike.
const WHO: [&str; 3] = ["我俺咱", "你您", "他她它"];

/// The kind of news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// A fact differs.
    Fact(Conflict),
    /// Content words replace others.
    Replaced,
    /// B says more.
    Added,
}

/// Returns the differences up to the first fact, if all before it are harmless: then this fact is the [news], whatever else differs.
/// Otherwise returns all differences.
pub(crate) fn up_to_fact(found: impl Iterator<Item = Difference>, b: GistView<'_>) -> Vec<Difference> {
    let (mut known, mut is_plain) = (Vec::new(), b.comment_tokens == 0);
    for difference in found {
        let edit = difference.edit;
        known.push(difference);
        match edit {
            Edit::Fact(conflict) if is_plain && conflict != Conflict::NumberForWord => break,
            Edit::Harmless => {}
            _ => is_plain = false,
        }
    }
    known
}

/// Returns the first difference that makes B another message, and its place. Under `careful`, this is the first that says anything else or
/// more. A short question is treated like this, too, because any word changes what is asked, even one that is left out.
pub(crate) fn news(found: &[Difference], a: GistView<'_>, b: GistView<'_>, careful: bool) -> Option<(Gap, News)> {
    let real = found.iter().filter(|difference| difference.edit != Edit::Harmless).count();
    let are_questions = is_question(a, b);
    let shorter = a.body.list.len().min(b.body.list.len());
    let are_bare = are_bare(a, b);
    let are_brief = shorter < EACH_WORD_BELOW && are_bare;
    let as_news = |difference: &Difference| {
        let Difference { gap, edit, clauses, .. } = difference;
        let is_inside = gap.a.start > 0 || gap.b.start > 0;
        let is_added = gap.a.is_empty();
        // 好用吗 / 好不好用.
        let only_asks = || {
            let asks = |text: GistView<'_>| asks(text) || offers(text.body.list);
            is_only_particle(gap, a, b) && asks(a) && asks(b)
        };
        let asks_more = || are_bare && (asks_by_particle(gap, a, b) || asks_whether(gap, a, b));
        // The 一 of 想请教一下 is no number.
        let is_civil = is_added && *clauses && *edit == Edit::Harmless;
        let is_brief_news = || are_brief && !is_civil && counts_in_brief(difference, a, b);
        let is_left_out_of_question = || are_questions && is_inside && !clauses;
        let is_left_out_carefully = || careful && !clauses && !is_cut(gap, b);
        let adds_a_fact = || *clauses && tells(a, b, &gap.b);
        let is_slight = |tokens| careful && !are_questions && is_added && is_small(tokens, b) && !adds_a_fact();
        let news = match *edit {
            _ if only_asks() || is_question_of_views(a, b, gap) => None,
            _ if asks_more() || is_brief_news() => Some(News::Replaced),
            Edit::Dropped if is_left_out_of_question() || is_left_out_carefully() => Some(News::Replaced),
            Edit::Added { tokens, number: false } if is_slight(tokens) => None,
            edit if careful || are_questions => any(edit),
            _ => usual(difference, real, a, b),
        };
        Some((difference.place.clone(), news?))
    };
    found.iter().find_map(as_news)
}

/// Whether a stretch of A and one of B say the same in synonyms or filler of the lexicon: 唯一的 / 就一个. With `masks`, what a corpus puts for
/// a name says nothing either.
pub(crate) fn say_the_same(a: GistView<'_>, b: GistView<'_>, gap: &Gap, masks: bool) -> bool {
    let [x, y] = gap.of(a.body.list, b.body.list);
    let known = |side: &[Token]| side.len() <= REPLACED_UPTO;
    if is_mask(x) || is_mask(y) {
        return masks;
    }
    if !known(x) || !known(y) {
        return false;
    }
    if is_question_of_views(a, b, gap) {
        return true;
    }
    let slot = Slot::new(a, b, std::slice::from_ref(gap), 0, false);
    slot.says_the_same() || slot.is_word_for_word()
}

/// Whether the words are 一 and a classifier: 一名 of 救出一名老人.
fn is_one_of_some(words: &[Token]) -> bool {
    matches!(words, [one, counted] if value(*one) == number(1) && character(*counted).is_some())
}

/// Whether both are short questions.
pub(crate) fn is_question(a: GistView<'_>, b: GistView<'_>) -> bool {
    a.body.list.len().min(b.body.list.len()) < EACH_WORD_BELOW && asks(a) && asks(b)
}

/// Whether a difference counts in two brief texts: only one asks (支持反向充电 / 支持反向充电吗), they speak of different persons (你的名字 /
/// 我的名字), or B has a number that A lacks (六点叫我 / 六点四十五叫我). None of these is a slip.
fn counts_in_brief(difference: &Difference, a: GistView<'_>, b: GistView<'_>) -> bool {
    let Gap { a: p, .. } = &difference.gap;
    let [x, y] = difference.gap.of(a.body.list, b.body.list);
    // 么 alone asks; 什么 may be left out: 考研后做的第一件事 / 考研后做的第一件事是什么.
    let is_asking = |list: &[Token]| {
        let has_one = list.iter().any(|token| CUES.asking_char.has_code(*token));
        has_one || matches!(list, [token] if character(*token) == Some('么'))
    };
    let who = |token: Token| character(token).and_then(|c| WHO.iter().position(|who| who.contains(c)));
    let other = |x, y| matches!((who(x), who(y)), (Some(x), Some(y)) if x != y);
    let numbers = |list: &[Token]| list.iter().any(|token| is_numeric(*token));
    let pure = x.is_empty() || y.is_empty();
    // For a text with 我: whether it is 我们.
    let many = |list: &[Token]| {
        let at = list.iter().position(|token| character(*token) == Some('我'))?;
        Some(list.get(at + 1).is_some_and(|token| character(*token) == Some('们')))
    };
    let before = p.start.checked_sub(1).map(|at| a.body.list[at]);
    let joins = |list: &[Token]| matches!(list, [token] if character(*token) == Some('们'));
    let more = before.and_then(who).is_some() && (x.is_empty() && joins(y) || y.is_empty() && joins(x));
    // 开门吗 / 开门的.
    let says = |list: &[Token]| matches!(list, [token] if CUES.stating_briefly.has_code(*token));
    let asks_only = |x: &[Token], y: &[Token]| matches!(x, [token] if character(*token) == Some('吗')) && says(y);
    let is_one_or_many = || more || many(x).zip(many(y)).is_some_and(|(x, y)| x != y);
    let is_asked_instead = || asks_only(x, y) || asks_only(y, x);
    let is_asked_more = || pure && is_asking(x) != is_asking(y) && asks(a) != asks(b);
    let is_another_person = || matches!((x, y), ([x], [y]) if other(*x, *y));
    let is_one = || difference.edit == Edit::Harmless && is_one_of_some(y);
    let is_numbered = || x.is_empty() && numbers(y) && !is_one();
    is_one_or_many() || is_asked_instead() || is_asked_more() || is_another_person() || is_numbered()
}

/// Whether a 吗 at the end of a clause is the only difference there.
fn is_only_particle(gap: &Gap, a: GistView<'_>, b: GistView<'_>) -> bool {
    gap.one_sided().is_some_and(|(side, at)| {
        let text = [a, b][side];
        at.len() == 1 && text.ends_clause(at.end) && character(text.body.list[at.start]) == Some('吗')
    })
}

/// Whether only one of the texts asks, with a 吗 that ends a clause where the other text has nothing. A few words may follow the 吗: 限行 /
/// 限行吗，还是不限.
fn asks_by_particle(gap: &Gap, a: GistView<'_>, b: GistView<'_>) -> bool {
    let asks_on = |text: GistView<'_>, gap: &Range<usize>| {
        let is_first = || character(text.body.list[gap.start]) == Some('吗') && text.ends_clause(gap.start + 1);
        (1..=ASKED).contains(&gap.len()) && is_first()
    };
    let is_asked = gap.a.is_empty() && asks_on(b, &gap.b) || gap.b.is_empty() && asks_on(a, &gap.a);
    is_asked && asks(a) != asks(b) && !offers(a.body.list) && !offers(b.body.list)
}

/// Whether B asks with 能不能 where A has 能, and A asks nothing.
fn asks_whether(Gap { a: p, b: q }: &Gap, a: GistView<'_>, b: GistView<'_>) -> bool {
    let list = b.body.list;
    let around = q.start.saturating_sub(1)..list.len().min(q.end + 1);
    let is_choice = p.is_empty() && q.len() == 2 && list[around].windows(3).any(is_either);
    is_choice && offers(list) && !asks(a) && !offers(a.body.list)
}

/// Whether B ends where A goes on for some words: B was cut short.
fn is_cut(Gap { a: p, b: q }: &Gap, b: GistView<'_>) -> bool {
    q.is_empty() && q.start == b.body.list.len() && p.len() >= CUT
}

/// Whether so few words are added to a long text that its content stays the same.
fn is_small(tokens: usize, b: GistView<'_>) -> bool {
    tokens * 100 < b.body.list.len() * SMALL_SHARE && b.body.list.len() >= POST
}

fn any(edit: Edit) -> Option<News> {
    match edit {
        Edit::Fact(conflict) => Some(News::Fact(conflict)),
        Edit::Reworded | Edit::Replaced | Edit::Passage => Some(News::Replaced),
        Edit::Added { .. } => Some(News::Added),
        Edit::Harmless | Edit::Dropped => None,
    }
}

/// The news without `careful`: facts, and words and additions if they are all, or nearly all, that differs (`real` differences), or in a
/// short remark. Comments on a repost have their own rule.
fn usual(difference: &Difference, real: usize, a: GistView<'_>, b: GistView<'_>) -> Option<News> {
    let Difference { gap: Gap { a: p, b: q }, edit, clauses, .. } = difference;
    let shorter = a.body.list.len().min(b.body.list.len());
    if b.comment_tokens > 0 && q.end <= b.comment_tokens as usize {
        // 92岁//@…
        let is_whole = || real == 1 && shorter >= CLAUSE_NEWS_BELOW && q.len() == b.comment_tokens as usize;
        return match *edit {
            Edit::Fact(conflict) => Some(News::Fact(conflict)),
            Edit::Added { .. } if is_whole() && tells(a, b, q) => Some(News::Added),
            _ => None,
        };
    }
    match *edit {
        Edit::Added { .. } | Edit::Reworded | Edit::Replaced
            if shorter < ONE_SUBJECT_BELOW && adds_part(a, b, &difference.gap) =>
        {
            Some(News::Added)
        }
        Edit::Added { number: false, .. } if adds_to_question(a, b, q, *clauses) => None,
        Edit::Fact(Conflict::NumberForWord) if !are_few(real, shorter) => None,
        Edit::Fact(conflict) => Some(News::Fact(conflict)),
        edit if are_bare(a, b) && shorter < EACH_WORD_BELOW => any(edit),
        Edit::Reworded => (real == 1 && is_score(difference, a, b)).then_some(News::Added),
        Edit::Replaced => is_other_content(difference, real, a, b).then_some(News::Replaced),
        // 总馆 / 总馆及全部分馆.
        Edit::Added { .. } if real == 1 && shorter < ONE_SUBJECT_BELOW && p.is_empty() && joins_more(a, b, q) => {
            Some(News::Added)
        }
        Edit::Added { tokens, number } => {
            let is_news = || is_more(tokens, number, difference, a, b) || adds_fact(difference, a, b);
            (real == 1 && is_news()).then_some(News::Added)
        }
        Edit::Harmless | Edit::Dropped | Edit::Passage => None,
    }
}

/// Whether a difference is alone, or one of two in a title.
fn are_few(real: usize, shorter: usize) -> bool {
    real == 1 || real == 2 && shorter < NEWS_TITLE_BELOW
}

/// Whether neither text has a topic.
fn are_bare(a: GistView<'_>, b: GistView<'_>) -> bool {
    a.topics.is_empty() && b.topics.is_empty()
}

/// Whether reworded text has a score or a date in B only: 国乒vs瑞典 / 国乒2:3不敌瑞典.
fn is_score(difference: &Difference, a: GistView<'_>, b: GistView<'_>) -> bool {
    let [x, y] = difference.gap.of(a.body.list, b.body.list);
    let has_number = |list: &[Token]| list.iter().any(|token| is_number(*token));
    let is_post = || a.body.list.len().min(b.body.list.len()) >= POST;
    are_bare(a, b) && !is_post() && has_number(y) && !has_number(x) && y.len() > x.len()
}

/// Whether other content words are news: 展开辩论 / 展开表决.
fn is_other_content(difference: &Difference, real: usize, a: GistView<'_>, b: GistView<'_>) -> bool {
    let Difference { place, gap, clauses, .. } = difference;
    let [x, y] = gap.of(a.body.list, b.body.list);
    let (longest, shorter) = (gap.longer(), a.body.list.len().min(b.body.list.len()));
    // 今天 and 1月31日 may be one day.
    let dated = |list: &[Token]| {
        let day = |token: &Token| is_one_of(*token, "月日号");
        list.iter().any(day) && list.iter().any(|token| is_numeric(*token))
    };
    let disjoint = !x.iter().any(|token| y.contains(token));
    let other = || real == 1 && longest <= LONE_WORD_UPTO && disjoint && !dated(x) && !dated(y);
    if longest > REPLACED_UPTO || shorter >= LONG_POST && !other() {
        return false;
    }
    // Advertisers write to many: 小王 / 小李看看我们的影集 with one link.
    let is_greeting = || gap.a.start == 0 && gap.b.start == 0 && longest <= GREETING;
    let is_slight = || shorter >= CLAUSE_NEWS_BELOW && are_isolated(x, y) && !is_other_modifier(a, b, place, gap);
    let nouns = (CLAUSE_NEWS_BELOW..ONE_SUBJECT_BELOW).contains(&shorter) && are_other_nouns(a, b, place);
    let tell_else = || real == 1 && are_bare(a, b) && shorter < ONE_SUBJECT_BELOW && disjoint && are_statements(x, y);
    (are_few(real, shorter) || nouns)
        && !is_slight()
        && (!clauses || shorter < CLAUSE_NEWS_BELOW || nouns || tell_else())
        && !(is_greeting() && has_link(a) && has_link(b))
}

/// Whether the addition of B is large enough to be news, or has a number, or names the part of a series: …的老座钟 / …的老座钟（下）.
fn is_more(tokens: usize, number: bool, difference: &Difference, a: GistView<'_>, b: GistView<'_>) -> bool {
    let Difference { gap: Gap { a: p, b: q }, clauses, .. } = difference;
    let (la, lb) = (a.body.list.len(), b.body.list.len());
    let at_end = p.is_empty() && p.start == la;
    let last = b.body.list[q.clone()].last().and_then(|token| character(*token));
    let is_series = || (at_end || *clauses) && tokens == 1 && last.is_some_and(|c| CUES.series.has(c));
    let is_much = || tokens > 1 && tokens * 100 >= lb * SHARE && !(*clauses && p.is_empty() && is_aside(b, q));
    are_bare(a, b) && (at_end || la.min(lb) < NEWS_TITLE_BELOW) && (is_series() || number || is_much())
}

/// Whether B adds a clause that tells a fact: …停运 / …停运，无人受伤.
fn adds_fact(difference: &Difference, a: GistView<'_>, b: GistView<'_>) -> bool {
    let Difference { gap: Gap { a: p, b: q }, clauses, .. } = difference;
    let shorter = a.body.list.len().min(b.body.list.len());
    let at_end = p.start == a.body.list.len();
    *clauses
        && p.is_empty()
        && (are_bare(a, b) && shorter >= NEWS_TITLE_BELOW || at_end && shorter >= EACH_WORD_BELOW)
        && tells(a, b, q)
}

/// Whether B adds one more noun there, with 和 before or after it, that A does not mention.
fn joins_more(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>) -> bool {
    let list = &b.body.list[added.clone()];
    let (Some(first), Some(last)) = (list.first(), list.last()) else { return false };
    let named = if is_joint(*first) {
        &list[1..]
    } else if is_joint(*last) {
        &list[..list.len() - 1]
    } else {
        return false;
    };
    let is_noun = |length: usize| {
        let noun = lexicon().get(&named[named.len() - length..]);
        noun.is_some_and(|entry| entry.tag().is_noun())
    };
    (2..=named.len().min(LONGEST_WORD)).any(is_noun) && find(a.body.list, named).is_none()
}

/// Whether a clause in the place of another says something else, and neither is a remark: 简装 / 带全套家电.
fn are_statements(x: &[Token], y: &[Token]) -> bool {
    let is_stance = |token: &Token| character(*token).is_none_or(|c| CUES.stance.has(c));
    x.len().min(y.len()) > 1 && !x.iter().chain(y).any(is_stance)
}

/// Whether single characters replace others, no two of them adjacent. In a longer text this is more often a slip than news.
fn are_isolated(x: &[Token], y: &[Token]) -> bool {
    let differ = |at: usize| x[at] != y[at];
    x.len() == y.len() && (1..x.len()).all(|at| !differ(at - 1) || !differ(at))
}
