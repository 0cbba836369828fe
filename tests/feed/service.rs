//! The command that the systemd unit starts does what the comments of the unit say.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::served::{Served, message};
use crate::common::place::{Place, input};
use crate::common::{PATIENCE, end};
use serde_json::Value;

/// The command of the unit, with the program, feed and port of the test in place of the machine's.
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

/// The unit of the service is protected as the unit of the feed is: they differ only in what they start and how it is reached.
#[test]
fn the_unit_of_the_service_is_hardened_as_well() {
    let contrib = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib");
    let [feed, serve] = ["quchong.service", "quchong-serve.service"].map(|name| {
        let unit = fs::read_to_string(contrib.join(name)).unwrap();
        unit.lines().skip_while(|line| *line != "DynamicUser=yes").map(str::to_owned).collect::<Vec<_>>()
    });
    let own = |line: &&String| !line.starts_with("SupplementaryGroups=");
    assert!(feed.len() > 20);
    assert_eq!(serve.iter().filter(own).collect::<Vec<_>>(), feed.iter().filter(own).collect::<Vec<_>>());
}

#[test]
fn what_the_unit_of_the_service_starts_answers_and_is_stopped() {
    let unit = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/quchong-serve.service")).unwrap();
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/quchong ")).unwrap();
    assert!(line.contains("--listen :7878 ") && line.ends_with(" --log-format json"), "{line}");
    let place = Place::new(b"");
    let line = line.replace(":7878", ":0,unix:socket").replace(" --log-format json", "");
    let mut command = place.command(&line.split(' ').collect::<Vec<_>>());
    let served = Served::of(&mut command);
    assert_eq!(served.post(&message(1, "今天武汉的樱花开了"))[0]["verdict"], "kept");
    let info = || String::from_utf8(place.succeed(&["state", "info", "seen"])).unwrap();
    let json =
        || -> Value { serde_json::from_slice(&place.succeed(&["state", "info", "--format", "json", "seen"])).unwrap() };
    let id = served.child.id();
    assert!(info().contains(&format!("last run         goes on, in process {id}\n")), "{}", info());
    assert_eq!(json()["in_use_by"], id);
    assert_eq!(served.stop("-TERM").0, Some(143));
    assert!(info().contains("last run         a service, which has ended; what it had not"), "{}", info());
    assert!(json()["in_use_by"].is_null());
}

fn signal(child: &mut Child, name: &str) -> Option<i32> {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    end(child).code()
}

#[test]
fn killed_and_started_again_it_keeps_what_one_run_would() {
    // The number of records in the feed before the first kill, before the second, and after.
    let feed = input(1500, 5);
    let expected = Place::new(&feed).succeed(&["dedup", "--quiet", "--window", "48h", "in.jsonl"]);
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
        let so_far = Place::new(&feed[..length]).succeed(&["dedup", "--quiet", "--window", "48h", "in.jsonl"]);
        let start = Instant::now();
        while kept().len() < so_far.len() {
            assert!(start.elapsed() < PATIENCE, "{} of {} bytes were written", kept().len(), so_far.len());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let (name, code) = if *cut < 1500 { ("-KILL", None) } else { ("-TERM", Some(143)) };
        assert_eq!(signal(&mut child, name), code);
    }
    // A kill between writing a batch and recording it lets the batch come twice.
    let mut seen = HashSet::new();
    let once: Vec<u8> = kept()
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| seen.insert(line.to_vec()))
        .flatten()
        .copied()
        .collect();
    assert_eq!(String::from_utf8(once).unwrap(), String::from_utf8(expected).unwrap());
}
