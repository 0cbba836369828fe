//! SimHash as Gao & Li define it.
//!
//! # What it keeps
//! 64 bits.
//!
//! # How it is made
//! Each pair of consecutive words, including stop words, is hashed to 64 bits. Bit i of the fingerprint is 1 if it is set in more than
//! half of the pairs. A text of one word is hashed as that word. There are no weights, as in the paper's experiments.
//!
//! # When two are alike
//! The Hamming distance of the fingerprints is below 5.
//!
//! # Known weakness
//! It was made for long documents. In a post of twenty words, one changed word changes two of nineteen votes on each bit, which flips more
//! than four bits. Repeated parts of a text outvote the rest.
//!
//! # Reference
//! Gao & Li 2014, stage 2; Charikar 2002; Manku, Jain & Das Sarma 2007.

use super::{Alike, Method, Paper, Signature};
use crate::fingerprint::simhash;
use crate::locale::later;
use crate::text::shingle;

/// Words per shingle.
const PAIR: usize = 2;

pub(super) const ROW: Method = Method {
    id: "SimHash",
    title: later("SimHash of word pairs"),
    paper: Paper::GaoLi,
    alike: Alike::Distance(4),
    signer: |collection| {
        let hashes = collection.hashes();
        Box::new(move |document| {
            let words: Vec<u64> = document.words.iter().map(|word| hashes[*word as usize]).collect();
            let mut pairs = Vec::new();
            shingle::shingles(&words, PAIR, &mut pairs);
            simhash(&pairs).map(Signature::Fingerprint)
        })
    },
};
