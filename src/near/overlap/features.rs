//! What the index knows a body by: bigrams of short bodies, selected 4-grams of long ones.
//!
//! The 4-grams are selected by robust winnowing (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003): of all those in a run of
//! [`RUN`] tokens, the one with the smallest hash, the last of equal ones. The choice depends on the run alone, so two bodies
//! with a common run have a common selected 4-gram, and only every second 4-gram is selected.

use crate::near::verify::{LONG, RUN};

/// Tokens of a selected gram. 5 costs a third more memory, 6 twice as much.
const GRAM: usize = 4;
/// Lengths below each class of bodies that are known by their bigrams: a class has lists of its own, because the length of a
/// body decides how many tokens are needed.
const BORDERS: [usize; CLASSES - 1] = [8, 12, LONG];
/// How many classes.
pub(super) const CLASSES: usize = 4;

/// How many grams a run has.
const AMONG: usize = RUN - GRAM + 1;

/// One feature at one place of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Feature {
    /// Well mixed in the upper bits.
    pub hash: u64,
    /// The first token of those for which the feature vouches …
    pub start: u32,
    /// … and the one after the last.
    pub end: u32,
}

/// The class of a body of `len` tokens.
pub(super) fn class(len: usize) -> usize {
    BORDERS.iter().map(|border| usize::from(len >= *border)).sum()
}

/// The lengths of a class, both ends included.
pub(super) fn lengths(class: usize) -> (usize, usize) {
    (if class == 0 { 2 } else { BORDERS[class - 1] }, BORDERS.get(class).map_or(usize::MAX, |border| border - 1))
}

/// One multiplication a token, all at once.
#[inline(always)]
fn hash<const N: usize>(tokens: [u32; N]) -> u64 {
    const FACTORS: [u64; 4] =
        [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93, 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB];
    let sum = tokens.iter().zip(FACTORS).fold(0, |sum: u64, (token, factor)| {
        sum.wrapping_add(u64::from(*token).wrapping_mul(factor))
    });
    (sum ^ sum >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Appends each bigram of a body, for the lists of a class: it vouches for its two tokens.
pub(super) fn bigrams(tokens: &[u32], class: usize, out: &mut Vec<Feature>) {
    let places = tokens.windows(2).zip(0..);
    out.extend(places.map(|(two, at)| Feature { hash: hash([two[0], two[1], class as u32]), start: at, end: at + 2 }));
}

/// Appends the selected 4-grams of a body in order: each vouches for the runs that it was selected in.
pub(super) fn grams(tokens: &[u32], out: &mut Vec<Feature>) {
    // The hashes of the grams in the run at hand, by place.
    let mut hashes = [u64::MAX; AMONG];
    let mut selected = usize::MAX;
    for (at, gram) in tokens.windows(GRAM).enumerate() {
        hashes[at % AMONG] = hash([gram[0], gram[1], gram[2], gram[3]]);
        if at + 1 < AMONG {
            continue;
        }
        let first = at + 1 - AMONG;
        let place = (first..=at).fold(first, |least, place| if hashes[place % AMONG] <= hashes[least % AMONG] { place } else { least });
        let end = (first + RUN) as u32;
        match out.last_mut() {
            Some(feature) if place == selected => feature.end = end,
            _ => out.push(Feature { hash: hashes[place % AMONG], start: first as u32, end }),
        }
        selected = place;
    }
}
