//! Which lists a query reads, and what they say about each kept body.

use super::bodies::Bodies;
use super::bounds::Bounds;
use super::pattern::Pattern;
use super::postings::{self, CLASSES, List, Postings};

/// Lists up to this length are always read: leaving them out saves little and weakens the count. Measured on posts, 16 to 64
/// are alike.
const SHORT: u64 = 16;
/// What may be covered by lists left out stays below the least by a third of it, at most by 12 tokens, so that a chance
/// bigram or two make no body worth a look. Without this margin posts take 2.5 times as long; 8 to 20 and a quarter are alike.
const MARGIN: usize = 12;
/// Longer lists than this may use the margin up: many bodies that share most bigrams are a campaign.
const LONG: u64 = 1000;
/// Counts stop here; who reaches it is looked at.
const FULL: u32 = u16::MAX as u32;

/// A list to read.
struct Scan {
    list: List,
    /// Numbers already read.
    read: usize,
    /// Tokens of the new body that this bigram covers beside those that lists left out do.
    weight: u32,
    /// The count from which a body of the list's class is worth a look.
    least: u32,
}

/// The reading of one query, and the memory that all queries share.
pub(super) struct Reading {
    scans: Vec<Scan>,
    /// By number modulo their count: the query's stamp << 16, and tokens that the kept body may cover by lists read so far.
    /// A foreign stamp is a count of 0, so that nothing needs clearing.
    tallies: Vec<u32>,
    stamp: u32,
    lists: Vec<[List; CLASSES]>,
    /// The lists of one class: length << 32 | the bigram's index.
    order: Vec<u64>,
    covered: Vec<bool>,
    /// By class, tokens of the new body that lists left out cover.
    left_out: [usize; CLASSES],
    /// Numbers whose count reached the least.
    reached: Vec<u32>,
}

impl Reading {
    /// For at most `live` kept bodies at a time.
    pub fn new(live: usize) -> Self {
        Self {
            scans: Vec::new(),
            tallies: vec![0; live.next_power_of_two()],
            stamp: 0,
            lists: Vec::new(),
            order: Vec::new(),
            covered: Vec::new(),
            left_out: [0; CLASSES],
            reached: Vec::new(),
        }
    }

    /// Chooses the lists to read for a body of `len` tokens.
    ///
    /// In each class of lengths the longest lists are left out, as long as their bigrams cover too few tokens to make a body
    /// possible that is in no other list of the pattern.
    pub fn choose(&mut self, pattern: &Pattern, len: usize, postings: &Postings, oldest: u32, bounds: &Bounds) {
        self.scans.clear();
        // All at once, so that their cache misses overlap.
        self.lists.clear();
        self.lists.extend(pattern.bigrams().iter().map(|bigram| postings.lists(bigram.hash)));
        for class in 0..CLASSES {
            let (shortest, longest) = postings::lengths(class);
            let Some(least) = bounds.least(shortest, longest, len) else { continue };
            self.order.clear();
            let lens = || self.lists.iter().map(|lists| lists[class].len() as u64).zip(0u64..);
            self.order.extend(lens().filter(|(len, _)| *len > SHORT).map(|(len, index)| len << 32 | index));
            self.order.sort_unstable_by_key(|entry| !entry);
            // Always read, so their order does not matter.
            self.order
                .extend(lens().filter(|(len, _)| (1..=SHORT).contains(len)).map(|(len, index)| len << 32 | index));
            self.covered.clear();
            self.covered.resize(len, false);
            let (start, mut left_out) = (self.scans.len(), 0);
            for entry in &self.order {
                let (length, index) = (entry >> 32, *entry as u32 as usize);
                let bigram = &pattern.bigrams()[index];
                let fresh = pattern
                    .places(bigram)
                    .map(|place| usize::from(!self.covered[place]) + usize::from(!self.covered[place + 1]))
                    .sum::<usize>();
                let margin = if length > LONG { 1 } else { (least / 3).clamp(1, MARGIN) };
                if length > SHORT && left_out + fresh + margin <= least {
                    left_out += fresh;
                    for place in pattern.places(bigram) {
                        self.covered[place..place + 2].fill(true);
                    }
                } else if fresh > 0 {
                    let list = self.lists[index][class];
                    self.scans.push(Scan { list, read: 0, weight: (fresh as u32).min(FULL), least: 0 });
                }
            }
            self.left_out[class] = left_out;
            let least = (least - left_out) as u32;
            self.scans[start..].iter_mut().for_each(|scan| scan.least = least.min(FULL));
        }
        // Past the expired ones. This also loads where the lists begin, all misses at once.
        for scan in &mut self.scans {
            scan.read = scan.list.len() - postings.live(scan.list, oldest).len();
        }
    }

    /// Numbers to read.
    pub fn postings(&self) -> usize {
        self.scans.iter().map(|scan| scan.list.len() - scan.read).sum()
    }

    /// Reads on to the `end`-th body from the oldest.
    pub fn count(&mut self, postings: &Postings, bodies: &Bodies, end: usize) {
        let (oldest, whole) = (bodies.oldest() as u32, end >= bodies.len());
        let mask = self.tallies.len() - 1;
        self.stamp = (self.stamp + 1) & 0xffff;
        if self.stamp == 0 {
            self.tallies.fill(0);
            self.stamp = 1;
        }
        // One more than can be reached, because the last write may be of one that is not.
        self.reached.resize(self.postings() + 1, 0);
        let mut total = 0;
        for scan in &mut self.scans {
            let mut numbers = &postings.all(scan.list)[scan.read..];
            if !whole {
                numbers = &numbers[..numbers.partition_point(|number| (number.wrapping_sub(oldest) as usize) < end)];
            }
            scan.read += numbers.len();
            let reached = &mut self.reached[total..][..=numbers.len()];
            let mut count = 0;
            for number in numbers {
                let tally = &mut self.tallies[*number as usize & mask];
                let before = if *tally >> 16 == self.stamp { *tally & FULL } else { 0 };
                let now = (before + scan.weight).min(FULL);
                *tally = self.stamp << 16 | now;
                reached[count] = *number;
                count += usize::from((before < scan.least) & (now >= scan.least));
            }
            total += count;
        }
        self.reached.truncate(total);
    }

    /// Numbers of bodies which may cover enough, by what was read last; in no order.
    pub fn reached(&self) -> &[u32] {
        &self.reached
    }

    /// At most how many tokens a body of `len` tokens covers, by what was read last.
    #[inline]
    pub fn most(&self, number: u32, len: usize) -> usize {
        match self.tallies[number as usize & (self.tallies.len() - 1)] & FULL {
            FULL => usize::MAX,
            count => count as usize + self.left_out[postings::class(len)],
        }
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        self.tallies.capacity() * 4 + self.scans.capacity() * size_of::<Scan>() + self.reached.capacity() * 4
    }
}
