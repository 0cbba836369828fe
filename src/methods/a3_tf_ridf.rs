//! A3 · TF*RIDF: the words that occur in clusters.
//!
//! # What it keeps
//! 32 bits: the CRC32 of six words.
//!
//! # How it is made
//! The weight of a word is TF·RIDF with TF = 0.5 + 0.5·tf/tf_max and the residual IDF of Church & Gale, RIDF = −ln(df/N) + ln(1 −
//! e^(−cf/N)). It says how much rarer the word's documents are than if its occurrences were scattered at random. The six heaviest words
//! (ties: the first in the alphabet) are joined in alphabetical order with blanks.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! A word that never occurs twice in a document (cf = df) has a residual near zero at any frequency. In short texts that is nearly every
//! word, and the small remaining difference favours the frequent ones.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A3.

use super::words::{half_frequency, heaviest_words};
use super::{Alike, Method, Paper};

pub(super) const ROW: Method = Method {
    id: "A3",
    title: "TF*RIDF",
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| {
        heaviest_words(collection, |document, word, tf| {
            let share = f64::from(collection.document_frequency(word)) / collection.size();
            let mean = collection.collection_frequency(word) as f64 / collection.size();
            half_frequency(document, tf) * (-share.ln() + (-(-mean).exp_m1()).ln())
        })
    },
};
