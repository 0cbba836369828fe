//! A cache of results computed from recent bodies, for bodies that come again.

/// Number of bodies remembered, as a power of two. Many bodies of real posts are repeats from a short while before; each doubling
/// of the cache finds few more.
const LOG: u32 = 14;

/// Maps the 128-bit digest of a body to a number. A later entry overwrites an earlier one in the same slot. Takes 512 KB once it is
/// used.
#[derive(Debug, Default, Clone)]
pub(crate) struct BodyCache(Vec<(u128, u64)>);

impl BodyCache {
    /// Returns the number last stored for `digest`, unless another entry has taken its slot.
    pub(crate) fn get(&self, digest: u128) -> Option<u64> {
        let (known, number) = self.0.get(slot(digest))?;
        (*known == digest).then_some(*number)
    }

    /// Stores a number for `digest`.
    pub(crate) fn put(&mut self, digest: u128, number: u64) {
        if self.0.is_empty() {
            // An empty slot has digest 0, which a real body has once in 2^128.
            self.0 = vec![(0, 0); 1 << LOG];
        }
        self.0[slot(digest)] = (digest, number);
    }
}

fn slot(digest: u128) -> usize {
    (digest >> (128 - LOG)) as usize
}
