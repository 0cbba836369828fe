//! A1 · TF: the most frequent words.
//!
//! # What it keeps
//! 32 bits: the CRC32 of six words.
//!
//! # How it is made
//! The six content words that the text has most often (ties: the first in the alphabet), in alphabetical order, with
//! blanks between them. A text of fewer words gives all of them.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! In a short text nearly every word is there once, so the alphabet chooses: an edit that adds a word early in the alphabet
//! changes the signature, and any edit behind the sixth does not.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A1.

use super::words::heaviest_words;
use super::{Alike, Method, Paper};

pub(super) const ROW: Method = Method {
    id: "A1",
    title: "TF",
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| heaviest_words(collection, |_, _, tf| f64::from(tf)),
};
