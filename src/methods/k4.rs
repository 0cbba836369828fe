//! K4 · words with their counts, and the variants: rounded shares, trimmed, sentences, no stop words.
//!
//! # What it keeps
//! The distinct words of the text with their counts, as their MD5.
//!
//! # How it is made
//! `word–count` for each word, in alphabetical order, joined with blanks. Every word counts. A word is a run of letters and digits, in
//! Chinese a word of the dictionary. K4-rounded has tf/tf_max, rounded to one decimal, instead of the count. The paper says "normalised",
//! but not by what. If it were by the number of words, every share in a text of more than twenty words would round to 0.0, and the profile
//! would be a set of words. K4-20 and K4-35 leave out the rarest 20 or 35 % of the distinct words (ties: the last in the alphabet). The
//! paper trims between these shares, but does not say from which end; we trim rare words, because edits change these. K4-sentences has
//! sentences instead of words, each as its words joined with blanks. K4-content has the content words alone, without stop words and
//! insignificant words.
//!
//! # When two are alike
//! The digests are equal.
//!
//! # Known weakness
//! Only the order of the words may change: this is the strictest profile next to MD5. K4-sentences allows only the order of sentences to
//! change.
//!
//! # Reference
//! Kosinov, K4 and its variants.

use std::cmp::Reverse;
use std::fmt::Display;

use super::collection::{Word, counted};
use super::words::profiled;
use super::{Alike, Collection, Document, Method, Paper};
use crate::locale::later;

pub(super) const ROW: Method = Method {
    id: "K4",
    title: later("words with counts"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| profiled(move |document| profile(collection, document)),
};

pub(super) const ROUNDED: Method = Method {
    id: "K4-rounded",
    title: later("words with rounded shares"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        profiled(move |document| {
            let counts = counted(&document.runs);
            let most = counts.iter().map(|(_, tf)| *tf).max().unwrap_or(1);
            listed(counts.iter().map(|(word, tf)| {
                let tenths = (20 * tf + most) / (2 * most);
                (collection.spelled(*word), format!("{}.{}", tenths / 10, tenths % 10))
            }))
        })
    },
};

pub(super) const TRIMMED_20: Method = without::<20>("K4-20", later("words with counts, 20 % trimmed"));

pub(super) const TRIMMED_35: Method = without::<35>("K4-35", later("words with counts, 35 % trimmed"));

/// A variant that leaves out this percentage of the words.
const fn without<const HUNDREDTHS: usize>(id: &'static str, title: &'static str) -> Method {
    Method {
        id,
        title,
        paper: Paper::Kosinov,
        alike: Alike::Equal,
        signer: |collection| profiled(move |document| trimmed(collection, document, HUNDREDTHS)),
    }
}

pub(super) const SENTENCES: Method = Method {
    id: "K4-sentences",
    title: later("sentences with counts"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        profiled(move |document| {
            let sentences: Vec<&[Word]> = document.sentences().collect();
            listed(counted(&sentences).iter().map(|(sentence, count)| (collection.joined(*sentence), count)))
        })
    },
};

pub(super) const CONTENT: Method = Method {
    id: "K4-content",
    title: later("content words with counts"),
    paper: Paper::Kosinov,
    alike: Alike::Equal,
    signer: |collection| {
        let signer = profiled(move |document| of_words(collection, &document.terms));
        Box::new(move |document| signer(document).filter(|_| !document.terms.is_empty()))
    },
};

/// Returns the profile, which K6 uses too.
pub(super) fn profile(collection: &Collection, document: &Document) -> String {
    of_words(collection, &counted(&document.runs))
}

fn of_words(collection: &Collection, counts: &[(Word, u32)]) -> String {
    listed(counts.iter().map(|(word, tf)| (collection.spelled(*word), tf)))
}

/// Returns the profile without the rarest `hundredths` percent of its words.
fn trimmed(collection: &Collection, document: &Document, hundredths: usize) -> String {
    let mut counts = counted(&document.runs);
    counts.sort_by_key(|(_, tf)| Reverse(*tf));
    counts.truncate(counts.len() - counts.len() * hundredths / 100);
    counts.sort_unstable();
    of_words(collection, &counts)
}

fn listed(counts: impl Iterator<Item = (impl Display, impl Display)>) -> String {
    counts.map(|(what, count)| format!("{what}–{count}")).collect::<Vec<_>>().join(" ")
}
