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
mod counts;
mod entries;
mod fills;
mod lengths;
mod members;

use crate::hash::HashMap;
use crate::hash::memory::map_bytes;

use super::bodies::{Bodies, Body};
use super::equals::Equals;
use super::features::{Feature, Hash, Mix, runs, shared};
use super::lists::Lists;
use super::postings::Postings;
use super::query::Query;
use super::sets::{Set, block};
use super::slots::{Kind, Slots};
use super::{Asked, Features, Scoped};
use crate::rule::bounds::{Bounds, LONGEST};
use crate::rule::only::only;
use crate::rule::refill::Passage;
use crate::text::tokens::Token;
use members::{has_slots, in_sets, least_of_member};

/// Larger sets are not looked through for members that came before the flood was known as one.
const MOST_LOOKED: usize = 8192;

/// So few bodies are compared, and no slots of theirs are looked up.
const FEW_LEFT: usize = 64;

/// The bodies with one length of fill in a slot, and the set of them.
type Fills = Vec<(u32, u32)>;

/// What is counted and zeros, or what stands [around numbers](crate::rule::numbers::numbers) and how many they are.
type Topic = [Token; 4];

/// Keys of the members.
pub(super) struct Floods {
    /// Those of the engine.
    bounds: Bounds,
    /// As the engine hashes features.
    mix: Mix,
    members: Set,
    /// The set of the members whose bigrams are keys.
    with_bigrams: Option<u32>,
    pub(crate) lists: Lists,
    /// Of the members whose bigrams are keys: who has so many tokens.
    lengths: HashMap<u32, u32>,
    /// Who has numbers for a topic.
    counted: HashMap<Topic, u32>,
    pub(crate) equals: Equals,
    /// Who fills a slot with words: by the passages before and behind it.
    filled: HashMap<[Passage; 2], Fills>,
    /// Who has something of another kind there: a name, a code, brief words, a noun, or what an entry of a list says.
    by_kind: HashMap<(Kind, [Passage; 2]), u32>,
    /// The block of the oldest body when the keys were last swept.
    swept: u32,
    /// Runs of a body that may be a member; a buffer.
    features: Vec<Feature>,
    /// Hashes of the keys of the body in hand; a buffer.
    hashes: Vec<Hash>,
    slots: Slots,
}

impl Floods {
    /// No keys, under these bounds of the engine.
    pub(crate) fn new(bounds: Bounds, mix: Mix) -> Self {
        Self {
            bounds,
            mix,
            members: Set::default(),
            with_bigrams: None,
            lists: Lists::default(),
            lengths: HashMap::default(),
            counted: HashMap::default(),
            equals: Equals::default(),
            filled: HashMap::default(),
            by_kind: HashMap::default(),
            swept: 0,
            features: Vec::new(),
            hashes: Vec::new(),
            slots: Slots::default(),
        }
    }

    /// Keeps the keys of a body just remembered, which has these features, if it is a member, and those of bodies like it that came before.
    pub(crate) fn remember(
        &mut self,
        tokens: &[Token],
        number: u32,
        features: &Features,
        postings: &mut Postings,
        bodies: &Bodies,
    ) {
        // Only an equal body repeats a longer one.
        if tokens.len() > LONGEST {
            return;
        }
        let (_, own) = features.split();
        let Some(longest) = in_sets(own, least_of_member(tokens.len(), &self.bounds), postings) else { return };
        let oldest = bodies.oldest() as u32;
        let mut batch = vec![number];
        let set = postings.sets.get_mut(longest);
        if set.len() >= 2 * set.looked && set.len() <= MOST_LOOKED {
            set.looked = set.len();
            postings.sets.get(longest).each(oldest, |other| batch.push(other));
        }
        batch.retain(|other| {
            let Some(kept) = bodies.get(other.wrapping_sub(oldest) as usize) else { return false };
            *other == number || self.may_join(kept, postings)
        });
        self.join(batch, (number, features), postings, bodies);
    }

    /// Whether a body that came before the flood was known is to be a member.
    fn may_join(&mut self, Body { tokens, scope, .. }: Body<'_>, postings: &Postings) -> bool {
        if tokens.len() > LONGEST {
            return false;
        }
        self.features.clear();
        runs(tokens, self.mix.within(scope), &mut self.features);
        in_sets(&self.features, least_of_member(tokens.len(), &self.bounds), postings).is_some()
    }

