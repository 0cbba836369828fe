//! The overlap engine: every kept body of the window that the rule could accept, earliest first.
//!
//! # How
//! `Bounds` says what the rule needs: tokens in common runs where both bodies are long, in common bigrams where one is
//! short. So
//! 1. each run of six tokens of a long kept body is posted in an inverted index, and each bigram of a body that is short or
//!    can have a short partner, in lists by class of its length, because the length decides how many tokens are needed;
//! 2. a query leaves the longest lists out, as long as what they vouch for in b is not enough by itself, minus a margin;
//! 3. the others are read in the order of b, so that the tokens they vouch for are counted once each, for each kept body. Who
//!    reaches the least is offered.
//!
//! Each step bounds from above and hash collisions only raise the count: nothing possible is lost. A few impossible bodies
//! are offered, too, and the rule rejects them: counts know b, not what b covers of the kept body. Four of five of these go by the
//! picture of their bigrams, beside their tokens. What is read of one kept body after another is asked for ahead:
//! of a million short texts, where most of it is in no cache, that takes a third of the time off. Where many postings are
//! to be read, they are read in parts from the oldest bodies on, so that the first repeat of a campaign ends the query.
//!
//! Of a feature that many share the list is a set of bits (`sets.rs`). Bodies in the sets that are not left out are offered whatever they
//! count, but for those that keys of each body (`floods.rs`) rule out: so a message costs about the same whatever the window holds of
//! its template. Short bodies with a number that come in thousands are looked up so by their bigrams (`codes.rs`).
//!
//! Integers only, portable code only: the same answers everywhere. Lists drop what has expired when they are full, and a few
//! slots are swept with each insertion, so that memory follows the window and no message waits for a rebuild.
//!
//! # Measured
//! `quchong dedup -j 1 -q` over the streams of `../shared/data`, window 200k, one core of a shared 2.3 GHz Sapphire Rapids
//! Xeon, which other processes slow down; user time and peak memory of the whole command, before kept bodies were asked for ahead. Before: bigrams of all bodies, a
//! Bloom filter of each, and exact comparisons; the same rule and the same output.
//!
//! | stream | before | now | candidates per query of under 16 tokens |
//! |---|---|---|---|
//! | weibo, 300k | 11.1 s, 204 MB | 5.5 s, 187 MB | 13 |
//! | headlines, 250k | 2.4 s, 132 MB | 2.5 s, 118 MB | 7 |
//! | sms, 45k | 0.5 s, 72 MB | 0.45 s, 70 MB | 7 |
//!
//! # Worst cases
//! Bodies that are candidates of each other and no repeats are compared each with each, unless their numbers or the fills of their
//! slots tell them apart: `cargo bench --bench floods` has the streams. What is left, in nanoseconds a pair, of 4000 lines of 70–100 characters:
//!
//! | lines | a pair |
//! |---|---|
//! | template with a name of four characters, where no key tells it | 1500 |
//! | small alphabet: four characters of 天地人和 in any order, 3176 kept | 650 |
//!
//! Lines of 20 000 characters, 400 of them:
//!
//! | lines | seconds | a pair |
//! |---|---|---|
//! | all different | 2.2 | |
//! | half of each in common, in passages of 100 | 15 | 190 000 |
//! | one character of 100 another, numbers among them, so that none is a repeat | 72 | 900 000 |
//!
//! So a window full of such lines of up to 100 characters (200 000) takes 15 to 300 ms for each message; of long lines that are nearly the same
//! and no repeats, 45 ns for each character of each. What a pair costs is bounded by its length: of three lines of five million characters, half and
//! 99 % in common, all takes 7 s. A limit to the comparisons would bound the rest, but
//! which messages are kept would then hang on what else there is, not on two texts alone; a smaller `--verify-window` bounds it
//! as well, and says so.
//!
//! The alternative was a scan of bag-of-character sketches by length. With AVX-512 it was measured at 46.6 µs a message at 200k
//! live for similarity 0.65 (2–3 times that without AVX-512), and it grows with the window; and it bounds a longest common
//! subsequence, where moved passages do not count.

mod bodies;
mod codes;
mod features;
mod floods;
mod postings;
mod query;
mod reading;
mod search;
mod sets;
#[cfg(test)]
mod tests;

use crate::config::MAX_WINDOW;
use crate::near::bitmap;
use crate::near::bounds::{Bounds, LONG};
use crate::near::multiply_shift::MultiplyShift;
use crate::record::Pos;
use bodies::Bodies;
use codes::Codes;
use features::{CLASSES, Feature, Mix, bigrams, class, runs};
use floods::Floods;
use postings::Postings;
pub(super) use search::Hand;
use search::Index;

/// Most slots for the lists (log2): 512 MB.
const MOST_SLOTS_LOG: u32 = 26;
/// Kept bodies for which memory is set aside at once. Pages are used as they fill; beyond this number it doubles.
const AT_ONCE: u64 = 1 << 20;

/// In place of a class of lengths: all long bodies.
const RUNS: usize = CLASSES;

/// A kept body that the rule could accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// How many bodies were remembered before it.
    pub number: u64,
    /// Its position.
    pub pos: Pos,
    /// Its tokens.
    pub tokens: &'a [u32],
}

/// The kept bodies of the window, and their index. One owner, no locks.
pub struct Overlap {
    window: u64,
    index: Index,
    /// For searches by [`earliest`](Self::earliest), from the first on.
    hand: Option<Box<Hand>>,
    features: Vec<Feature>,
    /// Of the bigrams of the body in hand.
    hashes: Vec<u32>,
}

