//! One query of the [floods](super::floods): it rules out kept bodies by sets, without comparing them.
//!
//! For example, the new body is 您的验证码是482913. A step of the query has two sets: the kept bodies with any number in that place, and those
//! with this number there. The step takes away the first set except the second. The remaining bodies are compared.
//!
//! The query reads the sets by blocks of kept bodies, the oldest first.

use std::cmp::Reverse;
use std::ops::Range;

use super::features::Hash;
use super::postings::{Key, Postings};
use super::sets::{self, BLOCK, Bits, Cursor, Here, Set};

const NONE: Bits = [0; BLOCK as usize / 64];
/// If a block has no more candidates than this, each is looked up by itself, because joining whole sets takes longer.
const FEW_CANDIDATES: usize = 8;

/// Capacity for the sets of most queries, and for their lists.
const USUAL: usize = 256;

/// How the rule reads three parts of a body.
#[derive(Default, Clone, Copy)]
pub(crate) struct BodyParts {
    /// The first token where a slot at the body's end may begin.
    pub(crate) ending: usize,
    /// How many of its tokens are a [comment](crate::rule::bounds::commented).
    pub(crate) commented: usize,
    /// Whether letters at its end may be random, that is, whether it [ends freely](crate::rule::facts::ends_freely).
    pub(crate) ends_freely: bool,
}

/// A union of sets and lists, as ranges of indices into the [parts](Parts). It is read once, by rising blocks.
#[derive(Default)]
pub(super) struct Union {
    sets: Range<usize>,
    lists: Range<usize>,
}

/// A set of a query, and what the set has of the current block.
struct Part<'p> {
    set: &'p Set,
    cursor: Cursor<'p>,
}

/// The sets and lists of a query, and the unread rest of each.
struct Parts<'p> {
    sets: Vec<Part<'p>>,
    /// Each list is rising.
    lists: Vec<&'p [u32]>,
}

impl Parts<'_> {
    /// An upper bound of the number of bodies in a union.
    fn len(&self, union: &Union) -> usize {
        let in_sets = self.sets[union.sets.clone()].iter().map(|part| part.set.len()).sum::<usize>();
        in_sets + self.lists[union.lists.clone()].iter().map(|list| list.len()).sum::<usize>()
    }

    /// Whether a body is in a union. From call to call the numbers must rise, and no number may be in a [joined](Self::join) block, or in
    /// one below it.
    #[inline]
    fn have(&mut self, union: &Union, number: u32) -> bool {
        let block = sets::block(number);
        self.sets[union.sets.clone()].iter_mut().any(|part| part.set.at(&mut part.cursor, block).has(number))
            || self.lists[union.lists.clone()].iter_mut().any(|list| {
                while list.first().is_some_and(|first| sets::is_before(*first, number)) {
                    *list = &list[1..];
                }
                list.first() == Some(&number)
            })
    }

    /// Adds the bodies of a union that are in a block to `bits`. It may stop once `bits` has all of `wanted`. From call to call the blocks
    /// must rise, and be above all numbers that were looked up.
    #[inline]
    fn join(&mut self, union: &Union, block: u32, wanted: &Bits, bits: &mut Bits) {
        for part in &mut self.sets[union.sets.clone()] {
            match part.set.at(&mut part.cursor, block) {
                Here::Few(numbers) => numbers.iter().for_each(|number| sets::mark(bits, *number)),
                Here::Many(more) => {
                    sets::add(bits, more);
                    if sets::has_all(bits, wanted) {
                        return;
                    }
                }
            }
        }
        for list in &mut self.lists[union.lists.clone()] {
            while let Some((number, rest)) = list.split_first() {
                if sets::block(*number) == block {
                    sets::mark(bits, *number);
                } else if !sets::is_before(*number, block * BLOCK) {
                    break;
                }
                *list = rest;
            }
        }
    }
}

/// Adds sets and lists to a union of a query.
pub(super) struct Adding<'q, 'p> {
    parts: &'q mut Parts<'p>,
    postings: &'p Postings,
    /// The first number that the query asks for.
    from: u32,
}

impl Adding<'_, '_> {
    /// Adds the bodies of a set.
    pub(crate) fn add_set(&mut self, set: u32) {
        self.parts.sets.push(Part { set: self.postings.sets.get(set), cursor: Cursor::default() });
    }

    /// Adds the bodies with a feature.
    pub(crate) fn add_hash(&mut self, hash: Hash) {
        self.add_key(self.postings.key(hash));
    }

    /// Adds the bodies with a key.
    pub(crate) fn add_key(&mut self, key: Key) {
        let list = self.postings.outside_set(key, self.from);
        key.set.into_iter().for_each(|set| self.add_set(set));
        if !list.is_empty() {
            self.parts.lists.push(list);
        }
    }
}

