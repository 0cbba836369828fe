//! What the systemd unit starts does what its comments say.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::common::place::{Place, input};
use crate::common::{PATIENCE, end};

/// The command of the unit, with the test's program, feed and port in the place of the machine's.
fn command(place: &Place) -> Command {
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/quchong.service");
    let unit = fs::read_to_string(unit).unwrap();
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/bin/bash -c '")).unwrap();
    let mut script = line.strip_suffix('\'').unwrap().to_owned();
    let feed = place.path("in.jsonl").display().to_string();
    for (theirs, ours) in [
        ("/usr/local/bin/quchong", env!("CARGO_BIN_EXE_quchong")),
        ("/var/log/feed.jsonl", &feed),
        ("--metrics :9184", "--metrics :0"),
    ] {
        assert!(script.contains(theirs), "{theirs} is not in {script}");
        script = script.replace(theirs, ours);
    }
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(&place.folder).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

fn signal(child: &mut Child, name: &str) -> Option<i32> {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    end(child).code()
}

#[test]
fn killed_and_started_again_it_keeps_what_one_run_would() {
    // What is in the feed before the first kill, before the second, and after.
    let feed = input(1500, 5);
    let expected = Place::new(&feed).done(&["dedup", "--quiet", "--window", "48h", "in.jsonl"]);
    let cuts = [400, 900, 1500];
    let mut lines = feed.split_inclusive(|byte| *byte == b'\n');
    let place = Place::new(b"");
    let kept = || fs::read(place.path("kept.jsonl")).unwrap_or_default();
    let mut length = 0;
    for (cut, before) in cuts.iter().zip([0, 400, 900]) {
        let part: Vec<u8> = lines.by_ref().take(cut - before).flatten().copied().collect();
        length += part.len();
        let mut child = command(&place).spawn().unwrap();
        let append = fs::OpenOptions::new().append(true).open(place.path("in.jsonl"));
        std::io::Write::write_all(&mut append.unwrap(), &part).unwrap();
        let so_far = Place::new(&feed[..length]).done(&["dedup", "--quiet", "--window", "48h", "in.jsonl"]);
        let start = Instant::now();
        while kept().len() < so_far.len() {
            assert!(start.elapsed() < PATIENCE, "{} of {} bytes were written", kept().len(), so_far.len());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let (name, code) = if *cut < 1500 { ("-KILL", None) } else { ("-TERM", Some(143)) };
        assert_eq!(signal(&mut child, name), code);
    }
    // A kill between writing a batch and noting it lets that one come twice.
    let mut seen = HashSet::new();
    let once: Vec<u8> = kept()
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| seen.insert(line.to_vec()))
        .flatten()
        .copied()
        .collect();
    assert_eq!(String::from_utf8(once).unwrap(), String::from_utf8(expected).unwrap());
}
