//! The digit trie of Gao & Li, with the two hashes that they may have used.
//!
//! # What it keeps
//! 32 bits: the magnitude |v| of the hash, whose square is the path in the trie.
//!
//! # How it is made
//! The paper hashes a text by "the built-in hash function of Visual Studio 2010's C#". This is `String.GetHashCode` of .NET 4. The paper
//! inserts the decimal digits of its square into a trie. The hash is signed, so v and −v have the same square. It differs between 32-bit
//! and 64-bit programs: Trie uses the 32-bit one, for which Visual Studio 2010 compiles by default; Trie-x64 uses the 64-bit one. The hash
//! is of the canonical form, which the other methods see. The paper's own stage, on the text as it came, is `quchong dedup --preset paper
//! --exact paper-trie`.
//!
//! # When two are alike
//! The magnitudes are equal. In the trie, the digits of v² may also be the beginning of another text's digits, as 16 is of 1600. That
//! makes a ninth more texts repeats; see [`exact::paper::trie`](crate::exact::paper::trie).
//!
//! # Known weakness
//! The paper calls it 100 % accurate, but 32 bits collide: 730 pairs among 2.5·10^6 texts, and twice as many because the sign is lost. One
//! changed character makes another hash.
//!
//! # Reference
//! Gao & Li 2014, stage 1b.

use super::checksum::Checksum;
use super::{Alike, Method, Paper, Signature, Signer};
use crate::fingerprint::textbook::{csharp_x64, csharp_x86};
use crate::locale::later;
use crate::text::normalise::canonical;

pub(super) const ROW: Method = Method {
    id: "Trie",
    title: later("digit trie, C# hash of 32 bits"),
    paper: Paper::GaoLi,
    alike: Alike::Equal,
    signer: |_| signer(csharp_x86),
};

pub(super) const X64: Method = Method {
    id: "Trie-x64",
    title: later("digit trie, C# hash of 64 bits"),
    paper: Paper::GaoLi,
    alike: Alike::Equal,
    signer: |_| signer(csharp_x64),
};

fn signer(hash: fn(&str) -> i32) -> Signer<'static> {
    Box::new(move |document| {
        let text = canonical(document.text());
        (!text.is_empty()).then(|| Signature::Digest(Checksum::number(hash(&text).unsigned_abs())))
    })
}
