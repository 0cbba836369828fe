//! Slots: other words, another name, code or noun between the passages of a template.

use std::ops::Range;

use super::super::features::{FeatureHasher, fill_key};
use super::super::postings::{Entering, Key, Postings};
use super::super::query::{Half, Query};
use super::super::slots::{Kind, Slot, Slots};
use super::super::{Asked, Scoped};
use super::{FEW_LEFT, Fill, Floods};
use crate::rule::refill::{Passage, SHORTEST_FILL, fits, fits_inside};
use crate::text::tokens::Token;

impl Floods {
    /// Keeps the fills of the slots of a member. The slots may be `known`.
    pub(super) fn keep_fills(&mut self, tokens: &[Token], known: Option<&[Slot]>, entering: &mut Entering<'_>) {
        let hasher = entering.hasher;
        self.hashes.clear();
        let found = if known.is_some() { Vec::new() } else { self.find_slots(tokens, hasher, entering.postings) };
        for Slot { at, around, kind } in known.unwrap_or(&found) {
            let (kind, around) = (*kind, *around);
            let parts = kind.parts(&tokens[at.clone()]);
            self.hashes.extend(parts.into_iter().map(fill_key(&around, hasher)));
            match kind {
                Kind::Name | Kind::Code | Kind::Brief | Kind::Noun => {
                    entering.postings.sets.insert(self.by_kind.entry((kind, around)), entering.number);
                }
                Kind::Words | Kind::End => self.keep_words(around, at.len() as u32, entering),
            }
        }
        entering.insert_all(&self.hashes);
    }

    /// Finds the slots of a member.
    fn find_slots(&mut self, tokens: &[Token], hasher: FeatureHasher, postings: &Postings) -> Vec<Slot> {
        self.slots.look_up(tokens, hasher, postings);
        self.slots.of(tokens, &self.bounds, postings)
    }

    /// Keeps that a member fills a slot with words of this many tokens.
    fn keep_words(&mut self, around: [Passage; 2], length: u32, entering: &mut Entering<'_>) {
        let sets = &mut entering.postings.sets;
        let fills = self.filled.entry(around).or_default();
        let known = fills.iter().find(|fill| fill.length == length).map(|fill| fill.set);
        let set = known.unwrap_or_else(|| {
            let set = sets.take();
            fills.push(Fill { length, set });
            set
        });
        sets.get_mut(set).insert(entering.number);
    }

    /// Adds steps that take away the bodies that fill the slots of a body with something else. Words at the end are a slot only if they
    /// start at `ending` of the parts, or after it.
    pub(super) fn add_steps_by_slots(
        &self,
        slots: &mut Slots,
        asked: Asked<'_>,
        ending: usize,
        query: &mut Query<'_>,
        hasher: FeatureHasher,
    ) {
        let Asked { body: Scoped { tokens, .. }, features, .. } = asked;
        slots.look_up(tokens, hasher, query.postings);
        let found = features.slots.get_or_init(|| slots.of(tokens, &self.bounds, query.postings));
        let bigrams = &slots.bigrams;
        for slot in found.iter().filter(|slot| slot.kind != Kind::End || slot.at.start >= ending) {
            match slot.kind {
                Kind::Brief => {}
                Kind::Name | Kind::Code | Kind::Noun => self.add_steps_by_kind(slot, tokens, bigrams, query, hasher),
                Kind::Words | Kind::End => self.add_steps_by_words(slot, tokens, bigrams, query, hasher),
            }
        }
        let brief = found.iter().filter(|slot| slot.kind == Kind::Brief);
        let brief = brief.filter_map(|slot| Some((slot, *self.by_kind.get(&(slot.kind, slot.around))?)));
        let brief: Vec<_> = brief.collect();
        if brief.len() > 1 {
            brief.into_iter().for_each(|(slot, set)| add_steps_by_brief(slot, set, tokens, bigrams, query, hasher));
        }
    }

