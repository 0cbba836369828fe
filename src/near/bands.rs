//! Permuted-band tables: all stored fingerprints within a distance, without the O(n²) scan.
//!
//! Each table of the [`Plan`] is addressed by the bits of one band and holds every fingerprint; a query looks at the buckets
//! whose address differs from its own in at most the band's flips. A bucket is one contiguous run of fingerprints.
//!
//! # Hot buckets
//! Messages come in bursts, and an enemy can send fingerprints that share a band: a bucket of more than [`HOT`] entries is
//! indexed again, by the bits that the band does not use. Nothing is lost: entries of a bucket that is reached with f flips
//! differ from the query in f bits already, so k − f remain for the other bits, and the inner tables are complete for k.

use super::plan::{Band, Plan};

/// Entries beyond which a bucket is indexed again by the other bits.
const HOT: u32 = 2048;

/// Bits below which no further index is made: few bits cannot tell many fingerprints apart.
const FEW_BITS: u32 = 12;

/// The tables. Fingerprints are stored under rising numbers.
pub struct BandTables {
    /// Bits of the fingerprints: 64, fewer in the index of a hot bucket.
    bits: u32,
    max_distance: u32,
    tables: Vec<Table>,
    runs: Runs,
    hot: Vec<BandTables>,
}

struct Table {
    band: Band,
    buckets: Vec<Bucket>,
}

/// A run of entries, or the place of an inner index.
#[derive(Clone, Copy, Default)]
struct Bucket {
    start: u32,
    /// [`INNER`] if the bucket is hot: `start` then is its index in `hot`.
    length: u32,
}

const INNER: u32 = u32::MAX;

impl BandTables {
    /// Empty tables, complete for `max_distance` and shaped for about `expected` fingerprints; more are only slower.
    pub fn new(max_distance: u32, expected: u64) -> Self {
        Self::of_bits(64, max_distance, expected)
    }

    fn of_bits(bits: u32, max_distance: u32, expected: u64) -> Self {
        let table = |band: Band| Table { band, buckets: vec![Bucket::default(); 1 << band.width] };
        let tables = Plan::new(bits, max_distance, expected).bands.into_iter().map(table).collect();
        Self { bits, max_distance, tables, runs: Runs::default(), hot: Vec::new() }
    }

    /// Stores a fingerprint under `number`; numbers must rise.
    pub fn insert(&mut self, fingerprint: u64, number: u32) {
        for table in &mut self.tables {
            let bucket = &mut table.buckets[table.band.address(fingerprint) as usize];
            if bucket.length == INNER {
                self.hot[bucket.start as usize].insert(table.band.rest(fingerprint), number);
                continue;
            }
            self.runs.push(bucket, fingerprint, number);
            let rest_bits = self.bits - table.band.width;
            if bucket.length > HOT && rest_bits >= FEW_BITS {
                let mut inner = Self::of_bits(rest_bits, self.max_distance, u64::from(HOT) * 16);
                for (fingerprint, number) in self.runs.entries(*bucket) {
                    inner.insert(table.band.rest(fingerprint), number);
                }
                self.runs.free(*bucket);
                *bucket = Bucket { start: self.hot.len() as u32, length: INNER };
                self.hot.push(inner);
            }
        }
    }

    /// The smallest number whose fingerprint is within the distance, and that distance.
    pub fn earliest(&self, fingerprint: u64) -> Option<(u32, u32)> {
        let mut best = None;
        self.search(fingerprint, self.max_distance, 0, &mut best);
        best
    }

    /// Improves `best` by entries within `budget` of `fingerprint`, whose distance is `spent` more than it seems here.
    fn search(&self, fingerprint: u64, budget: u32, spent: u32, best: &mut Option<(u32, u32)>) {
        for table in &self.tables {
            let address = table.band.address(fingerprint);
            for_each_within(table.band.width, table.band.flips.min(budget), &mut |flipped, flips| {
                let bucket = table.buckets[(address ^ flipped) as usize];
                if bucket.length == INNER {
                    let inner = &self.hot[bucket.start as usize];
                    inner.search(table.band.rest(fingerprint), budget - flips, spent + flips, best);
                } else if bucket.length > 0 {
                    self.runs.earliest(bucket, fingerprint, budget, spent, best);
                }
            });
        }
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        let buckets = |table: &Table| table.buckets.capacity() * size_of::<Bucket>();
        self.tables.iter().map(buckets).sum::<usize>()
            + self.runs.bytes()
            + self.hot.iter().map(Self::bytes).sum::<usize>()
    }
}

