//! What is remembered outlives the run: runs over parts are as one run, a crash is a pause, damage is found.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::{generated, quchong};
use oorandom::Rand64;
use serde_json::Value;

/// Options under which different structures remember.
const ENGINES: &[&[&str]] = &[
    &[],
    &["--verify-window", "300"],
    &["--window", "500"],
    &["--window", "10m", "--lateness", "1m"],
    &["--near", "simhash", "--window", "700"],
    &["--near", "minhash"],
    &["--near", "none", "--exact", "bloom", "--capacity", "10000"],
    &["--near", "none", "--exact", "bloom", "--window", "900", "--capacity", "1000"],
    &["--near", "none", "--exact", "paper-trie"],
];

/// Generated records with times.
fn input(lines: usize, seed: u64) -> Vec<u8> {
    let mut random = Rand64::new(seed.into());
    let mut at = 1_540_958_400_000_u64;
    let mut record = |line: &[u8]| {
        at += random.rand_range(0..2000);
        let mut record: Value = serde_json::from_slice(line).unwrap();
        record["created_at"] = Value::from(at - random.rand_range(0..90_000));
        record.to_string() + "\n"
    };
    generated(lines)
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(&mut record)
        .collect::<String>()
        .into()
}

/// A folder with an input and a state.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(input: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("in.jsonl"), input).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = quchong();
        command.current_dir(&self.folder).args(args).stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// What is written by a run that must be done.
    fn done(&self, args: &[&str]) -> Vec<u8> {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        stderr
    }

    /// Files of the state that are read.
    fn state_files(&self) -> Vec<PathBuf> {
        let names = fs::read_dir(self.path("state")).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<_> = names.filter(|path| path.file_name().unwrap() != "LOCK").collect();
        files.sort();
        files
    }
}

#[test]
fn runs_over_parts_are_one_run() {
    let input = input(3000, 1);
    let mut random = Rand64::new(2);
    for engine in ENGINES {
        let whole = Place::new(&input);
        let annotated = ["dedup", "-q", "--output", "annotated", "--state", "state"];
        let expected = whole.done(&[&annotated[..], &["in.jsonl"], engine].concat());
        let parts = Place::new(b"");
        let (mut rest, mut written) = (&input[..], Vec::new());
        while !rest.is_empty() {
            let lines = 1 + random.rand_range(0..1500) as usize;
            let end = rest.split_inclusive(|byte| *byte == b'\n').take(lines).map(<[u8]>::len).sum();
            fs::write(parts.path("in.jsonl"), &rest[..end]).unwrap();
            rest = &rest[end..];
            written.extend(parts.done(&[&annotated[..], &["in.jsonl"], engine].concat()));
        }
        assert!(written == expected, "{engine:?}");
        let dropped = written.split(|byte| *byte == b'\n').filter(|line| !line.ends_with(b"\"kept\"}}")).count();
        assert!(dropped > 300, "{engine:?}: {dropped}");
    }
}

const RESUME: [&str; 9] =
    ["dedup", "-q", "--state", "state", "--resume", "-o", "out.jsonl", "--dropped", "dropped.jsonl"];

/// What an uninterrupted run leaves behind: output, dropped records, and the state in its canonical form.
fn results(place: &Place) -> [Vec<u8>; 3] {
    let read = |name| fs::read(place.path(name)).unwrap();
    [read("out.jsonl"), read("dropped.jsonl"), place.done(&["state", "dump", "state"])]
}

/// Kills run after run until one comes to its end; how many were killed. `QUCHONG_KILLS` asks for more of them.
#[test]
#[cfg(unix)]
fn a_crash_is_a_pause() {
    let number = |name| std::env::var(name).ok().map(|number: String| number.parse::<u64>().unwrap());
    let (wanted, seed) = (number("QUCHONG_KILLS").unwrap_or(20), number("QUCHONG_SEED").unwrap_or(7));
    println!("QUCHONG_KILLS={wanted} QUCHONG_SEED={seed}");
    let mut random = Rand64::new(seed.into());
    let input = input(60_000, seed);
    let mut killed = 0;
    while killed < wanted {
        let engine = ENGINES[random.rand_range(0..ENGINES.len() as u64) as usize];
        let sync = ["always", "interval", "none"][random.rand_range(0..3) as usize];
        let args = [&RESUME[..], &["--sync", sync, "in.jsonl"], engine].concat();
        let whole = Place::new(&input);
        let started = std::time::Instant::now();
        whole.done(&args);
        let longest = started.elapsed();
        let place = Place::new(&input);
        loop {
            let mut child = place.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            let share = random.rand_range(0..300);
            std::thread::sleep(longest * share as u32 / 1000);
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                Some(0) => break,
                None => killed += 1,
                Some(code) => panic!("{args:?}: {code} {}", String::from_utf8_lossy(&output.stderr)),
            }
            // So that it ends also where starting takes long.
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(results(&place) == results(&whole), "{args:?}");
        let last = place.done(&["state", "info", "state"]);
        let last: Value = serde_json::from_slice(&last).unwrap();
        let counts = &last["run"]["counts"];
        assert_eq!((&counts["in"], &last["run"]["ended"]), (&Value::from(60_000), &Value::from(true)));
    }
    println!("{killed} runs were killed");
}

#[test]
fn what_is_damaged_is_refused_wherever_it_is() {
    let place = Place::new(&input(3000, 3));
    place.done(&["dedup", "-q", "--state", "state", "in.jsonl", "-o", "out.jsonl"]);
    assert!(String::from_utf8(place.done(&["state", "check", "state"])).unwrap().contains("intact"));
    let mut random = Rand64::new(4);
    for file in place.state_files() {
        let bytes = fs::read(&file).unwrap();
        for _ in 0..if bytes.len() < 100 { 50 } else { 150 } {
            let bit = random.rand_range(0..bytes.len() as u64 * 8) as usize;
            let mut broken = bytes.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            fs::write(&file, &broken).unwrap();
            let said = place.refused(&["state", "check", "state"]);
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(said.contains(&format!("{name}: byte ")), "{said}");
        }
        let said = place.refused(&["dedup", "--state", "state", "in.jsonl", "-o", "out.jsonl"]);
        assert!(said.contains("quchong state repair"), "{said}");
        fs::write(&file, &bytes).unwrap();
    }
    place.done(&["state", "check", "state"]);
}
