//! The structures of the exact stage side by side at 10^6 texts: inserting a new text, looking up a repeat, and a text never seen. Takes
//! about 50 s.
//!
//! `EXACT_SIZE=10000000 cargo bench --bench exact` instead fills digest tries with that many digests and prints nanoseconds per call,
//! bytes per digest (at the end, and the maximum while filling) and the slowest insertions.
#![allow(missing_docs, clippy::print_stdout)]

use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use quchong::config::{BloomSize, Config};
use quchong::exact::bloom::Filter;
use quchong::exact::trie::DigestTrie;
use quchong::fingerprint::Digest;

const TEXTS: u64 = 1_000_000;
const BLOOM_ERROR: f64 = 1e-3;

fn digest(i: u64) -> Digest {
    Digest::of(&i.to_le_bytes(), 1)
}

/// A headline of some 35 characters, different for each `i`.
fn text(i: u64) -> String {
    format!("本市今日发布第{i}号通知，请广大市民注意防范并相互转告，详情见官网公告")
}

/// Measures one structure. `insert` is timed over whole fills from 0 to [`TEXTS`], which includes growth and merging. Look-ups are timed
/// on a full structure. `key` makes the i-th key and is not timed.
fn compare<S, K>(
    criterion: &mut Criterion,
    name: &str,
    new: impl Fn() -> S,
    key: impl Fn(u64) -> K,
    insert: impl Fn(&mut S, K),
    mut has: impl FnMut(&mut S, &K) -> bool,
) {
    const BATCH: u64 = 1000;
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(1)).sample_size(10).warm_up_time(Duration::from_millis(100));
    let (mut set, mut next) = (new(), 0);
    group.measurement_time(Duration::from_secs(4)).bench_function("insert", |b| {
        b.iter_custom(|calls| {
            let mut spent = Duration::ZERO;
            let mut left = calls;
            while left > 0 {
                if next == TEXTS {
                    (set, next) = (new(), 0);
                }
                let batch = left.min(BATCH).min(TEXTS - next);
                let keys: Vec<K> = (next..next + batch).map(&key).collect();
                let start = Instant::now();
                keys.into_iter().for_each(|key| insert(&mut set, key));
                spent += start.elapsed();
                next += batch;
                left -= batch;
            }
            spent
        });
    });
    (next..TEXTS).for_each(|i| insert(&mut set, key(i)));
    group.measurement_time(Duration::from_secs(1));
    for (what, from) in [("hit", 0), ("miss", TEXTS)] {
        // In another order than that of insertion: every 7919th text, wrapping around.
        let keys: Vec<K> = (0..200_000).map(|i| key(from + i * 7919 % TEXTS)).collect();
        let mut at = 0;
        group.bench_function(what, |b| {
            b.iter(|| {
                at = (at + 1) % keys.len();
                black_box(has(&mut set, &keys[at]))
            });
        });
    }
    group.finish();
}

fn size(digests: u64) {
    let mut trie = DigestTrie::new();
    // The work is the same in every round, so taking the quickest of three rounds hides other work on the machine.
    let mut quickest = vec![Duration::MAX; digests as usize];
    let (mut most, mut spent) = (0.0f64, Duration::MAX);
    for _ in 0..3 {
        trie = DigestTrie::new();
        let mut round = Duration::ZERO;
        for i in 0..digests {
            let key = digest(i);
            let start = Instant::now();
            trie.insert(key, i);
            let took = start.elapsed();
            round += took;
            quickest[i as usize] = quickest[i as usize].min(took);
            if i > digests / 2 && i % 1000 == 0 {
                most = most.max(trie.bytes() as f64 / (i + 1) as f64);
            }
        }
        spent = spent.min(round);
    }
    quickest.sort_unstable_by(|a, b| b.cmp(a));
    println!("{digests} digests: insert {:.0} ns", spent.as_nanos() as f64 / digests as f64);
    for (what, from) in [("hit", 0), ("miss", digests)] {
        let keys: Vec<Digest> = (0..1_000_000).map(|i| digest(from + i * 7919 % digests)).collect();
        let start = Instant::now();
        let found = keys.iter().filter(|key| trie.get(**key).is_some()).count();
        println!("{what} {:.0} ns ({found} found)", start.elapsed().as_nanos() as f64 / keys.len() as f64);
    }
    println!("{:.1} bytes per digest, at most {most:.1}", trie.bytes() as f64 / digests as f64);
    let of = |share: f64| quickest[(digests as f64 * share) as usize];
    println!("insertions: p50 {:?}, p99 {:?}, p99.9 {:?}, slowest {:?}", of(0.5), of(0.01), of(0.001), &quickest[..6]);
}

fn main() {
    if let Some(digests) = std::env::var("EXACT_SIZE").ok().and_then(|n| n.parse().ok()) {
        return size(digests);
    }
    let mut criterion = Criterion::default().configure_from_args().without_plots();
    let c = &mut criterion;
    let filter = |bloom| {
        let config = Config { capacity: TEXTS, bloom, ..Config::default() };
        Filter::new(&config).unwrap_or_else(|error| panic!("{error}"))
    };
    // The look-ups of our filter insert, too. So a miss becomes a hit when the same key comes around again.
    let insert = |set: &mut Filter, key| _ = set.insert(key);
    let by_error = || filter(BloomSize::Error(Some(BLOOM_ERROR)));
    compare(c, "bloom", by_error, digest, insert, |set, key| set.insert(*key));
    let bits = (-(TEXTS as f64) * BLOOM_ERROR.ln() / std::f64::consts::LN_2.powi(2)).ceil() as u64;
    let stated = || filter(BloomSize::Bits { bits, hashes: None });
    compare(c, "bloom, bits stated", stated, digest, insert, |set, key| set.insert(*key));
    let fast = || fastbloom::BloomFilter::with_false_pos(BLOOM_ERROR).expected_items(TEXTS as usize);
    let key = |i| digest(i).0;
    compare(c, "fastbloom", fast, key, |set, key| _ = set.insert(&key), |set, key| set.contains(key));
    let insert = |set: &mut DigestTrie, key| set.insert(key, 1 << 20);
    compare(c, "trie", DigestTrie::new, digest, insert, |set, key| set.get(*key).is_some());
    let insert = |set: &mut HashMap<_, _>, key| _ = set.insert(key, 1u64 << 20);
    compare(c, "hash map of digests", HashMap::new, key, insert, |set, key| set.contains_key(key));
    let insert = |set: &mut HashSet<_>, key| _ = set.insert(key);
    compare(c, "hash set of texts", HashSet::new, text, insert, |set, key| set.contains(key));
    criterion.final_summary();
}
