//! What kind of text it is: short enough to have one subject, a question (怎么瘦大腿). The rule is stricter with these.

use crate::text::GistView;
use crate::text::tokens::{Token, character};

/// Texts of fewer tokens have one subject: each of their names, nouns, lists and titles tells them.
pub(crate) const SUBJECT: usize = 64;

/// Below so many tokens a text may differ in two places, and an addition counts wherever it stands: it is a title or a remark.
pub(super) const TITLE: usize = 25;

/// Whether it is a word, 不 or 没, and the word again: 好不好, 有没有.
pub(super) fn is_either(three: &[Token]) -> bool {
    matches!(three, [first, no, again] if first == again && character(*no).is_some_and(|c| "不没".contains(c)))
}

/// Whether it asks something: 怎么瘦大腿, 支持反向充电吗.
pub(crate) fn asks(text: GistView<'_>) -> bool {
    let list = text.body.list;
    let next = |at: usize| list.get(at + 1).and_then(|token| character(*token));
    list.iter().enumerate().any(|(at, token)| match character(*token) {
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
