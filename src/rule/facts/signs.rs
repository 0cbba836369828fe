//! Compares signs in the same place: 血糖≥7 / 血糖≤7. Compares links, and names after `@`, likewise: 领券戳 t.cn/A6xq / t.cn/B8mk.

use std::cell::LazyCell;

use super::Conflict;
use crate::hash::HashSet;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::signs::{Reference, Sign};

/// In a text of at least this many tokens a link is not the point.
const LINK_POST: usize = 32;
/// A text of at most this many tokens is only the title of its link.
const LINK_TITLE: usize = 8;

/// Returns the first place where B has a sign that excludes A's, and the kind of sign. `there` maps a token of A to its place in B, if B
/// has the token. Under `careful` any other link or name counts.
pub(crate) fn signs_differ(
    a: GistView<'_>,
    b: GistView<'_>,
    there: impl Fn(usize) -> Option<usize>,
    careful: bool,
) -> Option<(Gap, Conflict)> {
    if a.signs.is_empty() || b.signs.is_empty() {
        return None;
    }
    // One more item changes the numbers of all items after it.
    let items = |text: GistView<'_>| text.signs.iter().filter(|(_, sign)| sign.is_item()).count();
    let are_lists = items(a) == items(b);
    let in_common = [Reference::Link, Reference::Mention].map(|kind| LazyCell::new(move || have_in_common(a, b, kind)));
    a.signs.iter().find_map(|(at, sign)| {
        let at = *at as usize;
        // The number of an item belongs to the token after it.
        let before = at.checked_sub(1).filter(|_| !sign.is_item());
        let places = [there(at), before.and_then(&there).map(|before| before + 1)];
        let from = |place: usize| b.signs.partition_point(|(at, _)| (*at as usize) < place);
        let at_place = |place: usize| &b.signs[from(place)..from(place + 1)];
        let [first, second] = if places[0] <= places[1] { places } else { [places[1], places[0]] };
        let second = second.filter(|second| Some(*second) != first);
        let mut here = first.into_iter().chain(second).flat_map(at_place);
        if let Some((kind, _)) = sign.referred() {
            let (place, _) = here.find(|(_, other)| refers_elsewhere(a, b, *sign, *other, careful))?;
            let (conflict, in_common) = match kind {
                Reference::Link => (Conflict::Link, &in_common[0]),
                Reference::Mention => (Conflict::Mention, &in_common[1]),
            };
            if **in_common {
                return None;
            }
            return Some((before_tokens(at, *place as usize), conflict));
        }
        let (place, other) = here.clone().find(|(_, other)| sign.excludes(*other))?;
        let place = *place as usize;
        (!here.any(|(_, other)| other == sign) && (are_lists || !sign.is_item()))
            .then(|| (before_tokens(at, place), Conflict::Sign(sign.spelled(), other.spelled())))
    })
}

/// The gap of two signs that come before these tokens.
fn before_tokens(at: usize, place: usize) -> Gap {
    Gap { a: at..at, b: place..place }
}

/// Whether the texts have a link, or a name, in common.
fn have_in_common(a: GistView<'_>, b: GistView<'_>, kind: Reference) -> bool {
    fn of(text: GistView<'_>, kind: Reference) -> impl Iterator<Item = u64> {
        text.signs.iter().filter_map(move |(_, sign)| sign.referred().filter(|one| one.0 == kind).map(|one| one.1))
    }
    let own: HashSet<u64> = of(a, kind).collect();
    of(b, kind).any(|which| own.contains(&which))
}

/// Whether a link or name of A counts as different beside one of B, provided that the texts have none of that kind in common.
fn refers_elsewhere(a: GistView<'_>, b: GistView<'_>, sign: Sign, other: Sign, careful: bool) -> bool {
    let (Some((kind, _)), Some((same, _))) = (sign.referred(), other.referred()) else { return false };
    let shorter = a.body.list.len().min(b.body.list.len());
    let ways = |text, sign| ways(text, sign, shorter, careful);
    let counts = || ways(a, sign).into_iter().zip(ways(b, other)).any(|(one, other)| one && other);
    kind == same && counts()
}

/// The number of ways in which links and names count.
pub(crate) const WAYS: usize = 3;

/// Returns the ways in which a link or name of a text may count. Two of them count if they share a way. `shorter` is the length of the
/// shorter text, in tokens.
fn ways(text: GistView<'_>, sign: Sign, shorter: usize, careful: bool) -> [bool; WAYS] {
    let is_link = matches!(sign.referred(), Some((Reference::Link, _)));
    // A text of few words is only the title of its link.
    let is_title = is_link && text.body.list.len() <= LINK_TITLE && text.topics.is_empty();
    [careful, is_title, shorter < LINK_POST && sign.is_the_point()]
}

/// A link, or a name after `@`, that may tell a text apart from others with an equal body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Referred {
    pub(crate) kind: Reference,
    /// The hash of the link or name.
    pub(crate) which: u64,
    /// The token before which it comes.
    pub(crate) at: u32,
    /// The ways in which it counts.
    pub(crate) ways: [bool; WAYS],
}

/// Returns the links and names of a text. For two texts with equal bodies, [`signs_differ`] finds a difference if one of each has the same
/// kind and place and shares a way, and the texts have none of that kind in common.
pub(crate) fn referred(text: GistView<'_>, careful: bool) -> impl Iterator<Item = Referred> + '_ {
    text.signs.iter().filter_map(move |(at, sign)| {
        let ways = ways(text, *sign, text.body.list.len(), careful);
        sign.referred().map(|(kind, which)| Referred { kind, which, at: *at, ways })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::gist;

    /// Tests texts with the same tokens.
    #[test]
    fn signs_conflict_where_they_stand_in_one_place() {
        for (a, b, differ) in [
            ("血糖≥7", "血糖≤7", true),
            ("答案√", "答案×", true),
            ("答案√", "√答案", false),
            ("√答案一,×答案二", "×答案一,√答案二", true),
            ("√答案", "答案×", false),
            ("答案√×", "答案×√", false),
            ("服务★★★★☆", "服务★★☆☆☆", true),
            ("服务★★★★☆", "服务", false),
            ("股市📈", "股市⬇", true),
        ] {
            let (a_gist, b_gist) = (gist(a), gist(b));
            assert_eq!(a_gist.body, b_gist.body, "{a} / {b}");
            assert_eq!(signs_differ(a_gist.view(), b_gist.view(), Some, false).is_some(), differ, "{a} / {b}");
            assert_eq!(signs_differ(b_gist.view(), a_gist.view(), Some, false).is_some(), differ, "{b} / {a}");
        }
    }
}
