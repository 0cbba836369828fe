//! The words that options and output use for the values of a [`Config`](super::Config).

use std::fmt;

use super::{BloomRule, ExactMode, ExactOn, NearMode, OnFull, Shingle, TrieHash, Weights};
use crate::locale::tr;

impl ExactMode {
    /// Every mode and its name.
    pub(crate) const NAMED: [(&'static str, Self); 6] = [
        ("verified", Self::Verified),
        ("bloom", Self::Bloom),
        ("trie", Self::Trie),
        ("paper-bloom", Self::PaperBloom),
        ("paper-trie", Self::PaperTrie),
        ("none", Self::None),
    ];
}

impl BloomRule {
    /// Both rules and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("any", Self::Any), ("all", Self::All)];

    /// Returns the word for this rule in `--bloom-rule`.
    #[cfg(feature = "lab")]
    pub(crate) fn name(self) -> &'static str {
        if self == Self::All { "all" } else { "any" }
    }
}

impl TrieHash {
    /// Every hash and its name.
    pub(crate) const NAMED: [(&'static str, Self); 5] = [
        ("csharp-x86", Self::CsharpX86),
        ("csharp-x64", Self::CsharpX64),
        ("csharp-x86-unsigned", Self::CsharpX86Unsigned),
        ("csharp-x64-unsigned", Self::CsharpX64Unsigned),
        ("keyed", Self::Keyed),
    ];

    /// Returns the word for this hash in `--trie-hash`.
    #[cfg(all(feature = "cli", feature = "lab"))]
    pub(crate) fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }

    /// Number of values that the hash can have. A signed hash has half as many, because its absolute value counts.
    #[cfg(feature = "lab")]
    pub(crate) fn values(self) -> f64 {
        if matches!(self, Self::CsharpX86 | Self::CsharpX64) { 2f64.powi(31) } else { 2f64.powi(32) }
    }
}

impl ExactOn {
    /// Both forms and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("canonical", Self::Canonical), ("raw", Self::Raw)];

    /// Returns the word for this form in `--exact-on`.
    #[cfg(feature = "lab")]
    pub(crate) fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }
}

impl NearMode {
    /// Every mode and its name.
    pub(crate) const NAMED: [(&'static str, Self); 4] =
        [("hybrid", Self::Hybrid), ("simhash", Self::SimHash), ("minhash", Self::MinHash), ("none", Self::None)];

    /// Returns the word for this mode in `--near`.
    #[cfg(feature = "cli")]
    pub(crate) fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }
}

impl Weights {
    /// Both weights and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("count", Self::Count), ("once", Self::Once)];
}

impl OnFull {
    /// Both actions and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("expire-oldest", Self::ExpireOldest), ("stop", Self::Stop)];
}

impl Shingle {
    /// Reads `word:2`, `char:3`.
    ///
    /// # Errors
    /// Returns a message with examples.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (kind, length) = text.split_once(':').unwrap_or((text, ""));
        match (kind, length.parse()) {
            ("word", Ok(length)) => Ok(Self::Words(length)),
            ("char", Ok(length)) => Ok(Self::Chars(length)),
            _ => Err(tr!("write word:2 or char:3, for example")),
        }
    }
}

impl fmt::Display for Shingle {
    /// Writes the shingle in the form that `parse` reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(length) => write!(f, "word:{length}"),
            Self::Chars(length) => write!(f, "char:{length}"),
        }
    }
}

/// Returns the value with this name.
///
/// # Errors
/// Returns a message with all names.
pub(super) fn value_of<T: Copy>(known: &[(&str, T)], name: &str) -> Result<T, String> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
        tr!("nothing is called `{name}`; there are {}", known.join(&tr!(", ")), name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_what_they_name() {
        assert!(NearMode::NAMED.iter().all(|(name, mode)| mode.name() == *name));
        assert!(ExactOn::NAMED.iter().all(|(name, form)| form.name() == *name));
    }

    #[test]
    fn shingles_as_people_write_them() {
        assert_eq!(Shingle::parse("word:2"), Ok(Shingle::Words(2)));
        assert_eq!(Shingle::parse("char:3"), Ok(Shingle::Chars(3)));
        assert!(["", "char", "char:x", "letter:2"].iter().all(|text| Shingle::parse(text).is_err()));
    }
}
