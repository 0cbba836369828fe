//! `--follow` reads each file that had the name, however fast the files follow each other.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use super::followed::Followed;
use super::{PATIENCE, Place};

/// The new name of a file after the rotation of this number.
type Rotated = fn(u32) -> String;

/// All lines that come out after `rotations` rotations of ten lines each, and the time that it took.
fn followed(rotated: Rotated, rotations: u32, pause: Duration, frozen: bool) -> (Vec<String>, Duration) {
    let place = Place::new().with("feed.txt", "0\n").with("feed.99.old", "9999\n").with("feed.98", "9998\n");
    let args = ["dedup", "--follow", "-q", "--near=none", "-f=lines", "feed.txt"];
    let mut child = place.command(&args).stderr(Stdio::null()).spawn().unwrap();
    let (sender, receiver) = channel();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), "0");
    // A stopped process cannot look.
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
        // File times are only as fine as a clock tick: files that follow each other within one tick may change places.
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

/// Rotates the feed three times, each time with a new line; `away` moves the old file away.
fn rotate(place: &Place, away: impl Fn(&str, u32)) {
    for rotation in 1..=3 {
        away(place.path("feed.txt").to_str().unwrap(), rotation);
        fs::write(place.path("feed.txt"), format!("{rotation}\n")).unwrap();
    }
}

#[test]
fn files_that_cannot_be_read_any_more_are_told() {
    // Moved to another folder, and removed: two of three files had the name only for a moment.
    type Away = fn(&str, u32);
    let ways: [(&str, Away); 2] = [
        ("folder", |feed, rotation| {
            let folder = feed.replace("feed.txt", "old");
            fs::create_dir_all(&folder).unwrap();
            fs::rename(feed, format!("{folder}/feed.{rotation}")).unwrap();
        }),
        ("unlink", |feed, _| fs::remove_file(feed).unwrap()),
    ];
    for (way, away) in ways {
        let followed = Followed::new();
        followed.meanwhile(|place| rotate(place, away));
        followed.expect(&["3"]);
        let told = followed.told(&["2 files that had this name"]);
        assert!(told.contains("lost"), "{way}: {told}");
        // The run goes on; a rotation that it sees costs nothing and is not reported.
        fs::rename(followed.place().path("feed.txt"), followed.place().path("feed.txt.9")).unwrap();
        followed.write("4\n");
        followed.expect(&["4"]);
        followed.told_nothing();
    }
}

#[test]
fn files_that_are_all_found_are_not_told() {
    let followed = Followed::new();
    followed.meanwhile(|place| {
        rotate(place, |feed, rotation| {
            thread::sleep(Duration::from_millis(25));
            fs::rename(feed, format!("{feed}.{rotation}")).unwrap();
        });
    });
    followed.expect(&["1", "2", "3"]);
    // A file that loses its name for a moment remains the same file.
    let feed = followed.place().path("feed.txt");
    fs::rename(&feed, followed.place().path("aside")).unwrap();
    thread::sleep(Duration::from_millis(100));
    fs::rename(followed.place().path("aside"), &feed).unwrap();
    followed.write("4\n");
    followed.expect(&["4"]);
    followed.told_nothing();
}

/// The end of a truncated file is read from its copy.
#[test]
fn a_copy_is_read_before_the_file_that_was_cut() {
    let followed = Followed::new();
    followed.write("1\n");
    followed.expect(&["1"]);
    followed.meanwhile(|place| {
        followed.write("2\n3\n");
        fs::copy(place.path("feed.txt"), place.path("feed.txt.1")).unwrap();
        File::create(place.path("feed.txt")).unwrap();
        followed.write("4\n5\n6\n7\n8\n9\n");
    });
    followed.expect(&["2", "3", "4", "5", "6", "7", "8", "9"]);
    followed.told(&["feed.txt.1", "between copying and truncating"]);
}

#[test]
fn a_file_that_was_cut_is_told_and_read_from_its_beginning() {
    // Shorter than the part that was read, as long, and longer: recognised because the old text is gone.
    for grown in ["7\n", "7\n8\n", "7\n8\n9\n10\n11\n"] {
        let followed = Followed::new();
        followed.write("1\n");
        followed.expect(&["1"]);
        followed.meanwhile(|place| {
            followed.write("2\n");
            fs::write(place.path("feed.txt"), grown).unwrap();
        });
        followed.expect(&grown.lines().collect::<Vec<_>>());
        let told = followed.told(&["was truncated after 4 bytes"]);
        // The run goes on, so it is no error.
        assert!(told.contains("lost") && !told.contains("error: "), "{grown:?}: {told}");
    }
}

/// Lines that are written to a rotated file after the run has left it are reported.
#[test]
fn what_is_written_to_a_rotated_file_after_it_was_left_is_told() {
    let followed = Followed::new();
    let old = followed.place().path("feed.txt.1");
    fs::rename(followed.place().path("feed.txt"), &old).unwrap();
    followed.write("1\n");
    followed.expect(&["1"]);
    fs::OpenOptions::new().append(true).open(&old).unwrap().write_all("late\n".as_bytes()).unwrap();
    followed.told(&["feed.txt.1 was written to", "5 bytes of it are not read"]);
}
