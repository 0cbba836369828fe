//! The exact stage: has this text been seen before?
//!
//! Two structures answer, alone or together ([`ExactMode`]). The Bloom filter ([`bloom`]) never forgets and sometimes
//! errs; the digest trie ([`trie`]) never errs and knows which message was repeated. Together, the filter's "surely new"
//! spares the trie a look-up, and the trie's word settles the filter's "perhaps". For the reproduction there is the paper's
//! own trie ([`paper::trie`]), which errs.
//!
//! # What they cost
//! The default is `verified`: it loses nothing, and names the message that is repeated. Where the filter says "surely new", the trie is not
//! asked; as every new text is then inserted, adding it takes as long as under `trie`. `bloom` is for memory that must not grow, and
//! `paper-trie` for comparing with the paper. `benches/RESULTS.md`, *Exact modes by themselves*, has the figures.
//!
//! # Under a window
//! Texts are in generations, each of a quarter of the window at most, and a generation is dropped as a whole: nothing has to be
//! taken out of a filter or a trie. A trie tells which message was repeated, so that whether it counts is known exactly. The
//! filter alone knows a text for as long as the window and for up to a quarter more. A message behind a gap longer than the window
//! begins a generation, so that the filter forgets what came before the gap. Five generations are there at a time;
//! each has a quarter of [`Config::capacity`] and a fifth of the error, so that over the whole window a new text is taken for
//! a repeat no more often than was asked for.
//!
//! # What the paper's structures lose
//! Where a new text is taken for a repeat with probability p, each that is let through stands for 1/(1 − p) that came. So the texts lost
//! are about the sum of p/(1 − p) over those let through (`expected_lost` of a summary). The sum is made again when a state is read, as
//! far back as the state goes: it is of all runs. Tests hold it against what is lost. Under a window generations are taken for independent;
//! they are not quite, for a text that is let through sets bits that are clear in those before: where half of all texts are lost, the sum is
//! a fifth too low.

mod blocked;
pub mod bloom;
mod few;
mod generation;
#[cfg(feature = "lab")]
pub mod paper;
mod sieve;
mod standard;
#[cfg(test)]
mod tests;
pub mod trie;

use crate::config::{BLOOM_ERROR, BloomSize, Config, ExactMode, NearMode, Span, VERIFIED_BLOOM_ERROR};
use crate::error::Result;
use crate::fingerprint::Digest;
use crate::reach::{PARTS, Reach};
use crate::record::Pos;
use bloom::{FilterHealth, Fullness};
use generation::Generation;
pub(crate) use generation::Seen;
use sieve::Sieve;

/// The exact stage's state: one owner, no locks. Texts are in *generations*: only one where nothing is forgotten, else one for
/// each [part](PARTS) of the window. A generation is dropped whole, once all its texts are too old.
pub(crate) struct ExactStage {
    config: Config,
    /// The newest last; never empty.
    generations: Vec<Generation>,
    /// Texts in a generation, where memory is limited.
    most: u64,
    /// Expected number of new texts that the paper's structures took for repeats.
    lost: f64,
}

/// Bytes of a text in a filter and a trie, roughly: where memory is limited, they decide how many texts a generation gets. A filter
/// that decides alone takes as many as its error asks for.
fn text_bytes(config: &Config) -> f64 {
    match config.bloom {
        BloomSize::Error(Some(error)) if config.exact == ExactMode::Bloom && config.near == NearMode::None => {
            bloom::bytes_for_each(error, config.bloom_rounds)
        }
        _ => 64.0,
    }
}

/// Generations that are there at a time, at most: under a window, those of its parts and one that has begun; where memory is limited, each
/// has an eighth of it, and the filter is a part of what is limited.
fn generations(config: &Config) -> u64 {
    match (config.max_memory, config.window) {
        (Some(_), _) => 2 * PARTS,
        (None, Some(_)) => PARTS + 1,
        (None, None) => 1,
    }
}

impl ExactStage {
    /// An empty stage.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if the filter cannot be made in the size asked for.
    pub(crate) fn new(config: &Config) -> Result<Self> {
        let config = per_generation(config);
        let share = |bytes| ((bytes / (2 * PARTS)) as f64 / text_bytes(&config)) as u64;
        let most = config.memory_for_messages().map_or(u64::MAX, |bytes| share(bytes).max(1));
        let config = Config { capacity: config.capacity.min(most), ..config };
        let first = Generation::new(&config, 0, false)?;
        Ok(Self { config, generations: vec![first], most, lost: 0.0 })
    }

    /// Asks the processor for what looking up a text will read of the filter, before it is its turn.
    pub(crate) fn ask_for(&self, digest: Digest) {
        self.generations
            .iter()
            .filter_map(|generation| generation.filter.as_ref())
            .for_each(|filter| filter.ask_for(digest));
    }

