//! Forms: bodies with the same frequent bigrams in the same order, which a query rules out together.
//!
//! Nested templates have a frame in common, and little else. No key of the [floods](super::floods) tells their bodies apart: what stands in
//! the frame is as frequent as what stands around it. But they are of few forms. Of each form it is known which bigrams its bodies may
//! have, and how far apart the frequent ones are. So for a new body `b` all bodies `a` of a form are possible or none, but for those that
//! share a rare bigram of `b`:
//! - *Coverage.* None of them has enough of the bigrams of `b` to cover as many of its tokens as a repeat needs.
//! - *Slots.* Two frequent bigrams, which `b` and `a` have once, stand around tokens of `b` of which `a` covers none, and in `a` around
//!   about as many tokens.
//!
//! Bodies of no form, and forms of which neither is true, are compared.

use std::ops::Range;

use super::sets::Sets;
use crate::hash::HashMap;
use crate::near::bitmap;
use crate::near::coverage::{Bigram, bigram};
use crate::near::refill::{LEAST, Passage, before, behind, fits};
use crate::text::tokens::Token;

/// A bigram is frequent in the flood if the most frequent one of the body is so many times as frequent at most …
const OF_MOST: usize = 8;
/// … and if so many bodies have it.
const FREQUENT: usize = 16;
/// Forms with fewer bodies are not asked.
const FEW: usize = if cfg!(test) { 4 } else { 32 };
/// Words of the bitmap of a form.
const WORDS: usize = 1 << 10;
/// So many bodies make a form full, so that its bitmap says something: others of the same bigrams are of the next one.
const FULL: usize = if cfg!(test) { 1 << 6 } else { 1 << 12 };
/// Most forms, full ones counted.
const MOST: usize = 1 << 10;
/// A form is made for so many bodies: what is rarer is compared.
const SIGHTINGS: u32 = 4;
/// Most lists of frequent bigrams of which no form is made as yet.
const MOST_KNOWN: usize = 1 << 12;

/// How frequent a bigram must be, where the most frequent one of the body has so many bodies.
pub(super) fn frequent(most: usize) -> usize {
    (most / OF_MOST).max(FREQUENT)
}

/// The bodies of one form.
struct Form {
    /// Their frequent bigrams, in order.
    frame: Box<[Bigram]>,
    /// From where each of these begins to where the next one does: the least, and the most.
    steps: Box<[[u32; 2]]>,
    /// The least and the most tokens of a body.
    lengths: [usize; 2],
    /// All their bigrams.
    bitmap: Box<[u32]>,
    /// The set of them.
    set: u32,
}

/// What is known of a list of frequent bigrams.
#[derive(Default)]
struct Known {
    sightings: u32,
    /// One more than the place of the form that is not full.
    form: u16,
}

/// The forms of the members of floods.
#[derive(Default)]
pub(super) struct Forms {
    /// A form without a set is gone.
    all: Vec<Option<Form>>,
    known: HashMap<Box<[Bigram]>, Known>,
}

/// A new body: its tokens, and of each of its bigrams the [hash](bitmap::hashes) and whether it is frequent.
pub(super) type Own<'a> = (&'a [Token], &'a [u32], &'a [bool]);

/// Why no body of a form is possible, but for some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ruled {
    /// They cover too few tokens.
    Out,
    /// They do, but for those that share a rare bigram.
    Unlike,
    /// They fill this slot otherwise, but for those that share a rare bigram there.
    Filled(Range<usize>),
}

impl Forms {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes in a member, of which some bigrams are frequent.
    pub(crate) fn join(&mut self, (tokens, number): (&[Token], u32), are_frequent: &[bool], sets: &mut Sets) {
        let places: Vec<u32> = (0..).zip(are_frequent).filter(|(_, is)| **is).map(|(at, _)| at).collect();
        let two = |at: &u32| bigram(tokens[*at as usize], tokens[*at as usize + 1]);
        let frame: Box<[Bigram]> = places.iter().map(two).collect();
        if frame.len() < 2 {
            return;
        }
        if self.known.len() >= MOST_KNOWN {
            self.known.retain(|_, known| known.form > 0);
        }
        let known = self.known.entry(frame.clone()).or_default();
        known.sightings = known.sightings.saturating_add(1);
        if known.form == 0 && known.sightings >= SIGHTINGS {
            let free = self.all.iter().position(Option::is_none);
            if free.is_none() && self.all.len() < MOST {
                self.all.push(None);
            }
            let place = free.unwrap_or(self.all.len() - 1);
            if let Some(free @ None) = self.all.get_mut(place) {
                *free = Some(Form::new(frame, sets.take()));
                known.form = place as u16 + 1;
            }
        }
        let place = known.form.checked_sub(1).map(usize::from);
        let Some(form) = place.and_then(|place| self.all[place].as_mut()) else { return };
        form.take_in(tokens, &places);
        let set = sets.get_mut(form.set);
        set.insert(number);
        if set.len() >= FULL {
            known.form = 0;
        }
    }

