//! Memory for millions of short lists that grow.
//!
//! A list begins with a block of 2 slots. When the block is full, the list moves to a block of 4, then of 8, and so on, and another list
//! can take the old block. Blocks are cut from chunks, which are never copied. So nothing large is moved, and no table doubles.

/// Slots of a full chunk (log2). Larger blocks get a chunk of their own.
const CHUNK_LOG: u32 = 16;
/// Slots of the first chunk (log2). Each further chunk has twice as many, up to [`CHUNK_LOG`], so that small tables stay small.
const FIRST_LOG: u32 = 7;
/// Slots of the smallest block (log2), and the unit of addresses. 2^32 units of 2 slots hold twice as many numbers as there are.
pub(super) const MIN_LOG: u32 = 1;

/// Memory for many slots.
pub(super) trait Chunk: Default {
    /// Bytes of one slot.
    const SLOT_BYTES: usize;

    /// Makes `slots` slots of zeros. The system hands out zeroed memory lazily: untouched pages cost nothing.
    fn zeroed(slots: usize) -> Self;

    /// How many slots there are.
    fn slots(&self) -> usize;

    /// Copies `len` slots from `from` to `to`, inside the chunk.
    fn copy_within(&mut self, from: usize, len: usize, to: usize);

    /// Copies `len` slots of another chunk into this one.
    fn copy_from(&mut self, to: usize, other: &Self, from: usize, len: usize);
}

impl Chunk for Vec<u32> {
    const SLOT_BYTES: usize = 4;

    fn zeroed(slots: usize) -> Self {
        vec![0; slots]
    }

    fn slots(&self) -> usize {
        self.len()
    }

    fn copy_within(&mut self, from: usize, len: usize, to: usize) {
        self[..].copy_within(from..from + len, to);
    }

    fn copy_from(&mut self, to: usize, other: &Self, from: usize, len: usize) {
        self[to..to + len].copy_from_slice(&other[from..from + len]);
    }
}

/// The rests of values, and beside them their numbers. A scan reads 4 bytes per slot, and reads a number only on a match.
#[derive(Default)]
pub(super) struct Pairs {
    rests: Vec<u32>,
    /// The index in `rests` where the first whole cache line begins.
    skip: usize,
    numbers: Vec<u32>,
}

/// Slots that a scan compares together: a cache line.
pub(super) const TOGETHER: usize = 16;

impl Chunk for Pairs {
    const SLOT_BYTES: usize = 8;

    fn zeroed(slots: usize) -> Self {
        let rests = vec![0; slots + TOGETHER];
        // The vector never grows, so its data never moves.
        let skip = rests.as_ptr().align_offset(4 * TOGETHER).min(TOGETHER);
        Self { rests, skip, numbers: vec![0; slots] }
    }

    fn slots(&self) -> usize {
        self.numbers.len()
    }

    fn copy_within(&mut self, from: usize, len: usize, to: usize) {
        self.rests[self.skip..].copy_within(from..from + len, to);
        self.numbers[..].copy_within(from..from + len, to);
    }

    fn copy_from(&mut self, to: usize, other: &Self, from: usize, len: usize) {
        self.rests[self.skip..][to..to + len].copy_from_slice(&other.rests[other.skip..][from..from + len]);
        self.numbers[to..to + len].copy_from_slice(&other.numbers[from..from + len]);
    }
}

impl Arena<Pairs> {
    /// The first `len` slots of a block: the cache lines with their rests, how many rests of other blocks come first in these lines, and
    /// the numbers.
    #[inline(always)]
    pub(crate) fn run(&self, address: u32, len: usize) -> (&[[u32; TOGETHER]], usize, &[u32]) {
        let (pairs, slot) = self.get(address);
        let (lines, _) = pairs.rests[pairs.skip..].as_chunks();
        let lines = &lines[slot / TOGETHER..(slot + len).div_ceil(TOGETHER)];
        (lines, slot % TOGETHER, &pairs.numbers[slot..slot + len])
    }

