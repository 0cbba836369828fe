//! A11 · Decomposition: the texts themselves, compared where they share a shingle.
//!
//! # What it keeps
//! The content words, and the hash of each shingle of five of them; a text of fewer words is one shingle.
//!
//! # How it is made
//! A record of shingle, document and length for each shingle. Records are grouped by shingle and sorted by length; a group falls
//! into chains where neighbouring lengths differ by more than a ratio of 1.15, and pairs are compared within their chain, each
//! once.
//!
//! # When two are alike
//! They share a shingle, their lengths are within the ratio, and the similarity 2·LCS/(|a| + |b|) of their content words is
//! at least 0.85, the similarity that the ratio is made for. The paper takes the similarity of its truth here; on what unit it
//! does not say, and words are what the other methods see.
//!
//! # Known weakness
//! It keeps everything and compares much. Texts that differ in every fifth word share no shingle; short ones with one edit are
//! below 0.85.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A11: "practically 100 %" in precision and recall, the similarity being their truth.

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
