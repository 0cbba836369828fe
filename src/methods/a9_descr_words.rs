//! A9 · Descr Words: a vector of descriptor words.
//!
//! # What it keeps
//! The MD5 of a vector with one bit for each of up to 4000 descriptor words (500 bytes). A9-share keeps the numbers of the set bits.
//!
//! # How it is made
//! Bit i is set if the relative frequency tf/tf_max of word i in the text exceeds the word's own threshold. Near the threshold, an edit
//! could flip the bit. So a descriptor is better the fewer of its documents are within ±0.05 of the threshold. Thresholds are multiples of
//! one twentieth. Each word takes the one with the fewest near documents (ties: the lowest, which covers the most documents). Of the words
//! that occur in at least two documents, the 4000 with the smallest share of near documents are taken (ties: those that cover the most
//! documents). The papers instead drop the worst words in rounds. Dropping words does not change how good the others are, so the rounds
//! end with the same words. A text needs three set bits, because all texts would equal an empty vector.
//!
//! # When two are alike
//! The vectors are equal. Sharapova compares them by the share of agreeing bits; this is A9-share: at least 0.85 of the bits that are set
//! in either vector are set in both. Unset bits are not counted: a post has a dozen of the 4000 bits, so any two posts agree in more than
//! 99 % of all bits. The paper names no least share; 0.85 is the similarity that it and its sources require of near duplicates.
//!
//! # Known weakness
//! Only common words count: a text with another name or number has the same signature. Descriptors must be chosen again if the topics of
//! the collection change.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A9; Ilyinsky, Kuzmin, Melkov & Segalovich 2002; Sharapova's descriptor words.

use super::checksum::Checksum;
use super::collection::{Collection, Document, Word};
use super::words::ENOUGH;
use super::{Alike, Method, Paper, Signature};
use crate::locale::later;

/// Most descriptor words.
const DESCRIPTORS: usize = 4000;
/// Steps per unit of a threshold. A document is near a threshold if it is within one step of it.
const STEPS: usize = 20;

pub(super) const ROW: Method = Method {
    id: "A9",
    title: later("Descr Words"),
    paper: Paper::Zelenkov,
    alike: Alike::Equal,
    signer: |collection| {
        let descriptors = descriptors(collection);
        Box::new(move |document| {
            let mut vector = [0_u8; DESCRIPTORS / 8];
            set_bits(document, &descriptors)?.iter().for_each(|at| vector[at / 8] |= 1 << (at % 8));
            Some(Signature::Digest(Checksum::md5(&vector)))
        })
    },
};

pub(super) const SHARE: Method = Method {
    id: "A9-share",
    title: later("Descr Words by share"),
    paper: Paper::Sharapova,
    alike: Alike::Bits(850),
    signer: |collection| {
        let descriptors = descriptors(collection);
        Box::new(move |document| {
            let mut bits: Vec<u32> = set_bits(document, &descriptors)?.into_iter().map(|at| at as u32).collect();
            bits.sort_unstable();
            Some(Signature::Bits(bits))
        })
    },
};

/// Returns the numbers of the bits that a document has set; `None` if they are too few.
fn set_bits(document: &Document, descriptors: &[Option<(usize, usize)>]) -> Option<Vec<usize>> {
    let most = document.most_frequent as usize;
    let is_over = |(word, tf): &(Word, u32)| {
        let (at, threshold) = descriptors[*word as usize]?;
        (*tf as usize * STEPS > threshold * most).then_some(at)
    };
    let set: Vec<usize> = document.terms.iter().filter_map(is_over).collect();
    (set.len() >= ENOUGH).then_some(set)
}

/// A word with its quality as a descriptor.
struct Candidate {
    word: Word,
    /// Its best threshold, in steps.
    threshold: usize,
    /// Documents near the threshold, in thousandths of the documents that have the word.
    unsure: u32,
    /// Number of documents above the threshold.
    covered: u32,
}

/// By word: its bit number and its threshold in steps, if it is a descriptor.
fn descriptors(collection: &Collection) -> Vec<Option<(usize, usize)>> {
    // By word: the number of documents at each relative frequency, in steps. Frequencies are rounded up, so a document is above a
    // threshold exactly if its steps are.
    let mut spread = vec![[0_u32; STEPS + 1]; collection.vocabulary_size()];
    for document in &collection.documents {
        let most = document.most_frequent as usize;
        for (word, tf) in &document.terms {
            spread[*word as usize][(*tf as usize * STEPS).div_ceil(most)] += 1;
        }
    }
    let often = (0..).zip(&spread).filter(|(word, _)| collection.document_frequency(*word) > 1);
    let mut candidates: Vec<Candidate> = often.map(|(word, spread)| candidate(word, spread)).collect();
    candidates.sort_by_key(|word| (word.unsure, std::cmp::Reverse(word.covered)));
    let mut descriptors = vec![None; collection.vocabulary_size()];
    for (at, candidate) in candidates.iter().take(DESCRIPTORS).enumerate() {
        descriptors[candidate.word as usize] = Some((at, candidate.threshold));
    }
    descriptors
}

fn candidate(word: Word, spread: &[u32; STEPS + 1]) -> Candidate {
    // A document is within a step of a threshold if it is in the step up to it or in the step above it.
    let near = |threshold: &usize| spread[*threshold] + spread[threshold + 1];
    let threshold = (1..STEPS).min_by_key(near).unwrap_or(1);
    let documents: u32 = spread.iter().sum();
    let covered = spread[threshold + 1..].iter().sum();
    Candidate { word, threshold, unsure: near(&threshold) * 1000 / documents.max(1), covered }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_keeps_away_from_the_documents() {
        let mut spread = [0; STEPS + 1];
        (spread[1], spread[2], spread[20]) = (1, 3, 6);
        let word = candidate(0, &spread);
        assert_eq!((word.threshold, word.unsure, word.covered), (3, 0, 6));
    }
}
