//! Finds a member of a class that only A has, and another one that only B has, anywhere in the texts: 浙江学考怎么样 / 高考英语怎么样,
//! 补贴截止到什么时候 / 补贴从什么时候开始.
//!
//! Only texts with one subject are compared, and only if B does not comment on a repost. [`members`](super::members) has already compared
//! the words in the same place.

use super::Conflict;
use super::edits::{Difference, Edit};
use super::gap::Gap;
use super::news::News;
use super::text_kind::ONE_SUBJECT_BELOW;
use super::words::{Word, all, cut};
use crate::text::GistView;
use crate::text::lexicon::lexicon;
use crate::text::tokens::Token;

/// Returns the two words, as news. Words in harmless `differences` do not count.
pub(crate) fn another_member(a: GistView<'_>, b: GistView<'_>, differences: &[Difference]) -> Option<(Gap, News)> {
    let (x, y) = (a.body.list, b.body.list);
    let lacks = |list: &[Token], other: &[Token]| list.iter().any(|token| !other.contains(token));
    if x.len().max(y.len()) >= ONE_SUBJECT_BELOW || b.comment_tokens > 0 || !lacks(x, y) || !lacks(y, x) {
        return None;
    }
    let (mut of_a, mut of_b) = (only(a, y), only(b, x));
    // A class name inside a byline says nothing.
    let harmless = differences.iter().filter(|difference| difference.edit == Edit::Harmless);
    for Gap { a: p, b: q } in harmless.map(|difference| &difference.gap) {
        of_a.retain(|word| !(p.contains(&word.range.start) && word.range.end <= p.end));
        of_b.retain(|word| !(q.contains(&word.range.start) && word.range.end <= q.end));
    }
    of_b.iter().find_map(|own| {
        of_a.iter().find_map(|other| {
            let group = lexicon().conflict(own.entry?, other.entry?)?;
            Some((Gap { a: other.range.clone(), b: own.range.clone() }, News::Fact(Conflict::Class(group))))
        })
    })
}

/// Returns the words of classes, of two characters or more, with a character that the other text does not have.
fn only(text: GistView<'_>, other: &[Token]) -> Vec<Word> {
    let list = text.body.list;
    let is_new = |token: &Token| !other.contains(token);
    let is_told_apart = |word: &Word| {
        let has_senses = word.range.len() > 1 && word.entry.is_some_and(|entry| entry.has_senses());
        has_senses && word.tokens(list).iter().any(is_new)
    };
    let new_clauses = text.clauses().filter(|clause| list[clause.clone()].iter().any(is_new));
    let words = new_clauses.flat_map(|clause| cut(list, &clause, &all(lexicon(), text, &clause)));
    words.filter(is_told_apart).collect()
}
