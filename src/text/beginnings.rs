//! A quick test before a list of words is searched: does any of its words begin with these two characters?

use super::common_chars::CharSet;

/// The beginnings of a list of words, one bit each. Two beginnings may share a bit, so the test has false positives, but no false
/// negatives.
pub(super) struct Beginnings {
    /// The lower 16 bits of the first characters.
    first: Box<CharSet>,
    /// Bits for first pairs of characters, by their hash. A word of one character is a pair with 0.
    pairs: Box<[u64; 1 << 10]>,
}

impl Default for Beginnings {
    fn default() -> Self {
        Self { first: Box::new(CharSet::of("")), pairs: Box::new([0; 1 << 10]) }
    }
}

impl Beginnings {
    /// Adds a word by its first two characters. The second is 0 for a word of one character.
    pub(super) fn add(&mut self, first: u32, second: u32) {
        let pair = hash(first, second);
        self.first.insert(first & 0xffff);
        self.pairs[pair >> 6] |= 1 << (pair & 63);
    }

    /// Whether a word may begin with this character.
    #[inline(always)]
    pub(super) fn has_first(&self, first: u32) -> bool {
        self.first.has(first & 0xffff)
    }

    /// Whether a word may begin with these two characters, or be the first one alone. `first` must be a character that
    /// [`has_first`](Self::has_first) accepts.
    #[inline(always)]
    pub(super) fn has(&self, first: u32, second: u32) -> bool {
        self.has_pair(first, second) || self.has_pair(first, 0)
    }

    /// Whether a word may begin with exactly these two characters. If the second is 0: whether a word may be the first alone.
    #[inline(always)]
    pub(super) fn has_pair(&self, first: u32, second: u32) -> bool {
        let pair = hash(first, second);
        self.pairs[pair >> 6] >> (pair & 63) & 1 == 1
    }
}

fn hash(first: u32, second: u32) -> usize {
    (first.wrapping_mul(0x9e37_79b1) ^ second.wrapping_mul(0x85eb_ca6b)) as usize >> 7 & 0xffff
}
