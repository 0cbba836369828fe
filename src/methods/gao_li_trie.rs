//! The digit trie of Gao & Li.
//!
//! # What it keeps
//! 32 bits: the hash v whose square is the path.
//!
//! # How it is made
//! v is the BKDR hash of the text in its canonical form; the paper inserts the decimal digits of v² into a trie. It does not say
//! which hash; BKDR is the first of its two. Different numbers of 32 bits have different squares, so that v says as much.
//!
//! # When two are alike
//! The hashes are equal. In the trie the digits of v² may also be the beginning of another text's, as 16 of 1600; that takes
//! a ninth more texts for repeats, see [`exact::paper::trie`](crate::exact::paper::trie).
//!
//! # Known weakness
//! The paper calls it 100 % accurate; 32 bits collide: 730 pairs among 2.5·10^6 texts. One changed character makes another
//! text.
//!
//! # Reference
//! Gao & Li 2014, stage 1b.

use super::checksum::Checksum;
use super::{Alike, Method, Paper, Signature};
use crate::exact::paper::bkdr;
use crate::text::normalise::canonical;

pub(super) const ROW: Method = Method {
    id: "Trie",
    title: "digit trie",
    paper: Paper::GaoLi,
    alike: Alike::Equal,
    signer: |_| {
        Box::new(|document| {
            let text = canonical(document.text());
            (!text.is_empty()).then(|| Signature::Digest(Checksum::number(bkdr(text.as_bytes()))))
        })
    },
};
