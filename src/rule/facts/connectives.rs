//! Finds words beside a difference that say nothing: 但是, 所以 and the like at the beginning of a clause, and an advert at the end of a text.
//!
//! In 考试取消，请到校 / 考试不取消，所以请到校 only 不 counts, and in 采光好，客厅大 / 采光差，但客厅大 only 好 / 差.

use std::ops::Range;

use super::adverts::is_advert;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::tokens::character;

/// Longest connective, in tokens.
const CONNECTIVE_UPTO: usize = 2;

/// Whether one side of the gap is a connective, and the other side is empty.
pub(super) fn is_connective(a: GistView<'_>, b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    p.is_empty() && is_connective_at(b, q) || q.is_empty() && is_connective_at(a, p)
}

/// Whether one side of the gap is an advert or civility, and the other text ends there.
pub(super) fn is_tail(a: GistView<'_>, b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    let ends = p.end == a.body.list.len();
    ends && (p.is_empty() && is_advert(b, q) || q.is_empty() && is_advert(a, p))
}

/// Splits a gap at the end of both texts before the [tail](is_tail) of one of them: 因故障列车晚点，请耐心等候 / …，请耐心等侯，敬请谅解. `None` if there
/// is no tail.
fn tail_apart(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> Option<Vec<Gap>> {
    let Gap { a: p, b: q } = gap;
    let tail = |text: GistView<'_>, at: &Range<usize>| {
        let mut starts = text.clause_ends().filter(|start| at.start < *start && *start < at.end);
        starts.find(|start| is_advert(text, &(*start..at.end)))
    };
    if gap.is_pure() || !gap.is_at_end(a, b) {
        return None;
    }
    let (of_a, of_b) = (tail(a, p), tail(b, q));
    let [end_a, end_b] = [of_a.unwrap_or(p.end), of_b.unwrap_or(q.end)];
    (of_a.is_some() || of_b.is_some()).then(|| {
        let tails = [Gap { a: end_a..p.end, b: end_b..end_b }, Gap { a: p.end..p.end, b: end_b..q.end }];
        let tails = tails.into_iter().filter(|tail| !tail.is_empty());
        std::iter::once(Gap { a: p.start..end_a, b: q.start..end_b }).chain(tails).collect()
    })
}

/// Returns the gaps, but with a gap of its own for a connective that one side of a gap begins or ends with, and for an advert at the end
/// of a text.
pub(super) fn set_apart(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Vec<Gap> {
    let mut all = Vec::with_capacity(gaps.len());
    for gap @ Gap { a: p, b: q } in gaps {
        if let Some(parts) = tail_apart(a, b, gap) {
            all.extend(parts);
            continue;
        }
        let (of_a, of_b) = match gap.is_pure() {
            true => (None, None),
            false => (connective(a, p), connective(b, q)),
        };
        match (of_a, of_b) {
            (Some(one), None) if one.start == p.start => {
                all.extend([Gap { a: one.clone(), b: q.start..q.start }, Gap { a: one.end..p.end, b: q.clone() }]);
            }
            (Some(one), None) => {
                all.extend([Gap { a: p.start..one.start, b: q.clone() }, Gap { a: one, b: q.end..q.end }])
            }
            (None, Some(one)) if one.start == q.start => {
                all.extend([Gap { a: p.start..p.start, b: one.clone() }, Gap { a: p.clone(), b: one.end..q.end }]);
            }
            (None, Some(one)) => {
                all.extend([Gap { a: p.clone(), b: q.start..one.start }, Gap { a: p.end..p.end, b: one }])
            }
            _ => all.push(gap.clone()),
        }
    }
    all
}

/// Returns the connective that the stretch begins or ends with, if it is not the whole stretch.
fn connective(text: GistView<'_>, stretch: &Range<usize>) -> Option<Range<usize>> {
    let lengths = (1..=CONNECTIVE_UPTO.min(stretch.len().saturating_sub(1))).rev();
    let ends = lengths.flat_map(|length| [stretch.start..stretch.start + length, stretch.end - length..stretch.end]);
    ends.into_iter().find(|end| is_connective_at(text, end))
}

/// Whether the stretch is a connective at the beginning of a clause.
fn is_connective_at(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    text.begins_clause(stretch.start) && (1..=CONNECTIVE_UPTO).contains(&stretch.len()) && {
        let word: Option<String> = text.body.list[stretch.clone()].iter().map(|token| character(*token)).collect();
        word.is_some_and(|word| CUES.connective.is(&word))
    }
}
