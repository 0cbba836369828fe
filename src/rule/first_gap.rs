//! Finds the first gap of two long bodies without an alignment.
//!
//! 亲爱的王芳，您预约的体检套餐… / 亲爱的李小丽，您预约的体检套餐…: after the common beginning come g = 王芳 in A and f = 李小丽 in B. After these comes the same
//! run R in both. So a quick look shows that the two greet different people. An alignment would take much longer.
//!
//! The result must be the first gap of the alignment. So g must meet two conditions, and f the same ones with A and B exchanged:
//! - No token of g is in f or in R.
//! - If B has some tokens of g after R, then more tokens of R do not occur in B after R.
//!
//! Then no longest common subsequence matches a token of g. Suppose that one does. It matches this token after R in B. So whatever it
//! matches of R in A, it also matches after R in B, and it loses the tokens of R that do not occur there. It gains at most the tokens of g
//! that do, and these are fewer. A subsequence that matches all of R with R, and nothing of g, would be longer. The
//! [aligner](super::align) takes the first places that give the longest subsequence. So it matches all of R, and leaves g and f out.

use std::ops::Range;

use super::gap::Gap;
use crate::rule::facts::AROUND;
use crate::text::tokens::{Token, common_head};

/// Most tokens of the gap on each side.
const LONGEST_GAP: usize = 3;
/// Most tokens of the run R that are compared.
const LONGEST_RUN: usize = 16;

/// Returns the first gap of the alignment of two bodies, if it is short in both and the tokens [around](AROUND) it match.
pub(super) fn first_gap(a: &[Token], b: &[Token]) -> Option<Gap> {
    let head = common_head(a, b);
    let (a, b) = (&a[head..], &b[head..]);
    let place = |length: usize| -> Range<usize> { head..head + length };
    (1..=LONGEST_GAP).find_map(|p| {
        let (g, x) = a.split_at_checked(p)?;
        let around = x.get(..AROUND)?;
        let q = (1..=LONGEST_GAP)
            .find(|q| b.get(*q..).is_some_and(|y| y.starts_with(around)) && is_gap((g, x), b.split_at(*q)))?;
        Some(Gap { a: place(p), b: place(q) })
    })
}

/// Whether no token of g and f is matched, if x comes after g and y after f.
fn is_gap((g, x): (&[Token], &[Token]), (f, y): (&[Token], &[Token])) -> bool {
    let run = common_head(&x[..x.len().min(LONGEST_RUN)], y);
    let ((run, x), y) = (x.split_at(run), &y[run..]);
    // A common end that reaches into the run would be matched first.
    let is_apart = x.len() == y.len() || !x.ends_with(y) && !y.ends_with(x);
    is_apart && is_left_out(g, f, run, y) && is_left_out(f, g, run, x)
}

/// Whether no token of `fill` is matched, if `other` comes before the same `run` in the other body, and `rest` after that run.
fn is_left_out(fill: &[Token], other: &[Token], run: &[Token], rest: &[Token]) -> bool {
    let is_beyond = |token: &&Token| rest.contains(token);
    let beyond = fill.iter().filter(is_beyond).count();
    !fill.iter().any(|token| other.contains(token) || run.contains(token))
        && (beyond == 0 || run.iter().filter(|token| !is_beyond(token)).count() > beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::align::{Aligner, SingleMatches, gaps};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_first_of_the_alignment(
            (head, fills, run) in (0_usize..3, prop::collection::vec(0_u32..14, 2..7), prop::collection::vec(0_u32..10, 3..8)),
            rests in prop::collection::vec(prop::collection::vec(0_u32..14, 0..9), 2),
            cut in 1_usize..6,
        ) {
            let (f, g) = fills.split_at(cut.min(fills.len() - 1));
            let side = |fill: &[Token], rest: &[Token]| [&[20, 21, 22][..head], fill, &run, rest].concat();
            let (a, b) = (side(f, &rests[0]), side(g, &rests[1]));
            if let Some(found) = first_gap(&a, &b) {
                let (mut aligner, mut expected) = (Aligner::default(), Vec::new());
                gaps(aligner.align(&a, &b), (a.len(), b.len()), SingleMatches::Keep, &mut expected);
                prop_assert_eq!(Some(&found), expected.first());
                let next = expected.get(1).map_or((a.len(), b.len()), |gap| (gap.a.start, gap.b.start));
                prop_assert!(next.0 >= found.a.end + AROUND && next.1 >= found.b.end + AROUND);
            }
        }
    }

    #[test]
    fn a_short_fill_is_found_where_its_tokens_are_nowhere_else() {
        let body = |fill: &[Token], rest: &[Token]| [&[1, 2], fill, &[3, 4, 5, 6], rest].concat();
        let gap = |(f, x): (&[Token], &[Token]), (g, y): (&[Token], &[Token])| first_gap(&body(f, x), &body(g, y));
        assert_eq!(gap((&[20], &[7, 8, 9]), (&[30, 31], &[7, 8, 9])), Some(Gap { a: 2..3, b: 2..4 }));
        // Some tokens of the fills occur after the run, but the run is worth more.
        assert_eq!(gap((&[20], &[7, 31, 8]), (&[30, 31], &[9, 20, 10])), Some(Gap { a: 2..3, b: 2..4 }));
        assert_eq!(gap((&[20], &[7]), (&[30, 31], &[20, 3, 4, 5, 6])), None);
        // A token of the run, a common token, a fill that is too long, and no fill.
        assert_eq!(gap((&[3], &[7]), (&[30], &[7])), None);
        assert_eq!(gap((&[20, 30, 21], &[7]), (&[30, 31], &[7])), None);
        assert_eq!(gap((&[20, 21, 22, 23], &[7]), (&[30], &[7])), None);
        assert_eq!(gap((&[20], &[7]), (&[20], &[7])), None);
        assert_eq!(gap((&[], &[7]), (&[20], &[7])), None);
        // The common end reaches into the run of one body.
        let (a, b) = ([1, 20, 3, 4, 5, 6], [1, 30, 3, 4, 5, 6, 7, 3, 4, 5, 6]);
        assert_eq!(first_gap(&a, &b), None);
    }
}
