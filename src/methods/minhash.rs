//! The product's MinHash: minima of the body's character pairs.
//!
//! # What it keeps
//! 128 numbers of 32 bits.
//!
//! # How it is made
//! The wrapping is removed. In each of 128 random orders of all character pairs, the first pair of the body is kept.
//!
//! # When two are alike
//! At least half of the numbers are equal, which estimates a Jaccard similarity of 0.5, and one of 32 bands of four numbers is equal.
//!
//! # Known weakness
//! Order and repetition do not count, and small differences do not either: a long text with another number is the same text.
//!
//! # Reference
//! Broder 1997; Indyk & Motwani 1998; the measured thresholds are in [`near::minhash`](crate::near::minhash).

use super::{Alike, Method, Paper, Signature};
use crate::config::{Config, NearMode};
use crate::fingerprint::Printer;
use crate::locale::later;
use crate::near::banding::Banding;
use crate::text::Clean;

pub(super) const ROW: Method = Method {
    id: "MinHash-128",
    title: later("MinHash of character pairs"),
    paper: Paper::Broder,
    alike: Alike::MinHash(Banding { bands: 32, rows: 4, similarity: 500 }),
    signer: |_| {
        let printer = Printer::new(&Config::of(NearMode::MinHash));
        Box::new(move |document| {
            printer.print_text(&document.original, &mut Clean::default()).signature.map(Signature::MinHash)
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banding_is_the_products() {
        let Config { permutations, similarity, .. } = Config::of(NearMode::MinHash);
        let Alike::MinHash(banding) = ROW.alike else { panic!("another rule") };
        assert_eq!(banding, Banding::choose(permutations, similarity));
    }
}
