//! Known answers: if an equal gist came before, its answer holds again. This settles many real posts.

use super::digest::digest;
use crate::fingerprint::{Digest, TextHash, random_seed};
use crate::hash::HashMap;
use crate::hash::memory::map_bytes;
use crate::record::Pos;
use crate::text::Gist;

/// A kept message that another one repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) of: Pos,
    /// The similarity in thousandths.
    pub(crate) similarity: u32,
}

impl Answer {
    /// The answer for gists that are equal to the kept message at `pos`.
    pub(super) fn itself(pos: Pos) -> Self {
        Self { of: pos, similarity: 1000 }
    }
}

/// The answer for each gist, by its digest.
pub(super) struct Answers {
    /// The younger and the older answers. So expired answers go without a search. A lost answer only costs time.
    generations: [HashMap<Digest, Answer>; 2],
    hash: TextHash,
    /// The position at which the younger generation began.
    turned: Pos,
}

impl Answers {
    /// Makes an empty table.
    pub(super) fn new() -> Self {
        Self { generations: Default::default(), hash: TextHash::new(random_seed()), turned: Pos(0) }
    }

    /// Returns the digest by which a gist is looked up.
    pub(super) fn digest(&self, gist: &Gist) -> Digest {
        digest(gist, |bytes| self.hash.digest(bytes))
    }

    /// Returns the known answer for gists with this digest.
    pub(super) fn get(&self, digest: &Digest) -> Option<Answer> {
        self.generations.iter().find_map(|generation| generation.get(digest)).copied()
    }

    /// Keeps the answer for gists with this digest.
    pub(super) fn put(&mut self, digest: Digest, answer: Answer) {
        self.generations[0].insert(digest, answer);
    }

    /// Drops the older generation at `pos`, if all of it is before the `oldest` position that counts.
    pub(super) fn expire(&mut self, pos: Pos, oldest: Pos) {
        if self.turned < oldest {
            self.turned = pos;
            self.generations.swap(0, 1);
            self.generations[0].clear();
        }
    }

    /// Drops the older generation, about half of all answers, and releases its memory.
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
