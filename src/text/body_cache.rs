//! A cache: what was made of a body lately, if the same body comes again.

/// Bodies remembered, as a power of two. Many bodies of real posts came a short while before, and few more with each doubling.
const LOG: u32 = 14;

/// Numbers by the 128-bit digests of what they were made of; a later one takes the place of an earlier one. 512 KB once used.
#[derive(Debug, Default, Clone)]
pub(crate) struct BodyCache(Vec<(u128, u64)>);

impl BodyCache {
    /// The number last put there for `digest`, if no other has taken its place.
    pub(crate) fn get(&self, digest: u128) -> Option<u64> {
        let (known, number) = self.0.get(slot(digest))?;
        (*known == digest).then_some(*number)
    }

    /// Remembers a number.
    pub(crate) fn put(&mut self, digest: u128, number: u64) {
        if self.0.is_empty() {
            // No digest is 0, but once in 2^128.
            self.0 = vec![(0, 0); 1 << LOG];
        }
        self.0[slot(digest)] = (digest, number);
    }
}

fn slot(digest: u128) -> usize {
    (digest >> (128 - LOG)) as usize
}
