//! Floods: thousands of messages of one template are ruled out by sets, and not compared.
//!
//! 您的快递取件码是482913，请在今晚九点前到门口的驿站领取 has nearly all its runs in common with thousands of kept codes. The rule refuses each, because another
//! number stands between 是 and 请. So the index keeps two sets: who has a number there, and who has 482913 there. The first without the
//! second is ruled out at once.
//!
//! Such *keys* tell some conditions of [`Bounds`]. With `b` new and `a` kept, both long:
//!
//! | `b` has | ruled out is an `a` that has | but not if |
//! |---|---|---|
//! | numbers between two tokens | as many there | they are the same, or all its numbers are in another order |
//! | a code between two tokens | a code there | it is the same, or has a part more or less at an end |
//! | numbers that count something: 17例 | a number that counts it | it is a number of `b`, or `a` has all of `b`'s somewhere |
//! | a stretch between two passages, or one and the end | about as long a one there | it has a bigram of `b`'s, or its middle token |
//! | a stretch of a comment on a repost | (every one) | it has a bigram of the stretch |
//! | two brief stretches between passages | brief ones there | in one of the two it has a character, a synonym or a bigram of `b`'s |
//! | a noun between two passages | a noun there | the same, or one of its characters may be mistaken for that of `b`'s |
//! | a name between two passages | a name there | its surname and last character are `b`'s |
//! | three items of a list or more | a list | it has one of each two items |
//! | two entries of a list | entries with the same keys | one of the two says the same |
//! | rarer bigrams, without which [too little](lengths) is in common | (every one) | it has one of these |
//! | words of letters between two passages | words of letters there | they are the same in any order, or share an end or a bigram |
//!
//! The bodies that share long runs with `b` are joined from sets, those that fail are taken away, and a few are left. A set that is taken
//! away (who counts something, who fills a slot) has an exact key, because a collision of hashes would lose a repeat. In the sets that
//! pardon, a collision only adds a candidate.
//!
//! Keys are kept of *members*: bodies of which much is in runs that many share. What is no member is in no set that is taken away. So
//! whether a body is a member decides nothing but time.

mod comments;
mod entries;
mod lengths;
mod members;

use std::ops::Range;

use crate::hash::HashMap;

use super::Features;
use super::bodies::Bodies;
use super::equals::Equals;
use super::features::{Feature, Hash, Mix, contained, named, numbered, runs, shared, standing};
use super::lists::Lists;
use super::postings::{Key, Postings};
use super::query::{BodyParts, Half, Query};
use super::sets::{Set, block};
use super::slots::{Kind, Slot, Slots};
use crate::near::bounds::{Bounds, LONGEST, few_counts};
use crate::near::numbers::numbers;
use crate::near::only::only;
use crate::near::refill::{LEAST, Passage, fits, fits_inside};
use crate::text::tokens::Token;
use members::{has_slots, in_sets, least_of_member};

/// Larger sets are not looked through for members that came before the flood was known as one.
const MOST_LOOKED: usize = 8192;

/// So few bodies are compared, and no slots of theirs are looked up.
const FEW_LEFT: usize = 64;

/// The bodies with one length of fill in a slot, and the set of them.
type Fills = Vec<(u32, u32)>;

/// What is counted and zeros, or what stands [around numbers](numbers) and how many they are.
type Topic = [Token; 4];

/// In place of a topic: all whose bigrams are keys.
const ALL: Topic = [0; 4];

