//! Runs that follow a file, with a state, and the rotations between them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![cfg(unix)]

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::place::Place;

/// Follows `feed.txt` until it is read, with these options, and returns the messages of the run. What it keeps is added to `out`.
fn follow(place: &Place, more: &[&str], last: &str, is_killed: bool) -> String {
    let args = ["dedup", "-q", "--follow", "feed.txt", "-f=lines", "--near=none", "--state=state", "--sync=always"];
    let args = [&args[..], &["-o=out", "--append"], more].concat();
    let mut child = place.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    let is_there = || fs::read_to_string(place.path("out")).is_ok_and(|out| out.lines().any(|line| line == last));
    while !is_there() {
        assert!(started.elapsed() < Duration::from_secs(60), "{last} did not come");
        thread::sleep(Duration::from_millis(10));
    }
    // The last batch is recorded after it is written.
    end_when_recorded(place, &mut child, fs::metadata(place.path("feed.txt")).unwrap().len(), is_killed);
    String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
}

/// Waits until the state says that so many bytes of the feed are answered, and then stops or kills the run.
fn end_when_recorded(place: &Place, run: &mut Child, bytes: u64, is_killed: bool) {
    let started = Instant::now();
    let answered = || {
        // There may be no state yet.
        let info = place.command(&["state", "info", "state", "--format", "json"]).output().unwrap().stdout;
        serde_json::from_slice::<serde_json::Value>(&info).ok()?["run"]["followed"].as_u64()
    };
    while answered() != Some(bytes) {
        assert!(started.elapsed() < Duration::from_secs(60), "{bytes} bytes are not recorded");
        thread::sleep(Duration::from_millis(10));
    }
    if is_killed {
        run.kill().unwrap();
    } else {
        assert!(Command::new("kill").arg(run.id().to_string()).status().unwrap().success());
    }
}

/// Renames the feed, and begins a new one. File times are only as fine as a clock tick.
fn rotate(place: &Place, to: &str, lines: &str) {
    fs::rename(place.path("feed.txt"), place.path(to)).unwrap();
    thread::sleep(Duration::from_millis(15));
    fs::write(place.path("feed.txt"), lines).unwrap();
    thread::sleep(Duration::from_millis(15));
}

/// Packs a file as many programs do: the packed file has the time of packing.
fn pack_now(place: &Place, name: &str, options: &[&str]) {
    let (plain, packed) = (place.path(name), place.path(&format!("{name}.gz")));
    let out = File::create(&packed).unwrap();
    let done = Command::new("gzip").args(options).arg("-c").arg(&plain).stdout(out).status().unwrap();
    assert!(done.success());
    fs::remove_file(plain).unwrap();
}

fn out(place: &Place) -> Vec<String> {
    fs::read_to_string(place.path("out")).unwrap().lines().map(str::to_owned).collect()
}

/// The names of the first three logs, when a third one has the name.
const NAMES: [[&str; 3]; 3] = [
    ["feed.txt-20261031", "feed.txt-20261101", "feed.txt-20261102"],
    ["feed.txt.3", "feed.txt.2", "feed.txt.1"],
    ["feed.txt.1", "feed.txt.2", "feed.txt.3"],
];

/// A log was hidden by an older one that was packed later.
#[test]
fn a_log_that_was_packed_late_hides_none_that_was_not_read() {
    for names in NAMES {
        for (options, is_killed) in [(&[][..], false), (&["-n"], true)] {
            let place = Place::new(b"");
            fs::write(place.path(names[0]), "8\n9\n").unwrap();
            thread::sleep(Duration::from_millis(15));
            fs::write(place.path("feed.txt"), "10\n11\n").unwrap();
            follow(&place, &[], "11", is_killed);
            rotate(&place, names[1], "20\n21\n");
            rotate(&place, names[2], "30\n31\n");
            pack_now(&place, names[0], options);
            pack_now(&place, names[1], options);
            let said = follow(&place, &[], "31", false);
            assert_eq!(out(&place), ["10", "11", "20", "21", "30", "31"], "{names:?} {options:?}");
            assert_eq!(said, "", "{names:?} {options:?}");
        }
    }
}

/// What a window has forgotten came out again.
#[test]
fn a_log_that_was_read_is_not_read_again_when_it_is_packed() {
    for names in NAMES {
        let place = Place::new(b"");
        fs::write(place.path(names[0]), "8\n9\n").unwrap();
        thread::sleep(Duration::from_millis(15));
        fs::write(place.path("feed.txt"), "10\n11\n").unwrap();
        let window = &["--window=1"];
        follow(&place, window, "11", false);
        rotate(&place, names[1], "20\n21\n");
        follow(&place, window, "21", false);
        pack_now(&place, names[0], &["-n"]);
        pack_now(&place, names[1], &["-n"]);
        rotate(&place, names[2], "30\n31\n");
        let said = follow(&place, window, "31", false);
        assert_eq!(out(&place), ["10", "11", "20", "21", "30", "31"], "{names:?}");
        assert_eq!(said, "", "{names:?}");
    }
}

