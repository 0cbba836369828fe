//! Turns edges into repeats: which messages are dropped, and which message each of them repeats.
//!
//! In the order of positions, a message is kept if and only if no earlier kept message has an edge to it. The kept messages are thus
//! the first maximal independent set. An edge takes 32 bytes, a dropped message 24, and a kept message that is the same as others some
//! 100.

use serde::Deserialize;

use super::rows::{Cell, Column, JobRows, RowIn, RowOut, checked, whole};
use super::{Edge, Repeat};
use crate::error::Result;
use crate::hash::HashMap;
use crate::locale::tr;
use crate::record::{Likeness, Pos};

/// How edges are interpreted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// [`Config::verify_window`](crate::Config::verify_window): a similarity counts if the earlier message is at most this many
    /// positions before the later one, a distance if it is further away. With `None`, both count at any distance.
    pub(crate) verify_window: Option<u64>,
    /// [`Config::window`](crate::Config::window): no message further away counts. If it is set, there are also edges between equal
    /// messages.
    pub(crate) window: Option<u64>,
    /// Messages before this position have already been decided. Those of them that were kept are named by an edge which says that they
    /// are the [same](Edge::same) as a message, possibly as themselves.
    pub(crate) from: Pos,
}

/// Returns the messages that are dropped because of these edges, by rising position, each with the earliest kept message that it
/// repeats. An edge may occur more than once. A message that no edge names is kept. In a chain A ~ B ~ C, B is dropped and C is kept.
pub(crate) fn decide(mut edges: Vec<Edge>, plan: Plan) -> Vec<Repeat> {
    edges.sort_unstable_by_key(|edge| (edge.b, edge.a));
    let mut decided =
        Decided { plan, repeats: Vec::new(), kept: HashMap::default(), kept_of_digest: HashMap::default() };
    for edges in edges.chunk_by(|x, y| x.b == y.b) {
        let pos = edges[0].b;
        if pos < plan.from {
            edges.iter().filter(|edge| edge.same).for_each(|edge| decided.keep(edge));
            continue;
        }
        // A message equal to an earlier one repeats the same message as that one, if it can; otherwise it is judged anew.
        let equal = edges.iter().find(|edge| edge.by.is_none());
        let exact = equal.and_then(|edge| Some((decided.equalled(edge)?, None)));
        let near = || edges.iter().filter_map(|edge| Some((decided.repeated(edge, edge.by?)?, edge.by)));
        let found = exact.or_else(|| near().min_by_key(|(of, _)| *of));
        match found {
            Some((of, by)) => decided.repeats.push(Repeat { pos, of, by }),
            None => edges.iter().filter(|edge| edge.same).for_each(|edge| decided.keep(edge)),
        }
        if let Some(edge) = equal {
            decided.kept_of_digest.insert(edge.a, found.map_or(pos, |(of, _)| of));
        }
    }
    decided.repeats
}

/// The decisions on the messages so far.
struct Decided {
    plan: Plan,
    repeats: Vec<Repeat>,
    /// The kept messages of each class, by rising position. Classes by similarity and by distance are separate. The first message of a
    /// class need not be listed.
    kept: HashMap<(Pos, bool), Vec<Pos>>,
    /// For the first message of each digest: the kept message that the latest message with this digest is or repeats.
    kept_of_digest: HashMap<Pos, Pos>,
}

impl Decided {
    /// The kept message that the latest message equal to the later one is or repeats, if it still counts.
    fn equalled(&self, edge: &Edge) -> Option<Pos> {
        let own = || (edge.a >= self.plan.from).then(|| self.repeat(edge.a).map_or(edge.a, |repeat| repeat.of));
        let kept = self.kept_of_digest.get(&edge.a).copied().or_else(own)?;
        Some(kept).filter(|of| *of >= self.oldest(edge.b))
    }

    /// The earliest kept message that the later message repeats because of this edge.
    fn repeated(&self, edge: &Edge, by: Likeness) -> Option<Pos> {
        let Edge { a, b, .. } = *edge;
        let beyond = self.plan.verify_window.map(|window| Pos(b.0.saturating_sub(window)));
        let oldest = match (by, beyond) {
            (Likeness::Similarity(_), Some(beyond)) => beyond.max(self.oldest(b)),
            _ => self.oldest(b),
        };
        let is_kept = a >= oldest && a >= self.plan.from && self.repeat(a).is_none();
        let in_class = || {
            let kept = self.kept.get(&class(a, by))?;
            kept.get(kept.partition_point(|kept| *kept < oldest)).copied()
        };
        let first = is_kept.then_some(a).or_else(in_class)?;
        match by {
            // The members after the first are not as far away, and cannot count either.
            Likeness::Distance(_) => Some(first).filter(|first| beyond.is_none_or(|beyond| *first < beyond)),
            Likeness::Similarity(_) => Some(first),
        }
    }

