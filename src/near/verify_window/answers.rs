//! What is known of gists that came before: many real posts are answered here.

use super::digest::digest;
use crate::fingerprint::{Digest, random_seed};
use crate::hash::HashMap;
use crate::hash::memory::map_bytes;
use crate::record::Pos;
use crate::text::Gist;

/// A kept message that another one repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) of: Pos,
    /// In thousandths.
    pub(crate) similarity: u32,
}

/// The answer about each gist, by its digest.
pub(super) struct Answers {
    /// The younger answers and the older. So what is older than the window goes without a search: a lost answer costs time only.
    generations: [HashMap<Digest, Answer>; 2],
    /// The hash key of the digests.
    key: u64,
    /// Where the younger generation began.
    turned: Pos,
}

impl Answers {
    /// No answers yet.
    pub(super) fn new() -> Self {
        Self { generations: Default::default(), key: random_seed(), turned: Pos(0) }
    }

    /// By what a gist is looked up.
    pub(super) fn digest(&self, gist: &Gist) -> Digest {
        digest(gist, self.key)
    }

    /// What is known of gists with this digest.
    pub(super) fn get(&self, digest: &Digest) -> Option<Answer> {
        self.generations.iter().find_map(|generation| generation.get(digest)).copied()
    }

    /// Keeps the answer about gists with this digest.
    pub(super) fn put(&mut self, digest: Digest, answer: Answer) {
        self.generations[0].insert(digest, answer);
    }

    /// Drops the older generation at `pos` if all of it is before the `oldest` position that counts.
    pub(super) fn expire(&mut self, pos: Pos, oldest: Pos) {
        if self.turned < oldest {
            self.turned = pos;
            self.generations.swap(0, 1);
            self.generations[0].clear();
        }
    }

    /// Drops the older generation, about half of all, and gives back its memory.
    pub(super) fn halve(&mut self) {
        self.generations.swap(0, 1);
        self.generations[0] = HashMap::default();
        self.generations[1].shrink_to_fit();
    }

    /// Heap bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.generations.iter().map(map_bytes).sum()
    }
}
