//! Helpers that run the real program.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    dead_code,
    reason = "a panic is how a test fails; not every test uses every helper"
)]

#[cfg(feature = "parquet")]
pub mod columns;
#[cfg(feature = "parquet")]
pub mod job;
pub mod oracle;
pub mod place;
#[cfg(feature = "parquet")]
pub mod rows;

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use quchong::generate::{Generator, Recipe, write_jsonl};
use serde_json::Value;

/// The results of a run.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// The summary that the run wrote for `--summary`.
    pub summary: Value,
}

impl Run {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Parses the standard output as JSON lines.
    pub fn json(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
    }

    pub fn total(&self, name: &str) -> u64 {
        self.summary.pointer(name).unwrap_or(&Value::from(0)).as_u64().unwrap()
    }
}

/// Runs `quchong dedup --summary … ARGS` with `input` on standard input.
pub fn dedup(args: &[&str], input: &[u8]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary.json");
    let mut child = quchong()
        .args(["dedup", "--summary", summary.to_str().unwrap()])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A run that fails need not read all of its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let summary: Value = std::fs::read(summary)
        .ok()
        .filter(|json| !json.is_empty())
        .map_or(Value::Null, |json| serde_json::from_slice(&json).expect("the summary is JSON"));
    let run = Run {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        summary,
    };
    if run.code == Some(0) {
        let parts = ["/kept", "/dropped/exact", "/dropped/near", "/errors/total"];
        assert_eq!(run.total("/in"), parts.iter().map(|part| run.total(part)).sum::<u64>(), "{}", run.summary);
    }
    run
}

/// Makes generated records.
pub fn generated(lines: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_jsonl(Generator::new(3, Recipe::default()).unwrap().take(lines), &mut bytes).unwrap();
    bytes
}

/// How long a machine may be busy with other work before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for the process to end, but not longer than [`PATIENCE`].
pub fn end(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return status,
            None if start.elapsed() > PATIENCE => {
                child.kill().unwrap();
                panic!("it did not end");
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

pub fn quchong() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quchong"));
    // This variable seeds tests. The program must not see it.
    command.env_remove("QUCHONG_SEED");
    in_english(&mut command);
    command
}

/// Makes a command, and the programs that it starts, print English, regardless of the environment of the tests.
pub fn in_english(command: &mut Command) {
    command.env("QUCHONG_UI", "en");
}

/// Returns the texts of our own pairs as this many records; each B comes after its A.
pub fn our_own(records: usize) -> String {
    let file = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/facts.jsonl")).unwrap();
    let pair = |line: &str| -> [Value; 2] {
        let mut pair: Value = serde_json::from_str(line).unwrap();
        ["a", "b"].map(|text| pair[text].take())
    };
    let records = (0..records).zip(file.lines().flat_map(pair));
    records.map(|(id, text)| format!("{}\n", serde_json::json!({"id": format!("own-{id}"), "text": text}))).collect()
}

/// Returns the path of a file of the shared real texts. In most checkouts these are absent; then it prints a message and returns `None`.
/// Each test that reads such a file has a twin with the same checks on generated texts or on [our own](our_own).
pub fn shared(name: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}
