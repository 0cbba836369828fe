//! The exact stage: has this text been seen before?
//!
//! Two structures answer, alone or together ([`ExactMode`]). The Bloom filter ([`bloom`]) never forgets and sometimes errs. The digest
//! trie ([`trie`]) never errs, and knows which message was repeated. Together, the filter's "surely new" spares the trie a look-up, and
//! the trie settles the filter's "perhaps". For the reproduction there is also the paper's own trie ([`paper::trie`]), which errs.
//!
//! # What they cost
//! The default is `verified`: it loses nothing, and names the message that is repeated. If the filter says "surely new", the trie is not
//! asked. Every new text is then inserted, so it takes as long as under `trie`. `bloom` is for memory that must not grow, and `paper-trie`
//! for comparing with the paper. `benches/RESULTS.md`, *Exact modes by themselves*, has the figures.
//!
//! # Under a window
//! Texts are in generations, each of at most a quarter of the window. A generation is dropped as a whole, so nothing has to be removed from
//! a filter or a trie. A trie names the repeated message, so the stage knows exactly whether that message counts. A filter alone knows a
//! text for as long as the window, and for up to a quarter more. A message after a gap longer than the window begins a generation, so
//! that the filter forgets the texts before the gap. There are five generations at a time. Each has a quarter of [`Config::capacity`] and a
//! fifth of the error, so that over the whole window a new text is taken for a repeat no more often than was asked for.
//!
//! # What the paper's structures lose
//! If a new text is taken for a repeat with probability p, each text that is let through stands for 1/(1 − p) texts that came. So the
//! number of lost texts is about the sum of p/(1 − p) over those let through (`expected_lost` of a summary). The sum is made again when a
//! state is read, as far back as the state goes. So it covers all runs. Tests compare it with the number of texts really lost. Under a
//! window, the sum treats generations as independent. They are not quite: a text that is let through sets bits that are clear in the
//! generations before. If half of all texts are lost, the sum is a fifth too low.

mod blocked;
pub mod bloom;
mod digest_set;
mod filter;
mod generation;
#[cfg(feature = "lab")]
pub mod paper;
mod standard;
#[cfg(test)]
mod tests;
pub mod trie;

use crate::config::{BloomSize, Config, ExactMode, NearMode, Span};
use crate::error::Result;
use crate::fingerprint::Digest;
use crate::reach::{PARTS, Reach};
use crate::record::Pos;
use bloom::{FilterHealth, Fullness, error_in_force};
use filter::ExactFilter;
use generation::Generation;
pub(crate) use generation::Seen;

/// The state of the exact stage: one owner, no locks. Texts are in *generations*: only one if nothing is forgotten, otherwise one for each
/// [part](PARTS) of the window. A generation is dropped as a whole, once all its texts are too old.
pub(crate) struct ExactStage {
    config: Config,
    /// The newest last; never empty.
    generations: Vec<Generation>,
    /// Most texts in a generation, if memory is limited.
    most: u64,
    /// The expected number of new texts that the paper's structures took for repeats.
    lost: f64,
}

/// Bytes that a text takes in a filter and a trie, roughly. If memory is limited, they decide how many texts a generation gets. For a
/// filter that decides alone, they follow from its error.
fn text_bytes(config: &Config) -> f64 {
    match config.bloom {
        BloomSize::Error(Some(error)) if config.exact == ExactMode::Bloom && config.near == NearMode::None => {
            bloom::bytes_for_each(error, config.bloom_rounds)
        }
        _ => 64.0,
    }
}

/// Most generations that exist at a time. Under a window: those of its parts, and one that has begun. If memory is limited, each has an
/// eighth of it, and the filter is a part of the limited memory.
fn generations(config: &Config) -> u64 {
    match (config.max_memory, config.window) {
        (Some(_), _) => 2 * PARTS,
        (None, Some(_)) => PARTS + 1,
        (None, None) => 1,
    }
}

impl ExactStage {
    /// Makes an empty stage.
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

