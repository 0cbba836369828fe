//! The kept bodies, forgotten by age: their tokens, and marks (a Bloom filter with one hash) of their bigrams.

use std::collections::VecDeque;

use super::pattern::hash;
use crate::record::Pos;

/// Tokens of a chunk; longer bodies get one of their own.
const CHUNK: usize = 1 << 16;

/// Where a body is.
struct Entry {
    pos: Pos,
    chunk: u64,
    start: u32,
    len: u32,
}

/// Words of bits in a digest.
const WORDS: usize = 15;
/// Bodies of this many tokens and more crowd their digest, so they have longer marks, too, of which about one in ten is set.
const LONG: usize = 64;

/// Words of the longer marks.
fn words(len: usize) -> usize {
    if len < LONG { 0 } else { len / 3 }
}

/// The bit of a bigram among so many words: by the hash's lower half, whose top is mixed well and chooses no slots.
#[inline(always)]
fn bit(hash: u32, words: usize) -> (usize, u32) {
    let bit = (u64::from(hash) * (words as u64 * 32)) >> 32;
    ((bit >> 5) as usize, bit as u32 & 31)
}

/// Whether the bigram of this hash may be among those marked.
#[inline(always)]
pub(super) fn is_marked(marks: &[u32], hash: u32) -> bool {
    let (word, bit) = bit(hash, marks.len());
    marks[word] >> bit & 1 != 0
}

fn mark(tokens: &[u32], marks: &mut [u32]) {
    if marks.is_empty() {
        return;
    }
    for pair in tokens.windows(2) {
        let (word, bit) = bit(hash(pair[0], pair[1]) as u32, marks.len());
        marks[word] |= 1 << bit;
    }
}

/// A cache line about a kept body: what rules most bodies out.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Digest {
    /// Tokens of the body.
    pub len: u32,
    /// One bit by hash for each bigram.
    pub marks: [u32; WORDS],
}

/// A kept body.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub pos: Pos,
    pub tokens: &'a [u32],
    /// Marks of its bigrams, if it is long.
    pub marks: Option<&'a [u32]>,
}

/// Bodies by number, the latest at the end.
#[derive(Default)]
pub(super) struct Bodies {
    entries: VecDeque<Entry>,
    /// As many as entries.
    digests: VecDeque<Digest>,
    /// Number of the first entry.
    oldest: u64,
    /// Full chunks are never moved nor copied, only dropped when their last body is.
    chunks: VecDeque<Vec<u32>>,
    /// Which chunk the first is, counted from the beginning.
    first_chunk: u64,
    /// A chunk to use again.
    spare: Option<Vec<u32>>,
}

impl Bodies {
    /// No bodies, and room for `expected`.
    pub fn new(expected: usize) -> Self {
        let (entries, digests) = (VecDeque::with_capacity(expected), VecDeque::with_capacity(expected));
        Self { entries, digests, ..Self::default() }
    }

    /// Number of the oldest body, or of the next one if there is none.
    pub fn oldest(&self) -> u64 {
        self.oldest
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The `index`-th body from the oldest.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Body<'_>> {
        let entry = self.entries.get(index)?;
        let chunk = self.chunks.get((entry.chunk - self.first_chunk) as usize)?;
        let (start, len) = (entry.start as usize, entry.len as usize);
        let (marks, tokens) = chunk.get(start..start + words(len) + len)?.split_at(words(len));
        Some(Body { pos: entry.pos, tokens, marks: (!marks.is_empty()).then_some(marks) })
    }

    /// The digest of the `index`-th body from the oldest; there must be so many.
    #[inline(always)]
    pub fn digest(&self, index: usize) -> &Digest {
        &self.digests[index]
    }

    /// Adds a body of fewer than 2^31 tokens.
    pub fn push(&mut self, tokens: &[u32], pos: Pos) {
        let size = words(tokens.len()) + tokens.len();
        if self.chunks.back().is_none_or(|chunk| chunk.capacity() - chunk.len() < size) {
            let spare = if size <= CHUNK { self.spare.take() } else { None };
            self.chunks.push_back(spare.unwrap_or_else(|| Vec::with_capacity(size.max(CHUNK))));
        }
        let number = self.first_chunk + self.chunks.len() as u64 - 1;
        let Some(chunk) = self.chunks.back_mut() else { return };
        let (start, len) = (chunk.len(), tokens.len() as u32);
        chunk.resize(start + words(tokens.len()), 0);
        mark(tokens, &mut chunk[start..]);
        chunk.extend_from_slice(tokens);
        self.entries.push_back(Entry { pos, chunk: number, start: start as u32, len });
        let mut digest = Digest { len, marks: [0; WORDS] };
        mark(tokens, &mut digest.marks);
        self.digests.push_back(digest);
    }

    /// Forgets the bodies before a position.
    pub fn expire(&mut self, before: Pos) {
        while self.entries.front().is_some_and(|entry| entry.pos < before) {
            self.entries.pop_front();
            self.digests.pop_front();
            self.oldest += 1;
        }
        let last = self.first_chunk + self.chunks.len() as u64;
        let keep = self.entries.front().map_or(last, |entry| entry.chunk);
        while self.first_chunk < keep {
            self.first_chunk += 1;
            if let Some(mut chunk) = self.chunks.pop_front().filter(|chunk| chunk.capacity() == CHUNK) {
                chunk.clear();
                self.spare = Some(chunk);
            }
        }
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().chain(&self.spare);
        self.entries.capacity() * size_of::<Entry>()
            + self.digests.capacity() * size_of::<Digest>()
            + chunks.map(|chunk| chunk.capacity() * 4).sum::<usize>()
    }
}

#[cfg(test)]
impl Bodies {
    /// Makes the first body's number another one.
    pub fn number_from(&mut self, oldest: u64) {
        self.oldest = oldest;
    }
}
