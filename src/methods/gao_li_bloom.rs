//! The Bloom filter of Gao & Li, judged on two texts alone.
//!
//! # What it keeps
//! Two numbers below 50 000: BKDR(s) mod m and AP(s) mod m, with m = 5·10^4 as in the paper's experiments on accuracy.
//!
//! # How it is made
//! The hashes are of the bytes of the canonical form, which the other methods see. The paper's own stage, on the text as it came, is
//! `quchong dedup --preset paper`.
//!
//! # When two are alike
//! One of the two marks is equal. This is the paper's rule taken literally: a text is a repeat if either mark is already set. A filter has
//! one bit vector for both hash functions. Here, a mark meets only marks of the same function, which halves the chance collisions.
//!
//! # Known weakness
//! Two texts collide by chance once in 25 000 pairs, and a filter compares each text with all earlier ones.
//!
//! # Reference
//! Gao & Li 2014, stage 1a; the filter itself is in [`exact::paper`](crate::exact::paper).

use super::checksum::Checksum;
use super::{Alike, Method, Paper, Signature};
use crate::fingerprint::textbook::{ap, bkdr};
use crate::locale::later;
use crate::text::normalise::canonical;

/// Size of the filter in bits.
const BITS: u32 = 50_000;

pub(super) const ROW: Method = Method {
    id: "Bloom",
    title: later("marks of a Bloom filter"),
    paper: Paper::GaoLi,
    alike: Alike::Slots(1),
    signer: |_| {
        Box::new(|document| {
            let text = canonical(document.text());
            let marks = [bkdr, ap].map(|hash| Some(Checksum::number(hash(text.as_bytes()) % BITS)));
            (!text.is_empty()).then(|| Signature::Slots(marks.to_vec()))
        })
    },
};
