//! The near engines compared with other implementations.
//!
//! First, `near/table.rs`: SimHash compared with gaoya and mih-rs, on random fingerprints, on those of real posts, and on floods.
//!
//! SimHash: one query and one insertion into a full index, for our index, a linear scan and gaoya. gaoya 0.2 is set to 6 blocks and
//! distance 4. Its query compares with `<`, so it finds only distance 3, while ours finds 4. Therefore ours is measured at distance 3,
//! too.
//!
//! MinHash with P = 128, similarity 0.5 and 32 bands of 4, over the bigrams of generated posts:
//! - 1000 signatures;
//! - a stream of 50 000 posts, each signed, looked up, and stored if nothing is near;
//! - `hot`, the worst case: a query when all stored signatures share one band with it but are not near.
//!
//! gaoya gets the same bands, and XXH3 instead of its FNV.
#![allow(clippy::expect_used, clippy::print_stderr, missing_docs, reason = "a bench may panic, and tell what it kept")]

#[path = "near/table.rs"]
mod table;

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gaoya::minhash::{MinHashIndex, MinHasher, MinHasher32};
use gaoya::simhash::SimHashIndex;
use quchong::Config;
use quchong::config::NearMode;
use quchong::fingerprint::Printer;
use quchong::fingerprint::minhash::Orders;
use quchong::generate::{Generator, Recipe};
use quchong::near::banding::Banding;
use quchong::near::bands::BandTables;
use quchong::near::minhash::SignatureTables;
use quchong::text::{Analyser, Clean};

