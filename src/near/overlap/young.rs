//! The bodies that were kept last, by their bigrams: a table of bits that is read without a list. Most of what a query asks of them is
//! that none is like it, and that takes some instructions a token, however many they are.

/// Most bodies.
const MOST: usize = 1 << 12;
/// Bodies of a table.
const ROOM: usize = 64 * WORDS;
const WORDS: usize = 2;
/// Places of bigrams in a table, a power of two: few enough that they stay in the nearest cache.
const PLACES: usize = 1024;

/// One bit for each body of a table.
type Bits = [u64; WORDS];
const NONE: Bits = [0; WORDS];

/// Which of the youngest bodies have a bigram, by its hash.
pub(super) struct Young {
    /// The first body's number.
    first: u64,
    len: usize,
    /// Table behind table.
    tables: Vec<Bits>,
}

impl Default for Young {
    fn default() -> Self {
        Self { first: u64::MAX, len: 0, tables: Vec::new() }
    }
}

impl Young {
    /// Begins anew, with what is entered from this number on.
    pub(crate) fn begin(&mut self, first: u64) {
        (self.first, self.len) = (first, 0);
        self.tables.clear();
    }

    /// Adds the next body, of the bigrams with these [hashes](crate::near::bitmap::hashes), if any were [begun](Self::begin) with.
    pub(crate) fn push(&mut self, hashes: &[u32]) {
        if self.first == u64::MAX || self.len == MOST {
            self.first = u64::MAX;
            return;
        }
        if self.len.is_multiple_of(ROOM) {
            self.tables.resize(self.tables.len() + PLACES, NONE);
        }
        let (table, word, bit) = (self.len / ROOM * PLACES, self.len % ROOM / 64, 1 << (self.len % 64));
        hashes.iter().for_each(|hash| self.tables[table + place(*hash)][word] |= bit);
        self.len += 1;
    }

    /// Whether all bodies from this number on are told, and no others.
    pub(crate) fn tells(&self, from: u64) -> bool {
        from == self.first
    }

    /// The bodies that may cover at least so many tokens of one with these hashes, and sometimes more, by rising places.
    pub(crate) fn covering(&self, hashes: &[u32], least: usize) -> impl Iterator<Item = u32> {
        self.tables.chunks(PLACES).zip(0..).flat_map(move |(table, number)| {
            reached(table, hashes, least.max(1)).into_iter().zip(0..).flat_map(move |(mut left, word)| {
                std::iter::from_fn(move || {
                    let bit = left.trailing_zeros();
                    left &= left.wrapping_sub(1);
                    (bit < 64).then_some(number * ROOM as u32 + word * 64 + bit)
                })
            })
        })
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.tables.capacity() * size_of::<Bits>()
    }
}

/// Who of a table may cover so many tokens.
fn reached(table: &[Bits], hashes: &[u32], least: usize) -> Bits {
    // Each body counts from so far below a power of two that it overflows at the least. A plane has one bit of all counts.
    let planes = (usize::BITS - (least - 1).leading_zeros()) as usize;
    let start = (1_usize << planes) - least;
    let mut counts = [NONE; usize::BITS as usize];
    for (at, plane) in counts[..planes].iter_mut().enumerate() {
        *plane = [if start >> at & 1 == 1 { u64::MAX } else { 0 }; WORDS];
    }
    let (mut reached, mut last) = (NONE, NONE);
    for hash in hashes.iter().map(Some).chain([None]) {
        let here = hash.map_or(NONE, |hash| table[place(*hash)]);
        // A token is covered with the bigram that ends with it, or that begins with it.
        let mut carry: Bits = std::array::from_fn(|word| here[word] | last[word]);
        last = here;
        for plane in &mut counts[..planes] {
            if carry == NONE {
                break;
            }
            for (plane, carry) in plane.iter_mut().zip(&mut carry) {
                (*plane, *carry) = (*plane ^ *carry, *plane & *carry);
            }
        }
        reached.iter_mut().zip(carry).for_each(|(reached, carry)| *reached |= carry);
    }
    reached
}

/// Where a bigram is in the table.
fn place(hash: u32) -> usize {
    hash as usize & (PLACES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::bitmap::hashes;
    use crate::near::coverage::Coverage;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whoever_covers_enough_is_found(
            kept in prop::collection::vec(prop::collection::vec(0_u32..40, 2..40), 1..300),
            body in prop::collection::vec(0_u32..40, 2..40),
            least in 0_usize..50,
        ) {
            let (mut young, mut own, mut coverage) = (Young::default(), Vec::new(), Coverage::default());
            young.begin(7);
            for kept in &kept {
                hashes(kept, &mut own);
                young.push(&own);
            }
            prop_assert!(young.tells(7) && !young.tells(8));
            hashes(&body, &mut own);
            let found: Vec<u32> = young.covering(&own, least).collect();
            prop_assert!(found.is_sorted());
            coverage.read(&body);
            for (at, kept) in (0..).zip(&kept) {
                let covered = coverage.cover(kept).1;
                prop_assert!(covered < least.max(1) || found.contains(&at));
            }
            prop_assert!(least <= body.len() || found.is_empty());
        }
    }
}
