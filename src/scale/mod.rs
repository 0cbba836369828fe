//! Many processes that together reach the verdicts of one: the stages of a job over more messages than one machine can hold.
//!
//! Consider the [graph](crate::Deduplicator) "equal or near" over the positions of the messages. Which messages are kept is a property
//! of this graph, and does not depend on the order in which its edges are found. So any engine that sorts and groups rows can find it,
//! with these three steps as its leaves:
//!
//! ```text
//! records ─▶ sketch ─▶ (pos, digest, fingerprint)     any task, any order
//!    min(pos) of each digest: all others are exact repeats
//!    min(pos) of each fingerprint: all others share the fate of the first
//!    a row for each table of Tables, sorted by table and key
//! rows ─▶ edges ─▶ (a, b, distance)                   any task that has whole buckets
//! edges ─▶ decide ─▶ (pos, of, distance)              one task
//! ```
//! Messages with the same fingerprint can be treated as one. If the first of them is kept, no earlier kept message is near it, so the
//! others repeat it at distance 0. If it is dropped, the message that it repeats is earlier than all of them, and equally near to them.
//!
//! # The hybrid
//! Under [`NearMode::Hybrid`](crate::config::NearMode::Hybrid) the number of positions between two messages also matters, and each
//! record has one position: so positions are first made dense. Within the window the [texts] decide. A task finds all pairs of texts
//! within the window if it has a stretch of the input and the window before it. Beyond the window fingerprints decide, and then
//! messages with the same fingerprint may have different fates: the first of them may be dropped by its text, and the next be kept.
//!
//! ```text
//! records ─▶ sketch ─▶ (pos, digest, fingerprint, text)
//!    the rank of each pos; the rest is about the first of each digest
//! (rank, text) of a stretch and a window ─▶ edges ─▶ (a, b, similarity, same)
//! edges of fingerprints, as above, with the messages that have them ─▶ (a, b, distance, same)
//! edges ─▶ decide ─▶ (pos, of, distance or similarity)
//! ```
//! A post that thousands pass on would have an edge for each pair of these messages. So an edge does not come from a single message,
//! but from all messages that are the [same](Edge::same) to the rule, or that have the same fingerprint. At most one of them counts for a
//! later message: the kept one.

pub(crate) mod decide;
pub(crate) mod edges;
pub(crate) mod rows;
pub(crate) mod sketch;
pub(crate) mod tables;
pub(crate) mod texts;

use std::fmt;

use crate::record::{Likeness, Pos};
use rows::{Cell, Column, Gaps, Kind, RowOut, likeness_cells, pos_cell};

/// Two messages. The later one is a repeat if the earlier one, or a message that is the same as the earlier one, is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The earlier message. It also stands for all messages that edges declare the same as it.
    pub(crate) a: Pos,
    /// The later message.
    pub(crate) b: Pos,
    /// How alike they are; `None` if their digests are equal.
    pub(crate) by: Option<Likeness>,
    /// Whether `b` is the same as `a`, because their gists or fingerprints are equal. Then every message with an edge from `a`, by the
    /// same measure, also has one from `b`, which need not be written.
    pub(crate) same: bool,
}

/// Writes a JSON object: `{"a":3,"b":17,"distance":4}`, with `"same":true` if that is set; a similarity is in thousandths.
impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = if self.same { r#","same":true"# } else { "" };
        write!(f, r#"{{"a":{},"b":{}{}{same}}}"#, self.a.0, self.b.0, Measure(self.by))
    }
}

impl RowOut for Edge {
    const COLUMNS: &'static [Column<'static>] = &[position("a"), position("b"), DISTANCE, SIMILARITY, SAME];

    fn cells<T>(&self, take: impl FnOnce(&[Cell<'_>]) -> T) -> T {
        let [distance, similarity] = likeness_cells(self.by);
        take(&[pos_cell(self.a), pos_cell(self.b), distance, similarity, Cell::Bool(self.same)])
    }
}

const fn position(name: &str) -> Column<'_> {
    Column::new(name, Kind::Int64, Gaps::None)
}

const DISTANCE: Column<'static> = Column::new("distance", Kind::Int32, Gaps::All);
const SIMILARITY: Column<'static> = Column::new("similarity", Kind::Int32, Gaps::All);
const SAME: Column<'static> = Column::new("same", Kind::Bool, Gaps::All);

/// A message that repeats a kept one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// The position of the message.
    pub(crate) pos: Pos,
    /// The earliest kept message that it repeats.
    pub(crate) of: Pos,
    /// How alike they are; `None` for an exact repeat.
    pub(crate) by: Option<Likeness>,
}

/// Writes a JSON object: `{"pos":17,"of":3,"distance":4}`; a similarity is in thousandths.
impl fmt::Display for Repeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"{{"pos":{},"of":{}{}}}"#, self.pos.0, self.of.0, Measure(self.by))
    }
}

impl RowOut for Repeat {
    const COLUMNS: &'static [Column<'static>] = &[position("pos"), position("of"), DISTANCE, SIMILARITY];

    fn cells<T>(&self, take: impl FnOnce(&[Cell<'_>]) -> T) -> T {
        let [distance, similarity] = likeness_cells(self.by);
        take(&[pos_cell(self.pos), pos_cell(self.of), distance, similarity])
    }
}

/// The member of a JSON object for a distance or a similarity, if there is one.
struct Measure(Option<Likeness>);

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Likeness::Distance(bits)) => write!(f, r#","distance":{bits}"#),
            Some(Likeness::Similarity(mille)) => write!(f, r#","similarity":{mille}"#),
            None => Ok(()),
        }
    }
}
