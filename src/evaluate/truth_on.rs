//! Which form of the texts a truth by similarity compares.

use crate::locale::tr;

/// Which form of two texts must be similar for them to be repeats in truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TruthOn {
    /// The texts as they came, blanks and punctuation and all: what the papers compare.
    Raw,
    /// Their canonical forms: width, case, script and stretches of blanks do not count.
    Canonical,
    /// Their bodies, wrapping, punctuation and blanks left out: what a reader of a feed compares.
    #[default]
    Body,
}

impl TruthOn {
    /// Every form and its name.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("raw", Self::Raw), ("canonical", Self::Canonical), ("body", Self::Body)];

    /// How a report calls the form of the texts.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Raw => tr!("the texts as they came"),
            Self::Canonical => tr!("the canonical forms"),
            Self::Body => tr!("the bodies"),
        }
    }
}