    /// Lets go what is older than `oldest`.
    pub(crate) fn sweep(&mut self, oldest: u32, sets: &mut Sets) {
        for form in &mut self.all {
            form.take_if(|form| !sets.keep(form.set, oldest));
        }
        let all = &self.all;
        self.known.retain(|_, known| known.form == 0 || all[usize::from(known.form) - 1].is_some());
    }

    /// Tells of each form which is not possible for this body, of which a kept one of so many tokens must cover so many, its set and why.
    pub(crate) fn rule_out(
        &self,
        own: Own<'_>,
        slots: bool,
        least: impl Fn(usize) -> usize,
        sets: &Sets,
        mut each: impl FnMut(u32, Ruled),
    ) {
        let mut has = Vec::with_capacity(own.0.len());
        for form in self.all.iter().flatten().filter(|form| sets.get(form.set).len() >= FEW) {
            form.rules_out(own, slots, &least, &mut has).into_iter().for_each(|why| each(form.set, why));
        }
    }

    /// Heap bytes in use, but for the sets.
    pub(crate) fn bytes(&self) -> usize {
        let known = self.known.capacity() * 8 / 7 * (size_of::<(Box<[Bigram]>, Known)>() + 1);
        let frames: usize = self.known.keys().map(|frame| size_of_val(&**frame)).sum();
        let form = |form: &Form| WORDS * 4 + size_of_val(&*form.frame) + size_of_val(&*form.steps);
        let forms: usize = self.all.iter().flatten().map(form).sum();
        known + frames + forms + self.all.capacity() * size_of::<Option<Form>>()
    }
}

impl Form {
    fn new(frame: Box<[Bigram]>, set: u32) -> Self {
        let steps = vec![[u32::MAX, 0]; frame.len() - 1].into();
        Self { frame, steps, lengths: [usize::MAX, 0], bitmap: vec![0; WORDS].into(), set }
    }

    /// Takes in a body whose frequent bigrams, those of the frame, begin at these places.
    fn take_in(&mut self, tokens: &[Token], places: &[u32]) {
        for (step, two) in self.steps.iter_mut().zip(places.windows(2)) {
            *step = [step[0].min(two[1] - two[0]), step[1].max(two[1] - two[0])];
        }
        self.lengths = [self.lengths[0].min(tokens.len()), self.lengths[1].max(tokens.len())];
        let mut hashes = Vec::new();
        bitmap::hashes(tokens, &mut hashes);
        bitmap::set(&mut self.bitmap, &hashes);
    }

    /// Whether none of these bodies is possible.
    fn rules_out(
        &self,
        (tokens, hashes, are_frequent): Own<'_>,
        slots: bool,
        least: impl Fn(usize) -> usize,
        has: &mut Vec<bool>,
    ) -> Option<Ruled> {
        let least = (self.lengths[0]..=self.lengths[1]).map(least).min().unwrap_or_default();
        if !bitmap::may_cover(&self.bitmap, least, hashes) {
            return Some(Ruled::Out);
        }
        has.clear();
        has.extend(hashes.iter().zip(are_frequent).map(|(hash, is)| *is && bitmap::has(&self.bitmap, *hash)));
        let is_covered = |at: &usize| *at > 0 && has[at - 1] || has.get(*at).is_some_and(|has| *has);
        let (mut start, mut count) = (0, 0);
        for end in (0..tokens.len()).filter(is_covered) {
            let bare = std::mem::replace(&mut start, end + 1)..end;
            if slots && bare.len() >= LEAST && self.fills_otherwise(tokens, &bare) {
                return Some(Ruled::Filled(bare));
            }
            count += 1;
        }
        (count < least).then_some(Ruled::Unlike)
    }

    /// Whether tokens of which these bodies cover none stand in a slot that they fill otherwise.
    fn fills_otherwise(&self, tokens: &[Token], bare: &Range<usize>) -> bool {
        let place = |passage: Option<Passage>| {
            let [first, second, 0, 0] = passage? else { return None };
            let mut places = (0..self.frame.len()).filter(|at| self.frame[*at] == bigram(first, second));
            places.next().filter(|_| places.next().is_none())
        };
        let around = place(before(tokens, bare.start)).zip(place(behind(tokens, bare.end)));
        let Some(steps) = around.and_then(|(left, right)| self.steps.get(left..right)) else { return false };
        // From the beginning of one bigram to that of the other.
        let [short, long] = [0, 1].map(|which| steps.iter().map(|step| step[which] as usize).sum::<usize>());
        let is_as_long = |far: usize| far.checked_sub(2).is_some_and(|length| fits(length, bare.len()));
        // Three for three may be two slips.
        is_as_long(short) && is_as_long(long) && (bare.len() > LEAST || short > LEAST + 2)
    }
}