    /// Adds steps that take away the bodies that have another name, code or noun in a slot.
    fn add_steps_by_kind(
        &self,
        slot: &Slot,
        tokens: &[Token],
        bigrams: &[Key],
        query: &mut Query<'_>,
        hasher: FeatureHasher,
    ) {
        let Some(set) = self.by_kind.get(&(slot.kind, slot.around)) else { return };
        // If the counts leave few bodies, comparing these takes less time.
        if query.takes_about(query.postings.sets.get(*set).len().saturating_sub(FEW_LEFT)) {
            return;
        }
        let parts = keys_of_parts(slot, tokens, query.postings, hasher);
        let beyond = slot.at.start.saturating_sub(1)..slot.at.end.min(bigrams.len());
        let beyond = if slot.kind == Kind::Name { &[] } else { &bigrams[beyond] };
        query.take_away(*set, |union| parts.iter().chain(beyond).for_each(|key| union.add_key(*key)));
    }

    /// Adds steps that take away the bodies that fill a slot with about as many tokens. A body is spared if it shares a bigram or the
    /// middle token. At the end it is also spared if it has all but two of the characters.
    fn add_steps_by_words(
        &self,
        slot: &Slot,
        tokens: &[Token],
        bigrams: &[Key],
        query: &mut Query<'_>,
        hasher: FeatureHasher,
    ) {
        let Some(fills) = self.filled.get(&slot.around) else { return };
        let parts = keys_of_parts(slot, tokens, query.postings, hasher);
        let Slot { at, kind, .. } = slot;
        let (own, is_end) = (at.len(), *kind == Kind::End);
        // A body that has all but two of some characters has at least one of any three.
        let mut rarest_first = parts.clone();
        rarest_first.sort_by_cached_key(|key| query.postings.count(*key));
        if is_end && rarest_first.len() < SHORTEST_FILL {
            return;
        }
        let mut step = |pardoned: Range<usize>, has_centre: bool, fits: &dyn Fn(usize) -> bool| {
            let fills = fills.iter().filter(|fill| fits(fill.length as usize));
            let filled = query.union_of(|union| fills.for_each(|fill| union.add_set(fill.set)));
            let centre = parts.iter().filter(|_| has_centre);
            let shared = bigrams[pardoned.start..pardoned.end - 1].iter().chain(centre);
            let sharing = query.union_of(|union| shared.for_each(|key| union.add_key(*key)));
            let all_but_two = rarest_first.chunks_exact(SHORTEST_FILL).take(2);
            let all_but_two = all_but_two
                .map(|three| query.union_of(|union| three.iter().for_each(|key| union.add_key(*key))))
                .collect();
            query.step(filled, sharing, all_but_two);
        };
        let beyond = at.start - 1..(at.end + 1).min(bigrams.len() + 1);
        if is_end {
            return step(beyond, false, &|other| fits(other, own));
        }
        // Among the fills with no covered token, only a fill of three tokens may have two slips.
        let is_three = own == SHORTEST_FILL;
        if is_three || parts.is_empty() {
            step(at.clone(), is_three, &|other| fits_inside(other, own));
            step(beyond, is_three, &|other| fits(other, own) && !fits_inside(other, own));
        } else {
            step(at.clone(), true, &|other| fits_inside(other, own));
            step(beyond, false, &|other| fits(other, own));
        }
    }
}

/// Adds steps that take away the bodies of a set, which have other brief words in a slot, if the step of another slot takes them away, too.
fn add_steps_by_brief(
    slot: &Slot,
    set: u32,
    tokens: &[Token],
    bigrams: &[Key],
    query: &mut Query<'_>,
    hasher: FeatureHasher,
) {
    let beyond = slot.at.start.saturating_sub(1)..slot.at.end;
    query.take_away_by_two(Half::Brief, set, |union| {
        let parts = slot.kind.parts(&tokens[slot.at.clone()]).into_iter();
        parts.map(fill_key(&slot.around, hasher)).for_each(|hash| union.add_hash(hash));
        bigrams[beyond].iter().for_each(|key| union.add_key(*key));
    });
}

/// The keys of the parts of a slot's fill.
fn keys_of_parts(
    Slot { at, around, kind }: &Slot,
    tokens: &[Token],
    postings: &Postings,
    hasher: FeatureHasher,
) -> Vec<Key> {
    let hashes = kind.parts(&tokens[at.clone()]).into_iter().map(fill_key(around, hasher));
    hashes.map(|hash| postings.key(hash)).collect()
}
