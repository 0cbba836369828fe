//! Which kept bodies have a feature: lists of numbers by slot of a hash.

use crate::near::arena::{Arena, MIN_LOG};

/// Bits of a list's length; the block's logarithm stands above them.
const LEN_BITS: u32 = 27;

/// Where a list is: address of the block, and log2 of its size << 27 | length. A list of one number, as most are, needs no
/// block: log2 is 0 and the address is the number. Plain integers, because the system hands zeroed ones out lazily.
type List = [u32; 2];

/// Numbers in the list.
#[inline(always)]
fn len(list: List) -> usize {
    list[1] as usize & ((1 << LEN_BITS) - 1)
}

fn log(list: List) -> u32 {
    list[1] >> LEN_BITS
}

fn list(address: u32, log: u32, len: usize) -> List {
    [address, log << LEN_BITS | len as u32]
}

/// Whether `number` was given before `oldest`. Numbers wrap round; [`Postings::sweep`] removes them long before that
/// could mislead.
#[inline(always)]
fn is_before(number: u32, oldest: u32) -> bool {
    (number.wrapping_sub(oldest) as i32) < 0
}

/// Rising lists of numbers.
pub(super) struct Postings {
    /// By slot.
    lists: Vec<List>,
    /// The hash's upper bits from here are the slot.
    shift: u32,
    arena: Arena<Vec<u32>>,
    /// Numbers on their way to another block.
    moving: Vec<u32>,
    /// The next slot to sweep.
    hand: usize,
}

impl Postings {
    /// Bytes of a slot, without its list.
    pub(crate) const SLOT_BYTES: u64 = size_of::<List>() as u64;

    /// Empty lists in 2^`log` slots, 1..=31.
    pub(crate) fn new(log: u32) -> Self {
        let (arena, moving) = Default::default();
        Self { lists: vec![[0; 2]; 1 << log], shift: 64 - log, arena, moving, hand: 0 }
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.lists.len()
    }

    /// The slot of a hash.
    #[inline(always)]
    pub(crate) fn slot(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// How many numbers are in a slot's list, expired ones included.
    #[inline(always)]
    pub(crate) fn len(&self, slot: usize) -> usize {
        len(self.lists[slot])
    }

    /// The numbers of a slot's list from `oldest` on, rising.
    #[inline(always)]
    pub(crate) fn live(&self, slot: usize, oldest: u32) -> &[u32] {
        let numbers = self.all(slot);
        match numbers.first() {
            Some(first) if is_before(*first, oldest) => {
                &numbers[numbers.partition_point(|number| is_before(*number, oldest))..]
            }
            _ => numbers,
        }
    }

    /// The numbers of a slot's list, expired ones included, rising.
    #[inline(always)]
    pub(crate) fn all(&self, slot: usize) -> &[u32] {
        let list = &self.lists[slot];
        if log(*list) == 0 {
            return &list[..len(*list)];
        }
        let (numbers, at) = self.arena.get(list[0]);
        &numbers[at..at + len(*list)]
    }

    /// Adds a number, the latest so far, to a slot's list, once.
    #[inline]
    pub(crate) fn push(&mut self, slot: usize, number: u32, oldest: u32) {
        let numbers = self.all(slot);
        if numbers.last() == Some(&number) {
            return;
        }
        if numbers.len() == 1 << log(self.lists[slot]) {
            self.refit(slot, 1, oldest);
        }
        let old = self.lists[slot];
        if log(old) == 0 {
            self.lists[slot] = list(number, 0, 1);
        } else {
            let (numbers, at) = self.arena.get_mut(old[0]);
            numbers[at + len(old)] = number;
            self.lists[slot][1] += 1;
        }
    }

    /// Drops what is older than `oldest` and moves the rest to where it fits, with room for `more`: a quarter of a larger block
    /// is free afterwards, so that each number moves a few times in its life.
    #[inline(never)]
    fn refit(&mut self, slot: usize, more: usize, oldest: u32) {
        let mut moving = std::mem::take(&mut self.moving);
        moving.clear();
        moving.extend_from_slice(self.live(slot, oldest));
        let old = self.lists[slot];
        if log(old) > 0 {
            self.arena.give(old[0], log(old));
        }
        let size = moving.len() + more;
        self.lists[slot] = if size > 1 {
            let log = (size + size / 3).next_power_of_two().ilog2().max(MIN_LOG);
            let address = self.arena.take(log);
            let (numbers, at) = self.arena.get_mut(address);
            numbers[at..at + moving.len()].copy_from_slice(&moving);
            list(address, log, moving.len())
        } else {
            list(moving.first().copied().unwrap_or_default(), 0, moving.len())
        };
        self.moving = moving;
    }

    /// Frees what is older than `oldest` in the next `count` slots.
    pub(crate) fn sweep(&mut self, count: usize, oldest: u32) {
        for _ in 0..count {
            if self.all(self.hand).first().is_some_and(|first| is_before(*first, oldest)) {
                self.refit(self.hand, 0, oldest);
            }
            self.hand = (self.hand + 1) & (self.lists.len() - 1);
        }
    }

    /// Heap bytes in use, zeroed pages that were never touched included.
    pub(crate) fn bytes(&self) -> usize {
        self.lists.capacity() * size_of::<List>() + self.moving.capacity() * 4 + self.arena.bytes()
    }
}
