//! MinHash-LSH: finds kept messages by the bands of their signatures (Indyk & Motwani 1998; Broder 1997).
//!
//! # What it keeps
//! It keeps only signatures, no texts: the slots of each kept message, a link in each band, and buckets.
//!
//! # How it finds
//! The slots of a signature are cut into [bands](super::banding), say 32 bands of 4. Messages that have a band in common are in one bucket.
//! A bucket is a chain through the rows of its messages, the latest first. A query follows the chains of its bands and takes the earliest
//! row that is near. Two messages are near only if they have a band in common, so the answer equals that of a linear scan.
//!
//! # Defaults
//! Among the settings that need no dictionary, `char:2` at a similarity of 0.5, with P = 128, has the best F1 on the labelled pairs of
//! posts and of mixed sources. Words alone (`word:1`) are as good or a little better, and slower. `benches/RESULTS.md`, *Notes from the
//! modules*, has the figures of other shingles and similarities, and those of time and memory.
//!
//! # Known weakness
//! The time of a message grows with the number of kept messages that share a band with it and are not near. In natural texts these are few.
//! In the worst case, all n kept messages have one band in common, because they contain the same phrase and its hashes come first. Then
//! a query costs n comparisons. Nothing is left out to save time.

use super::banding::Banding;
use super::segments::Counted;
use crate::fingerprint::minhash::similarity;
use crate::hash::mix::fold;

/// Rows that are allocated together. Rows never move, and the memory follows their number.
const CHUNK: usize = 1 << 10;
/// Buckets that are looked up together, so that their cache misses overlap.
const BATCH: usize = 32;

/// The search structure for "the earliest that is near". Messages have numbers from 0, in the order of insertion.
///
/// ```
/// use quchong::fingerprint::minhash::Orders;
/// use quchong::near::banding::Banding;
/// use quchong::near::minhash::SignatureTables;
/// use quchong::text::shingle::word;
///
/// let mut tables = SignatureTables::new(Banding::choose(128, 500), 128, 1_000_000);
/// let orders = Orders::new(128);
/// let signature = |words: &[&str]| orders.sign(&words.iter().map(|text| word(text)).collect::<Vec<_>>()).unwrap();
/// tables.insert(&signature(&["武汉", "樱花", "开了"]));
/// assert_eq!(tables.earliest(&signature(&["开了", "樱花", "武汉"])), Some((0, 1000)));
/// assert_eq!(tables.earliest(&signature(&["八点", "开会"])), None);
/// ```
pub struct SignatureTables {
    banding: Banding,
    /// Slots of a signature.
    slots: usize,
    /// Buckets of each band, a power of two.
    buckets: usize,
    /// By band, then by bucket: 1 + the number of the latest message there. 0 means none.
    heads: Vec<u32>,
    /// A row for each message: for each band the next message in its chain, coded as in `heads`; then the signature.
    rows: Vec<Box<[u32]>>,
    len: usize,
}

impl SignatureTables {
    /// Makes empty tables for signatures of `permutations` slots, shaped for about `expected` messages. With more messages the answers are
    /// still exact, only slower.
    pub fn new(banding: Banding, permutations: usize, expected: usize) -> Self {
        let buckets = expected.next_power_of_two();
        let heads = vec![0; banding.bands * buckets];
        Self { banding, slots: permutations, buckets, heads, rows: Vec::new(), len: 0 }
    }

    /// Stores a signature under the next number.
    ///
    /// # Panics
    /// If the signature does not have the length given to [`new`](Self::new).
    pub fn insert(&mut self, signature: &[u32]) {
        let width = self.banding.bands + self.slots;
        if self.len.is_multiple_of(CHUNK) {
            self.rows.push(vec![0; CHUNK * width].into_boxed_slice());
        }
        let Some(chunk) = self.rows.last_mut() else { return };
        let (links, slots) = chunk[self.len % CHUNK * width..][..width].split_at_mut(self.banding.bands);
        slots.copy_from_slice(signature);
        self.len += 1;
        for (band, link) in links.iter_mut().enumerate() {
            let head = &mut self.heads[bucket(&self.banding, signature, band, self.buckets)];
            *link = std::mem::replace(head, self.len as u32);
        }
    }

    /// Returns the smallest number whose signature is near, and the similarity in thousandths.
    ///
    /// # Panics
    /// If the signature is shorter than the length given to [`new`](Self::new).
    pub fn earliest(&self, signature: &[u32]) -> Option<(u32, u32)> {
        self.earliest_of(signature, Counted::ALL)
    }

