//! The kept bodies of the window, by number: their positions, lengths, bitmaps and tokens. The oldest are forgotten first.
//!
//! The tokens lie one body after another in chunks of 65 536. When the last body of a chunk is forgotten, the chunk can be used again.

use std::collections::VecDeque;

use super::Scoped;
use crate::near::bitmap::{self, MOST_PICTURED, Picture};
use crate::prefetch::prefetch;
use crate::record::Pos;

/// Words of a chunk. Longer bodies get a chunk of their own.
const CHUNK: usize = 1 << 16;

/// Where a body is in the chunks: its bitmap, if it is not short, and then its tokens.
struct Place {
    pos: Pos,
    /// The chunk, counted from the beginning. Wraps round.
    chunk: u32,
    start: u32,
    len: u32,
}

/// How many lengths of kept bodies are distinguished while they are counted. The last length stands for all longer ones, too.
pub(super) const LENGTHS: usize = 32;

/// Words of the bitmap of a body of `len` tokens; 0 if it is short and has a [`Picture`].
fn words(len: usize) -> usize {
    if len <= MOST_PICTURED { 0 } else { bitmap::words(len) }
}

/// The lengths of bodies by number. They lie close together, because they are read most often.
#[derive(Default)]
struct Lengths {
    /// By number modulo their count, which is a power of two.
    of: Vec<u8>,
}

impl Lengths {
    #[inline(always)]
    fn get(&self, number: u32) -> usize {
        self.of[number as usize & (self.of.len() - 1)] as usize
    }

    /// Notes the length of the body `number`. The bodies from `oldest` on keep their lengths.
    fn set(&mut self, number: u32, len: usize, oldest: u32) {
        let live = number.wrapping_sub(oldest);
        if live as usize >= self.of.len() {
            let mut more = vec![0; (live as usize + 1).next_power_of_two()];
            let mask = more.len() - 1;
            for index in 0..live {
                let number = oldest.wrapping_add(index);
                more[number as usize & mask] = self.get(number) as u8;
            }
            self.of = more;
        }
        let mask = self.of.len() - 1;
        self.of[number as usize & mask] = len.min(LENGTHS - 1) as u8;
    }
}

/// A kept body.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(crate) pos: Pos,
    pub(crate) scope: u64,
    pub(crate) tokens: &'a [u32],
}

/// Bodies by number, the latest at the end.
#[derive(Default)]
pub(super) struct BodyWindow {
    places: VecDeque<Place>,
    lengths: Lengths,
    /// For short bodies, in the order of `places`.
    pictures: VecDeque<Picture>,
    /// Scopes of the bodies. Empty as long as all are 0.
    scopes: VecDeque<u64>,
    /// The number of the first body.
    oldest: u64,
    /// Full chunks are never moved nor copied. A chunk is only dropped when its last body is.
    chunks: VecDeque<Vec<u32>>,
    /// The index of the first chunk, counted from the beginning.
    first_chunk: u32,
    /// A chunk to use again.
    spare: Option<Vec<u32>>,
}

impl BodyWindow {
    /// Makes an empty store with room for `expected` bodies.
    pub(crate) fn new(expected: usize) -> Self {
        Self {
            places: VecDeque::with_capacity(expected),
            lengths: Lengths { of: vec![0; expected.next_power_of_two()] },
            pictures: VecDeque::with_capacity(expected),
            ..Self::default()
        }
    }

    /// The number of the oldest body, or of the next one if there is none.
    pub(crate) fn oldest(&self) -> u64 {
        self.oldest
    }

    /// The number of the body that is added next.
    pub(crate) fn next(&self) -> u64 {
        self.oldest + self.places.len() as u64
    }

