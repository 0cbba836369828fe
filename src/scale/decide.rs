//! Edges to repeats: which messages are dropped, and what each repeats.
//!
//! In the order of positions, a message is kept if and only if no earlier kept one has an edge to it: the first maximal
//! independent set. Edges take 24 bytes each, those dropped 8.

use serde::Deserialize;

use super::rows::{Cell, Column, RowIn, RowOut, Rows, whole};
use super::{Edge, Repeat};
use crate::error::Result;
use crate::record::{Likeness, Pos};

/// The messages that are dropped for these edges, by rising position, each with the earliest kept message that it repeats. An
/// edge may come more than once. What is not named is kept.
///
/// ```
/// use quchong::scale::{Edge, decide::decide};
/// use quchong::{Likeness, Pos};
///
/// // Of a chain A ~ B ~ C, B is dropped and C is kept.
/// let edge = |a, b| Edge { a: Pos(a), b: Pos(b), by: Likeness::Distance(4) };
/// let repeats = decide(vec![edge(1, 2), edge(0, 1)]);
/// assert_eq!(repeats.iter().map(|repeat| (repeat.pos.0, repeat.of.0)).collect::<Vec<_>>(), [(1, 0)]);
/// ```
pub fn decide(mut edges: Vec<Edge>) -> Vec<Repeat> {
    edges.sort_unstable_by_key(|edge| (edge.b, edge.a));
    let mut repeats: Vec<Repeat> = Vec::new();
    for Edge { a, b, by } in edges {
        let is_new = repeats.last().is_none_or(|last| last.pos < b);
        if is_new && repeats.binary_search_by_key(&a, |repeat| repeat.pos).is_err() {
            repeats.push(Repeat { pos: b, of: a, by });
        }
    }
    repeats
}

/// An edge as it is read.
#[derive(Deserialize)]
struct Line {
    a: u64,
    b: u64,
    distance: Option<u32>,
    similarity: Option<u32>,
}

impl RowIn for Line {
    const COLUMNS: &'static [Column<'static>] = Edge::COLUMNS;

    fn of(cells: &[Cell<'_>]) -> std::result::Result<Self, String> {
        let number = |at: usize| whole(&Self::COLUMNS[at], cells[at]);
        let likeness = |at: usize| (cells[at] != Cell::Null).then(|| whole(&Self::COLUMNS[at], cells[at])).transpose();
        Ok(Self { a: number(0)?, b: number(1)?, distance: likeness(2)?, similarity: likeness(3)? })
    }
}

/// Reads edges as [`Edge`] writes them, in any order.
///
/// # Errors
/// [`Error::Unmeasurable`](crate::Error::Unmeasurable) for a row that is no edge, [`Error::Io`](crate::Error::Io) if reading
/// fails or columns are missing.
pub fn read(rows: Rows) -> Result<Vec<Edge>> {
    let mut edges = Vec::new();
    rows.each(|Line { a, b, distance, similarity }| {
        let by = distance.map(Likeness::Distance).or(similarity.map(Likeness::Similarity));
        let by = by.ok_or("neither `distance` nor `similarity`")?;
        if a >= b {
            return Err(format!("`a` is {a} and `b` is {b}: `a` is the earlier one"));
        }
        edges.push(Edge { a: Pos(a), b: Pos(b), by });
        Ok(())
    })?;
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_kept_are_the_first_maximal_independent_set(
            pairs in prop::collection::vec((0u64..30, 0u64..30), 0..80),
        ) {
            let pairs: Vec<(u64, u64)> = pairs.into_iter().filter(|(a, b)| a < b).collect();
            let edge = |(a, b): &(u64, u64)| Edge { a: Pos(*a), b: Pos(*b), by: Likeness::Distance((a + b) as u32) };
            let repeats = decide(pairs.iter().map(edge).collect());
            let mut kept: Vec<u64> = Vec::new();
            let mut expected = Vec::new();
            for b in 0..30 {
                match kept.iter().find(|a| pairs.contains(&(**a, b))) {
                    Some(a) => expected.push(Repeat { pos: Pos(b), of: Pos(*a), by: edge(&(*a, b)).by }),
                    None => kept.push(b),
                }
            }
            prop_assert_eq!(repeats, expected);
        }
    }
}
