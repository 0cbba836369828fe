//! What the exact stage of Gao & Li 2014 leaves to choose.

use serde::{Deserialize, Serialize};

/// When a Bloom filter calls a text a repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BloomRule {
    /// All marks are set (Bloom 1970). The marks are set in any case.
    All,
    /// Any mark is set (Gao & Li 2014). The marks are set only if none was.
    Any,
}

/// The hash of 32 bits that [`ExactMode::PaperTrie`](super::ExactMode::PaperTrie) squares. The paper's is "the built-in hash function of Visual Studio 2010's C#":
/// `String.GetHashCode` of .NET 4, which is signed, so that v and −v have one square, and differs between programs of 32 and of 64
/// bits. The C# hashes know no [seed](super::Config::seed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrieHash {
    /// That of a program of 32 bits, for which Visual Studio 2010 compiles by default.
    CsharpX86,
    /// That of a program of 64 bits.
    CsharpX64,
    /// The same as [`CsharpX86`](Self::CsharpX86), read without a sign.
    CsharpX86Unsigned,
    /// The same as [`CsharpX64`](Self::CsharpX64), read without a sign.
    CsharpX64Unsigned,
    /// A part of the keyed digest: as even as a hash can be.
    Keyed,
}
