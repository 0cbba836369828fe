//! Each stage, and the whole pipeline, on posts made by `quchong generate`; compared with the paper's O(n²) scan.
//!
//! Read ratios, not times. The near index and the exact structures have benches of their own (`near`, `exact`).
#![allow(clippy::expect_used, missing_docs, reason = "a bench that cannot start may panic")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quchong::config::{Config, ExactMode, NearMode, Rules, Shingle};
use quchong::fingerprint::{Printer, simhash};
use quchong::generate::{Generator, Recipe};
use quchong::text::Clean;
use quchong::text::body::{Body, body_into};
use quchong::text::normalise::{canonical, canonical_into};
use quchong::{Deduplicator, Record};

fn posts(n: usize) -> Vec<String> {
    Generator::new(1, Recipe::default()).expect("the default options").take(n).map(|post| post.text).collect()
}

fn stages(c: &mut Criterion) {
    let posts = posts(1000);
    let mut group = c.benchmark_group("stage");
    group.throughput(Throughput::Elements(posts.len() as u64));
    group.measurement_time(Duration::from_secs(2)).sample_size(20);

    let mut out = String::new();
    group.bench_function("canonical", |b| {
        b.iter(|| posts.iter().for_each(|post| canonical_into(black_box(post), &mut out)))
    });
    let canonicals: Vec<String> = posts.iter().map(|post| canonical(post)).collect();
    let mut body = Body::default();
    group.bench_function("body", |b| {
        b.iter(|| canonicals.iter().for_each(|text| body_into(black_box(text), Rules::ALL, &mut body)));
    });
    for (name, shingle) in [("print word:2", Shingle::Words(2)), ("print char:3", Shingle::Chars(3))] {
        let printer = Printer::new(&Config { shingle, ..Config::of(NearMode::SimHash) });
        group.bench_function(name, |b| {
            b.iter(|| {
                // A fresh cache: otherwise it would answer all passes but the first.
                let mut clean = Clean::default();
                posts.iter().for_each(|post| {
                    black_box(printer.print_text(post, &mut clean));
                })
            });
        });
    }
    let features: Vec<Vec<u64>> =
        (0..1000).map(|i| (0..38).map(|j| (i * 38 + j + 1) * 0x9E37_79B9_7F4A_7C15).collect()).collect();
    group.bench_function("simhash of 38 features", |b| {
        b.iter(|| {
            features.iter().for_each(|features| {
                black_box(simhash(features));
            })
        });
    });
    group.finish();
}

/// A whole [`Deduplicator`], compared with the paper's second stage, which compares each post with all kept ones.
fn whole(c: &mut Criterion) {
    let posts = posts(20_000);
    let mut group = c.benchmark_group("whole");
    group.throughput(Throughput::Elements(posts.len() as u64));
    group.measurement_time(Duration::from_secs(3)).sample_size(10);
    let base = Config { shingle: Shingle::Chars(3), capacity: 100_000, ..Config::of(NearMode::SimHash) };
    let near_none = Config { near: NearMode::None, ..base.clone() };
    for (name, config) in [
        ("verified + simhash", base.clone()),
        ("verified", near_none.clone()),
        ("bloom", Config { exact: ExactMode::Bloom, ..near_none }),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut dedup = Deduplicator::new(config.clone()).expect("a valid configuration");
                let kept = posts.iter().zip(1..).filter(|(post, id)| {
                    dedup.judge(&Record::new(*id, post.as_str())).is_ok_and(|judged| judged.verdict.is_kept())
                });
                kept.count()
            });
        });
    }
    group.bench_function("rival: simhash, all pairs", |b| {
        b.iter(|| {
            let printer = Printer::new(&base);
            let (mut clean, mut kept) = (Clean::default(), Vec::<u64>::new());
            for post in &posts {
                if let Some(print) = printer.print_text(post, &mut clean).simhash
                    && !kept.iter().any(|other| (other ^ print).count_ones() <= 4)
                {
                    kept.push(print);
                }
            }
            kept.len()
        });
    });
    group.finish();
}

criterion_group!(benches, stages, whole);
criterion_main!(benches);
