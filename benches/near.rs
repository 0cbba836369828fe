//! One query and one insertion into a full near index: ours, the linear scan and gaoya's SimHash index; and the overlap
//! engine.
//!
//! gaoya 0.2 is set to 6 blocks and distance 4: its query takes `<`, so it finds 3 at most where ours finds 4.
#![allow(missing_docs, clippy::print_stderr)]

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use gaoya::simhash::SimHashIndex;
use quchong::near::bands::BandTables;
use quchong::near::overlap::{Bounds, Overlap};
use quchong::text::body::{Body, body_into};
use quchong::text::normalise::canonical_into;
use quchong::{Config, Pos};

fn mix(i: u64) -> u64 {
    let mut z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

fn random(i: u64) -> u64 {
    mix(i)
}

/// A fifth share the lowest 22 bits: a whole band of ours, two blocks of gaoya's.
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
    fn insert(&mut self, value: u64, number: u32) {
        BandTables::insert(self, value, number);
    }
    fn ask(&self, value: u64) -> bool {
        self.earliest(value).is_some()
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
                // Never more than a quarter above the size in the name.
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

fn near(c: &mut Criterion) {
    at::<Vec<u64>>(c, "linear", 10_000, "random", random);
    for (shape, make) in [("random", random as fn(u64) -> u64), ("skewed", skewed)] {
        for size in [100_000, 1_000_000] {
            at::<BandTables>(c, "ours", size, shape, make);
            at::<SimHashIndex<u64, u32>>(c, "gaoya", size, shape, make);
        }
    }
}

/// Bodies of real posts, one token a character; none where the file is absent.
fn posts() -> Vec<Vec<u32>> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/weibo-dev.jsonl");
    let file = std::fs::read_to_string(path).unwrap_or_default();
    let (rules, mut canonical, mut body) = (Config::default().rules, String::new(), Body::default());
    let tokens = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        canonical_into(record["text"].as_str().unwrap_or_default(), &mut canonical);
        body_into(&canonical, rules, &mut body);
        body.text.chars().filter(|c| c.is_alphanumeric()).map(u32::from).collect()
    };
    let mut seen = HashSet::new();
    // Equal bodies never reach the engine.
    file.lines().map(tokens).filter(|body: &Vec<u32>| seen.insert(body.clone())).collect()
}

/// One distinct post through the overlap engine, whose window is full: asked, and kept if nothing is possible.
fn overlap(c: &mut Criterion) {
    let posts = posts();
    for window in [50_000, 100_000] {
        if posts.len() < window + window / 2 {
            eprintln!("skipped: ../shared/data/weibo-dev.jsonl has too few posts or is not there");
            return;
        }
        let (mut engine, mut next, bounds) = (Overlap::new(window as u64), 0, Bounds::default());
        let mut pass = |times: usize| {
            for pos in next..next + times {
                let post = &posts[pos % posts.len()];
                if black_box(engine.earliest(post, Pos(pos as u64), &bounds, |found| Some(found.number))).is_none() {
                    engine.remember(post, Pos(pos as u64));
                }
            }
            next += times;
        };
        pass(window);
        c.bench_function(&format!("overlap/{window}/posts"), |b| {
            b.iter_custom(|times| {
                let start = Instant::now();
                pass(times as usize);
                start.elapsed()
            });
        });
    }
}

/// Codes by SMS: all kept bodies are one template with another number. `rejected`: all are possible and none is
/// accepted, the worst that can happen; `accepted`: the first is.
fn template(c: &mut Criterion) {
    let body = |i: u32| {
        (0..40)
            .map(|t| if t % 13 == 5 { 1_000_000 + (mix(u64::from(i) << 8 | t) >> 40) as u32 } else { t as u32 })
            .collect::<Vec<_>>()
    };
    let mut engine = Overlap::new(1 << 20);
    (0..10_000).for_each(|i| engine.remember(&body(i), Pos(u64::from(i))));
    for (name, accept) in [("rejected", false), ("accepted", true)] {
        c.bench_function(&format!("overlap/10000/template {name}"), |b| {
            let new = body(10_000);
            b.iter(|| engine.earliest(&new, Pos(10_000), &Bounds::default(), |found| accept.then_some(found.number)));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    targets = near, overlap, template
}
criterion_main!(benches);
