//! Finds brief slots that are filled with other words: two or more, or one with another noun.
//!
//! 来吃春风家，小炒猪蹄必点，… / 来吃橙子家，小炒鱿鱼必点，…: 春风 and 猪蹄 fill brief slots. Such a slot is between two passages, or between the
//! beginning and a passage. Its fill has two to six characters in both texts, and is no particle and no count. A covers none of B's
//! characters. The two fills have no character in common and are no synonyms. One such slot may be a rewording, and is left to the
//! [alignment](crate::rule::aligned). Two slots show that B is the same template with other words.
//!
//! *Nouns.* …捡到一个书包，… / …捡到一个水杯，…: one slot is enough if both fills are nouns, in the [lexicon](crate::text::lexicon) or unknown to it. No
//! character may sound or look like the one in its place. A text may begin by greeting somebody, so two nouns are needed there:
//! 带鱼和鸽子能一起吃吗，… / 柚子和猪肝能一起吃吗，…
//!
//! This holds for texts of 16 to 63 tokens. The [overlap engine](crate::near::overlap) looks the slots up.

use std::ops::{Range, RangeInclusive};

use super::{Passage, before, beginning, behind, ends, range_after, range_before, starts};
use crate::rule::bounds::{LONG, ONE_SUBJECT_BELOW};
use crate::rule::gap::Gap;
use crate::text::lexicon::{Entry, Kind, Tag, lexicon};
use crate::text::tokens::{Token, character};

/// The number of tokens of a brief fill.
pub(crate) const BRIEF: RangeInclusive<usize> = 2..=6;
/// With this many brief slots filled with other words, B is another message. A noun for a noun counts as this many.
const ENOUGH: usize = 2;
/// Characters that only join words. A fill may have 和 inside.
const JOINING: &str = "的了着过是在和与及或也都就还又很把被将对从到给让向由为以于而之其这那我你您他她它们个只";

/// Whether a text has a length for which brief slots count.
pub(crate) fn has_brief_slots(body: &[Token]) -> bool {
    (LONG..ONE_SUBJECT_BELOW).contains(&body.len())
}

/// Whether these words may fill a brief slot.
pub(crate) fn is_brief(fill: &[Token]) -> bool {
    let is_plain = |token: &Token| character(*token).is_some_and(|c| !JOINING.contains(c));
    let is_other = |entry: Entry| matches!(entry.tag(), Tag::Function | Tag::Count);
    let are_plain = || fill.split(is_and).all(|part| !part.is_empty() && part.iter().all(is_plain));
    BRIEF.contains(&fill.len()) && are_plain() && !lexicon().get(fill).is_some_and(is_other)
}

/// Whether the token joins two things.
fn is_and(token: &Token) -> bool {
    character(*token) == Some('和')
}

/// Returns the keys that two brief fills share if they may say the same: a character, or a group of synonyms.
pub(crate) fn brief_parts(fill: &[Token]) -> impl Iterator<Item = (Token, Token)> + '_ {
    let senses = lexicon().get(fill).into_iter().flat_map(|entry| lexicon().senses(entry));
    let senses = senses.filter(|sense| sense.kind.is_of_words()).map(|sense| match sense.kind {
        Kind::Synonym => (Token::MAX, Token::from(sense.group)),
        _ => (Token::from(sense.group), Token::MAX - Token::from(sense.member)),
    });
    fill.iter().filter(|token| !is_and(token)).map(|token| (0, *token)).chain(senses)
}

/// Whether a noun fills a brief slot after the beginning of the text, or two joined nouns do: 带鱼和鸽子.
pub(crate) fn is_noun(body: &[Token], at: &Range<usize>) -> bool {
    let fill = &body[at.clone()];
    let is_placed = at.start > 0 || fill.iter().any(is_and);
    is_placed && is_brief(fill) && fill.split(is_and).all(|part| part.len() > 1 && is_thing(part))
}

/// Whether a word is a noun of the dictionary or a member of a class, or has no known part, like many dishes.
fn is_thing(word: &[Token]) -> bool {
    let Some(entry) = lexicon().get(word) else {
        return word.windows(2).all(|two| lexicon().get(two).is_none());
    };
    let is_member = || lexicon().senses(entry).any(|sense| sense.kind == Kind::Class);
    entry.tag().is_noun() || entry.tag() == Tag::None && is_member()
}