/// A step of a query. It takes away the bodies in `of`, except those in `pardoned` and those that are in all of `unless`.
struct Step {
    of: Union,
    pardoned: Union,
    unless: Vec<Union>,
}

/// Kinds of half steps. A body goes only if two half steps of the same kind take it away.
#[derive(Clone, Copy)]
pub(super) enum Half {
    /// Brief slots.
    Brief,
    /// Entries of a list.
    Entry,
}

/// A query: the bodies that it asks for, and the steps that take bodies away.
pub(super) struct Query<'p> {
    pub(super) postings: &'p Postings,
    oldest: u32,
    /// The first number that the query asks for.
    from: u32,
    /// The number after the last that it asks for.
    end: u32,
    /// The block that is read next.
    block: u32,
    parts: Parts<'p>,
    all: Union,
    steps: Vec<Step>,
    /// Half steps by kind: a body is taken away if two of the same kind take it away.
    halves: [Vec<Step>; 2],
}

impl<'p> Query<'p> {
    /// Makes a query that asks for no bodies yet, over the bodies at `places`, counted from the `oldest`.
    pub(crate) fn new(postings: &'p Postings, oldest: u32, places: Range<usize>) -> Self {
        let [from, end] = [places.start, places.end].map(|place| oldest.wrapping_add(place as u32));
        Self {
            postings,
            oldest,
            from,
            end,
            block: sets::block(from),
            parts: Parts { sets: Vec::with_capacity(USUAL), lists: Vec::with_capacity(USUAL) },
            all: Union::default(),
            steps: Vec::with_capacity(USUAL / 8),
            halves: Default::default(),
        }
    }

    /// Makes a union of what `add` adds.
    pub(crate) fn union_of(&mut self, add: impl FnOnce(&mut Adding<'_, 'p>)) -> Union {
        let (sets, lists) = (self.parts.sets.len(), self.parts.lists.len());
        add(&mut Adding { parts: &mut self.parts, postings: self.postings, from: self.from });
        Union { sets: sets..self.parts.sets.len(), lists: lists..self.parts.lists.len() }
    }

    /// Asks for the bodies in a union.
    pub(crate) fn select(&mut self, all: Union) {
        self.all = all;
    }

    /// Adds a step that takes away the bodies in `of`, except those in `pardoned` and, if `unless` has any unions, those in all of them.
    pub(crate) fn step(&mut self, of: Union, pardoned: Union, unless: Vec<Union>) {
        if of.is_empty() {
            return;
        }
        let can_have = unless.iter().all(|union| !union.is_empty());
        self.steps.push(Step { of, pardoned, unless: if can_have { unless } else { Vec::new() } });
    }

    /// Adds a step that takes away the bodies in a set, except those that `pardoned` adds.
    pub(crate) fn take_away(&mut self, set: u32, pardoned: impl FnOnce(&mut Adding<'_, 'p>)) {
        let who = self.union_of(|union| union.add_set(set));
        let pardoned = self.union_of(pardoned);
        self.step(who, pardoned, Vec::new());
    }

    /// Adds half a step. It takes away the bodies in a set, except those that `pardoned` adds, if another half of its kind does so, too.
    pub(crate) fn take_away_by_two(&mut self, half: Half, set: u32, pardoned: impl FnOnce(&mut Adding<'_, 'p>)) {
        let steps = self.steps.len();
        self.take_away(set, pardoned);
        self.halves[half as usize].extend(self.steps.drain(steps..));
    }

    /// The size of the largest set that the query asks for.
    pub(crate) fn largest(&self) -> usize {
        self.parts.sets[self.all.sets.clone()].iter().map(|part| part.set.len()).max().unwrap_or_default()
    }

    /// Whether some step takes away about `many` bodies or more.
    pub(crate) fn takes_about(&self, many: usize) -> bool {
        self.steps.iter().any(|step| step.size(&self.parts) >= many)
    }

    /// Orders the steps, after all were added: the step that takes away most comes first, and in each union the largest set. Then few
    /// bodies are left to look up in the others.
    pub(crate) fn order(&mut self) {
        let parts = &mut self.parts;
        self.steps.sort_by_cached_key(|step| Reverse(step.size(parts)));
        let pairs = self.steps.iter().flat_map(|step| [&step.of, &step.pardoned]);
        for union in pairs.chain([&self.all]).filter(|union| union.sets.len() > 1) {
            parts.sets[union.sets.clone()].sort_unstable_by_key(|part| Reverse(part.set.len()));
        }
    }

    /// How many bodies there are from the oldest to the end of the first `blocks` blocks that the query asks for.
    pub(crate) fn bodies(&self, blocks: u32) -> usize {
        (self.from.wrapping_sub(self.oldest) + blocks * BLOCK - self.from % BLOCK) as usize
    }