    /// The same among the messages that count.
    pub(super) fn earliest_of(&self, signature: &[u32], counted: Counted<'_>) -> Option<(u32, u32)> {
        let mut best: Option<(u32, u32)> = None;
        for first in (0..self.banding.bands).step_by(BATCH) {
            let bands = first..(first + BATCH).min(self.banding.bands);
            let mut heads = [0; BATCH];
            for (head, band) in heads.iter_mut().zip(bands.clone()) {
                *head = self.heads[bucket(&self.banding, signature, band, self.buckets)];
            }
            for (head, band) in heads.into_iter().zip(bands) {
                let own = self.banding.band(signature, band);
                let mut link = head;
                // A chain begins with the latest message.
                while let Some(number) = link.checked_sub(1).filter(|number| *number >= counted.first) {
                    let (links, slots) = self.row(number);
                    link = links[band];
                    let is_earlier = best.is_none_or(|(best, _)| number < best);
                    if is_earlier && self.banding.band(slots, band) == own && counted.has(number) {
                        let similarity = similarity(slots, signature);
                        if similarity >= self.banding.similarity {
                            best = Some((number, similarity));
                        }
                    }
                }
            }
        }
        best
    }

    /// Returns the links and the signature of a message.
    fn row(&self, number: u32) -> (&[u32], &[u32]) {
        let (number, width) = (number as usize, self.banding.bands + self.slots);
        self.rows[number / CHUNK][number % CHUNK * width..][..width].split_at(self.banding.bands)
    }

    /// Heap bytes in use, including zeroed pages that were never touched.
    pub fn bytes(&self) -> usize {
        let rows: usize = self.rows.iter().map(|chunk| size_of_val(&**chunk)).sum();
        rows + self.heads.capacity() * size_of::<u32>()
    }
}

/// Returns the index in `heads` of the bucket of a band.
fn bucket(banding: &Banding, signature: &[u32], band: usize, buckets: usize) -> usize {
    let slots = banding.band(signature, band).iter();
    let hash = slots.fold(0, |hash, slot| fold(hash, u64::from(*slot)));
    band * buckets + ((hash >> 32) as usize & (buckets - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The oracle: a linear scan.
    fn scan(stored: &[Vec<u32>], query: &[u32], banding: &Banding) -> Option<(u32, u32)> {
        stored.iter().zip(0..).find_map(|(signature, number)| Some((number, banding.near(signature, query)?)))
    }

    proptest! {
        /// The slots have few values, so that bands are often equal in part, and unequal bands often share a bucket.
        #[test]
        fn equals_the_linear_scan(
            (bands, rows) in prop::sample::select(vec![(1, 1), (1, 12), (3, 4), (4, 3), (12, 1), (5, 2), (40, 1), (33, 2)]),
            similarity in prop::sample::select(vec![1u32, 250, 333, 334, 500, 750, 1000]),
            expected in prop::sample::select(vec![1usize, 16, 1000]),
            values in 1u32..6,
            signatures in prop::collection::vec(prop::collection::vec(any::<u32>(), 70), 1..60),
        ) {
            let banding = Banding { bands, rows, similarity };
            let slots = bands * rows + 2;
            let (mut tables, mut stored) = (SignatureTables::new(banding, slots, expected), Vec::new());
            for signature in signatures {
                let signature: Vec<u32> = signature[..slots].iter().map(|slot| slot % values).collect();
                prop_assert_eq!(tables.earliest(&signature), scan(&stored, &signature, &banding));
                tables.insert(&signature);
                stored.push(signature);
            }
        }
    }

    /// Thousands of messages in one bucket of one band, over several chunks of rows, and one of them near.
    #[test]
    fn a_hot_bucket_loses_nothing() {
        let banding = Banding { bands: 4, rows: 2, similarity: 500 };
        let mut tables = SignatureTables::new(banding, 8, 100);
        let signature = |i: u32| [7, 7, i * 6 + 10, i * 6 + 11, i * 6 + 12, i * 6 + 13, i * 6 + 14, i * 6 + 15];
        (0..3000).for_each(|i| tables.insert(&signature(i)));
        for i in [0, 1, 1023, 1024, 2999] {
            let mut query = signature(i);
            query[7] = 1;
            assert_eq!(tables.earliest(&query), Some((i, 875)));
        }
        assert_eq!(tables.earliest(&signature(3000)), None);
    }
}
