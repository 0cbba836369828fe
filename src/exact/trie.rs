//! The digest trie: digits of the hash of a text → number of the kept message.

use std::collections::BTreeMap;

use crate::fingerprint::Digest;

/// Placeholder.
#[derive(Default)]
pub struct DigestTrie(BTreeMap<Digest, u64>);

impl DigestTrie {
    /// An empty trie.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value last inserted for `digest`.
    pub fn get(&self, digest: Digest) -> Option<u64> {
        self.0.get(&digest).copied()
    }

    /// Sets the value for `digest`; the last one wins.
    pub fn insert(&mut self, digest: Digest, value: u64) {
        self.0.insert(digest, value);
    }

    /// Distinct digests.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        self.0.len() * 48
    }
}
