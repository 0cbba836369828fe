//! Floods of short bodies: chooses which of their bigrams a query reads.
//!
//! 您的验证码是482913 is in a *short flood*. It has a number, and many kept bodies have its other bigrams. A word of letters or a name
//! (王芳撤回了一条消息) does as well as a number. The body must be short enough to have a short partner.
//!
//! With ordinary lists a query would count thousands of such bodies. So the bigrams of such a body are among the [keys](super::floods),
//! whose sets are joined. A kept body in one of the sets that a query reads is a candidate, however many bigrams it shares, unless its
//! numbers rule it out. If few bodies are in any of these sets, each is compared. A table of bits lets a query skip all this if it has too
//! few bigrams of short floods.

use std::cmp::Reverse;

use super::features::{Feature, FeatureHasher, Hash};
use super::gate::{self, Gate};
use super::postings::{Key, Postings};
use super::sets::is_before;
use crate::rule::bounds::Bounds;
use crate::rule::sole_facts::only;
use crate::text::tokens::{Token, character};

/// Many bodies share a bigram if at least this many have it. In a large window more must have it: [`OF_WINDOW`].
const SHARED: usize = 64;
/// Many bodies share a bigram if at least one in this many has it: a hundred of a million messages are no flood.
const OF_WINDOW: usize = 1 << 11;
/// In a body of a short flood, one token in this many may be in no shared bigram, besides its numbers, its words of letters and its name.
const FOREIGN: usize = 8;
/// Longer lists mix several templates. They are not searched for bodies that came before the flood was known.
const MOST_LOOKED: usize = 512;
/// Bits of the table (log2).
const GATE_LOG: u32 = 20;

/// The bigrams that are known to be of short floods.
pub(super) struct ShortFloods {
    /// These bigrams, by the hashes of their ordinary lists. There are two generations, so that expired bigrams go without a search.
    gates: [Gate; 2],
    /// Whether any bigram was noted.
    is_needed: bool,
    /// The number of the body at which the younger generation began.
    turned: u32,
}

/// The keys that one query reads, and the memory that all queries of a thread share.
#[derive(Default)]
pub(super) struct Chosen {
    /// Keys to read.
    wanted: Vec<Key>,
    order: Vec<Place>,
    covered: Vec<bool>,
}

/// A key of the body at one place.
struct Place {
    hash: Hash,
    key: Key,
    /// How many bodies have the key.
    count: usize,
    /// The first of the two tokens.
    start: u32,
}

impl Default for ShortFloods {
    fn default() -> Self {
        Self { gates: [Gate::new(GATE_LOG), Gate::new(GATE_LOG)], is_needed: false, turned: 0 }
    }
}

/// How many bodies of a window must have a bigram so that many share it. The window has `bodies`.
pub(super) fn least_sharing(bodies: usize) -> usize {
    SHARED.max(bodies / OF_WINDOW)
}

impl ShortFloods {
    /// Whether a body with these bigrams, hashed for the lists of its class, is of a short flood. It must have numbers, words of letters or
    /// a name. At least half of its tokens must be in bigrams that `least_sharing` bodies or more have. So must all tokens other than
    /// these numbers, words and names, except one in eight. `key` gives the hash of a bigram among the keys.
    pub(crate) fn has(
        &self,
        tokens: &[Token],
        bigrams: &[Feature],
        least_sharing: usize,
        key: impl Fn(&Feature) -> Hash,
        bounds: &Bounds,
        postings: &Postings,
    ) -> bool {
        if !bounds.counts {
            return false;
        }
        let is_shared = |bigram: &Feature| {
            let listed = postings.len(postings.slot(bigram.hash));
            listed >= least_sharing || self.is_noted(bigram) && listed + postings.key_len(key(bigram)) >= least_sharing
        };
        let vouched = vouched(bigrams, is_shared);
        let numbers = tokens.iter().filter(|token| character(**token).is_none()).count();
        let is_one = |foreign| foreign > 0 && vouched + foreign + tokens.len() / FOREIGN >= tokens.len();
        let names = || only(tokens).filter_map(|own| own.beginning(tokens).map(|_| own.at.len())).sum::<usize>();
        2 * vouched >= tokens.len() && (is_one(numbers) || is_one(numbers + names()))
    }

