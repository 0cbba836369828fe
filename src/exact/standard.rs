//! A Bloom filter of a stated number of bits, which may lie anywhere. The only file that knows the crate `bloomfilter`.

use bloomfilter::Bloom;

use crate::error::{Error, Result};
use crate::fingerprint::Digest;

/// Most hash functions of a filter that is larger than its capacity needs. More make it slower, and its error is next to nothing anyway.
const MOST_FUNCTIONS: u32 = 64;

/// How many hash functions a filter has.
pub(super) enum Functions {
    /// This many.
    Stated(u32),
    /// The best number for this many texts.
    For(u64),
}

/// The Bloom filter of the literature.
pub(super) struct Standard(Bloom<u128>);

impl Standard {
    /// Makes an empty filter. `None` if there is no memory for it.
    ///
    /// # Errors
    /// [`Error::Config`] for settings that the crate refuses.
    pub(super) fn new(bits: u64, functions: Functions, keys: [u64; 4]) -> Result<Option<Self>> {
        let bytes = bits.div_ceil(8);
        // The crate takes the number of items, and derives the best number of hash functions from it. So to get a certain number of hash
        // functions, this passes the number of items for which it is the best. In a filter of a few hundred bits no whole number of items
        // is the best for some numbers of functions. Then the filter has another number, which its health tells.
        let items_of = |k: u32| (bytes * 8) as f64 * std::f64::consts::LN_2 / f64::from(k);
        let items = match functions {
            Functions::For(texts) => (texts as f64).max(items_of(MOST_FUNCTIONS).ceil()),
            Functions::Stated(k) => items_of(k).round(),
        };
        // The crate would abort if there is no memory. Trying the allocation first makes this an error instead.
        let Some(size) = usize::try_from(bytes).ok().filter(|size| Vec::<u8>::new().try_reserve_exact(*size).is_ok())
        else {
            return Ok(None);
        };
        // The two SipHash functions need different keys. With equal keys the k functions of a text would be multiples of one number, and
        // the error would be many times as large.
        let mut sip_keys = [0; 32];
        for (part, key) in sip_keys.as_chunks_mut().0.iter_mut().zip(keys) {
            *part = key.to_le_bytes();
        }
        Bloom::new_with_seed(size, (items as usize).max(1), &sip_keys)
            .map(|bloom| Some(Self(bloom)))
            .map_err(|reason| Error::config("--bloom-bits", reason))
    }

    pub(super) fn check_and_set(&mut self, digest: Digest) -> bool {
        self.0.check_and_set(&digest.0)
    }

    pub(super) fn check(&self, digest: Digest) -> bool {
        self.0.check(&digest.0)
    }

    /// How many bits the filter has.
    pub(super) fn len(&self) -> u64 {
        self.0.len()
    }

    pub(super) fn hashes(&self) -> u32 {
        self.0.number_of_hash_functions()
    }

    /// Returns the share of bits that are set and the false-positive rate that follows, judged by `most` bytes at most.
    pub(super) fn fill_and_error(&self, most: usize) -> (f64, f64) {
        let fill = self.fill(most);
        (fill, fill.powi(self.hashes() as i32))
    }

    fn fill(&self, most: usize) -> f64 {
        // The crate's slice begins with a header of a few bytes. Its end is the bitmap.
        let bitmap = self.0.as_slice();
        let bitmap = &bitmap[bitmap.len() - (self.len() / 8) as usize..];
        let bitmap = &bitmap[..bitmap.len().min(most)];
        let (words, rest) = bitmap.as_chunks::<8>();
        let set = words.iter().map(|word| u64::from(u64::from_le_bytes(*word).count_ones())).sum::<u64>()
            + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
        set as f64 / (bitmap.len() * 8) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_functions_is_the_stated_one() {
        let made = |bits, functions| Standard::new(bits, functions, [1, 2, 3, 4]).unwrap().unwrap().hashes();
        for (bits, k) in [(80, 2), (2_000, 13), (100_000, 64), (20_000_000, 7)] {
            assert_eq!(made(bits, Functions::Stated(k)), k, "{bits}");
        }
        // A filter far too large for its texts once had 69 315 functions.
        assert_eq!(made(100_000_000, Functions::For(1_000)), MOST_FUNCTIONS);
        assert_eq!(made(9_592_960, Functions::For(1_000_000)), 7);
    }
}
