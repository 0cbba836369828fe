//! A9 · Descr Words: a vector of descriptor words.
//!
//! # What it keeps
//! A bit for each of up to 4000 descriptor words (500 bytes), as its MD5; A9-share keeps the numbers of the bits that are set.
//!
//! # How it is made
//! Bit i is set if the relative frequency tf/tf_max of word i in the text exceeds the word's own threshold. A descriptor is the
//! better, the fewer of its documents lie within ±0.05 of the threshold, where an edit could tip the bit; so each word takes,
//! of thresholds in twentieths, the one with the fewest (the lowest of equals, which covers the most documents), and of the
//! words that two documents have the 4000 of the smallest share of such documents are taken, of equals those that cover the
//! most documents. The papers drop the worst words in rounds; what is dropped does not change how good the others are, so
//! the rounds end with the same words. A text needs three set bits: to an empty vector all texts are equal.
//!
//! # When two are alike
//! The vectors are equal. Sharapova compares them by the share of agreeing bits, which is A9-share: at least 0.85 of the bits that
//! either has are set in both. Of all 4000 bits a post has a dozen, so that any two agree in more than 99 %: the share is over the
//! set bits. The paper names no least share; 0.85 is the similarity that it and its sources ask of near duplicates.
//!
//! # Known weakness
//! What the text says beside its common words is not seen: another name or number is the same text. Descriptors must be
//! chosen again when the collection changes what it is about.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A9; Ilyinsky, Kuzmin, Melkov & Segalovich 2002; Sharapova's descriptor words.

use super::checksum::Checksum;
use super::collection::{Collection, Document, Word};
use super::words::ENOUGH;
use super::{Alike, Method, Paper, Signature};
use crate::locale::later;

/// Descriptor words.
const DESCRIPTORS: usize = 4000;
/// Steps of a threshold. A document is near one if it lies within a step of it.
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

/// The numbers of the bits that a document has set; none if they are too few.
fn set_bits(document: &Document, descriptors: &[Option<(usize, usize)>]) -> Option<Vec<usize>> {
    let most = document.most_frequent as usize;
    let is_over = |(word, tf): &(Word, u32)| {
        let (at, threshold) = descriptors[*word as usize]?;
        (*tf as usize * STEPS > threshold * most).then_some(at)
    };
    let set: Vec<usize> = document.terms.iter().filter_map(is_over).collect();
    (set.len() >= ENOUGH).then_some(set)
}

/// How a word does as a descriptor.
struct Candidate {
    word: Word,
    /// Threshold in steps.
    threshold: usize,
    /// Documents near the threshold, in thousandths of those that have the word.
    unsure: u32,
    /// Documents above it.
    covered: u32,
}

/// By word: its bit and its threshold in steps, if it is a descriptor.
fn descriptors(collection: &Collection) -> Vec<Option<(usize, usize)>> {
    // By word: how many documents have which relative frequency, in steps rounded up, so that a document is above a threshold
    // if its steps are.
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
    // Those within a step: in the step up to the threshold and in the one above it.
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