    /// The oldest position that counts for the message at `pos`.
    fn oldest(&self, pos: Pos) -> Pos {
        Pos(self.plan.window.map_or(0, |window| pos.0.saturating_sub(window)))
    }

    fn repeat(&self, pos: Pos) -> Option<&Repeat> {
        self.repeats.binary_search_by_key(&pos, |repeat| repeat.pos).ok().and_then(|at| self.repeats.get(at))
    }

    /// Records that the later message, which is the same as the earlier one, is kept. For equal messages, records it as the one that
    /// they repeat.
    fn keep(&mut self, edge: &Edge) {
        let Some(by) = edge.by else {
            self.kept_of_digest.insert(edge.a, edge.b);
            return;
        };
        let kept = self.kept.entry(class(edge.a, by)).or_default();
        if kept.last().is_none_or(|last| *last < edge.b) {
            kept.push(edge.b);
        }
    }
}

/// The class that an edge comes from: the messages that are the same as `a`, by the measure of the edge.
fn class(a: Pos, by: Likeness) -> (Pos, bool) {
    (a, matches!(by, Likeness::Similarity(_)))
}

/// An edge as it is written in an input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    a: u64,
    b: u64,
    distance: Option<u32>,
    similarity: Option<u32>,
    #[serde(default)]
    same: bool,
}

impl RowIn for Line {
    const COLUMNS: &'static [Column<'static>] = Edge::COLUMNS;

    fn of(cells: &[Cell<'_>]) -> std::result::Result<Self, String> {
        let number = |at: usize| whole(&Self::COLUMNS[at], cells[at]);
        let likeness = |at: usize| (cells[at] != Cell::Null).then(|| whole(&Self::COLUMNS[at], cells[at])).transpose();
        let same = cells[4] == Cell::Bool(true);
        Ok(Self { a: number(0)?, b: number(1)?, distance: likeness(2)?, similarity: likeness(3)?, same })
    }
}

