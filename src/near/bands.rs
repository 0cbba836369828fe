//! Permuted-band tables: they find the fingerprints that differ from a given one in few bits.
//!
//! For example, at a distance of 3 the 64 bits are cut into four bands of 16. Two fingerprints that differ in 3 bits agree in at least one
//! band. So a query looks only at fingerprints that have one of its four bands.
//!
//! Each band of the `BandPlan` has a table of buckets, addressed by the value of the band. A bucket is one contiguous run of (rest, number)
//! pairs. The rest is the bits beside the band, folded into 32. A query looks at all buckets within the band's flips. If a rest is near,
//! and no earlier fingerprint was found, it compares the whole fingerprint, which is stored once for all bands. The answer is the smallest
//! number over all buckets.
//!
//! A fingerprint whose bucket is crowded goes to the next level. This is another set of tables, whose bands lie over the bits in which such
//! fingerprints differ (see `crowd`). A query asks all levels. Nothing is ever left out, so the answer equals that of a linear scan,
//! however skewed the fingerprints are. The time of a query or an insertion grows as a small power of the number of fingerprints.
//!
//! An attacker cannot make it much worse. Fingerprints within a few bits of one centre cost most: they agree in most bits, so for every
//! choice of bands a large part of them falls into the same buckets.
//!
//! `benches/RESULTS.md` has the figures, under *Near index*.

use super::arena::{Arena, MIN_LOG, Pairs, TOGETHER};
use super::band_plan::{Band, BandPlan};
use super::crowd::{BitOrder, learn};
use super::run::{Lookup, Run};
use super::segments::Counted;
use crate::hash::memory::{LEAST_GROWTH, make_room};
use crate::prefetch::prefetch;

/// A bucket of the first level is crowded from this length on. At each next level, the length is `CROWDED_FACTOR` times larger.
const CROWDED_BUCKET_FROM: usize = 512;
const CROWDED_FACTOR: usize = 16;
/// Most levels. The last one takes everything.
const MOST_LEVELS: usize = 5;
/// How many lookups are made together, so that their cache misses overlap: for a plan with few lookups, with some, and with more.
const BATCH_OF_FEW: usize = 8;
const BATCH_OF_SOME: usize = 24;
const BATCH_OF_MANY: usize = 64;

/// The search structure for "the earliest within the distance".
///
/// ```
/// use quchong::near::bands::BandTables;
///
/// let mut tables = BandTables::new(4, 1_000_000);
/// let fingerprint = 0x0123_4567_89ab_cdef;
/// tables.insert(fingerprint);
/// assert_eq!(tables.earliest(fingerprint ^ 0b1111), Some((0, 4)));
/// assert_eq!(tables.earliest(fingerprint ^ 0b11111), None);
/// ```
pub struct BandTables {
    max_distance: u32,
    /// By number.
    values: Vec<u64>,
    /// Never empty. Fingerprints that crowd one level are in a later one.
    levels: Vec<Level>,
}

impl BandTables {
    /// Makes empty tables, complete for `max_distance` and shaped for about `expected` fingerprints. With more fingerprints the answers are
    /// still exact, only slower. The distance is 0..=64, and a larger one counts as 64. [`MAX_DISTANCE`](crate::config::MAX_DISTANCE) is
    /// the largest that a [`Config`](crate::Config) takes.
    pub fn new(max_distance: u32, expected: u64) -> Self {
        let max_distance = max_distance.min(64);
        let plan = BandPlan::choose(64, max_distance, expected);
        Self { max_distance, values: Vec::new(), levels: vec![Level::new(None, &plan, expected)] }
    }

    /// Stores a fingerprint. Fingerprints are numbered from 0, in the order of insertion. There can be `u32::MAX` of them.
    pub fn insert(&mut self, fingerprint: u64) {
        let number = self.values.len() as u32;
        make_room(&mut self.values, LEAST_GROWTH);
        self.values.push(fingerprint);
        self.store(fingerprint, number);
    }

