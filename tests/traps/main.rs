//! Nothing is lost by a mistake: a wrong option, one bad number, one quote. Each of these mistakes once lost records, or went unreported.
//!
//! `QUCHONG_BINARY` names another binary to test.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is how a test fails")]
#![cfg(unix)]

mod again;
mod copytruncate;
mod doubts;
mod emptied;
mod faults;
mod followed;
mod headers;
mod ids;
mod late;
mod likely;
mod long;
mod messages;
mod misnamed;
mod moved;
mod names;
mod numbers;
mod packed;
mod quotes;
mod refused;
mod resume;
mod rotation;
mod shrunk;
mod streams;
mod told;
mod unread;
mod utf16;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// How long a test waits for something on a busy machine.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

fn binary() -> OsString {
    std::env::var_os("QUCHONG_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_quchong").into())
}

/// The exit code, output and messages of a run.
struct Run {
    code: Option<i32>,
    out: String,
    said: String,
}

/// A folder to run in.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The same place with this file in it.
    fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.env_remove("QUCHONG_SEED");
        in_english(&mut command);
        command.args(args).current_dir(&self.0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        ended(self.command(args).spawn().unwrap())
    }

    /// Runs a command with this input on standard input.
    fn fed(&self, args: &[&str], input: &[u8]) -> Run {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let run = ended(child);
        writer.join().unwrap();
        run
    }
}

/// Makes a command, and the programs that it starts, speak English.
fn in_english(command: &mut Command) -> &mut Command {
    command.env("QUCHONG_UI", "en")
}

fn ended(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    let [out, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Run { code: output.status.code(), out, said }
}

/// Records of JSONL with ids from 1, all unlike each other.
fn records(count: usize) -> String {
    (1..=count).map(|id| format!("{{\"id\":{id},\"text\":\"{}\"}}\n", unlike(id))).collect()
}

/// A text that is no near repeat of one with another number.
fn unlike(number: usize) -> String {
    let character = |at: usize| {
        let mixed = (number * 64 + at).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        char::from_u32(0x4E00 + (mixed % 0x5000) as u32).unwrap()
    };
    (0..12).map(character).collect()
}
