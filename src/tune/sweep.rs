//! Tries all settings in one pass. One thread reads and hashes the texts and knows which repeat; each other thread owns some of the
//! filters.

use std::collections::HashSet;

use super::race::{CHUNK, Chunk, Contender, Hasher, Item, Runner, median, race};
use super::recommend::{MOST_CONFIRMED, confirm, recommend};
use super::texts::{Texts, Unread, fresh_posts, nothing};
use super::{BloomSweep, Cost, Grid, Measured, Trial, predict};
use crate::config::ExactMode;
use crate::error::Result;
use crate::exact::trie::DigestTrie;
use crate::fingerprint::Digest;

/// Largest number of texts to which a trie is grown to measure its size. Larger tries are scaled up from it.
const MOST_GROWN: u64 = 1_000_000;

/// Returns the bytes of the digest trie with this many texts. They depend only on that number. They are not scaled up from the input,
/// since a trie of few texts is mostly spare room.
fn trie_bytes(texts: u64) -> u64 {
    scaled_bytes(texts, MOST_GROWN)
}

fn scaled_bytes(texts: u64, most_grown: u64) -> u64 {
    let (mut trie, grown) = (DigestTrie::new(), texts.clamp(1, most_grown));
    (0..grown).for_each(|text| trie.insert(Digest::of(&text.to_le_bytes(), 0), text));
    (trie.bytes() as u128 * u128::from(texts) / u128::from(grown)) as u64
}

/// What the feeding thread has read.
#[derive(Default)]
struct Read {
    /// The digests of all texts so far.
    truth: HashSet<u128>,
    /// Number of texts that were hashed; `skipped` counts those that were not.
    count: u64,
    skipped: u64,
    unread: Unread,
}

/// Sends all texts, each marked as new or not, and then probes that are not among the texts.
fn feed(texts: Texts, options: &Grid, send: &mut dyn FnMut(Chunk)) -> Result<Read> {
    let (name, mut read) = (texts.name(), Read::default());
    let mut hasher = Hasher::new(options.exact_on, options.hash);
    let mut items = Vec::with_capacity(CHUNK);
    read.unread = texts.each(|text| {
        match hasher.item(text) {
            Some(item) => items.push(Item { fresh: read.truth.insert(item.digest.0), ..item }),
            None => read.skipped += 1,
        }
        if items.len() == CHUNK {
            read.count += CHUNK as u64;
            send(Chunk::Texts(std::mem::replace(&mut items, Vec::with_capacity(CHUNK))));
        }
        true
    })?;
    read.skipped += read.unread.count;
    read.count += items.len() as u64;
    send(Chunk::Texts(std::mem::take(&mut items)));
    if read.count == 0 {
        return Err(read.unread.error(&name, nothing()));
    }
    let mut left = options.probes();
    for text in fresh_posts(options.seed.wrapping_add(1))? {
        items.extend(hasher.item(&text).filter(|item| !read.truth.contains(&item.digest.0)));
        if items.len() as u64 == left.min(CHUNK as u64) {
            left -= items.len() as u64;
            send(Chunk::Probes(std::mem::replace(&mut items, Vec::with_capacity(CHUNK))));
            if left == 0 {
                break;
            }
        }
    }
    Ok(read)
}

