//! K5 · sequence of word lengths.
//!
//! # What it keeps
//! The lengths of all words in order, as their MD5.
//!
//! # How it is made
//! The lengths in characters, joined with blanks. A word is a run of letters and digits, in Chinese a word of the dictionary.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Replacing a word by another of the same length is not noticed; adding a word is.
//!
//! # Reference
//! Kosinov, K5.

use super::words::profiled;
use super::{Alike, Collection, Document, Method, Paper};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "K5",
    title: later("sequence of word lengths"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| profiled(move |document| profile(collection, document)),
};

/// Returns the profile, which K6 uses too.
pub(super) fn profile(collection: &Collection, document: &Document) -> String {
    let lengths = document.runs.iter().map(|word| collection.characters(*word).to_string());
    lengths.collect::<Vec<_>>().join(" ")
}
