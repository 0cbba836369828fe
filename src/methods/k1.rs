//! K1 · punctuation.
//!
//! # What it keeps
//! Eleven counts, as their MD5.
//!
//! # How it is made
//! Counts how often the text has each of `. , - _ : ; ! ? ( )` and the blank, together with their full-width forms. The counts are joined
//! in this order with blanks. The text is taken as it came. A text with none of the eleven is not signed. Otherwise all Chinese titles
//! would be alike, since Chinese has no blanks between words.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! All texts with the same punctuation are alike. Recall is high if words change and punctuation stays; precision is the lowest of all.
//! Chinese texts lack the blank, which is most of the profile in other languages.
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

/// Returns the profile, which K6 uses too.
pub(super) fn profile(_: &Collection, document: &Document) -> String {
    document.punctuation.map(|count| count.to_string()).join(" ")
}
