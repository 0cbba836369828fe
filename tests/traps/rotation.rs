//! `--follow` reads each file that had the name, however fast they follow each other.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{PATIENCE, Place};

/// How files are called that lose the name.
type Rotated = fn(u32) -> String;

/// All lines that come out within a while, of `rotations` of ten lines each.
fn followed(rotated: Rotated, rotations: u32, pause: Duration, frozen: bool) -> (Vec<String>, Duration) {
    let place = Place::new().with("feed.txt", "0\n").with("feed.99.old", "9999\n").with("feed.98", "9998\n");
    let args = ["dedup", "--follow", "-q", "--near=none", "-f=lines", "feed.txt"];
    let mut child = place.command(&args).stderr(Stdio::null()).spawn().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), "0");
    // A process that does not run cannot look.
    let signal = |name: &str| {
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([name, &id]).status().unwrap().success());
    };
    if frozen {
        signal("-STOP");
    }
    let path = place.path("feed.txt");
    for rotation in 1..=rotations {
        fs::rename(&path, place.path(&rotated(rotation))).unwrap();
        let lines: String = (0..10).map(|line| format!("{}\n", rotation * 10 + line)).collect();
        fs::write(&path, lines).unwrap();
        thread::sleep(pause);
    }
    if frozen {
        signal("-CONT");
    }
    let started = Instant::now();
    let mut seen = Vec::new();
    while seen.len() < rotations as usize * 10 {
        match receiver.recv_timeout(Duration::from_secs(6)) {
            Ok(line) => seen.push(line),
            Err(_) => break,
        }
    }
    let took = started.elapsed();
    child.kill().unwrap();
    child.wait().unwrap();
    (seen, took)
}

#[test]
fn files_that_had_the_name_between_two_looks_are_read() {
    let names: [(Rotated, Duration); 3] = [
        (|number| format!("feed.{number}"), Duration::from_millis(1)),
        (|number| format!("feed.txt-2026112{number:04}"), Duration::ZERO),
        (|number| format!("feed_{number:03}.txt"), Duration::from_millis(12)),
    ];
    for (rotated, pause) in names {
        // Times of files are as fine as a clock's tick: files that follow each other within one may change places.
        let (mut seen, _) = followed(rotated, 50, pause, false);
        let ordered = seen.is_sorted_by_key(|line| line.parse::<u32>().unwrap());
        assert!(ordered || pause < Duration::from_millis(12), "{}", rotated(1));
        seen.sort_by_key(|line| line.parse::<u32>().unwrap());
        let expected: Vec<String> = (10..510).map(|line| line.to_string()).collect();
        assert_eq!(seen.len(), expected.len(), "{}", rotated(1));
        assert_eq!(seen, expected, "{}", rotated(1));
    }
}

#[test]
fn files_that_came_while_nobody_could_look_are_read_in_order() {
    let (seen, _) = followed(|number| format!("feed.{number}"), 20, Duration::from_millis(25), true);
    assert_eq!(seen, (10..210).map(|line| line.to_string()).collect::<Vec<_>>());
}
