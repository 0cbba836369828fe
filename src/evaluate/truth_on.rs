//! Which form of the texts a truth by similarity compares.

use crate::locale::tr;

/// Which form of two texts must be similar to make them true repeats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TruthOn {
    /// The texts as they came, with blanks and punctuation: what the papers compare.
    Raw,
    /// Their canonical forms, in which width, case, script and runs of blanks do not matter.
    Canonical,
    /// Their bodies, without wrapping, punctuation and blanks: what a reader of a feed compares.
    #[default]
    Body,
}

impl TruthOn {
    /// All forms with their names.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("raw", Self::Raw), ("canonical", Self::Canonical), ("body", Self::Body)];

    /// The name of the form in a report.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Raw => tr!("the texts as they came"),
            Self::Canonical => tr!("the canonical forms"),
            Self::Body => tr!("the bodies"),
        }
    }
}
