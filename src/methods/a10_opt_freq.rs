//! A10 · Opt Freq: the words closest to the best frequency.
//!
//! # What it keeps
//! 32 bits: the CRC32 of six words.
//!
//! # How it is made
//! The weight of a word is TF·IDF_opt with TF = 0.5 + 0.5·tf/tf_max and IDF = −ln(df/N). The best IDF is ln(10^6/10) ≈ 11.5: below it,
//! IDF_opt = sqrt(IDF/11.5); above it, 11.5/IDF. The six heaviest words (ties: the first in the alphabet) are joined in alphabetical order
//! with blanks.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! The best frequency is ten documents in a million. In a collection of fewer than 10^5 documents no word is as rare as that. There, the
//! weight only rises with rarity, as in A2, so typing errors come first.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A10.

use super::words::{half_frequency, heaviest_words};
use super::{Alike, Method, Paper};
use crate::locale::later;

/// The best IDF.
const BEST: f64 = 11.5;

pub(super) const ROW: Method = Method {
    id: "A10",
    title: later("Opt Freq"),
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| {
        heaviest_words(collection, |document, word, tf| {
            let idf = -(f64::from(collection.document_frequency(word)) / collection.size()).ln();
            half_frequency(document, tf) * if idf < BEST { (idf / BEST).sqrt() } else { BEST / idf }
        })
    },
};
