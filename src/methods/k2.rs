//! K2 · word lengths.
//!
//! # What it keeps
//! The number of words of each length, as its MD5.
//!
//! # How it is made
//! `length–count` for each length that a word has, ascending, joined with blanks. Every word counts. A word is a run of letters and
//! digits, in Chinese a word of the dictionary.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Replacing a word by another of the same length is not noticed. Chinese words have one to four characters: the profile is four numbers,
//! and short texts share it by chance.
//!
//! # Reference
//! Kosinov, K2.

use super::words::profiled;
use super::{Alike, Collection, Document, Method, Paper};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "K2",
    title: later("word lengths"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| profiled(move |document| profile(collection, document)),
};

/// Returns the profile, which K6 uses too.
pub(super) fn profile(collection: &Collection, document: &Document) -> String {
    let mut lengths: Vec<usize> = document.runs.iter().map(|word| collection.characters(*word)).collect();
    lengths.sort_unstable();
    let runs = lengths.chunk_by(|a, b| a == b).map(|run| format!("{}–{}", run[0], run.len()));
    runs.collect::<Vec<_>>().join(" ")
}