impl Band {
    fn address(&self, fingerprint: u64) -> u64 {
        fingerprint >> self.shift & ((1 << self.width) - 1)
    }

    /// The other bits, closed up.
    fn rest(&self, fingerprint: u64) -> u64 {
        let below = fingerprint & ((1 << self.shift) - 1);
        let above = fingerprint.checked_shr(self.shift + self.width).unwrap_or(0);
        above << self.shift | below
    }
}

/// Calls `each` with every value of `width` bits that has at most `most` bits set, and how many it has.
fn for_each_within(width: u32, most: u32, each: &mut impl FnMut(u64, u32)) {
    fn deeper(from: u32, width: u32, left: u32, flipped: u64, flips: u32, each: &mut impl FnMut(u64, u32)) {
        each(flipped, flips);
        if left > 0 {
            for bit in from..width {
                deeper(bit + 1, width, left - 1, flipped | 1 << bit, flips + 1, each);
            }
        }
    }
    deeper(0, width, most, 0, 0, each);
}

/// Runs of entries whose room is a power of two, cut from chunks: growing a run moves it, growing the store moves nothing.
#[derive(Default)]
struct Runs {
    chunks: Vec<Chunk>,
    /// Entries handed out of the last chunk.
    used: usize,
    /// Free runs, by the logarithm of their room.
    free: [Vec<u32>; CHUNK.ilog2() as usize + 1],
}

/// Entries in a chunk: 768 KB, and room for the largest run, `2 * HOT`.
const CHUNK: usize = 1 << 16;

struct Chunk {
    fingerprints: Box<[u64]>,
    numbers: Box<[u32]>,
}

impl Runs {
    fn push(&mut self, bucket: &mut Bucket, fingerprint: u64, number: u32) {
        let length = bucket.length as usize;
        if length == 0 {
            bucket.start = self.take(0);
        } else if length.is_power_of_two() {
            let start = self.take(length.ilog2() + 1);
            for i in 0..length as u32 {
                let (fingerprint, number) = self.entry(bucket.start + i);
                self.set(start + i, fingerprint, number);
            }
            self.free[length.ilog2() as usize].push(bucket.start);
            bucket.start = start;
        }
        self.set(bucket.start + bucket.length, fingerprint, number);
        bucket.length += 1;
    }

    /// A run with room for 2^`class` entries.
    fn take(&mut self, class: u32) -> u32 {
        if let Some(start) = self.free[class as usize].pop() {
            return start;
        }
        let room = 1 << class;
        if self.chunks.is_empty() || self.used + room > CHUNK {
            self.chunks.push(Chunk { fingerprints: vec![0; CHUNK].into(), numbers: vec![0; CHUNK].into() });
            self.used = 0;
        }
        let start = (self.chunks.len() - 1) * CHUNK + self.used;
        self.used += room;
        start as u32
    }

    fn free(&mut self, bucket: Bucket) {
        self.free[bucket.length.next_power_of_two().ilog2() as usize].push(bucket.start);
    }

    fn entry(&self, at: u32) -> (u64, u32) {
        let chunk = &self.chunks[at as usize / CHUNK];
        (chunk.fingerprints[at as usize % CHUNK], chunk.numbers[at as usize % CHUNK])
    }

    fn set(&mut self, at: u32, fingerprint: u64, number: u32) {
        let chunk = &mut self.chunks[at as usize / CHUNK];
        chunk.fingerprints[at as usize % CHUNK] = fingerprint;
        chunk.numbers[at as usize % CHUNK] = number;
    }

    fn entries(&self, bucket: Bucket) -> impl Iterator<Item = (u64, u32)> + '_ {
        (bucket.start..bucket.start + bucket.length).map(|at| self.entry(at))
    }

    /// Numbers rise within a run, so its first entry within the distance is its best.
    fn earliest(&self, bucket: Bucket, fingerprint: u64, budget: u32, spent: u32, best: &mut Option<(u32, u32)>) {
        let chunk = &self.chunks[bucket.start as usize / CHUNK];
        let from = bucket.start as usize % CHUNK;
        let run = from..from + bucket.length as usize;
        for (stored, number) in chunk.fingerprints[run.clone()].iter().zip(&chunk.numbers[run]) {
            let distance = (stored ^ fingerprint).count_ones();
            if distance <= budget {
                if best.is_none_or(|(earliest, _)| *number < earliest) {
                    *best = Some((*number, distance + spent));
                }
                return;
            }
        }
    }

    fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * 12 + self.free.iter().map(|free| free.capacity() * 4).sum::<usize>()
    }
}
