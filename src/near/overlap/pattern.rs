//! The new body's bigrams, ready to be compared with many kept bodies.

use super::bodies::is_marked;

/// Hash of two neighbouring tokens. One multiplication: it is computed for each bigram of each body that is looked at.
#[inline(always)]
pub(super) fn hash(first: u32, second: u32) -> u64 {
    let bigram = key(first, second);
    (bigram ^ bigram >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline(always)]
fn key(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// One of the distinct bigrams.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bigram {
    key: u64,
    /// See [`hash`].
    pub hash: u64,
    /// Its first place: it covers the tokens there and right after.
    pub first: u32,
    /// The last comparison that met it.
    met: u32,
}

/// A body's distinct bigrams and where they are.
#[derive(Default)]
pub(super) struct Pattern {
    bigrams: Vec<Bigram>,
    /// Which of the distinct bigrams begins at each token but the last.
    which: Vec<u32>,
    /// Lower halves of the bigrams' hashes, by place.
    hashes: Vec<u32>,
    /// The next place of the same bigram, or 0.
    next: Vec<u32>,
    /// Open addressing by the hash's upper bits: 1 + which of the distinct bigrams, or 0.
    table: Vec<u32>,
    shift: u32,
    /// Numbers the comparisons, from 1.
    comparison: u32,
}

impl Pattern {
    /// Makes this the pattern of a body of at least two tokens.
    pub fn set(&mut self, tokens: &[u32]) {
        let places = tokens.len() - 1;
        // At most an eighth is used, so that a foreign bigram nearly always meets an empty entry.
        let log = (places * 8).next_power_of_two().ilog2().max(8);
        self.table.clear();
        self.table.resize(1 << log, 0);
        self.shift = 64 - log;
        self.bigrams.clear();
        self.which.clear();
        self.which.resize(places, 0);
        self.hashes.clear();
        self.hashes.extend(tokens.windows(2).map(|pair| hash(pair[0], pair[1]) as u32));
        self.next.clear();
        self.next.resize(places, 0);
        self.comparison = 0;
        // From the end, so that each place can name the next.
        for (place, pair) in tokens.windows(2).enumerate().rev() {
            let (key, hash) = (key(pair[0], pair[1]), hash(pair[0], pair[1]));
            let entry = self.entry(key, hash);
            if self.table[entry] == 0 {
                self.bigrams.push(Bigram { key, hash, first: 0, met: 0 });
                self.table[entry] = self.bigrams.len() as u32;
            } else {
                self.next[place] = self.bigrams[self.table[entry] as usize - 1].first;
            }
            self.which[place] = self.table[entry] - 1;
            self.bigrams[self.table[entry] as usize - 1].first = place as u32;
        }
    }

    /// The distinct bigrams.
    pub fn bigrams(&self) -> &[Bigram] {
        &self.bigrams
    }

    /// The places of a bigram, rising.
    pub fn places(&self, bigram: &Bigram) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(bigram.first as usize), |place| {
            let next = self.next[*place] as usize;
            (next > 0).then_some(next)
        })
    }

    /// Where a bigram stands in the table, or the empty entry where it would.
    #[inline(always)]
    fn entry(&self, key: u64, hash: u64) -> usize {
        let mut entry = (hash >> self.shift) as usize;
        loop {
            match self.table[entry] {
                0 => return entry,
                which if self.bigrams[which as usize - 1].key == key => return entry,
                _ => entry = (entry + 1) & (self.table.len() - 1),
            }
        }
    }

    /// Whether a body with these marks may cover all but `spare` tokens of the pattern's body.
    #[inline]
    pub fn may_be_covered(&self, marks: &[u32], spare: usize) -> bool {
        let (mut bare, mut before) = (0, false);
        for hash in &self.hashes {
            let met = is_marked(marks, *hash);
            bare += usize::from(!(before | met));
            if bare > spare {
                return false;
            }
            before = met;
        }
        bare + usize::from(!before) <= spare
    }

    /// How many tokens of `kept` the pattern's body covers, and how many of the pattern's body `kept` covers.
    pub fn covers(&mut self, kept: &[u32]) -> (usize, usize) {
        self.comparison += 1;
        let (mut of_kept, mut before) = (0, false);
        for pair in kept.windows(2) {
            let entry = self.entry(key(pair[0], pair[1]), hash(pair[0], pair[1]));
            let which = self.table[entry] as usize;
            if which > 0 {
                self.bigrams[which - 1].met = self.comparison;
            }
            of_kept += usize::from(before | (which > 0));
            before = which > 0;
        }
        of_kept += usize::from(before);
        let (mut of_own, mut before) = (0, false);
        for which in &self.which {
            let met = self.bigrams[*which as usize].met == self.comparison;
            of_own += usize::from(before | met);
            before = met;
        }
        (of_kept, of_own + usize::from(before))
    }
}
