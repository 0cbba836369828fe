//! A2 · TF*IDF: the most characteristic words of the text.
//!
//! # What it keeps
//! 32 bits: the CRC32 of six words.
//!
//! # How it is made
//! The weight of a word is TF·IDF with TF = tf / (2·(0.25 + 0.75·dl/dl_avg) + tf) (Okapi, k = 2, b = 0.75) and IDF =
//! ln((N − df + 0.5)/(df + 0.5)). Lengths are in content words. The six heaviest words (ties: the first in the alphabet) are joined in alphabetical order with
//! blanks.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! The rarest words are typing errors, names of reposters and links, so words added by an edit weigh the most. Signatures change with the
//! collection. In a small collection, words may occur in more than half of the documents. Then IDF is below zero, and a word weighs less
//! the more often it occurs.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A2.

use super::words::{heaviest_words, okapi};
use super::{Alike, Method, Paper};

pub(super) const ROW: Method = Method {
    id: "A2",
    title: "TF*IDF",
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| {
        heaviest_words(collection, |document, word, tf| okapi(collection, document, word, tf))
    },
};
