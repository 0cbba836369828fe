//! K6 · K1 to K5 together.
//!
//! # What it keeps
//! All five profiles, as one MD5.
//!
//! # How it is made
//! The profiles of K1 to K5, joined with line breaks. A text without words is not signed.
//!
//! # When two are alike
//! The digests are equal, that is, all five profiles are.
//!
//! # Known weakness
//! It is stricter than each of its parts: it finds a pair only if all five profiles are equal.
//!
//! # Reference
//! Kosinov, K6.

use super::words::profiled;
use super::{Alike, Collection, Document, Method, Paper, k1, k2, k3, k4, k5};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "K6",
    title: later("K1 to K5"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        let profiles: [fn(&Collection, &Document) -> String; 5] = [k1::profile, k2::profile, k3::profile, k4::profile, k5::profile];
        profiled(move |document| profiles.map(|profile| profile(collection, document)).join("\n"))
    },
};
