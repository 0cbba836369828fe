//! How many messages of a run are meant, of how many.

use serde::ser::{Serialize, Serializer};

/// How many messages or records something holds for, and of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portion {
    /// Those for which it holds.
    pub count: u64,
    /// All that it could hold for.
    pub of: u64,
}

impl Portion {
    /// In the summary a portion is its count.
    pub(super) fn serialize_count<S: Serializer>(portion: &Option<Self>, serializer: S) -> Result<S::Ok, S::Error> {
        portion.map(|portion| portion.count).serialize(serializer)
    }

    /// Whether it is more than half.
    pub(crate) fn is_most(self) -> bool {
        self.count * 2 > self.of
    }
}
