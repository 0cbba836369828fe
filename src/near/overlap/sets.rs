//! Sets of body numbers, for features that hundreds of bodies share.
//!
//! Numbers are grouped in blocks of [`BLOCK`]. If a set has many numbers of a block, it keeps them as 64 words of bits, so that unions and
//! differences handle 64 bodies at a time. All other numbers are in one rising list. Numbers wrap round, but those of the live bodies lie
//! close together.

use crate::hash::SweptEntry;
use crate::hash::memory::make_room;
use crate::prefetch::prefetch;

/// Numbers of a block (log2).
const BLOCK_LOG: u32 = 12;
/// Numbers of a block.
pub(super) const BLOCK: u32 = 1 << BLOCK_LOG;
/// Words of a block.
const WORDS: usize = BLOCK as usize / 64;
/// With this many numbers of a block, a set keeps bits. They take less time than a list, and up to three times the memory.
const DENSE: usize = 48;

/// The bodies of one block, a bit for each.
pub(super) type Bits = [u64; WORDS];

/// The block of a number.
#[inline(always)]
pub(super) fn block(number: u32) -> u32 {
    number >> BLOCK_LOG
}

/// The block that follows `block`.
#[inline(always)]
pub(super) fn next(block: u32) -> u32 {
    (block + 1) & (u32::MAX >> BLOCK_LOG)
}

/// Whether `number` was given before `other`.
#[inline(always)]
pub(super) fn is_before(number: u32, other: u32) -> bool {
    (number.wrapping_sub(other) as i32) < 0
}

/// Sets the bit of a number of a block.
#[inline(always)]
pub(super) fn mark(bits: &mut Bits, number: u32) {
    let at = (number % BLOCK) as usize;
    bits[at / 64] |= 1 << (at % 64);
}

/// Whether the bit of a number of this block is set.
#[inline(always)]
pub(super) fn is_marked(bits: &Bits, number: u32) -> bool {
    let at = (number % BLOCK) as usize;
    bits[at / 64] >> (at % 64) & 1 != 0
}

/// Adds the bits of `more`.
#[inline(always)]
pub(super) fn add(bits: &mut Bits, more: &Bits) {
    bits.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
}

/// Keeps only the bits that are set in `others`, too.
#[inline(always)]
pub(super) fn intersect(bits: &mut Bits, others: &Bits) {
    for at in 0..WORDS {
        bits[at] &= others[at];
    }
}

/// Clears the bits of `taken`.
#[inline(always)]
pub(super) fn subtract(bits: &mut Bits, taken: &Bits) {
    for at in 0..WORDS {
        bits[at] &= !taken[at];
    }
}

/// Whether all bits of `wanted` are set.
#[inline(always)]
pub(super) fn has_all(bits: &Bits, wanted: &Bits) -> bool {
    // Without a branch, so that the processor handles many words at a time.
    (0..WORDS).fold(0, |lacks, at| lacks | wanted[at] & !bits[at]) == 0
}

/// The bits of the numbers of a block from `oldest` up to, but not including, `end`.
pub(super) fn between(block: u32, oldest: u32, end: u32) -> Bits {
    let first = block << BLOCK_LOG;
    let start = if is_before(first, oldest) { oldest.wrapping_sub(first).min(BLOCK) } else { 0 };
    let end = if is_before(first, end) { end.wrapping_sub(first).min(BLOCK) } else { 0 };
    if (start, end) == (0, BLOCK) {
        return [u64::MAX; WORDS];
    }
    let below = |at: u32| if at >= 64 { u64::MAX } else { (1 << at) - 1 };
    std::array::from_fn(|word| {
        let word = word as u32 * 64;
        below(end.saturating_sub(word)) & !below(start.saturating_sub(word))
    })
}

