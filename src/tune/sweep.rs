//! All settings in one pass: one thread reads, hashes and knows the truth, the others each own some of the filters.

use std::collections::HashSet;
use std::mem::size_of;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Instant;

use super::texts::{Texts, fresh_posts, nothing};
use super::{Cost, Measured, Options, Recommended, Report, Row, predict};
use crate::config::{BloomSize, Config, ExactMode, ExactOn};
use crate::error::Result;
use crate::exact::bloom::Filter;
use crate::exact::paper::{BloomHash, BloomRule, Marks, PaperFilter};
use crate::exact::{ExactStage, Seen};
use crate::fingerprint::Digest;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::normalise::canonical_into;

/// Texts handed over at once: two clock readings a setting become nothing, and they stay in the second-level cache.
const CHUNK: usize = 4096;
/// Largest capacity at which a recommendation is confirmed: the truth takes about 40 bytes a text.
const MOST_CONFIRMED: u64 = 20_000_000;

/// A text as the filters see it.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) digest: Digest,
    pub(super) marks: Marks,
    /// Whether no earlier text was equal.
    pub(super) fresh: bool,
}

/// Hashes texts as the options say.
pub(super) struct Hasher {
    exact_on: ExactOn,
    hash: BloomHash,
    buffer: String,
}

impl Hasher {
    pub(super) fn new(exact_on: ExactOn, hash: BloomHash) -> Self {
        Self { exact_on, hash, buffer: String::new() }
    }

    /// `None` if there is nothing to compare.
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

enum Chunk {
    Texts(Vec<Item>),
    Probes(Vec<Item>),
}

pub(super) enum Contender {
    Standard(Filter),
    Paper(PaperFilter),
    Stage(Box<ExactStage>, u64),
}

impl Contender {
    /// A filter: the product's own where it can follow the rule and the hash.
    pub(super) fn filter(rule: BloomRule, hash: BloomHash, bits: u64, hashes: u32) -> Result<Self> {
        if (rule, hash) != (BloomRule::All, BloomHash::Xxh3) {
            return Ok(Self::Paper(PaperFilter::new(bits.next_multiple_of(8), hashes, rule, hash)?));
        }
        let bloom = BloomSize::Bits { bits, hashes: Some(hashes) };
        Ok(Self::Standard(Filter::new(&Config { exact: ExactMode::Bloom, bloom, ..Config::default() })?))
    }

    fn stage(exact: ExactMode, capacity: u64) -> Result<Self> {
        Ok(Self::Stage(Box::new(ExactStage::new(&Config { exact, capacity, ..Config::default() })?), 0))
    }

    /// Whether the text is taken for a repeat; it is known from now on.
    pub(super) fn insert(&mut self, item: &Item) -> bool {
        match self {
            Self::Standard(filter) => filter.insert(item.digest),
            Self::Paper(filter) => filter.insert(item.marks),
            Self::Stage(stage, next) => {
                *next += 1;
                // The stage has its filter, and digest tries are never full.
                let held = stage.look_up(item.digest, &Reach::ALL).is_ok_and(|seen| seen != Seen::New);
                held || stage.remember(item.digest, Pos(*next), Pos(*next)).is_err()
            }
        }
    }

