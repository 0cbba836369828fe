//! Compresses a long text under a key, so that a slower hash reads only a small part of its length.
//!
//! This is NH (Black, Halevi, Krawczyk, Krovetz & Rogaway, *UMAC: fast and secure message authentication*, 1999) over words
//! of 64 bits. It runs twice, the second time with the key shifted by two words. Without the key, two different pieces of
//! equal length give the same result only by chance, with probability 2^-128 for each pair. NH is fast because its products
//! do not depend on each other. SipHash must finish each eight bytes before it reads the next.

/// Bytes that are compressed into one result.
pub(super) const PIECE: usize = 1 << 10;

/// Words of the key: one for each word of a piece, and two for the shift.
const WORDS: usize = PIECE / 8 + 2;

/// The key.
pub(super) struct Shortener([u64; WORDS]);

impl Shortener {
    /// Makes a shortener. Its key consists of the words that `word` returns for 0, 1, 2 and so on.
    pub(super) fn new(word: impl FnMut(u64) -> u64) -> Self {
        let mut words = std::array::from_fn(|i| i as u64);
        words.iter_mut().zip((0..).map(word)).for_each(|(to, word)| *to = word);
        Self(words)
    }

    /// Compresses a piece to 32 bytes. The caller must hash the length separately, because zeros at the end of a piece change
    /// nothing.
    #[inline]
    pub(super) fn shorten(&self, piece: &[u8]) -> [u8; 32] {
        let mut sums = [0u128; 2];
        let mut add = |bytes: u128, key: &[u64]| {
            let (a, b) = (bytes as u64, (bytes >> 64) as u64);
            let product = |x: u64, y: u64| u128::from(a.wrapping_add(x)) * u128::from(b.wrapping_add(y));
            if let [x, y, p, q, ..] = *key {
                sums = [sums[0].wrapping_add(product(x, y)), sums[1].wrapping_add(product(p, q))];
            }
        };
        let (pairs, rest) = piece.as_chunks::<16>();
        let keys = || self.0.windows(4).step_by(2);
        pairs.iter().zip(keys()).for_each(|(pair, key)| add(u128::from_le_bytes(*pair), key));
        if let Some(key) = keys().nth(pairs.len()).filter(|_| !rest.is_empty()) {
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            add(u128::from_le_bytes(last), key);
        }
        let mut short = [0; 32];
        short[..16].copy_from_slice(&sums[0].to_le_bytes());
        short[16..].copy_from_slice(&sums[1].to_le_bytes());
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::GOLDEN;

    #[test]
    fn it_is_the_sum_of_products_that_the_paper_says() {
        let words: Vec<u64> = (0..WORDS as u64).map(|i| i.wrapping_mul(GOLDEN) ^ i << 60).collect();
        let shortener = Shortener::new(|i| words[i as usize]);
        let piece: Vec<u8> = (0..PIECE).map(|i| (i * i + i / 7) as u8).collect();
        for length in (0..70).chain([511, 1000, PIECE - 1, PIECE]) {
            let mut padded = piece[..length].to_vec();
            padded.resize(length.next_multiple_of(16), 0);
            let read: Vec<u64> = padded.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            let sum = |moved: usize| {
                (0..read.len()).step_by(2).fold(0u128, |sum, i| {
                    let [a, b] = [i, i + 1].map(|i| u128::from(read[i].wrapping_add(words[i + moved])));
                    sum.wrapping_add(a.wrapping_mul(b))
                })
            };
            let expected = [sum(0), sum(2)].map(u128::to_le_bytes);
            assert_eq!(shortener.shorten(&piece[..length])[..], *expected.as_flattened(), "{length} bytes");
        }
    }
}
