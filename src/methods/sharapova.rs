//! Sharapova's set of signatures.
//!
//! # What it keeps
//! Ten signatures: the checksum (A0), the frequent words (A1, A2, A3, A10), the longest and the heaviest sentences (A4, A5), I-Match,
//! the megashingles of 84 functions (A6-84) and the descriptor words, by their share (A9-share).
//!
//! # How it is made
//! Each as its own method makes it. Before signing, the same text in another encoding or layout is made the same: encodings
//! where texts are read, hyphenation and pages by `quchong sign --reflow`, which posts must not be put through. The paper's frequent
//! words are five or six; six here, as in Zelenkov & Segalovich.
//!
//! # When two are alike
//! Five of the ten signatures are alike, each by its own rule. The paper lets signatures agree and does not say how many must;
//! half of them need more than the four frequency signatures, which err together. Texts that have fewer than five must agree
//! in all.
//!
//! # Known weakness
//! Ten times the time and space of one. Votes are not independent: nine of the ten see the same content words, so that what
//! differs outside them (a number, a stop word, the order) is outvoted.
//!
//! # Reference
//! Sharapova, *Detection of full duplicates of texts*.

use super::{Alike, Method, Paper, Signature};
use super::{a0_md5, a1_tf, a2_tf_idf, a3_tf_ridf, a4_long_sent, a5_heavy_sent};
use super::{a6_megashingles, a7_lex_rand, a9_descr_words, a10_opt_freq};
use crate::locale::later;

const MEMBERS: &[&Method] = &[
    &a0_md5::ROW,
    &a1_tf::ROW,
    &a2_tf_idf::ROW,
    &a3_tf_ridf::ROW,
    &a10_opt_freq::ROW,
    &a4_long_sent::ROW,
    &a5_heavy_sent::ROW,
    &a7_lex_rand::I_MATCH,
    &a6_megashingles::OF_84,
    &a9_descr_words::SHARE,
];

pub(super) const ROW: Method = Method {
    id: "Sharapova",
    title: later("set of signatures"),
    paper: Paper::Sharapova,
    alike: Alike::Members(MEMBERS, 5),
    signer: |collection| Signature::of_members(MEMBERS, collection),
};