    /// Makes members of some bodies, and keeps their keys. Where the slots of one of them are may be known from its features.
    pub(crate) fn join(
        &mut self,
        mut batch: Vec<u32>,
        (known, features): (u32, &Features),
        postings: &mut Postings,
        bodies: &Bodies,
    ) {
        let oldest = bodies.oldest() as u32;
        batch.retain(|number| self.members.insert(*number));
        let kept = |number: u32| Some((number, bodies.get(number.wrapping_sub(oldest) as usize)?));
        // All bigrams first: they say what is of the template.
        for (number, body) in batch.iter().copied().filter_map(kept) {
            self.enter(body, number, oldest, postings);
        }
        // Beside others, their bigrams were not yet there when it was searched for.
        let is_alone = batch.len() == 1;
        for (number, body) in batch.into_iter().filter_map(kept) {
            if has_slots(body.tokens, &self.bounds) {
                let slots = features.slots.get().filter(|_| is_alone && number == known);
                self.keep_fills(body, slots.map(Vec::as_slice), number, oldest, postings);
            }
        }
    }

    /// Keeps the bigrams of a member, its length, and what it counts.
    fn enter(&mut self, Body { tokens, scope, .. }: Body<'_>, number: u32, oldest: u32, postings: &mut Postings) {
        let mix = self.mix.within(scope);
        let only: Vec<_> = only(tokens).filter(|_| self.bounds.counts).collect();
        let is_slotted = has_slots(tokens, &self.bounds);
        if is_slotted || only.iter().any(|own| own.beginning(tokens).is_some()) {
            self.hashes.clear();
            self.hashes.extend(tokens.windows(2).map(|two| shared(two, mix)));
            postings.insert_all(&self.hashes, number, oldest);
        }
        if is_slotted {
            let set = *self.with_bigrams.get_or_insert_with(|| postings.sets.take());
            postings.sets.get_mut(set).insert(number);
            postings.sets.insert(self.lengths.entry(tokens.len() as u32), number);
            self.lists.join(number, &mut postings.sets);
        }
        if self.bounds.counts {
            self.keep_counts(tokens, &only, number, oldest, mix, postings);
        }
    }

    /// Adds to a query what a body's keys rule out.
    pub(crate) fn ask(
        &self,
        slots: &mut Slots,
        asked: Asked<'_>,
        query: &mut Query<'_>,
        least: impl Fn(usize) -> usize,
    ) {
        let Asked { body: Scoped { tokens, scope }, features, parts } = asked;
        let mix = self.mix.within(scope);
        if self.bounds.counts {
            self.ask_for_counts(tokens, query, mix);
            self.ask_for_numbers(tokens, parts.ends_freely, query, mix);
            self.ask_for_only(tokens, query, mix);
        }
        self.equals.ask(&features.apart, query);
        self.lists.ask(&features.items, query, mix);
        self.ask_for_entries(&features.entries, query, mix);
        self.ask_for_comment(tokens, parts.commented, query, mix);
        let is_any_filled = !self.filled.is_empty() || !self.by_kind.is_empty();
        if tokens.len() <= LONGEST && has_slots(tokens, &self.bounds) && is_any_filled {
            self.ask_for_slots(slots, asked, query, mix);
            self.ask_for_lengths(&slots.bigrams, least, query);
        }
        query.order();
    }

    /// Drops keys of what is older than `oldest`, once for each block of bodies.
    pub(crate) fn sweep(&mut self, oldest: u32, postings: &mut Postings) {
        if block(oldest) == self.swept {
            return;
        }
        self.swept = block(oldest);
        self.members.expire(oldest);
        postings.sweep_keys(oldest);
        let sets = &mut postings.sets;
        self.with_bigrams = self.with_bigrams.filter(|set| sets.keep(*set, oldest));
        self.counted.retain(|_, set| sets.keep(*set, oldest));
        self.by_kind.retain(|_, set| sets.keep(*set, oldest));
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
        let fills = self.filled.values().map(|fills| fills.capacity() * size_of::<(u32, u32)>()).sum::<usize>();
        map_bytes(&self.counted)
            + map_bytes(&self.by_kind)
            + map_bytes(&self.lengths)
            + self.equals.bytes()
            + map_bytes(&self.filled)
            + fills
    }
}
