//! The overlap engine: for a new body, it finds every kept body of the window that the repeat rule could accept, earliest first.
//!
//! For example, the new body is 我在东湖旁的樱花树下等你. The index has a list of the kept bodies for each of its eleven bigrams: 我在, 在东, 东湖 and so on.
//! A kept body that is in enough of these lists is a candidate, and the rule judges it.
//!
//! # How
//! `Bounds` says what the rule needs. If both bodies are long, they need common tokens in runs. If one is short, they need common tokens in
//! bigrams. So:
//! 1. The engine posts each run of five tokens of a long kept body in an inverted index. It also posts each bigram of a body that is short
//!    or can have a short partner. Bigrams have separate lists for each class of body lengths, because the length decides how many common
//!    tokens are needed.
//! 2. A query for a body b leaves out the longest lists. It stops leaving out lists before the tokens of b in their features are enough for
//!    a repeat, with a margin.
//! 3. The query reads the other lists in the order of b. For each kept body it counts the tokens of b that the two have in common, each
//!    token once. A body becomes a candidate when it reaches the count that its length requires.
//! 4. A small bitmap of the bigrams of each kept body rules out most of these candidates. The engine offers the others.
//!
//! Each step works with an upper bound, and collisions of hashes or of tallies only raise a count. So no possible body is lost. The engine
//! also offers a few impossible bodies, because it counts which tokens of b are covered, but not which tokens of the kept body. The rule
//! rejects these.
//!
//! In a large window, most of the memory that a query reads is in no cache. So the data read for each posting is small and does not grow
//! with the window: it is a table of tallies that many bodies share. The lengths of all bodies lie together, and so do the bitmaps of the
//! short ones. The query prefetches all lists at once. While it works on one body, it prefetches what it reads next. If there are many
//! postings, the query reads them in parts, the oldest bodies first. Then the first repeat of a campaign ends the query.
//!
//! If many bodies share a feature, its list is a set of bits (`sets.rs`). The query offers the bodies in the sets that it does not leave
//! out, whatever their count, unless the keys of a body rule it out (`floods.rs`). So a message costs about the same, however many messages
//! of its template the window holds. Short bodies with a number that come in thousands are looked up in the same way, by their bigrams
//! (`short_floods.rs`).
//!
//! The code is portable and uses only integers, so the answers are the same on every machine. A list drops its expired numbers when it is
//! full, and each insertion sweeps a few slots. So memory follows the window, and no message waits for a rebuild.
//!
//! # Worst cases
//! If bodies are candidates of each other but no repeats, each is compared with each, unless their numbers or the fills of their slots
//! distinguish them. Some nested templates are such a case, and so are long lines that are nearly the same. The time of one comparison is
//! bounded by the lengths of the two bodies. A limit to the number of comparisons would bound the time of a message. But then a verdict
//! would depend on the rest of the window, and not on two texts alone. A smaller `--verify-window` also bounds the time, and that limit is
//! stated openly. `cargo bench --bench floods` has the streams.
//!
//! # Alternatives
//! Scanning bag-of-character sketches by length takes longer, and its time grows with the window. It also bounds only a longest common
//! subsequence, in which moved passages do not count.
//!
//! `benches/RESULTS.md` has the figures, under *Notes from the modules*.

mod bodies;
mod enter;
mod equal_bodies;
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
use crate::rule::bounds::{Bounds, LONG, LONGEST, few_counts};
use crate::rule::equal_bodies::Property;
use crate::rule::facts::Count;
use crate::rule::list_entries::Entry;
use crate::rule::list_items::Item;
use bodies::BodyWindow;
use features::{Feature, FeatureHasher, PropertyKeys, bigrams, class, property_key, rearranged, runs, whole};
use floods::Floods;
use gate::Gate;
use postings::Postings;
pub(super) use query::BodyParts;
pub(super) use search::Buffers;
use short_floods::ShortFloods;
use slots::Slot;
pub use standalone::Standalone;

/// Most slots for the lists (log2). They take 512 MB.
const MOST_SLOTS_LOG: u32 = 26;
/// Kept bodies for which memory is reserved at the start. Pages are used as they fill. Beyond this number the memory doubles.
const AT_ONCE: u64 = 1 << 20;

/// Bits of the table of features entered since a [mark](Overlap::mark) (log2). Some thousands of bodies fill a tenth of it.
const SINCE_LOG: u32 = 20;

/// A kept body that the rule could accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// How many bodies were remembered before this one.
    pub number: u64,
    /// Its position.
    pub pos: Pos,
    /// Its tokens.
    pub tokens: &'a [u32],
}

/// A body as the index sees it. Only bodies of the same scope are candidates of each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scoped<'b> {
    pub(super) tokens: &'b [u32],
    pub(super) scope: u64,
}

/// A query: a body, its features, and how the rule reads its parts.
#[derive(Clone, Copy)]
pub(super) struct Asked<'b> {
    pub(super) body: Scoped<'b>,
    pub(super) features: &'b Features,
    /// Asked only in floods.
    pub(super) parts: &'b dyn Fn() -> BodyParts,
}

/// The kept bodies of the window, and their index. One owner, no locks.
pub(super) struct Overlap {
    window: u64,
    bounds: Bounds,
    hasher: FeatureHasher,
    bodies: BodyWindow,
    postings: Postings,
    floods: Floods,
    short_floods: ShortFloods,
    /// The number that [`mark`](Overlap::mark) returned last, and the features of the bodies entered from that number on.
    since: Option<(u64, Gate)>,
}

