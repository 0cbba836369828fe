//! A Bloom filter that reads two cache lines for a text (Putze, Sanders & Singler 2007, *Cache-, hash- and space-efficient
//! Bloom filters*: multi-blocking).
//!
//! In the standard filter, the k bits of a text lie anywhere: some twenty cache misses for an error of 10^-6. Here half of them lie in
//! one block of 512 bits, and the other half in another. Blocks get unequal numbers of texts, and fuller blocks err more. So the filter
//! needs more bits for the same error, especially if the error is small. With all bits of a text in one block, it would need several times
//! as many extra bits.
//!
//! In a block, each bit of a text is in another word, as long as there are words, so that no access waits for the one before.
//!
//! For n texts in m bits, a block holds i halves with Poisson's probability P(i) for a mean of 2·512·n/m. Then each of its bits is set with
//! probability f(i) = 1 − (1 − k/2/512)^i, if k/2 is at most 8. The error is (Σ P(i)·f(i)^(k/2))².

use crate::fingerprint::Digest;
use crate::hash::memory::zeros;
use crate::hash::mix::{GOLDEN, finish};
use crate::prefetch::prefetch;

/// Bits of a block: a cache line of most processors.
const BLOCK: usize = 512;
const WORDS: usize = BLOCK / 64;
/// Blocks of a stretch.
const STRETCH: usize = 1024;

/// A filter of two blocks for each text.
pub(super) struct Blocked {
    words: Vec<u64>,
    /// How many words come before the first cache line.
    skip: usize,
    blocks: u64,
    /// Whether bits were set in each stretch of blocks. A stretch that was never written to is not read either, and takes no memory.
    touched: Vec<bool>,
    /// Bits that a text has in each of its two blocks.
    bits_each: u32,
    /// They make the positions differ from filter to filter.
    keys: [u64; 2],
}

impl Blocked {
    /// Makes an empty filter of at least 1 block. `None` if the blocks do not fit this machine. Pages are allocated as the filter fills.
    pub(crate) fn new(size: Size, keys: [u64; 2]) -> Option<Self> {
        let blocks = usize::try_from(size.blocks.max(1)).ok()?;
        let words = zeros(blocks.checked_add(1)?.checked_mul(WORDS)?)?;
        // The vector never grows, so its data never moves.
        let skip = words.as_ptr().align_offset(BLOCK / 8).min(WORDS);
        let touched = vec![false; blocks.div_ceil(STRETCH)];
        Some(Self { words, skip, blocks: size.blocks.max(1), touched, bits_each: size.bits_each.max(1), keys })
    }

    /// Sets the bits of a digest, and returns whether all were set before.
    #[inline]
    pub(crate) fn check_and_set(&mut self, digest: Digest) -> bool {
        let halves = self.halves(digest);
        let held = self.hold(&halves);
        if !held {
            self.set_halves(halves);
        }
        held
    }

    /// Sets the bits of a digest.
    #[inline]
    pub(crate) fn set(&mut self, digest: Digest) {
        self.set_halves(self.halves(digest));
    }

    #[inline]
    fn set_halves(&mut self, halves: [(usize, [u64; WORDS]); 2]) {
        for (start, bits) in halves {
            self.touch(start);
            let block = &mut self.words[start..start + WORDS];
            block.iter_mut().zip(bits).for_each(|(word, bits)| *word |= bits);
        }
    }

    /// Writes to the stretch of a block, so that its memory is allocated. A page that is read before it is written to is allocated twice.
    #[inline]
    fn touch(&mut self, start: usize) {
        let stretch = self.stretch(start);
        if !self.touched[stretch] {
            self.touched[stretch] = true;
            let from = self.skip + stretch * WORDS * STRETCH;
            let end = self.words.len().min(from + WORDS * STRETCH);
            self.words[from..end].fill(0);
        }
    }

    /// Returns the stretch of a block.
    #[inline]
    fn stretch(&self, start: usize) -> usize {
        (start - self.skip) / (WORDS * STRETCH)
    }

    /// Whether all bits of a digest are set.
    #[inline]
    pub(crate) fn check(&self, digest: Digest) -> bool {
        self.hold(&self.halves(digest))
    }