/// Keys of the members.
#[derive(Default)]
pub(super) struct Floods {
    members: Set,
    pub(crate) lists: Lists,
    /// Who has so many tokens, of those whose bigrams are keys.
    lengths: HashMap<u32, u32>,
    /// Who has numbers for a topic.
    counted: HashMap<Topic, u32>,
    pub(crate) equals: Equals,
    /// Who fills a slot: by the passages before and behind it.
    filled: HashMap<[Passage; 2], Fills>,
    /// Who has a name, a code, brief words or a noun there.
    named: HashMap<(Kind, [Passage; 2]), u32>,
    /// The block of the oldest body when the keys were last swept.
    swept: u32,
    features: Vec<Feature>,
    /// Of a body's bigrams.
    hashes: Vec<Hash>,
    slots: Slots,
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
        // Only an equal body repeats a longer one.
        if tokens.len() > LONGEST {
            return;
        }
        let Some(longest) = in_sets(own, least_of_member(tokens.len(), bounds), postings) else { return };
        let oldest = bodies.oldest() as u32;
        let mut batch = vec![number];
        let set = postings.sets.get_mut(longest);
        if set.len() >= 2 * set.looked && set.len() <= MOST_LOOKED {
            set.looked = set.len();
            postings.sets.get(longest).each(oldest, |other| batch.push(other));
        }
        batch.retain(|other| {
            let Some(kept) = bodies.get(other.wrapping_sub(oldest) as usize) else { return false };
            *other == number
                || kept.tokens.len() <= LONGEST && {
                    self.features.clear();
                    runs(kept.tokens, mix.within(kept.scope), &mut self.features);
                    in_sets(&self.features, least_of_member(kept.tokens.len(), bounds), postings).is_some()
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
        for other in batch {
            let Some(kept) = bodies.get(other.wrapping_sub(oldest) as usize) else { continue };
            if !has_slots(kept.tokens, bounds) {
                continue;
            }
            let mix = mix.within(kept.scope);
            self.hashes.clear();
            for Slot { at, around, kind } in self.slots.of(kept.tokens, bounds, mix, postings) {
                let set = match kind {
                    Kind::Name | Kind::Code | Kind::Brief | Kind::Noun | Kind::Entry => {
                        *self.named.entry((kind, around)).or_insert_with(|| postings.sets.take())
                    }
                    Kind::Words | Kind::End => {
                        let fills = self.filled.entry(around).or_default();
                        let length = at.len() as u32;
                        let known = fills.iter().find(|(other, _)| *other == length).map(|(_, set)| *set);
                        known.unwrap_or_else(|| {
                            let set = postings.sets.take();
                            fills.push((length, set));
                            set
                        })
                    }
                };
                postings.sets.get_mut(set).insert(other);
                let parts = kind.parts(&kept.tokens[at]);
                self.hashes.extend(parts.into_iter().map(|part| standing(&around, part, mix)));
            }
            postings.insert_all(&self.hashes, other, oldest);
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
        let only: Vec<_> = only(tokens).filter(|_| bounds.counts).collect();
        let is_slotted = has_slots(tokens, bounds);
        if is_slotted || only.iter().any(|own| own.beginning(tokens).is_some()) {
            self.hashes.clear();
            self.hashes.extend(tokens.windows(2).map(|two| shared(two, mix)));
            postings.insert_all(&self.hashes, number, oldest);
        }
        if is_slotted {
            let set = *self.counted.entry(ALL).or_insert_with(|| postings.sets.take());
            postings.sets.get_mut(set).insert(number);
            let set = *self.lengths.entry(tokens.len() as u32).or_insert_with(|| postings.sets.take());
            postings.sets.get_mut(set).insert(number);
            self.lists.join(number, &mut postings.sets);
        }
        if !bounds.counts {
            return;
        }
        let mut insert = |hash| postings.insert(hash, number, oldest);
        let counts = few_counts(tokens);
        for count in &counts {
            insert(contained(count.number, mix));
            if let Some(counted) = count.counted {
                insert(named(counted, count.number, mix));
            }
        }
        let numbers = numbers(tokens);
        for own in &numbers {
            own.told(tokens, |key, told| insert(numbered(key, told, mix)));
        }
        for own in &only {
            own.marks(tokens).for_each(|mark| insert(numbered(&own.key, &mark, mix)));
        }
        let counted = counts.iter().filter_map(|count| Some([count.counted?, 0, 0, 0]));
        let counted = counted.chain(only.iter().map(|own| own.key));
        for topic in counted.chain(numbers.iter().flat_map(|own| own.topics(tokens))) {
            let set = *self.counted.entry(topic).or_insert_with(|| postings.sets.take());
            postings.sets.get_mut(set).insert(number);
        }
    }

    /// Adds to a query what a body's keys rule out.
    pub(crate) fn ask<'p>(
        &self,
        slots: &mut Slots,
        ((tokens, features), parts): ((&[Token], &Features), BodyParts),
        query: &mut Query<'p>,
        (bounds, least): (&Bounds, impl Fn(usize) -> usize),
        mix: Mix,
        postings: &'p Postings,
    ) {
        let counts = if bounds.counts { few_counts(tokens) } else { Box::default() };
        for (at, count) in counts.iter().enumerate() {
            let Some(counted) = count.counted else { continue };
            let Some(set) = self.counted.get(&[counted, 0, 0, 0]) else { continue };
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
        let numbers = if bounds.counts { numbers(tokens) } else { Vec::new() };
        for own in numbers.iter().filter(|own| !own.may_be_random(tokens, || parts.ends_freely)) {
            if let Some(set) = self.counted.get(&own.key) {
                query.take_away(*set, &postings.sets, |query| {
                    own.alike(tokens, |key, told| query.feature(numbered(key, told, mix), postings));
                });
            }
            if let Some(set) = own.of_other_kind(tokens).and_then(|key| self.counted.get(&key)) {
                query.take_away(*set, &postings.sets, |query| {
                    own.alike_of_other_kind(tokens, |key, told| query.feature(numbered(key, told, mix), postings));
                });
            }
        }
        for own in only(tokens).filter(|_| bounds.counts) {
            let Some(set) = self.counted.get(&own.key) else { continue };
            query.take_away(*set, &postings.sets, |query| {
                own.pardoned(tokens).for_each(|mark| query.feature(numbered(&own.key, &mark, mix), postings));
                own.beginning(tokens).into_iter().for_each(|name| query.feature(shared(name, mix), postings));
            });
        }
        self.equals.ask(&features.told, query, postings);
        self.lists.ask(&features.items, query, mix, postings);
        self.ask_for_entries(&features.entries, query, mix, postings);
        self.ask_for_comment(tokens, parts.commented, query, mix, postings);
        if tokens.len() <= LONGEST && has_slots(tokens, bounds) && !(self.filled.is_empty() && self.named.is_empty()) {
            let found = slots.of(tokens, bounds, mix, postings);
            let mut brief = Vec::new();
            for slot in found.into_iter().filter(|slot| slot.kind != Kind::End || slot.at.start >= parts.ending) {
                if slot.kind == Kind::Brief {
                    brief.extend(self.named.get(&(slot.kind, slot.around)).map(|set| (*set, slot)));
                    continue;
                }
                let is_named = matches!(slot.kind, Kind::Name | Kind::Code | Kind::Noun);
                let named = is_named.then(|| self.named.get(&(slot.kind, slot.around)));
                // Where what is counted leaves few, comparing these takes less time.
                let leaves_few = |set: &u32| query.takes(postings.sets.get(*set).len().saturating_sub(FEW_LEFT));
                if named.is_some_and(|set| set.is_none_or(leaves_few)) {
                    continue;
                }
                let key = |part| postings.key(standing(&slot.around, part, mix));
                let parts: Vec<Key> = slot.kind.parts(&tokens[slot.at.clone()]).into_iter().map(key).collect();
                match named.flatten() {
                    Some(set) => {
                        let beyond = slot.at.start.saturating_sub(1)..slot.at.end.min(slots.bigrams.len());
                        let beyond = if slot.kind == Kind::Name { &[] } else { &slots.bigrams[beyond] };
                        query.take_away(*set, &postings.sets, |query| {
                            parts.iter().chain(beyond).for_each(|key| query.having(*key, postings));
                        });
                    }
                    None => self.ask_for_fill(&slot, &parts, &slots.bigrams, query, postings),
                }
            }
            if brief.len() > 1 {
                for (set, slot) in brief {
                    let beyond = slot.at.start.saturating_sub(1)..slot.at.end;
                    query.take_away_by_two(Half::Brief, set, &postings.sets, |query| {
                        let parts = slot.kind.parts(&tokens[slot.at.clone()]).into_iter();
                        parts.for_each(|part| query.feature(standing(&slot.around, part, mix), postings));
                        slots.bigrams[beyond].iter().for_each(|key| query.having(*key, postings));
                    });
                }
            }
            self.ask_for_lengths(&slots.bigrams, least, query, postings);
        }
        query.order();
    }

    /// Takes away who fills a slot with about as many tokens. Spared are those who share a bigram, or the token in the middle, or at the
    /// end all but two characters.
    fn ask_for_fill<'p>(
        &self,
        Slot { at, around, kind }: &Slot,
        parts: &[Key],
        bigrams: &[Key],
        query: &mut Query<'p>,
        postings: &'p Postings,
    ) {
        let Some(fills) = self.filled.get(around) else { return };
        let (own, is_end) = (at.len(), *kind == Kind::End);
        // Who has all but two of some characters has one of any three.
        let mut told = parts.to_vec();
        told.sort_by_cached_key(|key| postings.count(*key));
        if is_end && told.len() < LEAST {
            return;
        }
        let mut step = |pardoned: Range<usize>, has_centre: bool, fits: &dyn Fn(usize) -> bool| {
            let fills = fills.iter().filter(|(other, _)| fits(*other as usize));
            fills.for_each(|(_, set)| query.add(*set, &postings.sets));
            let filled = query.union();
            bigrams[pardoned.start..pardoned.end - 1].iter().for_each(|key| query.having(*key, postings));
            let centre = parts.iter().filter(|_| has_centre);
            centre.for_each(|key| query.having(*key, postings));
            let sharing = query.union();
            let all_but_two = told.chunks_exact(LEAST).take(2).map(|three| {
                three.iter().for_each(|key| query.having(*key, postings));
                query.union()
            });
            let all_but_two = all_but_two.collect();
            query.counts(filled, sharing, all_but_two);
        };
        let beyond = at.start - 1..(at.end + 1).min(bigrams.len() + 1);
        if is_end {
            return step(beyond, false, &|other| fits(other, own));
        }
        // Of a fill that is not covered at all, only that of three tokens may have two slips.
        let is_three = own == LEAST;
        if is_three || parts.is_empty() {
            step(at.clone(), is_three, &|other| fits_inside(other, own));
            step(beyond, is_three, &|other| fits(other, own) && !fits_inside(other, own));
        } else {
            step(at.clone(), true, &|other| fits_inside(other, own));
            step(beyond, false, &|other| fits(other, own));
        }
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
        self.named.retain(|_, set| sets.keep(*set, oldest));
        self.lengths.retain(|_, set| sets.keep(*set, oldest));
        self.equals.sweep(oldest, sets);
        self.lists.sweep(oldest, sets);
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
        let named = self.named.capacity() * 8 / 7 * (size_of::<((Kind, [Passage; 2]), u32)>() + 1);
        let lengths = self.lengths.capacity() * 8 / 7 * (size_of::<(u32, u32)>() + 1);
        counted + named + lengths + self.equals.bytes() + self.filled.capacity() * 8 / 7 * fill + fills
    }
}
