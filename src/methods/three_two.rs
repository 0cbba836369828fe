//! "3+2": five sentences and five words, chosen by the most frequent words of the text.
//!
//! # What it keeps
//! Up to ten CRC32s, the length of the text and the number of its sentences.
//!
//! # How it is made
//! The dictionary holds the ten most frequent content words (ties: the longer, then the first in the alphabet). The first three sentences
//! are those with the most different dictionary words (ties: the longer, then by the checksum); the other two are the longest of the rest.
//! The words are the first three of the dictionary, and the longest other words up to five. A text with fewer than five different
//! sentences keeps all of them, by length, and the five longest words, as in "3+5".
//!
//! The paper can be read in two ways in two places. *Five words*: here, they are chosen from the whole text, because the dictionary is
//! that of the text. The other reading chooses them from the five sentences alone. *Containing most dictionary words*: here, different
//! words are counted, so that a sentence does not win by repeating one word. The other reading counts occurrences.
//!
//! # When two are alike
//! As in "3+5", with N of the five sentences: N = 2 for recall, N = 3 for precision.
//!
//! # Known weakness
//! Posts hardly ever have five sentences. Then the method is "3+5" with a fourth sentence.
//!
//! # Reference
//! Chala & Popadenko 2013.

use std::cmp::Reverse;

use super::a12_three_five::{long_records, long_words};
use super::checksum::Checksum;
use super::collection::{Collection, Document, Word};
use super::{Alike, Method, Paper, Signature, Signer};

/// Number of words in the dictionary.
const DICTIONARY: usize = 10;
/// Number of sentences, and how many of them the dictionary chooses.
const SENTENCES: (usize, usize) = (5, 3);
/// Number of words, and how many of them the dictionary chooses.
const WORDS: (usize, usize) = (5, 3);

pub(super) const N2: Method = Method {
    id: "3+2-N2",
    title: "3+2, N = 2",
    paper: Paper::Chala,
    alike: Alike::Sentences(2),
    signer,
};

pub(super) const N3: Method = Method {
    id: "3+2-N3",
    title: "3+2, N = 3",
    paper: Paper::Chala,
    alike: Alike::Sentences(3),
    signer,
};

fn signer(collection: &Collection) -> Signer<'_> {
    Box::new(|document| {
        let mut records = long_records(collection, document)?;
        if records.sentences.len() >= SENTENCES.0 {
            let dictionary = dictionary(collection, document);
            records.sentences = sentences(collection, document, &dictionary);
            records.words = words(collection, document, &dictionary);
        }
        Some(Signature::Records(records))
    })
}

fn dictionary(collection: &Collection, document: &Document) -> Vec<Word> {
    let mut words = document.terms.clone();
    words.sort_by_cached_key(|(word, tf)| (Reverse((*tf, collection.characters(*word))), *word));
    words.into_iter().map(|(word, _)| word).take(DICTIONARY).collect()
}

fn sentences(collection: &Collection, document: &Document, dictionary: &[Word]) -> Vec<Checksum> {
    let of_dictionary = |words: &[Word]| dictionary.iter().filter(|word| words.contains(word)).count();
    let mut all: Vec<(usize, usize, Checksum)> = document
        .content_sentences()
        .map(|words| (of_dictionary(words), words.len(), Checksum::crc32(collection.joined(words).as_bytes())))
        .collect();
    all.sort_unstable_by_key(|(common, length, checksum)| (Reverse((*common, *length)), *checksum));
    all.dedup();
    all[SENTENCES.1..].sort_unstable_by_key(|(_, length, checksum)| (Reverse(*length), *checksum));
    all.into_iter().map(|(.., checksum)| checksum).take(SENTENCES.0).collect()
}

fn words(collection: &Collection, document: &Document, dictionary: &[Word]) -> Vec<Checksum> {
    let chosen = &dictionary[..WORDS.1.min(dictionary.len())];
    let checksum = |word: &Word| Checksum::crc32(collection.spelled(*word).as_bytes());
    let long = long_words(collection, document).into_iter().filter(|(word, _)| !chosen.contains(word));
    chosen.iter().map(checksum).chain(long.map(|(_, checksum)| checksum)).take(WORDS.0).collect()
}