    /// Notes the bigrams of a body of a short flood.
    pub(crate) fn note(&mut self, bigrams: &[Feature]) {
        self.is_needed = true;
        self.gates[0].note(bigrams);
    }

    /// The bodies that came before the flood was known: the shortest list of these bigrams, if that bigram is no key yet.
    pub(crate) fn earlier<'p>(
        bigrams: &[Feature],
        least_sharing: usize,
        key: impl Fn(&Feature) -> Hash,
        postings: &'p Postings,
        oldest: u32,
    ) -> &'p [u32] {
        let long = bigrams.iter().filter(|bigram| postings.len(postings.slot(bigram.hash)) >= least_sharing);
        let shortest = long.min_by_key(|bigram| postings.len(postings.slot(bigram.hash)));
        let first = shortest.filter(|bigram| postings.key_len(key(bigram)) == 0);
        let list = first.map_or(&[][..], |bigram| postings.live(postings.slot(bigram.hash), oldest));
        if list.len() > MOST_LOOKED { &[] } else { list }
    }

    /// Whether a body of `len` tokens with these bigrams may have `least` tokens in bigrams of short floods.
    #[inline]
    pub(crate) fn may_share(&self, bigrams: &[Feature], len: usize, least: usize) -> bool {
        self.is_needed && gate::may_share(bigrams, len, least, |bigram| self.is_noted(bigram))
    }

    #[inline(always)]
    fn is_noted(&self, bigram: &Feature) -> bool {
        self.gates.iter().any(|gate| gate.has(bigram))
    }

    /// Forgets, sooner or later, the bigrams of bodies older than `oldest`. `latest` is the number of the body entered last.
    pub(crate) fn sweep(&mut self, oldest: u32, latest: u32) {
        if is_before(self.turned, oldest) {
            self.turned = latest;
            self.gates.swap(0, 1);
            self.gates[0].clear();
        }
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.gates[0].bytes()
    }
}

impl Chosen {
    /// Heap bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.wanted.capacity() * size_of::<Key>() + self.order.capacity() * size_of::<Place>() + self.covered.capacity()
    }

    /// Begins a query.
    pub(crate) fn begin(&mut self) {
        self.wanted.clear();
    }

    /// Chooses the keys to read for the bigrams of a body of `len` tokens, given by their hashes as keys in the order of the body. A kept
    /// body of one class must have `least` of these tokens. The longest lists are left out, as long as their bigrams span too few tokens
    /// by themselves.
    pub(crate) fn choose(&mut self, hashes: impl Iterator<Item = Hash>, len: usize, least: usize, postings: &Postings) {
        self.order.clear();
        let places = hashes.zip(0..).map(|(hash, start)| {
            let key = postings.key(hash);
            Place { hash, key, count: postings.count(key), start }
        });
        self.order.extend(places.filter(|place| place.count > 0));
        self.order.sort_unstable_by_key(|place| (Reverse(place.count), place.hash, place.start));
        self.covered.clear();
        self.covered.resize(len, false);
        let mut left_out = 0;
        for places in self.order.chunk_by(|one, other| one.hash == other.hash) {
            let tokens = || places.iter().flat_map(|place| place.start as usize..place.start as usize + 2);
            // Overlapping places are counted twice here. So at worst too few lists are left out.
            let most = tokens().filter(|at| !self.covered[*at]).count();
            if left_out + most < least {
                left_out += most;
                tokens().for_each(|at| self.covered[at] = true);
            } else {
                self.wanted.extend(places.first().map(|place| place.key));
            }
        }
    }

    /// The chosen keys.
    pub(crate) fn wanted(&self) -> &[Key] {
        &self.wanted
    }
}

/// How many tokens of a body some of its bigrams span together.
#[inline]
fn vouched(bigrams: &[Feature], is_one: impl Fn(&Feature) -> bool) -> usize {
    let (mut count, mut end) = (0, 0);
    for bigram in bigrams.iter().filter(|bigram| is_one(bigram)) {
        count += bigram.end - bigram.start.max(end);
        end = bigram.end;
    }
    count as usize
}

/// Returns a function that hashes a bigram of this body as a key, for a class.
pub(super) fn key(tokens: &[Token], class: usize, hasher: FeatureHasher) -> impl Fn(&Feature) -> Hash {
    move |bigram| super::features::in_short_flood(&tokens[bigram.start as usize..bigram.end as usize], class, hasher)
}
