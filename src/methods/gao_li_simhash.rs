//! SimHash as Gao & Li have it.
//!
//! # What it keeps
//! 64 bits.
//!
//! # How it is made
//! Each pair of consecutive words, stop words and all, is hashed to 64 bits; bit i of the fingerprint is 1 if more pairs have it
//! than have it not. A text of one word is that word. No weights, as in the paper's experiments.
//!
//! # When two are alike
//! The Hamming distance of the fingerprints is below 5.
//!
//! # Known weakness
//! Made for long documents: one changed word of a post of twenty moves two of nineteen votes for each bit, and more bits than
//! four. What a text says over and over outvotes the rest.
//!
//! # Reference
//! Gao & Li 2014, stage 2; Charikar 2002; Manku, Jain & Das Sarma 2007.

use super::{Alike, Method, Paper, Signature};
use crate::fingerprint::simhash;
use crate::locale::later;
use crate::text::shingle;

/// Words of a shingle.
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
