//! One query of the [floods](super::floods), block by block of the kept bodies.

use std::cmp::Reverse;

use super::features::Hash;
use super::postings::Postings;
use super::sets::{self, BLOCK, Bits, Hand, Sets};

const NONE: Bits = [0; BLOCK as usize / 64];
/// So few bodies of a block are looked up one by one: joining whole sets takes longer.
const FEW: usize = 32;

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

    /// How many they are, or more.
    fn len(&self, sets: &Sets) -> usize {
        let in_sets = self.sets.iter().map(|(set, _)| sets.get(*set).len()).sum::<usize>();
        in_sets + self.lists.iter().map(|list| list.len()).sum::<usize>()
    }

    /// Whether a body is among them. Numbers must rise.
    #[inline]
    fn has(&mut self, number: u32, sets: &Sets) -> bool {
        self.sets.iter_mut().any(|(set, hand)| sets.get(*set).has(hand, number))
            || self.lists.iter_mut().any(|list| {
                while list.first().is_some_and(|first| sets::is_before(*first, number)) {
                    *list = &list[1..];
                }
                list.first() == Some(&number)
            })
    }

    /// Those of a block. Blocks must rise, and be above all numbers that were looked up.
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
    /// The number of the next body that will be kept.
    end: u32,
    /// The next block.
    block: u32,
    all: Union<'p>,
    steps: Vec<Step<'p>>,
}

impl<'p> Query<'p> {
    /// For the bodies in these, of the `live` ones from the `oldest` on.
    pub(crate) fn new(all: Union<'p>, oldest: u32, live: usize) -> Self {
        Self { oldest, end: oldest.wrapping_add(live as u32), block: sets::block(oldest), all, steps: Vec::new() }
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

    /// Ends the asking. What takes away most comes first, and the largest of the sets that are asked for, so that little is left to
    /// look up in the others.
    pub(crate) fn order(&mut self, sets: &Sets) {
        self.steps.sort_by_cached_key(|step| Reverse(step.taken(sets)));
        self.all.sets.sort_by_key(|(set, _)| Reverse(sets.get(*set).len()));
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
        let mut left = Vec::with_capacity(FEW + 1);
        while ((self.block * BLOCK).wrapping_sub(self.oldest) as i32) < end as i32 {
            let mut listed = NONE;
            while let Some(index) = others.next_if(|index| sets::block(self.oldest.wrapping_add(**index)) == self.block)
            {
                sets::mark(&mut listed, self.oldest.wrapping_add(*index));
            }
            self.read(&listed, sets, &mut left);
            found.extend(left.iter().map(|number| number.wrapping_sub(self.oldest)));
            self.block = sets::next(self.block);
        }
    }

    /// Fills `left` with those of the next block: who is asked for or is listed, and whom no step takes away.
    fn read(&mut self, listed: &Bits, sets: &Sets, left: &mut Vec<u32>) {
        let (block, mut bits) = (self.block, sets::between(self.block, self.oldest, self.end));
        let mut steps = self.steps.iter_mut();
        steps.next().into_iter().for_each(|first| first.take_away(block, sets, &mut bits));
        if sets::few(&bits, block, FEW, left) {
            left.retain(|number| sets::is_marked(listed, *number) || self.all.has(*number, sets));
        } else {
            let all = self.all.bits(block, sets);
            bits.iter_mut().zip(all.iter().zip(listed)).for_each(|(word, (all, listed))| *word &= all | listed);
            while !sets::few(&bits, block, FEW, left) {
                let Some(step) = steps.next() else { return sets::numbers(&bits, block, |number| left.push(number)) };
                step.take_away(block, sets, &mut bits);
            }
        }
        for step in steps {
            left.retain(|number| !step.takes(*number, sets));
        }
    }
}

impl Step<'_> {
    /// About how many it takes away.
    fn taken(&self, sets: &Sets) -> usize {
        let having = self.unless.iter().map(|union| union.len(sets)).min().unwrap_or_default();
        self.of.len(sets).saturating_sub(self.pardoned.len(sets) + having)
    }

    /// Whether it takes away a body. Numbers must rise.
    #[inline]
    fn takes(&mut self, number: u32, sets: &Sets) -> bool {
        self.of.has(number, sets)
            && !self.pardoned.has(number, sets)
            && (self.unless.is_empty() || self.unless.iter_mut().any(|union| !union.has(number, sets)))
    }

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
