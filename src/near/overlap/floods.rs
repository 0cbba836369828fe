//! Floods: what the rule says of thousands of messages of one template, looked up and not compared.
//!
//! Three conditions of [`Bounds`] are told by keys of each body alone, so that all kept bodies which fail them for a new one are
//! found as a set. With `a` kept and `b` new, both long:
//! - *Numbers.* Of numbers of `b` between two tokens: `a` does not have as many between them; or has the same.
//! - *Counts.* Of what `b` counts, to the numbers n: `a` does not count it; or counts it to a number of `b`; or has all n.
//! - *Slots.* Of each stretch of `b` between two passages: `a` does not have about as long a one between them; or has a bigram of
//!   `b`'s, its ends included where they are short.
//!
//! The bodies that share long runs with `b` are joined from sets, those that fail are taken away, and a few are left. A set that is
//! taken away (who counts something, who fills a slot) has an exact key, because a collision of hashes would lose a repeat; in the
//! sets that pardon, a collision only adds a candidate. Keys are kept of *members*: bodies of which much is in runs that many
//! share. What is no member is in no set that is taken away, so that it decides nothing who is one.

use std::ops::Range;

use crate::hash::HashMap;

use super::bodies::Bodies;
use super::features::{Feature, Mix, contained, named, numbered, runs, shared};
use super::postings::{Key, Postings};
use super::query::Query;
use super::sets::{Set, block};
use crate::near::bounds::{Bounds, LONG, few_counts};
use crate::near::refill::{self, LEAST, Passage, fits, fits_inside, numbers};
use crate::text::tokens::Token;

/// Slots are looked for at some levels: a bigram is of the template, and no fill, if the flood has it so often as a share of the body's
/// most frequent one (the frame around nested templates), of its middle one (the template), or a small part of that (what many fills
/// begin with); …
const LEVELS: [fn(usize, usize) -> usize; 3] = [|most, _| most / 2, |_, middle| middle / 2, |_, middle| middle / 32];
/// … and so often at least.
const FREQUENT: usize = 4;
/// Larger sets are not looked through for members that came before the flood was known as one.
const MOST_LOOKED: usize = 8192;

/// The bodies with one length of fill in a slot, and the set of them.
type Fills = Vec<(u32, u32)>;

/// What is counted and two zeros, or what stands [around numbers](numbers) and how many they are.
type Topic = [Token; 3];

/// Keys of the members.
#[derive(Default)]
pub(super) struct Floods {
    members: Set,
    /// Who has numbers for a topic.
    counted: HashMap<Topic, u32>,
    /// Who fills a slot: by the passages before and behind it.
    filled: HashMap<[Passage; 2], Fills>,
    /// The block of the oldest body when the keys were last swept.
    swept: u32,
    features: Vec<Feature>,
    slots: Slots,
}

/// A stretch of a body between passages of its template.
struct Slot {
    at: Range<usize>,
    around: [Passage; 2],
}

/// The memory of a look for slots.
#[derive(Default)]
pub(super) struct Slots {
    /// Of the body in hand, by place.
    bigrams: Vec<Key>,
    frequencies: Vec<usize>,
    sorted: Vec<usize>,
}

impl Floods {
    /// Keeps the keys of a body just remembered, with these features, if it is a member, and those of bodies like it that
    /// came before.
    pub(crate) fn remember(
        &mut self,
        (tokens, number): (&[Token], u32),
        own: &[Feature],
        bounds: &Bounds,
        mix: Mix,
        (postings, bodies): (&mut Postings, &Bodies),
    ) {
        let Some(longest) = in_sets(own, bounds.least_in_runs(tokens.len()), postings) else { return };
        let oldest = bodies.oldest() as u32;
        let mut batch = vec![number];
        let set = postings.sets.get_mut(longest);
        if set.len() >= 2 * set.looked && set.len() <= MOST_LOOKED {
            set.looked = set.len();
            postings.sets.get(longest).each(oldest, |other| batch.push(other));
        }
        batch.retain(|other| {
            let Some(kept) = bodies.get(other.wrapping_sub(oldest) as usize) else { return false };
            *other == number || {
                self.features.clear();
                runs(kept.tokens, mix.within(kept.scope), &mut self.features);
                in_sets(&self.features, bounds.least_in_runs(kept.tokens.len()), postings).is_some()
            }
        });
        self.join(batch, bounds, mix, (postings, bodies));
    }

