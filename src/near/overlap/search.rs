//! The search for kept bodies that a new one could repeat.

use super::bodies::Bodies;
use super::codes::{self, Chosen, Codes};
use super::features::{CLASSES, Feature, Mix, bigrams, class, lengths, outer_runs};
use super::floods::Floods;
use super::postings::Postings;
use super::query::Query;
use super::reading::Reading;
use super::sets::BLOCK;
use super::slots::Slots;
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

/// The kept bodies, and what is looked up of them.
pub(super) struct Index {
    pub(crate) bounds: Bounds,
    pub(crate) bodies: Bodies,
    pub(crate) postings: Postings,
    pub(crate) floods: Floods,
    pub(crate) codes: Codes,
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
    /// Where in the body a slot at its end may begin.
    pub(crate) ending: usize,
}

impl Hand {
    /// For searches of at most `live` bodies.
    pub(super) fn new(live: usize) -> Self {
        let (codes, slots, bigrams, left) = Default::default();
        Self { reading: Reading::new(live), codes, slots, bigrams, left, ending: 0 }
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.reading.bytes()
    }
}

impl Index {
    /// As [`Overlap::earliest`](super::Overlap::earliest), of the bodies below a number.
    pub(crate) fn earliest<T>(
        &self,
        hand: &mut Hand,
        ((tokens, scope), features): ((&[u32], u64), &Features),
        below: u64,
        least: impl Fn(usize) -> usize,
        mut accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        let first = self.bodies.oldest();
        let live = self.bodies.len().min(below.saturating_sub(first) as usize);
        if tokens.len() < 2 || live == 0 {
            return None;
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
            self.floods.ask(&mut hand.slots, (tokens, hand.ending), &mut query, &self.bounds, mix, &self.postings);
            query
        });
        let blocks = (part / BLOCK as usize).clamp(1, SET_PART);
        for parts in 1.. {
            let end = query.as_ref().map_or(parts * part, |query| query.bodies((parts * blocks) as u32));
            self.sift(hand, tokens.len(), end.min(live), query.as_mut());
            for (at, index) in hand.left.iter().enumerate() {
                if let Some(ahead) = hand.left.get(at + AHEAD) {
                    self.bodies.ask_for_bitmap(*ahead as usize);
                }
                let Some(kept) = self.bodies.get(*index as usize) else { continue };
                if kept.scope != scope || !bitmap::may_cover(kept.bitmap, least(kept.tokens.len()), &features.hashes) {
                    continue;
                }
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

    /// Fills `left` with the bodies below the `end`-th that neither the counts nor the query of the floods rule out.
    fn sift(&self, hand: &mut Hand, len: usize, end: usize, query: Option<&mut Query>) {
        let (oldest, quotable) = (self.bodies.oldest() as u32, self.is_quotable(len));
        let until = (end < self.bodies.len()).then_some(end);
        hand.left.clear();
        for group in 0..hand.reading.groups() {
            let counts = hand.reading.count(group, &self.postings, oldest, until);
            for (at, number) in counts.reached.iter().enumerate() {
                if let Some(ahead) = counts.reached.get(at + AHEAD) {
                    self.bodies.ask_for_length(ahead.wrapping_sub(oldest) as usize);
                }
                let index = number.wrapping_sub(oldest);
                let kept = self.bodies.length(index as usize);
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
                        self.bodies.ask_for_bitmap(index as usize);
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
            let kept = self.bodies.length(*index as usize);
            kept >= LONG && (quotable || len >= LONG) || len.max(kept) <= longest
        });
    }
}
