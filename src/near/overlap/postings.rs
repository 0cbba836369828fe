//! The inverted index: for each slot of a hash, a list of the numbers of the kept bodies that have a feature with this hash.
//!
//! Lists of features that many bodies share become [sets](super::sets).

use crate::hash::SweptMap;

use super::features::{FeatureHasher, Hash};
use super::sets::{Set, Sets, is_before};
use crate::near::arena::{Arena, MIN_LOG};
use crate::prefetch::prefetch;

/// Bits of a list's length. The logarithm of the block size is in the bits above.
const LEN_BITS: u32 = 27;

/// Takes the place of the logarithm if the list has become a set. Then the address is the place of the set.
const SET: u32 = 31;
/// The length from which a list becomes a set, if it may. Below it, a list takes less time and memory.
const HOT: usize = 64;
/// A set that has become smaller than this turns into a list again.
const COLD: usize = 16;

/// A list: the address of its block, and log2 of the block size << 27 | the length. Most lists have one number and need no block: log2 is
/// 0 and the address is the number. These are plain integers, because the system hands out zeroed memory for them lazily.
type List = [u32; 2];

/// Where the numbers of a key are:
///
/// | the slot of the key has | its numbers are in |
/// |---|---|
/// | a short list | the list, which other keys may share |
/// | a long list | the list, as far as they came before the key had a set; the others in a set of its own |
/// | a set | the slot's set, as far as the set was made of them; the others in a set of its own |
#[derive(Clone, Copy)]
pub(super) struct Key {
    slot: usize,
    pub(crate) set: Option<u32>,
}

/// How many numbers a list has.
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

/// Rising lists of numbers, or sets of numbers. Numbers wrap round. [`Postings::sweep`] removes them long before that could mislead.
pub(super) struct Postings {
    /// By slot.
    lists: Vec<List>,
    /// The hash shifted right by this many bits is the slot.
    shift: u32,
    arena: Arena<Vec<u32>>,
    pub(crate) sets: Sets,
    /// Sets of the keys of floods whose slots have long lists. They are found by the whole hash. So a key that few bodies have does not
    /// get the thousands of numbers of a slot that it shares.
    keys: SweptMap<Hash, u32>,
    /// A buffer for numbers that move to another block.
    moving: Vec<u32>,
    /// A buffer for the places of the sets of some keys, while a number is added to them.
    places: Vec<Option<u32>>,
    next_swept: usize,
}

impl Postings {
    /// Bytes of a slot, not counting its list.
    pub(crate) const SLOT_BYTES: u64 = size_of::<List>() as u64;

