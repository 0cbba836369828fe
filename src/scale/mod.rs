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

pub mod decide;
pub mod edges;
pub mod rows;
pub mod sketch;
pub mod tables;

use std::fmt;

use crate::record::{Likeness, Pos};
use rows::{Cell, Column, Gaps, Kind, RowOut, likeness_cells, pos_cell};

/// Two messages of which the later one is no message of its own if the earlier one is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The earlier one.
    pub a: Pos,
    /// The later one.
    pub b: Pos,
    /// How alike they are.
    pub by: Likeness,
}

/// As a JSON object: `{"a":3,"b":17,"distance":4}`; a similarity is in thousandths.
impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"{{"a":{},"b":{},{}}}"#, self.a.0, self.b.0, Measure(self.by))
    }
}

impl RowOut for Edge {
    const COLUMNS: &'static [Column<'static>] = &[position("a"), position("b"), DISTANCE, SIMILARITY];

    fn cells(&self) -> [Cell<'_>; 4] {
        let [distance, similarity] = likeness_cells(self.by);
        [pos_cell(self.a), pos_cell(self.b), distance, similarity]
    }
}

const fn position(name: &str) -> Column<'_> {
    Column::new(name, Kind::Int64, Gaps::None)
}

const DISTANCE: Column<'static> = Column::new("distance", Kind::Int32, Gaps::All);
const SIMILARITY: Column<'static> = Column::new("similarity", Kind::Int32, Gaps::All);

/// A message that repeats a kept one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// Its position.
    pub pos: Pos,
    /// The earliest kept message that it repeats.
    pub of: Pos,
    /// How alike they are.
    pub by: Likeness,
}

/// As a JSON object: `{"pos":17,"of":3,"distance":4}`; a similarity is in thousandths.
impl fmt::Display for Repeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"{{"pos":{},"of":{},{}}}"#, self.pos.0, self.of.0, Measure(self.by))
    }
}

impl RowOut for Repeat {
    const COLUMNS: &'static [Column<'static>] = &[position("pos"), position("of"), DISTANCE, SIMILARITY];

    fn cells(&self) -> [Cell<'_>; 4] {
        let [distance, similarity] = likeness_cells(self.by);
        [pos_cell(self.pos), pos_cell(self.of), distance, similarity]
    }
}

/// A member of a JSON object.
struct Measure(Likeness);

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Likeness::Distance(bits) => write!(f, r#""distance":{bits}"#),
            Likeness::Similarity(mille) => write!(f, r#""similarity":{mille}"#),
        }
    }
}