    #[inline]
    fn hold(&self, halves: &[(usize, [u64; WORDS]); 2]) -> bool {
        let unset = |(start, bits): &(usize, [u64; WORDS])| {
            let block = &self.words[*start..start + WORDS];
            bits.iter().zip(block).fold(0, |unset, (bits, word)| unset | bits & !word)
        };
        halves.iter().all(|(start, _)| self.touched[self.stretch(*start)]) && unset(&halves[0]) | unset(&halves[1]) == 0
    }

    /// Prefetches a digest's two blocks.
    #[inline]
    pub(crate) fn prefetch(&self, digest: Digest) {
        for hash in self.hashes_of(digest) {
            prefetch(&self.words[self.start(hash)]);
        }
    }

    /// Returns where a digest's two blocks begin, and its bits in each.
    #[inline]
    fn halves(&self, digest: Digest) -> [(usize, [u64; WORDS]); 2] {
        let [a, b] = self.hashes_of(digest);
        [(self.start(a), bits(mix(b), self.bits_each)), (self.start(b), bits(mix(a), self.bits_each))]
    }

    #[inline]
    fn hashes_of(&self, Digest(digest): Digest) -> [u64; 2] {
        [digest as u64 ^ self.keys[0], (digest >> 64) as u64 ^ self.keys[1]].map(mix)
    }

    /// Returns where the block of a hash begins.
    #[inline]
    fn start(&self, hash: u64) -> usize {
        self.skip + ((u128::from(hash) * u128::from(self.blocks)) >> 64) as usize * WORDS
    }

    /// How many bits the filter has.
    pub(crate) fn len(&self) -> u64 {
        self.blocks * BLOCK as u64
    }

    /// How many hash functions there are, for both blocks together.
    pub(crate) fn hashes(&self) -> u32 {
        2 * self.bits_each
    }

    /// Returns the share of bits that are set, and the false-positive rate that follows from the fill of each block, judged by `most`
    /// blocks at most.
    pub(crate) fn fill_and_error(&self, most: usize) -> (f64, f64) {
        let (blocks, _) = self.words[self.skip..].as_chunks::<WORDS>();
        let blocks = &blocks[..most.min(self.blocks as usize)];
        let mut filled = [0u64; BLOCK + 1];
        for (stretch, touched) in blocks.chunks(STRETCH).zip(&self.touched) {
            if *touched {
                for block in stretch {
                    filled[block.iter().map(|word| word.count_ones() as usize).sum::<usize>()] += 1;
                }
            } else {
                filled[0] += stretch.len() as u64;
            }
        }
        let mean = |of: &dyn Fn(f64) -> f64| {
            let sum =
                (0..).zip(filled).map(|(set, blocks)| blocks as f64 * of(f64::from(set) / BLOCK as f64)).sum::<f64>();
            sum / blocks.len() as f64
        };
        (mean(&|fill| fill), mean(&|fill| fill.powi(self.bits_each as i32)).powi(2))
    }
}

/// Returns `count` bits of a block, each in another word as long as there are words.
#[inline]
fn bits(mut hash: u64, mut count: u32) -> [u64; WORDS] {
    let mut bits = [0; WORDS];
    loop {
        let first = (hash >> 61) as usize;
        for (i, bits) in bits.iter_mut().enumerate() {
            let is_one = (first + i) % WORDS < count as usize;
            *bits |= u64::from(is_one) << (hash >> (i * 6) & 63);
        }
        if count as usize <= WORDS {
            return bits;
        }
        count -= WORDS as u32;
        hash = mix(hash);
    }
}

/// Returns the next hash of a sequence.
#[inline]
fn mix(hash: u64) -> u64 {
    finish(hash.wrapping_add(GOLDEN))
}

/// How large a filter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Blocks of 512 bits.
    pub(crate) blocks: u64,
    /// Bits of a text in each of its two blocks.
    pub(crate) bits_each: u32,
}

impl Size {
    /// Returns the size of the smallest filter whose false-positive rate with this many texts is at most `error`, in (0, 1).
    pub(crate) fn of(texts: u64, error: f64) -> Self {
        // Full blocks make the best number of functions smaller than the standard filter's −log2(error), and fewer are faster: 16 in place
        // of 20 at 10^-6. One more or less costs 1 % of the bits.
        let bits_each = (-error.log2() * 0.8 / 2.0).ceil().clamp(1.0, 32.0) as u32;
        let texts = texts.max(1);
        let enough = |blocks: u64| predicted(texts as f64 / blocks as f64, bits_each) <= error;
        // No Bloom filter needs fewer bits than the standard one.
        let standard = -error.log2() / std::f64::consts::LN_2 * texts as f64 / BLOCK as f64;
        let (mut few, mut many) = (standard as u64, standard as u64 + 1);
        while !enough(many) {
            (few, many) = (many, many.saturating_add(many.div_ceil(16)));
            if many == u64::MAX {
                break;
            }
        }
        while many - few > 1 {
            let middle = few + (many - few) / 2;
            if enough(middle) { many = middle } else { few = middle }
        }
        Self { blocks: many, bits_each }
    }
}

