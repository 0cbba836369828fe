//! One search: the kept bodies that a new one could repeat, earliest first.
//!
//! 1. It chooses the lists to read ([`reading`](super::reading)): bigrams where one of the bodies is short, runs where both are long.
//! 2. If many bodies share the features, a [query](super::query) rules most of them out by their keys.
//! 3. It goes through the kept bodies in parts, the oldest first. Those that have enough in common, and whose bitmaps do not rule them out,
//!    are offered, until one is taken.

use std::ops::Range;

use super::bodies::{Bodies, LENGTHS};
use super::codes::{self, Chosen, Codes};
use super::features::{CLASSES, Feature, Mix, bigrams, lengths, outer_runs};
use super::floods::Floods;
use super::gate::{self, Gate};
use super::postings::Postings;
use super::query::{BodyParts, Query};
use super::reading::Reading;
use super::sets::BLOCK;
use super::slots::Slots;
use super::{Candidate, Features, RUNS};
use crate::near::bounds::{Bounds, LONG, QUOTED};

/// A search goes through the bodies in parts of about so many postings, oldest first. If thousands of bodies share most features, the
/// answer is usually the first of them, and the rest need not be read.
const PART: usize = 8192;
/// The most parts, because each part takes a binary search in every list.
const MOST_PARTS: usize = 64;
/// Most bodies of a part where sets are read, in [blocks](super::sets).
const SET_PART: usize = 4;

/// So many bodies ahead of the one in hand, a body is announced, so that the caller can load it from memory in time.
const AHEAD: usize = 16;

/// If so few bodies share the bigrams of a code, each is compared.
const FEW_CODES: usize = 128;

/// The kept bodies, and what is looked up of them.
pub(super) struct Index {
    pub(crate) bounds: Bounds,
    pub(crate) bodies: Bodies,
    pub(crate) postings: Postings,
    pub(crate) floods: Floods,
    pub(crate) codes: Codes,
    /// The number of a body, and the features of the bodies from it on.
    pub(crate) since: Option<(u64, Gate)>,
    pub(crate) mix: Mix,
}

/// The memory of one search after another.
pub(crate) struct Hand {
    reading: Reading,
    codes: Chosen,
    /// Few codes to look at: index from the oldest, falling.
    coded: Vec<u32>,
    slots: Slots,
    /// The body's bigrams, for the lists of one class after another.
    bigrams: Vec<Feature>,
    /// Bodies to offer: index from the oldest.
    left: Vec<u32>,
    /// Searches from a mark that the [gate](Index::since) let through.
    pub(crate) since_mark: usize,
    /// Of the body.
    pub(crate) parts: BodyParts,
}

impl Hand {
    /// For searches.
    pub(crate) fn new() -> Self {
        let (codes, coded, slots, bigrams, left) = Default::default();
        Self { reading: Reading::new(), codes, coded, slots, bigrams, left, since_mark: 0, parts: BodyParts::default() }
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.reading.bytes()
    }
}

