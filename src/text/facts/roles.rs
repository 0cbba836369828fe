//! Who does what to whom: the same words in another order inside a clause.

use std::ops::Range;

use super::negation::says;
use super::slots::{Gap, levelled};
use crate::text::GistView;
use crate::text::lexicon::REFUTATION;
use crate::text::tokens::{Token, character};

/// Longest stretch between two names that changed places, in tokens.
const BETWEEN: usize = 16;
/// Longest name.
const NAME: usize = 16;

/// The clauses of a text.
fn clauses(text: GistView<'_>) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), 0);
    for end in text.breaks.iter().map(|end| *end as usize).chain([text.body.list.len()]) {
        if end > start {
            found.push(start..end);
        }
        start = start.max(end);
    }
    found
}

/// What two texts say in other clauses: those of A that B has not, and the other way round.
fn other_clauses(a: GistView<'_>, b: GistView<'_>) -> [Vec<Range<usize>>; 2] {
    let (x, y) = (a.body.list, b.body.list);
    let (mut of_a, mut of_b) = (clauses(a), clauses(b));
    of_a.retain(|clause| {
        let same = of_b.iter().position(|other| x[clause.clone()] == y[other.clone()]);
        same.map(|same| of_b.remove(same)).is_none()
    });
    [of_a, of_b]
}

/// Whether B says nothing but clauses of A, perhaps in another order.
pub(crate) fn only_clauses(a: GistView<'_>, b: GistView<'_>) -> bool {
    other_clauses(a, b)[1].is_empty()
}

/// Whether B is a stretch of A that begins and ends with clauses, under no topic of its own. What A refutes is none.
pub(crate) fn is_quoted(a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    let ends = |at: usize| at == x.len() || a.breaks.binary_search(&(at as u32)).is_ok();
    let mut starts = a.breaks.iter().map(|at| *at as usize).chain([0]);
    b.topics.is_empty()
        && starts.any(|at| x[at..].starts_with(y) && ends(at + y.len()))
        && !says(a, &(0..x.len()), REFUTATION)
}

/// Two names or nouns of a clause that changed places: 甲公司收购乙公司 / 乙公司收购甲公司. Clauses and list items may move.
pub(crate) fn swapped(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let [left, of_b] = other_clauses(a, b);
    left.into_iter().find_map(|p| {
        let q = of_b.iter().find(|q| q.len() == p.len() && changed_places(&x[p.clone()], &y[(*q).clone()]))?;
        Some((p, q.clone()))
    })
}

/// Whether the clauses are X m Y and Y m X between equal ends, where m says what the one does to the other.
fn changed_places(x: &[Token], y: &[Token]) -> bool {
    let head = x.iter().zip(y).take_while(|(x, y)| x == y).count();
    let tail = x[head..].iter().rev().zip(y[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (x, y) = (&x[head..x.len() - tail], &y[head..y.len() - tail]);
    (1..x.len().min(NAME + 1)).any(|first| {
        (1..(x.len() - first).min(NAME + 1)).any(|last| {
            let between = x.len() - first - last;
            let (of_x, of_y) = (&x[first..first + between], &y[last..last + between]);
            (1..=BETWEEN).contains(&between)
                && x[..first] == y[last + between..]
                && x[first + between..] == y[..last]
                && of_x == of_y
                && !joins(of_x)
        })
    })
}

/// Two stretches of these gaps that stand in each other's place, perhaps clauses apart: 生于纽约，住在巴黎 / 生于巴黎，住在纽约. The first
/// of the two places.
pub(crate) fn exchanged(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let says = |stretch: &[Token]| !stretch.iter().all(|token| particle(*token));
    let mut exchanges = gaps.iter().enumerate().filter(|(at, (p, q))| {
        let (of_a, of_b) = (&x[p.clone()], &y[q.clone()]);
        let back = |(r, s): &Gap| x[r.clone()] == *of_b && y[s.clone()] == *of_a && !joins(&x[p.end..r.start]);
        says(of_a) && says(of_b) && gaps[at + 1..].iter().any(back) && levelled(of_a) != levelled(of_b)
    });
    exchanges.next().map(|(_, place)| place.clone())
}

/// Whether it is a word that says nothing by itself.
fn particle(token: Token) -> bool {
    character(token).is_some_and(|c| "和与及跟同或以对的了是在也都就".contains(c))
}

/// Whether it only puts two things side by side: 甲和乙.
fn joins(between: &[Token]) -> bool {
    between.iter().all(|token| character(*token).is_some_and(|c| "和与及跟同或以对的".contains(c)))
}
