//! A3 · TF*RIDF: the words that come in clumps.
//!
//! # What it keeps
//! 32 bits: the CRC32 of six words.
//!
//! # How it is made
//! The weight of a word is TF·RIDF with TF = 0.5 + 0.5·tf/tf_max and the residual IDF of Church & Gale,
//! RIDF = −ln(df/N) + ln(1 − e^(−cf/N)): how much rarer its documents are than if its occurrences were scattered by chance.
//! The six heaviest words (ties: the first in the alphabet) in alphabetical order, with blanks between them.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! A word that is never twice in a document (cf = df) has a residual near zero whatever its frequency. In short texts that is
//! nearly every word, and the small difference that is left favours the frequent ones.
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