    /// Looks up a text of the message that `reach` is of. The filter has seen it from now on; the trie only once it is
    /// [remembered](Self::remember).
    ///
    /// Under a window, the filter alone knows a text for as long as the window, and for up to a quarter more.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if a further filter does not fit this machine.
    pub(crate) fn look_up(&mut self, digest: Digest, reach: &Reach<'_>) -> Result<Seen> {
        self.turn(reach)?;
        let lost = self.lost_with_next();
        let Some((newest, older)) = self.generations.split_last_mut() else { return Ok(Seen::New) };
        let mut in_newest = || newest.filter.as_mut().is_none_or(|filter| filter.insert(digest));
        let Some(trie) = &newest.trie else {
            // What an older filter holds does not become younger. For a message far ahead of all others, nothing before it counts.
            let in_older = || older.iter().any(|older| older.last >= reach.oldest && older.holds(digest));
            let before = if reach.leaps {
                in_newest();
                false
            } else {
                in_older() || in_newest()
            };
            self.lost += if before { 0.0 } else { lost };
            return Ok(if before { Seen::Before { of: None } } else { Seen::New });
        };
        let latest = if in_newest() { trie.get(digest) } else { Seen::New };
        let older = older.iter().rev().map(|older| older.get(digest));
        let found = std::iter::once(latest).chain(older).find(|seen| *seen != Seen::New);
        // What the last equal message is, or repeats, may be too old now.
        let counts = |seen: &Seen| !matches!(seen, Seen::Before { of: Some(of) } if !reach.has(*of));
        self.lost += if found.is_none() { lost } else { 0.0 };
        Ok(found.filter(counts).unwrap_or(Seen::New))
    }

    /// What is expected to be lost for each new text that is let through, as full as the paper's structures are.
    fn lost_with_next(&self) -> f64 {
        match self.config.exact {
            ExactMode::PaperBloom | ExactMode::PaperTrie => {
                let error = |generation: &Generation| generation.error(self.config.trie_hash);
                let passes: f64 = self.generations.iter().map(|generation| 1.0 - error(generation)).product();
                (1.0 - passes) / passes.max(f64::EPSILON)
            }
            _ => 0.0,
        }
    }

    /// New texts that were taken for repeats, as is expected of the paper's structures; none of others. Of all runs of a state, as far
    /// back as it goes: under a window, what it has forgotten is only known to the run that forgot it. Of the filter never more than
    /// the `messages` that came without being let through: where texts differ in few characters, its hashes are not even, and the sum
    /// exceeds them.
    pub(crate) fn expected_lost(&self, messages: u64) -> Option<f64> {
        let let_through: u64 = self.generations.iter().map(|generation| generation.texts).sum();
        match self.config.exact {
            ExactMode::PaperBloom => Some(self.lost.min(messages.saturating_sub(let_through) as f64)),
            ExactMode::PaperTrie => Some(self.lost),
            _ => None,
        }
    }

    /// What is known of a text, for a message that comes after all others. Changes nothing.
    pub(crate) fn find(&self, digest: Digest, reach: &Reach<'_>) -> Seen {
        let mut found = self.generations.iter().rev().map(|generation| generation.find(digest));
        let counts = |seen: &Seen| match seen {
            Seen::New => false,
            Seen::Before { of } => of.is_none_or(|of| reach.has(of)),
        };
        found.find(counts).unwrap_or(Seen::New)
    }

    /// Whether it remembers anything: not where nothing is to be exact.
    pub(crate) fn remembers(&self) -> bool {
        self.generations.iter().any(|generation| generation.trie.is_some() || generation.filter.is_some())
    }

    /// Whether a text was seen before, even if that is too long ago to count. Changes nothing.
    pub(crate) fn knows(&self, digest: Digest) -> bool {
        self.generations.iter().any(|generation| match generation.trie {
            Some(_) => generation.get(digest) != Seen::New,
            None => generation.filter.is_some() && generation.holds(digest),
        })
    }

    /// Remembers that the text of the message at `pos`, which was [looked up](Self::look_up) last, belongs to the kept message
    /// `of`: itself if it was kept, or the one that it nearly repeats.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) if the paper's trie is full.
    pub(crate) fn remember(&mut self, digest: Digest, of: Pos, pos: Pos) -> Result<()> {
        let Some(newest) = self.generations.last_mut() else { return Ok(()) };
        newest.remember(digest, of, pos)
    }

    /// Remembers the text of an earlier message again; it can be looked up once all are [restored](Self::restored).
    ///
    /// # Errors
    /// As [`look_up`](Self::look_up) and [`remember`](Self::remember).
    pub(crate) fn restore(&mut self, digest: Digest, of: Pos, pos: Pos, reach: &Reach<'_>) -> Result<()> {
        self.turn(reach)?;
        self.lost += self.lost_with_next();
        let Some(newest) = self.generations.last_mut() else { return Ok(()) };
        newest.restore(digest, of, pos)
    }

