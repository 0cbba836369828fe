//! A set of the digests themselves. It is used while it takes less memory than the filter that is to hold them.

use crate::fingerprint::Digest;
use crate::prefetch::prefetch;

/// A set of digests that grows up to a number of bytes.
pub(super) struct DigestSet {
    /// Open addressing: a digest is in the slot that its first half points to, or in a slot after it.
    slots: Vec<u128>,
    digests: usize,
    /// Most slots.
    most: usize,
}

/// Slots at first, and the factor by which they grow.
const FIRST: usize = 256;
const MORE: usize = 4;

/// Slots in a cache line.
const LINE: usize = 4;

/// An empty slot. It is not zero, because a page of zeros that is read before it is written to is allocated twice.
const NONE: u128 = u128::MAX;

impl DigestSet {
    /// Makes an empty set that takes at most `bytes`. `None` if these are too few to be worth it.
    pub(super) fn within(bytes: usize) -> Option<Self> {
        let most = bytes / size_of::<u128>();
        (most >= FIRST).then(|| Self { slots: vec![NONE; FIRST], digests: 0, most })
    }

    /// Adds a digest, and returns whether it was there. `None` if it was not there and there is no room.
    #[inline]
    pub(super) fn insert(&mut self, digest: Digest) -> Option<bool> {
        let (slot, held) = self.find(digest);
        if held {
            return Some(true);
        }
        // One slot in five stays empty, so that the runs of full slots are short.
        if 5 * (self.digests + 1) <= 4 * self.slots.len() {
            self.slots[slot] = key(digest);
        } else if self.slots.len() < self.most {
            self.grow();
            let (slot, _) = self.find(digest);
            self.slots[slot] = key(digest);
        } else {
            return None;
        }
        self.digests += 1;
        Some(false)
    }

    /// Whether the set has a digest.
    pub(super) fn holds(&self, digest: Digest) -> bool {
        self.find(digest).1
    }

    /// Prefetches the slots that looking up a digest will read.
    #[inline]
    pub(super) fn prefetch(&self, digest: Digest) {
        // A run of full slots often goes on into the next line.
        let start = self.start(digest);
        prefetch(&self.slots[start]);
        prefetch(&self.slots[(start + LINE).min(self.slots.len() - 1)]);
    }

    /// Returns all digests, in stretches.
    pub(super) fn stretches(&self) -> impl Iterator<Item = impl Iterator<Item = Digest> + Clone> {
        self.slots.chunks(32).map(|slots| slots.iter().filter(|slot| **slot != NONE).map(|slot| Digest(*slot)))
    }

    #[inline]
    fn start(&self, Digest(digest): Digest) -> usize {
        (((digest >> 64) * self.slots.len() as u128) >> 64) as usize
    }

    /// Returns the slot where a digest is, or would be, and whether it is there.
    #[inline]
    fn find(&self, digest: Digest) -> (usize, bool) {
        let key = key(digest);
        let mut slot = self.start(digest);
        loop {
            match self.slots[slot] {
                NONE => return (slot, false),
                known if known == key => return (slot, true),
                _ => slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 },
            }
        }
    }

    fn grow(&mut self) {
        let slots = (MORE * self.slots.len()).min(self.most);
        let before = std::mem::replace(&mut self.slots, vec![NONE; slots]);
        for digest in before.into_iter().filter(|digest| *digest != NONE) {
            let (slot, _) = self.find(Digest(digest));
            self.slots[slot] = digest;
        }
    }
}

/// Returns the stored form of a digest. The last two values share one form, which matters as little as two texts with one digest.
fn key(Digest(digest): Digest) -> u128 {
    digest.min(NONE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_it_was_given_until_it_is_full() {
        assert!(DigestSet::within(FIRST * 16 - 1).is_none());
        let mut set = DigestSet::within(100_000).unwrap();
        let digest = |i: u64| Digest::of(&i.to_le_bytes(), 3);
        let mut given = 0;
        while set.insert(digest(given)) == Some(false) {
            given += 1;
            assert_eq!(set.insert(digest(given / 2)), Some(true));
        }
        assert!(given == 100_000 / 16 * 4 / 5 && set.slots.len() * 16 <= 100_000, "{given}");
        assert!((0..2 * given).all(|i| set.holds(digest(i)) == (i < given)));
        let mut all: Vec<u128> = set.stretches().flatten().map(|Digest(digest)| digest).collect();
        let mut expected: Vec<u128> = (0..given).map(|i| digest(i).0).collect();
        all.sort_unstable();
        expected.sort_unstable();
        assert_eq!(all, expected);
        // Nearly all in one place.
        let mut set = DigestSet::within(100_000).unwrap();
        assert!((1..3000).all(|i| set.insert(Digest(u128::MAX - i)) == Some(false)));
        assert!((1..3000).all(|i| set.holds(Digest(u128::MAX - i))) && !set.holds(Digest(u128::MAX - 3000)));
    }
}
