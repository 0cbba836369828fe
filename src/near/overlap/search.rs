//! The search for kept bodies that a new one could repeat.

use super::bodies::Bodies;
use super::codes::{self, Chosen, Codes};
use super::features::{CLASSES, Feature, Mix, bigrams, class, lengths, outer_runs};
use super::floods::{Floods, Slots};
use super::postings::Postings;
use super::query::Query;
use super::reading::Reading;
use super::sets::BLOCK;
use super::young::Young;
use super::{Candidate, Features, RUNS};
use crate::near::bitmap;
use crate::near::bounds::{Bounds, LONG, QUOTED, RUN};

/// The live bodies are counted in parts of about so many postings, oldest first: where thousands of bodies share most
/// features, the answer is usually the first of them, and the rest need not be read.
const PART: usize = 8192;
/// Most parts, because each costs every list a binary search.
const MOST_PARTS: usize = 64;
/// Most bodies of a part where sets are read, in [blocks](super::sets).
const SET_PART: usize = 4;

/// So many bodies ahead of the one in hand are asked for.
const AHEAD: usize = 16;

/// If more than so many of the [youngest](super::young) bodies are like a new one, they share a template, and are looked up as all are.
const ALIKE: usize = 6;

/// The kept bodies, and what is looked up of them.
pub(super) struct Index {
    pub(crate) bounds: Bounds,
    pub(crate) bodies: Bodies,
    pub(crate) postings: Postings,
    pub(crate) floods: Floods,
    pub(crate) codes: Codes,
    pub(crate) young: Young,
    pub(crate) mix: Mix,
}

/// The memory of one search after another.
pub(crate) struct Hand {
    reading: Reading,
    codes: Chosen,
    slots: Slots,
    /// The body's bigrams, for the lists of another class.
    bigrams: Vec<Feature>,
    /// Bodies to offer: index from the oldest.
    left: Vec<u32>,
}

impl Hand {
    /// For searches of at most `live` bodies.
    pub(super) fn new(live: usize) -> Self {
        let (codes, slots, bigrams, left) = Default::default();
        Self { reading: Reading::new(live), codes, slots, bigrams, left }
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.reading.bytes()
    }
}

