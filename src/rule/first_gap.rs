//! The first gap of two long bodies, found without an alignment.
//!
//! 亲爱的王芳，您预约的体检套餐… / 亲爱的李小丽，您预约的体检套餐…: behind what both begin with, g = 王芳 stands in A and f = 李小丽 in B, and behind these the same run R.
//! So one glance tells that two people are greeted. An alignment would take much longer.
//!
//! It must be the gap that an alignment begins with. So two conditions are asked of g, and the same of f with A and B exchanged:
//! - No token of g is in f or in R.
//! - If some tokens of g are behind R in B, more tokens of R are not behind R in B.
//!
//! Then no longest common subsequence matches a token of g. Suppose that one does. The token is matched behind R in B. So whatever tokens
//! of R in A are matched are matched behind R in B, too, and more of them cannot be than tokens of g can. With all of R matched to R, and
//! nothing of g, the subsequence would be longer. The [aligner](super::align) takes the first places that will do, so it matches all of R,
//! and leaves g and f out.

use std::ops::Range;

use super::align::Gap;
use crate::rule::facts::AROUND;
use crate::text::tokens::{Token, common_head};

/// Most tokens of the gap, on each side.
const LONGEST_GAP: usize = 3;
/// Most tokens of the run that is looked at.
const LONGEST_RUN: usize = 16;

/// The first gap of the alignment of two bodies, if it is a short one in both, and what is [around](AROUND) it matches.
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

/// Whether nothing of g and f is matched, where x and y stand behind them.
fn is_gap((g, x): (&[Token], &[Token]), (f, y): (&[Token], &[Token])) -> bool {
    let run = common_head(&x[..x.len().min(LONGEST_RUN)], y);
    let ((run, x), y) = (x.split_at(run), &y[run..]);
    // A common end that goes over the run would be matched first.
    let is_apart = x.len() == y.len() || !x.ends_with(y) && !y.ends_with(x);
    is_apart && is_left_out(g, f, run, y) && is_left_out(f, g, run, x)
}

/// Whether no token of a `fill` is matched, where the `other` one stands before the same `run`, and the `rest` behind that.
fn is_left_out(fill: &[Token], other: &[Token], run: &[Token], rest: &[Token]) -> bool {
    let is_beyond = |token: &&Token| rest.contains(token);
    let beyond = fill.iter().filter(is_beyond).count();
    !fill.iter().any(|token| other.contains(token) || run.contains(token))
        && (beyond == 0 || run.iter().filter(|token| !is_beyond(token)).count() > beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::align::{Aligner, gaps};
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
                gaps(aligner.align(&a, &b), (a.len(), b.len()), true, &mut expected);
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
        // Behind the run, one of them is: the run is worth more.
        assert_eq!(gap((&[20], &[7, 31, 8]), (&[30, 31], &[9, 20, 10])), Some(Gap { a: 2..3, b: 2..4 }));
        assert_eq!(gap((&[20], &[7]), (&[30, 31], &[20, 3, 4, 5, 6])), None);
        // In the run, in both, too long, none.
        assert_eq!(gap((&[3], &[7]), (&[30], &[7])), None);
        assert_eq!(gap((&[20, 30, 21], &[7]), (&[30, 31], &[7])), None);
        assert_eq!(gap((&[20, 21, 22, 23], &[7]), (&[30], &[7])), None);
        assert_eq!(gap((&[20], &[7]), (&[20], &[7])), None);
        assert_eq!(gap((&[], &[7]), (&[20], &[7])), None);
        // The common end goes over the run of one of them.
        let (a, b) = ([1, 20, 3, 4, 5, 6], [1, 30, 3, 4, 5, 6, 7, 3, 4, 5, 6]);
        assert_eq!(first_gap(&a, &b), None);
    }
}