    fn holds(&self, item: &Item) -> bool {
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

struct Runner {
    contender: Contender,
    false_drops: u64,
    missed: u64,
    false_positives: u64,
    /// Of each chunk, in nanoseconds per text: their median does not tell of what else the machine did.
    times: Vec<f64>,
}

impl Runner {
    fn new(contender: Contender) -> Self {
        Self { contender, false_drops: 0, missed: 0, false_positives: 0, times: Vec::new() }
    }

    fn take(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Texts(items) => {
                let start = Instant::now();
                for item in items {
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

/// Runs each contender over the same chunks; they come back in their order.
fn race(
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
            share.iter_mut().for_each(|(_, runner)| runner.take(&chunk));
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
            // A worker that is gone has panicked, which its join tells.
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

/// The smallest filter, over the numbers of hash functions asked for, that theory lets meet the target at the capacity.
fn recommend(options: &Options) -> Option<Recommended> {
    let n = options.capacity as f64;
    let best = options.hashes.iter().map(|&k| (predict::bits_for(options.rule, k, n, options.target), k)).min()?;
    let (bits, hashes) = best;
    let predicted = predict::rate(options.rule, hashes, n, bits);
    (8..=1 << 40).contains(&bits).then_some(Recommended { bits, hashes, bytes: bits / 8, predicted, confirmed: None })
}

/// Fills a filter of the recommended size to the capacity with posts of its own and asks it for others.
fn confirm(options: &Options, recommended: &Recommended) -> Result<Option<Measured>> {
    if options.capacity > MOST_CONFIRMED {
        return Ok(None);
    }
    let mut filter = Contender::filter(options.rule, options.hash, recommended.bits, recommended.hashes)?;
    let mut hasher = Hasher::new(options.exact_on, options.hash);
    let mut truth = HashSet::new();
    // A thousand errors make the standard deviation 3 % of the rate.
    let probes = ((1e3 / options.target) as u64).clamp(options.probes, options.probes.max(10_000_000));
    let (mut asked, mut hits) = (0, 0);
    // The posts run short of distinct ones only far beyond the limit; then there is nothing to confirm.
    for text in fresh_posts(options.seed.wrapping_add(2))?.take(4 * (options.capacity + probes) as usize) {
        let Some(item) = hasher.item(&text) else { continue };
        if (truth.len() as u64) < options.capacity {
            if truth.insert(item.digest.0) {
                filter.insert(&item);
            }
        } else if !truth.contains(&item.digest.0) {
            hits += u64::from(filter.holds(&item));
            asked += 1;
            if asked == probes {
                return Ok(Some(Measured::new(hits, probes)));
            }
        }
    }
    Ok(None)
}

/// The middle value; 0 of none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Tries every setting on the texts.
///
/// # Errors
/// [`Error::Config`](crate::Error::Config) naming an option that cannot work, or for an input without texts;
/// [`Error::Io`](crate::Error::Io) if reading fails.
pub fn sweep(texts: Texts, options: &Options) -> Result<Report> {
    options.validate()?;
    let mut recommended = recommend(options);
    let mut settings: Vec<(u32, u64)> =
        options.hashes.iter().flat_map(|k| options.bits.iter().map(|m| (*k, m.next_multiple_of(8)))).collect();
    settings.extend(recommended.as_ref().map(|r| (r.hashes, r.bits)));
    settings.sort_unstable();
    settings.dedup();
    let filters = settings.iter().map(|(k, m)| Contender::filter(options.rule, options.hash, *m, *k));
    let stages = [ExactMode::Trie, ExactMode::Verified].map(|mode| Contender::stage(mode, options.capacity));
    let runners = filters.chain(stages).map(|made| made.map(Runner::new)).collect::<Result<Vec<_>>>()?;

    let (source, generated) = (texts.name(), matches!(texts, Texts::Generated { .. }));
    let mut truth: HashSet<u128> = HashSet::new();
    let (mut count, mut skipped) = (0, 0);
    let runners = race(runners, options.threads, |send| {
        let mut hasher = Hasher::new(options.exact_on, options.hash);
        let mut items = Vec::with_capacity(CHUNK);
        skipped += texts.each(|text| {
            match hasher.item(text) {
                Some(item) => items.push(Item { fresh: truth.insert(item.digest.0), ..item }),
                None => skipped += 1,
            }
            if items.len() == CHUNK {
                count += CHUNK as u64;
                send(Chunk::Texts(std::mem::replace(&mut items, Vec::with_capacity(CHUNK))));
            }
            true
        })?;
        count += items.len() as u64;
        send(Chunk::Texts(std::mem::take(&mut items)));
        if count == 0 {
            return Err(nothing("FILE"));
        }
        let mut left = options.probes;
        for text in fresh_posts(options.seed.wrapping_add(1))? {
            items.extend(hasher.item(&text).filter(|item| !truth.contains(&item.digest.0)));
            if items.len() as u64 == left.min(CHUNK as u64) {
                left -= items.len() as u64;
                send(Chunk::Probes(std::mem::replace(&mut items, Vec::with_capacity(CHUNK))));
                if left == 0 {
                    break;
                }
            }
        }
        Ok(())
    })?;

    if let (true, Some(found)) = (generated, &mut recommended) {
        found.confirmed = confirm(options, found)?;
    }
    let distinct = truth.len() as u64;
    let (filters, stages) = runners.split_at(settings.len());
    let nanos = |runner: &Runner| median(runner.times.clone());
    let chosen = recommended.as_ref().map(|r| (r.hashes, r.bits));
    let row = |(&(hashes, bits), runner): (&(u32, u64), &Runner)| {
        let (rule, n, fill) = (options.rule, distinct as f64, runner.contender.fill());
        Row {
            bits,
            hashes,
            bytes: bits / 8,
            false_drops: runner.false_drops,
            loss: runner.false_drops as f64 / n,
            predicted_loss: predict::loss(rule, hashes, n, bits),
            measured: Measured::new(runner.false_positives, options.probes),
            predicted: predict::rate(rule, hashes, n, bits),
            predicted_by_fill: predict::rate_of_fill(rule, hashes, fill),
            fill,
            ns_per_text: nanos(runner),
            recommended: chosen == Some((hashes, bits)),
        }
    };
    let rows: Vec<Row> = settings.iter().zip(filters).map(row).collect();
    let cost = |mode, bytes, runner: &Runner| Cost {
        mode,
        bytes,
        ns_per_text: nanos(runner),
        false_drops: runner.false_drops,
        missed: runner.missed,
    };
    let chosen = settings.iter().zip(filters).filter(|(setting, _)| chosen == Some(**setting));
    let mut costs: Vec<Cost> = chosen.map(|((_, bits), runner)| cost("bloom", bits / 8, runner)).collect();
    for (mode, runner) in ["trie", "verified"].into_iter().zip(stages) {
        if let Contender::Stage(stage, _) = &runner.contender {
            let filter = stage.filter_bytes() as u64;
            costs.push(cost(mode, filter + stage.trie_bytes() as u64, runner));
        }
    }
    let Options { rule, hash, capacity, target, .. } = *options;
    Ok(Report { source, texts: count, distinct, skipped, rule, hash, capacity, target, rows, recommended, costs })
}

// The truth is exact but for equal 128-bit digests, and a chunk small beside a cache.
const _: () = assert!(size_of::<Item>() * CHUNK <= 256 << 10);

#[cfg(test)]
mod tests {
    use super::*;

    fn options(bits: Vec<u64>, hashes: Vec<u32>) -> Options {
        let (rule, hash) = (BloomRule::All, BloomHash::Xxh3);
        let (capacity, target, exact_on, probes) = (10_000, 0.01, ExactOn::Canonical, 50_000);
        Options { bits, hashes, rule, hash, capacity, target, exact_on, probes, seed: 11, threads: 2 }
    }

    fn posts(count: u64) -> Texts {
        Texts::Generated { count, seed: 7 }
    }

    /// Three sizes, fixed seeds, both rules and hashes: the prediction lies within the 99.9 % interval of the measurement.
    #[test]
    fn measured_errors_are_the_predicted_ones() {
        let cases = [
            (BloomRule::All, BloomHash::Xxh3, vec![1, 3, 7]),
            (BloomRule::Any, BloomHash::Xxh3, vec![1, 2, 4]),
            (BloomRule::All, BloomHash::BkdrAp, vec![2]),
            (BloomRule::Any, BloomHash::BkdrAp, vec![2]),
        ];
        for (rule, hash, hashes) in cases {
            let options = Options { rule, hash, ..options(vec![60_000, 200_000, 1_000_000], hashes) };
            let report = sweep(posts(20_000), &options).unwrap();
            for row in report.rows {
                let Measured { false_positives, probes, .. } = row.measured;
                let (low, high) = predict::wilson(false_positives, probes, predict::Z999);
                let expected = row.predicted_by_fill;
                assert!(
                    (low..=high).contains(&expected),
                    "{rule:?} {hash:?} {} {}: {expected} {low}..{high}",
                    row.bits,
                    row.hashes
                );
                assert!((row.predicted / expected - 1.0).abs() < 0.1, "{} {}: {}", row.bits, row.hashes, row.predicted);
                // Losses of neighbours hang together, so that the interval is a little wider than for independent draws.
                let (low, high) = predict::wilson(row.false_drops, report.distinct, 5.0);
                assert!((low..=high).contains(&row.predicted_loss), "{} {}: {row:?}", row.bits, row.hashes);
            }
        }
    }

    #[test]
    fn all_but_times_is_the_same_for_any_number_of_threads() {
        let run = |threads| {
            let options = Options { threads, ..options(vec![8, 50_000, 400_000], vec![1, 2, 5]) };
            let mut report = sweep(posts(9_000), &options).unwrap();
            report.rows.iter_mut().for_each(|row| row.ns_per_text = 0.0);
            report.costs.iter_mut().for_each(|cost| cost.ns_per_text = 0.0);
            report
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(64));
        assert!(one.costs[1..].iter().all(|cost| (cost.false_drops, cost.missed) == (0, 0)), "{:?}", one.costs);
    }

    #[test]
    fn the_recommendation_is_the_smallest_and_holds() {
        let options = options(vec![50_000], (1..=8).collect());
        let best = sweep(posts(1000), &options).unwrap().recommended.unwrap();
        assert_eq!((best.bits, best.hashes), (95_936, 7));
        let Measured { rate, probes, .. } = best.confirmed.unwrap();
        assert!(probes >= 50_000 && (rate / 0.01 - 1.0).abs() < 0.15, "{rate}");
    }

    #[test]
    fn options_that_cannot_work_are_named() {
        let good = || options(vec![1000], vec![2]);
        let cases = [
            ("--bits", Options { bits: vec![4], ..good() }),
            ("--bits", Options { bits: vec![1 << 40], ..good() }),
            ("--hashes", Options { hashes: vec![65], ..good() }),
            ("--hashes", Options { hashes: vec![3], hash: BloomHash::BkdrAp, ..good() }),
            ("--capacity", Options { capacity: 0, ..good() }),
            ("--target-error", Options { target: 1.0, ..good() }),
            ("--probes", Options { probes: 0, ..good() }),
        ];
        for (option, options) in cases {
            let error = sweep(posts(10), &options).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{option}: ")), "{error}");
        }
    }
}
