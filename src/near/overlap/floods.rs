//! Floods: thousands of messages of one template are ruled out by sets, and not compared.
//!
//! 您的快递取件码是482913，请在今晚九点前到门口的驿站领取 has nearly all its runs in common with thousands of kept codes. The rule refuses each, because another
//! number is between 是 and 请. So the index keeps two sets: the bodies with a number there, and the bodies with 482913 there. A body in the
//! first set and not in the second is ruled out at once.
//!
//! Such *keys* express some conditions of [`Bounds`]. For a new body `b` and a kept body `a`, both long (numbers, words of letters and an
//! only name also rule out short bodies):
//!
//! | `b` has | rules out an `a` that has | unless |
//! |---|---|---|
//! | numbers between two tokens | as many there | they are the same, or all its numbers are in another order |
//! | a code between two tokens | a code there | it is the same, or has a part more or less at an end |
//! | numbers that count something: 17例 | a number that counts it | it is a number of `b`, or `a` has all of `b`'s somewhere |
//! | a stretch between two passages, or one and the end | a stretch about as long there | it has a bigram of `b`'s, or its middle token |
//! | a stretch of a comment on a repost | (every one) | it has a bigram of the stretch |
//! | two brief stretches between passages | brief ones there | in one of the two it has a character, a synonym or a bigram of `b`'s |
//! | a noun between two passages | a noun there | the same, or one of its characters may be mistaken for that of `b`'s |
//! | a name between two passages | a name there | its surname and last character are `b`'s |
//! | three items of a list or more | a list | it has one of each two items |
//! | two entries of a list | entries with the same keys | one of the two says the same |
//! | rarer bigrams, without which [too little](lengths) is in common | (every one) | it has one of these bigrams |
//! | words of letters between two passages | words of letters there | they are the same in any order, or share an end or a bigram |
//!
//! The query joins the sets of bodies that share long runs with `b`, and takes away those that fail. A few are left. A set that is taken
//! away (the bodies that count something, or that fill a slot) has an exact key, because a collision of hashes would lose a repeat. Only the
//! bodies with equal tokens are looked up by a hash of 64 bits: among 200 000 token lists two share one with a probability of 10⁻⁹. In the
//! sets of bodies that are pardoned, a collision only adds a candidate.
//!
//! The index keeps keys of *members*: bodies that are largely made of runs that many bodies share. A body that is no member is in no set
//! that is taken away, except for entries and for bodies with equal tokens. So whether a body is a member changes only the time, and not
//! the answer.

mod comments;
mod counts;
mod entries;
mod fills;
mod joining;
mod lengths;
mod members;

use crate::hash::SweptMap;

use super::equal_bodies::Equals;
use super::features::{Feature, FeatureHasher, Hash};
use super::lists::Lists;
use super::postings::Postings;
use super::query::Query;
use super::sets::{BLOCK, Set, block, next};
use super::slots::{Kind, Slots};
use super::{Asked, Scoped};
use crate::rule::bounds::{Bounds, LONGEST};
use crate::rule::numbers::NumberKey;
use crate::rule::refill::Passage;
use crate::text::tokens::Token;
use joining::Waiting;
use members::has_slots;

/// If at most this many bodies are left, they are compared, and their slots are not looked up.
const FEW_LEFT: usize = 64;

/// The bodies that fill a slot with this many tokens.
struct Fill {
    length: u32,
    set: u32,
}

/// The keys of the members of floods.
pub(super) struct Floods {
    /// The bounds of the engine.
    bounds: Bounds,
    /// How the engine hashes features.
    hasher: FeatureHasher,
    members: Set,
    waiting: Waiting,
    /// The set of the members whose bigrams are keys.
    with_bigrams: Option<u32>,
    pub(crate) lists: Lists,
    /// By number of tokens: the set of the members of this length whose bigrams are keys.
    lengths: SweptMap<u32, u32>,
    /// By what numbers are about: the set of the members with numbers for it. A key is the thing counted and zeros; or the tokens [around
    /// numbers](crate::rule::numbers::numbers) and how many numbers there are; or a kind of thing that a body has [only] one of.
    by_number_key: SweptMap<NumberKey, u32>,
    pub(crate) equals: Equals,
    /// By the passages before and after a slot: the members that fill it with words.
    filled: SweptMap<[Passage; 2], Vec<Fill>>,
    /// The same for fills of another kind: a name, a code, brief words or a noun.
    by_kind: SweptMap<(Kind, [Passage; 2]), u32>,
    /// By the key of an entry of a list: the bodies that have it.
    by_entry: SweptMap<[Token; 3], u32>,
    /// The block of the oldest body when the members, the lists and `with_bigrams` were last swept.
    swept: u32,
    /// A buffer for the runs of a body that may be a member.
    features: Vec<Feature>,
    /// A buffer for the hashes of the keys of the current body.
    hashes: Vec<Hash>,
    slots: Slots,
}

