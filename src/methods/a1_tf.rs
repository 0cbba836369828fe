//! A1 · TF: the most frequent words.
//!
//! # What it keeps
//! 32 bits: the CRC32 of six words.
//!
//! # How it is made
//! The six most frequent content words of the text (ties: the first in the alphabet) are joined in alphabetical order with blanks. A text
//! with fewer words gives all of them.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! In a short text nearly every word occurs once, so the alphabet chooses. An edit that adds a word early in the alphabet changes the
//! signature; an edit after the sixth word of the alphabet does not.
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
