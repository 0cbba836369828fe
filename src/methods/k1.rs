//! K1 · punctuation.
//!
//! # What it keeps
//! Eleven counts, as their MD5.
//!
//! # How it is made
//! How often the text has each of `. , - _ : ; ! ? ( )` and the blank, full-width twins counted with them, in this order with
//! blanks between the numbers. The text is taken as it came. A text with none of the eleven is not signed: without that rule all
//! Chinese titles would be one, since Chinese has no blanks between words.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Anything with the same punctuation is the same text: high recall where words change and marks stay, and the lowest precision
//! of all. In Chinese the blank, most of the profile in other languages, is missing.
//!
//! # Reference
//! Kosinov, K1.

use super::words::md5;
use super::{Alike, Collection, Document, Method, Paper};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "K1",
    title: later("punctuation"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        Box::new(|document| document.punctuation.iter().any(|count| *count > 0).then(|| md5(&profile(collection, document))))
    },
};

/// The profile.
pub(super) fn profile(_: &Collection, document: &Document) -> String {
    document.punctuation.map(|count| count.to_string()).join(" ")
}
