//! A0 · MD5 of the whole text.
//!
//! # What it keeps
//! 128 bits: the MD5 of the text.
//!
//! # How it is made
//! The text is levelled to its canonical form first (case, width, traditional script, blanks, invisible characters): Sharapova
//! has formatting and encoding taken away before a checksum, and the other methods of the catalogue see the same form.
//!
//! # When two are alike
//! The digests are equal. The text of a document must have something visible.
//!
//! # Known weakness
//! One changed character makes another text: precision 1.00, the lowest recall of all.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A0; Sharapova's checksum.

use super::checksum::Checksum;
use super::{Alike, Method, Paper, Signature};
use crate::text::normalise::canonical;

pub(super) const ROW: Method = Method {
    id: "A0",
    title: "MD5",
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |_| {
        Box::new(|document| {
            let text = canonical(document.text());
            (!text.is_empty()).then(|| Signature::Digest(Checksum::md5(text.as_bytes())))
        })
    },
};
