//! The Bloom filter of Gao & Li, as it sees two texts alone.
//!
//! # What it keeps
//! Two numbers below 50 000: BKDR(s) mod m and AP(s) mod m, m = 5·10^4 being the paper's filter for its experiments on accuracy.
//!
//! # How it is made
//! From the bytes of the text in its canonical form, which the other methods see; the paper's own stage, on the text as it came, is
//! `quchong dedup --preset paper`.
//!
//! # When two are alike
//! One of the two marks is equal: the paper's rule, literally, takes a text for a repeat if either mark is set already. A
//! filter has one vector for both hash functions; here a mark only meets its like, which halves the chance collisions.
//!
//! # Known weakness
//! Two texts collide by chance once in 25 000 pairs, and a filter holds each text against all before it.
//!
//! # Reference
//! Gao & Li 2014, stage 1a; [`exact::paper`](crate::exact::paper) has the filter itself.

use super::checksum::Checksum;
use super::{Alike, Method, Paper, Signature};
use crate::fingerprint::textbook::{ap, bkdr};
use crate::locale::later;
use crate::text::normalise::canonical;

/// Bits of the filter.
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
