//! One query of the [floods](super::floods), block by block of the kept bodies.

use super::features::Hash;
use super::postings::Postings;
use super::sets::{self, BLOCK, Bits, Hand, Sets};

const NONE: Bits = [0; BLOCK as usize / 64];

/// The bodies in any of some sets and lists. Read by rising blocks, once.
#[derive(Default)]
pub(super) struct Union<'p> {
    sets: Vec<(u32, Hand)>,
    /// What is left of the lists, each rising.
    lists: Vec<&'p [u32]>,
}

impl<'p> Union<'p> {
    /// Those of one set.
    pub(crate) fn set(set: u32) -> Self {
        Self { sets: vec![(set, Hand::default())], ..Self::default() }
    }

    /// Those with one feature.
    pub(crate) fn of(hash: Hash, postings: &'p Postings, oldest: u32) -> Self {
        let mut union = Self::default();
        union.feature(hash, postings, oldest);
        union
    }

    /// Adds those of a set.
    pub(crate) fn add(&mut self, set: u32) {
        self.sets.push((set, Hand::default()));
    }

    /// Adds those with a feature.
    pub(crate) fn feature(&mut self, hash: Hash, postings: &'p Postings, oldest: u32) {
        let (set, list) = postings.key(hash, oldest);
        set.into_iter().for_each(|set| self.add(set));
        if !list.is_empty() {
            self.lists.push(list);
        }
    }

    fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.lists.is_empty()
    }

    /// Those of a block. Blocks must rise.
    #[inline]
    fn bits(&mut self, block: u32, sets: &Sets) -> Bits {
        let mut bits = NONE;
        for (set, hand) in &mut self.sets {
            sets.get(*set).join(hand, block, &mut bits);
        }
        for list in &mut self.lists {
            while let Some((number, rest)) = list.split_first() {
                if sets::block(*number) == block {
                    sets::mark(&mut bits, *number);
                } else if !sets::is_before(*number, block * BLOCK) {
                    break;
                }
                *list = rest;
            }
        }
        bits
    }
}

/// Takes away those who are in `of`, but for those who are `pardoned`, or in all of `unless`.
struct Step<'p> {
    of: Union<'p>,
    pardoned: Union<'p>,
    unless: Vec<Union<'p>>,
}

/// What is asked.
pub(super) struct Query<'p> {
    oldest: u32,
    /// The next block.
    block: u32,
    all: Union<'p>,
    steps: Vec<Step<'p>>,
}

impl<'p> Query<'p> {
    /// For the bodies in these.
    pub(crate) fn new(all: Union<'p>, oldest: u32) -> Self {
        Self { oldest, block: sets::block(oldest), all, steps: Vec::new() }
    }

    /// Takes away those in `counted`, but for those in `named`, or in all of `having`.
    pub(crate) fn counts(&mut self, counted: Union<'p>, named: Union<'p>, having: Vec<Union<'p>>) {
        let can_have = having.iter().all(|union| !union.is_empty());
        let unless = if can_have { having } else { Vec::new() };
        self.steps.push(Step { of: counted, pardoned: named, unless });
    }

    /// Takes away those in `filled`, but for those in `sharing`.
    pub(crate) fn slot(&mut self, filled: Union<'p>, sharing: Union<'p>) {
        if !filled.is_empty() {
            self.steps.push(Step { of: filled, pardoned: sharing, unless: Vec::new() });
        }
    }

    /// How many bodies from the oldest are in so many blocks.
    pub(crate) fn bodies(&self, blocks: u32) -> usize {
        (blocks * BLOCK - self.oldest % BLOCK) as usize
    }

    /// Adds those who are asked for to `found`, below the `end`-th body from the oldest, where a block must end, and takes away those whom
    /// a step takes away. Both rising, from one `end` to the next; a body is told by its index from the oldest.
    pub(crate) fn sift(&mut self, end: usize, sets: &Sets, found: &mut Vec<u32>) {
        found.sort_unstable();
        let others = std::mem::take(found);
        let mut others = others.iter().peekable();
        while ((self.block * BLOCK).wrapping_sub(self.oldest) as i32) < end as i32 {
            let mut bits = self.all.bits(self.block, sets);
            while let Some(index) = others.next_if(|index| sets::block(self.oldest.wrapping_add(**index)) == self.block)
            {
                sets::mark(&mut bits, self.oldest.wrapping_add(*index));
            }
            for step in &mut self.steps {
                if bits == NONE {
                    break;
                }
                step.take_away(self.block, sets, &mut bits);
            }
            sets::numbers(&bits, self.block, |number| {
                // Older ones are expired.
                if !sets::is_before(number, self.oldest) {
                    found.push(number.wrapping_sub(self.oldest));
                }
            });
            self.block = sets::next(self.block);
        }
    }
}

impl Step<'_> {
    #[inline]
    fn take_away(&mut self, block: u32, sets: &Sets, bits: &mut Bits) {
        let of = self.of.bits(block, sets);
        if bits.iter().zip(&of).all(|(word, of)| word & of == 0) {
            return;
        }
        let mut pardoned = self.pardoned.bits(block, sets);
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
