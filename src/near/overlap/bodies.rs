//! The kept bodies, forgotten by age: tokens, and before them one bit by hash for each bigram.

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
const WORDS: usize = 31;

/// A cache line about a kept body: what rules most bodies out.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Digest {
    /// Tokens of the body.
    len: u32,
    /// One bit by hash for each bigram.
    bits: [u32; WORDS],
}

impl Digest {
    fn new(tokens: &[u32]) -> Self {
        let mut bits = [0; WORDS];
        for pair in tokens.windows(2) {
            let mark = Mark::of(hash(pair[0], pair[1]));
            bits[mark.0 as usize / 32] |= 1 << (mark.0 % 32);
        }
        Self { len: tokens.len() as u32, bits }
    }

    /// Tokens of the body.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether the body may have the bigram.
    #[inline(always)]
    pub fn has(&self, mark: Mark) -> bool {
        self.bits[usize::from(mark.0 / 32)] >> (mark.0 % 32) & 1 != 0
    }
}

/// A bigram's bit in a digest.
#[derive(Clone, Copy)]
pub(super) struct Mark(u16);

impl Mark {
    /// The bit by the bigram's hash.
    #[inline(always)]
    pub fn of(hash: u64) -> Self {
        // The hash's lower half is the lesser mixed one, but its top bits are good, and the slots do not use them.
        Self(((hash & 0xffff_ffff) * (WORDS as u64 * 32) >> 32) as u16)
    }
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

    /// Position and tokens of the `index`-th body from the oldest.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(Pos, &[u32])> {
        let entry = self.entries.get(index)?;
        let chunk = self.chunks.get((entry.chunk - self.first_chunk) as usize)?;
        let start = entry.start as usize;
        Some((entry.pos, chunk.get(start..start + entry.len as usize)?))
    }

    /// The digest of the `index`-th body from the oldest; there must be so many.
    #[inline(always)]
    pub fn digest(&self, index: usize) -> &Digest {
        &self.digests[index]
    }

    /// Adds a body of fewer than 2^32 tokens.
    pub fn push(&mut self, tokens: &[u32], pos: Pos) {
        if self.chunks.back().is_none_or(|chunk| chunk.capacity() - chunk.len() < tokens.len()) {
            let spare = if tokens.len() <= CHUNK { self.spare.take() } else { None };
            self.chunks.push_back(spare.unwrap_or_else(|| Vec::with_capacity(tokens.len().max(CHUNK))));
        }
        let chunk = self.first_chunk + self.chunks.len() as u64 - 1;
        if let Some(last) = self.chunks.back_mut() {
            self.entries.push_back(Entry { pos, chunk, start: last.len() as u32, len: tokens.len() as u32 });
            last.extend_from_slice(tokens);
            self.digests.push_back(Digest::new(tokens));
        }
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
        self.entries.capacity() * size_of::<Entry>() + self.digests.capacity() * size_of::<Digest>() + chunks.map(|chunk| chunk.capacity() * 4).sum::<usize>()
    }
}
