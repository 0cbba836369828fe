//! A12 · "3+5": three sentences and five words.
//!
//! # What it keeps
//! Up to eight CRC32s, the length of the text and the number of its sentences.
//!
//! # How it is made
//! The three sentences with the most content words and the five longest content words are taken, each in descending length (ties: by
//! checksum). A sentence is its content words joined with blanks. Equal sentences and equal words are taken once. The length is that of
//! the text in content words. Each sentence begins a record; records with an equal first sentence form chains by length.
//!
//! # When two are alike
//! They share a sentence. Their lengths are within a ratio of 1.15, and their numbers of sentences within 1.20. Two words agree, in any
//! order (all of them if a text has fewer). And their longest sentences agree or, if both texts have more than five sentences, two of the
//! three agree in any order.
//!
//! # Known weakness
//! A text of one sentence must keep it unchanged; then the method is Long Sent with two more conditions. Chinese words have two or three
//! characters, so there the longest ones are mostly chosen by their checksums.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A12: the best of their signing methods.

use std::cmp::Reverse;

use super::checksum::Checksum;
use super::collection::{Collection, Document, Word};
use super::records::Records;
use super::{Alike, Method, Paper, Signature};

/// Number of sentences.
const SENTENCES: usize = 3;
/// Number of words.
const WORDS: usize = 5;

pub(super) const ROW: Method = Method {
    id: "A12",
    title: "3+5",
    paper: Paper::Zelenkov,
    alike: Alike::Sentences(2),
    signer: |collection| {
        Box::new(|document| {
            let mut records = long_records(collection, document)?;
            records.sentences.truncate(SENTENCES);
            Some(Signature::Records(records))
        })
    },
};

/// Returns all sentences, the longest first, and the five longest words; `None` for a text without content words.
pub(super) fn long_records(collection: &Collection, document: &Document) -> Option<Records> {
    let sentences = by_length(document.content_sentences().map(|words| (words.len(), collection.joined(words))));
    let words = long_words(collection, document).into_iter().take(WORDS).map(|(_, checksum)| checksum).collect();
    let count = document.content_sentences().count() as u32;
    (count > 0).then_some(Records { sentences, words, length: document.content.len() as u32, count })
}

/// Returns the distinct content words with their checksums, the longest first, equals by checksum.
pub(super) fn long_words(collection: &Collection, document: &Document) -> Vec<(Word, Checksum)> {
    let checksum = |(word, _): &(Word, u32)| (*word, Checksum::crc32(collection.spelled(*word).as_bytes()));
    let mut words: Vec<(Word, Checksum)> = document.terms.iter().map(checksum).collect();
    words.sort_by_cached_key(|(word, checksum)| (Reverse(collection.characters(*word)), *checksum));
    words
}

/// Returns the checksums of texts by descending length, equals ascending, each once.
fn by_length(texts: impl Iterator<Item = (usize, String)>) -> Vec<Checksum> {
    let mut checksums: Vec<_> =
        texts.map(|(length, text)| (Reverse(length), Checksum::crc32(text.as_bytes()))).collect();
    checksums.sort_unstable();
    checksums.dedup();
    checksums.into_iter().map(|(_, checksum)| checksum).collect()
}