/// Returns the keys that two nouns share if they may be the same: those of [brief fills](brief_parts), and how each character sounds or
/// looks at its place.
pub(crate) fn noun_parts(noun: &[Token]) -> impl Iterator<Item = (Token, Token)> + '_ {
    let senses = |token: &Token| lexicon().get(&[*token]).into_iter().flat_map(|entry| lexicon().senses(entry));
    let sounds = noun.iter().zip(0..).filter(|(token, _)| !is_and(token)).flat_map(move |(token, place)| {
        let sounds = senses(token).filter(|sense| matches!(sense.kind, Kind::Sound | Kind::Look));
        sounds.map(move |sense| (Token::MAX - 1 - place, Token::from(sense.group)))
    });
    brief_parts(noun).chain(sounds)
}

/// Returns the passages around a brief slot.
pub(crate) fn around_brief(body: &[Token], at: &Range<usize>) -> Option<[Passage; 2]> {
    let start = if at.start == 0 { Some(beginning(body, 0)) } else { before(body, at.start) };
    (at.end < body.len()).then(|| start.zip(behind(body, at.end)).map(<[Passage; 2]>::from))?
}

/// Returns the first of the brief slots of `b` that `a` fills with other words, if these are [enough](ENOUGH). `covered` says which tokens
/// of `b` the body `a` covers.
pub(crate) fn refilled_briefly(a: &[Token], b: &[Token], covered: impl Iterator<Item = bool>) -> Option<Gap> {
    if !has_brief_slots(a) || !has_brief_slots(b) {
        return None;
    }
    let mut start = 0;
    let found = covered.enumerate().filter(|(_, covered)| *covered).filter_map(|(end, _)| {
        let bare = std::mem::replace(&mut start, end + 1)..end;
        let fill = &b[bare.clone()];
        if !is_brief(fill) {
            return None;
        }
        let start = if bare.start == 0 { 0 } else { starts(a, &b[range_before(b, bare.start)?])? };
        let other = start..ends(a, &b[range_after(b, bare.end)?])?;
        let own = a.get(other.clone()).filter(|own| is_brief(own))?;
        if have_common(brief_parts(own), || brief_parts(fill)) {
            return None;
        }
        let are_nouns = is_noun(a, &other) && is_noun(b, &bare);
        let tell = are_nouns && !have_common(noun_parts(own), || noun_parts(fill));
        Some((Gap { a: other, b: bare }, if tell { ENOUGH } else { 1 }))
    });
    let (mut first, mut count) = (None, 0);
    for (slot, weight) in found {
        count += weight;
        first = first.filter(|_| weight < ENOUGH).or(Some(slot));
        if count >= ENOUGH {
            return first;
        }
    }
    None
}

fn have_common<T: Eq, I: Iterator<Item = T>>(own: impl Iterator<Item = T>, parts: impl Fn() -> I) -> bool {
    let mut own = own;
    own.any(|part| parts().any(|same| same == part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::coverage::Coverage;
    use crate::text::testing::tokens;

    #[test]
    fn brief_slots_tell_a_template() {
        let of = |when: &str, what: &str| format!("{when}下午在公园里捡到一个粉色的{what}失主请联系我");
        for (a, b, differ) in [
            (of("前天", "喜欢"), of("元旦", "忘记"), true),
            (of("前天", "喜欢"), of("前天", "忘记"), false),
            // A character in common.
            (of("前天", "喜欢"), of("今天", "忘记"), false),
            // Nouns, and joined pairs of nouns.
            (of("玉米和鸭血", "书包"), of("洋葱和芋头", "书包"), true),
            (of("牛肉和鲤鱼", "书包"), of("田螺和腰花", "书包"), true),
            (of("玉米", "书包"), of("洋葱", "书包"), false),
            (of("前天", "书包"), of("前天", "水杯"), true),
            (of("前天", "书包"), of("前天", "书包"), false),
            (of("前天", "书包"), of("前天", "书架"), false),
            (of("前天", "时间"), of("前天", "事件"), false),
            // Synonyms.
            (of("前天", "医生"), of("元旦", "大夫"), false),
            (of("前天", "三个"), of("元旦", "一些"), false),
            (of("国庆假期", "喜欢"), of("前天", "忘记"), true),
            (of("我们这个", "喜欢"), of("前天", "忘记"), false),
        ] {
            let (x, y) = (tokens(&a), tokens(&b));
            for (x, y) in [(&x, &y), (&y, &x)] {
                let mut coverage = Coverage::default();
                coverage.read(y);
                coverage.cover(x);
                assert_eq!(refilled_briefly(x, y, coverage.covered()).is_some(), differ, "{a} / {b}");
            }
        }
    }
}
