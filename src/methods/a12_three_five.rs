//! A12 · "3+5": three sentences and five words.
//!
//! # What it keeps
//! Up to eight CRC32s, the length of the text and the number of its sentences.
//!
//! # How it is made
//! The three sentences with most content words and the five longest content words, each in falling length (ties: in the order of
//! their checksums). A sentence is its content words with blanks between them, and each one, and each word, is taken
//! once. The length is that of the text in content words. Each sentence begins a record; records with an equal first
//! sentence form chains by length.
//!
//! # When two are alike
//! They share a sentence and their lengths are within a ratio of 1.15; their numbers of sentences are within 1.20; two words
//! agree in any order (all of them where a text has fewer); and their longest sentences agree or, in texts of more than five
//! sentences, two of the three in any order.
//!
//! # Known weakness
//! A text of one sentence must have it unchanged: then this is Long Sent with two more conditions. In Chinese, words are two or
//! three characters long, so that the longest ones are chosen by their checksums.
//!
//! # Reference
//! Zelenkov & Segalovich 2007, A12: the best of their methods that sign.

use std::cmp::Reverse;

use super::checksum::Checksum;
use super::collection::{Collection, Document, Word};
use super::records::Records;
use super::{Alike, Method, Paper, Signature};

/// Sentences.
const SENTENCES: usize = 3;
/// Words.
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

/// All sentences, the longest first, and the five longest words; none for a text without content words.
pub(super) fn long_records(collection: &Collection, document: &Document) -> Option<Records> {
    let sentences = by_length(document.content_sentences().map(|words| (words.len(), collection.joined(words))));
    let words = long_words(collection, document).into_iter().take(WORDS).map(|(_, checksum)| checksum).collect();
    let count = document.content_sentences().count() as u32;
    (count > 0).then_some(Records { sentences, words, length: document.content.len() as u32, count })
}

/// The distinct content words and their checksums, the longest first, of equals by the checksum.
pub(super) fn long_words(collection: &Collection, document: &Document) -> Vec<(Word, Checksum)> {
    let checksum = |(word, _): &(Word, u32)| (*word, Checksum::crc32(collection.spelled(*word).as_bytes()));
    let mut words: Vec<(Word, Checksum)> = document.terms.iter().map(checksum).collect();
    words.sort_by_cached_key(|(word, checksum)| (Reverse(collection.characters(*word)), *checksum));
    words
}

/// The checksums of texts by falling length, of equals rising, each once.
fn by_length(texts: impl Iterator<Item = (usize, String)>) -> Vec<Checksum> {
    let mut checksums: Vec<_> =
        texts.map(|(length, text)| (Reverse(length), Checksum::crc32(text.as_bytes()))).collect();
    checksums.sort_unstable();
    checksums.dedup();
    checksums.into_iter().map(|(_, checksum)| checksum).collect()
}
