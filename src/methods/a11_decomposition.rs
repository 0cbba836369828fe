//! A11 · Decomposition: the texts themselves, compared if they share a shingle.
//!
//! # What it keeps
//! The content words, and the hash of each shingle of five of them. A text with fewer words is one shingle.
//!
//! # How it is made
//! For each shingle there is a record of shingle, document and length. Records are grouped by shingle and sorted by length. A group is cut
//! into chains where neighbouring lengths differ by more than a ratio of 1.15. Pairs are compared within their chain, each once.
//!
//! # When two are alike
//! They share a shingle, their lengths are within the ratio, and the similarity 2·LCS/(|a| + |b|) of their content words is at least 0.85,
//! the similarity that the ratio is designed for. The paper uses the similarity of its truth here, but does not say in which unit. We use
//! words, because the other methods see words.
//!
//! # Known weakness
//! It keeps everything and compares much. Texts that differ in every fifth word share no shingle. Short texts with one edit are below
//! 0.85.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A11: "practically 100 %" in precision and recall, since their truth is that similarity.

use super::words::shingles;
use super::{Alike, Method, Paper, Signature};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "A11",
    title: later("decomposition"),
    paper: Paper::Zelenkov,
    alike: Alike::Sequence(850),
    signer: |collection| {
        let hashes = collection.hashes();
        Box::new(move |document| {
            let words: Vec<u64> = document.content.iter().map(|word| hashes[*word as usize]).collect();
            let mut shingles = shingles(words.iter().copied());
            shingles.sort_unstable();
            shingles.dedup();
            (!words.is_empty()).then_some(Signature::Text { words, shingles })
        })
    },
};
