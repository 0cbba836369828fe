//! One query and one insertion into a full near index: ours, the linear scan and gaoya's SimHash index.
//!
//! gaoya 0.2 is set to 6 blocks and distance 4: its query takes `<`, so it finds 3 at most where ours finds 4.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use gaoya::simhash::SimHashIndex;
use quchong::near::bands::BandTables;

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

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    targets = near
}
criterion_main!(benches);
