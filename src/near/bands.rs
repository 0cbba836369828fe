//! Permuted-band tables.
//!
//! Each band of the `BandPlan` has a table of buckets addressed by the band's value; a bucket is one contiguous run of
//! (value, number). A query looks at all buckets within the band's flips and takes the smallest number over all of them.
//!
//! A bucket that grows hot is indexed again on the remaining bits: the band is cut out of the values, and because the
//! lookup knows in how many bits e the band differs, k − e is left for the rest. Nothing is ever left out, so the answer
//! equals the linear scan's, however skewed the fingerprints are. The time of a query and an insertion grows slowly, as a small power
//! of the number of fingerprints.
//!
//! An enemy cannot make it much worse. Fingerprints that share half of their bits cost most, and next come those that lie within a few
//! bits of one centre. An inner index is no help there: whichever bits it takes, a large part of the ball has them alike.
//!
//! `benches/RESULTS.md` has the figures, under *Near index* and *Notes from the modules*.

use super::arena::{Arena, MIN_LOG, Pairs};
use super::band_plan::{Band, BandPlan};
use super::segments::Counted;

/// A run of at least this many slots is indexed again when it is full and that is cheaper. Measured: below, scanning wins.
const HOT: usize = 2048;
/// Length that marks a header whose first half is the number of an inner index.
const INNER: u32 = u32::MAX;
/// Deepest inner index: each level stores its values once per band, so this bounds what an enemy's bits can cost.
const MAX_DEPTH: u32 = 4;
/// Headers loaded together, so that their cache misses overlap.
const BATCH: usize = 32;

/// The search structure for "the earliest within the distance".
///
/// ```
/// use quchong::near::bands::BandTables;
///
/// let mut tables = BandTables::new(4, 1_000_000);
/// let fingerprint = 0x0123_4567_89ab_cdef;
/// tables.insert(fingerprint, 0);
/// assert_eq!(tables.earliest(fingerprint ^ 0b1111), Some((0, 4)));
/// assert_eq!(tables.earliest(fingerprint ^ 0b11111), None);
/// ```
pub struct BandTables {
    index: Index,
}

impl BandTables {
    /// Empty tables, complete for `max_distance`, shaped for about `expected` fingerprints. More are still answered
    /// exactly, only slower.
    pub fn new(max_distance: u32, expected: u64) -> Self {
        Self { index: Index::new(64, max_distance, expected) }
    }

    /// Stores a fingerprint under `number`; numbers must rise and stay below `u32::MAX`.
    pub fn insert(&mut self, fingerprint: u64, number: u32) {
        self.index.insert(fingerprint, number);
    }

    /// The smallest number whose fingerprint is within the distance, and that distance.
    pub fn earliest(&self, fingerprint: u64) -> Option<(u32, u32)> {
        self.earliest_of(fingerprint, Counted::ALL)
    }

    /// The same among those that count.
    pub(super) fn earliest_of(&self, fingerprint: u64, counted: Counted<'_>) -> Option<(u32, u32)> {
        let found = self.index.earliest(fingerprint, self.index.plan.max_distance, counted);
        (found != NONE).then_some(found)
    }

    /// Heap bytes in use, zeroed pages that were never touched included.
    pub fn bytes(&self) -> usize {
        self.index.bytes()
    }

    /// The bands in use.
    #[cfg(test)]
    pub(super) fn plan(&self) -> &BandPlan {
        &self.index.plan
    }
}

/// (number, distance) of no match: larger than every match.
const NONE: (u32, u32) = (u32::MAX, u32::MAX);

/// All bands over values of `bits` bits.
struct Index {
    bits: u32,
    plan: BandPlan,
    /// Lookups per band and budget 0..=k, as [`BandPlan::reach`] gives them.
    reach: Vec<Vec<u32>>,
    tables: Vec<Table>,
    len: u64,
    /// Length from which an inner index is built again for more.
    outgrown: u64,
    /// 0 for the outermost.
    depth: u32,
}

/// One band's buckets.
struct Table {
    band: Band,
    masks: Vec<u32>,
    /// Masks with at most 0, 1, … bits.
    ends: Vec<usize>,
    /// By band value: block address << 32 | length; 0 is empty.
    headers: Vec<u64>,
    arena: Arena<Pairs>,
    inner: Vec<Index>,
}

impl Index {
    fn new(bits: u32, max_distance: u32, expected: u64) -> Self {
        Self::with_plan(bits, BandPlan::choose(bits, max_distance, expected), expected)
    }

