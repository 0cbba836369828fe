//! The overlap engine: every kept body of the window that the rule could accept, earliest first.

mod bodies;
mod pattern;
mod postings;
#[cfg(test)]
mod tests;

use crate::record::Pos;
use bodies::Bodies;
use pattern::{Pattern, hash};
use postings::{CLASSES, List, Postings};

/// Largest window, in positions: what a list's length can count.
pub const MAX_WINDOW: u64 = 1 << 26;

/// A part of the live bodies is counted at a time, so large that about so many postings are read. Where many bodies share
/// most bigrams, the answer is usually among the earliest.
const PART: usize = 8192;
/// Most parts: finding a list's end in a part costs a binary search.
const MOST_PARTS: usize = 64;
/// Lists up to this length are always read: leaving them out would save nothing.
pub static SHORT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(8);

/// What covered tokens make a repeat possible: the necessary condition of the rule.
///
/// A token of one body is covered by another if one of the two bigrams it is in occurs there. For kept `a` and new `b`, with
/// la and lb tokens, a repeat is possible if
/// 2 · min(covered of a, covered of b) · 1000 ≥ `similarity` · (la + lb), or if
/// covered of b · 1000 ≥ `quote` · lb and covered of b ≥ `quote_min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Least similarity, per mille, 1..=1000.
    pub similarity: u32,
    /// Least share of the new body inside the kept one, per mille, 1..=1000.
    pub quote: u32,
    /// Least covered tokens of the new body for `quote` to count.
    pub quote_min: u32,
}

impl Bounds {
    /// Whether the condition holds for `covered_a` of la tokens and `covered_b` of lb tokens.
    #[inline(always)]
    pub fn possible(&self, (covered_a, la): (usize, usize), (covered_b, lb): (usize, usize)) -> bool {
        let by_similarity = covered_a.min(covered_b) as u64 * 2000 >= u64::from(self.similarity) * (la + lb) as u64;
        by_similarity || self.quotes(covered_b, lb)
    }

    #[inline(always)]
    fn quotes(&self, covered_b: usize, lb: usize) -> bool {
        covered_b as u64 * 1000 >= u64::from(self.quote) * lb as u64 && covered_b >= self.quote_min as usize
    }

    /// Fewest covered tokens of the new body that can do for any kept body of `shortest..=longest` tokens.
    fn least(&self, shortest: usize, longest: usize, lb: usize) -> Option<usize> {
        let (similarity, lb) = (u64::from(self.similarity.max(1)), lb as u64);
        // Covered tokens of a are at most la, those of b at most lb.
        let shortest = (shortest as u64).max((lb * similarity).div_ceil(2000 - similarity));
        let longest = (longest as u64).min(lb * (2000 - similarity) / similarity);
        let by_similarity = (shortest <= longest).then(|| (similarity * (shortest + lb)).div_ceil(2000));
        let by_quote = Some((u64::from(self.quote) * lb).div_ceil(1000).max(u64::from(self.quote_min)));
        let least = by_similarity.into_iter().chain(by_quote.filter(|least| *least <= lb)).min();
        least.map(|least| least.max(1) as usize)
    }
}

/// A kept body that the rule could accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// How many bodies had been remembered before it.
    pub number: u64,
    /// Its position.
    pub pos: Pos,
    /// Its tokens.
    pub tokens: &'a [u32],
}

/// The kept bodies of the window and their index. One owner, no locks.
pub struct Overlap {
    window: u64,
    bodies: Bodies,
    postings: Postings,
    /// By number modulo their count: tokens that a kept body may cover, and its own length. Both stop at `u16::MAX`.
    tallies: Vec<u32>,
    lens: Vec<u32>,
    survivors: Vec<(u32, u32)>,
    stamp: u32,
    lists: Vec<[List; CLASSES]>,
    pattern: Pattern,
    scans: Vec<Scan>,
    order: Vec<(u32, u32)>,
    covered: Vec<bool>,
    touched: Vec<u32>,
    /// Work so far.
    pub work: Work,
}

/// Counts of work.
#[derive(Debug, Default, Clone, Copy)]
#[allow(missing_docs)]
pub struct Work {
    pub lists: u64,
    pub postings: u64,
    pub touched: u64,
    pub compared: u64,
    pub candidates: u64,
    pub full: u64,
}

/// A list to read.
#[derive(Clone, Copy)]
struct Scan {
    list: List,
    /// Numbers already read.
    read: usize,
    /// Tokens of the new body that a kept body in the list covers by this bigram.
    weight: u16,
    least: u16,
}

