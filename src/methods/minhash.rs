//! MinHash of the product: minima of the body's character pairs.
//!
//! # What it keeps
//! 128 numbers of 32 bits.
//!
//! # How it is made
//! The wrapping comes off; in each of 128 random orders of all pairs of characters the first one that the body has.
//!
//! # When two are alike
//! At least half of the numbers are equal, which estimates a Jaccard similarity of 0.5, and so is one of 32 bands of four.
//!
//! # Known weakness
//! Order and repetition do not count, nor does what differs: another number in a long text is the same text.
//!
//! # Reference
//! Broder 1997; Indyk & Motwani 1998; [`near::minhash`](crate::near::minhash) has the thresholds, measured.

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
    alike: Alike::Share(Banding { bands: 32, rows: 4, similarity: 500 }),
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
        let Alike::Share(banding) = ROW.alike else { panic!("another rule") };
        assert_eq!(banding, Banding::choose(permutations, similarity));
    }
}