/// Reads edges in the form in which [`Edge`] writes them, in any order. Before [`Plan::from`], a message that was kept may be the same
/// as itself. Under a window, an edge without a measure is between equal messages. Among those decided before, it names the first
/// message of a digest, and the kept message that the latest one is or repeats.
///
/// # Errors
/// [`Error::Unmeasurable`](crate::Error::Unmeasurable) for a row that is no edge, [`Error::Io`](crate::Error::Io) if reading
/// fails or columns are missing.
pub(crate) fn read(rows: JobRows, plan: Plan) -> Result<Vec<Edge>> {
    let mut edges = Vec::new();
    rows.each(|Line { a, b, distance, similarity, same }| {
        let by = match (distance, similarity) {
            (Some(bits @ ..=64), None) => Some(Likeness::Distance(bits)),
            (None, Some(mille @ ..=1000)) => Some(Likeness::Similarity(mille)),
            (None, None) if plan.window.is_some() => None,
            _ => return Err(tr!("not one of `distance`, 0 to 64, and `similarity`, 0 to 1000").into()),
        };
        checked(b)?;
        let is_told = same && b < plan.from.0;
        if a > b && !(is_told && by.is_none()) || a == b && !is_told {
            return Err(tr!("`a` is {a} and `b` is {b}: `a` is the earlier one", a, b).into());
        }
        edges.push(Edge { a: Pos(a), b: Pos(b), by, same });
        Ok(())
    })?;
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance(a: u64, b: u64, bits: u32, same: bool) -> Edge {
        Edge { a: Pos(a), b: Pos(b), by: Some(Likeness::Distance(bits)), same }
    }

    fn similarity(a: u64, b: u64, mille: u32, same: bool) -> Edge {
        Edge { a: Pos(a), b: Pos(b), by: Some(Likeness::Similarity(mille)), same }
    }

    fn equal(a: u64, b: u64, same: bool) -> Edge {
        Edge { a: Pos(a), b: Pos(b), by: None, same }
    }

    #[test]
    fn of_a_chain_the_middle_is_dropped() {
        let repeats = decide(vec![distance(1, 2, 4, false), distance(0, 1, 4, false)], Plan::default());
        assert_eq!(repeats.iter().map(|repeat| (repeat.pos.0, repeat.of.0)).collect::<Vec<_>>(), [(1, 0)]);
    }

    proptest! {
        #[test]
        fn the_kept_are_the_first_maximal_independent_set(
            pairs in prop::collection::vec((0u64..30, 0u64..30), 0..80),
        ) {
            let pairs: Vec<(u64, u64)> = pairs.into_iter().filter(|(a, b)| a < b).collect();
            let edge = |(a, b): &(u64, u64)| distance(*a, *b, (a + b) as u32, false);
            let repeats = decide(pairs.iter().map(edge).collect(), Plan::default());
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

        #[test]
        fn the_same_count_too_and_chunks_change_nothing(
            messages in prop::collection::vec((1u64..4, 0usize..5, 0usize..5, 0usize..5), 1..50),
            texts in prop::collection::vec(prop::option::weighted(0.2, 600u32..1000), 25),
            prints in prop::collection::vec(prop::option::weighted(0.2, 1u32..5), 25),
            verify_window in 0u64..40,
            window in prop::option::of(1u64..60),
            from in 0u64..100,
            order in any::<prop::sample::Index>(),
        ) {
            // Each message has one of five texts, one of five fingerprints and one of five digests.
            let mut pos = 0;
            let messages: Vec<[u64; 4]> = messages
                .into_iter()
                .map(|(gap, text, print, digest)| { pos += gap; [pos, text as u64, print as u64, digest as u64] })
                .collect();
            let at = |x: u64, y: u64| (5 * x + y) as usize;
            let by_text = |x: u64, y: u64| if x == y { Some(1000) } else { texts[at(x, y)] };
            let by_print = |x: u64, y: u64| if x == y { Some(0) } else { prints[at(x.min(y), x.max(y))] };
            let counts = |a: u64, b: u64| window.is_none_or(|window| a + window >= b);
            let mut kept: Vec<[u64; 4]> = Vec::new();
            // The kept message that each digest stands for, now and at `from`.
            let (mut behind, mut told) = (HashMap::default(), HashMap::default());
            let mut expected = Vec::new();
            for message @ [b, text, print, digest] in &messages {
                let exact = window.and(behind.get(digest)).filter(|of| counts(**of, *b)).map(|of| (*of, None));
                let near = || kept.iter().filter(|kept| counts(kept[0], *b)).find_map(|[a, x, y, _]| {
                    Some((*a, Some(match a + verify_window >= *b {
                        true => Likeness::Similarity(by_text(*x, *text)?),
                        false => Likeness::Distance(by_print(*y, *print)?),
                    })))
                });
                let found = exact.or_else(near);
                match found {
                    Some((a, by)) => expected.push(Repeat { pos: Pos(*b), of: Pos(a), by }),
                    None => kept.push(*message),
                }
                behind.insert(*digest, found.map_or(*b, |(of, _)| of));
                if *b < from {
                    told = behind.clone();
                }
            }
            let first = |by: usize, class: u64| messages.iter().find(|message| message[by] == class).map(|message| message[0]);
            let mut edges = Vec::new();
            for [b, text, print, digest] in &messages {
                for class in 0..5 {
                    if let (Some(a), Some(mille)) = (first(1, class).filter(|a| a < b), by_text(class, *text)) {
                        edges.push(similarity(a, *b, mille, class == *text));
                    }
                    if let (Some(a), Some(bits)) = (first(2, class).filter(|a| a < b), by_print(class, *print)) {
                        edges.push(distance(a, *b, bits, class == *print));
                    }
                }
                if window.is_some() {
                    edges.extend(first(3, *digest).filter(|a| a < b).map(|a| equal(a, *b, false)));
                }
            }
            let middle = order.index(edges.len().max(1)).min(edges.len());
            edges.rotate_left(middle);
            let plan = Plan { verify_window: Some(verify_window), window, from: Pos(0) };
            prop_assert_eq!(&decide(edges.clone(), plan), &expected);
            // The earlier decisions are given by the messages that were kept, and by the kept message that each digest stands for.
            edges.retain(|edge| edge.b.0 >= from);
            for [pos, text, print, _] in kept.iter().filter(|kept| kept[0] < from) {
                edges.push(similarity(first(1, *text).unwrap(), *pos, 1000, true));
                edges.push(distance(first(2, *print).unwrap(), *pos, 0, true));
            }
            edges.extend(told.iter().filter(|_| window.is_some()).map(|(digest, of)| equal(first(3, *digest).unwrap(), *of, true)));
            expected.retain(|repeat| repeat.pos.0 >= from);
            prop_assert_eq!(decide(edges, Plan { from: Pos(from), ..plan }), expected);
        }
    }
}