    /// Prefetches what looking up a text will read of the filter, before its turn comes.
    pub(crate) fn prefetch(&self, digest: Digest) {
        self.generations
            .iter()
            .filter_map(|generation| generation.filter.as_ref())
            .for_each(|filter| filter.prefetch(digest));
    }

    /// Looks up the text of a message, which has this `reach`. From now on the filter has seen it. The trie has it only once it is
    /// [remembered](Self::remember).
    ///
    /// Under a window, the filter alone knows a text for as long as the window, and for up to a quarter more.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if a further filter does not fit this machine.
    pub(crate) fn look_up(&mut self, digest: Digest, reach: &Reach<'_>) -> Result<Seen> {
        self.begin_generation_if_due(reach)?;
        let lost = self.lost_with_next();
        let Some((newest, older)) = self.generations.split_last_mut() else { return Ok(Seen::New) };
        let mut in_newest = || newest.filter.as_mut().is_none_or(|filter| filter.insert(digest));
        let Some(trie) = &newest.trie else {
            // A repeat does not make a text of an older filter younger. For a message far ahead of all others, nothing before it counts.
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
        // The message that the last equal one is, or repeats, may be too old now.
        let counts = |seen: &Seen| !matches!(seen, Seen::Before { of: Some(of) } if !reach.has(*of));
        self.lost += if found.is_none() { lost } else { 0.0 };
        Ok(found.filter(counts).unwrap_or(Seen::New))
    }

    /// How many texts are expected to be lost for each new text that is let through, as full as the paper's structures are now.
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

    /// The expected number of new texts that were taken for repeats, for the paper's structures. `None` for other modes. The number covers
    /// all runs of a state, as far back as the state goes. Under a window, only the run that forgot something still counts it. For the
    /// filter, it is never more than the number of the `messages` that were not let through: if texts differ in few characters, the
    /// filter's hashes are not even, and the sum exceeds this number.
    pub(crate) fn expected_lost(&self, messages: u64) -> Option<f64> {
        let let_through: u64 = self.generations.iter().map(|generation| generation.texts).sum();
        match self.config.exact {
            ExactMode::PaperBloom => Some(self.lost.min(messages.saturating_sub(let_through) as f64)),
            ExactMode::PaperTrie => Some(self.lost),
            _ => None,
        }
    }

    /// Returns what is known of a text, for a message that comes after all others. Changes nothing.
    pub(crate) fn find(&self, digest: Digest, reach: &Reach<'_>) -> Seen {
        let mut found = self.generations.iter().rev().map(|generation| generation.find(digest));
        let counts = |seen: &Seen| match seen {
            Seen::New => false,
            Seen::Before { of } => of.is_none_or(|of| reach.has(of)),
        };
        found.find(counts).unwrap_or(Seen::New)
    }

    /// Whether the stage remembers anything. It does not if nothing is to be exact.
    pub(crate) fn remembers(&self) -> bool {
        self.generations.iter().any(|generation| generation.trie.is_some() || generation.filter.is_some())
    }

    /// Whether a text was seen before, even too long ago to count. Changes nothing.
    pub(crate) fn knows(&self, digest: Digest) -> bool {
        self.generations.iter().any(|generation| match generation.trie {
            Some(_) => generation.get(digest) != Seen::New,
            None => generation.filter.is_some() && generation.holds(digest),
        })
    }

    /// Remembers that the text of the message at `pos`, which was [looked up](Self::look_up) last, belongs to the kept message `of`. This
    /// is the message itself if it was kept, or the message that it nearly repeats.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) if the paper's trie is full.
    pub(crate) fn remember(&mut self, digest: Digest, of: Pos, pos: Pos) -> Result<()> {
        let Some(newest) = self.generations.last_mut() else { return Ok(()) };
        newest.remember(digest, of, pos)
    }

    /// Remembers the text of an earlier message again. It can be looked up once all are [restored](Self::restored).
    ///
    /// # Errors
    /// As [`look_up`](Self::look_up) and [`remember`](Self::remember).
    pub(crate) fn restore(&mut self, digest: Digest, of: Pos, pos: Pos, reach: &Reach<'_>) -> Result<()> {
        self.begin_generation_if_due(reach)?;
        self.lost += self.lost_with_next();
        let Some(newest) = self.generations.last_mut() else { return Ok(()) };
        newest.restore(digest, of, pos)
    }

    /// Ends the restoring of texts.
    pub(crate) fn restored(&mut self) {
        self.generations.iter_mut().for_each(Generation::restored);
    }

    /// Begins a new generation if a part of the window begins, or if the newest generation is full.
    fn begin_generation_if_due(&mut self, reach: &Reach<'_>) -> Result<()> {
        self.forget(reach.floor);
        // If the time of a leaping message is right, all texts before it must be dropped, but not its own. So the first of several wrong
        // times begins a generation.
        let leaps = |newest: &Generation| reach.leaps && !(newest.leapt && newest.part == reach.part);
        let is_over = |newest: &Generation| newest.texts >= self.most || newest.part < reach.part || leaps(newest);
        if self.generations.last().is_none_or(is_over) {
            self.generations.retain(|generation| generation.texts > 0);
            self.generations.push(Generation::new(&self.config, reach.part, reach.leaps)?);
        }
        Ok(())
    }

    /// Drops the generations in which nothing counts.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.generations.len() > 1 && self.generations.first().is_some_and(|oldest| oldest.last < before) {
            self.generations.remove(0);
        }
    }

    /// The message with which the oldest text came. A filter alone knows the text until its generation is dropped.
    pub(crate) fn oldest(&self) -> Option<Pos> {
        self.generations.iter().find(|generation| generation.texts > 0).map(|generation| generation.first)
    }

    /// How well the filters work. `None` if there are none. A new text is taken for a repeat if the filter of any generation errs, so the
    /// error is 1 − Π(1 − error).
    pub(crate) fn health(&self) -> Option<FilterHealth> {
        self.health_of_each(ExactFilter::health)
    }

    /// The same from a sample of each filter, so that it can be called every second.
    pub(crate) fn health_by_sample(&self) -> Option<FilterHealth> {
        self.health_of_each(ExactFilter::health_by_sample)
    }

    fn health_of_each(&self, health: impl Fn(&ExactFilter) -> FilterHealth) -> Option<FilterHealth> {
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

    /// How full the newest filter is, of the texts that it was sized for. Roomy if there is no filter. Nearly full also counts as roomy, if
    /// the filter gets no more texts than that before the next generation begins.
    pub(crate) fn fullness(&self) -> Fullness {
        let newest = self.generations.last().and_then(|newest| newest.filter.as_ref());
        match newest.map_or(Fullness::Roomy, ExactFilter::fullness) {
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

    /// How many texts are remembered, including those that are too old in generations that still count.
    pub(crate) fn texts(&self) -> u64 {
        self.generations.iter().map(|generation| generation.texts).sum()
    }

    /// Heap bytes of the filters. 0 if there are none. Their memory is allocated as they fill.
    pub(crate) fn filter_bytes(&self) -> usize {
        self.generations.iter().filter_map(|generation| generation.filter.as_ref()).map(ExactFilter::bytes).sum()
    }

    /// Heap bytes of the tries. 0 if there are none.
    pub(crate) fn trie_bytes(&self) -> usize {
        self.generations.iter().map(Generation::trie_bytes).sum()
    }
}

/// Returns the configuration of a single generation. All generations that [exist at a time](generations) together have the bits and the
/// error that were asked for. Those of a window together have the capacity.
fn per_generation(config: &Config) -> Config {
    let parts = if config.window.is_some() { PARTS } else { 1 };
    let capacity = match config.window {
        Some(Span::Messages(length)) => config.capacity.min(length),
        _ => config.capacity,
    };
    let generations = generations(config);
    let bloom = match config.bloom {
        BloomSize::Error(error) => BloomSize::Error(Some(error_in_force(config, error) / generations as f64)),
        BloomSize::Bits { bits, hashes } => BloomSize::Bits { bits: (bits / generations).max(8), hashes },
    };
    Config { capacity: capacity.div_ceil(parts), bloom, ..config.clone() }
}
