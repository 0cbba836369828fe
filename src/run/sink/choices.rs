//! What a run writes.

/// Which records go to the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The kept records, byte for byte.
    Kept,
    /// The dropped records, annotated.
    Dropped,
    /// All records, annotated.
    Annotated,
}

impl Output {
    /// Every choice and its name.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("kept", Self::Kept), ("dropped", Self::Dropped), ("annotated", Self::Annotated)];
}

/// What happens to a record that cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// It is written unchanged.
    Pass,
    /// It is left out of the output. It counts as an error either way.
    Drop,
    /// It ends the run.
    Fail,
}

impl OnError {
    /// Every choice and its name.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("pass", Self::Pass), ("drop", Self::Drop), ("fail", Self::Fail)];
}
