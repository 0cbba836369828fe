//! Names behind a cue, told by one text alone: 尊敬的王芳, 患者李小明.

use std::ops::{Range, RangeInclusive};

use super::is_numeric;
use super::person::CUE;
use super::slots::PARTICLE;
use crate::text::lexicon::{CUE_BEFORE, Entry, Kind, SURNAME, Tag, lexicon};
use crate::text::tokens::{Token, character};

/// How long such a name is, in tokens.
pub(crate) const NAMED: RangeInclusive<usize> = 2..=3;

/// Whether a name stands there: a surname directly behind a cue, and one or two characters that are neither particles nor, with it, a word.
pub(crate) fn is_named(list: &[Token], name: &Range<usize>) -> bool {
    let lexicon = lexicon();
    let Some((surname, given)) = list.get(name.clone()).and_then(<[Token]>::split_first) else { return false };
    let entry = |token: &Token| lexicon.get(&[*token]).filter(|_| character(*token).is_some() && !is_numeric(*token));
    let is_particle = |entry: Entry| entry.tag() == Tag::Function && entry.log_frequency() >= PARTICLE;
    let may_be_given = |token| entry(token).is_some_and(|entry| entry.is(SURNAME) || !is_particle(entry));
    // 负责人是李国光.
    let is_said = |token: &Token| character(*token).is_some_and(|c| "是为叫".contains(c));
    let cue = |end: usize| {
        let is_cue = |length| lexicon.get(&list[end - length..end]).is_some_and(|word| word.is(CUE_BEFORE));
        (1..=end.min(CUE)).any(is_cue)
    };
    let is_word = |name: &[Token]| lexicon.get(name).is_some_and(|word| !matches!(word.tag(), Tag::None | Tag::Name));
    NAMED.contains(&name.len())
        && entry(surname).is_some_and(|entry| entry.is(SURNAME))
        && given.iter().all(may_be_given)
        && (cue(name.start) || name.start > 1 && is_said(&list[name.start - 1]) && cue(name.start - 1))
        && !NAMED.map(|length| name.start..(name.start + length).min(name.end)).any(|part| is_word(&list[part]))
}

/// The names of a text that begin at some places.
pub(crate) fn named(list: &[Token], starts: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_surname = |start: &usize| lexicon().get(&list[*start..start + 1]).is_some_and(|entry| entry.is(SURNAME));
    let starts = (starts.start.max(1)..starts.end.min(list.len())).filter(is_surname);
    let names = starts.flat_map(|start| NAMED.map(move |length| start..start + length));
    names.filter(|name| is_named(list, name))
}

/// What a character of a name has in common with each that it is mistaken for, and with itself.
pub(crate) fn traits(token: Token) -> impl Iterator<Item = Token> {
    let entry = lexicon().get(&[token]);
    let senses = entry.into_iter().flat_map(|entry| lexicon().senses(entry));
    let alike = senses.filter(|sense| matches!(sense.kind, Kind::Sound | Kind::Look));
    let mut groups = alike.map(|sense| 1 << 31 | Token::from(sense.group));
    std::iter::once(groups.next().unwrap_or(token)).chain(groups)
}

/// Whether one of two names may be the other one misspelt, or without the character in the middle.
pub(crate) fn may_be_one(x: &[Token], y: &[Token]) -> bool {
    let alike = |(x, y): (&Token, &Token)| x == y || traits(*x).any(|own| traits(*y).any(|other| own == other));
    let mut pairs = x.iter().zip(y);
    let lasts = || x.last().zip(y.last());
    if x.len() == y.len() { pairs.all(alike) } else { pairs.next().is_some_and(alike) && lasts().is_some_and(alike) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::Tokens;

    fn tokens(text: &str) -> Vec<Token> {
        let mut tokens = Tokens::default();
        tokens.read(text);
        tokens.list
    }

    #[test]
    fn a_name_stands_behind_a_cue() {
        for (text, found) in [
            ("尊敬的王芳您好", true),
            ("恭喜李丽娟获奖", true),
            ("尊敬的客户您好", false),
            ("感谢高速公路交警", false),
            ("负责人是李国光", true),
            ("王芳您好", false),
        ] {
            let list = tokens(text);
            assert_eq!(named(&list, 0..list.len()).next().is_some(), found, "{text}");
        }
    }

    #[test]
    fn names_that_may_be_one() {
        for (x, y, one) in [
            ("王芳", "王芳", true),
            ("王芳", "王方", true),
            ("王芳", "王小芳", true),
            ("王芳", "王丽", false),
            ("王芳", "王芳华", false),
            ("王芳", "李芳", false),
            ("王芳", "李丽娟", false),
        ] {
            assert_eq!(may_be_one(&tokens(x), &tokens(y)), one, "{x} / {y}");
            assert_eq!(may_be_one(&tokens(y), &tokens(x)), one, "{y} / {x}");
        }
    }
}