impl Index {
    /// As [`Overlap::earliest`](super::Overlap::earliest), of the bodies from a number on.
    pub(crate) fn earliest<T>(
        &self,
        hand: &mut Hand,
        ((tokens, scope), features): ((&[u32], u64), &Features),
        from: u64,
        least: impl Fn(usize) -> usize,
        mut accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        let first = from.max(self.bodies.oldest());
        let skipped = (first - self.bodies.oldest()) as usize;
        let live = self.bodies.len().saturating_sub(skipped);
        if tokens.len() < 2 || live == 0 {
            return None;
        }
        let mut offer = |index: u32| {
            let kept = self.bodies.get(skipped + index as usize)?;
            if kept.scope != scope || !bitmap::may_cover(kept.bitmap, least(kept.tokens.len()), &features.hashes) {
                return None;
            }
            accept(Candidate { number: first + u64::from(index), pos: kept.pos, tokens: kept.tokens })
        };
        if self.young.tells(first) && self.are_few(hand, (scope, skipped), features, &least) {
            return hand.left.iter().find_map(|index| offer(*index));
        }
        let mix = self.mix.within(scope);
        self.choose(hand, tokens, features, mix);
        let oldest = first as u32;
        hand.reading.skip_expired(&self.postings, oldest);
        let part = live.div_ceil((hand.reading.postings() / PART).clamp(1, MOST_PARTS));
        let (sets, keys) = (hand.reading.sets(), hand.codes.wanted());
        let mut query = (!sets.is_empty() || !keys.is_empty()).then(|| {
            let mut query = Query::new(oldest, live);
            sets.iter().for_each(|set| query.add(*set, &self.postings.sets));
            keys.iter().for_each(|key| query.feature(*key, &self.postings));
            let all = query.union();
            query.ask(all);
            self.floods.ask(&mut hand.slots, tokens, &mut query, &self.bounds, mix, &self.postings);
            query
        });
        let blocks = (part / BLOCK as usize).clamp(1, SET_PART);
        for parts in 1.. {
            let end = query.as_ref().map_or(parts * part, |query| query.bodies((parts * blocks) as u32));
            self.sift(hand, tokens.len(), (skipped, live, end.min(live)), query.as_mut());
            for (at, index) in hand.left.iter().enumerate() {
                if let Some(ahead) = hand.left.get(at + AHEAD) {
                    self.bodies.ask_for_bitmap(skipped + *ahead as usize);
                }
                let found = offer(*index);
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

    /// Fills `left` with the youngest bodies that may be like one of a scope, if they are few; whether they are.
    fn are_few(
        &self,
        hand: &mut Hand,
        (scope, skipped): (u64, usize),
        features: &Features,
        least: impl Fn(usize) -> usize,
    ) -> bool {
        let may = |index: &u32| {
            self.bodies.get(skipped + *index as usize).is_some_and(|kept| {
                kept.scope == scope && bitmap::may_cover(kept.bitmap, least(kept.tokens.len()), &features.hashes)
            })
        };
        let least = self.bounds.least_of_any(features.hashes.len() + 1);
        hand.left.clear();
        hand.left.extend(self.young.covering(&features.hashes, least).filter(may).take(ALIKE + 1));
        hand.left.len() <= ALIKE
    }

    /// Whether a body of so many tokens may be a clause of a long one.
    fn is_quotable(&self, len: usize) -> bool {
        self.bounds.quotes && QUOTED.contains(&len)
    }

    /// Chooses the lists to read: bigrams where one body is short, runs where both are long or the kept one has all of the new one.
    fn choose(&self, hand: &mut Hand, tokens: &[u32], features: &Features, mix: Mix) {
        let len = tokens.len();
        let (short, long) = features.split();
        hand.reading.begin(len);
        hand.codes.begin();
        let (is_long, own) = (len >= LONG, class(len));
        if len <= self.bounds.longest_partner() {
            let is_wanted = |class: &usize| !is_long || lengths(*class).1 < LONG;
            for class in (0..CLASSES).filter(is_wanted) {
                let (shortest, longest) = lengths(class);
                let Some(least) = self.bounds.least_covered(shortest, longest, len) else { continue };
                let mut features = short;
                if class != own {
                    hand.bigrams.clear();
                    bigrams(tokens, class, mix, &mut hand.bigrams);
                    features = &hand.bigrams;
                }
                hand.reading.choose(features, class, len, least, &self.postings);
                if self.codes.may_share(features, len, least) {
                    let key = codes::key(tokens, class, mix);
                    let coded = features.iter().map(|bigram| Feature { hash: key(bigram), ..*bigram });
                    hand.codes.choose(&coded.collect::<Vec<_>>(), len, least, &self.postings);
                }
            }
        }
        if is_long {
            hand.reading.choose(long, RUNS, len, self.bounds.least_in_runs(len), &self.postings);
        } else if self.is_quotable(len) {
            hand.bigrams.clear();
            let least = outer_runs(tokens, mix, &mut hand.bigrams);
            hand.reading.choose(&hand.bigrams, RUNS, len, least, &self.postings);
        }
    }

    /// Fills `left` with the bodies below the `end`-th that neither the counts nor the query of the floods rule out. They count from the
    /// first of the last `live` bodies, behind those that are `skipped`.
    fn sift(
        &self,
        hand: &mut Hand,
        len: usize,
        (skipped, live, end): (usize, usize, usize),
        query: Option<&mut Query>,
    ) {
        let (oldest, quotable) = ((self.bodies.oldest() + skipped as u64) as u32, self.is_quotable(len));
        let until = (end < live).then_some(end);
        hand.left.clear();
        for group in 0..hand.reading.groups() {
            let counts = hand.reading.count(group, &self.postings, oldest, until);
            for (at, number) in counts.reached.iter().enumerate() {
                if let Some(ahead) = counts.reached.get(at + AHEAD) {
                    self.bodies.ask_for_length(skipped + ahead.wrapping_sub(oldest) as usize);
                }
                let index = number.wrapping_sub(oldest);
                let kept = self.bodies.length(skipped + index as usize);
                let enough = |least| counts.most(*number) >= least;
                let is_possible = if counts.group.class == RUNS {
                    kept >= LONG && (len >= LONG || enough(len.min(2 * RUN)))
                } else {
                    len.min(kept) < LONG
                        && counts.group.class == class(kept)
                        && self.bounds.least_covered(kept, kept, len).is_some_and(enough)
                };
                if is_possible {
                    if hand.left.len() < AHEAD {
                        self.bodies.ask_for_bitmap(skipped + index as usize);
                    }
                    hand.left.push(index);
                }
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
            let kept = self.bodies.length(skipped + *index as usize);
            kept >= LONG && (quotable || len >= LONG) || len.max(kept) <= longest
        });
    }
}
