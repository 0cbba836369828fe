//! Chooses the lists that a query reads, and counts which kept bodies have enough in common with the new one.
//!
//! For example, a kept body must share six tokens with 今天武汉的樱花开了, and thousands of bodies have 今天. A body that shares six has four beside
//! 今天, so it is in another list, too, and the list of 今天 is left out. More lists are left out as long as the tokens that they span
//! together are too few to make a repeat. In the other lists the query counts how many tokens each body shares.

use std::ops::Range;

use super::bodies::{BodyWindow, LENGTHS};
use super::features::{Feature, lengths};
use super::postings::Postings;
use crate::hash::table::{MultiplyShift, probe};
use crate::rule::bounds::LONG;

/// Lists up to this length are always read: leaving them out saves little and makes the count less exact.
const SHORT_LIST: usize = 16;
/// The margin. The lists left out span fewer tokens than the least, by a third of it, or by half of it if they are lists of bigrams, but
/// by at most 12 tokens. So a feature that is shared by chance does not make a body a candidate.
const MARGIN: usize = 12;
/// To leave out a list longer than this, the margin shrinks to 1: reading the list takes longer than comparing the bodies of the others.
const LONG_LIST: usize = 3000;
/// Bits of a place in a tally, and of a count. The query's stamp is in the bits above both.
const BITS: u32 = 10;
/// The largest count and place.
const FULL: u32 = (1 << BITS) - 1;
/// The largest stamp.
const STAMPS: u32 = (1 << (32 - 2 * BITS)) - 1;

/// Up to this many entries, a table of `SEEN` bits first tells whether two may have the same slot. Only then is the hash table made.
const FEW_ENTRIES: usize = 32;
const SEEN: usize = 2048;

/// Which lists to read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// Lists of bigrams, for kept bodies of this class.
    Bigrams(usize),
    /// Lists of runs, for long kept bodies.
    Runs,
}

impl ListKind {
    /// The lengths of the kept bodies in the lists, both ends included.
    fn lengths(self) -> (usize, usize) {
        match self {
            Self::Bigrams(class) => lengths(class),
            Self::Runs => (LONG, LENGTHS),
        }
    }

    /// By how many tokens the lists that are left out must span fewer than the `least`.
    fn margin(self, least: usize) -> usize {
        let part = if self == Self::Runs { 3 } else { 2 };
        (least / part).clamp(1, MARGIN)
    }
}

/// One feature of the new body, and its list.
struct Listed {
    slot: usize,
    /// How many numbers the list has.
    len: usize,
    tokens: Range<usize>,
    /// 1 + the index of the next entry with the same slot, or 0.
    next: u32,
    /// Whether an earlier entry has the same slot, and stands for all entries of the slot.
    is_repeated: bool,
    is_left_out: bool,
    /// Whether the list has become a set.
    is_set: bool,
}

/// A list to read.
struct Scan {
    slot: usize,
    /// If the list has become a set: where its numbers are in [`Reading::spelled`].
    spelled: Option<Range<usize>>,
    /// How many numbers were read already.
    read: usize,
    /// How many numbers the list has.
    len: usize,
    /// The units that the feature spans.
    start: u32,
    end: u32,
    /// How many units the feature spans at its later places.
    more: u32,
}

/// Lists that are counted together. Only a collision of hashes can bring a kept body with other features into them.
struct Group {
    scans: Range<usize>,
    /// By length of a kept body, the count that makes it a candidate. `least` is the smallest of these.
    needs: [u32; LENGTHS],
    least: u32,
}

/// A need that no count reaches.
const NEVER: u32 = u32::MAX;

/// How many tallies there are, however large the window is. This many stay in a processor's cache.
const TALLIES: usize = if cfg!(test) { 1 << 5 } else { 1 << 15 };
/// For how many bodies the reading remembers that they reached what they need.
const REACHERS: usize = if cfg!(test) { 1 << 4 } else { 1 << 10 };