    /// Writes slot `index` of a block.
    #[inline]
    pub(crate) fn write(&mut self, address: u32, index: usize, rest: u32, number: u32) {
        let (pairs, slot) = self.get_mut(address);
        pairs.rests[pairs.skip + slot + index] = rest;
        pairs.numbers[slot + index] = number;
    }
}

/// Blocks of slots by address.
#[derive(Default)]
pub(super) struct Arena<C> {
    chunks: Vec<C>,
    /// The chunk from which blocks are cut.
    open: usize,
    /// Its first unused slot.
    used: usize,
    /// Freed blocks, by log2 of their slots.
    free: Vec<Vec<u32>>,
}

impl<C: Chunk> Arena<C> {
    fn place(address: u32) -> (usize, usize) {
        let units = CHUNK_LOG - MIN_LOG;
        ((address >> units) as usize, ((address & ((1 << units) - 1)) << MIN_LOG) as usize)
    }

    fn address(chunk: usize, slot: usize) -> u32 {
        ((chunk as u32) << (CHUNK_LOG - MIN_LOG)) | (slot >> MIN_LOG) as u32
    }

    /// Returns the chunk of a block, and the block's first slot there.
    #[inline(always)]
    pub(crate) fn get(&self, address: u32) -> (&C, usize) {
        let (chunk, slot) = Self::place(address);
        (&self.chunks[chunk], slot)
    }

    /// The same as [`Arena::get`], for writing.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, address: u32) -> (&mut C, usize) {
        let (chunk, slot) = Self::place(address);
        (&mut self.chunks[chunk], slot)
    }

    /// Takes a block of 2^`log` slots, and returns its address.
    pub(crate) fn take(&mut self, log: u32) -> u32 {
        if let Some(address) = self.free.get_mut(log as usize).and_then(Vec::pop) {
            return address;
        }
        let slots = 1 << log;
        if log > CHUNK_LOG {
            self.add_chunk(slots);
            return Self::address(self.chunks.len() - 1, 0);
        }
        let all = self.chunks.get(self.open).map_or(0, Chunk::slots);
        // A block begins at a multiple of its size, so that a small block is in one cache line.
        while !self.used.is_multiple_of(slots) && self.used < all {
            let log = self.used.trailing_zeros();
            self.give(Self::address(self.open, self.used), log);
            self.used += 1 << log;
        }
        let room = all - self.used;
        if room < slots {
            self.give_back_rest(room);
            let log = CHUNK_LOG.min(log.max(FIRST_LOG + self.chunks.len() as u32));
            self.add_chunk(1 << log);
            (self.open, self.used) = (self.chunks.len() - 1, 0);
        }
        let address = Self::address(self.open, self.used);
        self.used += slots;
        address
    }

    /// Frees a block of 2^`log` slots.
    pub(crate) fn give(&mut self, address: u32, log: u32) {
        if self.free.len() <= log as usize {
            self.free.resize_with(log as usize + 1, Vec::new);
        }
        self.free[log as usize].push(address);
    }

    /// Turns the rest of the open chunk into free blocks, each as large as fits.
    fn give_back_rest(&mut self, mut room: usize) {
        while room >= 1 << MIN_LOG {
            let log = room.ilog2();
            self.give(Self::address(self.open, self.used), log);
            self.used += 1 << log;
            room -= 1 << log;
        }
    }

    fn add_chunk(&mut self, slots: usize) {
        self.chunks.push(C::zeroed(slots));
    }

    /// Moves the `len` used slots of a block into one of 2^`log` slots and frees the old one of 2^`old_log`.
    pub(crate) fn resize(&mut self, address: u32, len: usize, old_log: u32, log: u32) -> u32 {
        let new = self.take(log);
        let ((from, a), (to, b)) = (Self::place(address), Self::place(new));
        if from == to {
            self.chunks[from].copy_within(a, len, b);
        } else if let Ok([from, to]) = self.chunks.get_disjoint_mut([from, to]) {
            to.copy_from(b, from, a, len);
        }
        self.give(address, old_log);
        new
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.slots() * C::SLOT_BYTES).sum();
        chunks + self.free.iter().map(|list| list.capacity() * 4).sum::<usize>()
    }
}
