//! One search: it finds the kept bodies that a new one could repeat, earliest first.
//!
//! 1. It chooses the lists to read ([`reading`](super::reading)): bigrams if one of the bodies is short, runs if both are long.
//! 2. If many bodies share the features, a [query](super::query) rules out most of them by their keys.
//! 3. It goes through the kept bodies in parts, the oldest first. It offers the bodies that have enough in common with the new one and that
//!    their bitmaps do not rule out, until the caller accepts one.

use std::ops::Range;

use super::bodies::LENGTHS;
use super::features::{CLASSES, Feature, bigrams, class, lengths, outer_runs};
use super::gate::{self, Gate};
use super::query::Query;
use super::reading::{ListKind, Reading};
use super::sets::BLOCK;
use super::short_floods::{self, Chosen};
use super::slots::Slots;
use super::{Asked, Candidate, Overlap};
use crate::rule::bounds::{LONG, QUOTED};

/// A search goes through the bodies in parts of about this many postings, oldest first. If thousands of bodies share most features, the
/// answer is usually the first of them, and the rest need not be read.
const PART: usize = 8192;
/// The most parts. More would take time, because each part takes a binary search in every list.
const MOST_PARTS: usize = 64;
/// Most bodies of a part if sets are read, in [blocks](super::sets).
const SET_PART: usize = 4;

/// The search announces a body to the caller this many bodies ahead of the current one, so that the caller can prefetch it.
const AHEAD: usize = 16;

/// If at most this many bodies share bigrams of short floods with the new one, the rule compares each of them.
const FEW_SHARING: usize = 128;

/// The memory that one search after another uses.
#[derive(Default)]
pub(crate) struct Buffers {
    reading: Reading,
    /// The keys of short floods that the search reads.
    chosen: Chosen,
    /// The bodies of short floods to look at, if they are few: indices from the oldest, falling.
    few: Vec<u32>,
    slots: Slots,
    /// The body's bigrams, hashed in turn for the lists of each class that is read, except those of its own class.
    bigrams: Vec<Feature>,
    /// Bodies to offer, as indices from the oldest.
    left: Vec<u32>,
    /// How many searches from a [mark](Overlap::mark) on passed the table of features.
    pub(crate) since_mark: usize,
}

impl Buffers {
    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.few.capacity() + self.left.capacity();
        self.reading.bytes()
            + self.chosen.bytes()
            + self.slots.bytes()
            + self.bigrams.capacity() * size_of::<Feature>()
            + numbers * size_of::<u32>()
    }
}

