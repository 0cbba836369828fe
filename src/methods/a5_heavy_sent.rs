//! A5 · Heavy Sent: the two sentences of largest weight.
//!
//! # What it keeps
//! 32 bits: the CRC32 of two sentences.
//!
//! # How it is made
//! The weight of a sentence is the sum of the A2 weights of its words, counted as often as they occur in it. In such a weight, tf is the
//! word's frequency in the document. The two heaviest sentences (ties: the first in the alphabet) are taken as their content words and
//! joined in alphabetical order, with blanks between all words.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Those of A4; also, the choice of sentences changes with the collection.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A5.

use super::collection::Word;
use super::words::{heaviest_sentences, okapi};
use super::{Alike, Method, Paper};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "A5",
    title: later("Heavy Sent"),
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| {
        heaviest_sentences(collection, |document, sentence| {
            let tf = |word: &Word| document.terms.binary_search_by_key(word, |(word, _)| *word).map_or(0, |at| document.terms[at].1);
            sentence.iter().map(|word| okapi(collection, document, *word, tf(word))).sum()
        })
    },
};