/// The reading of one query, and the memory that all queries share.
pub(super) struct Reading {
    scans: Vec<Scan>,
    groups: Vec<Group>,
    /// Sets of the runs that are not left out. A body in one of them is a candidate whatever its count.
    sets: Vec<u32>,
    /// Numbers of sets that are counted one by one. This is rare: only runs become sets, so a bigram must share the slot by chance.
    spelled: Vec<u32>,
    /// By number modulo their count, from the upper bits on: the query's stamp (12 bits), the end of the last span that was counted (10),
    /// and how many units the kept body may have in common by the lists read so far (10).
    ///
    /// A foreign stamp means a count of 0, so that nothing needs clearing. A span adds what it has after the end of the last one, so that
    /// each token counts once; tokens of lists that were left out have no width. Later places of a slot are added in full. So a count may
    /// be too large, and never too small. This also holds for bodies that share a tally, which add to each other's counts.
    tallies: Box<[u32; TALLIES]>,
    /// By number modulo their count: the stamp, and a body that reached what it needs.
    reachers: Box<[[u32; 2]; REACHERS]>,
    stamp: u32,
    /// log2 of the tokens of a unit. A unit is 1 token, except in very long bodies.
    unit_log: u32,
    entries: Vec<Listed>,
    /// A table to [probe] by slot: 1 + the index of the first entry of the slot, or 0.
    table: Vec<u32>,
    /// Indices of the entries with long lists.
    order: Vec<u32>,
    covered: Vec<bool>,
    /// For each token and for the end: how many tokens before it are in no list left out. Empty if no list is.
    before: Vec<usize>,
    /// Numbers whose count reached the least of the group.
    reached: Vec<u32>,
    factor: MultiplyShift,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            scans: Vec::new(),
            groups: Vec::new(),
            sets: Vec::new(),
            spelled: Vec::new(),
            tallies: Box::new([0; TALLIES]),
            reachers: Box::new([[0; 2]; REACHERS]),
            stamp: 0,
            unit_log: 0,
            entries: Vec::new(),
            table: Vec::new(),
            order: Vec::new(),
            covered: Vec::new(),
            before: Vec::new(),
            reached: Vec::new(),
            factor: MultiplyShift::default(),
        }
    }
}

impl Reading {
    /// Begins a query for a body of `len` tokens.
    pub(crate) fn begin(&mut self, len: usize) {
        self.scans.clear();
        self.groups.clear();
        self.sets.clear();
        self.unit_log = (0..).find(|log| len >> log < FULL as usize).unwrap_or_default();
    }

    /// Chooses the lists of a kind to read for features of a body of `len` tokens, which come in order. A kept body in these lists must
    /// have at least `least` tokens in common that these features span. `need` says how many a body of a certain length must have, or
    /// `None` if it cannot be possible. The longest lists are left out, as long as they span too few tokens to make a body possible that
    /// is in no other list.
    pub(crate) fn choose(
        &mut self,
        features: &[Feature],
        kind: ListKind,
        len: usize,
        least: usize,
        need: impl Fn(usize) -> Option<usize>,
        postings: &Postings,
    ) {
        self.list_features(features, postings);
        self.covered.clear();
        self.covered.resize(len, false);
        let left_out = self.leave_out(least, kind.margin(least));
        self.before.clear();
        // If no list is left out, this stays empty: the places are the counts.
        if left_out > 0 {
            let mut before = 0;
            for covered in &self.covered {
                self.before.push(before);
                before += usize::from(!covered);
            }
            self.before.push(before);
        }
        let units = |need: usize| (need.saturating_sub(left_out).div_ceil(1 << self.unit_log) as u32).clamp(1, FULL);
        let (shortest, longest) = kind.lengths();
        let (mut needs, mut least) = ([NEVER; LENGTHS], NEVER);
        for (length, needed) in needs.iter_mut().enumerate().take(longest.saturating_add(1)).skip(shortest) {
            *needed = need(length).map_or(NEVER, units);
            least = least.min(*needed);
        }
        let first = self.scans.len();
        for entry in self.entries.iter().filter(|entry| !entry.is_repeated && !entry.is_left_out) {
            let units = |entry: &Listed| {
                let before = |at: usize| if left_out > 0 { self.before[at] } else { at };
                let (start, end) = (before(entry.tokens.start), before(entry.tokens.end));
                ((start >> self.unit_log) as u32, end.div_ceil(1 << self.unit_log) as u32)
            };
            let (start, end) = units(entry);
            let more = places(&self.entries, entry).skip(1).map(|entry| units(entry).1 - units(entry).0).sum::<u32>();
            if end + more > start {
                let (slot, len) = (entry.slot, entry.len);
                match postings.set(slot) {
                    Some(set) if kind == ListKind::Runs => self.sets.push(set),
                    _ => self.scans.push(Scan { slot, spelled: None, read: 0, len, start, end, more: more.min(FULL) }),
                }
            }
        }
        self.groups.push(Group { scans: first..self.scans.len(), needs, least });
    }