fn mix(i: u64) -> u64 {
    let mut z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

fn random(i: u64) -> u64 {
    mix(i)
}

/// A mask of `count` distinct bits, chosen by `seed`.
fn bits(seed: u64, count: u32) -> u64 {
    let (mut set, mut i) = (0u64, 0);
    while set.count_ones() < count {
        set |= 1 << (mix(seed.wrapping_mul(977) ^ i << 32) % 64);
        i += 1;
    }
    set
}

/// Distinct fingerprints of real posts, in their order; empty if the file of posts is missing.
fn posts() -> Vec<u64> {
    #[derive(serde::Deserialize)]
    struct Post<'p> {
        #[serde(borrow)]
        text: std::borrow::Cow<'p, str>,
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/weibo-dev.jsonl");
    let posts = std::fs::read_to_string(path).unwrap_or_default();
    let (printer, mut clean) = (Printer::new(&Config::of(NearMode::SimHash)), Clean::default());
    let mut seen = HashSet::new();
    let texts = posts.lines().filter_map(|line| serde_json::from_str::<Post<'_>>(line).ok());
    texts
        .filter_map(|post| printer.print_text(&post.text, &mut clean).simhash)
        .filter(|print| seen.insert(*print))
        .collect()
}

/// A fifth of the fingerprints share the lowest 22 bits: a whole band of ours, two blocks of gaoya's.
fn skewed(i: u64) -> u64 {
    if mix(!i).is_multiple_of(5) { mix(i) & !0x3F_FFFF | 0x1234 } else { mix(i) }
}

trait Index {
    fn new(expected: u64) -> Self;
    fn insert(&mut self, value: u64, number: u32);
    fn ask(&self, value: u64) -> bool;
}

impl Index for BandTables {
    fn new(expected: u64) -> Self {
        BandTables::new(4, expected)
    }
    fn insert(&mut self, value: u64, _: u32) {
        BandTables::insert(self, value);
    }
    fn ask(&self, value: u64) -> bool {
        self.earliest(value).is_some()
    }
}

/// Our index, limited to the distance that gaoya finds.
struct Within3(BandTables);

impl Index for Within3 {
    fn new(expected: u64) -> Self {
        Self(BandTables::new(3, expected))
    }
    fn insert(&mut self, value: u64, _: u32) {
        self.0.insert(value);
    }
    fn ask(&self, value: u64) -> bool {
        self.0.earliest(value).is_some()
    }
}

impl Index for SimHashIndex<u64, u32> {
    fn new(_: u64) -> Self {
        SimHashIndex::new(6, 4)
    }
    fn insert(&mut self, value: u64, number: u32) {
        SimHashIndex::insert(self, number, value);
    }
    fn ask(&self, value: u64) -> bool {
        !self.query(&value).is_empty()
    }
}

impl Index for Vec<u64> {
    fn new(_: u64) -> Self {
        Vec::new()
    }
    fn insert(&mut self, value: u64, _: u32) {
        self.push(value);
    }
    fn ask(&self, value: u64) -> bool {
        self.iter().any(|stored| (stored ^ value).count_ones() <= 4)
    }
}

fn at<I: Index>(c: &mut Criterion, name: &str, size: u64, shape: &str, make: fn(u64) -> u64) {
    let full = || {
        let mut index = I::new(size);
        (0..size).for_each(|i| index.insert(make(i), i as u32));
        index
    };
    let (mut index, mut next) = (full(), size);
    c.bench_function(&format!("{name}/{size}/{shape}"), |b| {
        b.iter_custom(|times| {
            let mut spent = Duration::ZERO;
            let mut left = times;
            while left > 0 {
                // The index never holds more than a quarter above the size in the name.
                if next >= size + size / 4 {
                    (index, next) = (full(), size);
                }
                let some = left.min(size + size / 4 - next);
                let start = Instant::now();
                for i in next..next + some {
                    let value = make(i);
                    black_box(index.ask(value));
                    index.insert(value, i as u32);
                }
                spent += start.elapsed();
                (next, left) = (next + some, left - some);
            }
            spent
        });
    });
}

/// Returns the resident bytes of this process.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    pages.and_then(|pages| pages.split(' ').nth(1)?.parse().ok()).map_or(0, |pages: usize| pages * 4096)
}

/// Prints the bytes per fingerprint of a million random ones. Returns the index, so that the next one cannot reuse its memory.
fn bytes_each<I: Index>(name: &str) -> I {
    const SIZE: u64 = 1_000_000;
    let before = resident();
    let mut index = I::new(SIZE);
    (0..SIZE).for_each(|i| index.insert(random(i), i as u32));
    eprintln!("{name}: {} bytes for each of {SIZE}", (resident() - before) as u64 / SIZE);
    index
}

fn rivals(_: &mut Criterion) {
    table::table();
}

fn near(c: &mut Criterion) {
    let all = (
        bytes_each::<BandTables>("ours"),
        bytes_each::<Within3>("ours, distance 3"),
        bytes_each::<SimHashIndex<u64, u32>>("gaoya"),
    );
    drop(all);
    at::<Vec<u64>>(c, "linear", 10_000, "random", random);
    for (shape, make) in [("random", random as fn(u64) -> u64), ("skewed", skewed)] {
        for size in [100_000, 1_000_000] {
            at::<BandTables>(c, "ours", size, shape, make);
            at::<Within3>(c, "ours, distance 3", size, shape, make);
            at::<SimHashIndex<u64, u32>>(c, "gaoya", size, shape, make);
        }
    }
}

/// Prints how the index grows, up to `QUCHONG_GROWTH` random fingerprints: microseconds for a query and an insertion, over the last tenth
/// of them, and bytes per fingerprint. 10^8 take some minutes and 8 GB.
fn growth(_: &mut Criterion) {
    let most = std::env::var("QUCHONG_GROWTH").ok().and_then(|most| most.parse().ok()).unwrap_or(0);
    for size in (4..).map(|exponent| 10u64.pow(exponent)).take_while(|size| *size <= most) {
        let before = resident();
        let mut index = BandTables::new(4, size);
        let mut add = |i: u64| {
            black_box(index.earliest(random(i)));
            index.insert(random(i));
        };
        (0..size - size / 10).for_each(&mut add);
        let start = Instant::now();
        (size - size / 10..size).for_each(&mut add);
        let each = start.elapsed().as_secs_f64() * 1e6 / (size / 10) as f64;
        eprintln!("growth: {size} {each:.2} µs {} bytes", (resident().saturating_sub(before)) as u64 / size);
    }
}

/// Returns the hashed bigrams of generated posts.
fn bigrams(posts: usize) -> Vec<Vec<u64>> {
    let analyser = Analyser::new(&Config::of(NearMode::MinHash));
    let mut clean = Clean::default();
    let posts = Generator::new(1, Recipe::default()).expect("the default options").take(posts);
    posts
        .map(|post| {
            analyser.analyse(&post.text, &mut clean);
            clean.features.clone()
        })
        .collect()
}

const POSTS: usize = 50_000;

trait Engine {
    fn new() -> Self;
    fn sign(&self, features: &[u64]) -> Vec<u32>;
    #[allow(clippy::ptr_arg, reason = "gaoya asks for a vector")]
    fn ask(&self, signature: &Vec<u32>) -> bool;
    fn insert(&mut self, signature: Vec<u32>, number: u32);
}

struct Ours(Orders, SignatureTables);

impl Engine for Ours {
    fn new() -> Self {
        Self(Orders::new(128), SignatureTables::new(Banding::choose(128, 500), 128, POSTS))
    }
    fn sign(&self, features: &[u64]) -> Vec<u32> {
        self.0.sign(features).map(Vec::from).unwrap_or_default()
    }
    fn ask(&self, signature: &Vec<u32>) -> bool {
        self.1.earliest(signature).is_some()
    }
    fn insert(&mut self, signature: Vec<u32>, _: u32) {
        self.1.insert(&signature);
    }
}

struct Gaoya(MinHasher32<std::hash::BuildHasherDefault<twox_hash::XxHash3_64>>, MinHashIndex<u32, u32>);

impl Engine for Gaoya {
    fn new() -> Self {
        let Banding { bands, rows, .. } = Banding::choose(128, 500);
        Self(MinHasher32::new_with_hasher(128, Default::default()), MinHashIndex::new(bands, rows, 0.5))
    }
    fn sign(&self, features: &[u64]) -> Vec<u32> {
        self.0.create_signature(features.iter())
    }
    fn ask(&self, signature: &Vec<u32>) -> bool {
        !self.1.query(signature).is_empty()
    }
    fn insert(&mut self, signature: Vec<u32>, number: u32) {
        self.1.insert(number, signature);
    }
}

fn engine<E: Engine>(c: &mut Criterion, name: &str, posts: &[Vec<u64>]) {
    let mut group = c.benchmark_group(format!("minhash/{name}"));
    let engine = E::new();
    group.throughput(Throughput::Elements(1000));
    group.bench_function("1000 signatures", |b| {
        b.iter(|| posts[..1000].iter().for_each(|post| drop(black_box(engine.sign(post)))));
    });
    group.throughput(Throughput::Elements(posts.len() as u64));
    let mut kept = 0;
    group.bench_function(format!("{POSTS} posts"), |b| {
        b.iter(|| {
            let mut engine = E::new();
            kept = 0;
            for post in posts {
                let signature = engine.sign(post);
                if !engine.ask(&signature) {
                    engine.insert(signature, kept);
                    kept += 1;
                }
            }
        });
    });
    eprintln!("minhash/{name}: kept {kept} of {POSTS}");
    group.throughput(Throughput::Elements(1));
    for size in [1_000, 10_000, 100_000] {
        let hot =
            |i: u64| (0..128).map(|slot| if slot < 4 { 7 } else { mix(i << 8 | slot) as u32 }).collect::<Vec<u32>>();
        let mut engine = E::new();
        (0..size).for_each(|i| engine.insert(hot(i), i as u32));
        let query = hot(size);
        group.bench_function(format!("hot/{size}"), |b| b.iter(|| black_box(engine.ask(&query))));
    }
}

fn minhash(c: &mut Criterion) {
    // gaoya's hasher cannot sign a post without a body.
    let posts: Vec<Vec<u64>> = bigrams(POSTS * 2).into_iter().filter(|post| !post.is_empty()).take(POSTS).collect();
    engine::<Ours>(c, "ours", &posts);
    engine::<Gaoya>(c, "gaoya", &posts);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    targets = rivals, growth, near, minhash
}
criterion_main!(benches);
