//! The overlap engine: for a new body, every kept body of the window that the repeat rule could accept, earliest first.
//!
//! For example, the new body is 我在东湖旁的樱花树下等你. The index has a list of the kept bodies for each of its eleven bigrams: 我在, 在东, 东湖 and so on.
//! A kept body that is in enough of the lists is a candidate, and the rule judges it.
//!
//! # How
//! `Bounds` says what the rule needs: tokens in common runs where both bodies are long, in common bigrams where one is short. So
//! 1. each run of five tokens of a long kept body is posted in an inverted index. So is each bigram of a body that is short or can have a
//!    short partner, in lists by class of its length, because the length decides how many tokens are needed;
//! 2. a query b leaves out the longest lists, as long as the tokens of b that they stand for are too few for a repeat, by a margin;
//! 3. the query reads the other lists in the order of b, and counts for each kept body the tokens of b that it has in common, each token
//!    once. A body that reaches the count that its length asks for is looked at;
//! 4. a small bitmap of the bigrams of each kept body rules out most of these. The others are offered.
//!
//! Each step bounds from above, and collisions of hashes or of tallies only raise the count: nothing possible is lost. A few impossible
//! bodies are offered, too, because counts know what is covered of b, but not of the kept body. The rule rejects them.
//!
//! In a large window most of what a query reads is in no cache. So what is read for each posting is small and does not grow with the
//! window: a table of tallies, which many bodies share. The lengths of all bodies are together, and so are the bitmaps of the short ones.
//! The query asks for all lists at once, and for what it reads next while it works on the body in hand. Where many postings are to be read,
//! they are read in parts, the oldest bodies first. Then the first repeat of a campaign ends the query.
//!
//! If many bodies share a feature, its list is a set of bits (`sets.rs`). Bodies in the sets that are not left out are offered whatever
//! they count, unless keys of each body (`floods.rs`) rule them out. So a message costs about the same, however many messages of its
//! template the window holds. Short bodies with a number that come in thousands are looked up in the same way by their bigrams
//! (`short_floods.rs`).
//!
//! There are only integers and portable code: the same answers everywhere. Lists drop what has expired when they are full, and a few slots
//! are swept with each insertion. So memory follows the window, and no message waits for a rebuild.
//!
//! # Worst cases
//! Bodies that are candidates of each other and no repeats are compared each with each, unless their numbers or the fills of their slots
//! tell them apart. Some nested templates are such a case, and so are long lines that are nearly the same. The time of a comparison is
//! bounded by the length of the two bodies. A limit to the number of comparisons would bound the time of a message. But then a verdict would depend
//! on what else the window holds, and not on two texts alone. A smaller `--verify-window` bounds it as well, and says so. `cargo bench
//! --bench floods` has the streams.
//!
//! # Alternatives
//! A scan of bag-of-character sketches by length takes longer, and its time grows with the window. It also bounds a longest common
//! subsequence, where moved passages do not count.
//!
//! `benches/RESULTS.md` has the figures, under *Notes from the modules*.

mod bodies;
mod enter;
mod equals;
mod features;
mod floods;
mod gate;
mod lists;
mod postings;
mod query;
mod reading;
mod search;
mod sets;
mod short_floods;
mod slots;
mod standalone;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::config::MAX_WINDOW;
use crate::hash::table::MultiplyShift;
use crate::near::bitmap;
use crate::record::Pos;
use crate::rule::bounds::{Bounds, LONG};
use crate::rule::entries::Entry;
use crate::rule::equal::Told;
use crate::rule::listed::Item;
use bodies::Bodies;
use features::{ApartKeys, CLASSES, Feature, Mix, apart_key, bigrams, class, rearranged, runs};
use floods::Floods;
use gate::Gate;
use postings::Postings;
pub(super) use query::BodyParts;
pub(super) use search::Buffers;
use short_floods::ShortFloods;
use slots::Slot;
pub use standalone::Standalone;

/// Most slots for the lists (log2): 512 MB.
const MOST_SLOTS_LOG: u32 = 26;
/// Kept bodies for which memory is set aside at once. Pages are used as they fill; beyond this number it doubles.
const AT_ONCE: u64 = 1 << 20;

/// Bits of the table of what was entered since a [mark](Overlap::mark) (log2): some thousands of bodies fill a tenth of it.
const SINCE_LOG: u32 = 20;

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

/// A body, as the index sees it. Only bodies of one scope are candidates of each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scoped<'b> {
    pub(super) tokens: &'b [u32],
    pub(super) scope: u64,
}

/// What is asked for: a body, its features, and how the rule reads its parts.
#[derive(Clone, Copy)]
pub(super) struct Asked<'b> {
    pub(super) body: Scoped<'b>,
    pub(super) features: &'b Features,
    pub(super) parts: BodyParts,
}

