//! The Bloom filter of Gao & Li 2014 as a stage (`--exact paper-bloom`). Its marks are BKDR and AP. It has one round, or "cyclically" two
//! rounds with different hash functions. A repeat is a text that every round calls one.
//!
//! # What it loses
//! Let a share f of the bits of a round be set. If any mark makes a repeat, a round takes a new text for one with probability
//! p = 1 − (1 − f)². Under the standard rule the probability is f². The paper does not say how many texts that is. The
//! [stage](crate::exact) counts it.

use super::{BloomHash, Marks, PaperFilter};
use crate::config::{BloomRule, BloomSize, Config, PAPER_BITS};
use crate::error::Result;
use crate::exact::bloom::{FilterHealth, Fullness};
use crate::fingerprint::Digest;

/// Hash functions of a round.
const HASHES: u32 = 2;

/// The error from which a filter is too full, if the user states none. The same as for stated bits elsewhere.
const ERROR: f64 = 0.01;

/// The paper's filter. It knows how full it is.
pub(crate) struct Literal {
    rounds: Vec<PaperFilter>,
    rule: BloomRule,
    bits: u64,
    /// The number of texts at which its error is [`ERROR`].
    capacity: u64,
    inserted: u64,
}

impl Literal {
    /// Makes an empty filter with the bits and rounds of a configuration.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if this machine has no memory for it.
    pub(crate) fn new(config: &Config) -> Result<Self> {
        let bits = bits_of(config);
        let round = |_| PaperFilter::new(bits, HASHES, config.bloom_rule, BloomHash::BkdrAp);
        let rounds: Vec<PaperFilter> = (0..config.bloom_rounds).map(round).collect::<Result<_>>()?;
        let of_round = ERROR.powf(1.0 / f64::from(config.bloom_rounds));
        // If any mark makes a repeat, no two texts in the filter share a bit.
        let capacity = match config.bloom_rule {
            BloomRule::Any => (1.0 - (1.0 - of_round).sqrt()) * bits as f64 / 2.0,
            BloomRule::All => -(1.0 - of_round.sqrt()).ln() * bits as f64 / 2.0,
        };
        let capacity = (capacity as u64).max(1);
        Ok(Self { rounds, rule: config.bloom_rule, bits, capacity, inserted: 0 })
    }

    /// Adds a text by its [marks](crate::fingerprint::textbook::marks). Returns true if every round takes it for a repeat.
    pub(crate) fn insert(&mut self, digest: Digest) -> bool {
        let mut held = true;
        for (round, filter) in self.rounds.iter_mut().enumerate() {
            // Every round must see the text, whatever the others say.
            held &= filter.insert(marks(digest, round));
        }
        self.inserted += u64::from(!held);
        held
    }

    /// Whether every round takes the text for a repeat.
    pub(crate) fn holds(&self, digest: Digest) -> bool {
        self.rounds.iter().enumerate().all(|(round, filter)| filter.holds(marks(digest, round)))
    }

    /// The probability that a new text is taken for a repeat.
    pub(crate) fn error(&self) -> f64 {
        let of_round = |filter: &PaperFilter| match self.rule {
            BloomRule::Any => 1.0 - (1.0 - filter.fill()).powi(2),
            BloomRule::All => filter.fill().powi(2),
        };
        self.rounds.iter().map(of_round).product()
    }

    /// How well the filter works, judged by all bits.
    pub(crate) fn health(&self) -> FilterHealth {
        let rounds = self.rounds.len();
        FilterHealth {
            bits: self.bits * rounds as u64,
            hashes: HASHES,
            rounds: rounds as u32,
            capacity: self.capacity,
            inserted: self.inserted,
            fill: self.rounds.iter().map(PaperFilter::fill).sum::<f64>() / rounds.max(1) as f64,
            expected_error: self.error(),
        }
    }

    /// How full the filter is, of the texts at which its error is 1 %.
    pub(crate) fn fullness(&self) -> Fullness {
        Fullness::of(self.inserted, self.capacity)
    }

    /// Heap bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.rounds.iter().map(PaperFilter::bytes).sum()
    }
}

/// The marks of a text in a round.
fn marks(digest: Digest, round: usize) -> Marks {
    let half = (digest.0 >> (64 * round)) as u64;
    Marks { a: half & u64::from(u32::MAX), b: half >> 32 }
}

/// Whether a filter of these settings that has only seen `a` takes `b` for a repeat.
pub(crate) fn alike(config: &Config, a: Digest, b: Digest) -> bool {
    let bits = bits_of(config);
    (0..config.bloom_rounds as usize).all(|round| {
        let [a, b] = [a, b].map(|digest| marks(digest, round)).map(|Marks { a, b }| [a % bits, b % bits]);
        match config.bloom_rule {
            BloomRule::Any => b.iter().any(|mark| a.contains(mark)),
            BloomRule::All => b.iter().all(|mark| a.contains(mark)),
        }
    })
}

/// The bits of a round.
fn bits_of(config: &Config) -> u64 {
    match config.bloom {
        BloomSize::Bits { bits, .. } => bits,
        BloomSize::Error(_) => PAPER_BITS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ExactMode;
    use crate::fingerprint::textbook;

    fn config(bloom_rule: BloomRule, bits: u64, bloom_rounds: u32) -> Config {
        let bloom = BloomSize::Bits { bits, hashes: None };
        Config { exact: ExactMode::PaperBloom, bloom, bloom_rule, bloom_rounds, ..Config::default() }
    }

    #[test]
    fn two_texts_are_alike_as_in_an_empty_filter() {
        let texts: Vec<Digest> = (0..150).map(|i| textbook::marks(format!("第{i}条").as_bytes())).collect();
        for rule in [BloomRule::Any, BloomRule::All] {
            for rounds in [1, 2] {
                let config = config(rule, 64, rounds);
                for (at, a) in texts.iter().enumerate() {
                    let mut filter = Literal::new(&config).unwrap();
                    filter.insert(*a);
                    for b in &texts[at..] {
                        assert_eq!(alike(&config, *a, *b), filter.holds(*b), "{rule:?} {rounds}");
                    }
                }
            }
        }
    }
}
