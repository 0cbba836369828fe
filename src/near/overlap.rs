//! The overlap engine.

mod bodies;
mod bounds;
mod pattern;
mod postings;
mod reading;
#[cfg(test)]
mod tests;

use crate::record::Pos;
use bodies::Bodies;
pub use bounds::Bounds;
use pattern::{Pattern, hash};
use postings::Postings;
use reading::Reading;

/// Largest window, in positions: half of what the length of a list can count.
pub const MAX_WINDOW: u64 = 1 << 26;
/// Most slots for the lists (log2): 512 MB.
const MOST_SLOTS_LOG: u32 = 24;
/// Kept bodies for which memory is set aside at once. Pages are used as they fill; beyond this number it doubles.
const AT_ONCE: u64 = 1 << 20;

/// The live bodies are counted in parts of about so many postings, oldest first: where thousands of bodies share most
/// bigrams, the answer is usually the first of them, and the rest need not be read.
const PART: usize = 8192;
/// Most parts, because each costs every list a binary search.
const MOST_PARTS: usize = 64;

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
    bodies: Bodies,
    postings: Postings,
    pattern: Pattern,
    reading: Reading,
    /// Bodies worth a full comparison: index from the oldest, and tokens of the new body that may stay uncovered.
    left: Vec<(u32, u32)>,
    /// Lengths of the bodies that the counts leave.
    lens: Vec<u32>,
}

impl Overlap {
    /// An empty engine over the last `window` positions, 1..=[`MAX_WINDOW`]; other numbers count as the nearest of these.
    pub fn new(window: u64) -> Self {
        let window = window.clamp(1, MAX_WINDOW);
        // Four slots a body keep the lists of different bigrams apart: fewer postings are foreign than one in twenty.
        let log = (window * 4).next_power_of_two().ilog2().clamp(8, MOST_SLOTS_LOG);
        Self {
            window,
            bodies: Bodies::new((window + 1).min(AT_ONCE) as usize),
            postings: Postings::new(log),
            pattern: Pattern::default(),
            reading: Reading::new(window as usize + 1),
            left: Vec::new(),
            lens: Vec::new(),
        }
    }

    /// Offers the bodies that `bounds` make possible, of those at the last `window` positions before `pos`, by rising
    /// number, until `accept` says yes; what it said. Positions must not fall from call to call.
    pub fn earliest<T>(
        &mut self,
        tokens: &[u32],
        pos: Pos,
        bounds: &Bounds,
        mut accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        self.expire(pos);
        let live = self.bodies.len();
        if tokens.len() < 2 || live == 0 {
            return None;
        }
        let bounds = bounds.checked();
        let oldest = self.bodies.oldest();
        self.pattern.set(tokens);
        self.reading.choose(&self.pattern, tokens.len(), &self.postings, oldest as u32, &bounds);
        let part = live.div_ceil((self.reading.postings() / PART).clamp(1, MOST_PARTS));
        for end in (1..=live.div_ceil(part)).map(|parts| parts * part) {
            self.sift(tokens.len(), end, &bounds);
            for (index, spare) in &self.left {
                let Some(kept) = self.bodies.get(*index as usize) else { continue };
                if kept.marks.is_some_and(|marks| !self.pattern.may_be_covered(marks, *spare as usize)) {
                    continue;
                }
                let (of_kept, of_new) = self.pattern.covers(kept.tokens);
                if bounds.possible((of_kept, kept.tokens.len()), (of_new, tokens.len())) {
                    let number = oldest + u64::from(*index);
                    let found = accept(Candidate { number, pos: kept.pos, tokens: kept.tokens });
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// Fills `left` with the bodies below the `end`-th that counts and digests do not rule out.
    fn sift(&mut self, len: usize, end: usize, bounds: &Bounds) {
        let oldest = self.bodies.oldest() as u32;
        self.reading.count(&self.postings, &self.bodies, end);
        let reached = self.reading.reached();
        let index = |number: &u32| number.wrapping_sub(oldest);
        // All at once, so that their cache misses overlap.
        self.lens.clear();
        self.lens.extend(reached.iter().map(|number| self.bodies.digest(index(number) as usize).len));
        self.left.clear();
        for (number, kept) in reached.iter().zip(&self.lens) {
            let kept = *kept as usize;
            let Some(least) = bounds.least(kept, kept, len) else { continue };
            let marks = &self.bodies.digest(index(number) as usize).marks;
            if self.reading.most(*number, kept) >= least && self.pattern.may_be_covered(marks, len - least) {
                self.left.push((index(number), (len - least) as u32));
            }
        }
        self.left.sort_unstable();
    }

    /// Keeps a body, of fewer than 2^31 tokens, for the `window` positions after `pos`. Positions must rise from body to
    /// body. Bodies that can be nobody's partner (fewer than two tokens) may be kept, too, so that numbers agree with the
    /// caller's.
    pub fn remember(&mut self, tokens: &[u32], pos: Pos) {
        self.expire(pos);
        let oldest = self.bodies.oldest() as u32;
        // Numbers wrap round in the lists; no list keeps one for so long.
        let number = oldest.wrapping_add(self.bodies.len() as u32);
        let class = postings::class(tokens.len());
        for pair in tokens.windows(2) {
            self.postings.push(hash(pair[0], pair[1]), class, number, oldest);
        }
        self.bodies.push(tokens, pos);
        if self.bodies.oldest() > 0 {
            self.postings.sweep(self.postings.slots().div_ceil(self.window as usize), oldest);
        }
    }

    fn expire(&mut self, pos: Pos) {
        self.bodies.expire(Pos(pos.0.saturating_sub(self.window)));
    }

    /// Bodies in the window, as of the last call.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body in the window.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Heap bytes in use, pages that were set aside and never touched included.
    pub fn bytes(&self) -> usize {
        self.bodies.bytes() + self.postings.bytes() + self.reading.bytes()
    }
}