    /// The sets of the chosen runs.
    pub(crate) fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// How many groups of lists were chosen.
    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Fills `entries` with the features that have a list.
    fn list_features(&mut self, features: &[Feature], postings: &Postings) {
        self.entries.clear();
        // All lookups come at once, so that their cache misses overlap.
        self.entries.extend(features.iter().map(|feature| {
            let slot = postings.slot(feature.hash);
            let tokens = feature.start as usize..feature.end as usize;
            let is_set = postings.set(slot).is_some();
            Listed { slot, len: postings.len(slot), tokens, next: 0, is_repeated: false, is_left_out: false, is_set }
        }));
        self.entries.retain(|entry| entry.len > 0);
        if !self.may_repeat() {
            return;
        }
        self.table.clear();
        self.table.resize((self.entries.len() * 4).next_power_of_two(), 0);
        // From the end, so that each entry can point to the next one.
        for at in (0..self.entries.len()).rev() {
            let slot = self.entries[at].slot;
            let first = self.factor.place(slot as u64, self.table.len());
            let place = probe(&self.table, first, |entry| self.entries[entry].slot != slot);
            if self.table[place] > 0 {
                self.entries[self.table[place] as usize - 1].is_repeated = true;
                self.entries[at].next = self.table[place];
            }
            self.table[place] = at as u32 + 1;
        }
    }

    /// Whether two entries may have the same slot. If there are few entries, this is rare.
    fn may_repeat(&self) -> bool {
        let mut seen = [0_u64; SEEN / 64];
        self.entries.len() > FEW_ENTRIES
            || self.entries.iter().any(|entry| {
                let (word, bit) = (entry.slot % SEEN / 64, 1 << (entry.slot % 64));
                let is_seen = seen[word] & bit != 0;
                seen[word] |= bit;
                is_seen
            })
    }

    /// Leaves out the longest lists that it may, marks the tokens that they span as `covered`, and returns how many these are. They are
    /// fewer than the `least` by the margin.
    fn leave_out(&mut self, least: usize, margin: usize) -> usize {
        self.order.clear();
        let long = self.entries.iter().zip(0..).filter(|(entry, _)| entry.len > SHORT_LIST && !entry.is_repeated);
        self.order.extend(long.map(|(_, at)| at));
        self.order.sort_unstable_by_key(|at| (std::cmp::Reverse(self.entries[*at as usize].len), *at));
        let mut left_out = 0;
        for at in &self.order {
            let entry = &self.entries[*at as usize];
            let margin = if entry.len > LONG_LIST || entry.is_set { 1 } else { margin };
            let bare = |entry: &Listed| self.covered[entry.tokens.clone()].iter().filter(|covered| !**covered).count();
            // Overlapping places are counted twice here. So at worst too few lists are left out.
            let fresh: usize = places(&self.entries, entry).map(bare).sum();
            if left_out + fresh + margin <= least {
                for entry in places(&self.entries, entry) {
                    left_out += self.covered[entry.tokens.clone()].iter().filter(|covered| !**covered).count();
                    self.covered[entry.tokens.clone()].fill(true);
                }
                self.entries[*at as usize].is_left_out = true;
            }
        }
        left_out
    }

