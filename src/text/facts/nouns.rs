//! Nouns for other nouns: 酸奶很新鲜 / 馒头很新鲜.

use crate::text::GistView;
use crate::text::lexicon::{Lexicon, Tag, lexicon};
use crate::text::tokens::{Token, character};

use super::slots::Gap;

/// Tokens of such nouns.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=8;
/// So many nouns stand side by side at most.
const MOST: usize = 3;

/// Whether both sides of a place are nouns, have no token in common, and neither sound nor look alike.
pub(super) fn are_other_nouns(a: GistView<'_>, b: GistView<'_>, (p, q): &Gap) -> bool {
    let (x, y) = (&a.body.list[p.clone()], &b.body.list[q.clone()]);
    let lexicon = lexicon();
    let are_nouns = |side: &[Token]| LENGTH.contains(&side.len()) && are_nouns(lexicon, side, MOST);
    let alike = || {
        let alike = x.iter().zip(y).filter(|(x, y)| lexicon.resemble(**x, **y)).count();
        2 * alike >= x.len().max(y.len())
    };
    are_nouns(x) && are_nouns(y) && !x.iter().any(|token| y.contains(token)) && !alike()
}

/// Whether a stretch is nothing but so many nouns, at most, of two characters or more each.
fn are_nouns(lexicon: &Lexicon, side: &[Token], most: usize) -> bool {
    if side.is_empty() || most == 0 {
        return side.is_empty();
    }
    let is_noun = |tag: Tag| matches!(tag, Tag::Noun | Tag::Place | Tag::Organisation | Tag::Name);
    let mut ends = Vec::new();
    lexicon.words_at(side, 0, |length, entry| {
        if length > 1 && is_noun(entry.tag()) && side[..length].iter().all(|token| character(*token).is_some()) {
            ends.push(length);
        }
    });
    ends.into_iter().rev().any(|end| are_nouns(lexicon, &side[end..], most - 1))
}