/// Fills `found` with the numbers of a block whose bits are set, rising. If there are more than `most`, it leaves `found` empty and
/// returns false.
pub(super) fn collect_if_few(bits: &Bits, block: u32, most: usize, found: &mut Vec<u32>) -> bool {
    found.clear();
    for (word, at) in bits.iter().zip(0_u32..) {
        let mut word = *word;
        while word != 0 {
            if found.len() == most {
                found.clear();
                return false;
            }
            found.push((block << BLOCK_LOG) + at * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    true
}

/// Calls `each` with the numbers of a block whose bits are set, rising.
pub(super) fn numbers(bits: &Bits, block: u32, mut each: impl FnMut(u32)) {
    for (word, at) in bits.iter().zip(0_u32..) {
        let mut word = *word;
        while word != 0 {
            each((block << BLOCK_LOG) + at * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

/// A set of numbers.
#[derive(Default)]
pub(super) struct Set {
    /// Rising.
    few: Vec<u32>,
    /// By rising block. None of their numbers is in `few`. They lie together, because they are read one after another.
    dense: Vec<(u32, Bits)>,
    /// How many numbers the set has.
    len: usize,
    /// The numbers that the set was made of.
    began_with: Box<[u32]>,
    /// The size of the set when its bodies were last asked to become members of a flood.
    pub(crate) checked_len: usize,
}

/// The state of reading a set by rising blocks, and what the set has of the current block.
#[derive(Default, Clone, Copy)]
pub(super) struct Cursor<'s> {
    few: usize,
    dense: usize,
    here: Option<(u32, Here<'s>)>,
}

/// What a set has of a block.
#[derive(Clone, Copy)]
pub(super) enum Here<'s> {
    /// Rising.
    Few(&'s [u32]),
    /// A bit for each number.
    Many(&'s Bits),
}

impl Here<'_> {
    /// Whether the set has a number of the block.
    #[inline]
    pub(crate) fn has(self, number: u32) -> bool {
        match self {
            Self::Few(numbers) => numbers.contains(&number),
            Self::Many(bits) => is_marked(bits, number),
        }
    }
}

impl Set {
    /// Makes a set of these numbers.
    pub(crate) fn of(numbers: &[u32]) -> Self {
        let mut set = Self { began_with: numbers.into(), ..Self::default() };
        for number in numbers {
            set.insert(*number);
        }
        set
    }

    /// Prefetches what [`insert`](Self::insert) will read for this number, if it is the latest.
    #[inline]
    pub(crate) fn prefetch_end(&self, number: u32) {
        self.few.last().into_iter().for_each(prefetch);
        if let Some((block, bits)) = self.dense.last() {
            prefetch(block);
            prefetch(&bits[(number % BLOCK) as usize / 64]);
        }
    }

    /// The numbers that the set was made [of](Self::of), including expired ones.
    pub(crate) fn began_with(&self) -> &[u32] {
        &self.began_with
    }

    /// How many numbers the set has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether the set has a number.
    pub(crate) fn has(&self, number: u32) -> bool {
        match self.dense_at(block(number)) {
            Ok(at) => is_marked(&self.dense[at].1, number),
            Err(_) => self.few.get(self.few.partition_point(|other| is_before(*other, number))) == Some(&number),
        }
    }

    /// Finds the index of a dense block, or the index where it would be.
    fn dense_at(&self, block: u32) -> Result<usize, usize> {
        // Block numbers wrap round, too, so they are compared by their distance from the first one.
        let rise = |block: u32| block.wrapping_sub(self.dense[0].0) << BLOCK_LOG;
        match self.dense.last() {
            Some(last) if last.0 == block => Ok(self.dense.len() - 1),
            Some(_) => self.dense.binary_search_by_key(&(rise(block) as i32), |(other, _)| rise(*other) as i32),
            None => Err(0),
        }
    }

    /// Adds a number, and returns whether it is new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        if let Ok(at) = self.dense_at(block(number)) {
            let (word, bit) = ((number % BLOCK) as usize / 64, 1 << (number % 64));
            let word = &mut self.dense[at].1[word];
            let is_new = *word & bit == 0;
            *word |= bit;
            self.len += usize::from(is_new);
            return is_new;
        }
        match self.few.last() {
            Some(last) if !is_before(*last, number) => {
                let at = self.few.partition_point(|other| is_before(*other, number));
                if self.few[at] == number {
                    return false;
                }
                self.few.insert(at, number);
            }
            _ => self.few.push(number),
        }
        self.len += 1;
        // Most numbers come in order. Then the block can only be full enough if the last `DENSE` numbers are all of it.
        let at_end = self.few.len().checked_sub(DENSE).map(|at| block(self.few[at]));
        if self.few.last() != Some(&number) || at_end == Some(block(number)) {
            self.thicken(block(number));
        }
        true
    }

    /// Makes a block dense if the list has enough numbers of it.
    fn thicken(&mut self, block: u32) {
        let first = self.few.partition_point(|number| is_before(*number, block << BLOCK_LOG));
        if self.few.get(first + DENSE - 1).is_none_or(|number| self::block(*number) != block) {
            return;
        }
        let mut bits = [0; WORDS];
        self.few.drain(first..first + DENSE).for_each(|number| mark(&mut bits, number));
        if let Err(at) = self.dense_at(block) {
            make_room(&mut self.dense, 1);
            self.dense.insert(at, (block, bits));
        }
    }

    /// Forgets the numbers older than `oldest`, except those in the same dense block as `oldest`.
    pub(crate) fn expire(&mut self, oldest: u32) {
        let gone = self.few.partition_point(|number| is_before(*number, oldest));
        self.few.drain(..gone);
        let first = block(oldest) << BLOCK_LOG;
        let blocks = self.dense.partition_point(|(block, _)| is_before(*block << BLOCK_LOG, first));
        let ones = |(_, bits): (u32, Bits)| bits.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        self.len -= gone + self.dense.drain(..blocks).map(ones).sum::<usize>();
        if self.few.capacity() > 64 && self.few.len() * 4 < self.few.capacity() {
            self.few.shrink_to(self.few.len() * 2);
        }
        self.checked_len = self.checked_len.min(self.len);
        if self.began_with.last().is_some_and(|number| is_before(*number, oldest)) {
            self.began_with = Box::default();
        }
    }

    /// Returns what the set has of a block. The blocks asked with one `cursor` must rise.
    #[inline]
    pub(crate) fn at<'s>(&'s self, cursor: &mut Cursor<'s>, block: u32) -> Here<'s> {
        match cursor.here {
            Some((known, here)) if known == block => here,
            _ => self.turn(cursor, block),
        }
    }

    fn turn<'s>(&'s self, cursor: &mut Cursor<'s>, block: u32) -> Here<'s> {
        let first = block << BLOCK_LOG;
        debug_assert!(cursor.here.is_none_or(|(last, _)| is_before(last << BLOCK_LOG, first)), "the blocks must rise");
        while self.dense.get(cursor.dense).is_some_and(|(other, _)| is_before(*other << BLOCK_LOG, first)) {
            cursor.dense += 1;
        }
        let here = match self.dense.get(cursor.dense) {
            Some((other, bits)) if *other == block => Here::Many(bits),
            _ => {
                if self.few.get(cursor.few).is_some_and(|number| is_before(*number, first)) {
                    cursor.few += self.few[cursor.few..].partition_point(|number| is_before(*number, first));
                }
                let rest = &self.few[cursor.few..];
                let few = rest[..rest.len().min(DENSE)].partition_point(|number| self::block(*number) == block);
                cursor.few += few;
                Here::Few(&rest[..few])
            }
        };
        cursor.here = Some((block, here));
        here
    }

    /// Calls `each` with every number from `oldest` on, in no order.
    pub(crate) fn each(&self, oldest: u32, mut each: impl FnMut(u32)) {
        let mut take = |number: u32| {
            if !is_before(number, oldest) {
                each(number);
            }
        };
        self.few.iter().for_each(|number| take(*number));
        self.dense.iter().for_each(|(block, bits)| numbers(bits, *block, &mut take));
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        (self.few.capacity() + self.began_with.len()) * 4 + self.dense.capacity() * size_of::<(u32, Bits)>()
    }
}

/// Many sets, by their index, called their place.
#[derive(Default)]
pub(super) struct Sets {
    all: Vec<Set>,
    free: Vec<u32>,
}

impl Sets {
    /// Adds a number to the set of a key. Makes the set if there is none.
    pub(crate) fn insert<K>(&mut self, key: SweptEntry<'_, K, u32>, number: u32) {
        let place = *key.or_insert_with(|| self.take());
        self.get_mut(place).insert(number);
    }

    /// Returns the place of a new empty set.
    pub(crate) fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.all.push(Set::default());
            self.all.len() as u32 - 1
        })
    }

    /// Empties a set and frees its place.
    pub(crate) fn give(&mut self, place: u32) {
        self.all[place as usize] = Set::default();
        self.free.push(place);
    }

    /// Forgets the numbers of a set that are older than `oldest`, and frees the set if it is then empty. Returns whether the set remains.
    pub(crate) fn keep_live(&mut self, place: u32, oldest: u32) -> bool {
        let set = self.get_mut(place);
        set.expire(oldest);
        let is_kept = set.len() > 0;
        if !is_kept {
            self.give(place);
        }
        is_kept
    }

    /// Prefetches the set at a place.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: u32) {
        let set = &self.all[place as usize];
        prefetch(&set.few);
        prefetch(&set.len);
    }

    /// The set at a place.
    #[inline(always)]
    pub(crate) fn get(&self, place: u32) -> &Set {
        &self.all[place as usize]
    }

    /// The same as [`Sets::get`], for writing.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, place: u32) -> &mut Set {
        &mut self.all[place as usize]
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let own = self.all.capacity() * size_of::<Set>() + self.free.capacity() * 4;
        own + self.all.iter().map(Set::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
