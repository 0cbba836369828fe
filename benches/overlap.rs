//! The overlap engine on real posts: one query and, if nothing is near, one insertion; and its worst case.
#![allow(missing_docs, clippy::print_stderr, reason = "a bench tells what it skips")]

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use quchong::config::SIMILARITY;
use quchong::near::overlap::Standalone;
use quchong::rule::{Bounds, least_covered};
use quchong::text::body::{Body, body_into};
use quchong::text::normalise::canonical_into;
use quchong::{Config, Pos};

fn mix(i: u64) -> u64 {
    let mut z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Bodies of real posts, one token per character; empty if the file is missing.
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

/// Puts one distinct post through the overlap engine with a full window: looks it up, and keeps it if no candidate is found.
fn overlap(c: &mut Criterion) {
    let posts = posts();
    for window in [50_000, 100_000] {
        if posts.len() < window + window / 2 {
            eprintln!("skipped: ../shared/data/weibo-dev.jsonl has too few posts or is not there");
            return;
        }
        let (mut engine, mut next) = (Standalone::new(window as u64, Bounds::of_similarity(SIMILARITY)), 0);
        let mut pass = |times: usize| {
            for pos in next..next + times {
                let post = &posts[pos % posts.len()];
                let least = |kept| least_covered(SIMILARITY, kept, post.len());
                if black_box(engine.earliest(post, Pos(pos as u64), least, |found| Some(found.number))).is_none() {
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

/// SMS codes: all kept bodies are one template with different numbers. `rejected`: all are candidates and none is accepted, which is the
/// worst case. `accepted`: the first is accepted.
fn template(c: &mut Criterion) {
    let body = |i: u32| {
        (0..40)
            .map(|t| if t % 13 == 5 { 1_000_000 + (mix(u64::from(i) << 8 | t) >> 40) as u32 } else { t as u32 })
            .collect::<Vec<_>>()
    };
    let mut engine = Standalone::new(1 << 20, Bounds::of_similarity(SIMILARITY));
    (0..10_000).for_each(|i| engine.remember(&body(i), Pos(u64::from(i))));
    for (name, accept) in [("rejected", false), ("accepted", true)] {
        c.bench_function(&format!("overlap/10000/template {name}"), |b| {
            let new = body(10_000);
            let least = |kept| least_covered(SIMILARITY, kept, new.len());
            b.iter(|| engine.earliest(&new, Pos(10_000), least, |found| accept.then_some(found.number)));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    targets = overlap, template
}
criterion_main!(benches);
