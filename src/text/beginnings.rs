//! A quick test before a list of words is searched: does any of its words begin with these two characters?

/// The beginnings of a list of words, one bit each. Two beginnings may share a bit, so the test has false positives, but no false
/// negatives.
pub(super) struct Beginnings {
    /// Bits for first characters.
    first: Box<[u64; 1 << 10]>,
    /// Bits for first pairs of characters, by their hash. A word of one character is a pair with 0.
    pairs: Box<[u64; 1 << 10]>,
}

impl Default for Beginnings {
    fn default() -> Self {
        let bits = || vec![0; 1 << 10].try_into().unwrap_or_else(|_| unreachable!());
        Self { first: bits(), pairs: bits() }
    }
}

impl Beginnings {
    /// Adds a word by its first two characters. The second is 0 for a word of one character.
    pub(super) fn add(&mut self, first: u32, second: u32) {
        let (at, pair) = (first as usize & 0xffff, hash(first, second));
        self.first[at >> 6] |= 1 << (at & 63);
        self.pairs[pair >> 6] |= 1 << (pair & 63);
    }

    /// Whether a word may begin with this character.
    #[inline(always)]
    pub(super) fn has_first(&self, first: u32) -> bool {
        let at = first as usize & 0xffff;
        self.first[at >> 6] >> (at & 63) & 1 == 1
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