    /// Makes members of some bodies, and keeps their keys.
    pub(crate) fn join(
        &mut self,
        batch: Vec<u32>,
        bounds: &Bounds,
        mix: Mix,
        (postings, bodies): (&mut Postings, &Bodies),
    ) {
        let (mut batch, oldest) = (batch, bodies.oldest() as u32);
        batch.retain(|other| self.members.insert(*other));
        // All bigrams first: they say what is of the template.
        for other in &batch {
            let Some(kept) = bodies.get(other.wrapping_sub(oldest) as usize) else { continue };
            self.enter(kept.tokens, *other, oldest, bounds, mix.within(kept.scope), postings);
        }
        for other in batch.iter().filter(|_| bounds.slots) {
            let Some(kept) = bodies.get(other.wrapping_sub(oldest) as usize) else { continue };
            if kept.tokens.len() < LONG {
                continue;
            }
            for Slot { at, around } in self.slots.of(kept.tokens, mix.within(kept.scope), postings) {
                let fills = self.filled.entry(around).or_default();
                let length = at.len() as u32;
                let known = fills.iter().find(|(other, _)| *other == length).map(|(_, set)| *set);
                let set = known.unwrap_or_else(|| {
                    let set = postings.sets.take();
                    fills.push((length, set));
                    set
                });
                postings.sets.get_mut(set).insert(*other);
            }
        }
    }

    /// Keeps what a member counts, and its bigrams.
    fn enter(
        &mut self,
        tokens: &[Token],
        number: u32,
        oldest: u32,
        bounds: &Bounds,
        mix: Mix,
        postings: &mut Postings,
    ) {
        let mut insert = |hash| postings.insert(hash, number, oldest);
        if bounds.slots && tokens.len() >= LONG {
            tokens.windows(2).for_each(|two| insert(shared(two, mix)));
        }
        if !bounds.counts {
            return;
        }
        let counts = few_counts(tokens);
        for count in &counts {
            insert(contained(count.number, mix));
            if let Some(counted) = count.counted {
                insert(named(counted, count.number, mix));
            }
        }
        let numbers = numbers(tokens);
        for own in &numbers {
            insert(numbered(&own.key, &tokens[own.at.clone()], mix));
        }
        let counted = counts.iter().filter_map(|count| Some([count.counted?, 0, 0]));
        for topic in counted.chain(numbers.iter().map(|own| own.key)) {
            let set = *self.counted.entry(topic).or_insert_with(|| postings.sets.take());
            postings.sets.get_mut(set).insert(number);
        }
    }

    /// Adds to a query what a body's keys rule out.
    pub(crate) fn ask<'p>(
        &self,
        slots: &mut Slots,
        tokens: &[Token],
        query: &mut Query<'p>,
        bounds: &Bounds,
        mix: Mix,
        postings: &'p Postings,
    ) {
        let counts = if bounds.counts { few_counts(tokens) } else { Box::default() };
        for (at, count) in counts.iter().enumerate() {
            let Some(counted) = count.counted else { continue };
            let Some(set) = self.counted.get(&[counted, 0, 0]) else { continue };
            if counts[..at].iter().any(|before| before.counted == count.counted) {
                continue;
            }
            query.add(*set, &postings.sets);
            let who = query.union();
            counts.iter().for_each(|other| query.feature(named(counted, other.number, mix), postings));
            let named_so = query.union();
            let numbers = counts.iter().filter(|other| other.counted == Some(counted));
            let having = numbers.map(|other| {
                query.feature(contained(other.number, mix), postings);
                query.union()
            });
            let having = having.collect();
            query.counts(who, named_so, having);
        }
        for own in if bounds.counts { numbers(tokens) } else { Vec::new() } {
            let Some(set) = self.counted.get(&own.key) else { continue };
            query.add(*set, &postings.sets);
            let who = query.union();
            query.feature(numbered(&own.key, &tokens[own.at], mix), postings);
            let same = query.union();
            query.slot(who, same);
        }
        if bounds.slots && tokens.len() >= LONG && !self.filled.is_empty() {
            for Slot { at, around } in slots.of(tokens, mix, postings) {
                let Some(fills) = self.filled.get(&around) else { continue };
                let own = at.len();
                let mut step = |pardoned: Range<usize>, fits: &dyn Fn(usize) -> bool| {
                    fills
                        .iter()
                        .filter(|(other, _)| fits(*other as usize))
                        .for_each(|(_, set)| query.add(*set, &postings.sets));
                    let filled = query.union();
                    slots.bigrams[pardoned.start..pardoned.end - 1].iter().for_each(|key| query.having(*key, postings));
                    let sharing = query.union();
                    query.slot(filled, sharing);
                };
                step(at.clone(), &|other| fits_inside(other, own));
                step(at.start - 1..at.end + 1, &|other| fits(other, own) && !fits_inside(other, own));
            }
        }
        query.order();
    }

    /// Lets go keys of what is older than `oldest`, once for each block of bodies.
    pub(crate) fn sweep(&mut self, oldest: u32, postings: &mut Postings) {
        if block(oldest) == self.swept {
            return;
        }
        self.swept = block(oldest);
        self.members.expire(oldest);
        postings.sweep_keys(oldest);
        let sets = &mut postings.sets;
        self.counted.retain(|_, set| sets.keep(*set, oldest));
        self.filled.retain(|_, fills| {
            fills.retain(|(_, set)| sets.keep(*set, oldest));
            !fills.is_empty()
        });
    }

    /// Heap bytes in use, but for the sets.
    pub(crate) fn bytes(&self) -> usize {
        let counted = self.counted.capacity() * 8 / 7 * (size_of::<(Topic, u32)>() + 1);
        let fill = size_of::<([Passage; 2], Fills)>() + 1;
        let fills = self.filled.values().map(|fills| fills.capacity() * size_of::<(u32, u32)>()).sum::<usize>();
        counted + self.filled.capacity() * 8 / 7 * fill + fills
    }
}

