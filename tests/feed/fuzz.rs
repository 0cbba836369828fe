//! The fuzz targets of `fuzz/` on stable Rust: every file of the corpus, and seeded mutations of them. For more and other mutations:
//!   QUCHONG_FUZZ=100000 QUCHONG_SEED=5 cargo test --test feed fuzz:: -- --nocapture
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a panic is how a test fails; the seed must be told")]

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::place::{Place, input};
use oorandom::Rand64;
use quchong::config::NearMode;
use quchong::fingerprint::Printer;
use quchong::internals::write;
use quchong::text::Clean;
use quchong::{Config, State};
use targets::{TARGETS, Target};

/// Bytes that mean something to a reader of texts.
const WORDS: [&[u8]; 14] = [
    b"\n",
    b"\r\n",
    b"\0",
    b"\"",
    b"\\ud83d",
    b"{\"text\":\"",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe4",
    "#".as_bytes(),
    "//@小王:".as_bytes(),
    "１２.５万".as_bytes(),
    "不".as_bytes(),
    "一二三".as_bytes(),
];

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// States that this version of the program has written: a state of another version would only be refused.
fn states() -> Vec<Vec<u8>> {
    let place = Place::new(&input(40, 1));
    place.succeed(&["dedup", "-q", "--seed", "1", "--state", "state", "in.jsonl", "-o", "out.jsonl"]);
    let [head, log] = ["state/HEAD", "state/00000001.log"].map(|file| fs::read(place.path(file)).unwrap());
    let with = |head: &[u8]| [&(head.len() as u16).to_le_bytes(), head, &log].concat();
    vec![with(&head), with(b"")]
}

/// The entries that a state records of messages, one after another.
fn entries() -> Vec<Vec<u8>> {
    // Kept, a near repeat, an exact one.
    let texts =
        ["今天武汉的樱花开了 1234567890123", "转发 //@小王:今天武汉的樱花开了 1234567890123", "#樱花#", "#樱花#"];
    let modes = [NearMode::Hybrid, NearMode::SimHash, NearMode::MinHash];
    let written = |near| {
        let config = Config { explain: true, recount: true, ..Config::of(near) };
        let (printer, mut state) = (Printer::new(&config), State::new(&config).unwrap());
        texts.map(|text| {
            let printed = printer.print_text(text, &mut Clean::default());
            let (pos, verdict) = state.judge(&printed, None, || text.into()).unwrap();
            let mut bytes = Vec::new();
            for message in state.remembered(pos, verdict, &printed, || text.into()) {
                write(&message, 0, &mut bytes).unwrap();
            }
            bytes
        })
    };
    modes.into_iter().flat_map(written).collect()
}

fn mutated(corpus: &[Vec<u8>], random: &mut Rand64) -> Vec<u8> {
    let mut below = |end: usize| random.rand_range(0..end.max(1) as u64) as usize;
    let mut bytes = corpus[below(corpus.len())].clone();
    for _ in 0..=below(4) {
        let (at, to) = (below(bytes.len() + 1), below(bytes.len() + 1));
        let range = at.min(to)..at.max(to).min(at.min(to) + 300);
        match below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(8),
            1 => drop(bytes.drain(range)),
            2 => drop(bytes.splice(at..at, WORDS[below(WORDS.len())].iter().copied())),
            3 => {
                let again = bytes[range].repeat(1 + below(5));
                drop(bytes.splice(at..at, again));
            }
            4 => bytes.truncate(at),
            _ => {
                let other = &corpus[below(corpus.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[below(other.len())..]);
            }
        }
    }
    bytes
}

/// The number of panics so far, in any thread: a run turns a panic of its reader thread into an end of the input.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            told(panic);
        }));
    });
}

/// Runs a target, and fails if any of its threads panics.
fn tried(target: Target, bytes: &[u8]) {
    let before = PANICS.load(Ordering::SeqCst);
    target(bytes);
    assert_eq!(PANICS.load(Ordering::SeqCst), before, "a thread panicked");
}

fn fuzz(name: &str, target: Target, corpus: &[Vec<u8>]) {
    let number = |name| std::env::var(name).ok().map(|number: String| number.parse::<u64>().unwrap());
    let (times, seed) = (number("QUCHONG_FUZZ").unwrap_or(400), number("QUCHONG_SEED").unwrap_or(11));
    println!("{name}: QUCHONG_FUZZ={times} QUCHONG_SEED={seed}");
    assert!(!corpus.is_empty(), "{name} has no corpus");
    count_panics();
    corpus.iter().for_each(|bytes| tried(target, bytes));
    let mut random = Rand64::new(seed.into());
    for _ in 0..times {
        let bytes = mutated(corpus, &mut random);
        if let Err(panic) = std::panic::catch_unwind(|| tried(target, &bytes)) {
            println!("{name} fails for {}", bytes.escape_ascii());
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn no_bytes_break_anything() {
    for (name, target) in TARGETS {
        let corpus = match name {
            "state" => states(),
            "entry" => entries(),
            name => corpus(name),
        };
        fuzz(name, target, &corpus);
    }
}
