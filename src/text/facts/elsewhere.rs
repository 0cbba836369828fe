//! A member of a class that only A has, and another one that only B has, wherever they stand: 浙江学考怎么样 / 高考英语怎么样, 补贴截止到什么时候 / 补贴从什么时候开始.
//!
//! This holds in texts that have one subject, if B comments on no repost. Words that stand in each other's place are known
//! already ([`members`](super::members)).

use super::form::SUBJECT;
use super::slots::Gap;
use super::words::{Word, all, cut};
use crate::text::GistView;
use crate::text::lexicon::lexicon;
use crate::text::tokens::Token;

/// The two words, and the group that they are members of.
pub(crate) fn another_member(a: GistView<'_>, b: GistView<'_>) -> Option<(Gap, u16)> {
    let (x, y) = (a.body.list, b.body.list);
    let lacks = |list: &[Token], other: &[Token]| list.iter().any(|token| !other.contains(token));
    if x.len().max(y.len()) >= SUBJECT || b.comments > 0 || !lacks(x, y) || !lacks(y, x) {
        return None;
    }
    let (of_a, of_b) = (only(a, y), only(b, x));
    of_b.iter().find_map(|own| {
        of_a.iter().find_map(|other| {
            let group = lexicon().conflict(own.entry?, other.entry?)?;
            Some(((other.range.clone(), own.range.clone()), group))
        })
    })
}

/// The words of classes, of two characters or more, that have a character which the other text has nowhere.
fn only(text: GistView<'_>, other: &[Token]) -> Vec<Word> {
    let list = text.body.list;
    let whole = 0..list.len();
    let is_only = |word: &Word| {
        let has_senses = word.range.len() > 1 && word.entry.is_some_and(|entry| entry.has_senses());
        has_senses && word.tokens(list).iter().any(|token| !other.contains(token))
    };
    let mut words = cut(list, &whole, &all(lexicon(), text, &whole));
    words.retain(is_only);
    words
}
