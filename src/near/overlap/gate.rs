//! A table of bits that keeps queries off bodies which cannot have enough in common with theirs.

use super::features::{Feature, Hash};

/// Features of some bodies, by their hashes: a few others by chance.
pub(super) struct Gate {
    bits: Box<[u64]>,
    /// log2 of the bits.
    log: u32,
}

impl Gate {
    /// An empty table of 2^`log` bits, 6..=32.
    pub(crate) fn new(log: u32) -> Self {
        Self { bits: vec![0; 1 << (log - 6)].into(), log }
    }

    /// Adds features.
    #[inline]
    pub(crate) fn note(&mut self, features: &[Feature]) {
        for feature in features {
            let (word, bit) = self.place(feature.hash);
            self.bits[word] |= bit;
        }
    }

    /// Whether a feature was added.
    #[inline(always)]
    pub(crate) fn has(&self, feature: &Feature) -> bool {
        let (word, bit) = self.place(feature.hash);
        self.bits[word] & bit != 0
    }

    /// Empties the table.
    pub(crate) fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// The place of a bit.
    #[inline(always)]
    fn place(&self, hash: Hash) -> (usize, u64) {
        let at = hash >> (64 - self.log);
        (at as usize / 64, 1 << (at % 64))
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.len() * 8
    }
}

/// Whether those of a body's features that others have vouch for `least` of its `len` tokens. Features must begin at rising tokens.
#[inline]
pub(super) fn may_share(
    features: &[Feature],
    len: usize,
    least: usize,
    others_have: impl Fn(&Feature) -> bool,
) -> bool {
    let Some(most_bare) = len.checked_sub(least) else { return false };
    let (mut bare, mut end) = (0, 0);
    for feature in features {
        let behind = feature.start.saturating_sub(end);
        if bare + behind > most_bare as u32 {
            return false;
        }
        if others_have(feature) {
            bare += behind;
            end = feature.end;
        }
    }
    bare + (len as u32 - end) <= most_bare as u32
}
