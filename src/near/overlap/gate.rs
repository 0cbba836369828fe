//! A table of bits that lets a query skip lists if no body can have enough in common with the new one.

use super::features::{Feature, Hash};

/// The features of some bodies, by their hashes. By chance it may have a feature that was not added. It has every feature that was added.
pub(super) struct Gate {
    bits: Box<[u64]>,
    /// log2 of the bits.
    log: u32,
}

impl Gate {
    /// Makes an empty table of 2^`log` bits, 6..=32.
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

    /// Returns the word and the bit of a hash.
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

/// Whether the features that `others_have` may cover `least` of the `len` tokens of a body. Features must begin at rising tokens, but the
/// last may be one that spans all tokens.
#[inline]
pub(super) fn may_share(
    features: &[Feature],
    len: usize,
    least: usize,
    others_have: impl Fn(&Feature) -> bool,
) -> bool {
    let Some(most_bare) = len.checked_sub(least) else { return false };
    if features.last().is_some_and(|last| (last.start, last.end) == (0, len as u32) && others_have(last)) {
        return true;
    }
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

#[cfg(test)]
mod tests {
    use super::super::features::{FeatureHasher, bigrams, rearranged, runs};
    use super::*;
    use crate::hash::table::MultiplyShift;
    use proptest::prelude::*;

    proptest! {
        /// A body passes if it needs no more tokens than its shared features span. With an empty table it does not pass.
        #[test]
        fn a_gate_lets_through_what_shares_enough(
            body in prop::collection::vec(0_u32..9, 16..28), other in prop::collection::vec(0_u32..9, 16..28), turned: bool,
        ) {
            let hasher = FeatureHasher::new(MultiplyShift::default());
            let features = |body: &[u32]| {
                let (mut short, mut long) = (Vec::new(), Vec::new());
                bigrams(body, 0, hasher, &mut short);
                runs(body, hasher, &mut long);
                rearranged(body, hasher, &mut long);
                [short, long]
            };
            let other = if turned { body.iter().rev().copied().collect() } else { other };
            for (own, theirs) in features(&body).iter().zip(features(&other)) {
                let mut gate = Gate::new(12);
                gate.note(&theirs);
                let shared = own.iter().filter(|own| theirs.iter().any(|their| their.hash == own.hash));
                let mut vouched = vec![false; body.len()];
                shared.for_each(|own| vouched[own.start as usize..own.end as usize].fill(true));
                let count = vouched.iter().filter(|is| **is).count();
                prop_assert!(may_share(own, body.len(), count, |feature| gate.has(feature)));
                gate.clear();
                prop_assert!(!may_share(own, body.len(), 1, |feature| gate.has(feature)));
            }
        }
    }
}
