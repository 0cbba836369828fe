//! The choices that Gao & Li 2014 leave open in their exact stage.

use serde::{Deserialize, Serialize};

/// The condition under which the paper's Bloom filter calls a text a repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BloomRule {
    /// If all its marks are set (Bloom 1970). The filter always sets the marks.
    All,
    /// If any of its marks is set (Gao & Li 2014). The filter sets the marks only if none was set.
    Any,
}

/// The 32-bit hash that [`ExactMode::PaperTrie`](super::ExactMode::PaperTrie) squares. The paper's hash is "the built-in hash
/// function of Visual Studio 2010's C#": `String.GetHashCode` of .NET 4. It is signed, so v and −v have the same square. It
/// differs between 32-bit and 64-bit programs. The C# hashes have no [seed](super::Config::seed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrieHash {
    /// The hash of a 32-bit program, the default target of Visual Studio 2010.
    CsharpX86,
    /// The hash of a 64-bit program.
    CsharpX64,
    /// The same as [`CsharpX86`](Self::CsharpX86), read without a sign.
    CsharpX86Unsigned,
    /// The same as [`CsharpX64`](Self::CsharpX64), read without a sign.
    CsharpX64Unsigned,
    /// A part of the keyed digest, whose values are evenly distributed.
    Keyed,
}