impl Overlap {
    /// Offers the kept bodies that the bounds make possible, and a few more, until `accept` returns something, and returns that. The bodies
    /// have numbers in `among` and the same scope as the new one, and come by rising number. `least` gives, by the length of a kept body,
    /// how many tokens of the new one it must cover. If a body's bitmap shows that it covers fewer, it is not offered. `coming` is called
    /// with the numbers of some bodies that may be offered soon.
    pub(crate) fn search<T>(
        &self,
        buffers: &mut Buffers,
        asked: Asked<'_>,
        among: Range<u64>,
        least: impl Fn(usize) -> usize,
        coming: impl Fn(u64),
        mut accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        let first = self.bodies.oldest();
        let index = |number: u64| number.saturating_sub(first).min(self.bodies.len() as u64) as usize;
        let (skipped, live) = (index(among.start), index(among.end));
        if asked.body.tokens.len() < 2 || skipped >= live {
            return None;
        }
        let gate = self.since.as_ref().filter(|(since, _)| *since == among.start).map(|(_, gate)| gate);
        self.choose(buffers, asked, gate);
        if buffers.reading.group_count() == 0 {
            return None;
        }
        buffers.since_mark += usize::from(gate.is_some());
        let oldest = first as u32;
        buffers.reading.skip_expired(&self.postings, oldest.wrapping_add(skipped as u32));
        let part = (live - skipped).div_ceil((buffers.reading.unread() / PART).clamp(1, MOST_PARTS));
        let is_flood = !self.has_few(buffers, skipped..live) || !buffers.reading.sets().is_empty();
        let (sets, keys) = (buffers.reading.sets(), buffers.chosen.wanted());
        let mut query = is_flood.then(|| {
            let mut query = Query::new(&self.postings, oldest, skipped..live);
            let all = query.union_of(|union| {
                sets.iter().for_each(|set| union.add_set(*set));
                keys.iter().for_each(|key| union.add_key(*key));
            });
            query.select(all);
            self.floods.add_steps(&mut buffers.slots, asked, &mut query, &least);
            query
        });
        let blocks = (part / BLOCK as usize).clamp(1, SET_PART);
        for parts in 1.. {
            let end = query.as_ref().map_or(skipped + parts * part, |query| query.bodies((parts * blocks) as u32));
            self.fill_left(buffers, asked, end.min(live), query.as_mut(), &least, &coming);
            for (at, index) in buffers.left.iter().enumerate() {
                if let Some(ahead) = buffers.left.get(at + AHEAD) {
                    self.bodies.prefetch_tokens(*ahead as usize);
                    coming(first + u64::from(*ahead));
                }
                if !self.bodies.bitmap_may_cover(*index as usize, &least, &asked.features.hashes) {
                    continue;
                }
                let Some(kept) = self.bodies.get(*index as usize).filter(|kept| kept.scope == asked.body.scope) else {
                    continue;
                };
                let number = first + u64::from(*index);
                let found = accept(Candidate { number, pos: kept.pos, tokens: kept.tokens });
                if found.is_some() {
                    return found;
                }
            }
            if end >= live {
                break;
            }
        }
        None
    }

    /// Whether a body of `len` tokens may be a clause of a long one.
    fn is_quotable(&self, len: usize) -> bool {
        self.bounds.quotes && QUOTED.contains(&len)
    }

    /// Chooses the lists to read: bigrams if one body is short, runs if both are long or the kept one has all of the new one.
    /// If there is a `gate`, it has the features of all bodies that the search asks for.
    fn choose(&self, buffers: &mut Buffers, asked: Asked<'_>, gate: Option<&Gate>) {
        let (tokens, hasher) = (asked.body.tokens, self.hasher.within(asked.body.scope));
        let len = tokens.len();
        let (short, long) = asked.features.split();
        buffers.reading.begin(len);
        buffers.chosen.begin();
        let is_long = len >= LONG;
        long.iter().filter(|_| gate.is_none()).for_each(|run| self.postings.prefetch(self.postings.slot(run.hash)));
        let may_share = |features: &[Feature], least| {
            gate.is_none_or(|gate| gate::may_share(features, len, least, |feature| gate.has(feature)))
        };
        if len <= self.bounds.longest_partner() {
            // For each class: the fewest tokens that a kept body of the class must cover. `None` if none of its lengths is possible.
            let least: [Option<usize>; CLASSES] = std::array::from_fn(|class| {
                let (shortest, longest) = lengths(class);
                let is_wanted = !is_long || longest < LONG;
                if is_wanted { self.bounds.least_covered_of_short(shortest, longest, len) } else { None }
            });
            let (own, wanted) = (class(len), (0..CLASSES).filter_map(|class| Some((class, least[class]?))));
            buffers.bigrams.clear();
            for (class, _) in wanted.clone().filter(|(class, _)| *class != own) {
                bigrams(tokens, class, hasher, &mut buffers.bigrams);
            }
            // All prefetches come at once, so that their cache misses overlap.
            let of_own = short.iter().filter(|_| least[own].is_some());
            let to_load = of_own.chain(&buffers.bigrams).filter(|_| gate.is_none());
            to_load.for_each(|bigram| self.postings.prefetch(self.postings.slot(bigram.hash)));
            let mut others = buffers.bigrams.chunks_exact(len - 1);
            for (class, least) in wanted {
                let features = if class == own { short } else { others.next().unwrap_or_default() };
                if !may_share(features, least) {
                    continue;
                }
                let (_, longest) = lengths(class);
                let need = |kept: usize| {
                    let longest = if kept + 1 < LENGTHS { kept } else { longest };
                    self.bounds.least_covered_of_short(kept, longest, len)
                };
                buffers.reading.choose(features, ListKind::Bigrams(class), len, least, need, &self.postings);
                if self.short_floods.may_share(features, len, least) {
                    let key = short_floods::key(tokens, class, hasher);
                    buffers.chosen.choose(features.iter().map(key), len, least, &self.postings);
                }
            }
        }
        if is_long {
            let least = self.bounds.least_in_runs(len);
            if may_share(long, least) {
                buffers.reading.choose(long, ListKind::Runs, len, least, |_| Some(least), &self.postings);
            }
        } else if self.is_quotable(len) {
            buffers.bigrams.clear();
            let least = outer_runs(tokens, hasher, &mut buffers.bigrams);
            if may_share(&buffers.bigrams, least) {
                buffers.reading.choose(&buffers.bigrams, ListKind::Runs, len, least, |_| Some(least), &self.postings);
            }
        }
    }

