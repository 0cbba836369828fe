//! Mixes the bits of numbers.

/// 2^64 divided by the golden ratio: an odd factor that spreads numbers evenly.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The last step of SplitMix64 (Steele, Lea & Flood 2014): each bit of the result depends on all bits of `hash`.
#[inline]
pub(crate) fn finish(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ hash >> 31
}

/// Adds a number to the hash of a row of numbers: the result depends on all of them and on their order. Its upper bits are well mixed.
#[inline(always)]
pub(crate) fn fold(hash: u64, number: u64) -> u64 {
    (hash.rotate_left(23) ^ number).wrapping_mul(GOLDEN)
}
