//! The Bloom filter (Gao & Li 2014, stage 1a).
//!
//! For n stored texts, k hash functions and m bits, the false-positive rate of the standard filter is (1 − e^(−kn/m))^k. The same estimate
//! for the filter in its current state is fill^k, from the share of bits that are set. The paper has its own rule: a text is a repeat if
//! *any* bit is set. This filter has the standard rule: a text is a repeat if *all* bits are set.
//!
//! # Two layouts
//! A user who states bits means the filter of the literature, whose error the formula predicts and `quchong tune bloom` measures. This is
//! the filter of the crate, with k bits anywhere. A user who states an error gets as many bits as are needed in a layout that suits the
//! processor better: two cache lines for each text (see `standard.rs` and `blocked.rs`).
//!
//! # Few texts
//! A filter for millions of texts is larger than the first thousands of digests, and the first text that falls into a page allocates it. So
//! a filter of a stated error keeps the digests themselves while they take a small part of its memory, and makes no errors. Then the
//! filter is filled with them.
//!
//! # Rounds
//! "Where memory is limited one may even filter cyclically": the paper makes several passes for a smaller error. Each pass has another
//! seed, and a repeat is a text that every pass calls one. Reading the input again reuses the memory of one filter. A stream cannot be
//! read again, so [`Config::bloom_rounds`] holds all filters at once. Then there is nothing to gain: N filters of m bits and k functions
//! have the same error as one of N·m bits and N·k functions, (1 − e^(−kn/m))^(kN). One filter with all the bits is as accurate and faster,
//! so one is the default.
//!
//! # Measured
//! A whole run is faster with two cache lines for each text than with the standard filter, because both lines can be prefetched. This
//! layout takes some more bits, and many more for very small errors. `benches/RESULTS.md` has the figures, under *Notes from the
//! modules*.

use super::blocked::{Blocked, Size};
use super::digest_set::DigestSet;
use super::standard::{Functions, Standard};
use crate::config::{BLOOM_ERROR, BloomSize, Config, ExactMode, VERIFIED_BLOOM_ERROR};
use crate::error::{Error, Result};
use crate::fingerprint::Digest;
use crate::locale::tr;

/// A Bloom filter over digests, or several that are asked one after another. It knows how full it was meant to get.
///
/// ```
/// use quchong::Config;
/// use quchong::exact::bloom::Filter;
/// use quchong::fingerprint::Digest;
///
/// let mut filter = Filter::new(&Config { capacity: 1000, ..Config::default() })?;
/// let digest = Digest::of("武汉加油".as_bytes(), 1);
/// assert!(!filter.holds(digest) && !filter.insert(digest));
/// assert!(filter.holds(digest) && filter.insert(digest));
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct Filter {
    /// The digests that the rounds do not hold yet. These are all digests, as long as they take a small part of the rounds' memory.
    digest_set: Option<DigestSet>,
    rounds: Vec<Round>,
    capacity: u64,
    inserted: u64,
}

/// How well a filter works. Sizes are in bits, rates are shares of 1.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct FilterHealth {
    /// Bits, of all rounds together.
    pub bits: u64,
    /// Hash functions of each round.
    pub hashes: u32,
    /// How many filters are asked one after another.
    pub rounds: u32,
    /// Distinct texts that the filter was sized for. If its bits were stated and it decides alone, at most as many as these bits hold at an
    /// error of 1 %.
    pub capacity: u64,
    /// Texts that were new to the filter.
    pub inserted: u64,
    /// Share of bits that are set. 0 while the texts are so few that their digests are kept instead.
    pub fill: f64,
    /// The false-positive rate that follows from the fill, multiplied over the rounds. For a round with bits anywhere it is fill^hashes.
    /// For a round with bits in two cache lines it is the square of the mean of fill^(hashes/2) over all lines.
    pub expected_error: f64,
}

#[cfg(feature = "cli")]
impl FilterHealth {
    /// Whether the filter holds half as many texts again as it was sized for, and as many new texts again would bring a mistake.
    pub(crate) fn is_overfull(&self) -> bool {
        self.inserted > self.capacity + self.capacity / 2 && self.expected_error * self.inserted as f64 >= 1.0
    }
}

/// How full a filter is, of the texts that it was sized for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fullness {
    /// There is room.
    Roomy,
    /// It holds more than nine tenths of them.
    Nearly,
    /// It holds more than all of them, and errs more often than it should.
    Over,
}

