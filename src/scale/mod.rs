//! The verdicts of one process from many: the stages of a job over more messages than one machine holds.
//!
//! Which messages are kept is a property of the [graph](crate::Deduplicator) "equal or near" over their positions, and not of the
//! order in which it is found. So any engine that sorts and groups rows can find it, with these three steps at its leaves:
//!
//! ```text
//! records ─▶ sketch ─▶ (pos, digest, fingerprint)     any task, any order
//!    min(pos) of each digest: all others are exact repeats
//!    min(pos) of each fingerprint: all others share the fate of the first
//!    a row for each table of Tables, sorted by table and key
//! rows ─▶ edges ─▶ (a, b, distance)                   any task that has whole buckets
//! edges ─▶ decide ─▶ (pos, of, distance)              one task
//! ```
//! What has one fingerprint can be taken together: if the first of them is kept, nothing earlier that is kept is near it, so the
//! others repeat it at distance 0; if it is dropped, what it repeats is earlier than all of them and as near to them.
//!
//! # The hybrid
//! Under [`NearMode::Hybrid`](crate::config::NearMode::Hybrid) it also matters how far two messages stand apart, in positions of which
//! each record has one: so positions are made dense first. Within the window the [texts] decide, and texts that far apart
//! are in one task if it has a stretch of the input and the window before it. Beyond the window fingerprints do, and then messages of
//! one fingerprint have fates of their own: the first of them may be dropped by its text, and the next be kept.
//!
//! ```text
//! records ─▶ sketch ─▶ (pos, digest, fingerprint, text)
//!    the rank of each pos; the rest is about the first of each digest
//! (rank, text) of a stretch and a window ─▶ edges ─▶ (a, b, similarity, same)
//! edges of fingerprints, as above, with the messages that have them ─▶ (a, b, distance, same)
//! edges ─▶ decide ─▶ (pos, of, distance or similarity)
//! ```
//! A post that thousands pass on would have an edge for each two of them. So an edge is not to a message alone, but to all that are the
//! [same](Edge::same) to the rule, or have its fingerprint: of these at most one counts for a later message, the kept one.

pub(crate) mod decide;
pub(crate) mod edges;
pub(crate) mod rows;
pub(crate) mod sketch;
pub(crate) mod tables;
pub(crate) mod texts;

use std::fmt;

use crate::record::{Likeness, Pos};
use rows::{Cell, Column, Gaps, Kind, RowOut, likeness_cells, pos_cell};

/// Two messages of which the later one is no message of its own if the earlier one is kept, or one that is the same as it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The earlier one. It stands for all messages that are the same as it, too, as far as there are edges that say so.
    pub(crate) a: Pos,
    /// The later one.
    pub(crate) b: Pos,
    /// How alike they are; none if their digests are equal.
    pub(crate) by: Option<Likeness>,
    /// Whether what has an edge from `a`, and by the same measure, has one from `b` too, which need not be written down: their gists
    /// or fingerprints are equal.
    pub(crate) same: bool,
}

/// As a JSON object: `{"a":3,"b":17,"distance":4}`, with `"same":true` where it is; a similarity is in thousandths.
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
    /// Its position.
    pub(crate) pos: Pos,
    /// The earliest kept message that it repeats.
    pub(crate) of: Pos,
    /// How alike they are; none if it is an exact repeat.
    pub(crate) by: Option<Likeness>,
}

/// As a JSON object: `{"pos":17,"of":3,"distance":4}`; a similarity is in thousandths.
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

/// A further member of a JSON object, if there is one.
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