    /// How many bodies there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The `index`-th body from the oldest.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Body<'_>> {
        let place = self.places.get(index)?;
        let chunk = self.chunk(place)?;
        let (len, start) = (place.len as usize, place.start as usize + words(place.len as usize));
        Some(Body {
            pos: place.pos,
            scope: self.scopes.get(index).copied().unwrap_or(0),
            tokens: chunk.get(start..start + len)?,
        })
    }

    /// Prefetches what [`picture_may_cover`](Self::picture_may_cover) reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        self.pictures.get(index).into_iter().for_each(prefetch);
    }

    /// The length of the body `number`, below [`LENGTHS`].
    #[inline(always)]
    pub(crate) fn capped_length(&self, number: u32) -> usize {
        self.lengths.get(number)
    }

    /// Whether the `index`-th body from the oldest is not short, or may cover enough tokens of a body with these [hashes](bitmap::hashes).
    /// `least` gives how many are enough, by the length. Never false for a body that covers enough.
    #[inline(always)]
    pub(crate) fn picture_may_cover(&self, index: usize, least: impl Fn(usize) -> usize, hashes: &[u32]) -> bool {
        let kept = self.capped_length((self.oldest as u32).wrapping_add(index as u32));
        kept > MOST_PICTURED || bitmap::may_cover_by_picture(&self.pictures[index], least(kept), hashes)
    }

    /// Whether the `index`-th body is short, or may cover enough tokens, judged by its bitmap.
    #[inline(always)]
    pub(crate) fn bitmap_may_cover(&self, index: usize, least: impl Fn(usize) -> usize, hashes: &[u32]) -> bool {
        let place = &self.places[index];
        let (start, len) = (place.start as usize, place.len as usize);
        len <= MOST_PICTURED
            || self
                .chunk(place)
                .and_then(|chunk| chunk.get(start..start + words(len)))
                .is_some_and(|bitmap| bitmap::may_cover(bitmap, least(len), hashes))
    }

    fn chunk(&self, place: &Place) -> Option<&Vec<u32>> {
        self.chunks.get(place.chunk.wrapping_sub(self.first_chunk) as usize)
    }

    /// Prefetches the bitmap of the `index`-th body, or its tokens.
    #[inline(always)]
    pub(crate) fn prefetch_tokens(&self, index: usize) {
        let Some(place) = self.places.get(index) else { return };
        self.chunk(place).and_then(|chunk| chunk.get(place.start as usize)).into_iter().for_each(prefetch);
    }

    /// How many tokens the `index`-th body from the oldest has. The body must exist.
    #[inline(always)]
    pub(crate) fn length(&self, index: usize) -> usize {
        self.places[index].len as usize
    }

    /// Adds a body of fewer than 2^31 tokens, and the [hashes](bitmap::hashes) of its bigrams.
    pub(crate) fn push(&mut self, Scoped { tokens, scope }: Scoped<'_>, hashes: &[u32], pos: Pos) {
        let size = words(tokens.len()) + tokens.len();
        if self.chunks.back().is_none_or(|chunk| chunk.capacity() - chunk.len() < size) {
            let spare = if size <= CHUNK { self.spare.take() } else { None };
            self.chunks.push_back(spare.unwrap_or_else(|| Vec::with_capacity(size.max(CHUNK))));
        }
        let number = self.first_chunk.wrapping_add(self.chunks.len() as u32 - 1);
        let Some(chunk) = self.chunks.back_mut() else { return };
        let (start, len) = (chunk.len(), tokens.len() as u32);
        if tokens.len() > MOST_PICTURED {
            chunk.resize(start + words(tokens.len()), 0);
            bitmap::set(&mut chunk[start..], hashes);
        }
        chunk.extend_from_slice(tokens);
        if scope != 0 && self.scopes.is_empty() {
            self.scopes.resize(self.places.len(), 0);
        }
        if scope != 0 || !self.scopes.is_empty() {
            self.scopes.push_back(scope);
        }
        let picture = if tokens.len() <= MOST_PICTURED { bitmap::picture(hashes) } else { Picture::default() };
        self.pictures.push_back(picture);
        self.places.push_back(Place { pos, chunk: number, start: start as u32, len });
        let next = (self.oldest as u32).wrapping_add(self.places.len() as u32);
        self.lengths.set(next.wrapping_sub(1), tokens.len(), self.oldest as u32);
    }

    /// Forgets the bodies before a position.
    pub(crate) fn expire(&mut self, before: Pos) {
        while self.places.front().is_some_and(|place| place.pos < before) {
            self.places.pop_front();
            self.pictures.pop_front();
            self.scopes.pop_front();
            self.oldest += 1;
        }
        let gone = self.places.front().map(|place| place.chunk.wrapping_sub(self.first_chunk) as usize);
        for _ in 0..gone.unwrap_or(self.chunks.len()) {
            self.first_chunk = self.first_chunk.wrapping_add(1);
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
        let pictures = self.pictures.capacity() * size_of::<Picture>();
        scopes
            + pictures
            + self.lengths.of.capacity()
            + self.places.capacity() * size_of::<Place>()
            + chunks.map(|chunk| chunk.capacity() * 4).sum::<usize>()
    }
}

#[cfg(test)]
impl BodyWindow {
    /// Changes the number of the first body.
    pub(crate) fn number_from(&mut self, oldest: u64) {
        self.oldest = oldest;
    }
}