impl Fullness {
    /// Judges a filter that holds `inserted` texts and was sized for `capacity`.
    pub(super) fn of(inserted: u64, capacity: u64) -> Self {
        if inserted > capacity {
            Self::Over
        } else if inserted > capacity - capacity / 10 {
            Self::Nearly
        } else {
            Self::Roomy
        }
    }
}

/// The false-positive rate of the filters, if this one was `given`. A filter that a trie verifies may err more often than one alone.
pub(super) fn error_in_force(config: &Config, given: Option<f64>) -> f64 {
    given.unwrap_or(if config.exact == ExactMode::Bloom { BLOOM_ERROR } else { VERIFIED_BLOOM_ERROR })
}

impl Filter {
    /// Makes an empty filter of the configured size. Its memory is reserved now and allocated as it fills.
    ///
    /// # Errors
    /// [`Error::Config`] with the name of the option that is out of range, or if the size does not fit this machine.
    pub fn new(config: &Config) -> Result<Self> {
        config.validate()?;
        let round = |round| match config.bloom {
            BloomSize::Error(error) => {
                let error = error_in_force(config, error);
                let size = Size::of(config.capacity, error.powf(1.0 / f64::from(config.bloom_rounds)));
                let [a, b, ..] = keys(config.seed, round);
                Blocked::new(size, [a, b]).map(Round::Blocked).ok_or_else(too_large)
            }
            BloomSize::Bits { bits, hashes } => {
                // If no number of functions is stated, the best one for the capacity.
                let wanted = hashes.map_or(Functions::For(config.capacity), Functions::Stated);
                Standard::new(bits, wanted, keys(config.seed, round))?.map(Round::Standard).ok_or_else(too_large)
            }
        };
        let rounds: Vec<Round> = (0..config.bloom_rounds).map(round).collect::<Result<_>>()?;
        let capacity = match config.bloom {
            BloomSize::Bits { .. } if config.exact == ExactMode::Bloom => config.capacity.min(held_by(&rounds)),
            _ => config.capacity,
        };
        let mut filter = Self { digest_set: None, rounds, capacity, inserted: 0 };
        if filter.rounds.iter().all(Round::may_keep_digests) {
            filter.digest_set = DigestSet::within(filter.bytes() / DIGEST_SET_DIVISOR);
        }
        Ok(filter)
    }

    /// Adds a digest. Returns true if the filter held it already, or seems to have held it.
    pub fn insert(&mut self, digest: Digest) -> bool {
        if let Some(digest_set) = &mut self.digest_set {
            if let Some(held) = digest_set.insert(digest) {
                self.inserted += u64::from(!held);
                return held;
            }
            self.fill();
        }
        let mut held = true;
        for round in &mut self.rounds {
            // Every round must see the digest, whatever the others say.
            held &= round.check_and_set(digest);
        }
        self.inserted += u64::from(!held);
        held
    }

    /// Moves the kept digests into the rounds.
    #[cold]
    fn fill(&mut self) {
        for stretch in self.digest_set.take().iter().flat_map(DigestSet::stretches) {
            stretch.clone().for_each(|digest| self.prefetch(digest));
            stretch.for_each(|digest| self.rounds.iter_mut().for_each(|round| round.set(digest)));
        }
    }

    /// Whether the filter holds a digest, or seems to hold it.
    pub fn holds(&self, digest: Digest) -> bool {
        match &self.digest_set {
            Some(digest_set) => digest_set.holds(digest),
            None => self.rounds.iter().all(|round| round.check(digest)),
        }
    }

    /// Prefetches what [`insert`](Self::insert) will read for a digest, if that is little.
    pub(crate) fn prefetch(&self, digest: Digest) {
        if let Some(digest_set) = &self.digest_set {
            return digest_set.prefetch(digest);
        }
        for round in &self.rounds {
            if let Round::Blocked(blocked) = round {
                blocked.prefetch(digest);
            }
        }
    }

    /// Heap bytes of all bits. Digests that are kept before the bits are filled take less.
    pub fn bytes(&self) -> usize {
        self.rounds.iter().map(|round| (round.len() / 8) as usize).sum()
    }

    /// How full the filter is, of the texts that it was sized for. When it holds more texts than its capacity, its error exceeds the one
    /// that was asked for.
    pub(crate) fn fullness(&self) -> Fullness {
        Fullness::of(self.inserted, self.capacity)
    }

    /// How well the filter works, judged by all bits, or by the first 64 MB of each round. Takes some ten milliseconds.
    pub fn health(&self) -> FilterHealth {
        self.measured(64 << 20)
    }

