//! Judges what kind of text this is: short enough to have one subject, or a question (怎么瘦大腿). The rule is stricter with these.

use std::ops::Range;

use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::tokens::{Token, character, is_one_of};

/// Texts of fewer tokens have one subject. Any other name, noun, list or title in them makes another message.
pub(crate) const ONE_SUBJECT_BELOW: usize = 64;

/// Texts of fewer tokens are titles or remarks. They may differ in two places, and an addition counts anywhere in them.
pub(super) const NEWS_TITLE_BELOW: usize = 25;

/// Texts of fewer tokens are questions or remarks in which each word counts.
pub(super) const EACH_WORD_BELOW: usize = 12;

/// Texts of at least this many tokens are posts. One more word, or another word at the end, is an edit of a post.
pub(super) const POST: usize = 40;

/// Whether the tokens are a word, 不 or 没, and the same word again: 好不好, 有没有.
pub(super) fn is_either(three: &[Token]) -> bool {
    matches!(three, [first, no, again] if first == again && is_one_of(*no, "不没"))
}

/// Whether the list asks with a verb and its negation: 能不能推荐几本, but not 去不去都行.
pub(super) fn offers(list: &[Token]) -> bool {
    list.windows(3).any(is_either) && !list.iter().any(|token| is_one_of(*token, "都看随"))
}

/// How many of two texts ask something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    One,
    Both,
}

/// Returns how many of the texts ask, if the gap makes one text ask: with 吗 in the place of 了, with 没 at the end of a clause, or with a
/// verb and its negation. For 会不会串味 the gap is 不会, 会不 or 会不会; for 是不是停运了 it is 是不是. 会串味吗 asks, too, 会串味 does not. `None` for any
/// other gap.
pub(super) fn who_asks(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> Option<Asks> {
    // 不能报销吗 / 不能报销了, 吃饭没 / 吃饭了.
    let turns = |side: &[Token], other: &[Token]| match (side, other) {
        ([asks], [states]) => is_one_of(*asks, "吗没") && CUES.stating.has_code(*states),
        _ => false,
    };
    let [p, q] = gap.of(a.body.list, b.body.list);
    if turns(p, q) || turns(q, p) {
        return (asks(a) != asks(b)).then_some(Asks::One);
    }
    let (side, place) = gap.one_sided()?;
    let [own, other] = if side == 0 { [a, b] } else { [b, a] };
    let list = own.body.list;
    let is_there = |start: usize| list.get(start..start + 3).is_some_and(is_either);
    // 到了没 / 到了, 到了没 / 到了吧.
    let may_ask =
        |text: GistView<'_>| asks(text) || text.body.list.last().is_some_and(|last| is_one_of(*last, "嘛吧呢么"));
    if place.len() == 1 && is_asking_end(own, place.start) && !may_ask(other) {
        return Some(Asks::One);
    }
    // 担心孩子会不会感冒 says that it may.
    let is_feared = || {
        let before = &list[..place.start];
        before.iter().any(|token| is_one_of(*token, "怕"))
            || before.windows(2).any(|two| is_one_of(two[0], "担") && is_one_of(two[1], "心"))
    };
    let is_question = match place.len() {
        2 => is_there(place.start) || place.start > 0 && is_there(place.start - 1),
        3 => is_there(place.start) && is_one_of(list[place.start], "是有会") && !is_feared(),
        _ => false,
    };
    let both = || if asks(other) { Asks::Both } else { Asks::One };
    (is_question && offers(list) && !asks(own)).then(both)
}

/// Whether a text asks something: 怎么瘦大腿, 支持反向充电吗.
pub(crate) fn asks(text: GistView<'_>) -> bool {
    asks_within(text, &(0..text.body.list.len()))
}

/// Whether the token at this place is a 没 that asks at the end of a clause: 到了没, but neither 还没 nor 沉没.
fn is_asking_end(text: GistView<'_>, at: usize) -> bool {
    let list = text.body.list;
    let before = at.checked_sub(1).and_then(|at| character(list[at]));
    character(list[at]) == Some('没') && text.ends_clause(at + 1) && before.is_some_and(|c| !CUES.no_question.has(c))
}

/// Returns how many of its clauses ask something, including questions with 能不能.
pub(super) fn questions(text: GistView<'_>) -> usize {
    let list = text.body.list;
    text.clauses().filter(|clause| asks_within(text, clause) || offers(&list[clause.clone()])).count()
}

/// Whether a stretch of a text asks something.
pub(super) fn asks_within(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let list = &text.body.list[..stretch.end];
    let next = |at: usize| list.get(at + 1).and_then(|token| character(*token));
    stretch.clone().any(|at| match character(list[at]) {
        Some('吗' | '哪' | '谁' | '啥' | '咋') => true,
        Some('没') => is_asking_end(text, at),
        Some('什' | '怎') => matches!(next(at), Some('么' | '样')),
        // 好么 asks, 这么 does not.
        Some('么') => {
            let before = at.checked_sub(1).and_then(|at| character(list[at]));
            text.ends_clause(at + 1) && before.is_some_and(|c| !"什怎这那多要".contains(c))
        }
        Some('如' | '为') => next(at) == Some('何'),
        Some('多') => next(at) == Some('少'),
        Some('是' | '能' | '可' | '会') => next(at) == Some('否'),
        _ => false,
    })
}