    /// Puts a fingerprint into the first level that it does not crowd.
    fn store(&mut self, fingerprint: u64, number: u32) {
        for i in 0..MOST_LEVELS {
            let Some(level) = self.levels.get_mut(i) else { break };
            let longest =
                if i + 1 < MOST_LEVELS { CROWDED_BUCKET_FROM * CROWDED_FACTOR.pow(i as u32) } else { usize::MAX };
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

    /// Returns the smallest number whose fingerprint is within the distance, and that distance.
    pub fn earliest(&self, fingerprint: u64) -> Option<(u32, u32)> {
        self.earliest_of(fingerprint, Counted::ALL)
    }

    /// The same among the fingerprints that count.
    pub(super) fn earliest_of(&self, fingerprint: u64, counted: Counted<'_>) -> Option<(u32, u32)> {
        let lookup = Lookup { value: fingerprint, budget: self.max_distance, values: &self.values, counted };
        let found = self.levels.iter().fold(NO_MATCH, |best, level| level.earliest(&lookup, best));
        (found != NO_MATCH).then_some(found)
    }

    /// Heap bytes in use, including zeroed pages that were never touched.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(Level::bytes).sum::<usize>() + self.values.capacity() * 8
    }

    /// Adds a level for the fingerprints that crowd the last one. It is shaped by the bucket in which this fingerprint is one too many.
    #[inline(never)]
    fn add_level(&mut self, fingerprint: u64, number: u32) {
        let numbers = self.levels.last().map(|level| level.crowd(fingerprint)).unwrap_or_default();
        let crowd: Vec<u64> = numbers.iter().map(|number| self.values[*number as usize]).collect();
        let expected = crowd.len() as u64 * 4;
        let (order, plan) = learn(&crowd, self.max_distance, expected);
        let mut level = Level::new(Some(order), &plan, expected);
        level.insert(fingerprint, number);
        self.levels.push(level);
    }

    /// Rebuilds a level together with all later ones. The new level is shaped by their content, for four times as many fingerprints.
    #[inline(never)]
    fn rebuild(&mut self, level: usize) {
        let mut numbers: Vec<u32> = self.levels.drain(level..).flat_map(|level| level.numbers()).collect();
        numbers.sort_unstable();
        let values: Vec<u64> = numbers.iter().map(|number| self.values[*number as usize]).collect();
        let expected = values.len() as u64 * 4;
        let (order, plan) = learn(&values, self.max_distance, expected);
        self.levels.push(Level::new(Some(order), &plan, expected));
        for (number, value) in numbers.into_iter().zip(values) {
            self.store(value, number);
        }
    }

    /// How many levels there are.
    #[cfg(test)]
    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }
}

/// A number and a distance that are larger than those of every match.
const NO_MATCH: (u32, u32) = (u32::MAX, u32::MAX);

/// Complete tables over some of the fingerprints.
struct Level {
    /// The order in which the bands take the bits. `None`: as they are.
    order: Option<BitOrder>,
    tables: Vec<BandTable>,
    len: u64,
    /// The length from which the level is rebuilt, if it was shaped by its content.
    outgrown: u64,
}

/// A bucket to look at, the rest of the query beside the band, and how many bits a stored rest may differ from it.
#[derive(Clone, Copy, Default)]
struct Probe {
    table: u32,
    bucket: u32,
    rest: u32,
    left: u32,
}

/// The buckets of one band.
struct BandTable {
    band: Band,
    masks: Vec<u32>,
    /// By band value: block address << 32 | length. 0 means an empty bucket.
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

    /// Whether one of the buckets of a value is at least `longest` long.
    fn is_crowded(&self, value: u64, longest: usize) -> bool {
        let ordered = self.ordered(value);
        // A band of no bits is the linear scan, chosen because it is cheaper.
        let tables = self.tables.iter().filter(|table| table.band.width > 0);
        tables.into_iter().any(|table| split(table.headers[table.band.of(ordered) as usize]).1 as usize >= longest)
    }

    /// The numbers of the values in the longest bucket of a value.
    fn crowd(&self, value: u64) -> &[u32] {
        let ordered = self.ordered(value);
        let buckets = self.tables.iter().map(|table| table.run(table.headers[table.band.of(ordered) as usize]).2);
        buckets.max_by_key(|numbers| numbers.len()).unwrap_or_default()
    }

    fn insert(&mut self, value: u64, number: u32) {
        self.len += 1;
        let ordered = self.ordered(value);
        for table in &mut self.tables {
            table.insert(table.band.of(ordered) as usize, table.band.rest(ordered), number);
        }
    }

