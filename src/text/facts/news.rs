//! Which differences make another message.

use super::Conflict;
use super::edits::{Difference, Edit};
use super::slots::Gap;
use crate::text::GistView;
use crate::text::tokens::character;

/// Below so many tokens a text may differ in two places, and an addition counts wherever it stands: it is a title or a remark.
const TITLE: usize = 25;
/// Below so many tokens a whole clause in another's place is news, too; in longer texts it is a remark.
const REMARK: usize = 16;
/// Longest stretch of words, in tokens, that replaces another; longer ones are passages.
const WORDS: usize = 12;
/// Least share of B, in hundredths, that an addition without a number must be: readers called what is below a repeat.
const SHARE: usize = 15;
/// What alone at the end of a title makes it the next of a series.
const SERIES: &str = "上中下续终完半";

/// What is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// A fact differs.
    Fact(Conflict),
    /// Words of content stand for others.
    Replaced,
    /// B says more.
    Added,
}

/// The first of the differences of two texts that makes B another message, and its place. Under `careful`, whatever says anything
/// else or more.
pub(crate) fn news(found: &[Difference], a: GistView<'_>, b: GistView<'_>, careful: bool) -> Option<(Gap, News)> {
    let real = found.iter().filter(|difference| difference.edit != Edit::Harmless).count();
    let told = |difference: &Difference| {
        let news = if careful { any(difference.edit) } else { usual(difference, real, a, b) };
        Some((difference.place.clone(), news?))
    };
    found.iter().find_map(told)
}

fn any(edit: Edit) -> Option<News> {
    match edit {
        Edit::Fact(conflict) => Some(News::Fact(conflict)),
        Edit::Reworded | Edit::Replaced | Edit::Passage => Some(News::Replaced),
        Edit::Added { .. } => Some(News::Added),
        Edit::Harmless | Edit::Dropped => None,
    }
}

/// By default: facts; words and additions only where they are all, or nearly all, that differs (`real` differences). Comments on a
/// repost have their own rule.
fn usual(difference: &Difference, real: usize, a: GistView<'_>, b: GistView<'_>) -> Option<News> {
    let Difference { gap: (p, q), edit, clauses, .. } = difference;
    let (la, lb) = (a.body.list.len(), b.body.list.len());
    let shorter = la.min(lb);
    let few = real == 1 || real == 2 && shorter < TITLE;
    if b.comments > 0 && q.end <= b.comments as usize {
        return None;
    }
    match *edit {
        Edit::Fact(Conflict::NumberForWord) if !few => None,
        Edit::Fact(conflict) => Some(News::Fact(conflict)),
        Edit::Replaced => {
            let words = p.len().max(q.len()) <= WORDS;
            (words && few && (!clauses || shorter < REMARK)).then_some(News::Replaced)
        }
        Edit::Added { tokens, number } => {
            let bare = a.topics.is_empty() && b.topics.is_empty();
            let at_end = p.is_empty() && p.start == la;
            let last = b.body.list.last().and_then(|token| character(*token));
            let series = at_end && tokens == 1 && last.is_some_and(|c| SERIES.contains(c));
            let much = tokens > 1 && tokens * 100 >= lb * SHARE;
            let is_news = bare && real == 1 && (at_end || shorter < TITLE) && (series || number || much);
            is_news.then_some(News::Added)
        }
        Edit::Harmless | Edit::Reworded | Edit::Dropped | Edit::Passage => None,
    }
}
