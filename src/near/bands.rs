//! Permuted-band tables.
//!
//! Each band of the `BandPlan` has a table of buckets addressed by the band's value; a bucket is one contiguous run of
//! (value, number). A query looks at all buckets within the band's flips and takes the smallest number over all of them.
//!
//! A fingerprint whose bucket is crowded goes to the next level: another set of tables, whose bands lie over the bits in which
//! such fingerprints differ (see `crowd`). A query asks all levels. Nothing is ever left out, so the answer equals the linear
//! scan's, however skewed the fingerprints are. The time of a query and an insertion grows slowly, as a small power of the
//! number of fingerprints.
//!
//! An enemy cannot make it much worse. Fingerprints within a few bits of one centre cost most: whichever bits a band takes, a
//! large part of the ball has them alike.
//!
//! `benches/RESULTS.md` has the figures, under *Near index* and *Notes from the modules*.

use super::arena::{Arena, MIN_LOG, Pairs};
use super::band_plan::{Band, BandPlan};
use super::crowd::{BitOrder, learn};
use super::segments::Counted;
use crate::prefetch::prefetch;

/// A bucket of the first level is crowded from this length on; of each next level, from so many times more.
const CROWDED: usize = 512;
const MORE: usize = 16;
/// Most levels. The last one takes everything.
const MOST_LEVELS: usize = 5;
/// Lookups made together, so that their cache misses overlap: of a plan with few, and of others.
const FEW: usize = 8;
const MANY: usize = 64;

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
    max_distance: u32,
    /// Never empty. What crowds one level is in a later one.
    levels: Vec<Level>,
}

impl BandTables {
    /// Empty tables, complete for `max_distance`, shaped for about `expected` fingerprints. More are still answered
    /// exactly, only slower.
    pub fn new(max_distance: u32, expected: u64) -> Self {
        let plan = BandPlan::choose(64, max_distance, expected);
        Self { max_distance, levels: vec![Level::new(None, &plan, expected)] }
    }

    /// Stores a fingerprint under `number`; numbers must rise and stay below `u32::MAX`.
    pub fn insert(&mut self, fingerprint: u64, number: u32) {
        for i in 0..MOST_LEVELS {
            let Some(level) = self.levels.get_mut(i) else { break };
            let longest = if i + 1 < MOST_LEVELS { CROWDED * MORE.pow(i as u32) } else { usize::MAX };
            if !level.is_crowded(fingerprint, longest) {
                level.insert(fingerprint, number);
                if i > 0 && level.len > level.outgrown {
                    self.rebuild(i);
                }
                return;
            }
        }
        self.add_level(fingerprint, number);
    }

    /// The smallest number whose fingerprint is within the distance, and that distance.
    pub fn earliest(&self, fingerprint: u64) -> Option<(u32, u32)> {
        self.earliest_of(fingerprint, Counted::ALL)
    }

    /// The same among those that count.
    pub(super) fn earliest_of(&self, fingerprint: u64, counted: Counted<'_>) -> Option<(u32, u32)> {
        let found = self.levels.iter().map(|level| level.earliest(fingerprint, self.max_distance, counted)).min()?;
        (found != NONE).then_some(found)
    }

    /// Heap bytes in use, zeroed pages that were never touched included.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(Level::bytes).sum()
    }

    /// A level for what crowds the last one, shaped by the bucket in which this fingerprint is one too many.
    #[inline(never)]
    fn add_level(&mut self, fingerprint: u64, number: u32) {
        let crowd = self.levels.last().map(|level| level.crowd(fingerprint)).unwrap_or_default();
        let expected = crowd.len() as u64 * 4;
        let (order, plan) = learn(crowd, self.max_distance, expected);
        let mut level = Level::new(Some(order), &plan, expected);
        level.insert(fingerprint, number);
        self.levels.push(level);
    }

    /// Builds a level again with all later ones in it, shaped by its content for four times as many.
    #[inline(never)]
    fn rebuild(&mut self, level: usize) {
        let mut entries: Vec<(u32, u64)> = self.levels.drain(level..).flat_map(|level| level.entries()).collect();
        entries.sort_unstable();
        let values: Vec<u64> = entries.iter().map(|(_, value)| *value).collect();
        let expected = values.len() as u64 * 4;
        let (order, plan) = learn(&values, self.max_distance, expected);
        self.levels.push(Level::new(Some(order), &plan, expected));
        for (number, value) in entries {
            self.insert(value, number);
        }
    }

    /// How many levels there are.
    #[cfg(test)]
    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }
}

/// (number, distance) of no match: larger than every match.
const NONE: (u32, u32) = (u32::MAX, u32::MAX);

/// Complete tables over some of the fingerprints.
struct Level {
    /// The bits as the bands take them, if not as they are.
    order: Option<BitOrder>,
    tables: Vec<BandTable>,
    len: u64,
    /// Length from which a level that was shaped by its content is built again.
    outgrown: u64,
}

/// One band's buckets.
struct BandTable {
    band: Band,
    masks: Vec<u32>,
    /// By band value: block address << 32 | length; 0 is empty.
    headers: Vec<u64>,
    arena: Arena<Pairs>,
}

impl Level {
    fn new(order: Option<BitOrder>, plan: &BandPlan, expected: u64) -> Self {
        let tables = plan.bands.iter().map(|band| BandTable::new(*band)).collect();
        Self { order, tables, len: 0, outgrown: expected.saturating_mul(2) }
    }

    #[inline(always)]
    fn ordered(&self, value: u64) -> u64 {
        self.order.as_ref().map_or(value, |order| order.of(value))
    }

