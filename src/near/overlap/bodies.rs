//! The kept bodies, forgotten by age.

use std::collections::VecDeque;

use crate::near::bitmap;
use crate::prefetch::prefetch;
use crate::record::Pos;

/// Words of a chunk; longer bodies get one of their own.
const CHUNK: usize = 1 << 16;

/// Where a body is: its picture, and behind it its tokens.
struct Entry {
    pos: Pos,
    chunk: u64,
    start: u32,
    len: u32,
}

/// A kept body.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(crate) pos: Pos,
    pub(crate) scope: u64,
    /// The [bitmap] of its bigrams.
    pub(crate) bitmap: &'a [u32],
    pub(crate) tokens: &'a [u32],
}

/// Bodies by number, the latest at the end.
#[derive(Default)]
pub(super) struct Bodies {
    entries: VecDeque<Entry>,
    /// Scopes of the entries; empty as long as all are 0.
    scopes: VecDeque<u64>,
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
    pub(crate) fn new(expected: usize) -> Self {
        Self { entries: VecDeque::with_capacity(expected), ..Self::default() }
    }

    /// Number of the oldest body, or of the next one if there is none.
    pub(crate) fn oldest(&self) -> u64 {
        self.oldest
    }

    /// How many bodies there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The `index`-th body from the oldest.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Body<'_>> {
        let entry = self.entries.get(index)?;
        let chunk = self.chunks.get((entry.chunk - self.first_chunk) as usize)?;
        let (start, len) = (entry.start as usize, entry.len as usize);
        let (bitmap, rest) = chunk.get(start..)?.split_at_checked(bitmap::words(len))?;
        Some(Body {
            pos: entry.pos,
            scope: self.scopes.get(index).copied().unwrap_or(0),
            bitmap,
            tokens: rest.get(..len)?,
        })
    }

    /// Asks the processor for the [`length`](Self::length) of the `index`-th body.
    #[inline(always)]
    pub(crate) fn ask_for_length(&self, index: usize) {
        self.entries.get(index).into_iter().for_each(prefetch);
    }

    /// Asks the processor for the picture of the `index`-th body.
    #[inline(always)]
    pub(crate) fn ask_for_bitmap(&self, index: usize) {
        let Some(entry) = self.entries.get(index) else { return };
        let chunk = self.chunks.get((entry.chunk - self.first_chunk) as usize);
        chunk.and_then(|chunk| chunk.get(entry.start as usize)).into_iter().for_each(prefetch);
    }

    /// Tokens of the `index`-th body from the oldest; there must be so many.
    #[inline(always)]
    pub(crate) fn length(&self, index: usize) -> usize {
        self.entries[index].len as usize
    }

    /// Adds a body of fewer than 2^31 tokens, of a scope, and the [hashes](bitmap::hashes) of its bigrams.
    pub(crate) fn push(&mut self, (tokens, scope): (&[u32], u64), hashes: &[u32], pos: Pos) {
        let size = bitmap::words(tokens.len()) + tokens.len();
        if self.chunks.back().is_none_or(|chunk| chunk.capacity() - chunk.len() < size) {
            let spare = if size <= CHUNK { self.spare.take() } else { None };
            self.chunks.push_back(spare.unwrap_or_else(|| Vec::with_capacity(size.max(CHUNK))));
        }
        let number = self.first_chunk + self.chunks.len() as u64 - 1;
        let Some(chunk) = self.chunks.back_mut() else { return };
        let (start, len) = (chunk.len(), tokens.len() as u32);
        chunk.resize(start + bitmap::words(tokens.len()), 0);
        bitmap::set(&mut chunk[start..], hashes);
        chunk.extend_from_slice(tokens);
        if scope != 0 && self.scopes.is_empty() {
            self.scopes.resize(self.entries.len(), 0);
        }
        if scope != 0 || !self.scopes.is_empty() {
            self.scopes.push_back(scope);
        }
        self.entries.push_back(Entry { pos, chunk: number, start: start as u32, len });
    }

    /// Forgets the bodies before a position.
    pub(crate) fn expire(&mut self, before: Pos) {
        while self.entries.front().is_some_and(|entry| entry.pos < before) {
            self.entries.pop_front();
            self.scopes.pop_front();
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
    pub(crate) fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().chain(&self.spare);
        let scopes = self.scopes.capacity() * size_of::<u64>();
        scopes + self.entries.capacity() * size_of::<Entry>() + chunks.map(|chunk| chunk.capacity() * 4).sum::<usize>()
    }
}

#[cfg(test)]
impl Bodies {
    /// Makes the first body's number another one.
    pub(crate) fn number_from(&mut self, oldest: u64) {
        self.oldest = oldest;
    }
}