/// Tries every setting on the texts.
///
/// # Errors
/// [`Error::Config`](crate::Error::Config) naming an option that cannot work;
/// [`Error::Unmeasurable`](crate::Error::Unmeasurable) if the input has no texts; [`Error::Io`](crate::Error::Io) if reading fails.
///
/// ```
/// use quchong::config::ExactOn;
/// use quchong::exact::paper::{BloomHash, BloomRule};
/// use quchong::tune::{Grid, sweep::sweep, texts::Texts};
///
/// let options = Grid {
///     bits: vec![10_000, 100_000],
///     hashes: vec![4],
///     rule: BloomRule::All,
///     hash: BloomHash::Xxh3,
///     capacity: 1000,
///     target: 1e-3,
///     exact_on: ExactOn::Canonical,
///     probes: Some(1000),
///     seed: 1,
///     threads: 1,
/// };
/// let report = sweep(Texts::Generated { count: 1000, seed: 1 }, &options)?;
/// assert!(report.rows[0].loss >= report.rows[1].loss);
/// println!("{}", report.markdown());
/// # Ok::<(), quchong::Error>(())
/// ```
pub fn sweep(texts: Texts, options: &Grid) -> Result<BloomSweep> {
    options.validate()?;
    let mut recommended = recommend(options);
    let mut settings: Vec<(u32, u64)> =
        options.hashes.iter().flat_map(|k| options.bits.iter().map(|m| (*k, m.next_multiple_of(8)))).collect();
    settings.extend(recommended.as_ref().map(|r| (r.hashes, r.bits)));
    settings.sort_unstable();
    settings.dedup();
    let filters = settings.iter().map(|(k, m)| Contender::filter(options.rule, options.hash, *m, *k));
    let stages = [ExactMode::Trie, ExactMode::Verified].map(|mode| Contender::stage(mode, options.capacity));
    let mut runners = filters.chain(stages).map(|made| made.map(Runner::new)).collect::<Result<Vec<_>>>()?;
    if let Some(best) = recommended.as_ref().filter(|_| options.capacity <= MOST_CONFIRMED) {
        let filter = Contender::filter(options.rule, options.hash, best.bits, best.hashes)?;
        runners.push(Runner::of_first(filter, options.capacity));
    }

    let source = texts.name();
    let mut read = Read::default();
    let mut runners = race(runners, options.threads, |send| {
        read = feed(texts, options, send)?;
        Ok(())
    })?;
    let Read { truth, count, skipped, unread } = read;

    let distinct = truth.len() as u64;
    let mut stages = runners.split_off(settings.len());
    let to_confirm = stages.split_off(2).pop();
    let nanos = |runner: &Runner| median(runner.times.clone());
    let chosen = recommended.as_ref().map(|r| (r.hashes, r.bits));
    let row = |(&(hashes, bits), runner): (&(u32, u64), &Runner)| {
        let (rule, n, fill) = (options.rule, distinct as f64, runner.contender.fill());
        let even = predict::effective_bits(options.hash, bits);
        Trial {
            bits,
            hashes,
            bytes: bits / 8,
            false_drops: runner.false_drops,
            loss: runner.false_drops as f64 / n,
            predicted_loss: predict::loss(rule, hashes, n, even),
            measured: Measured::new(runner.false_positives, options.probes()),
            predicted: predict::rate(rule, hashes, n, even),
            predicted_by_fill: predict::rate_of_fill(rule, hashes, (fill * bits as f64 / even as f64).min(1.0)),
            fill,
            ns_per_text: nanos(runner),
            recommended: chosen == Some((hashes, bits)),
        }
    };
    let rows: Vec<Trial> = settings.iter().zip(&runners).map(row).collect();
    let Grid { rule, hash, capacity, target, exact_on, seed, .. } = *options;
    // A filter has its full size from the start; a trie grows with its texts.
    let cost = |mode, filter: u64, [trie, trie_at_capacity]: [u64; 2], runner: &Runner| Cost {
        mode,
        bytes: filter + trie,
        bytes_at_capacity: filter + trie_at_capacity,
        ns_per_text: nanos(runner),
        false_drops: runner.false_drops,
        missed: runner.missed,
    };
    let mut costs = Vec::new();
    if let Some((at, best)) = settings.iter().position(|s| chosen == Some(*s)).zip(recommended.as_mut()) {
        let runner = runners.swap_remove(at);
        costs.push(cost("bloom", best.bytes, [0; 2], &runner));
        best.confirmed = match to_confirm {
            Some(filled) => confirm(options, filled.contender, truth)?,
            None => None,
        };
    }
    let trie_at_capacity = trie_bytes(capacity);
    for (mode, runner) in ["trie", "verified"].into_iter().zip(&stages) {
        if let Contender::Stage(stage, _) = &runner.contender {
            let filter = stage.filter_bytes() as u64;
            costs.push(cost(mode, filter, [stage.trie_bytes() as u64, trie_at_capacity], runner));
        }
    }
    let texts = count;
    Ok(BloomSweep {
        source,
        texts,
        distinct,
        skipped,
        unread,
        rule,
        hash,
        capacity,
        target,
        exact_on,
        seed,
        rows,
        recommended,
        costs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ExactOn;
    use crate::exact::paper::{BloomHash, BloomRule};
    use crate::tune::Confirmed;

    fn options(bits: Vec<u64>, hashes: Vec<u32>) -> Grid {
        let (rule, hash) = (BloomRule::All, BloomHash::Xxh3);
        let (capacity, target, exact_on, probes) = (10_000, 0.01, ExactOn::Canonical, Some(50_000));
        Grid { bits, hashes, rule, hash, capacity, target, exact_on, probes, seed: 11, threads: 2 }
    }

    fn posts(count: u64) -> Texts {
        Texts::Generated { count, seed: 7 }
    }

    /// Three sizes, fixed seeds, both rules and hashes: the prediction is within the 99.9 % interval of the measurement.
    #[test]
    fn measured_errors_are_the_predicted_ones() {
        let cases = [
            (BloomRule::All, BloomHash::Xxh3, vec![1, 3, 7]),
            (BloomRule::Any, BloomHash::Xxh3, vec![1, 2, 4]),
            (BloomRule::All, BloomHash::BkdrAp, vec![2]),
            (BloomRule::Any, BloomHash::BkdrAp, vec![2]),
        ];
        for (rule, hash, hashes) in cases {
            let options = Grid { rule, hash, ..options(vec![60_000, 200_000, 1_000_000], hashes) };
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
                // Losses of texts near each other depend on each other, so the interval is a little wider than for independent draws.
                let (low, high) = predict::wilson(row.false_drops, report.distinct, 5.0);
                assert!((low..=high).contains(&row.predicted_loss), "{} {}: {row:?}", row.bits, row.hashes);
            }
        }
    }

    #[test]
    fn all_but_times_is_the_same_for_any_number_of_threads() {
        let run = |threads| {
            let options = Grid { threads, ..options(vec![8, 50_000, 400_000], vec![1, 2, 5]) };
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
        let Confirmed { of_input, generated, measured, .. } = best.confirmed.unwrap();
        assert!(measured.probes == 50_000 && (measured.rate / 0.01 - 1.0).abs() < 0.15, "{measured:?}");
        // The filter is filled further from the texts of the input up to the capacity.
        assert!((500..1000).contains(&of_input) && of_input + generated == 10_000, "{of_input} {generated}");
    }

    /// If the input has more distinct texts than the capacity, the measured filter holds the first of them, and no generated posts.
    #[test]
    fn a_recommendation_for_less_than_the_input_is_measured_too() {
        let options = Grid { capacity: 1000, ..options(vec![50_000], vec![3, 7]) };
        let best = sweep(posts(5000), &options).unwrap().recommended.unwrap();
        let Confirmed { of_input, generated, measured, .. } = best.confirmed.unwrap();
        assert_eq!((of_input, generated), (1000, 0));
        assert!((measured.rate / 0.01 - 1.0).abs() < 0.3, "{measured:?}");
    }

    /// The size of a trie at the capacity is the same for 10 texts of input as for 5000.
    #[test]
    fn a_trie_at_the_capacity_does_not_depend_on_the_input() {
        let costs = [10, 5000].map(|count| sweep(posts(count), &options(vec![50_000], vec![7])).unwrap().costs);
        for [bloom, trie, verified] in costs.iter().map(|costs| <&[Cost; 3]>::try_from(&costs[..]).unwrap()) {
            assert_eq!(bloom.bytes, bloom.bytes_at_capacity);
            assert!(verified.bytes_at_capacity > trie.bytes_at_capacity && verified.bytes > trie.bytes);
        }
        assert_eq!(costs[0][1].bytes_at_capacity, costs[1][1].bytes_at_capacity);
        let most = scaled_bytes(100_000, 100_000);
        assert!(scaled_bytes(200_000, 100_000) == 2 * most && most < 56 * 100_000, "{most}");
    }

    /// With two 32-bit hashes, no filter size reaches an error rate of 10^-5 at 5·10^7 texts.
    #[test]
    fn what_a_hash_cannot_reach_is_not_recommended() {
        let beyond = |hash| {
            let options = Grid { hash, capacity: 50_000_000, target: 1e-5, ..options(vec![50_000], vec![2]) };
            recommend(&options)
        };
        assert_eq!(beyond(BloomHash::BkdrAp), None);
        assert!(beyond(BloomHash::Xxh3).is_some_and(|best| best.bits > 1 << 32));
    }

    #[test]
    fn no_texts_are_no_failure_of_the_system() {
        let error = sweep(posts(0), &options(vec![1000], vec![2])).unwrap_err();
        assert!(matches!(error, crate::Error::Unmeasurable { line: 0, .. }), "{error:?}");
        assert!(error.to_string().contains("seed 7: no text could be read: field"), "{error}");
    }

    #[test]
    fn options_that_cannot_work_are_named() {
        let good = || options(vec![1000], vec![2]);
        let cases = [
            ("--bits", Grid { bits: vec![4], ..good() }),
            ("--bits", Grid { bits: vec![1 << 40], ..good() }),
            ("--capacity", Grid { rule: BloomRule::Any, hashes: vec![1], capacity: 1 << 30, target: 1e-3, ..good() }),
            ("--capacity", Grid { capacity: 1 << 32, target: 1e-300, ..good() }),
            ("--bits", Grid { bits: (8..=3008).collect(), ..good() }),
            ("--hashes", Grid { hashes: vec![65], ..good() }),
            ("--hashes", Grid { hashes: vec![3], hash: BloomHash::BkdrAp, ..good() }),
            ("--capacity", Grid { capacity: 0, ..good() }),
            ("--target-error", Grid { target: 1.0, ..good() }),
            ("--probes", Grid { probes: Some(0), ..good() }),
        ];
        for (option, options) in cases {
            let error = sweep(posts(10), &options).unwrap_err().spelled(crate::Spelling::Flag);
            assert!(error.starts_with(&format!("{option}: ")), "{error}");
        }
    }
}
