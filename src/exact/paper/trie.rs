//! The trie of Gao & Li 2014 to the letter, for the reproduction (`--exact paper-trie`, `quchong tune paper`).
//!
//! A text is hashed to a number v of 32 bits. The decimal digits of v² are a path from the root through ten-way nodes. A text is a repeat
//! if its whole path was there. The paper calls that 100 % accurate. It is not:
//!
//! - *Equal hashes.* Of n distinct texts, n − 2^32·(1 − e^(−n/2^32)) ≈ n²/2^33 are expected to find their hash in the trie already. Equal
//!   hashes have equal squares, so squaring does not help.
//! - *Prefixes.* "The whole path was there" is also true of 16 = 4² once 1600 = 40² is in. A tenth of all hashes have their
//!   tenfold below 2^32, a hundredth have their hundredfold, and so on. So another 1/9 of texts is lost, and squaring does harm.
//!   (Prefixes by chance, such as 16 of 169 = 13², occur only with small hashes: 7 texts among 10^7.)
//!
//! - *The sign.* The paper's hash is that of C#, which is signed. v and −v have the same square, so that there are half as many paths and
//!   twice as many losses. The figures below are for 2^32 values.
//!
//! Together that is 10/9 · n²/2^33 (`expected_losses`): 129 texts of 10^6, 808 of the paper's 2.5·10^6, 12 925 of 10^7.
//! `cargo bench --bench exact_table` confirms it. The [digest trie](crate::exact::trie) has 128 bits, no prefixes, and takes a
//! fraction of the memory.

use crate::error::{Error, Result};
use crate::hash::memory::{LEAST_GROWTH, make_room};

/// Digits of the largest square, (2^32 − 1)².
const MOST_DIGITS: usize = 20;
/// The slot of a node that has the value ending there. It comes after the slots of the ten digits.
const END: usize = 10;

/// A trie of ten-way nodes over the digits of squared 32-bit hashes. Nodes take 44 bytes, lie in one vector, and link by number.
///
/// ```
/// use quchong::exact::paper::trie::PaperTrie;
///
/// let mut trie = PaperTrie::new();
/// trie.insert(123_456, 1)?;
/// assert_eq!(trie.len(), 1);
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct PaperTrie {
    /// By digit: the number of the child. 0 means none, because node 0 is the root, which is no child. Then 1 + the number of the value.
    nodes: Vec<[u32; END + 1]>,
    values: Vec<u64>,
}

/// How far the digits of a hash lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Not to the end: the text is surely new.
    Broken,
    /// To the end, but only as the beginning of longer paths. To the paper this is a repeat, but no message can be named.
    Within,
    /// To the end of the text with this value, which has the same hash.
    To(u64),
}

/// The expected number of texts among `n` distinct ones that the trie takes for repeats, if the hash is uniform over `hashes` values (2^32;
/// for |v|, 2^31). It counts equal hashes, and 1/9 more for prefixes. Accurate to a hundredth up to 10^8.
pub(crate) fn expected_losses(n: u64, hashes: f64) -> f64 {
    (n as f64 + hashes * (-(n as f64) / hashes).exp_m1()) * 10.0 / 9.0
}

/// The probability that a trie of `held` hashes takes a new text for a repeat: that it holds the text's hash or, a ninth as often, a hash
/// whose path begins with the text's.
pub(crate) fn error(held: usize, hashes: f64) -> f64 {
    (held as f64 / hashes * 10.0 / 9.0).min(1.0)
}

/// Returns the decimal digits of the square, the most significant first.
fn digits(hash: u32) -> impl Iterator<Item = usize> {
    let mut rest = u64::from(hash).pow(2);
    let mut digits = [0; MOST_DIGITS];
    let mut from = MOST_DIGITS;
    loop {
        from -= 1;
        digits[from] = (rest % 10) as usize;
        rest /= 10;
        if rest == 0 {
            return digits.into_iter().skip(from);
        }
    }
}

impl Default for PaperTrie {
    fn default() -> Self {
        Self { nodes: vec![[0; END + 1]], values: Vec::new() }
    }
}

impl PaperTrie {
    /// An empty trie.
    pub fn new() -> Self {
        Self::default()
    }

    /// Follows the digits of the square of `hash`.
    pub fn get(&self, hash: u32) -> Path {
        let mut node = 0;
        for digit in digits(hash) {
            match self.nodes[node][digit] {
                0 => return Path::Broken,
                child => node = child as usize,
            }
        }
        match self.nodes[node][END] {
            0 => Path::Within,
            value => Path::To(self.values[value as usize - 1]),
        }
    }