    /// Whether one of the value's buckets is that long.
    fn is_crowded(&self, value: u64, longest: usize) -> bool {
        let ordered = self.ordered(value);
        // A band of no bits is the linear scan, chosen because it is cheaper.
        let tables = self.tables.iter().filter(|table| table.band.width > 0);
        tables.into_iter().any(|table| split(table.headers[table.band.of(ordered) as usize]).1 as usize >= longest)
    }

    /// What is in the value's longest bucket.
    fn crowd(&self, value: u64) -> &[u64] {
        let ordered = self.ordered(value);
        let buckets = self.tables.iter().map(|table| table.run(table.headers[table.band.of(ordered) as usize]).0);
        buckets.max_by_key(|values| values.len()).unwrap_or_default()
    }

    fn insert(&mut self, value: u64, number: u32) {
        self.len += 1;
        let ordered = self.ordered(value);
        for table in &mut self.tables {
            table.insert(table.band.of(ordered) as usize, value, number);
        }
    }

    /// The same code compiled for newer processors where they are.
    fn earliest(&self, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("avx512vl") {
                #[target_feature(enable = "popcnt,avx512f,avx512vl,avx512vpopcntdq")]
                fn earliest(level: &Level, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
                    level.earliest_portable(value, budget, counted)
                }
                // SAFETY: the processor has the features the function is compiled for; one that counts bits has the others.
                return unsafe { earliest(self, value, budget, counted) };
            }
            if is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "popcnt,avx2")]
                fn earliest(level: &Level, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
                    level.earliest_portable(value, budget, counted)
                }
                // SAFETY: the processor has both features the function is compiled for.
                return unsafe { earliest(self, value, budget, counted) };
            }
        }
        self.earliest_portable(value, budget, counted)
    }

    #[inline(always)]
    fn earliest_portable(&self, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
        if self.tables.iter().map(|table| table.masks.len()).sum::<usize>() <= FEW {
            self.look_up::<FEW>(value, budget, counted)
        } else {
            self.look_up::<MANY>(value, budget, counted)
        }
    }

    #[inline(always)]
    fn look_up<const BATCH: usize>(&self, value: u64, budget: u32, counted: Counted<'_>) -> (u32, u32) {
        let ordered = self.ordered(value);
        let (mut best, mut batch, mut used) = (NONE, [(0, 0); BATCH], 0);
        for (i, table) in self.tables.iter().enumerate() {
            let bucket = table.band.of(ordered);
            for mask in &table.masks {
                let at = (bucket ^ u64::from(*mask)) as usize;
                prefetch(&table.headers[at]);
                batch[used] = (i, at);
                used += 1;
                if used == BATCH {
                    best = best.min(self.scan::<BATCH>(&batch, value, budget, counted));
                    used = 0;
                }
            }
        }
        best.min(self.scan::<BATCH>(&batch[..used], value, budget, counted))
    }

    /// The best match in these buckets of tables, `BATCH` at most.
    #[inline(always)]
    fn scan<const BATCH: usize>(
        &self,
        buckets: &[(usize, usize)],
        value: u64,
        budget: u32,
        counted: Counted<'_>,
    ) -> (u32, u32) {
        let (mut runs, mut used, mut best) = ([(&[][..], &[][..]); BATCH], 0, NONE);
        for (table, bucket) in buckets {
            let table = &self.tables[*table];
            let header = table.headers[*bucket];
            if header != 0 {
                let (values, numbers) = table.run(header);
                values.iter().step_by(8).take(2).for_each(prefetch);
                runs[used] = (values, numbers);
                used += 1;
            }
        }
        for (values, numbers) in &runs[..used] {
            if let Some(i) = first_counted(values, numbers, value, budget, counted) {
                best = best.min((numbers[i], (values[i] ^ value).count_ones()));
            }
        }
        best
    }

    /// All values with their numbers.
    fn entries(&self) -> Vec<(u32, u64)> {
        let runs = self.tables.first().map(|table| table.headers.iter().map(|header| table.run(*header)));
        runs.into_iter()
            .flatten()
            .flat_map(|(values, numbers)| numbers.iter().copied().zip(values.iter().copied()))
            .collect()
    }

    fn bytes(&self) -> usize {
        let tables = self.tables.iter().map(|table| {
            table.masks.capacity() * 4 + size_of::<BandTable>() + table.headers.capacity() * 8 + table.arena.bytes()
        });
        tables.sum::<usize>() + self.order.as_ref().map_or(0, |_| BitOrder::BYTES)
    }
}

impl BandTable {
    fn new(band: Band) -> Self {
        Self { band, masks: band.masks(), headers: vec![0; 1 << band.width], arena: Arena::default() }
    }

    /// What is in the bucket of this header.
    #[inline(always)]
    fn run(&self, header: u64) -> (&[u64], &[u32]) {
        let (address, len) = split(header);
        if len == 0 { (&[], &[]) } else { self.arena.run(address, len as usize) }
    }

    fn insert(&mut self, bucket: usize, value: u64, number: u32) {
        let (mut address, len) = split(self.headers[bucket]);
        let slots = len as usize;
        if slots == 0 {
            address = self.arena.take(MIN_LOG);
        } else if slots.is_power_of_two() && slots >= 1 << MIN_LOG {
            let log = slots.ilog2();
            address = self.arena.resize(address, slots, log, log + 1);
        }
        self.arena.write(address, slots, value, number);
        self.headers[bucket] = u64::from(address) << 32 | u64::from(len + 1);
    }
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
            let portable = tables.levels.iter().map(|level| level.earliest_portable(value, 4, Counted::ALL)).min();
            assert_eq!(tables.earliest(value), portable.filter(|found| *found != NONE));
            tables.insert(value, i);
        }
    }
}
