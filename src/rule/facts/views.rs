//! Recognises titles that ask how their readers see the news: 微信暂停新用户注册 / 如何看待微信暂停新用户注册？. The question adds nothing to the news.

use std::ops::Range;

use super::text_kind::{asks_within, offers};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::tokens::{Token, character, is_one_of};

/// Whether the text asks its readers how they see the news: 如何看待…停运？
pub(super) fn asks_for_views(text: GistView<'_>) -> bool {
    CUES.views.starting(text.body.list).is_some()
}

/// Whether only one text asks so, or the two ask so in other words: 如何看待 / 如何评价. The gap must be nothing but that. 有哪些温柔至极的句子 /
/// 有没有温柔至极的句子 is such a pair, and so is 有哪些温柔至极的句子 / 温柔至极的句子. 有没有 alone may not be left out, because it may ask whether there are any.
pub(super) fn is_question_of_views(a: GistView<'_>, b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    let kind = |text: GistView<'_>, at: &Range<usize>| {
        let (beginning, rest) = text.body.list.split_at(at.end);
        let seeks = || CUES.seeks.is_codes(beginning) && rest.contains(&('的' as Token));
        if CUES.views.is_codes(beginning) { Some(Kind::Views) } else { seeks().then_some(Kind::Seeks) }
    };
    let may_be_left_out =
        |text: GistView<'_>, at: &Range<usize>| kind(text, at).is_some() && !offers(&text.body.list[at.clone()]);
    match (p.is_empty(), q.is_empty()) {
        (true, true) => false,
        (true, false) => p.start == 0 && may_be_left_out(b, q),
        (false, true) => q.start == 0 && may_be_left_out(a, p),
        (false, false) => kind(a, p).is_some() && kind(a, p) == kind(b, q),
    }
}

/// What the beginning of a question asks for.
#[derive(PartialEq, Eq)]
enum Kind {
    /// What the readers think.
    Views,
    /// What the readers know.
    Seeks,
}

/// Whether an addition of B says no more of the news that a text asks about. It names the matter inside a clause, and only B asks: 如何看待网传…停运.
/// Or it asks one thing more: 如何看待…停运？会带来哪些影响？
pub(super) fn adds_to_question(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>, clauses: bool) -> bool {
    let [is_asked, asks] = [a, b].map(asks_for_views);
    if clauses { (is_asked || asks) && asks_more(b, added) } else { asks && !is_asked && !b.ends_clause(added.end) }
}

/// Whether a stretch asks something.
fn asks_more(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let list = &text.body.list[stretch.clone()];
    let asks = |two: &[_]| match character(two[0]) {
        Some('多') => is_one_of(two[1], "久强高大远快难长重"),
        Some('有') => is_one_of(two[1], "何几"),
        _ => false,
    };
    asks_within(text, stretch) || offers(list) || list.windows(2).any(asks)
}
