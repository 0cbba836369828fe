//! A feed through a pipe that is killed and sent again: records arrive at least once, and with `--seq-field` exactly once in the state.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a panic is how a test fails; the seed must be told")]
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::common::place::{Place, input};
use oorandom::Rand64;
use serde_json::Value;

const RECORDS: usize = 4000;
/// The size of a pipe in bytes, 64 KiB: one read returns at most this much.
const PIPE: usize = 64 << 10;

/// Records with sequence numbers from 10 on; every other number is a string.
fn feed() -> Vec<u8> {
    let numbered = input(RECORDS, 3);
    let lines = numbered.split_inclusive(|byte| *byte == b'\n');
    let number = |(line, seq): (&[u8], u64)| {
        let mut record: Value = serde_json::from_slice(line).unwrap();
        record["seq"] = if seq.is_multiple_of(2) { seq.into() } else { seq.to_string().into() };
        record.to_string() + "\n"
    };
    lines.zip(10..).map(number).collect::<String>().into()
}

fn seq_of(line: &str) -> u64 {
    let record: Value = serde_json::from_str(line).unwrap();
    record["seq"].as_u64().or_else(|| record["seq"].as_str()?.parse().ok()).unwrap()
}

/// Sends the feed, kills the reader after a while, and returns the whole lines that came out.
fn sent(place: &Place, args: &[&str], feed: &[u8], pieces: usize, killed_after: Option<Duration>) -> Vec<String> {
    let mut child = place.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let feed = feed.to_vec();
    // The reader may be killed, which is no error of the writer.
    let writer = thread::spawn(move || feed.chunks(pieces).try_for_each(|piece| stdin.write_all(piece)).is_ok());
    if let Some(after) = killed_after {
        thread::sleep(after);
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    // Exit code 3 means that all records had been answered before the last kill.
    assert!(killed_after.is_some() || matches!(status.code(), Some(0 | 3)));
    writer.join().unwrap();
    let bytes = reader.join().unwrap();
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    String::from_utf8(bytes[..whole].to_vec()).unwrap().lines().map(str::to_owned).collect()
}

/// Records that are sent again after a kill are passed over. Without sequence numbers, records that were answered before would come out
/// as repeats of themselves.
#[test]
fn what_is_sent_again_is_passed_over() {
    let seed = std::env::var("QUCHONG_SEED").map_or(9, |seed| seed.parse().unwrap());
    println!("QUCHONG_SEED={seed}");
    let mut random = Rand64::new(seed);
    let feed = feed();
    for sync in ["always", "interval", "none"] {
        let args =
            ["dedup", "-q", "--seed=1", "--state=state", "--seq-field=seq", "--output=annotated", "--sync", sync];
        let whole = Place::new(b"");
        let expected = sent(&whole, &args, &feed, PIPE, None);
        assert_eq!(expected.len(), RECORDS);
        let (place, mut written, mut kills) = (Place::new(b""), Vec::<String>::new(), 0);
        loop {
            let after = Duration::from_millis(random.rand_range(5..120) + 10 * kills);
            let pieces = [100, 3000, PIPE][random.rand_range(0..3) as usize];
            let last_run = kills == 5;
            let lines = sent(&place, &args, &feed, pieces, (!last_run).then_some(after));
            // At most the last batch comes twice: what one read returned, which is bounded by the size of the pipe.
            let again = lines.first().and_then(|line| written.iter().position(|old| old == line));
            if let Some(at) = again {
                let twice = written.drain(at..).collect::<Vec<_>>();
                let bytes: usize = twice.iter().map(|line| line.len() + 1).sum();
                assert!(bytes < 4 * PIPE, "{sync}: {bytes} bytes came twice");
                assert!(twice.iter().zip(&lines).all(|(old, new)| old == new), "{sync}: another verdict");
            }
            written.extend(lines);
            if last_run {
                break;
            }
            kills += 1;
        }
        assert!(written.iter().map(|line| seq_of(line)).is_sorted());
        assert!(written == expected, "{sync}: {} of {}", written.len(), expected.len());
        let dump = |place: &Place| place.succeed(&["state", "dump", "state"]);
        assert!(dump(&place) == dump(&whole), "{sync}");
    }
}

#[test]
fn records_up_to_the_last_number_are_skipped_and_counted() {
    let place = Place::new(b"");
    let run = |lines: &str| {
        let args = ["dedup", "--state=state", "--seq-field=n", "-f=jsonl", "--summary=sum"];
        let mut child =
            place.command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let summary: Value = serde_json::from_slice(&fs::read(place.path("sum")).unwrap()).unwrap();
        let [out, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (out, said, summary["in"].as_u64().unwrap(), summary["skipped"].as_u64().unwrap())
    };
    let (a, b, c) = ("{\"n\":1,\"text\":\"甲\"}\n", "{\"n\":2,\"text\":\"乙\"}\n", "{\"n\":\"3\",\"text\":\"丙\"}\n");
    let (out, _, came, skipped) = run(&[a, b].concat());
    assert_eq!((out, came, skipped), ([a, b].concat(), 2, 0));
    let (out, said, came, skipped) = run(&[a, b, c].concat());
    assert_eq!((out, came, skipped), (c.to_owned(), 3, 2));
    assert!(said.contains("2 records were skipped (--seq-field)"), "{said}");
    // A record without a number is judged, and does not change the last number.
    let (out, _, came, skipped) = run("{\"text\":\"丁\"}\n{\"n\":0,\"text\":\"戊\"}\n");
    assert_eq!((out.as_str(), came, skipped), ("{\"text\":\"丁\"}\n{\"n\":0,\"text\":\"戊\"}\n", 2, 0));
    let info: Value = serde_json::from_slice(&place.succeed(&["state", "info", "state", "--format", "json"])).unwrap();
    assert_eq!(info["run"]["last_seq"], 3);
}

/// A file is followed through log rotation, even if the writer adds lines to the old file, if no file has the name for a while, if a file
/// ends within a line, and if the file is truncated.
#[test]
fn a_file_is_followed_through_rotation() {
    let place = Place::new(b"");
    let path = place.path("feed.txt");
    let open = || OpenOptions::new().create(true).append(true).open(&path).unwrap();
    let mut file = open();
    file.write_all("一条\n".as_bytes()).unwrap();
    let args = ["dedup", "--follow", "--near=none", "--format=lines", "feed.txt"];
    let mut child = place.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "一条");
    for rotation in 0..2 {
        let old = place.path(&format!("feed.{rotation}"));
        fs::rename(&path, &old).unwrap();
        writeln!(file, "{rotation} 改名之后").unwrap();
        thread::sleep(Duration::from_millis(50));
        let mut new = open();
        writeln!(new, "{rotation} 新文件").unwrap();
        write!(file, "{rotation} 新文件之后").unwrap();
        assert_eq!(next(), format!("{rotation} 改名之后"));
        assert_eq!(next(), format!("{rotation} 新文件之后"));
        assert_eq!(next(), format!("{rotation} 新文件"));
        file = new;
    }
    File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    writeln!(file, "从头").unwrap();
    assert_eq!(next(), "从头");
    let stopped = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(stopped.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert!(String::from_utf8(output.stderr).unwrap().contains("in 8 = kept 8"));
}

/// A file is read even if it loses its name before its turn has come.
#[test]
fn rotations_may_follow_each_other_at_once() {
    let place = Place::new(b"");
    let path = place.path("feed.txt");
    fs::write(&path, "0\n").unwrap();
    let args = ["dedup", "--follow", "--near=none", "--format=lines", "feed.txt"];
    let mut child = place.command(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The run has begun, and looks for new files.
    assert_eq!(lines.next().unwrap().unwrap(), "0");
    for number in 1..=5 {
        fs::rename(&path, place.path(&format!("feed.{number}"))).unwrap();
        fs::write(&path, format!("{number}\n")).unwrap();
        // Longer than it takes to look, shorter than the time that the writer of an old file is given.
        thread::sleep(Duration::from_millis(200));
    }
    let seen: Vec<String> = (1..=5).map(|_| lines.next().unwrap().unwrap()).collect();
    assert_eq!(seen, ["1", "2", "3", "4", "5"]);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn only_a_file_is_followed() {
    let place = Place::new(b"");
    for (args, reason) in [
        (&["--follow"][..], "--follow: reads one file"),
        (&["--follow", "-"], "--follow: reads one file"),
        (&["--follow", "a", "b"], "--follow: reads one file"),
        (&["--follow", "missing"], "missing"),
        (&["--follow", "."], "no file that could grow"),
    ] {
        let output = place.command(&["dedup"]).args(args).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(reason), "{args:?}: {told}");
    }
}
