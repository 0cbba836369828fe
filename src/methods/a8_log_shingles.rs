//! A8 · Log Shingles: one hash of a logarithmic sample of the shingles.
//!
//! # What it keeps
//! 64 bits.
//!
//! # How it is made
//! Shingles are runs of five content words, wrapping from the end to the beginning, so that each word begins one. For each power of two,
//! the sample takes the smallest shingle that is divisible by it: about log2(n) of n shingles. The signature is the hash of the sample in
//! ascending order. The paper says "the shingles divisible by powers of 2". All shingles divisible by one fixed power would be a share of
//! the shingles, not a logarithm of their number, so we keep one for each power.
//!
//! # When two are alike
//! The digests are equal, that is, the whole samples are.
//!
//! # Known weakness
//! A changed word changes five of n shingles. The sample stays the same only if it contains none of the old ones and none of the new ones
//! enters it; in a post of twenty words that is rare.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A8.

use super::checksum::Checksum;
use super::words::wrapped_shingles;
use super::{Alike, Method, Paper, Signature};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "A8",
    title: later("Log Shingles"),
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| {
        let hashes = collection.hashes();
        Box::new(move |document| {
            let shingles = wrapped_shingles(document.content.iter().map(|word| hashes[*word as usize]));
            let mut sample = logarithmic(shingles);
            sample.sort_unstable();
            sample.dedup();
            (!sample.is_empty()).then(|| Signature::Digest(Checksum::of_numbers(sample)))
        })
    },
};

/// For each power of two, starting with 1, returns the smallest number that is divisible by it, as long as there is one.
pub(super) fn logarithmic(numbers: Vec<u64>) -> Vec<u64> {
    let smallest = |power: u32| numbers.iter().copied().filter(|number| number.trailing_zeros() >= power).min();
    (0..=u64::BITS).map_while(smallest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_for_each_power() {
        assert_eq!(logarithmic(vec![5, 12, 6, 3, 40]), [3, 6, 12, 40]);
        assert!(logarithmic(Vec::new()).is_empty());
    }
}
