//! A4 · Long Sent: the two longest sentences.
//!
//! # What it keeps
//! 32 bits: the CRC32 of two sentences.
//!
//! # How it is made
//! The two sentences with the most content words (ties: the first in the alphabet) are taken as their content words and joined in
//! alphabetical order, with blanks between all words. A text of one sentence gives that one.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Two texts that quote the same two long sentences are alike whatever else they say. One changed word in either sentence makes them
//! different. A post is often one sentence; then the signature is the digest of its words.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A4: the best of their simple methods.

use super::words::heaviest_sentences;
use super::{Alike, Method, Paper};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "A4",
    title: later("Long Sent"),
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| heaviest_sentences(collection, |_, sentence| sentence.len() as f64),
};
