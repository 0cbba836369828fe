//! The digit trie of Gao & Li, by the two hashes that theirs can be.
//!
//! # What it keeps
//! 32 bits: the magnitude |v| of the hash whose square is the path.
//!
//! # How it is made
//! The paper hashes a text by "the built-in hash function of Visual Studio 2010's C#", which is `String.GetHashCode` of .NET 4, and
//! inserts the decimal digits of its square into a trie. That hash is signed, so that v and −v have one square, and the same in
//! no two kinds of program: Trie takes that of 32 bits, for which Visual Studio 2010 compiles by default, Trie-x64 that of 64. It is
//! taken of the canonical form, which the other methods see; the paper's own stage, on the text as it came, is `quchong dedup
//! --preset paper --exact paper-trie`.
//!
//! # When two are alike
//! The magnitudes are equal. In the trie the digits of v² may also be the beginning of another text's, as 16 of 1600; that takes
//! a ninth more texts for repeats, see [`exact::paper::trie`](crate::exact::paper::trie).
//!
//! # Known weakness
//! The paper calls it 100 % accurate; 32 bits collide: 730 pairs among 2.5·10^6 texts, and twice as many for want of the sign. One
//! changed character makes another text.
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