/// The false-positive rate with this many texts for each block.
fn predicted(texts: f64, bits_each: u32) -> f64 {
    let mean = 2.0 * texts;
    let spread = 12.0 * mean.sqrt() + 20.0;
    let (first, last) = ((mean - spread).max(0.0) as i32, (mean + spread) as i32);
    // With this many texts for each block, all its bits are set.
    if last > 1 << 16 {
        return 1.0;
    }
    let unset = match bits_each as usize {
        few @ ..=WORDS => 1.0 - few as f64 / BLOCK as f64,
        many => (1.0 - 1.0 / 64.0f64).powf(many as f64 / WORDS as f64),
    };
    // P(first) is computed by its logarithm. The others follow from it.
    let mut chance = (f64::from(first) * mean.ln() - mean - (1..=first).map(|i| f64::from(i).ln()).sum::<f64>()).exp();
    let mut error = 0.0;
    for halves in first..=last {
        error += chance * (1.0 - unset.powi(halves)).powi(bits_each as i32);
        chance *= mean / f64::from(halves + 1);
    }
    error.powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_literatures_and_a_little_more() {
        for (error, bits) in [(0.1, 4.85), (1e-2, 9.7), (1e-4, 19.9), (1e-6, 31.5), (1e-8, 44.3)] {
            let size = Size::of(1_000_000, error);
            let each = size.blocks as f64 * BLOCK as f64 / 1e6;
            assert!((each / bits - 1.0).abs() < 0.01, "{error}: {each} bits");
            // One block less is not enough.
            assert!(predicted(1e6 / (size.blocks - 1) as f64, size.bits_each) > error);
        }
        assert_eq!(Size::of(0, 0.5).blocks, 1);
        assert!(Size::of(1 << 40, 1e-12).blocks > 1 << 35);
    }

    #[test]
    fn a_block_is_a_cache_line_and_its_bits_are_spread() {
        let mut filter = Blocked::new(Size { blocks: 3, bits_each: 5 }, [1, 2]).unwrap();
        assert_eq!(filter.words[filter.skip..].as_ptr().align_offset(64), 0);
        let mut counts = vec![0usize; 3 * BLOCK];
        for i in 0..100_000u64 {
            let digest = Digest::of(&i.to_le_bytes(), 7);
            for (start, bits) in filter.halves(digest) {
                assert_eq!(bits.iter().map(|word| word.count_ones()).sum::<u32>(), 5);
                for bit in (0..BLOCK).filter(|bit| bits[bit / 64] >> (bit % 64) & 1 == 1) {
                    counts[(start - filter.skip) * 64 + bit] += 1;
                }
            }
            filter.check_and_set(digest);
            assert!(filter.check(digest));
        }
        let mean = 100_000 * 10 / counts.len();
        assert!(counts.iter().all(|count| count.abs_diff(mean) < mean / 5), "{counts:?}");
        assert_eq!(filter.fill_and_error(usize::MAX), (1.0, 1.0));
    }

    #[test]
    fn what_nobody_wrote_to_counts_as_empty() {
        let size = Size { blocks: 3 * STRETCH as u64 + 5, bits_each: 5 };
        let mut filter = Blocked::new(size, [1, 2]).unwrap();
        assert_eq!((filter.fill_and_error(usize::MAX), filter.touched.len()), ((0.0, 0.0), 4));
        for texts in 0..40u64 {
            let set = filter.words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            let (fill, _) = filter.fill_and_error(usize::MAX);
            assert!(
                (fill * filter.len() as f64 - set as f64).abs() < 1e-6 && (set > 0) == (texts > 0),
                "{texts}: {fill}"
            );
            filter.check_and_set(Digest::of(&texts.to_le_bytes(), 7));
        }
        assert!(Blocked::new(Size { blocks: 1 << 52, bits_each: 5 }, [1, 2]).is_none());
    }
}
