//! A sign in another's place: 血糖≥7 / 血糖≤7.

use super::Conflict;
use super::slots::Gap;
use crate::text::GistView;

/// A sign of A where B has one that excludes it, and the place. `matches` are the tokens that both have, in pairs, rising.
pub(crate) fn signs_differ(a: GistView<'_>, b: GistView<'_>, matches: &[(usize, usize)]) -> Option<(Gap, Conflict)> {
    // Where in B a token of A is.
    let there = |at: usize| matches.binary_search_by_key(&at, |pair| pair.0).ok().map(|found| matches[found].1);
    a.signs.iter().find_map(|(at, sign)| {
        let at = *at as usize;
        let places = [there(at), at.checked_sub(1).and_then(there).map(|before| before + 1)];
        let mut here = b.signs.iter().filter(|(place, _)| places.contains(&Some(*place as usize)));
        let (place, other) = here.clone().find(|(_, other)| sign.excludes(*other))?;
        let place = *place as usize;
        (!here.any(|(_, other)| other == sign)).then(|| ((at..at, place..place), Conflict::Sign(*sign, *other)))
    })
}