impl Slots {
    /// The slots of a body, at each level.
    fn of(&mut self, tokens: &[Token], mix: Mix, postings: &Postings) -> Vec<Slot> {
        self.bigrams.clear();
        self.bigrams.extend(tokens.windows(2).map(|two| postings.key(shared(two, mix))));
        self.frequencies.clear();
        self.frequencies.extend(self.bigrams.iter().map(|key| postings.count(*key)));
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let slots = self.stretches().into_iter().filter_map(|at| {
            let start = once(&mut before, at.start, || refill::before(tokens, at.start))?;
            let end = once(&mut behind, at.end, || refill::behind(tokens, at.end))?;
            Some(Slot { at, around: [start, end] })
        });
        slots.collect()
    }

    /// The stretches between bigrams that are frequent in the flood.
    fn stretches(&mut self) -> Vec<Range<usize>> {
        self.sorted.clone_from(&self.frequencies);
        let place = self.sorted.len() / 2;
        let (_, middle, behind) = self.sorted.select_nth_unstable(place);
        let (middle, most) = (*middle, behind.iter().copied().max().unwrap_or(*middle));
        let mut slots: Vec<Range<usize>> = Vec::new();
        for level in LEVELS {
            let least = level(most, middle).max(FREQUENT);
            let mut frequent = (0..self.frequencies.len()).filter(|at| self.frequencies[*at] >= least);
            let Some(mut last) = frequent.next() else { continue };
            for at in frequent {
                let slot = std::mem::replace(&mut last, at) + 2..at;
                if slot.len() >= LEAST && !slots.contains(&slot) {
                    slots.push(slot);
                }
            }
        }
        slots
    }
}

/// What is known of a place, or else made known now.
fn once(
    known: &mut Vec<(usize, Option<Passage>)>,
    at: usize,
    find: impl FnOnce() -> Option<Passage>,
) -> Option<Passage> {
    let found = known.iter().find(|(other, _)| *other == at).map(|(_, found)| *found);
    found.unwrap_or_else(|| {
        let found = find();
        known.push((at, found));
        found
    })
}

/// The largest set of a body's runs, if at least so many tokens are in runs that are sets.
fn in_sets(runs: &[Feature], least: usize, postings: &Postings) -> Option<u32> {
    let (mut count, mut end, mut longest) = (0, 0, None);
    for run in runs {
        if let Some(set) = postings.set(postings.slot(run.hash)) {
            count += run.end - run.start.max(end);
            end = run.end;
            let is_longer = |other: &u32| postings.sets.get(set).len() > postings.sets.get(*other).len();
            if longest.as_ref().is_none_or(is_longer) {
                longest = Some(set);
            }
        }
    }
    longest.filter(|_| count as usize >= least)
}