/// The kept bodies of the window, and their index. One owner, no locks.
pub(super) struct Overlap {
    window: u64,
    bounds: Bounds,
    mix: Mix,
    bodies: Bodies,
    postings: Postings,
    floods: Floods,
    short_floods: ShortFloods,
    /// The number of a body, and the features of the bodies from it on.
    since: Option<(u64, Gate)>,
}

/// What a search looks up and an insertion stores of a body. Only `slots` depends on others: a search fills it in.
#[derive(Default)]
pub(super) struct Features {
    /// Its bigrams, if it can have a short partner; behind them its runs.
    all: Vec<Feature>,
    bigrams: usize,
    /// Hashes of its bigrams, for its picture.
    hashes: Vec<u32>,
    /// What [tells](Told) it from others with an equal body, as keys.
    apart: ApartKeys,
    /// The items that it lists.
    items: Vec<Item>,
    /// Its entries, if it is a list of these.
    entries: Vec<Entry>,
    /// Where its slots are, if a search among a flood has looked for them: when it is entered, they are much the same.
    slots: OnceLock<Vec<Slot>>,
}

impl Features {
    /// Its bigrams, and its runs.
    fn split(&self) -> (&[Feature], &[Feature]) {
        self.all.split_at(self.bigrams)
    }
}

/// Reads features, on any thread.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    mix: Mix,
    longest_partner: usize,
}

impl Reader {
    /// Puts those of a body in the place of others. `told` tells it from others with an equal body, and it lists `items` and `entries`.
    pub(super) fn read(
        self,
        Scoped { tokens, scope }: Scoped<'_>,
        told: &[Told],
        items: Vec<Item>,
        entries: Vec<Entry>,
        features: &mut Features,
    ) {
        let (mix, all) = (self.mix.within(scope), &mut features.all);
        all.clear();
        if tokens.len() <= self.longest_partner {
            bigrams(tokens, class(tokens.len()), mix, all);
        }
        features.bigrams = all.len();
        if tokens.len() >= LONG {
            runs(tokens, mix, all);
            rearranged(tokens, mix, all);
        }
        bitmap::hashes(tokens, &mut features.hashes);
        features.items = items;
        features.entries = entries;
        features.slots = OnceLock::new();
        features.apart.clear();
        if !told.is_empty() {
            let key = apart_key(tokens, mix);
            let keys = told.iter().map(|told| (key(told.topic), told.which.iter().map(|which| key(*which)).collect()));
            features.apart.extend(keys);
        }
    }
}

impl Overlap {
    /// An empty engine over the last `window` positions, 1..=[`MAX_WINDOW`]; other numbers count as the nearest of these.
    /// Where memory is limited to so many bytes, an eighth is for the slots at most.
    pub(super) fn new(window: u64, bounds: Bounds, memory: Option<u64>) -> Self {
        let window = window.clamp(1, MAX_WINDOW);
        // So many that few lists hold foreign features.
        let log = (window * 16).next_power_of_two().ilog2().min(MOST_SLOTS_LOG);
        let most = memory.map_or(log, |bytes| (bytes / 8 / Postings::SLOT_BYTES).max(1).ilog2());
        let log = log.min(most).max(8);
        let (bounds, mix) = (bounds.checked(), Mix::new(MultiplyShift::default()));
        Self {
            window,
            bounds,
            mix,
            bodies: Bodies::new((window + 1).min(AT_ONCE) as usize),
            postings: Postings::new(log),
            floods: Floods::new(bounds, mix),
            short_floods: ShortFloods::default(),
            since: None,
        }
    }

    /// The number of the body that is entered next. A search from it on takes less time than others, until this is called again.
    pub(super) fn mark(&mut self) -> u64 {
        let next = self.bodies.oldest() + self.bodies.len() as u64;
        let (from, gate) = self.since.get_or_insert_with(|| (next, Gate::new(SINCE_LOG)));
        *from = next;
        gate.clear();
        next
    }

    /// What reads the features of bodies to be entered.
    pub(super) fn reader(&self) -> Reader {
        Reader { mix: self.mix, longest_partner: self.bounds.longest_partner() }
    }

    /// Forgets the bodies before a position.
    pub(super) fn forget(&mut self, before: Pos) {
        self.bodies.expire(before);
    }

    /// Heap bytes in use, pages that were set aside and never touched included.
    pub(super) fn bytes(&self) -> usize {
        self.bodies.bytes()
            + self.postings.bytes()
            + self.floods.bytes()
            + self.short_floods.bytes()
            + self.since.as_ref().map_or(0, |(_, gate)| gate.bytes())
    }
}
