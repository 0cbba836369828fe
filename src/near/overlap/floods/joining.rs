//! How bodies become members of a flood.
//!
//! The index knows of a flood when many bodies share their runs. Then the bodies that came before become members, too. They wait for their
//! turn, and each message lets a few of them join, so that no message waits for thousands.

use std::collections::VecDeque;

use super::super::Features;
use super::super::bodies::{Body, BodyWindow};
use super::super::features::{bigram_key, runs};
use super::super::postings::{Entering, Postings};
use super::Floods;
use super::members::{has_slots, in_sets, least_of_member};
use crate::rule::bounds::LONGEST;
use crate::rule::facts::Count;
use crate::rule::sole_facts::only;
use crate::text::tokens::Token;

/// Larger sets are not searched for members that came before the index knew of the flood.
const MOST_LOOKED: usize = 8192;
/// The tokens of the bodies that may join with each message. One body may always join. In tests, bodies wait longer.
const AT_A_TIME: usize = if cfg!(test) { 100 } else { 4096 };
/// The tokens that a body counts for at least, because to look at it takes time as well.
const LEAST: usize = 16;

/// Bodies that wait to become members.
#[derive(Default)]
pub(super) struct Waiting {
    /// Their numbers, and whether they are known to be members.
    to_enter: VecDeque<(u32, bool)>,
    /// Those that have entered, but whose fills are not yet kept. Slots are found by the bigrams of all bodies of a template, so these come
    /// first.
    to_fill: VecDeque<u32>,
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.to_enter.is_empty() && self.to_fill.is_empty()
    }

    /// Heap bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.to_enter.capacity() * size_of::<(u32, bool)>() + self.to_fill.capacity() * size_of::<u32>()
    }
}

impl Floods {
    /// If a body just remembered is a member, it joins, and so do bodies like it that came before. The body has these `features`.
    pub(crate) fn remember(
        &mut self,
        tokens: &[Token],
        number: u32,
        features: &Features,
        postings: &mut Postings,
        bodies: &BodyWindow,
    ) {
        // Only an equal body repeats a longer one.
        if tokens.len() > LONGEST {
            return;
        }
        let (_, own) = features.split();
        let Some(longest) = in_sets(own, least_of_member(tokens.len(), &self.bounds), postings) else { return };
        let set = postings.sets.get_mut(longest);
        if set.len() >= 2 * set.checked_len && set.len() <= MOST_LOOKED {
            set.checked_len = set.len();
            let (members, to_enter) = (&self.members, &mut self.waiting.to_enter);
            postings.sets.get(longest).each(bodies.oldest() as u32, |other| {
                if !members.has(other) {
                    to_enter.push_back((other, false));
                }
            });
        }
        self.join(number, features, postings, bodies);
    }

    /// Makes a body of a short flood a member. The `earlier` bodies will become members, too.
    pub(crate) fn join_after(
        &mut self,
        earlier: &[u32],
        (number, features): (u32, &Features),
        postings: &mut Postings,
        bodies: &BodyWindow,
    ) {
        self.waiting.to_enter.extend(earlier.iter().map(|number| (*number, true)));
        self.join(number, features, postings, bodies);
    }

    /// Makes a body a member, after those that wait. Its `features` may include its slots.
    fn join(&mut self, number: u32, features: &Features, postings: &mut Postings, bodies: &BodyWindow) {
        if !self.waiting.is_empty() {
            return self.waiting.to_enter.push_back((number, true));
        }
        let oldest = bodies.oldest() as u32;
        let Some(Body { tokens, scope, .. }) = bodies.get(number.wrapping_sub(oldest) as usize) else { return };
        if self.members.insert(number) {
            let hasher = self.hasher.within(scope);
            let mut entering = Entering { number, oldest, hasher, postings };
            self.enter(tokens, Some(features.counts()), &mut entering);
            if has_slots(tokens, &self.bounds) {
                self.keep_fills(tokens, features.slots.get().map(Vec::as_slice), &mut entering);
            }
        }
    }

    /// Lets a few of the bodies that wait become members.
    pub(crate) fn catch_up(&mut self, postings: &mut Postings, bodies: &BodyWindow) {
        let oldest = bodies.oldest() as u32;
        let kept = |number: u32| bodies.get(number.wrapping_sub(oldest) as usize);
        let work = |body: &Option<Body<'_>>| body.map_or(LEAST, |body| body.tokens.len().max(LEAST));
        let mut left = AT_A_TIME;
        while left > 0 {
            if let Some((number, is_member)) = self.waiting.to_enter.pop_front() {
                let body = kept(number);
                left = left.saturating_sub(work(&body));
                let Some(body) = body.filter(|body| is_member || self.may_join(*body, postings)) else { continue };
                if self.members.insert(number) {
                    let hasher = self.hasher.within(body.scope);
                    self.enter(body.tokens, None, &mut Entering { number, oldest, hasher, postings });
                    self.waiting.to_fill.push_back(number);
                }
            } else if let Some(number) = self.waiting.to_fill.pop_front() {
                let body = kept(number);
                left = left.saturating_sub(work(&body));
                let Some(body) = body.filter(|body| has_slots(body.tokens, &self.bounds)) else { continue };
                let hasher = self.hasher.within(body.scope);
                self.keep_fills(body.tokens, None, &mut Entering { number, oldest, hasher, postings });
            } else {
                return;
            }
        }
    }

    /// Whether a body that came before the flood was known should become a member.
    fn may_join(&mut self, Body { tokens, scope, .. }: Body<'_>, postings: &Postings) -> bool {
        if tokens.len() > LONGEST {
            return false;
        }
        self.features.clear();
        runs(tokens, self.hasher.within(scope), &mut self.features);
        in_sets(&self.features, least_of_member(tokens.len(), &self.bounds), postings).is_some()
    }

    /// Keeps the bigrams of a member, its length, and its counts, which may be known.
    fn enter(&mut self, tokens: &[Token], counts: Option<&[Count]>, entering: &mut Entering<'_>) {
        let only: Vec<_> = only(tokens).filter(|_| self.bounds.counts).collect();
        let is_slotted = has_slots(tokens, &self.bounds);
        if is_slotted || only.iter().any(|own| own.beginning(tokens).is_some()) {
            self.hashes.clear();
            self.hashes.extend(tokens.windows(2).map(|two| bigram_key(two, entering.hasher)));
            entering.insert_all(&self.hashes);
        }
        if is_slotted {
            let (number, sets) = (entering.number, &mut entering.postings.sets);
            let set = *self.with_bigrams.get_or_insert_with(|| sets.take());
            sets.get_mut(set).insert(number);
            sets.insert(self.lengths.entry(tokens.len() as u32), number);
            self.lists.join(number, sets);
        }
        if self.bounds.counts {
            self.keep_counts(tokens, counts, &only, entering);
        }
    }
}
