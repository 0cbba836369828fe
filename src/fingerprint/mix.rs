//! Mixes the bits of a number.

/// The last step of SplitMix64 (Steele, Lea & Flood 2014): each bit of the result depends on all bits of `hash`.
#[inline]
pub(crate) fn finish(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ hash >> 31
}
