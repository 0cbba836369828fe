//! A count together with the total that it is part of.

use serde::ser::{Serialize, Serializer};

/// How many messages or records a property holds for, and out of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portion {
    /// The number for which it holds.
    pub count: u64,
    /// The number for which it could hold.
    pub of: u64,
}

impl Portion {
    /// Serializes a portion as its count alone, as the summary shows it.
    pub(super) fn serialize_count<S: Serializer>(portion: &Option<Self>, serializer: S) -> Result<S::Ok, S::Error> {
        portion.map(|portion| portion.count).serialize(serializer)
    }

    /// Whether the count is more than half.
    pub(crate) fn is_most(self) -> bool {
        self.count * 2 > self.of
    }
}
