//! What kind of text it is: the rule is stricter with short questions, and more tolerant with what is sent in bulk.

use super::slips::is_mask;
use crate::text::GistView;
use crate::text::lexicon::{self, lexicon};
use crate::text::tokens::{Token, character, is_reference};

/// Whether it asks something: 怎么瘦大腿, 支持反向充电吗.
pub(crate) fn asks(text: GistView<'_>) -> bool {
    let list = text.body.list;
    let is = |token: Option<&Token>, one_of: &str| {
        token.and_then(|token| character(*token)).is_some_and(|c| one_of.contains(c))
    };
    const WORDS: [(&str, &str); 4] = [("什怎", "么样"), ("如为", "何"), ("多", "少"), ("是能可会", "否")];
    list.iter().enumerate().any(|(at, token)| {
        let pair = |(first, second): &(&str, &str)| is(Some(token), first) && is(list.get(at + 1), second);
        is(Some(token), "吗哪谁啥咋") || WORDS.iter().any(pair)
    })
}

/// Whether it is sent in bulk: it has a link, a mask, or words of an advert's tail.
pub(super) fn is_bulk(text: GistView<'_>) -> bool {
    let list = text.body.list;
    let has_tail = |at: usize| {
        let mut tail = false;
        lexicon().words_at(list, at, |_, entry| tail |= entry.is(lexicon::TAIL));
        tail
    };
    is_mask(list) || list.iter().any(|token| is_reference(*token)) || (0..list.len()).any(has_tail)
}
