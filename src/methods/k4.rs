//! K4 · words with their counts, and the variant with rounded shares.
//!
//! # What it keeps
//! The distinct words of the text with their counts, as their MD5.
//!
//! # How it is made
//! `word–count` for each word, in alphabetical order, with blanks between them; every word counts. The variant K4-rounded has
//! tf/tf_max rounded to one decimal in place of the count. The paper says "normalised", not by what: by the number of words,
//! every share in a text of more than twenty would round to 0.0 and the profile be a set of words.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Only the order of the words may change: next to MD5 the strictest profile.
//!
//! # Reference
//! Kosinov, K4 and its variant.

use super::collection::counted;
use super::words::profiled;
use super::{Alike, Collection, Document, Method, Paper};

pub(super) const ROW: Method = Method {
    id: "K4",
    title: "words with counts",
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| profiled(move |document| profile(collection, document)),
};

pub(super) const ROUNDED: Method = Method {
    id: "K4-rounded",
    title: "words with rounded shares",
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        profiled(move |document| {
            let most = counted(&document.words).iter().map(|(_, tf)| *tf).max().unwrap_or(1);
            listed(collection, document, |tf| {
                let tenths = (20 * tf + most) / (2 * most);
                format!("{}.{}", tenths / 10, tenths % 10)
            })
        })
    },
};

/// The profile.
pub(super) fn profile(collection: &Collection, document: &Document) -> String {
    listed(collection, document, |tf| tf.to_string())
}

fn listed(collection: &Collection, document: &Document, number: impl Fn(u32) -> String) -> String {
    let words = counted(&document.words);
    let words = words.iter().map(|(word, tf)| format!("{}–{}", collection.spelled(*word), number(*tf)));
    words.collect::<Vec<_>>().join(" ")
}
