//! K3 · means, and the variants with words alone or sentences alone.
//!
//! # What it keeps
//! Mean word length, mean sentence length, number of words and number of sentences, as their MD5. K3-words keeps the two numbers about
//! words, K3-sentences the two about sentences.
//!
//! # How it is made
//! The numbers are joined with `–`. The means, in characters and in words, are rounded to hundredths, in integer arithmetic. The paper
//! does not say how the means are rounded. A word is a run of letters and digits, in Chinese a word of the dictionary.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Short texts share four numbers by chance, while one added word changes all of them. The two numbers of a variant are shared even more
//! often.
//!
//! # Reference
//! Kosinov, K3 and its variants.

use super::words::profiled;
use super::{Alike, Collection, Document, Method, Paper};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "K3",
    title: later("means"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| profiled(move |document| profile(collection, document)),
};

pub(super) const WORDS: Method = Method {
    id: "K3-words",
    title: later("mean of the words"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        profiled(move |document| {
            let [of_words, _, words, _] = numbers(collection, document);
            format!("{of_words}–{words}")
        })
    },
};

pub(super) const SENTENCES: Method = Method {
    id: "K3-sentences",
    title: later("mean of the sentences"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        profiled(move |document| {
            let [_, of_sentences, _, sentences] = numbers(collection, document);
            format!("{of_sentences}–{sentences}")
        })
    },
};

/// Returns the profile, which K6 uses too.
pub(super) fn profile(collection: &Collection, document: &Document) -> String {
    numbers(collection, document).join("–")
}

/// Returns mean word length, mean sentence length, number of words, number of sentences.
fn numbers(collection: &Collection, document: &Document) -> [String; 4] {
    let characters = document.runs.iter().map(|word| collection.characters(*word)).sum();
    let (words, sentences) = (document.runs.len(), document.sentence_count());
    let mean = |sum: usize, of: usize| {
        let hundredths = (200 * sum + of) / (2 * of.max(1));
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    };
    [mean(characters, words), mean(words, sentences), words.to_string(), sentences.to_string()]
}
