//! One query of the [floods](super::floods), block by block of the kept bodies.

use super::features::Hash;
use super::postings::Postings;
use super::sets::{self, BLOCK, Bits, Hand, Sets};

const NONE: Bits = [0; BLOCK as usize / 64];

/// The bodies in any of some sets and lists.
#[derive(Default)]
pub(super) struct Union {
    sets: Vec<(u32, Hand)>,
    /// Numbers of the lists, rising, and how many of them are read.
    few: Vec<u32>,
    read: usize,
}

impl Union {
    /// Those of one set.
    pub(crate) fn set(set: u32) -> Self {
        Self { sets: vec![(set, Hand::default())], ..Self::default() }
    }

    /// Those with one feature.
    pub(crate) fn of(hash: Hash, postings: &Postings, oldest: u32) -> Self {
        let mut union = Self::default();
        union.feature(hash, postings, oldest);
        union
    }

    /// Adds those of a set.
    pub(crate) fn add(&mut self, set: u32) {
        self.sets.push((set, Hand::default()));
    }

    /// Adds those with a feature.
    pub(crate) fn feature(&mut self, hash: Hash, postings: &Postings, oldest: u32) {
        let (set, few) = postings.key(hash, oldest);
        set.into_iter().for_each(|set| self.add(set));
        self.few.extend_from_slice(few);
    }

    fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.few.is_empty()
    }

    /// Puts the lists' numbers in order.
    fn ready(mut self, oldest: u32) -> Self {
        self.few.sort_unstable_by_key(|number| number.wrapping_sub(oldest));
        self
    }

    /// Whether a number is among them; they must be [ready](Self::ready).
    fn has(&self, number: u32, sets: &Sets, oldest: u32) -> bool {
        let place = |number: &u32| number.wrapping_sub(oldest);
        self.sets.iter().any(|(set, _)| sets.get(*set).has(number))
            || self.few.binary_search_by_key(&place(&number), place).is_ok()
    }

    /// Those of a block. Blocks must rise.
    #[inline]
    fn bits(&mut self, block: u32, sets: &Sets) -> Bits {
        let mut bits = NONE;
        for (set, hand) in &mut self.sets {
            sets.get(*set).join(hand, block, &mut bits);
        }
        while let Some(number) = self.few.get(self.read) {
            if sets::block(*number) == block {
                sets::mark(&mut bits, *number);
            } else if !sets::is_before(*number, block * BLOCK) {
                break;
            }
            self.read += 1;
        }
        bits
    }
}

/// Takes away those who are in `of`, but for those who are `pardoned`, or in all of `unless`.
struct Step {
    of: Union,
    pardoned: Union,
    unless: Vec<Union>,
}

/// What is asked.
pub(super) struct Query {
    oldest: u32,
    /// The next block.
    block: u32,
    /// How many bodies from the oldest are answered.
    done: usize,
    all: Union,
    steps: Vec<Step>,
    /// Answers not yet asked for: index from the oldest, rising.
    left: Vec<u32>,
}

impl Query {
    /// For the bodies in these.
    pub(crate) fn new(all: Union, oldest: u32) -> Self {
        let all = all.ready(oldest);
        Self { oldest, block: sets::block(oldest), done: 0, all, steps: Vec::new(), left: Vec::new() }
    }

    /// Takes away those in `counted`, but for those in `named`, or in all of `having`.
    pub(crate) fn counts(&mut self, counted: Union, named: Union, having: Vec<Union>) {
        let can_have = having.iter().all(|union| !union.is_empty());
        let unless = if can_have { having } else { Vec::new() };
        self.step(counted, named, unless);
    }

    /// Takes away those in `filled`, but for those in `sharing`.
    pub(crate) fn slot(&mut self, filled: Union, sharing: Union) {
        if !filled.is_empty() {
            self.step(filled, sharing, Vec::new());
        }
    }

    fn step(&mut self, of: Union, pardoned: Union, unless: Vec<Union>) {
        let unless = unless.into_iter().map(|union| union.ready(self.oldest)).collect();
        self.steps.push(Step { of, pardoned: pardoned.ready(self.oldest), unless });
    }

    /// Whether a body is taken away, wherever it was found.
    pub(crate) fn rules_out(&self, number: u32, sets: &Sets) -> bool {
        let has = |union: &Union| union.has(number, sets, self.oldest);
        let pardons = |step: &Step| has(&step.pardoned) || !step.unless.is_empty() && step.unless.iter().all(has);
        self.steps.iter().any(|step| has(&step.of) && !pardons(step))
    }

    /// Appends those who are left below the `end`-th from the oldest, rising, to `out`. `end` must not fall.
    pub(crate) fn below(&mut self, end: usize, sets: &Sets, out: &mut Vec<u32>) {
        while self.done < end {
            let mut bits = self.all.bits(self.block, sets);
            for step in &mut self.steps {
                if bits == NONE {
                    break;
                }
                step.take_away(self.block, sets, &mut bits);
            }
            sets::numbers(&bits, self.block, |number| {
                // Older ones are expired.
                if !sets::is_before(number, self.oldest) {
                    self.left.push(number.wrapping_sub(self.oldest));
                }
            });
            self.block = sets::next(self.block);
            self.done = (self.block * BLOCK).wrapping_sub(self.oldest) as usize;
        }
        let count = self.left.partition_point(|index| (*index as usize) < end);
        out.extend(self.left.drain(..count));
    }
}

impl Step {
    #[inline]
    fn take_away(&mut self, block: u32, sets: &Sets, bits: &mut Bits) {
        let (of, mut pardoned) = (self.of.bits(block, sets), self.pardoned.bits(block, sets));
        if let Some((first, others)) = self.unless.split_first_mut() {
            let mut all = first.bits(block, sets);
            for other in others {
                let bits = other.bits(block, sets);
                all.iter_mut().zip(bits).for_each(|(word, other)| *word &= other);
            }
            pardoned.iter_mut().zip(all).for_each(|(word, all)| *word |= all);
        }
        for ((word, of), pardoned) in bits.iter_mut().zip(of).zip(pardoned) {
            *word &= !of | pardoned;
        }
    }
}