    fn with_plan(bits: u32, plan: BandPlan, expected: u64) -> Self {
        Self {
            bits,
            reach: (0..=plan.max_distance).map(|budget| plan.reach(budget)).collect(),
            tables: plan.bands.iter().map(|band| Table::new(*band)).collect(),
            plan,
            len: 0,
            outgrown: expected.saturating_mul(2),
            depth: 0,
        }
    }

    fn insert(&mut self, value: u64, number: u32) {
        self.len += 1;
        for table in &mut self.tables {
            table.insert(value, number, self.bits, self.plan.max_distance, self.depth);
        }
    }

    /// The same code compiled for newer processors where they are.
    fn earliest(&self, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("avx2") {
            #[target_feature(enable = "popcnt,avx2")]
            fn earliest(index: &Index, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
                index.earliest_portable(value, budget, counted)
            }
            // SAFETY: the processor has both features the function is compiled for.
            return unsafe { earliest(self, value, budget, counted) };
        }
        self.earliest_portable(value, budget, counted)
    }

    #[inline(always)]
    fn earliest_portable(&self, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
        let mut best = NONE;
        for (table, reach) in self.tables.iter().zip(&self.reach[budget as usize]) {
            if *reach > 0 {
                best = best.min(table.earliest(value, budget, table.ends[*reach as usize - 1], counted));
            }
        }
        best
    }

    /// Builds the index again, shaped for four times its present length, so that each value moves a few times in all.
    #[inline(never)]
    fn rebuild(&mut self) {
        let (entries, depth) = (self.entries(), self.depth);
        *self = Self::new(self.bits, self.plan.max_distance, self.len * 4);
        self.depth = depth;
        for (number, value) in entries {
            self.insert(value, number);
        }
    }

    /// All values with their numbers, by rising number.
    fn entries(&self) -> Vec<(u32, u64)> {
        let mut all = Vec::with_capacity(self.len as usize);
        if let Some(table) = self.tables.first() {
            for (bucket, header) in table.headers.iter().enumerate() {
                let (address, len) = split(*header);
                if len == INNER {
                    let inner = table.inner[address as usize].entries();
                    all.extend(inner.into_iter().map(|(number, rest)| (number, table.band.paste(rest, bucket as u64))));
                } else if len > 0 {
                    let (values, numbers) = table.arena.run(address, len as usize);
                    all.extend(numbers.iter().copied().zip(values.iter().copied()));
                }
            }
        }
        all.sort_unstable();
        all
    }

    fn bytes(&self) -> usize {
        let tables = self.tables.iter().map(|table| {
            let lists = table.masks.capacity() * 4 + table.ends.capacity() * 8 + size_of::<Table>();
            let inner = table.inner.iter().map(|index| index.bytes() + size_of::<Self>()).sum::<usize>();
            lists + table.headers.capacity() * 8 + table.arena.bytes() + inner
        });
        tables.sum()
    }
}

impl Table {
    fn new(band: Band) -> Self {
        let (masks, ends) = band.masks();
        Self { band, masks, ends, headers: vec![0; 1 << band.width], arena: Arena::default(), inner: Vec::new() }
    }

    fn insert(&mut self, value: u64, number: u32, bits: u32, max_distance: u32, depth: u32) {
        let bucket = self.band.of(value) as usize;
        let (mut address, len) = split(self.headers[bucket]);
        if len == INNER {
            return self.insert_inner(address as usize, value, number);
        }
        let slots = len as usize;
        if slots == 0 {
            address = self.arena.take(MIN_LOG);
        } else if slots.is_power_of_two() && slots >= 1 << MIN_LOG {
            if slots >= HOT && self.index_again(bucket, bits - self.band.width, max_distance, depth) {
                return self.insert_inner(self.inner.len() - 1, value, number);
            }
            let log = slots.ilog2();
            address = self.arena.resize(address, slots, log, log + 1);
        }
        self.arena.write(address, slots, value, number);
        self.headers[bucket] = u64::from(address) << 32 | u64::from(len + 1);
    }

    #[inline(never)]
    fn insert_inner(&mut self, inner: usize, value: u64, number: u32) {
        let (index, rest) = (&mut self.inner[inner], self.band.cut(value));
        index.insert(rest, number);
        if index.len > index.outgrown {
            index.rebuild();
        }
    }