impl Index {
    /// As [`Overlap::earliest`](super::Overlap::earliest), of the bodies with these numbers. `coming` is told some of the bodies that may
    /// be offered soon.
    pub(crate) fn earliest<T>(
        &self,
        hand: &mut Hand,
        ((tokens, scope), features): ((&[u32], u64), &Features),
        among: Range<u64>,
        (least, coming): (impl Fn(usize) -> usize, impl Fn(u64)),
        mut accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        let first = self.bodies.oldest();
        let index = |number: u64| number.saturating_sub(first).min(self.bodies.len() as u64) as usize;
        let (skipped, live) = (index(among.start), index(among.end));
        if tokens.len() < 2 || skipped >= live {
            return None;
        }
        let mix = self.mix.within(scope);
        let gate = self.since.as_ref().filter(|(since, _)| *since == among.start).map(|(_, gate)| gate);
        self.choose(hand, tokens, features, mix, gate);
        let is_through = hand.reading.groups() > 0;
        if !is_through {
            return None;
        }
        hand.since_mark += usize::from(gate.is_some());
        let oldest = first as u32;
        hand.reading.skip_expired(&self.postings, oldest.wrapping_add(skipped as u32));
        let part = (live - skipped).div_ceil((hand.reading.postings() / PART).clamp(1, MOST_PARTS));
        let is_flood = !self.few_codes(hand, skipped..live) || !hand.reading.sets().is_empty();
        let (sets, keys) = (hand.reading.sets(), hand.codes.wanted());
        let mut query = is_flood.then(|| {
            let mut query = Query::new(oldest, skipped..live);
            sets.iter().for_each(|set| query.add(*set, &self.postings.sets));
            keys.iter().for_each(|key| query.feature(*key, &self.postings));
            let all = query.union();
            query.ask(all);
            self.floods.ask(
                &mut hand.slots,
                ((tokens, features), hand.parts),
                &mut query,
                (&self.bounds, &least),
                mix,
                &self.postings,
            );
            query
        });
        let blocks = (part / BLOCK as usize).clamp(1, SET_PART);
        for parts in 1.. {
            let end = query.as_ref().map_or(skipped + parts * part, |query| query.bodies((parts * blocks) as u32));
            self.sift(hand, (tokens.len(), &features.hashes), end.min(live), query.as_mut(), (&least, &coming));
            for (at, index) in hand.left.iter().enumerate() {
                if let Some(ahead) = hand.left.get(at + AHEAD) {
                    self.bodies.ask_for_tokens(*ahead as usize);
                    coming(first + u64::from(*ahead));
                }
                if !self.bodies.long_may_cover(*index as usize, &least, &features.hashes) {
                    continue;
                }
                let Some(kept) = self.bodies.get(*index as usize).filter(|kept| kept.scope == scope) else { continue };
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

    /// Whether a body of so many tokens may be a clause of a long one.
    fn is_quotable(&self, len: usize) -> bool {
        self.bounds.quotes && QUOTED.contains(&len)
    }

    /// Chooses the lists to read: bigrams where one body is short, runs where both are long or the kept one has all of the new one.
    /// A `gate` has the features of all bodies that are asked for.
    fn choose(&self, hand: &mut Hand, tokens: &[u32], features: &Features, mix: Mix, gate: Option<&Gate>) {
        let len = tokens.len();
        let (_, long) = features.split();
        hand.reading.begin(len);
        hand.codes.begin();
        let is_long = len >= LONG;
        let may_share = |features: &[Feature], least| {
            gate.is_none_or(|gate| gate::may_share(features, len, least, |feature| gate.has(feature)))
        };
        if len <= self.bounds.longest_partner() {
            let is_wanted = |class: &usize| !is_long || lengths(*class).1 < LONG;
            hand.bigrams.clear();
            for class in (0..CLASSES).filter(is_wanted) {
                bigrams(tokens, class, mix, &mut hand.bigrams);
            }
            // All at once, so that their cache misses overlap.
            let asked = hand.bigrams.iter().filter(|_| gate.is_none());
            asked.for_each(|bigram| self.postings.ask_for(self.postings.slot(bigram.hash)));
            for (class, features) in (0..CLASSES).filter(is_wanted).zip(hand.bigrams.chunks_exact(len - 1)) {
                let (shortest, longest) = lengths(class);
                let Some(least) = self.bounds.least_covered(shortest, longest, len) else { continue };
                if !may_share(features, least) {
                    continue;
                }
                let need = |kept: usize| {
                    let longest = if kept + 1 < LENGTHS { kept } else { longest };
                    let is_one = (shortest..=longest).contains(&kept);
                    is_one.then(|| self.bounds.least_covered(kept, longest, len)).flatten()
                };
                hand.reading.choose(features, class, (len, least), need, &self.postings);
                if self.codes.may_share(features, len, least) {
                    let key = codes::key(tokens, class, mix);
                    let coded = features.iter().map(|bigram| Feature { hash: key(bigram), ..*bigram });
                    hand.codes.choose(&coded.collect::<Vec<_>>(), len, least, &self.postings);
                }
            }
        }
        if is_long {
            let least = self.bounds.least_in_runs(len);
            if may_share(long, least) {
                hand.reading.choose(long, RUNS, (len, least), |kept| (kept >= LONG).then_some(least), &self.postings);
            }
        } else if self.is_quotable(len) {
            hand.bigrams.clear();
            let least = outer_runs(tokens, mix, &mut hand.bigrams);
            let need = |kept| (kept >= LONG).then_some(least);
            if may_share(&hand.bigrams, least) {
                hand.reading.choose(&hand.bigrams, RUNS, (len, least), need, &self.postings);
            }
        }
    }

    /// Whether few codes are to be looked at, and if so, which of the bodies asked for.
    fn few_codes(&self, hand: &mut Hand, asked: Range<usize>) -> bool {
        let (keys, oldest) = (hand.codes.wanted(), self.bodies.oldest() as u32);
        hand.coded.clear();
        let is_few = keys.iter().map(|key| self.postings.key_len(*key)).sum::<usize>() <= FEW_CODES;
        for key in keys.iter().filter(|_| is_few) {
            let key = self.postings.key(*key);
            hand.coded.extend(self.postings.few(key, oldest).iter().map(|number| number.wrapping_sub(oldest)));
            if let Some(set) = key.set {
                self.postings.sets.get(set).each(oldest, |number| hand.coded.push(number.wrapping_sub(oldest)));
            }
        }
        hand.coded.retain(|index| asked.contains(&(*index as usize)));
        hand.coded.iter().for_each(|index| self.bodies.ask_for(*index as usize));
        hand.coded.sort_unstable_by_key(|index| std::cmp::Reverse(*index));
        is_few
    }

    /// Fills `left` with the bodies below the `end`-th that neither the counts, nor their pictures, nor the query of the floods rule out.
    fn sift(
        &self,
        hand: &mut Hand,
        (len, hashes): (usize, &[u32]),
        end: usize,
        query: Option<&mut Query>,
        (least, coming): (impl Fn(usize) -> usize, impl Fn(u64)),
    ) {
        let (first, quotable) = (self.bodies.oldest(), self.is_quotable(len));
        let oldest = first as u32;
        let until = (end < self.bodies.len()).then_some(end);
        hand.left.clear();
        for group in 0..hand.reading.groups() {
            let reached = hand.reading.count(group, &self.postings, &self.bodies, oldest, until);
            for number in reached {
                let index = number.wrapping_sub(oldest);
                if self.bodies.may_cover(index as usize, &least, hashes) {
                    if hand.left.len() < AHEAD {
                        self.bodies.ask_for_tokens(index as usize);
                        coming(first + u64::from(index));
                    }
                    hand.left.push(index);
                }
            }
        }
        while let Some(index) = hand.coded.pop_if(|index| (*index as usize) < end) {
            if self.bodies.may_cover(index as usize, &least, hashes) {
                hand.left.push(index);
            }
        }
        let Some(query) = query else {
            hand.left.sort_unstable();
            hand.left.dedup();
            return;
        };
        query.sift(end, &mut hand.left);
        // Lists meet in a slot by chance.
        let longest = self.bounds.longest_partner();
        hand.left.retain(|index| {
            let kept = self.bodies.length(*index as usize);
            let is_possible = kept >= LONG && (quotable || len >= LONG) || len.max(kept) <= longest;
            is_possible && self.bodies.may_cover(*index as usize, &least, hashes)
        });
    }
}