    /// Makes empty lists in 2^`log` slots, 1..=31.
    pub(crate) fn new(log: u32) -> Self {
        Self {
            lists: vec![[0; 2]; 1 << log],
            shift: 64 - log,
            arena: Arena::default(),
            sets: Sets::default(),
            keys: SweptMap::default(),
            moving: Vec::new(),
            places: Vec::new(),
            next_swept: 0,
        }
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

    /// Prefetches a slot.
    #[inline(always)]
    pub(crate) fn prefetch(&self, slot: usize) {
        prefetch(&self.lists[slot]);
    }

    /// Prefetches the end of a slot's list, to which the next number is added.
    #[inline(always)]
    pub(crate) fn prefetch_end(&self, slot: usize) {
        self.all(slot).last().into_iter().for_each(prefetch);
    }

    /// Prefetches the beginning of a slot's list.
    #[inline(always)]
    pub(crate) fn prefetch_list(&self, slot: usize) {
        let numbers = self.all(slot);
        for at in [0, 16, 32, 48] {
            let Some(number) = numbers.get(at) else { return };
            prefetch(number);
        }
    }

    /// How many numbers are in a slot's list, including expired ones.
    #[inline(always)]
    pub(crate) fn len(&self, slot: usize) -> usize {
        len(self.lists[slot])
    }

    /// The place of the set, if a slot's list has become a set.
    #[inline(always)]
    pub(crate) fn set(&self, slot: usize) -> Option<u32> {
        let list = self.lists[slot];
        (log(list) == SET).then_some(list[0])
    }

    /// The numbers of a slot's list from `oldest` on, rising. Empty if the list is a set.
    #[inline(always)]
    pub(crate) fn live(&self, slot: usize, oldest: u32) -> &[u32] {
        let numbers = self.all(slot);
        match numbers.first() {
            Some(first) if is_before(*first, oldest) => {
                // Queries from a number near the end on often find nothing.
                match numbers.last() {
                    Some(last) if !is_before(*last, oldest) => {
                        &numbers[numbers.partition_point(|number| is_before(*number, oldest))..]
                    }
                    _ => &[],
                }
            }
            _ => numbers,
        }
    }

    /// The numbers of a slot's list, including expired ones, rising. Empty if the list is a set.
    #[inline(always)]
    pub(crate) fn all(&self, slot: usize) -> &[u32] {
        let list = &self.lists[slot];
        match log(*list) {
            0 => return &list[..len(*list)],
            SET => return &[],
            _ => {}
        }
        let (numbers, at) = self.arena.get(list[0]);
        &numbers[at..at + len(*list)]
    }

    /// Adds a number to a slot's list, if it is not there. It must be the latest so far. A long list becomes a set if it `may_be_set`.
    #[inline]
    pub(crate) fn push(&mut self, slot: usize, number: u32, oldest: u32, may_be_set: bool) {
        if let Some(place) = self.set(slot) {
            return self.insert_into(slot, place, number);
        }
        let numbers = self.all(slot);
        if numbers.last() == Some(&number) {
            return;
        }
        if numbers.len() == 1 << log(self.lists[slot]) {
            if may_be_set
                && numbers.len() >= HOT
                && let Some(place) = self.heat(slot, oldest)
            {
                return self.insert_into(slot, place, number);
            }
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

    /// Adds a number to the set that a slot's list has become.
    fn insert_into(&mut self, slot: usize, place: u32, number: u32) {
        let set = self.sets.get_mut(place);
        set.insert(number);
        self.lists[slot] = list(place, SET, set.len());
    }

    /// Turns a list into a set, if enough of its numbers are not older than `oldest`.
    #[inline(never)]
    fn heat(&mut self, slot: usize, oldest: u32) -> Option<u32> {
        let set = Set::of(self.live(slot, oldest));
        if set.len() < HOT / 2 {
            return None;
        }
        self.drop_list(slot);
        let (place, len) = (self.sets.take(), set.len());
        *self.sets.get_mut(place) = set;
        self.lists[slot] = list(place, SET, len);
        Some(place)
    }

    /// Adds a number to a key's list or set, if it is not there. The number may be older than others.
    pub(crate) fn insert(&mut self, hash: Hash, number: u32, oldest: u32) {
        if let Some(place) = self.keys.get(&hash) {
            self.sets.get_mut(*place).insert(number);
            return;
        }
        let slot = self.slot(hash);
        // The set of a slot gets only numbers of runs, besides those that it was made of. So the key needs a set of its own.
        if self.set(slot).is_some() || self.len(slot) >= HOT {
            let place = self.sets.take();
            self.sets.get_mut(place).insert(number);
            self.keys.insert(hash, place);
        } else if self.all(slot).last().is_none_or(|last| is_before(*last, number)) {
            self.push(slot, number, oldest, false);
        } else if !self.all(slot).contains(&number) {
            let mut moving = self.drain(slot, oldest);
            moving.insert(moving.partition_point(|other| is_before(*other, number)), number);
            self.refill(slot, moving, 0);
        }
    }

    /// Adds a number for several keys, as [`insert`](Self::insert) does, so that the cache misses of all keys overlap.
    pub(crate) fn insert_all(&mut self, hashes: &[Hash], number: u32, oldest: u32) {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(hashes.iter().map(|hash| {
            let place = self.keys.get(hash).copied();
            match place {
                Some(place) => self.sets.prefetch(place),
                None => self.prefetch(self.slot(*hash)),
            }
            place
        }));
        for (hash, place) in hashes.iter().zip(&places) {
            match place {
                Some(place) => self.sets.get(*place).prefetch_end(number),
                None => self.prefetch_end(self.slot(*hash)),
            }
        }
        for (hash, place) in hashes.iter().zip(&places) {
            match place {
                Some(place) => drop(self.sets.get_mut(*place).insert(number)),
                None => self.insert(*hash, number, oldest),
            }
        }
        self.places = places;
    }

    /// Finds where a key's numbers are, and prefetches them.
    #[inline]
    pub(crate) fn key(&self, hash: Hash) -> Key {
        let key = Key { slot: self.slot(hash), set: self.keys.get(&hash).copied() };
        self.prefetch(key.slot);
        key.set.into_iter().for_each(|place| self.sets.prefetch(place));
        key
    }

    /// The numbers of the bodies that have a key and are not in its set, rising. A few other bodies may be among them.
    pub(crate) fn outside_set(&self, key: Key, oldest: u32) -> &[u32] {
        self.set(key.slot).map_or_else(|| self.live(key.slot, oldest), |place| self.sets.get(place).began_with())
    }

    /// An upper bound of how many bodies have a key.
    #[inline]
    pub(crate) fn count(&self, key: Key) -> usize {
        self.len(key.slot).min(HOT) + key.set.map_or(0, |place| self.sets.get(place).len())
    }

    /// The same as [`count`](Self::count), by the hash.
    pub(crate) fn key_len(&self, hash: Hash) -> usize {
        self.count(self.key(hash))
    }

    /// Forgets the bodies in the sets of keys that are older than `oldest`, a part of them with each of `calls` calls.
    pub(crate) fn sweep_keys(&mut self, calls: usize, oldest: u32) {
        let sets = &mut self.sets;
        self.keys.sweep(calls, |place| sets.keep_live(*place, oldest));
    }

    /// Empties a slot.
    fn drop_list(&mut self, slot: usize) {
        let old = self.lists[slot];
        match log(old) {
            0 => {}
            SET => self.sets.give(old[0]),
            log => self.arena.give(old[0], log),
        }
        self.lists[slot] = [0; 2];
    }

    /// Drops the numbers older than `oldest` and moves the rest to a block that fits, with room for `more`. A quarter of a larger block is
    /// free afterwards, so that each number moves only a few times.
    #[inline(never)]
    fn refit(&mut self, slot: usize, more: usize, oldest: u32) {
        let moving = self.drain(slot, oldest);
        self.refill(slot, moving, more);
    }

    /// Empties a slot, and returns its numbers that are not older than `oldest`, rising.
    fn drain(&mut self, slot: usize, oldest: u32) -> Vec<u32> {
        let mut moving = std::mem::take(&mut self.moving);
        moving.clear();
        match self.set(slot) {
            Some(place) => {
                self.sets.get(place).each(oldest, |number| moving.push(number));
                moving.sort_unstable_by_key(|number| number.wrapping_sub(oldest));
            }
            None => moving.extend_from_slice(self.live(slot, oldest)),
        }
        self.drop_list(slot);
        moving
    }

    /// Fills an empty slot with rising numbers, and leaves room for `more`.
    fn refill(&mut self, slot: usize, moving: Vec<u32>, more: usize) {
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

    /// Frees the numbers older than `oldest` in the next `count` slots.
    pub(crate) fn sweep(&mut self, count: usize, oldest: u32) {
        for _ in 0..count {
            if let Some(place) = self.set(self.next_swept) {
                let set = self.sets.get_mut(place);
                set.expire(oldest);
                self.lists[self.next_swept] = list(place, SET, set.len());
                if set.len() < COLD {
                    self.refit(self.next_swept, 0, oldest);
                }
            } else if self.all(self.next_swept).first().is_some_and(|first| is_before(*first, oldest)) {
                self.refit(self.next_swept, 0, oldest);
            }
            self.next_swept = (self.next_swept + 1) & (self.lists.len() - 1);
        }
        // The next call reads these numbers. By then they are in the cache.
        for ahead in 0..count {
            self.all((self.next_swept + ahead) & (self.lists.len() - 1)).first().into_iter().for_each(prefetch);
        }
    }

    /// Heap bytes in use, including zeroed pages that were never touched.
    pub(crate) fn bytes(&self) -> usize {
        self.lists.capacity() * size_of::<List>()
            + self.moving.capacity() * size_of::<u32>()
            + self.places.capacity() * size_of::<Option<u32>>()
            + self.arena.bytes()
            + self.sets.bytes()
            + self.keys.bytes()
    }
}

/// A body that enters the index, and the postings in which its keys are kept.
pub(super) struct Entering<'p> {
    pub(crate) number: u32,
    /// The number of the oldest body.
    pub(crate) oldest: u32,
    /// How its features are hashed.
    pub(crate) hasher: FeatureHasher,
    pub(crate) postings: &'p mut Postings,
}

impl Entering<'_> {
    /// Keeps that the body has a key of this hash.
    pub(crate) fn insert(&mut self, hash: Hash) {
        self.postings.insert(hash, self.number, self.oldest);
    }

    /// The same for many keys.
    pub(crate) fn insert_all(&mut self, hashes: &[Hash]) {
        self.postings.insert_all(hashes, self.number, self.oldest);
    }
}
