//! What kind of text it is: short enough to have one subject, a question (怎么瘦大腿). The rule is stricter with these.

use std::ops::Range;

use super::gap::Gap;
use crate::text::GistView;
use crate::text::tokens::{Token, character, is_one_of};

/// Texts of fewer tokens have one subject: each of their names, nouns, lists and titles tells them.
pub(crate) const ONE_SUBJECT_BELOW: usize = 64;

/// Below so many tokens a text may differ in two places, and an addition counts wherever it stands: it is a title or a remark.
pub(super) const NEWS_TITLE_BELOW: usize = 25;

/// Below so many tokens a text is a question or a remark of which each word counts.
pub(super) const EACH_WORD_BELOW: usize = 12;

/// Texts of so many tokens are posts: a word more, or another one at the end, is an edit of them.
pub(super) const POST: usize = 40;

/// Whether it is a word, 不 or 没, and the word again: 好不好, 有没有.
pub(super) fn is_either(three: &[Token]) -> bool {
    matches!(three, [first, no, again] if first == again && is_one_of(*no, "不没"))
}

/// Whether it asks by a verb and its negation: 能不能推荐几本, but not 去不去都行.
pub(super) fn offers(list: &[Token]) -> bool {
    list.windows(3).any(is_either) && !list.iter().any(|token| is_one_of(*token, "都看随"))
}

/// If the gap is what makes one text ask by a verb and its negation (会不会串味: 不会, or 会不; 是不是停运了: 是不是): whether the other one asks,
/// too. 会串味吗 does, 会串味 does not. `None` for any other gap.
pub(super) fn asks_either_way(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> Option<bool> {
    let (side, place) = gap.lone()?;
    let [own, other] = if side == 0 { [a, b] } else { [b, a] };
    let list = own.body.list;
    let is_there = |start: usize| list.get(start..start + 3).is_some_and(is_either);
    let is_question = match place.len() {
        2 => is_there(place.start) || place.start > 0 && is_there(place.start - 1),
        3 => is_there(place.start) && is_one_of(list[place.start], "是有"),
        _ => false,
    };
    (is_question && offers(list) && !asks(own)).then(|| asks(other))
}

/// Whether it asks something: 怎么瘦大腿, 支持反向充电吗.
pub(crate) fn asks(text: GistView<'_>) -> bool {
    asks_within(text, &(0..text.body.list.len()))
}

/// How many of its clauses ask something, also by 能不能.
pub(super) fn questions(text: GistView<'_>) -> usize {
    let list = text.body.list;
    text.clauses().filter(|clause| asks_within(text, clause) || offers(&list[clause.clone()])).count()
}

/// Whether a stretch of a text asks something.
fn asks_within(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let list = &text.body.list[..stretch.end];
    let next = |at: usize| list.get(at + 1).and_then(|token| character(*token));
    stretch.clone().any(|at| match character(list[at]) {
        Some('吗' | '哪' | '谁' | '啥' | '咋') => true,
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
