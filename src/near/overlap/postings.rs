//! Which kept bodies hold a bigram: lists of numbers by slot of a hash, apart by class of the body's length.

use crate::near::arena::{Arena, MIN_LOG};

/// Classes of length that have lists of their own.
pub(super) const CLASSES: usize = 4;
/// First length, in tokens, of each class but the lowest.
const BORDERS: [usize; CLASSES - 1] = [24, 56, 128];

/// The class of a body of `len` tokens.
#[inline(always)]
pub(super) fn class(len: usize) -> usize {
    BORDERS.iter().map(|border| usize::from(len >= *border)).sum()
}

/// The lengths of a class, both ends included.
pub(super) fn lengths(class: usize) -> (usize, usize) {
    (if class == 0 { 0 } else { BORDERS[class - 1] }, BORDERS.get(class).map_or(usize::MAX, |border| border - 1))
}

/// Bits of a list's length; the block's logarithm stands above them.
const LEN_BITS: u32 = 27;

/// Where a list is: address of the block << 32 | log2 of its size << 27 | length. 0 is no list.
#[derive(Debug, Clone, Copy)]
pub(super) struct List(u64);

impl List {
    fn new(address: u32, log: u32, len: usize) -> Self {
        Self(u64::from(address) << 32 | u64::from(log) << LEN_BITS | len as u64)
    }

    fn address(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn log(self) -> u32 {
        self.0 as u32 >> LEN_BITS
    }

    /// Numbers in the list.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.0 as usize & ((1 << LEN_BITS) - 1)
    }
}

/// Whether `number` was given before `oldest`. Numbers wrap round; [`Postings::sweep`] removes them long before that
/// could mislead.
#[inline(always)]
fn is_before(number: u32, oldest: u32) -> bool {
    (number.wrapping_sub(oldest) as i32) < 0
}

/// Rising lists of numbers.
pub(super) struct Postings {
    /// By slot and class. Plain integers, because the system hands zeroed ones out lazily.
    lists: Vec<[u64; CLASSES]>,
    /// The hash's upper bits from here are the slot.
    shift: u32,
    arena: Arena<Vec<u32>>,
    /// The next slot to sweep.
    hand: usize,
}

impl Postings {
    /// Empty lists in 2^`log` slots, 1..=31.
    pub fn new(log: u32) -> Self {
        Self { lists: vec![[0; CLASSES]; 1 << log], shift: 64 - log, arena: Arena::default(), hand: 0 }
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.lists.len()
    }

    /// The lists of a bigram by its hash.
    #[inline(always)]
    pub fn lists(&self, hash: u64) -> [List; CLASSES] {
        self.lists[(hash >> self.shift) as usize].map(List)
    }

    /// The numbers of a list from `oldest` on, rising.
    #[inline(always)]
    pub fn live(&self, list: List, oldest: u32) -> &[u32] {
        let numbers = self.all(list);
        match numbers.first() {
            Some(first) if is_before(*first, oldest) => {
                &numbers[numbers.partition_point(|number| is_before(*number, oldest))..]
            }
            _ => numbers,
        }
    }

    pub fn all(&self, list: List) -> &[u32] {
        if list.len() == 0 {
            return &[];
        }
        let (numbers, at) = self.arena.get(list.address());
        &numbers[at..at + list.len()]
    }

    /// Adds a number, the latest so far, to a bigram's list of this class, once.
    #[inline]
    pub fn push(&mut self, hash: u64, class: usize, number: u32, oldest: u32) {
        let slot = (hash >> self.shift) as usize;
        let mut list = List(self.lists[slot][class]);
        if list.0 == 0 {
            list = List::new(self.arena.take(MIN_LOG), MIN_LOG, 0);
        } else if self.all(list).last() == Some(&number) {
            return;
        } else if list.len() == 1 << list.log() {
            list = self.refit(list, oldest);
        }
        let (numbers, at) = self.arena.get_mut(list.address());
        numbers[at + list.len()] = number;
        self.lists[slot][class] = list.0 + 1;
    }

    /// Drops what is older than `oldest` and moves the rest to a block of fitting size, if its own is full or far too large:
    /// at least a quarter of the block is free afterwards, so that each number moves a few times in its life.
    #[inline(never)]
    fn refit(&mut self, list: List, oldest: u32) -> List {
        let (len, live) = (list.len(), self.live(list, oldest).len());
        let (numbers, at) = self.arena.get_mut(list.address());
        numbers.copy_within(at + len - live..at + len, at);
        let (address, log) = (list.address(), list.log());
        let fit = (live + live.div_ceil(3)).next_power_of_two().ilog2().max(MIN_LOG);
        if fit == log || fit + 1 == log {
            List::new(address, log, live)
        } else {
            List::new(self.arena.resize(address, live, log, fit), fit, live)
        }
    }

    /// Frees what is older than `oldest` in the next `count` slots.
    pub fn sweep(&mut self, count: usize, oldest: u32) {
        for _ in 0..count {
            for class in 0..CLASSES {
                let list = List(self.lists[self.hand][class]);
                if list.0 == 0 || self.all(list).first().is_some_and(|first| !is_before(*first, oldest)) {
                    continue;
                }
                let list = self.refit(list, oldest);
                self.lists[self.hand][class] = list.0;
                if list.len() == 0 {
                    self.arena.give(list.address(), list.log());
                    self.lists[self.hand][class] = 0;
                }
            }
            self.hand = (self.hand + 1) & (self.lists.len() - 1);
        }
    }

    /// Heap bytes in use, zeroed pages that were never touched included.
    pub fn bytes(&self) -> usize {
        self.lists.capacity() * size_of::<[u64; CLASSES]>() + self.arena.bytes()
    }
}
