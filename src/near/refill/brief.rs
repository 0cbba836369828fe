//! Two brief slots or more that are filled with other words.
//!
//! 来吃春风家，小炒猪蹄必点，… / 来吃橙子家，小炒鱿鱼必点，…: 春风 and 猪蹄 fill brief slots. Such a slot stands between two passages, or between the beginning and one.
//! Its fill has two to six characters in both texts, and is no particle and no count. A covers none of B's characters. The two fills have no
//! character in common and are no synonyms. One such slot may be a rewording, and is left to the [alignment](crate::near::aligned). Two are
//! the same template with other words.
//!
//! This holds for texts of 16 to 63 tokens. The [overlap engine](crate::near::overlap) looks the slots up.

use std::ops::{Range, RangeInclusive};

use super::{Passage, before, beginning, behind, ends, left, right, starts};
use crate::near::align::Gap;
use crate::near::bounds::{LONG, SUBJECT};
use crate::text::lexicon::{Entry, Kind, Tag, lexicon};
use crate::text::tokens::{Token, character};

/// Tokens of a brief fill.
const BRIEF: RangeInclusive<usize> = 2..=6;
/// So many brief slots that are filled with other words tell a message.
const ENOUGH: usize = 2;
/// Characters that only join words.
const JOINING: &str = "的了着过是在和与及或也都就还又很把被将对从到给让向由为以于而之其这那我你您他她它们个只";

/// Whether a text is of a length in which brief slots count.
pub(crate) fn has_brief_slots(body: &[Token]) -> bool {
    (LONG..SUBJECT).contains(&body.len())
}

/// Whether words may fill a brief slot.
pub(crate) fn is_brief(fill: &[Token]) -> bool {
    let is_plain = |token: &Token| character(*token).is_some_and(|c| !JOINING.contains(c));
    let is_other = |entry: Entry| matches!(entry.tag(), Tag::Function | Tag::Count);
    BRIEF.contains(&fill.len()) && fill.iter().all(is_plain) && !lexicon().get(fill).is_some_and(is_other)
}

/// What brief fills that may say the same have in common: a character, or what they are synonyms by.
pub(crate) fn brief_parts(fill: &[Token]) -> impl Iterator<Item = (Token, Token)> + '_ {
    let senses = lexicon().get(fill).into_iter().flat_map(|entry| lexicon().senses(entry));
    let senses = senses.filter(|sense| sense.kind.is_of_words()).map(|sense| match sense.kind {
        Kind::Synonym => (Token::MAX, Token::from(sense.group)),
        _ => (Token::from(sense.group), Token::MAX - Token::from(sense.member)),
    });
    fill.iter().map(|token| (0, *token)).chain(senses)
}

/// The passages around a brief slot.
pub(crate) fn around_brief(body: &[Token], at: &Range<usize>) -> Option<[Passage; 2]> {
    let start = if at.start == 0 { Some(beginning(body, 0)) } else { before(body, at.start) };
    (at.end < body.len()).then(|| start.zip(behind(body, at.end)).map(<[Passage; 2]>::from))?
}

/// The first of two slots or more of `b` that `a` fills with other words. `covered` says which tokens of `b` are covered by `a`.
pub(crate) fn refilled_twice(a: &[Token], b: &[Token], covered: impl Iterator<Item = bool>) -> Option<Gap> {
    if !has_brief_slots(a) || !has_brief_slots(b) {
        return None;
    }
    let mut start = 0;
    let mut found = covered.enumerate().filter(|(_, covered)| *covered).filter_map(|(end, _)| {
        let bare = std::mem::replace(&mut start, end + 1)..end;
        let fill = &b[bare.clone()];
        if !is_brief(fill) {
            return None;
        }
        let start = if bare.start == 0 { 0 } else { starts(a, &b[left(b, bare.start)?])? };
        let other = start..ends(a, &b[right(b, bare.end)?])?;
        let own = a.get(other.clone()).filter(|own| is_brief(own))?;
        let are_one = || brief_parts(own).any(|part| brief_parts(fill).any(|same| same == part));
        (!are_one()).then_some((other, bare))
    });
    let first = found.next()?;
    found.nth(ENOUGH - 2).map(|_| first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::coverage::Coverage;
    use crate::text::tokens::Tokens;

    #[test]
    fn two_brief_slots_tell_a_template() {
        let of = |when: &str, what: &str| format!("{when}下午在公园里捡到一个粉色的{what}失主请联系我");
        for (a, b, differ) in [
            (of("前天", "书包"), of("元旦", "水杯"), true),
            (of("前天", "书包"), of("前天", "水杯"), false),
            (of("前天", "书包"), of("前天", "书包"), false),
            // A character in common.
            (of("前天", "书包"), of("今天", "水杯"), false),
            // Synonyms.
            (of("前天", "医生"), of("元旦", "大夫"), false),
            (of("前天", "三个"), of("元旦", "一些"), false),
            (of("国庆假期", "书包"), of("前天", "水杯"), true),
            (of("我们这个", "书包"), of("前天", "水杯"), false),
        ] {
            let (mut x, mut y) = (Tokens::default(), Tokens::default());
            x.read(&a);
            y.read(&b);
            for (x, y) in [(&x.list, &y.list), (&y.list, &x.list)] {
                let mut coverage = Coverage::default();
                coverage.read(y);
                coverage.cover(x);
                assert_eq!(refilled_twice(x, y, coverage.covered()).is_some(), differ, "{a} / {b}");
            }
        }
    }
}
