//! Sharapova's set of signatures.
//!
//! # What it keeps
//! Ten signatures: the checksum (A0), the frequent words (A1, A2, A3, A10), the longest and the heaviest sentences (A4, A5), I-Match,
//! the megashingles of 84 functions (A6-84) and the descriptor words, by their share (A9-share).
//!
//! # How it is made
//! Each signature is made as in its own method. Before signing, differences of encoding and layout are removed: encodings when texts are
//! read, hyphenation and pages by `quchong sign --reflow`, which must not be used on posts. The paper uses five or six frequent words; we
//! use six, as Zelenkov & Segalovich do.
//!
//! # When two are alike
//! Five of the ten signatures are alike, each by its own rule. The paper does not say how many must agree; with half of them, the four
//! frequency signatures, which err together, are not enough. If both texts have fewer than five signatures, all must agree.
//!
//! # Known weakness
//! It takes ten times the time and space of one signature. The votes are not independent: nine of the ten signatures see the same content
//! words. Differences elsewhere (a number, a stop word, the order) are outvoted.
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
    &a6_megashingles::FUNCTIONS_84,
    &a9_descr_words::SHARE,
];

pub(super) const ROW: Method = Method {
    id: "Sharapova",
    title: later("set of signatures"),
    paper: Paper::Sharapova,
    alike: Alike::Members(MEMBERS, 5),
    signer: |collection| Signature::of_members(MEMBERS, collection),
};
