//! The digests themselves, while they take less memory than the filter that is to hold them.

use crate::fingerprint::Digest;
use crate::prefetch::prefetch;

/// A set of digests that grows up to so many bytes.
pub(super) struct Few {
    /// Digests where their first half points to, or behind.
    slots: Vec<u128>,
    digests: usize,
    /// Slots at the most.
    most: usize,
}

/// Slots at first, and how many times as many the next time.
const FIRST: usize = 256;
const MORE: usize = 4;

/// Slots in a line of the processor's cache.
const LINE: usize = 4;

/// No digest is in the slot. It is no zero: a page of zeros that is read before it is written to is taken twice.
const NONE: u128 = u128::MAX;

impl Few {
    /// An empty set that takes at most so many bytes; none where these are too few to be worth it.
    pub(super) fn within(bytes: usize) -> Option<Self> {
        let most = bytes / size_of::<u128>();
        (most >= FIRST).then(|| Self { slots: vec![NONE; FIRST], digests: 0, most })
    }

    /// Adds a digest. Whether it was there; None if it was not, and there is no room.
    #[inline]
    pub(super) fn insert(&mut self, digest: Digest) -> Option<bool> {
        let (slot, held) = self.find(digest);
        if held {
            return Some(true);
        }
        // Of five slots one stays empty: the runs of full ones are short.
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

    /// Whether a digest is there.
    pub(super) fn holds(&self, digest: Digest) -> bool {
        self.find(digest).1
    }

    /// Asks the processor for what looking up a digest will read.
    #[inline]
    pub(super) fn ask_for(&self, digest: Digest) {
        // A run of full slots often goes on into the next line.
        let start = self.start(digest);
        prefetch(&self.slots[start]);
        prefetch(&self.slots[(start + LINE).min(self.slots.len() - 1)]);
    }

    /// All digests, in stretches.
    pub(super) fn stretches(&self) -> impl Iterator<Item = impl Iterator<Item = Digest> + Clone> {
        self.slots.chunks(32).map(|slots| slots.iter().filter(|slot| **slot != NONE).map(|slot| Digest(*slot)))
    }

    #[inline]
    fn start(&self, Digest(digest): Digest) -> usize {
        (((digest >> 64) * self.slots.len() as u128) >> 64) as usize
    }

    /// Where a digest is, or would be.
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

/// A digest as it is kept: the last two are one, as two texts have one digest once in 10^38.
fn key(Digest(digest): Digest) -> u128 {
    digest.min(NONE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_it_was_given_until_it_is_full() {
        assert!(Few::within(FIRST * 16 - 1).is_none());
        let mut few = Few::within(100_000).unwrap();
        let digest = |i: u64| Digest::of(&i.to_le_bytes(), 3);
        let mut given = 0;
        while few.insert(digest(given)) == Some(false) {
            given += 1;
            assert_eq!(few.insert(digest(given / 2)), Some(true));
        }
        assert!(given == 100_000 / 16 * 4 / 5 && few.slots.len() * 16 <= 100_000, "{given}");
        assert!((0..2 * given).all(|i| few.holds(digest(i)) == (i < given)));
        let mut all: Vec<u128> = few.stretches().flatten().map(|Digest(digest)| digest).collect();
        let mut expected: Vec<u128> = (0..given).map(|i| digest(i).0).collect();
        all.sort_unstable();
        expected.sort_unstable();
        assert_eq!(all, expected);
        // Nearly all in one place.
        let mut few = Few::within(100_000).unwrap();
        assert!((1..3000).all(|i| few.insert(Digest(u128::MAX - i)) == Some(false)));
        assert!((1..3000).all(|i| few.holds(Digest(u128::MAX - i))) && !few.holds(Digest(u128::MAX - 3000)));
    }
}
