//! A6 · Megashingles: min-wise sketches of the shingles, combined twice.
//!
//! # What it keeps
//! Fifteen 64-bit numbers, the megashingles: one for each pair of six supershingles.
//!
//! # How it is made
//! The shingles are all runs of five content words. In each of 36 random orders, the first shingle of the text is the minimum. Each of six
//! groups of six minima is hashed to a supershingle, and each of the 15 pairs of supershingles to a megashingle. A6-84 is the original of
//! Fetterly, Manasse & Najork 2003: 84 orders, six groups of fourteen. Here, shingles are hashed by XXH3 and orders are multiply-shift, as
//! in the product's MinHash; the papers use Karp–Rabin fingerprints and random polynomials. Both stand in for a random function. A text
//! with fewer than five words is one shingle.
//!
//! # When two are alike
//! One megashingle is equal, that is, two groups of minima agree. If the shingles have a Jaccard similarity J, a group agrees with the
//! probability p = J^6 (J^14 with 84 functions), and two of six with 1 − (1 − p)^6 − 6p(1 − p)^5. So J = 0.95 is found with probability
//! 0.994 (0.879), and J = 0.8 with 0.495 (0.026). The .42 and .90 that the paper prints for J = 0.8 and 0.95 are mistakes.
//!
//! # Known weakness
//! One changed word changes up to five shingles. In a post of twenty content words a single edit leaves J ≈ 0.5, which is hardly ever
//! found.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A6; Fetterly, Manasse & Najork 2003; Broder 1997; Sharapova's megashingles have 84 functions.

use super::checksum::Checksum;
use super::words::shingles;
use super::{Alike, Collection, Method, Paper, Signature, Signer};
use crate::fingerprint::minhash::Orders;
use crate::locale::later;

/// Number of supershingles.
const GROUPS: usize = 6;

pub(super) const FUNCTIONS_36: Method = Method {
    id: "A6-36",
    title: later("Megashingles, 36 functions"),
    paper: Paper::Zelenkov,
    alike: Alike::Slots(1),
    signer: |collection| signer(collection, 36),
};

pub(super) const FUNCTIONS_84: Method = Method {
    id: "A6-84",
    title: later("Megashingles, 84 functions"),
    paper: Paper::Zelenkov,
    alike: Alike::Slots(1),
    signer: |collection| signer(collection, 84),
};

fn signer(collection: &Collection, functions: usize) -> Signer<'_> {
    let orders = Orders::new(functions);
    let hashes = collection.hashes();
    Box::new(move |document| {
        let minima = orders.sign(&shingles(document.content.iter().map(|word| hashes[*word as usize])))?;
        let supers: Vec<Checksum> =
            minima.chunks(functions / GROUPS).map(|group| Checksum::of_numbers(group.iter().copied())).collect();
        let pairs = supers.iter().enumerate().flat_map(|(at, a)| supers[at + 1..].iter().map(move |b| (a, b)));
        Some(Signature::Slots(pairs.map(|(a, b)| Some(Checksum::of_both(a, b))).collect()))
    })
}
