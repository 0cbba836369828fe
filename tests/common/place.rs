//! A folder in which runs continue one another.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use oorandom::Rand64;
use serde_json::Value;

use super::{generated, quchong};

/// Options that make the program remember with different structures.
pub const ENGINES: &[&[&str]] = &[
    &[],
    &["--verify-window", "300"],
    &["--window", "500"],
    &["--window", "10m", "--lateness", "1m"],
    &["--window", "400", "--refresh"],
    &["--window", "10m", "--refresh"],
    &["--near", "simhash", "--window", "700"],
    &["--near", "minhash"],
    &["--near", "none", "--exact", "bloom", "--capacity", "10000"],
    &["--near", "none", "--exact", "bloom", "--window", "900", "--capacity", "1000"],
    &["--near", "none", "--exact", "paper-trie"],
];

/// Generated records with times.
pub fn input(lines: usize, seed: u64) -> Vec<u8> {
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
pub struct Place {
    pub folder: tempfile::TempDir,
}

impl Place {
    pub fn new(input: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("in.jsonl"), input).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = quchong();
        command.current_dir(&self.folder).args(args).stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Returns the output of a run that must succeed.
    pub fn succeed(&self, args: &[&str]) -> Vec<u8> {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Returns the duration of a run that must succeed.
    pub fn timed(&self, args: &[&str]) -> Duration {
        let started = Instant::now();
        self.succeed(args);
        started.elapsed()
    }

    /// Kills the run at a random moment, calls `between`, and starts the run again, until it finishes. Returns the number of killed runs.
    /// `longest` is the duration of a run that is not killed.
    pub fn killed_until_done(
        &self,
        args: &[&str],
        longest: Duration,
        random: &mut Rand64,
        between: impl Fn(&Self, &mut Rand64),
    ) -> u64 {
        for killed in 0.. {
            let mut child = self.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            // The kill comes later each time, so that the loop ends even if almost nothing is left to do, or if the machine has become
            // slow.
            let share = random.rand_range(0..400) + 60 * killed;
            std::thread::sleep(longest * share as u32 / 1000);
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                // 3: the last kill came after all work was done, and the program reports that.
                Some(0 | 3) => return killed,
                None => between(self, random),
                Some(code) => panic!("{args:?}: {code} {}", String::from_utf8_lossy(&output.stderr)),
            }
        }
        unreachable!()
    }

    pub fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        stderr
    }

    /// Returns the files of the state that a run reads.
    pub fn state_files(&self) -> Vec<PathBuf> {
        let names = fs::read_dir(self.path("state")).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<_> =
            names.filter(|path| path.file_name().is_some_and(|name| name != "LOCK" && name != "SETTINGS")).collect();
        files.sort();
        files
    }
}