    /// All texts are restored.
    pub(crate) fn restored(&mut self) {
        self.generations.iter_mut().for_each(Generation::restored);
    }

    /// Begins a new generation where a part of the window does, or the newest is full.
    fn turn(&mut self, reach: &Reach<'_>) -> Result<()> {
        self.forget(reach.floor);
        // If the time is right, all texts before it are to be dropped, and not this one. Of wrong times, one begins a generation.
        let leaps = |newest: &Generation| reach.leaps && !(newest.leapt && newest.part == reach.part);
        let is_over = |newest: &Generation| newest.texts >= self.most || newest.part < reach.part || leaps(newest);
        if self.generations.last().is_none_or(is_over) {
            self.generations.retain(|generation| generation.texts > 0);
            self.generations.push(Generation::new(&self.config, reach.part, reach.leaps)?);
        }
        Ok(())
    }

    /// Drops generations of which nothing counts.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.generations.len() > 1 && self.generations.first().is_some_and(|oldest| oldest.last < before) {
            self.generations.remove(0);
        }
    }

    /// The message that the oldest text came with: a filter alone tells of it until its generation is dropped.
    pub(crate) fn oldest(&self) -> Option<Pos> {
        self.generations.iter().find(|generation| generation.texts > 0).map(|generation| generation.first)
    }

    /// How the filters fare; none if there are none. A new text is taken for a repeat if any of the generations' is wrong, so
    /// the error is 1 − Π(1 − error).
    pub(crate) fn health(&self) -> Option<FilterHealth> {
        self.health_of_each(Sieve::health)
    }

    /// The same by a sample of each filter: for looking every second.
    pub(crate) fn health_by_sample(&self) -> Option<FilterHealth> {
        self.health_of_each(Sieve::health_by_sample)
    }

    fn health_of_each(&self, health: impl Fn(&Sieve) -> FilterHealth) -> Option<FilterHealth> {
        let mut healths = self.generations.iter().filter_map(|generation| generation.filter.as_ref().map(&health));
        let first = healths.next()?;
        let both = |a: FilterHealth, b: FilterHealth| FilterHealth {
            bits: a.bits + b.bits,
            capacity: a.capacity + b.capacity,
            inserted: a.inserted + b.inserted,
            fill: (a.fill * a.bits as f64 + b.fill * b.bits as f64) / (a.bits + b.bits) as f64,
            expected_error: 1.0 - (1.0 - a.expected_error) * (1.0 - b.expected_error),
            ..a
        };
        Some(healths.fold(first, both))
    }

    /// How full the newest filter is of the texts that it was sized for; roomy if there is none. One that is given no more than
    /// that before the next begins is full as it should be.
    pub(crate) fn fullness(&self) -> Fullness {
        let newest = self.generations.last().and_then(|newest| newest.filter.as_ref());
        match newest.map_or(Fullness::Roomy, Sieve::fullness) {
            Fullness::Nearly if self.longest() <= self.config.capacity => Fullness::Roomy,
            fullness => fullness,
        }
    }

    /// Most texts that a generation can get.
    fn longest(&self) -> u64 {
        match self.config.window {
            Some(Span::Messages(length)) => self.most.min(length.div_ceil(PARTS)),
            _ => self.most,
        }
    }

    /// Texts that are remembered, those of generations with something too old among them.
    pub(crate) fn texts(&self) -> u64 {
        self.generations.iter().map(|generation| generation.texts).sum()
    }

    /// Heap bytes of the filters; 0 without any. Their memory is taken as they fill.
    pub(crate) fn filter_bytes(&self) -> usize {
        self.generations.iter().filter_map(|generation| generation.filter.as_ref()).map(Sieve::bytes).sum()
    }

    /// Heap bytes of the tries; 0 without any.
    pub(crate) fn trie_bytes(&self) -> usize {
        self.generations.iter().map(Generation::trie_bytes).sum()
    }
}

/// The configuration of a single generation: all that are [there at a time](generations) have together the bits and the error that were
/// asked for, and those of a window the capacity.
fn per_generation(config: &Config) -> Config {
    let parts = if config.window.is_some() { PARTS } else { 1 };
    let capacity = match config.window {
        Some(Span::Messages(length)) => config.capacity.min(length),
        _ => config.capacity,
    };
    let generations = generations(config);
    let bloom = match config.bloom {
        BloomSize::Error(error) => {
            let alone = config.exact == ExactMode::Bloom;
            let error = error.unwrap_or(if alone { BLOOM_ERROR } else { VERIFIED_BLOOM_ERROR });
            BloomSize::Error(Some(error / generations as f64))
        }
        BloomSize::Bits { bits, hashes } => BloomSize::Bits { bits: (bits / generations).max(8), hashes },
    };
    Config { capacity: capacity.div_ceil(parts), bloom, ..config.clone() }
}