    /// Reads on to the `end`-th body from the oldest, which must be the end of a block or of the query. `found` has rising candidates from
    /// elsewhere, as indices from the oldest. The query adds the bodies that it asks for, and removes those that a step takes away. Each
    /// `end` must be above the last.
    pub(crate) fn sift(&mut self, end: usize, found: &mut Vec<u32>) {
        found.sort_unstable();
        let others = found.clone();
        found.clear();
        let mut others = others.iter().peekable();
        let mut left = Vec::with_capacity(FEW_CANDIDATES);
        while ((self.block * BLOCK).wrapping_sub(self.oldest) as i32) < end as i32 {
            let mut listed = NONE;
            while let Some(index) = others.next_if(|index| sets::block(self.oldest.wrapping_add(**index)) == self.block)
            {
                sets::mark(&mut listed, self.oldest.wrapping_add(*index));
            }
            self.read(&listed, &mut left);
            found.extend(left.iter().map(|number| number.wrapping_sub(self.oldest)));
            self.block = sets::next(self.block);
        }
    }

    /// Fills `left` with the bodies of the next block that the query asks for or that are `listed`, except those that a step takes away.
    fn read(&mut self, listed: &Bits, left: &mut Vec<u32>) {
        let (block, mut bits) = (self.block, sets::between(self.block, self.from, self.end));
        let mut steps = self.steps.iter();
        if let Some(first) = steps.next() {
            let taken = first.taken(&mut self.parts, block, &bits);
            sets::subtract(&mut bits, &taken);
        }
        if sets::collect_if_few(&bits, block, FEW_CANDIDATES, left) {
            left.retain(|number| sets::is_marked(listed, *number) || self.parts.have(&self.all, *number));
        } else {
            let mut all = *listed;
            self.parts.join(&self.all, block, &bits, &mut all);
            sets::intersect(&mut bits, &all);
            while !sets::collect_if_few(&bits, block, FEW_CANDIDATES, left) {
                let Some(step) = steps.next() else {
                    self.take_away_by_halves(block, &mut bits);
                    return sets::numbers(&bits, block, |number| left.push(number));
                };
                let taken = step.taken(&mut self.parts, block, &bits);
                sets::subtract(&mut bits, &taken);
            }
        }
        for step in steps {
            if left.is_empty() {
                break;
            }
            left.retain(|number| !step.takes(&mut self.parts, *number));
        }
        let (halves, parts) = (&self.halves, &mut self.parts);
        for halves in halves.iter().filter(|halves| halves.len() > 1) {
            left.retain(|number| halves.iter().filter(|half| half.takes(parts, *number)).take(2).count() < 2);
        }
    }

    /// Takes away the bodies of a block that two half steps of one kind take away.
    fn take_away_by_halves(&mut self, block: u32, bits: &mut Bits) {
        for halves in self.halves.iter().filter(|halves| halves.len() > 1) {
            let (mut once, mut twice) = (NONE, NONE);
            for half in halves {
                let taken = half.taken(&mut self.parts, block, bits);
                let mut again = once;
                sets::intersect(&mut again, &taken);
                sets::add(&mut twice, &again);
                sets::add(&mut once, &taken);
            }
            sets::subtract(bits, &twice);
        }
    }
}

impl Union {
    fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.lists.is_empty()
    }
}

impl Step {
    /// About how many bodies the step takes away.
    fn size(&self, parts: &Parts<'_>) -> usize {
        let having = self.unless.iter().map(|union| parts.len(union)).min().unwrap_or_default();
        parts.len(&self.of).saturating_sub(parts.len(&self.pardoned) + having)
    }

    /// Whether the step takes away a body. From call to call the numbers must rise.
    #[inline]
    fn takes(&self, parts: &mut Parts<'_>, number: u32) -> bool {
        parts.have(&self.of, number)
            && !parts.have(&self.pardoned, number)
            && (self.unless.is_empty() || self.unless.iter().any(|union| !parts.have(union, number)))
    }

    /// Returns which of the `bits` of a block the step takes away.
    #[inline]
    fn taken(&self, parts: &mut Parts<'_>, block: u32, bits: &Bits) -> Bits {
        let mut taken = NONE;
        parts.join(&self.of, block, bits, &mut taken);
        sets::intersect(&mut taken, bits);
        if taken == NONE {
            return NONE;
        }
        let mut pardoned = NONE;
        parts.join(&self.pardoned, block, &taken, &mut pardoned);
        if let Some((first, others)) = self.unless.split_first() {
            let mut all = NONE;
            parts.join(first, block, &taken, &mut all);
            for other in others {
                let mut having = NONE;
                parts.join(other, block, &taken, &mut having);
                sets::intersect(&mut all, &having);
            }
            sets::add(&mut pardoned, &all);
        }
        sets::subtract(&mut taken, &pardoned);
        taken
    }
}
