//! What several methods compute from words: the heaviest words or sentences, their weights, and shingles.

use super::checksum::Checksum;
use super::collection::{Collection, Document, Word};
use super::{Signature, Signer};
use crate::text::shingle;

/// Fewest words of a lexicon, or descriptor words, that a text must have to be signed by them. Two words say too little about a text.
pub(super) const ENOUGH: usize = 3;

/// Rounds a weight to steps of 2^-32, so that weights that differ only by a rounding error are equal.
pub(super) fn steps(weight: f64) -> i64 {
    (weight * 4294967296.0).round() as i64
}

/// Returns the `count` items of largest weight, the earlier of equals first.
pub(super) fn top<T: Copy>(count: usize, items: impl Iterator<Item = T>, weight: impl Fn(&T) -> i64) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by_cached_key(|item| std::cmp::Reverse(weight(item)));
    items.truncate(count);
    items
}

/// Signs by the CRC32 of the six words ([`Choices::frequent`](super::Choices)) of largest weight, in alphabetical order, joined with
/// blanks. Of words with equal weight, the alphabetically first is taken. `weight` gets the document, the word and the word's count in it.
pub(super) fn heaviest_words<'c>(
    collection: &'c Collection,
    weight: impl Fn(&Document, Word, u32) -> f64 + Sync + 'c,
) -> Signer<'c> {
    Box::new(move |document| {
        let terms = document.terms.iter().copied();
        let mut words: Vec<Word> =
            top(collection.choices.frequent, terms, |(word, tf)| steps(weight(document, *word, *tf)))
                .into_iter()
                .map(|(word, _)| word)
                .collect();
        words.sort_unstable();
        digest(collection.joined(&words))
    })
}

/// Words per shingle. A6, A8 and A11 have five; Broder 1997 has ten.
const SHINGLE: usize = 5;

/// Returns hashed shingles of five words, given the words' hashes. Fewer words make one shingle; no words make none.
pub(super) fn shingles(words: impl Iterator<Item = u64>) -> Vec<u64> {
    let words: Vec<u64> = words.collect();
    let mut shingles = Vec::new();
    shingle::shingles(&words, SHINGLE, &mut shingles);
    shingles
}

/// As [`shingles`], but wraps from the end to the beginning, so that each word begins a shingle.
pub(super) fn wrapped_shingles(words: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut words: Vec<u64> = words.collect();
    let count = words.len();
    let more: Vec<u64> = words.iter().copied().cycle().take(if count > 0 { SHINGLE - 1 } else { 0 }).collect();
    words.extend(more);
    let mut shingles = Vec::new();
    shingle::shingles(&words, SHINGLE, &mut shingles);
    shingles
}

/// Signs by the MD5 of a profile.
pub(super) fn md5(profile: &str) -> Signature {
    Signature::Digest(Checksum::md5(profile.as_bytes()))
}

/// Signs by the MD5 of a profile of the runs of letters and digits; not at all if there are none.
pub(super) fn profiled<'c>(profile: impl Fn(&Document) -> String + Sync + 'c) -> Signer<'c> {
    Box::new(move |document| (!document.runs.is_empty()).then(|| md5(&profile(document))))
}

/// Signs by the CRC32 of a text; `None` if the text is empty.
pub(super) fn digest(text: String) -> Option<Signature> {
    (!text.is_empty()).then(|| Signature::Digest(Checksum::crc32(text.as_bytes())))
}

/// Signs by the CRC32 of the two sentences of largest weight, in alphabetical order, joined with blanks. A sentence consists of its
/// content words. Of sentences with equal weight, the alphabetically first is taken. Equal sentences count once.
pub(super) fn heaviest_sentences<'c>(
    collection: &'c Collection,
    weight: impl Fn(&Document, &[Word]) -> f64 + Sync + 'c,
) -> Signer<'c> {
    Box::new(move |document| {
        let mut sentences: Vec<&[Word]> = document.content_sentences().collect();
        sentences.sort_unstable();
        sentences.dedup();
        let mut heaviest = top(2, sentences.into_iter(), |sentence| steps(weight(document, sentence)));
        heaviest.sort_unstable();
        digest(collection.joined(heaviest.into_iter().flatten()))
    })
}

/// TF·IDF of Zelenkov & Segalovich 2007 (A2): TF = tf / (2·(0.25 + 0.75·dl/dl_avg) + tf), IDF = ln((N − df + 0.5)/(df + 0.5)).
pub(super) fn okapi(collection: &Collection, document: &Document, word: Word, tf: u32) -> f64 {
    let (tf, df) = (f64::from(tf), f64::from(collection.document_frequency(word)));
    let length = document.content.len() as f64 / collection.mean_length();
    tf / (2.0 * (0.25 + 0.75 * length) + tf) * ((collection.size() - df + 0.5) / (df + 0.5)).ln()
}

/// TF of A3 and A10: 0.5 + 0.5·tf/tf_max.
pub(super) fn half_frequency(document: &Document, tf: u32) -> f64 {
    0.5 + 0.5 * f64::from(tf) / f64::from(document.most_frequent)
}
