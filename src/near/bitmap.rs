//! A small bitmap of a kept body's bigrams. It rules out most pairs without reading the body's tokens.
//!
//! It is a Bloom filter with one hash function. The bitmaps of short bodies all have the same size, and are called pictures. The bitmaps of
//! other bodies lie beside their tokens.

use crate::hash::mix::GOLDEN;
use crate::rule::coverage::bigram;
use crate::text::tokens::Token;

/// Fewest bits for each bigram: the number of words is rounded up to a power of two. With fewer bits, more candidates are left. With more,
/// fewer are left, but nothing is faster.
const BITS: usize = 8;

/// Writes the hashes of a body's bigrams, in its order.
pub(crate) fn hashes(body: &[Token], out: &mut Vec<u32>) {
    let mixed = |bigram: u64| (bigram ^ bigram >> 29).wrapping_mul(GOLDEN);
    out.clear();
    out.extend(body.windows(2).map(|two| (mixed(bigram(two[0], two[1])) >> 32) as u32));
}

/// Words of the bitmap of a body with this many tokens: a power of two.
#[inline(always)]
pub(crate) fn words(tokens: usize) -> usize {
    (tokens.saturating_sub(1) * BITS).next_power_of_two().max(64) / 32
}

#[inline(always)]
fn place(hash: u32, words: usize) -> (usize, u32) {
    let place = hash as usize & (words * 32 - 1);
    (place / 32, 1 << (place % 32))
}

/// Makes the bitmap of a body with this many tokens and these [hashes].
pub(crate) fn of(tokens: usize, hashes: &[u32]) -> Vec<u32> {
    let mut bitmap = vec![0; words(tokens)];
    set(&mut bitmap, hashes);
    bitmap
}

/// Marks the [hashes] of a body in its bitmap, which must have as many [words] as the body needs, all zero.
pub(crate) fn set(bitmap: &mut [u32], hashes: &[u32]) {
    for hash in hashes {
        let (word, bit) = place(*hash, bitmap.len());
        bitmap[word] |= bit;
    }
}

/// Whether the body of this bitmap may cover at least `least` tokens of a body with these [hashes]. Sometimes true for a body that covers
/// fewer, never false for one that covers enough.
#[inline]
pub(crate) fn may_cover(bitmap: &[u32], least: usize, hashes: &[u32]) -> bool {
    let Some(most_bare) = (hashes.len() + 1).checked_sub(least) else { return false };
    let (mut bare, mut last) = (0, false);
    for hash in hashes {
        let (word, bit) = place(*hash, bitmap.len());
        let shared = bitmap[word] & bit != 0;
        bare += usize::from(!(shared | last));
        if bare > most_bare {
            return false;
        }
        last = shared;
    }
    bare + usize::from(!last) <= most_bare
}

/// Bodies of at most this many tokens have a [picture] in place of a bitmap. These are about the bodies that can have a short partner.
pub(crate) const MOST_PICTURED: usize = 30;

/// A bitmap of fixed size, for short bodies.
pub(crate) type Picture = [u64; 4];

/// The picture of a body with these [hashes].
pub(crate) fn picture(hashes: &[u32]) -> Picture {
    let mut picture = [0; 4];
    hashes.iter().for_each(|hash| picture[*hash as usize >> 6 & 3] |= 1 << (hash % 64));
    picture
}

/// The same as [`may_cover`], by a picture.
#[inline(always)]
pub(crate) fn may_cover_by_picture(picture: &Picture, least: usize, hashes: &[u32]) -> bool {
    let is_shared = |hash: &u32| picture[*hash as usize >> 6 & 3] >> (hash % 64) & 1;
    if hashes.len() < 64 {
        // Without a branch.
        let shared = hashes.iter().rev().fold(0, |shared, hash| shared << 1 | is_shared(hash));
        return (shared | shared << 1).count_ones() as usize >= least;
    }
    2 * hashes.iter().map(is_shared).sum::<u64>() as usize >= least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::coverage::Coverage;
    use proptest::prelude::*;

    fn hashed(body: &[Token]) -> Vec<u32> {
        let mut out = Vec::new();
        hashes(body, &mut out);
        out
    }

    fn bitmap_of(body: &[Token]) -> Vec<u32> {
        of(body.len(), &hashed(body))
    }

    proptest! {
        #[test]
        fn what_is_covered_may_be(
            a in prop::collection::vec(0_u32..9, 2..80),
            b in prop::collection::vec(0_u32..9, 2..80),
        ) {
            let mut coverage = Coverage::default();
            coverage.read(&b);
            let (_, own) = coverage.cover(&a);
            prop_assert!(may_cover(&bitmap_of(&a), own, &hashed(&b)));
            prop_assert!(may_cover_by_picture(&picture(&hashed(&a)), own, &hashed(&b)));
            prop_assert!(!may_cover_by_picture(&[0; 4], 1, &hashed(&b)));
            prop_assert!(!may_cover(&bitmap_of(&a), b.len() + 1, &hashed(&b)));
        }
    }

    #[test]
    fn most_others_are_ruled_out() {
        let body = |seed: u32, len: u32| (0..len).map(|at| seed * 1000 + at).collect::<Vec<_>>();
        for len in [20, 60, 300] {
            let kept = bitmap_of(&body(0, len));
            let may = (1..200).filter(|seed| may_cover(&kept, 40, &hashed(&body(*seed, 100)))).count();
            assert!(may < 10, "{len}: {may}");
        }
    }
}