    /// The same as [`earliest_portable`](Self::earliest_portable), compiled for newer processors if this is one.
    fn earliest(&self, lookup: &Lookup<'_>, best: (u32, u32)) -> (u32, u32) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("avx512vl") {
                #[target_feature(enable = "popcnt,avx512f,avx512vl,avx512vpopcntdq")]
                fn earliest(level: &Level, lookup: &Lookup<'_>, best: (u32, u32)) -> (u32, u32) {
                    level.earliest_portable(lookup, best)
                }
                // SAFETY: the processor has the features the function is compiled for; one that counts bits has the others.
                return unsafe { earliest(self, lookup, best) };
            }
            if is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "popcnt,avx2")]
                fn earliest(level: &Level, lookup: &Lookup<'_>, best: (u32, u32)) -> (u32, u32) {
                    level.earliest_portable(lookup, best)
                }
                // SAFETY: the processor has both features the function is compiled for.
                return unsafe { earliest(self, lookup, best) };
            }
        }
        self.earliest_portable(lookup, best)
    }

    /// Returns the better of `best` and the best match of this level.
    #[inline(always)]
    fn earliest_portable(&self, lookup: &Lookup<'_>, best: (u32, u32)) -> (u32, u32) {
        let probes: usize = self.tables.iter().map(|table| table.masks.len()).sum();
        if probes <= BATCH_OF_FEW {
            self.look_up::<BATCH_OF_FEW>(lookup, best)
        } else if probes <= BATCH_OF_SOME {
            self.look_up::<BATCH_OF_SOME>(lookup, best)
        } else {
            self.look_up::<BATCH_OF_MANY>(lookup, best)
        }
    }

    #[inline(always)]
    fn look_up<const BATCH: usize>(&self, lookup: &Lookup<'_>, mut best: (u32, u32)) -> (u32, u32) {
        let ordered = self.ordered(lookup.value);
        let (mut batch, mut used) = ([Probe::default(); BATCH], 0);
        for (i, table) in self.tables.iter().enumerate() {
            let (bucket, rest) = (table.band.of(ordered), table.band.rest(ordered));
            for mask in &table.masks {
                let at = (bucket ^ u64::from(*mask)) as usize;
                prefetch(&table.headers[at]);
                batch[used] =
                    Probe { table: i as u32, bucket: at as u32, rest, left: lookup.budget - mask.count_ones() };
                used += 1;
                if used == BATCH {
                    best = self.scan::<BATCH>(&batch, lookup, best);
                    used = 0;
                }
            }
        }
        self.scan::<BATCH>(&batch[..used], lookup, best)
    }

    /// Returns the better of `best` and the best match of these lookups, at most `BATCH`.
    #[inline(always)]
    fn scan<const BATCH: usize>(&self, probes: &[Probe], lookup: &Lookup<'_>, mut best: (u32, u32)) -> (u32, u32) {
        let (mut runs, mut used) = ([Run::default(); BATCH], 0);
        for Probe { table, bucket, rest, left } in probes {
            let table = &self.tables[*table as usize];
            let header = table.headers[*bucket as usize];
            if header != 0 {
                let (lines, skip, numbers) = table.run(header);
                lines.iter().take(2).for_each(prefetch);
                runs[used] = Run { lines, skip, numbers, rest: *rest, left: *left };
                used += 1;
            }
        }
        let (mut found, mut near) = ([(0, 0); BATCH], 0);
        for (i, run) in runs[..used].iter().enumerate() {
            if let Some(first) = run.first_near(0) {
                run.numbers.get(first).into_iter().for_each(prefetch);
                found[near] = (i as u32, first as u32);
                near += 1;
            }
        }
        for (i, first) in &found[..near] {
            best = runs[*i as usize].best(*first as usize, lookup, best);
        }
        best
    }

    /// The numbers of all values in this level.
    fn numbers(&self) -> Vec<u32> {
        let runs = self.tables.first().map(|table| table.headers.iter().map(|header| table.run(*header).2));
        runs.into_iter().flatten().flatten().copied().collect()
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

    /// Returns the content of the bucket with this header.
    #[inline(always)]
    fn run(&self, header: u64) -> (&[[u32; TOGETHER]], usize, &[u32]) {
        let (address, len) = split(header);
        if len == 0 { (&[], 0, &[]) } else { self.arena.run(address, len as usize) }
    }

    fn insert(&mut self, bucket: usize, rest: u32, number: u32) {
        let (mut address, len) = split(self.headers[bucket]);
        let slots = len as usize;
        if slots == 0 {
            address = self.arena.take(MIN_LOG);
        } else if slots.is_power_of_two() && slots >= 1 << MIN_LOG {
            let log = slots.ilog2();
            address = self.arena.resize(address, slots, log, log + 1);
        }
        self.arena.write(address, slots, rest, number);
        self.headers[bucket] = u64::from(address) << 32 | u64::from(len + 1);
    }
}

/// Splits a header into address and length.
#[inline(always)]
fn split(header: u64) -> (u32, u32) {
    ((header >> 32) as u32, header as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::GOLDEN;

    #[test]
    fn all_processors_agree() {
        let mut tables = BandTables::new(4, 3_000);
        for i in 0..6_000u32 {
            // Odd multiples with a few bits changed: there are many close pairs, and the low band is crowded.
            let value = u64::from(i % 700).wrapping_mul(GOLDEN) << 16 ^ 1 << (i % 61);
            let lookup = Lookup { value, budget: 4, values: &tables.values, counted: Counted::ALL };
            let portable = tables.levels.iter().map(|level| level.earliest_portable(&lookup, NO_MATCH)).min();
            assert_eq!(tables.earliest(value), portable.filter(|found| *found != NO_MATCH));
            tables.insert(value);
        }
    }
}