    /// Turns a full bucket into an inner index, unless scanning stays cheaper.
    #[inline(never)]
    fn index_again(&mut self, bucket: usize, bits: u32, max_distance: u32, depth: u32) -> bool {
        let (address, len) = split(self.headers[bucket]);
        let expected = u64::from(len) * 4;
        let plan = BandPlan::choose(bits, max_distance, expected);
        let (values, numbers) = self.arena.run(address, len as usize);
        if depth >= MAX_DEPTH || plan.is_linear() || !plan.bands.iter().any(|band| spreads(values, &self.band, band)) {
            return false;
        }
        let mut index = Index::with_plan(bits, plan, expected);
        index.depth = depth + 1;
        for (value, number) in values.iter().zip(numbers) {
            index.insert(self.band.cut(*value), *number);
        }
        self.arena.give(address, len.ilog2());
        self.headers[bucket] = (self.inner.len() as u64) << 32 | u64::from(INNER);
        self.inner.push(index);
        true
    }

    /// The best match in the buckets of the first `end` masks.
    #[inline(always)]
    fn earliest(&self, value: u64, budget: u32, end: usize, counted: Counted<'_>) -> (u32, u32) {
        let (bucket, mut best) = (self.band.of(value), NONE);
        let mut batch = [0u64; BATCH];
        for masks in self.masks[..end].chunks(BATCH) {
            for (header, mask) in batch.iter_mut().zip(masks) {
                *header = self.headers[(bucket ^ u64::from(*mask)) as usize];
            }
            for (header, mask) in batch.iter().zip(masks) {
                let (address, len) = split(*header);
                if len == 0 {
                    continue;
                }
                let found = if len == INNER {
                    let flipped = mask.count_ones();
                    let (number, distance) =
                        self.inner[address as usize].earliest(self.band.cut(value), budget - flipped, counted);
                    (number, distance.saturating_add(flipped))
                } else {
                    let (values, numbers) = self.arena.run(address, len as usize);
                    match first_counted(values, numbers, value, budget, counted) {
                        Some(i) => (numbers[i], (values[i] ^ value).count_ones()),
                        None => continue,
                    }
                };
                best = best.min(found);
            }
        }
        best
    }
}

/// Whether no value of `band` is shared by more than half of `values`, once `cut` is taken out. Without one such band an
/// inner index would only copy its bucket.
fn spreads(values: &[u64], cut: &Band, band: &Band) -> bool {
    let mut keys: Vec<u64> = values.iter().map(|value| band.of(cut.cut(*value))).collect();
    keys.sort_unstable();
    // More than half of a sorted list has equal ends at some window of half its length.
    let half = keys.len() / 2;
    keys.iter().zip(&keys[half..]).all(|(low, high)| low != high)
}

/// Address and length.
#[inline(always)]
fn split(header: u64) -> (u32, u32) {
    ((header >> 32) as u32, header as u32)
}

/// Index of the first value within `budget` bits that counts.
#[inline(always)]
fn first_counted(values: &[u64], numbers: &[u32], value: u64, budget: u32, counted: Counted<'_>) -> Option<usize> {
    let mut from = if counted.first == 0 { 0 } else { numbers.partition_point(|number| *number < counted.first) };
    loop {
        let at = from + first_within(&values[from..], value, budget)?;
        if counted.has(numbers[at]) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Index of the first value within `budget` bits. Runs are in order of number, so it is also the earliest of the run.
#[inline(always)]
fn first_within(values: &[u64], value: u64, budget: u32) -> Option<usize> {
    let near = |stored: &u64| (stored ^ value).count_ones() <= budget;
    let (eights, rest) = values.as_chunks::<8>();
    for (i, eight) in eights.iter().enumerate() {
        // No branch inside the eight: the compiler may use vectors.
        if eight.iter().fold(false, |any, stored| any | near(stored)) {
            return eight.iter().position(near).map(|j| i * 8 + j);
        }
    }
    rest.iter().position(near).map(|j| eights.len() * 8 + j)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_processors_agree() {
        let mut tables = BandTables::new(4, 3_000);
        for i in 0..6_000u32 {
            // Odd multiples of a few bits: close pairs abound, and the low band is hot.
            let value = u64::from(i % 700).wrapping_mul(0x9E37_79B9_7F4A_7C15) << 16 ^ 1 << (i % 61);
            let portable = tables.index.earliest_portable(value, 4, Counted::ALL);
            assert_eq!(tables.earliest(value), (portable != NONE).then_some(portable));
            tables.insert(value, i);
        }
    }
}