/// A packed log whose age nothing shows is read, and named.
#[test]
fn a_log_that_may_have_been_read_is_read_and_told() {
    let place = Place::new(b"");
    fs::write(place.path("feed.txt"), "10\n11\n").unwrap();
    follow(&place, &[], "11", false);
    rotate(&place, "feed.txt.2", "20\n");
    fs::write(place.path("feed.txt.7"), "70\n10\n").unwrap();
    pack_now(&place, "feed.txt.7", &["-n"]);
    pack_now(&place, "feed.txt.2", &["-n"]);
    let said = follow(&place, &[], "20", false);
    let mut lines = out(&place);
    lines.sort();
    assert_eq!(lines, ["10", "11", "20", "70"]);
    assert!(said.contains("may have read 1 packed file") && said.contains("feed.txt.7.gz"), "{said}");
    assert!(!said.contains("feed.txt.2.gz"), "{said}");
}

/// The same for copies of a file that is truncated.
#[test]
fn a_copy_that_was_packed_late_hides_none_that_was_not_read() {
    let place = Place::new(b"");
    let feed = place.path("feed.txt");
    fs::write(&feed, "10\n11\n").unwrap();
    follow(&place, &[], "11", false);
    for (name, lines) in [("feed.txt-20261101", "10\n11\n12\n"), ("feed.txt-20261102", "20\n21\n22\n")] {
        fs::write(&feed, lines).unwrap();
        fs::copy(&feed, place.path(name)).unwrap();
        thread::sleep(Duration::from_millis(15));
    }
    fs::write(&feed, "30\n31\n").unwrap();
    pack_now(&place, "feed.txt-20261101", &[]);
    let said = follow(&place, &[], "31", false);
    assert_eq!(out(&place), ["10", "11", "12", "20", "21", "22", "30", "31"]);
    assert!(said.contains("was truncated after the last run had read 6 bytes") && !said.contains("may have"), "{said}");
}

/// A run that read nothing new was told to go on at byte 0, and what it had read was to be sent again.
#[test]
fn the_place_in_a_followed_file_is_told_after_a_run_that_read_nothing() {
    let place = Place::new(b"");
    fs::write(place.path("feed.txt"), "10\n11\n").unwrap();
    for is_killed in [false, true, false] {
        follow(&place, &[], "11", is_killed);
        let info = String::from_utf8(place.succeed(&["state", "info", "state"])).unwrap();
        assert!(info.contains("  goes on        behind byte 6 of the followed file"), "{info}");
        assert!(info.contains("the same command goes on in the followed file"), "{info}");
        let info = place.succeed(&["state", "info", "state", "--format", "json"]);
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&info).unwrap()["run"]["followed"], 6);
    }
    // Another run on the state does not follow the file.
    place.succeed(&["dedup", "-q", "-f=lines", "--near=none", "--state=state", "feed.txt", "-o=out", "--append"]);
    let info = String::from_utf8(place.succeed(&["state", "info", "state"])).unwrap();
    assert!(info.contains("came to its end") && info.contains("behind byte 6 and line 2 of input 1"), "{info}");
}

/// A service that began with an empty log, or with a line that was not complete, and was stopped before it answered anything.
#[test]
fn a_log_of_which_nothing_was_answered_is_read_after_it_was_rotated() {
    for (beginning, is_packed, is_killed) in [("", false, false), ("零", false, true), ("", true, true)] {
        let place = Place::new(b"");
        fs::write(place.path("feed.txt"), beginning).unwrap();
        let args =
            ["dedup", "-q", "--follow", "feed.txt", "-f=lines", "--near=none", "--state=state", "-o=out", "--append"];
        let mut child = place.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        end_when_recorded(&place, &mut child, 0, is_killed);
        child.wait().unwrap();
        let first = format!("{beginning}甲一二三");
        fs::write(place.path("feed.txt"), format!("{first}\n")).unwrap();
        rotate(&place, "feed.txt.1", "乙三四五\n");
        if is_packed {
            pack_now(&place, "feed.txt.1", &[]);
        }
        follow(&place, &[], "乙三四五", false);
        assert_eq!(out(&place), [&*first, "乙三四五"], "{beginning} {is_packed} {is_killed}");
    }
}