    /// Makes the path of `hash` and sets the value at its end. The last value wins.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond 2^32 nodes: some 3·10^8 texts, in 200 GB.
    pub fn insert(&mut self, hash: u32, value: u64) -> Result<()> {
        if self.nodes.len() > u32::MAX as usize - MOST_DIGITS {
            return Err(Error::Limit("the trie of --exact paper-trie is full; use --exact trie"));
        }
        let mut node = 0;
        for digit in digits(hash) {
            if self.nodes[node][digit] == 0 {
                self.nodes[node][digit] = self.nodes.len() as u32;
                make_room(&mut self.nodes, LEAST_GROWTH);
                self.nodes.push([0; END + 1]);
            }
            node = self.nodes[node][digit] as usize;
        }
        match self.nodes[node][END] {
            0 => {
                make_room(&mut self.values, LEAST_GROWTH);
                self.values.push(value);
                self.nodes[node][END] = self.values.len() as u32;
            }
            held => self.values[held as usize - 1] = value,
        }
        Ok(())
    }

    /// How many distinct hashes the trie has.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Heap bytes, including unused capacity.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<[u32; END + 1]>() + self.values.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Digest;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashSet};

    fn hash(i: u64) -> u32 {
        Digest::of(&i.to_le_bytes(), 5).0 as u32
    }

    #[test]
    fn of_the_paper_s_texts_808_are_lost() {
        assert!((expected_losses(2_500_000, 2f64.powi(32)) - 808.0).abs() < 1.0);
        // One by one, as the stage counts them.
        let one_by_one: f64 = (0..2_500_000).map(|held| error(held, 2f64.powi(32))).sum();
        assert!((one_by_one - 808.0).abs() < 1.0, "{one_by_one}");
    }

    proptest! {
        /// The model: squares as strings, and whether any of them begins with the square that is asked for.
        #[test]
        fn it_holds_the_paths_of_the_squares(
            steps in prop::collection::vec((prop_oneof![0u32..60, any::<u32>()], any::<u64>(), prop_oneof![0u32..60, any::<u32>()]), 0..200),
        ) {
            let (mut trie, mut map) = (PaperTrie::new(), BTreeMap::new());
            let square = |hash: u32| (u64::from(hash) * u64::from(hash)).to_string();
            for (hash, value, asked) in steps {
                trie.insert(hash, value).unwrap();
                map.insert(square(hash), value);
                for asked in [hash, asked, hash / 10, asked / 10] {
                    let path = square(asked);
                    let expected = match map.get(&path) {
                        Some(value) => Path::To(*value),
                        None if map.keys().any(|held| held.starts_with(&path)) => Path::Within,
                        None => Path::Broken,
                    };
                    prop_assert_eq!(trie.get(asked), expected);
                }
                prop_assert_eq!(trie.len(), map.len());
            }
        }
    }

    #[test]
    fn a_prefix_is_a_repeat_to_the_paper() {
        let mut trie = PaperTrie::new();
        trie.insert(13, 7).unwrap();
        assert_eq!([13, 4, 1, 2].map(|hash| trie.get(hash)), [Path::To(7), Path::Within, Path::Within, Path::Broken]);
    }

    /// The count is within 4 standard deviations of a Poisson count. A trie of 3·10^6 texts takes 1.8 GB, so the texts are counted in a
    /// set. The longer squares that begin with a hash's own are those of its tenfold, its hundredfold, and so on.
    #[test]
    fn it_loses_as_many_texts_as_theory_says() {
        let (mut trie, mut hashes) = (PaperTrie::new(), HashSet::new());
        let mut lost = 0;
        for i in 0..3_000_000 {
            let hash = hash(i);
            let tenfold = |hash: &u32| hash.checked_mul(10).filter(|next| *next > 0);
            let held = std::iter::successors(Some(hash), tenfold).any(|multiple| hashes.contains(&multiple));
            if i < 100_000 {
                assert_eq!(trie.get(hash) != Path::Broken, held);
                trie.insert(hash, i).unwrap();
            }
            lost += u32::from(held);
            hashes.insert(hash);
        }
        let expected = expected_losses(3_000_000, 2f64.powi(32));
        assert!((f64::from(lost) - expected).abs() < 4.0 * expected.sqrt(), "{lost}, not {expected}");
    }
}
