//! Finds nouns in the place of other nouns: 酸奶很新鲜 / 馒头很新鲜.

use crate::text::GistView;
use crate::text::lexicon::{Entry, Lexicon, Tag, lexicon};
use crate::text::tokens::{Token, are_characters, common_tail};

use super::numeric::is_plain;
use super::text_kind::NEWS_TITLE_BELOW;
use super::words::{COMMON, Word};
use crate::rule::gap::Gap;

/// The number of tokens of such nouns.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=8;
/// The number of tokens of a noun that the dictionary lacks.
const UNKNOWN: std::ops::RangeInclusive<usize> = 2..=4;
/// Most adjacent nouns on one side.
const MOST_NOUNS: usize = 3;

/// Whether both sides of a place are nouns, have no token in common, and neither sound nor look alike. One of them may be a word that the
/// dictionary lacks.
pub(super) fn are_other_nouns(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    let [x, y] = gap.of(a.body.list, b.body.list);
    let lexicon = lexicon();
    // 机场路 / 红旗路
    let tail = common_tail(x, y);
    let (x, y) = (&x[..x.len() - tail], &y[..y.len() - tail]);
    let are_nouns = |side: &[Token]| LENGTH.contains(&side.len()) && are_nouns(lexicon, side, MOST_NOUNS);
    let is_thing = |side: &[Token]| are_nouns(side) || is_unknown(lexicon, side);
    let alike = || {
        let alike = x.iter().zip(y).filter(|(x, y)| lexicon.resemble(**x, **y)).count();
        2 * alike >= x.len().max(y.len())
    };
    (are_nouns(x) && is_thing(y) || is_thing(x) && are_nouns(y)) && !x.iter().any(|token| y.contains(token)) && !alike()
}

/// Whether a noun has one other character, which makes it another noun: 酒精 / 香精. The two characters neither sound nor look alike. Only in
/// titles: in longer texts this is a typo as often.
pub(super) fn is_other_modifier(a: GistView<'_>, b: GistView<'_>, place: &Gap, gap: &Gap) -> bool {
    let (list, other, lexicon) = (a.body.list, b.body.list, lexicon());
    let [x, y] = place.of(list, other);
    let is_noun = |side: &[Token]| {
        let is_common = |entry: Entry| entry.tag().is_noun() && entry.log_frequency() >= COMMON;
        (2..=3).contains(&side.len()) && lexicon.get(side).is_some_and(is_common)
    };
    let are_nouns = || x.last() == y.last() && is_noun(x) && is_noun(y);
    match gap.of(list, other) {
        [[i], [j]] => list.len().min(other.len()) < NEWS_TITLE_BELOW && are_nouns() && !lexicon.resemble(*i, *j),
        _ => false,
    }
}

/// Whether a stretch may be a noun that the dictionary lacks: two to four characters without particles, no two adjacent ones a word.
fn is_unknown(lexicon: &Lexicon, side: &[Token]) -> bool {
    let is_plain = |token: &Token| {
        let is_particle = |entry: Entry| matches!(entry.tag(), Tag::Function | Tag::Count);
        is_plain(*token) && !lexicon.get(&[*token]).is_some_and(is_particle)
    };
    UNKNOWN.contains(&side.len()) && side.iter().all(is_plain) && side.windows(2).all(|two| lexicon.get(two).is_none())
}

/// Whether two words or more replace as many, and one of them has no character in common with the word in its place: 带鱼和鸽子 / 柚子和猪肝.
pub(super) fn are_other_rows(of_a: &[&Word], of_b: &[&Word], [x, y]: [&[Token]; 2]) -> bool {
    let is_other = |(word, instead): (&&Word, &&Word)| {
        let disjoint = || !word.tokens(x).iter().any(|token| instead.tokens(y).contains(token));
        word.is_known() && instead.is_known() && disjoint()
    };
    of_a.len() > 1 && of_a.len() == of_b.len() && of_a.iter().zip(of_b).any(is_other)
}

/// Whether a stretch has only nouns, at most this many, of two characters or more each.
fn are_nouns(lexicon: &Lexicon, side: &[Token], most: usize) -> bool {
    if side.is_empty() || most == 0 {
        return side.is_empty();
    }
    let mut ends = Vec::new();
    lexicon.words_at(side, 0, |length, entry| {
        if length > 1 && entry.tag().is_noun() && are_characters(&side[..length]) {
            ends.push(length);
        }
    });
    ends.into_iter().rev().any(|end| are_nouns(lexicon, &side[end..], most - 1))
}