    /// Whether few bodies share bigrams of short floods with the new one. If so, fills `few` with those of them that the search asks for.
    fn has_few(&self, buffers: &mut Buffers, asked: Range<usize>) -> bool {
        let (keys, oldest) = (buffers.chosen.wanted(), self.bodies.oldest() as u32);
        buffers.few.clear();
        let is_few = keys.iter().map(|key| self.postings.count(*key)).sum::<usize>() <= FEW_SHARING;
        for key in keys.iter().filter(|_| is_few) {
            let outside = self.postings.outside_set(*key, oldest).iter();
            buffers.few.extend(outside.map(|number| number.wrapping_sub(oldest)));
            if let Some(set) = key.set {
                self.postings.sets.get(set).each(oldest, |number| buffers.few.push(number.wrapping_sub(oldest)));
            }
        }
        buffers.few.retain(|index| asked.contains(&(*index as usize)));
        buffers.few.iter().for_each(|index| self.bodies.prefetch(*index as usize));
        buffers.few.sort_unstable_by_key(|index| std::cmp::Reverse(*index));
        is_few
    }

    /// Fills `left` with the bodies below the `end`-th that neither the counts, nor their bitmaps, nor the query of the floods rule out.
    fn fill_left(
        &self,
        buffers: &mut Buffers,
        asked: Asked<'_>,
        end: usize,
        query: Option<&mut Query>,
        least: impl Fn(usize) -> usize,
        coming: impl Fn(u64),
    ) {
        let (len, hashes) = (asked.body.tokens.len(), &asked.features.hashes);
        let (first, quotable) = (self.bodies.oldest(), self.is_quotable(len));
        let oldest = first as u32;
        let until = (end < self.bodies.len()).then_some(end);
        buffers.left.clear();
        for group in 0..buffers.reading.group_count() {
            let reached = buffers.reading.count(group, &self.postings, &self.bodies, oldest, until);
            for number in reached {
                let index = number.wrapping_sub(oldest);
                if self.bodies.picture_may_cover(index as usize, &least, hashes) {
                    if buffers.left.len() < AHEAD {
                        self.bodies.prefetch_tokens(index as usize);
                        coming(first + u64::from(index));
                    }
                    buffers.left.push(index);
                }
            }
        }
        while let Some(index) = buffers.few.pop_if(|index| (*index as usize) < end) {
            if self.bodies.picture_may_cover(index as usize, &least, hashes) {
                buffers.left.push(index);
            }
        }
        let Some(query) = query else {
            buffers.left.sort_unstable();
            buffers.left.dedup();
            return;
        };
        query.sift(end, &mut buffers.left);
        // Different features may share a slot by chance, so the lengths are checked again.
        let longest = self.bounds.longest_partner();
        buffers.left.retain(|index| {
            let kept = self.bodies.length(*index as usize);
            let is_possible = kept >= LONG && (quotable || len >= LONG) || len.max(kept) <= longest;
            is_possible && self.bodies.picture_may_cover(*index as usize, &least, hashes)
        });
    }
}