    /// Skips the bodies before the `oldest` in all lists.
    pub(crate) fn skip_expired(&mut self, postings: &Postings, oldest: u32) {
        // All prefetches come at once, so that their cache misses overlap.
        self.scans.iter().for_each(|scan| postings.prefetch_list(scan.slot));
        self.spelled.clear();
        for scan in &mut self.scans {
            scan.read = if let Some(set) = postings.set(scan.slot) {
                let first = self.spelled.len();
                postings.sets.get(set).each(oldest, |number| self.spelled.push(number));
                self.spelled[first..].sort_unstable_by_key(|number| number.wrapping_sub(oldest));
                scan.spelled = Some(first..self.spelled.len());
                scan.len = self.spelled.len() - first;
                0
            } else {
                scan.len - postings.live(scan.slot, oldest).len()
            };
        }
    }

    /// How many numbers are still to be read.
    pub(crate) fn unread(&self) -> usize {
        self.scans.iter().map(|scan| scan.len - scan.read).sum()
    }

    /// Reads the lists of a group on, up to the `end`-th body from the `oldest`, or to the last. Returns the numbers of the bodies that
    /// may have enough in common, judged by all that was read. They come in no order, and some may come more than once.
    pub(crate) fn count(
        &mut self,
        group: usize,
        postings: &Postings,
        bodies: &BodyWindow,
        oldest: u32,
        end: Option<usize>,
    ) -> &[u32] {
        let group = &self.groups[group];
        self.stamp += 1;
        if self.stamp > STAMPS {
            self.tallies.fill(0);
            self.reachers.fill([0; 2]);
            self.stamp = 1;
        }
        let (stamp, fresh, least) = (self.stamp, self.stamp << (2 * BITS), group.least);
        self.reached.clear();
        for scan in &mut self.scans[group.scans.clone()] {
            let all = scan.spelled.clone().map_or_else(|| postings.all(scan.slot), |spelled| &self.spelled[spelled]);
            let mut numbers = &all[scan.read..];
            let is_beyond = |end: &usize| numbers.last().is_some_and(|last| last.wrapping_sub(oldest) as usize >= *end);
            if let Some(end) = end.filter(is_beyond) {
                numbers = &numbers[..numbers.partition_point(|number| (number.wrapping_sub(oldest) as usize) < end)];
            }
            scan.read += numbers.len();
            let Scan { start, end, more, .. } = *scan;
            for &number in numbers {
                let tally = &mut self.tallies[number as usize % TALLIES];
                let old = if *tally >> (2 * BITS) == stamp { *tally } else { fresh };
                let (last, before) = (old >> BITS & FULL, old & FULL);
                let now = (before + end - start.max(last) + more).min(FULL);
                *tally = fresh | end << BITS | now;
                if now >= least {
                    self.reached.push(number);
                }
            }
        }
        let needs = &group.needs;
        self.reached.retain(|number| {
            let now = self.tallies[*number as usize % TALLIES] & FULL;
            let reacher = &mut self.reachers[*number as usize % REACHERS];
            let is_reached = now >= needs[bodies.capped_length(*number) % LENGTHS]
                && std::mem::replace(reacher, [stamp, *number]) != [stamp, *number];
            if is_reached {
                bodies.prefetch(number.wrapping_sub(oldest) as usize);
            }
            is_reached
        });
        &self.reached
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.tallies)
            + size_of_val(&*self.reachers)
            + self.scans.capacity() * size_of::<Scan>()
            + self.groups.capacity() * size_of::<Group>()
            + self.entries.capacity() * size_of::<Listed>()
            + self.before.capacity() * size_of::<usize>()
            + [&self.sets, &self.spelled, &self.table, &self.order, &self.reached]
                .map(|numbers| numbers.capacity() * 4)
                .iter()
                .sum::<usize>()
            + self.covered.capacity()
    }
}

/// An entry that is not repeated, and all other entries of its slot.
fn places<'a>(entries: &'a [Listed], first: &'a Listed) -> impl Iterator<Item = &'a Listed> {
    std::iter::successors(Some(first), |entry| entry.next.checked_sub(1).map(|next| &entries[next as usize]))
}
