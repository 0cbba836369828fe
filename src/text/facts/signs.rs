//! A sign in another's place: 血糖≥7 / 血糖≤7.

use super::Conflict;
use super::slots::Gap;
use crate::text::GistView;

/// A sign of A where B has one that excludes it, and the place. `there` tells where in B a token of A is, if B has it.
pub(crate) fn signs_differ(
    a: GistView<'_>,
    b: GistView<'_>,
    there: impl Fn(usize) -> Option<usize>,
) -> Option<(Gap, Conflict)> {
    a.signs.iter().find_map(|(at, sign)| {
        let at = *at as usize;
        let places = [there(at), at.checked_sub(1).and_then(&there).map(|before| before + 1)];
        let mut here = b.signs.iter().filter(|(place, _)| places.contains(&Some(*place as usize)));
        let (place, other) = here.clone().find(|(_, other)| sign.excludes(*other))?;
        let place = *place as usize;
        (!here.any(|(_, other)| other == sign))
            .then(|| ((at..at, place..place), Conflict::Sign(sign.spelled(), other.spelled())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Rules;
    use crate::text::Gist;
    use crate::text::body::{Body, body_into};
    use crate::text::normalise::canonical;

    fn gist(text: &str) -> Gist {
        let (canonical, mut body) = (canonical(text), Body::default());
        body_into(&canonical, Rules::ALL, &mut body);
        Gist::of(&body, &canonical)
    }

    /// Of texts with the same tokens.
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
            assert_eq!(signs_differ(a_gist.view(), b_gist.view(), Some).is_some(), differ, "{a} / {b}");
            assert_eq!(signs_differ(b_gist.view(), a_gist.view(), Some).is_some(), differ, "{b} / {a}");
        }
    }
}