impl Overlap {
    /// An empty engine over the last `window` positions, 1..=[`MAX_WINDOW`]; other numbers count as the nearest of these.
    /// Where memory is limited to so many bytes, an eighth is for the slots at most.
    pub fn new(window: u64, bounds: Bounds, memory: Option<u64>) -> Self {
        let window = window.clamp(1, MAX_WINDOW);
        // So many that few lists hold foreign features: half as many cost posts 14 % more time and save 3 % of memory.
        let log = (window * 16).next_power_of_two().ilog2().min(MOST_SLOTS_LOG);
        let most = memory.map_or(log, |bytes| (bytes / 8 / Postings::SLOT_BYTES).max(1).ilog2());
        let log = log.min(most).max(8);
        let index = Index {
            bounds: bounds.checked(),
            bodies: Bodies::new((window + 1).min(AT_ONCE) as usize),
            postings: Postings::new(log),
            floods: Floods::default(),
            codes: Codes::default(),
            mix: Mix::new(MultiplyShift::default()),
        };
        Self { window, index, hand: None, features: Vec::new(), hashes: Vec::new() }
    }

    /// Offers all bodies that the bounds make possible for a body of these tokens and this scope, and a few more, of those of
    /// the same scope at the last `window` positions before `pos`, by rising number, until `accept` says yes; what it said. A kept body of so many tokens that covers fewer than
    /// `least` of the new one's is not offered, if its picture shows that. Positions must not fall from call to call.
    pub fn earliest<T>(
        &mut self,
        body: (&[u32], u64),
        pos: Pos,
        least: impl Fn(usize) -> usize,
        accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        self.expire(pos);
        let hand = self.hand.get_or_insert_with(|| Box::new(Hand::new(self.window as usize + 1)));
        self.index.earliest(hand, body, least, accept)
    }

    /// The memory for searches of one thread.
    pub(super) fn hand(&self) -> Hand {
        Hand::new(self.window as usize + 1)
    }

    /// As [`earliest`](Self::earliest), by one of many threads: of all bodies that are not [forgotten](Self::forget).
    pub(super) fn search<T>(
        &self,
        hand: &mut Hand,
        body: (&[u32], u64),
        least: impl Fn(usize) -> usize,
        accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        self.index.earliest(hand, body, least, accept)
    }

    /// Keeps a body, of fewer than 2^31 tokens and of a scope, for the `window` positions after `pos`. Positions must rise from body to
    /// body. Bodies that can be nobody's partner (fewer than two tokens) may be kept, too, so that numbers agree with the
    /// caller's.
    pub fn remember(&mut self, (tokens, scope): (&[u32], u64), pos: Pos) {
        self.expire(pos);
        let mix = self.index.mix.within(scope);
        let oldest = self.index.bodies.oldest() as u32;
        // Numbers wrap round in the lists; no list keeps one for so long.
        let number = oldest.wrapping_add(self.index.bodies.len() as u32);
        self.features.clear();
        if tokens.len() <= self.index.bounds.longest_partner() {
            bigrams(tokens, class(tokens.len()), mix, &mut self.features);
        }
        let bigrams = self.features.len();
        if tokens.len() >= LONG {
            runs(tokens, mix, &mut self.features);
        }
        let key = codes::key(tokens, class(tokens.len()), mix);
        let (short, long) = self.features.split_at(bigrams);
        let is_code = self.index.codes.is_code(tokens, short, &key, &self.index.bounds, &self.index.postings);
        let lists = if is_code { long } else { &self.features };
        for (at, feature) in lists.iter().enumerate() {
            self.index.postings.push(
                self.index.postings.slot(feature.hash),
                number,
                oldest,
                at + long.len() >= lists.len(),
            );
        }
        bitmap::hashes(tokens, &mut self.hashes);
        self.index.bodies.push((tokens, scope), &self.hashes, pos);
        if is_code {
            let mut batch = Codes::earlier(short, &key, &self.index.postings, oldest).to_vec();
            batch.push(number);
            self.index.codes.note(short);
            short.iter().for_each(|bigram| self.index.postings.insert(key(bigram), number, oldest));
            self.index.floods.join(batch, &self.index.bounds, mix, (&mut self.index.postings, &self.index.bodies));
        }
        let place = (&mut self.index.postings, &self.index.bodies);
        self.index.floods.remember((tokens, number), long, &self.index.bounds, mix, place);
        self.index.floods.sweep(oldest, &mut self.index.postings);
        self.index.codes.sweep(oldest, number);
        if self.index.bodies.oldest() > 0 {
            self.index.postings.sweep(self.index.postings.slots().div_ceil(self.window as usize), oldest);
        }
    }

    /// Lets go the bodies before a position.
    pub fn forget(&mut self, before: Pos) {
        self.index.bodies.expire(before);
    }

    fn expire(&mut self, pos: Pos) {
        self.index.bodies.expire(Pos(pos.0.saturating_sub(self.window)));
    }

    /// Bodies in the window, as of the last call.
    pub fn len(&self) -> usize {
        self.index.bodies.len()
    }

    /// Whether there is no body in the window.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Heap bytes in use, pages that were set aside and never touched included.
    pub fn bytes(&self) -> usize {
        self.index.bodies.bytes()
            + self.index.postings.bytes()
            + self.hand.as_ref().map_or(0, |hand| hand.bytes())
            + self.index.floods.bytes()
            + self.index.codes.bytes()
    }
}
