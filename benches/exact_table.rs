//! The table of `quchong::exact`: bytes and nanoseconds per text, and the error rate, of each structure.
//!
//! `cargo bench --bench exact_table` takes 10^6 distinct texts (half a minute, 1 GB); with `EXACT_SIZE=10000000`, it takes that many (four
//! minutes, 7 GB). Quote the quickest of several runs. `-- NAME` selects structures with NAME in their name.
#![allow(missing_docs, clippy::print_stdout)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use quchong::config::{BloomSize, Config};
use quchong::exact::bloom::Filter;
use quchong::exact::paper::trie::{PaperTrie, Path};
use quchong::exact::trie::DigestTrie;
use quchong::fingerprint::Digest;

/// Counts the allocated bytes, and their maximum: the same measure for every structure.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn more(bytes: usize) {
    MOST.fetch_max(HELD.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: all work is done by the system allocator; only sizes are recorded.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_sub(layout.size(), Relaxed);
        more(size);
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A headline of some 35 characters, 105 bytes, different for each `i`.
fn text(i: u64) -> String {
    let text = format!("本市今日发布第{i}号通知，请广大市民注意防范并相互转告，详情见官网公告");
    // Drop spare capacity, which would be counted for a set of texts.
    text.into_boxed_str().into_string()
}

fn digest(i: u64) -> Digest {
    Digest::of(text(i).as_bytes(), 1)
}

fn nanos(spent: Duration, calls: u64) -> f64 {
    spent.as_nanos() as f64 / calls as f64
}

/// Fills a structure with `n` texts, looks up 10^6 of them and 10^6 other texts, and prints one row. `key` is not timed. `insert` also
/// gets the text's number, and returns whether the structure took the text for a repeat.
fn row<S, K>(
    name: &str,
    n: u64,
    new: impl FnOnce() -> S,
    key: impl Fn(u64) -> K,
    mut insert: impl FnMut(&mut S, K, u64) -> bool,
    has: impl Fn(&S, &K) -> bool,
) {
    const BATCH: u64 = 4096;
    let asked_for = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if asked_for.is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let (mut set, mut spent, mut lost) = (new(), Duration::ZERO, 0);
    for from in (0..n).step_by(BATCH as usize) {
        let keys: Vec<K> = (from..n.min(from + BATCH)).map(&key).collect();
        let start = Instant::now();
        lost += keys.into_iter().zip(from..).map(|(key, i)| u64::from(insert(&mut set, key, i))).sum::<u64>();
        spent += start.elapsed();
    }
    let per_text = |bytes: usize| (bytes - before) as f64 / n as f64;
    let (held, most) = (per_text(HELD.load(Relaxed)), per_text(MOST.load(Relaxed)));
    let asked = n.min(1_000_000);
    let ask = |from: u64| {
        // In another order than that of insertion: every 7919th text, wrapping around.
        let keys: Vec<K> = (0..asked).map(|i| key(from + i * 7919 % n)).collect();
        let start = Instant::now();
        let found = keys.iter().filter(|key| has(&set, key)).count();
        (nanos(start.elapsed(), asked), found as f64 / asked as f64)
    };
    let ((hit, found), (miss, wrong)) = (ask(0), ask(n));
    assert!(found == 1.0, "{name} misses repeats");
    let insert = nanos(spent, n);
    println!("| {name} | {held:.1} | {most:.1} | {insert:.0} | {hit:.0} | {miss:.0} | {lost} | {wrong:.1e} |");
}

fn main() {
    let n = std::env::var("EXACT_SIZE").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let texts: Vec<String> = (0..100_000).map(text).collect();
    let start = Instant::now();
    let bits = texts.iter().fold(0, |bits, text| bits ^ Digest::of(text.as_bytes(), 1).0);
    println!("{n} texts; a digest takes {:.0} ns ({})\n", nanos(start.elapsed(), 100_000), bits & 1);
    drop(texts);
    println!("| structure | bytes | most bytes | insert ns | hit ns | miss ns | lost texts | error |");
    println!("|---|---|---|---|---|---|---|---|");

    let filter_of = |bloom, bloom_rounds: u32| {
        let config = Config { capacity: n, bloom, bloom_rounds, ..Config::default() };
        Filter::new(&config).unwrap_or_else(|error| panic!("{error}"))
    };
    let filter = |error: f64, rounds| filter_of(BloomSize::Error(Some(error)), rounds);
    for (error, rounds) in [(1e-6, 1), (1e-2, 1), (1e-2, 2), (1e-2, 4)] {
        let name = format!("Bloom {error:.0e}, rounds {rounds}");
        row(&name, n, || filter(error, rounds), digest, |set, key, _| set.insert(key), |set, key| set.holds(*key));
    }
    for error in [1e-6f64, 1e-2] {
        // The number of bits of a standard filter with this error: −n·ln(p) / ln(2)².
        let bits = (-(n as f64) * error.ln() / std::f64::consts::LN_2.powi(2)).ceil() as u64;
        let standard = || filter_of(BloomSize::Bits { bits, hashes: None }, 1);
        let name = format!("Bloom {error:.0e}, bits stated");
        row(&name, n, standard, digest, |set, key, _| set.insert(key), |set, key| set.holds(*key));
        let fast = || fastbloom::BloomFilter::with_false_pos(error).seed(&1).expected_items(n as usize);
        let key = |i| digest(i).0;
        row(
            &format!("fastbloom {error:.0e}"),
            n,
            fast,
            key,
            |set, key, _| set.insert(&key),
            |set, key| set.contains(key),
        );
    }
    let verify = |(filter, trie): &mut (Filter, DigestTrie), key, i| {
        let held = filter.insert(key) && trie.get(key).is_some();
        if !held {
            trie.insert(key, i);
        }
        held
    };
    let verified = || (filter(1e-2, 1), DigestTrie::new());
    row("verified", n, verified, digest, verify, |(filter, trie), key| filter.holds(*key) && trie.get(*key).is_some());
    let insert = |trie: &mut DigestTrie, key, i| {
        let held = trie.get(key).is_some();
        if !held {
            trie.insert(key, i);
        }
        held
    };
    row("trie", n, DigestTrie::new, digest, insert, |trie, key| trie.get(*key).is_some());
    let insert = |trie: &mut PaperTrie, key, i| {
        let held = trie.get(key) != Path::Broken;
        held || trie.insert(key, i).is_err()
    };
    row("paper-trie", n, PaperTrie::new, |i| digest(i).0 as u32, insert, |trie, key| trie.get(*key) != Path::Broken);
    let insert = |set: &mut HashSet<u128>, key, _| !set.insert(key);
    row("HashSet of digests", n, HashSet::new, |i| digest(i).0, insert, |set, key| set.contains(key));
    let insert = |set: &mut HashSet<String>, key, _| !set.insert(key);
    row("HashSet of texts", n, HashSet::new, text, insert, |set, key| set.contains(key));
}