impl Floods {
    /// Makes empty floods under these bounds of the engine.
    pub(crate) fn new(bounds: Bounds, hasher: FeatureHasher) -> Self {
        Self {
            bounds,
            hasher,
            members: Set::default(),
            waiting: Waiting::default(),
            with_bigrams: None,
            lists: Lists::default(),
            lengths: SweptMap::default(),
            by_number_key: SweptMap::default(),
            equals: Equals::default(),
            filled: SweptMap::default(),
            by_kind: SweptMap::default(),
            by_entry: SweptMap::default(),
            swept: 0,
            features: Vec::new(),
            hashes: Vec::new(),
            slots: Slots::default(),
        }
    }

    /// Adds steps to a query that take away the bodies that a body's keys rule out.
    pub(crate) fn add_steps(
        &self,
        slots: &mut Slots,
        asked: Asked<'_>,
        query: &mut Query<'_>,
        least: impl Fn(usize) -> usize,
    ) {
        let Asked { body: Scoped { tokens, scope }, features, parts } = asked;
        let (hasher, parts) = (self.hasher.within(scope), parts());
        if self.bounds.counts {
            self.add_steps_by_counts(features.counts(), query, hasher);
            self.add_steps_by_numbers(tokens, parts.ends_freely, query, hasher);
            self.add_steps_by_only(tokens, query, hasher);
        }
        self.equals.add_steps(&features.distinguishing, query);
        self.lists.add_steps(&features.items, query, hasher);
        self.add_steps_by_entries(&features.entries, query, hasher);
        self.add_steps_by_comment(tokens, parts.commented, query, hasher);
        let is_any_filled = !self.filled.is_empty() || !self.by_kind.is_empty();
        if tokens.len() <= LONGEST && has_slots(tokens, &self.bounds) && is_any_filled {
            self.add_steps_by_slots(slots, asked, parts.ending, query, hasher);
            self.add_steps_by_lengths(&slots.bigrams, least, query);
        }
        query.order();
    }

    /// Drops keys of bodies older than `oldest`. While a block of bodies enters, each map is gone through about once. If more than a block
    /// was forgotten at once, memory is short, and all maps are gone through now.
    pub(crate) fn sweep(&mut self, oldest: u32, postings: &mut Postings) {
        let is_near = [self.swept, next(self.swept)].contains(&block(oldest));
        let calls = if is_near { BLOCK as usize } else { 1 };
        postings.sweep_keys(calls, oldest);
        let sets = &mut postings.sets;
        self.by_number_key.sweep(calls, |set| sets.keep_live(*set, oldest));
        self.by_kind.sweep(calls, |set| sets.keep_live(*set, oldest));
        self.by_entry.sweep(calls, |set| sets.keep_live(*set, oldest));
        self.lengths.sweep(calls, |set| sets.keep_live(*set, oldest));
        self.equals.sweep(calls, oldest, sets);
        self.filled.sweep(calls, |fills| {
            fills.retain(|fill| sets.keep_live(fill.set, oldest));
            !fills.is_empty()
        });
        if block(oldest) == self.swept {
            return;
        }
        self.swept = block(oldest);
        self.members.expire(oldest);
        self.with_bigrams = self.with_bigrams.filter(|set| sets.keep_live(*set, oldest));
        self.lists.sweep(oldest, sets);
    }

    /// Heap bytes in use, not counting the sets.
    pub(crate) fn bytes(&self) -> usize {
        let fills = self.filled.values().map(|fills| fills.capacity() * size_of::<Fill>()).sum::<usize>();
        self.by_number_key.bytes()
            + self.by_kind.bytes()
            + self.by_entry.bytes()
            + self.lengths.bytes()
            + self.equals.bytes()
            + self.filled.bytes()
            + fills
            + self.members.bytes()
            + self.waiting.bytes()
            + self.lists.bytes()
            + self.slots.bytes()
            + self.features.capacity() * size_of::<Feature>()
            + self.hashes.capacity() * size_of::<Hash>()
    }
}
