//! K3 · means.
//!
//! # What it keeps
//! Mean word length, mean sentence length, number of words and number of sentences, as their MD5.
//!
//! # How it is made
//! The four with `–` between them; the means, in characters and in words, are rounded to hundredths by whole numbers. The paper
//! does not say how the means are rounded.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Four numbers: short texts share them by chance, one added word changes all of them.
//!
//! # Reference
//! Kosinov, K3.

use super::words::profiled;
use super::{Alike, Collection, Document, Method, Paper};

pub(super) const ROW: Method = Method {
    id: "K3",
    title: "means",
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| profiled(move |document| profile(collection, document)),
};

/// The profile.
pub(super) fn profile(collection: &Collection, document: &Document) -> String {
    let characters = document.words.iter().map(|word| collection.characters(*word)).sum();
    let (words, sentences) = (document.words.len(), document.sentence_count());
    let mean = |sum: usize, of: usize| {
        let hundredths = (200 * sum + of) / (2 * of.max(1));
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    };
    format!("{}–{}–{words}–{sentences}", mean(characters, words), mean(words, sentences))
}
