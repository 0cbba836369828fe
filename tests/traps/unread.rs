//! A reader of the output that goes away: under a state, what it may not have read is told.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::{Place, Run, ended, records};

/// Runs a command whose reader reads one line and goes away.
fn read_once(place: &Place, args: &[&str]) -> Run {
    let mut child = place.command(args).stdin(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"id\":1,"), "{line}");
    ended(child)
}

/// The records that stood in the pipe were in the state, and the next run left them out without a word.
#[test]
fn records_that_nobody_may_have_read_are_told_under_a_state() {
    let place = Place::new().with("in.jsonl", records(20_000));
    let run = read_once(&place, &["dedup", "-q", "--near", "none", "in.jsonl", "--state", "state"]);
    assert_eq!(run.code, Some(3), "{}", run.said);
    for said in ["standard output: its reader has gone", "records of this run unread", "-o FILE", "another --state"] {
        assert!(run.said.contains(said), "{said}: {}", run.said);
    }
    assert_eq!(run.said.lines().count(), 1, "{}", run.said);
    // What is written next, what was read, and what is told as unread is at least all there is.
    let told: u64 =
        run.said.split("the last ").nth(1).unwrap().split(' ').next().unwrap().replace(',', "").parse().unwrap();
    let next = place.run(&["dedup", "-q", "--near", "none", "in.jsonl", "--state", "state", "--resume"]);
    assert_eq!(next.code, Some(0), "{}", next.said);
    let missing = 20_000 - next.out.lines().count() as u64;
    assert!(missing > 0 && told >= missing - 1, "{missing} are missing, {told} were told");
    // Without a state nothing counts as read.
    let run = read_once(&place, &["dedup", "-q", "in.jsonl"]);
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
}

/// Nothing was in the pipe, so nothing is lost.
#[test]
fn a_reader_that_goes_before_the_first_record_loses_none() {
    let place = Place::new();
    let mut child = place.command(&["dedup", "-q", "--state", "state"]).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    writeln!(child.stdin.take().unwrap(), "今天武汉的樱花开了").unwrap();
    let run = ended(child);
    assert!(run.code == Some(3) && run.said.contains("before this run wrote anything"), "{}", run.said);
    let next = place.fed(&["dedup", "-q", "--state", "state"], "今天武汉的樱花开了\n".as_bytes());
    assert_eq!((next.code, next.out.as_str()), (Some(0), "今天武汉的樱花开了\n"), "{}", next.said);
}
