//! A7 · Lex Rand: I-Match with eleven lexicons; and plain I-Match, with one.
//!
//! # What it keeps
//! Eleven SHA-1 digests; I-Match keeps only the first.
//!
//! # How it is made
//! The lexicon holds the content words of middle IDF: at least N^0.1 and at most N^0.8 of N documents have the word, that is, the
//! normalised IDF ln(N/df)/ln N is from 0.2 to 0.9. The papers do not say where the middle ends. Ten further lexicons each lack a random
//! third of those words (p = 0.33, K = 10 as recommended). For each lexicon, the digest is of the distinct words of the text that are in
//! the lexicon, in alphabetical order, joined with blanks. As in Sharapova's paper, a digest needs enough words, here three, because two
//! words say too little about a text.
//!
//! # When two are alike
//! One digest is equal, compared lexicon by lexicon; for I-Match, the only digest.
//!
//! # Known weakness
//! Repetition, order and rare words do not count: a text with another name or number has the same signature. Texts of a few common words
//! give sets of three words, which equal many others: the shorter the texts, the lower the precision. A small collection has no middle: in
//! a collection of two equal texts, both have every word, 2 > 2^0.8, and neither is signed.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A7; Kołcz, Chowdhury & Alspector 2004; I-Match: Chowdhury et al. 2002, and Sharapova.

use super::checksum::Checksum;
use super::collection::{Collection, Word};
use super::words::ENOUGH;
use super::{Alike, Method, Paper, Signature};
use crate::locale::later;

/// Number of randomised lexicons besides the whole one.
const RANDOMISED: u64 = 10;
/// Percentage of words that each of them lacks.
const REMOVED: u64 = 33;

pub(super) const ROW: Method = Method {
    id: "A7",
    title: later("Lex Rand"),
    paper: Paper::Zelenkov,
    alike: Alike::Slots(1),
    signer: |collection| {
        let sign = signer(collection, 1 + RANDOMISED);
        Box::new(move |document| sign(&document.terms).map(Signature::Slots))
    },
};

pub(super) const I_MATCH: Method = Method {
    id: "I-Match",
    title: later("I-Match"),
    paper: Paper::Sharapova,
    alike: Alike::Equal,
    signer: |collection| {
        let sign = signer(collection, 1);
        Box::new(move |document| sign(&document.terms)?.into_iter().flatten().next().map(Signature::Digest))
    },
};

type Terms = [(Word, u32)];

/// Returns a function that computes the digests for the whole lexicon and for `lexicons` − 1 randomised ones; it returns `None` if there
/// is no digest.
fn signer(collection: &Collection, lexicons: u64) -> impl Fn(&Terms) -> Option<Vec<Option<Checksum>>> + Sync {
    let [least, most] = collection.choices.lexicon.map(|power| collection.size().powf(power));
    // By word: the lexicons that have it, one bit for each.
    let lexicon = |(word, hash): (Word, u64)| {
        let df = f64::from(collection.document_frequency(word));
        let has = |lexicon: &u64| *lexicon == 0 || mixed(hash, *lexicon) % 100 >= REMOVED;
        let bits = (0..lexicons).filter(has).fold(0_u16, |bits, lexicon| bits | 1 << lexicon);
        if (least..=most).contains(&df) { bits } else { 0 }
    };
    let members: Vec<u16> = (0..).zip(collection.hashes()).map(lexicon).collect();
    move |terms| {
        let digest = |lexicon: u64| {
            let words = terms.iter().map(|(word, _)| word).filter(|word| members[**word as usize] >> lexicon & 1 == 1);
            let words: Vec<&Word> = words.collect();
            (words.len() >= ENOUGH).then(|| Checksum::sha1(collection.joined(words).as_bytes()))
        };
        let digests: Vec<_> = (0..lexicons).map(digest).collect();
        digests.iter().any(Option::is_some).then_some(digests)
    }
}

/// A random number for a word and a lexicon, the same in every collection.
fn mixed(hash: u64, lexicon: u64) -> u64 {
    crate::hash::XxHash3_64::oneshot_with_seed(lexicon, &hash.to_le_bytes())
}