impl Overlap {
    /// An empty engine over the last `window` positions, 1..=[`MAX_WINDOW`]; more is taken for that.
    pub fn new(window: u64) -> Self {
        let window = window.clamp(1, MAX_WINDOW);
        // Four slots a body keep the lists of different bigrams apart well enough.
        let log = (window * 4).next_power_of_two().ilog2().clamp(8, 24);
        Self {
            window,
            bodies: Bodies::new((window as usize + 1).min(1 << 20)),
            postings: Postings::new(log),
            tallies: vec![0; (window + 1).next_power_of_two() as usize],
            lens: Vec::new(),
            survivors: Vec::new(),
            stamp: 0,
            lists: Vec::new(),
            pattern: Pattern::default(),
            scans: Vec::new(),
            order: Vec::new(),
            covered: Vec::new(),
            touched: Vec::new(),
            work: Work::default(),
        }
    }

    /// Offers the possible bodies among those remembered for the `window` positions before `pos`, by rising number, until
    /// `accept` says yes. Positions must not fall.
    pub fn earliest<T>(
        &mut self,
        tokens: &[u32],
        pos: Pos,
        bounds: Bounds,
        mut accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        self.bodies.expire(Pos(pos.0.saturating_sub(self.window)));
        if tokens.len() < 2 || self.bodies.len() == 0 {
            return None;
        }
        self.pattern.set(tokens);
        let slack = self.choose(tokens.len(), bounds);
        let total: usize = self.scans.iter().map(|scan| scan.list.len()).sum();
        self.work.lists += self.scans.len() as u64;
        let live = self.bodies.len();
        let part = live.div_ceil((total / PART).clamp(1, MOST_PARTS));
        let mut end = 0;
        while end < live {
            end += part;
            self.count(end.min(live), end >= live);
            self.sift(tokens.len(), bounds, &slack);
            let oldest = self.bodies.oldest();
            for (index, spare) in &self.survivors {
                let index = *index as usize;
                let Some(body) = self.bodies.get(index) else { continue };
                let (pos, kept) = (body.pos, body.tokens);
                if body.marks.is_some_and(|marks| self.pattern.most_covered(marks, *spare as usize).is_none()) {
                    continue;
                }
                let spare = &(kept.len() as u32);
                self.work.full += 1;
                let Some((of_kept, of_new)) = self.pattern.covers(kept, *spare as usize) else { continue };
                if bounds.possible((of_kept, kept.len()), (of_new, tokens.len())) {
                    self.work.candidates += 1;
                    let found = accept(Candidate { number: oldest + index as u64, pos, tokens: kept });
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// Chooses the lists to read, and says for each class how many tokens the others may cover.
    ///
    /// In each class the longest lists are left out as long as a kept body that is in none of the others cannot cover enough.
    fn choose(&mut self, len: usize, bounds: Bounds) -> [usize; CLASSES] {
        let short = SHORT.load(std::sync::atomic::Ordering::Relaxed);
        let mut slack = [0; CLASSES]; let tune = (short>>10&0xfff, short>>22);let short=short&1023;
        self.scans.clear();
        // All at once, so that their cache misses overlap.
        self.lists.clear();
        self.lists.extend(self.pattern.bigrams().iter().map(|bigram| self.postings.lists(bigram.hash)));
        for (class, slack) in slack.iter_mut().enumerate() {
            let (shortest, longest) = postings::lengths(class);
            let Some(least) = bounds.least(shortest, longest, len) else { continue };
            self.order.clear();
            for (lists, index) in self.lists.iter().zip(0..) {
                if lists[class].len() > 0 {
                    self.order.push((lists[class].len() as u32, index));
                }
            }
            self.order.sort_unstable_by(|a, b| b.cmp(a));
            self.covered.clear();
            self.covered.resize(len, false);
            let start = self.scans.len();
            for (length, index) in &self.order {
                let bigram = &self.pattern.bigrams()[*index as usize];
                let mut fresh = 0;
                for place in self.pattern.places(bigram) {
                    fresh += usize::from(!self.covered[place]) + usize::from(!self.covered[place + 1]);
                }
                if fresh == 0 {
                    continue;
                }
                if *length as usize > (if (*slack + fresh)*8 < least*tune.1 {short} else {tune.0}) && *slack + fresh < least {
                    *slack += fresh;
                    for place in self.pattern.places(bigram) {
                        self.covered[place] = true;
                        self.covered[place + 1] = true;
                    }
                    continue;
                }
                let list = self.lists[*index as usize][class];
                self.scans.push(Scan { list, read: 0, weight: fresh.min(usize::from(u16::MAX)) as u16, least: 0 });
            }
            for scan in &mut self.scans[start..] {
                scan.least = (least - *slack).min(usize::from(u16::MAX)) as u16;
            }
        }
        let oldest = self.bodies.oldest() as u32;
        for scan in &mut self.scans {
            scan.read = scan.list.len() - self.postings.live(scan.list, oldest).len();
        }
        slack
    }

    /// Adds up, for the live bodies below `end`, what the lists say they cover. Fills `touched`.
    fn count(&mut self, end: usize, last: bool) {
        let oldest = self.bodies.oldest() as u32;
        let mask = self.tallies.len() - 1;
        self.stamp += 1;
        if self.stamp == 1 << 16 {
            self.stamp = 1;
            self.tallies.fill(0);
        }
        let stamp = self.stamp;
        let room = self.scans.iter().map(|scan| scan.list.len() - scan.read).sum::<usize>() + 1;
        self.touched.resize(room, 0);
        let mut count = 0;
        for scan in &mut self.scans {
            let numbers = &self.postings.all(scan.list)[scan.read..];
            let numbers = if last {
                numbers
            } else {
                &numbers[..numbers.partition_point(|number| (number.wrapping_sub(oldest) as usize) < end)]
            };
            scan.read += numbers.len();
            self.work.postings += numbers.len() as u64;
            let touched = &mut self.touched[count..][..numbers.len() + 1];
            let mut found = 0;
            let (least, weight) = (u32::from(scan.least), u32::from(scan.weight));
            for number in numbers {
                let tally = &mut self.tallies[*number as usize & mask];
                let before = if *tally >> 16 == stamp { *tally & 0xffff } else { 0 };
                let now = (before + weight).min(0xffff);
                touched[found] = *number;
                found += usize::from((before < least) & (now >= least));
                *tally = stamp << 16 | now;
            }
            count += found;
        }
        self.touched.truncate(count);
    }

    /// Leaves in `touched`, rising, those that may cover enough, and clears the tallies.
    fn sift(&mut self, len: usize, bounds: Bounds, slack: &[usize; CLASSES]) {
        let oldest = self.bodies.oldest() as u32;
        let mask = self.tallies.len() - 1;
        self.work.touched += self.touched.len() as u64;
        // All at once, so that their cache misses overlap.
        self.lens.clear();
        let index = |number: u32| number.wrapping_sub(oldest) as usize;
        self.lens.extend(self.touched.iter().map(|number| self.bodies.digest(index(*number)).len));
        let mut count = 0;
        for i in 0..self.touched.len() {
            let number = self.touched[i];
            let kept = self.lens[i] as usize;
            let tally = self.tallies[number as usize & mask] as usize & 0xffff;
            let most = if tally == 0xffff { len } else { tally + slack[postings::class(kept)] };
            self.touched[count] = number;
            if let Some(least) = bounds.least(kept, kept, len) && most >= least {
                self.work.compared += 1;
                if let Some(most) = self.pattern.most_covered(&self.bodies.digest(index(number)).marks, len - least) {
                    let _ = most;
                    self.lens[count] = (len - least) as u32;
                    count += 1;
                }
            }
        }
        self.touched.truncate(count);
        self.survivors.clear();
        self.survivors.extend(self.touched.iter().zip(&self.lens).map(|(number, spare)| (index(*number) as u32, *spare)));
        self.survivors.sort_unstable();
    }

    /// Keeps a body for the positions after `pos`. Positions must rise.
    pub fn remember(&mut self, tokens: &[u32], pos: Pos) {
        self.bodies.expire(Pos(pos.0.saturating_sub(self.window)));
        let number = (self.bodies.oldest() + self.bodies.len() as u64) as u32;
        let oldest = self.bodies.oldest() as u32;
        let mask = self.tallies.len() - 1;
        let class = postings::class(tokens.len());
        for pair in tokens.windows(2) {
            self.postings.push(hash(pair[0], pair[1]), class, number, oldest);
        }
        self.bodies.push(tokens, pos);
        if oldest != 0 {
            self.postings.sweep(self.postings.slots().div_ceil(self.window as usize), oldest);
        }
    }

    /// Bodies in the window.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body in the window.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Heap bytes in use, zeroed pages that were never touched included.
    pub fn bytes(&self) -> usize {
        self.bodies.bytes() + self.postings.bytes() + self.tallies.capacity() * 4
    }
}