/// What a search looks up, and an insertion stores, for one body. Only `slots` depends on other bodies: a search fills it in.
#[derive(Default)]
pub(super) struct Features {
    /// Its bigrams, if it can have a short partner. Then, if it is long, its runs and its [rearranged] feature, or the hash of the
    /// [whole] body if it has more than [`LONGEST`] tokens.
    all: Vec<Feature>,
    bigrams: usize,
    /// Hashes of its bigrams, for its bitmap.
    hashes: Vec<u32>,
    /// What [distinguishes](Property) it from other bodies with the same tokens, as keys.
    distinguishing: PropertyKeys,
    /// Its [few numbers](few_counts), if a different number makes another message.
    counts: Box<[Count]>,
    /// The items that it lists.
    items: Vec<Item>,
    /// Its entries, if it is a list of entries.
    entries: Vec<Entry>,
    /// Its slots, if a search in a flood has looked for them. They hardly change until the body is entered.
    slots: OnceLock<Vec<Slot>>,
}

impl Features {
    /// Returns its bigrams, and its runs with the rearranged feature.
    fn split(&self) -> (&[Feature], &[Feature]) {
        self.all.split_at(self.bigrams)
    }

    /// Returns the same features, of which no search has looked for the slots.
    pub(super) fn without_slots(self) -> Self {
        Self { slots: OnceLock::new(), ..self }
    }

    /// Its [few numbers](few_counts), if a different number makes another message.
    pub(super) fn counts(&self) -> &[Count] {
        &self.counts
    }
}

/// Reads the features of bodies, on any thread.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    hasher: FeatureHasher,
    longest_partner: usize,
    /// Whether a different number makes another message.
    has_counts: bool,
}

impl Reader {
    /// Replaces `features` with those of a body. The `distinguishing` properties tell it from bodies with the same tokens. It lists `items`
    /// and `entries`.
    pub(super) fn read(
        self,
        Scoped { tokens, scope }: Scoped<'_>,
        distinguishing: &[Property],
        items: Vec<Item>,
        entries: Vec<Entry>,
        features: &mut Features,
    ) {
        let (hasher, all) = (self.hasher.within(scope), &mut features.all);
        all.clear();
        if tokens.len() <= self.longest_partner {
            bigrams(tokens, class(tokens.len()), hasher, all);
        }
        features.bigrams = all.len();
        if tokens.len() > LONGEST {
            whole(tokens, hasher, all);
        } else if tokens.len() >= LONG {
            runs(tokens, hasher, all);
            rearranged(tokens, hasher, all);
        }
        bitmap::hashes(tokens, &mut features.hashes);
        features.counts = if self.has_counts { few_counts(tokens) } else { Box::default() };
        features.items = items;
        features.entries = entries;
        features.slots = OnceLock::new();
        features.distinguishing.clear();
        if !distinguishing.is_empty() {
            let key = property_key(tokens, hasher);
            let values = |property: &Property| property.values.iter().map(|value| key(*value)).collect();
            let keys = distinguishing.iter().map(|property| (key(property.key), values(property)));
            features.distinguishing.extend(keys);
        }
    }
}

impl Overlap {
    /// Makes an empty engine over the last `window` positions, 1..=[`MAX_WINDOW`]; other values count as the nearest of these.
    /// If `memory` limits the bytes, the slots take at most an eighth of it.
    pub(super) fn new(window: u64, bounds: Bounds, memory: Option<u64>) -> Self {
        let window = window.clamp(1, MAX_WINDOW);
        // With this many slots, few lists hold numbers of other features.
        let log = (window * 16).next_power_of_two().ilog2().min(MOST_SLOTS_LOG);
        let most = memory.map_or(log, |bytes| (bytes / 8 / Postings::SLOT_BYTES).max(1).ilog2());
        let log = log.min(most).max(8);
        let (bounds, hasher) = (bounds.checked(), FeatureHasher::new(MultiplyShift::default()));
        Self {
            window,
            bounds,
            hasher,
            bodies: BodyWindow::new((window + 1).min(AT_ONCE) as usize),
            postings: Postings::new(log),
            floods: Floods::new(bounds, hasher),
            short_floods: ShortFloods::default(),
            since: None,
        }
    }

    /// Returns the number of the body that is entered next. Until the next call, a search from this number on takes less time than others.
    pub(super) fn mark(&mut self) -> u64 {
        let next = self.bodies.next();
        let (from, gate) = self.since.get_or_insert_with(|| (next, Gate::new(SINCE_LOG)));
        *from = next;
        gate.clear();
        next
    }

    /// What the rule needs of a repeat.
    pub(super) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Returns a reader for the features of bodies to be entered.
    pub(super) fn reader(&self) -> Reader {
        let Bounds { counts: has_counts, .. } = self.bounds;
        Reader { hasher: self.hasher, longest_partner: self.bounds.longest_partner(), has_counts }
    }

    /// Forgets the bodies before a position.
    pub(super) fn forget(&mut self, before: Pos) {
        self.bodies.expire(before);
    }

    /// Heap bytes in use, including reserved pages that were never touched.
    pub(super) fn bytes(&self) -> usize {
        self.bodies.bytes()
            + self.postings.bytes()
            + self.floods.bytes()
            + self.short_floods.bytes()
            + self.since.as_ref().map_or(0, |(_, gate)| gate.bytes())
    }
}
