//! Runs contenders side by side over the same texts, split among threads.

use std::mem::size_of;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Instant;

use crate::config::{BloomSize, Config, ExactMode, ExactOn};
use crate::error::{Error, Result};
use crate::exact::bloom::Filter;
use crate::exact::paper::{BloomHash, BloomRule, Marks, PaperFilter, no_memory};
use crate::exact::{ExactStage, Seen};
use crate::fingerprint::Digest;
use crate::locale::tr;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::normalise::canonical_into;

/// Texts per chunk. With so many, two clock readings per setting cost next to nothing, and the items still fit into the second-level
/// cache.
pub(super) const CHUNK: usize = 4096;
/// A text in the form that filters need.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) digest: Digest,
    pub(super) marks: Marks,
    /// Whether no earlier text was equal.
    pub(super) fresh: bool,
}

/// Hashes texts as the options require.
pub(super) struct Hasher {
    exact_on: ExactOn,
    hash: BloomHash,
    buffer: String,
}

impl Hasher {
    pub(super) fn new(exact_on: ExactOn, hash: BloomHash) -> Self {
        Self { exact_on, hash, buffer: String::new() }
    }

    /// Hashes a text. Returns `None` if the text is empty in the form that is hashed.
    pub(super) fn item(&mut self, text: &str) -> Option<Item> {
        let text = match self.exact_on {
            ExactOn::Raw => text,
            ExactOn::Canonical => {
                self.buffer.clear();
                canonical_into(text, &mut self.buffer);
                &self.buffer
            }
        };
        let digest = Digest::of(text.as_bytes(), 0);
        let marks = Marks::of(self.hash, text.as_bytes(), digest);
        (!text.is_empty()).then_some(Item { digest, marks, fresh: false })
    }
}

/// A message to all contenders: texts to insert, or fresh texts to probe with.
pub(super) enum Chunk {
    Texts(Vec<Item>),
    Probes(Vec<Item>),
}

/// A filter or an exact stage that is measured. The number counts the texts of a stage.
pub(super) enum Contender {
    Standard(Filter),
    Paper(PaperFilter),
    Stage(Box<ExactStage>, u64),
}

impl Contender {
    /// Makes a filter: the product's own if it supports the rule and the hash, else the paper's.
    ///
    /// # Errors
    /// [`Error::Config`] if there is no memory for it.
    pub(super) fn filter(rule: BloomRule, hash: BloomHash, bits: u64, hashes: u32) -> Result<Self> {
        if (rule, hash) != (BloomRule::All, BloomHash::Xxh3) {
            return Ok(Self::Paper(PaperFilter::new(bits.next_multiple_of(8), hashes, rule, hash)?));
        }
        let bloom = BloomSize::Bits { bits, hashes: Some(hashes) };
        let config = Config { exact: ExactMode::Bloom, bloom, ..Config::default() };
        Filter::new(&config).map(Self::Standard).map_err(|_| no_memory(bits))
    }

    pub(super) fn stage(exact: ExactMode, capacity: u64) -> Result<Self> {
        // Of the options that matter here, `quchong tune` has only the capacity, so errors name that one.
        let stage = ExactStage::new(&Config { exact, capacity, ..Config::default() }).map_err(|_| {
            Error::config(
                "--capacity",
                tr!("this machine has no memory for --exact verified of this capacity; try a smaller one"),
            )
        })?;
        Ok(Self::Stage(Box::new(stage), 0))
    }

    /// Inserts a text. Returns whether the contender takes it for a repeat.
    pub(super) fn insert(&mut self, item: &Item) -> bool {
        match self {
            Self::Standard(filter) => filter.insert(item.digest),
            Self::Paper(filter) => filter.insert(item.marks),
            Self::Stage(stage, next) => {
                *next += 1;
                // An error cannot occur: the stage has its filter, and digest tries are never full.
                let held = stage.look_up(item.digest, &Reach::ALL).is_ok_and(|seen| seen != Seen::New);
                held || stage.remember(item.digest, Pos(*next), Pos(*next)).is_err()
            }
        }
    }

    pub(super) fn holds(&self, item: &Item) -> bool {
        match self {
            Self::Standard(filter) => filter.holds(item.digest),
            Self::Paper(filter) => filter.holds(item.marks),
            Self::Stage(..) => false,
        }
    }

    pub(super) fn fill(&self) -> f64 {
        match self {
            Self::Standard(filter) => filter.health().fill,
            Self::Paper(filter) => filter.fill(),
            Self::Stage(..) => 0.0,
        }
    }
}

/// A contender with its counts.
pub(super) struct Runner {
    pub(super) contender: Contender,
    /// How many more distinct texts it takes.
    room: u64,
    pub(super) false_drops: u64,
    pub(super) missed: u64,
    pub(super) false_positives: u64,
    /// Nanoseconds per text, for each chunk. The median hides other work on the machine.
    pub(super) times: Vec<f64>,
}

impl Runner {
    pub(super) fn new(contender: Contender) -> Self {
        Self::of_first(contender, u64::MAX)
    }

    /// Takes only the first `room` distinct texts.
    pub(super) fn of_first(contender: Contender, room: u64) -> Self {
        Self { contender, room, false_drops: 0, missed: 0, false_positives: 0, times: Vec::new() }
    }

    fn process(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Texts(items) => {
                let start = Instant::now();
                for item in items {
                    if item.fresh {
                        if self.room == 0 {
                            break;
                        }
                        self.room -= 1;
                    }
                    let held = self.contender.insert(item);
                    self.false_drops += u64::from(held && item.fresh);
                    self.missed += u64::from(!held && !item.fresh);
                }
                if !items.is_empty() {
                    self.times.push(start.elapsed().as_nanos() as f64 / items.len() as f64);
                }
            }
            Chunk::Probes(items) => {
                self.false_positives += items.iter().filter(|item| self.contender.holds(item)).count() as u64;
            }
        }
    }
}

/// Runs each contender over the same chunks, and returns the contenders in their order.
pub(super) fn race(
    runners: Vec<Runner>,
    threads: usize,
    feed: impl FnOnce(&mut dyn FnMut(Chunk)) -> Result<()>,
) -> Result<Vec<Runner>> {
    let threads = threads.clamp(1, runners.len().max(1));
    let mut shares: Vec<Vec<(usize, Runner)>> = (0..threads).map(|_| Vec::new()).collect();
    for (place, runner) in runners.into_iter().enumerate() {
        shares[place % threads].push((place, runner));
    }
    let work = |mut share: Vec<(usize, Runner)>, chunks: Receiver<Arc<Chunk>>| {
        for chunk in chunks {
            share.iter_mut().for_each(|(_, runner)| runner.process(&chunk));
        }
        share
    };
    thread::scope(|scope| {
        let (senders, workers): (Vec<_>, Vec<_>) = shares
            .into_iter()
            .map(|share| {
                let (sender, chunks) = sync_channel(4);
                (sender, scope.spawn(move || work(share, chunks)))
            })
            .unzip();
        let fed = feed(&mut |chunk| {
            let chunk = Arc::new(chunk);
            // A worker that is gone has panicked; joining it below passes the panic on.
            senders.iter().for_each(|sender| drop(sender.send(chunk.clone())));
        });
        drop(senders);
        let mut done = Vec::new();
        for worker in workers {
            done.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done.sort_unstable_by_key(|(place, _)| *place);
        fed.map(|()| done.into_iter().map(|(_, runner)| runner).collect())
    })
}

/// Returns the middle value, or 0 if there are no values.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

// A chunk must be small compared with a cache.
const _: () = assert!(size_of::<Item>() * CHUNK <= 256 << 10);