    /// The same from a megabyte of each round, within 0.4 % of the fill and 7 % of the error. Takes half a millisecond.
    pub(crate) fn health_by_sample(&self) -> FilterHealth {
        self.measured(SAMPLE)
    }

    fn measured(&self, most: usize) -> FilterHealth {
        let (mut bits, mut fill, mut hashes, mut expected_error) = (0, 0.0, 0, 1.0);
        for round in &self.rounds {
            let (own, error) = round.fill_and_error(most);
            bits += round.len();
            hashes = round.hashes();
            fill += own / self.rounds.len() as f64;
            expected_error *= error;
        }
        let rounds = self.rounds.len() as u32;
        FilterHealth { bits, hashes, rounds, capacity: self.capacity, inserted: self.inserted, fill, expected_error }
    }
}

/// Bytes that a text takes in a filter of this many rounds, sized for this error.
pub(super) fn bytes_for_each(error: f64, rounds: u32) -> f64 {
    const TEXTS: u64 = 1 << 20;
    let size = Size::of(TEXTS, error.powf(1.0 / f64::from(rounds)));
    (size.blocks * 64 * u64::from(rounds)) as f64 / TEXTS as f64
}

/// A filter of one round.
enum Round {
    /// A filter of stated bits: what the literature means by a Bloom filter, and so the user who states bits.
    Standard(Standard),
    /// A filter of a stated error.
    Blocked(Blocked),
}

impl Round {
    /// Whether digests may be kept at first in place of the bits. Not if the user stated bits: then these are wanted.
    fn may_keep_digests(&self) -> bool {
        matches!(self, Self::Blocked(_))
    }

    fn set(&mut self, digest: Digest) {
        match self {
            Self::Standard(standard) => _ = standard.check_and_set(digest),
            Self::Blocked(blocked) => blocked.set(digest),
        }
    }

    fn check_and_set(&mut self, digest: Digest) -> bool {
        match self {
            Self::Standard(standard) => standard.check_and_set(digest),
            Self::Blocked(blocked) => blocked.check_and_set(digest),
        }
    }

    fn check(&self, digest: Digest) -> bool {
        match self {
            Self::Standard(standard) => standard.check(digest),
            Self::Blocked(blocked) => blocked.check(digest),
        }
    }

    /// How many bits the round has.
    fn len(&self) -> u64 {
        match self {
            Self::Standard(standard) => standard.len(),
            Self::Blocked(blocked) => blocked.len(),
        }
    }

    fn hashes(&self) -> u32 {
        match self {
            Self::Standard(standard) => standard.hashes(),
            Self::Blocked(blocked) => blocked.hashes(),
        }
    }

    /// Returns the share of bits that are set and the false-positive rate that follows, judged by `most` bytes at most.
    fn fill_and_error(&self, most: usize) -> (f64, f64) {
        match self {
            Self::Standard(standard) => standard.fill_and_error(most),
            Self::Blocked(blocked) => blocked.fill_and_error(most / 64),
        }
    }
}

/// Kept digests may take one part in this many of the filter's memory before the filter is filled with them.
const DIGEST_SET_DIVISOR: usize = 6;

/// The error from which a filter of stated bits is too full, because a user who states bits states no error.
const ERRING: f64 = 0.01;

/// How many texts these rounds hold before they err more often than [`ERRING`], at least 1: n = −(m/k)·ln(1 − p^(1/k)).
fn held_by(rounds: &[Round]) -> u64 {
    let held = |round: &Round| {
        let (bits, hashes) = (round.len() as f64, f64::from(round.hashes()));
        let error = ERRING.powf(1.0 / rounds.len() as f64);
        (-bits / hashes * (1.0 - error.powf(1.0 / hashes)).ln()) as u64
    };
    rounds.first().map_or(1, held).max(1)
}

/// Bytes of a sample. Hashes fall evenly, so one stretch is as good as another. Some cache lines are fuller than others: at an error of
/// 10^-6, the standard deviation of a sample's fill is 0.1 % of the fill, and that of its error is 1.7 % of the error.
const SAMPLE: usize = 1 << 20;

fn too_large() -> Error {
    Error::config(
        "--capacity",
        tr!("this machine has no memory for so large a Bloom filter (see --bloom-bits and --bloom-error)"),
    )
}

/// Returns four keys, which differ from round to round.
fn keys(seed: u64, round: u32) -> [u64; 4] {
    [0, 1, 2, 3].map(|i| Digest::of(&[(4 * round + i) as u8], seed).0 as u64)
}

#[cfg(test)]
mod tests;
