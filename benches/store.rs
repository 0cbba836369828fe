//! Measures how long it takes to write a state and to read it again, and its bytes per kept message.
//!
//! `cargo bench --bench store` takes 10^6 messages; with `STORE_SIZE=10000000`, that many (1.5 GB, a minute or two).
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a bench that cannot start may panic")]

use std::fs;
use std::time::Instant;

use quchong::Config;
use quchong::config::{ExactMode, NearMode};
use quchong::fingerprint::{Digest, Printed, Printer};
use quchong::generate::{Generator, Recipe};
use quchong::internals::Opened;
use quchong::store::Sync;
use quchong::text::Clean;

/// Messages per batch.
const BATCH: u64 = 800;

fn main() {
    let size: u64 = std::env::var("STORE_SIZE").map_or(1_000_000, |size| size.parse().unwrap());
    println!("| near | messages | bytes each on disk | judged and written | read again | bytes each in memory |");
    println!("|---|---|---|---|---|---|");
    for (name, config) in [
        ("simhash", Config::of(NearMode::SimHash)),
        ("none", Config::of(NearMode::None)),
        ("none, bloom", Config { exact: ExactMode::Bloom, capacity: size, ..Config::of(NearMode::None) }),
    ] {
        let printed = |i: u64| {
            let digest = Digest::of(&i.to_le_bytes(), 1);
            let simhash = (config.near == NearMode::SimHash).then_some((digest.0 >> 64) as u64);
            Printed { digest: Some(digest), simhash, signature: None, gist: None, body: None }
        };
        row(name, &config, size, printed);
    }
    let config = Config::default();
    let (printer, mut clean) = (Printer::new(&config), Clean::default());
    let mut posts = Generator::new(1, Recipe::default()).unwrap();
    row("hybrid", &config, size / 10, |_| printer.print_text(&posts.next().unwrap().text, &mut clean));
}

fn row(name: &str, config: &Config, size: u64, mut printed: impl FnMut(u64) -> Printed) {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let (lock, opened) = Opened::take(folder.path()).unwrap();
        opened.start(lock, config, Sync::Interval).unwrap()
    };
    let (mut store, mut state) = open();
    let started = Instant::now();
    for i in 0..size {
        let printed = printed(i);
        let (pos, verdict) = state.judge(&printed, None, || (i + 1).into()).unwrap();
        for message in state.remembered(pos, verdict, &printed, || (i + 1).into()) {
            store.remember(&message).unwrap();
        }
        if (i + 1).is_multiple_of(BATCH) || i + 1 == size {
            store.commit(&state, b"", None).unwrap();
            if store.is_due(&state) {
                store.sync(&state).unwrap();
            }
        }
    }
    store.close(&state).unwrap();
    let written = started.elapsed().as_secs_f64();
    drop(state);
    let bytes: u64 = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    let started = Instant::now();
    let (_, state) = open();
    let read = started.elapsed().as_secs_f64();
    let each = |bytes: u64| bytes as f64 / size as f64;
    let (disk, memory) = (each(bytes), each(state.bytes()));
    println!("| {name} | {size} | {disk:.1} | {written:.1} s | {read:.2} s | {memory:.1} |");
}
