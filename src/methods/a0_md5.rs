//! A0 · MD5 of the whole text.
//!
//! # What it keeps
//! 128 bits: the MD5 of the text.
//!
//! # How it is made
//! The text is first brought to its canonical form (case, width, traditional script, blanks, invisible characters). Sharapova also removes
//! formatting and encoding before a checksum, and the other methods of the catalogue see the same form.
//!
//! # When two are alike
//! The digests are equal. A text without visible characters is not signed.
//!
//! # Known weakness
//! One changed character makes another digest: precision is 1.00, and recall is the lowest of all.
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
