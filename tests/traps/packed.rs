//! `--follow` when rotated files are compressed before they are read, and when a run stops while files wait to be read.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::Command;
use std::thread;
use std::time::Duration;

use super::Place;
use super::followed::Followed;

const STATE: [&str; 4] = ["-f=lines", "feed.txt", "--state=state", "--sync=always"];

/// Adds lines to the feed, and renames it.
fn rotate(place: &Place, lines: &str, to: &str) {
    let feed = place.path("feed.txt");
    OpenOptions::new().append(true).create(true).open(&feed).unwrap().write_all(lines.as_bytes()).unwrap();
    fs::rename(&feed, place.path(to)).unwrap();
    // File times are only as fine as a clock tick.
    thread::sleep(Duration::from_millis(12));
}

/// Compresses a file by a command, which removes the original.
fn pack(place: &Place, by: &str, name: &str) {
    let options: &[&str] = if by == "zstd" { &["-q", "--rm"] } else { &[] };
    assert!(Command::new(by).args(options).arg(place.path(name)).status().unwrap().success(), "{by}");
}

#[test]
fn files_that_were_packed_before_they_were_found_are_read() {
    // Each of these mostly waits, so that they can run at the same time.
    thread::scope(|scope| {
        for by in ["gzip", "xz", "bzip2", "zstd"] {
            scope.spawn(move || packed_before_found(by));
        }
    });
}

fn packed_before_found(by: &str) {
    // A file that was compressed long before does not belong to the feed.
    let place = Place::new().with("feed.txt.0", "99\n").with("feed.txt", "0\n");
    pack(&place, by, "feed.txt.0");
    thread::sleep(Duration::from_millis(1100));
    fs::copy(place.path("feed.txt"), place.path("new")).unwrap();
    fs::rename(place.path("new"), place.path("feed.txt")).unwrap();
    let followed = Followed::of(place, &["-f=lines", "feed.txt"]);
    followed.expect(&["0"]);
    followed.meanwhile(|place| {
        for rotation in 1..=4 {
            let name = format!("feed.txt.{rotation}");
            rotate(place, &format!("{rotation}\n"), &name);
            if by == "bzip2" {
                // bzip2 writes file times in whole seconds.
                thread::sleep(Duration::from_millis(1100));
            }
            // The first file is held open, and its compressed copy is recognised by its end. The third stays uncompressed.
            if rotation != 3 {
                pack(place, by, &name);
            }
        }
        followed.write("5\n");
    });
    followed.expect(&["1", "2", "3", "4", "5"]);
    followed.told_nothing();
    // A file that was read and is compressed later is not read again.
    followed.meanwhile(|place| {
        pack(place, by, "feed.txt.3");
        rotate(place, "6\n", "feed.txt.6");
        rotate(place, "7\n", "feed.txt.7");
        pack(place, by, "feed.txt.7");
        followed.write("8\n");
    });
    followed.expect(&["6", "7", "8"]);
    followed.told_nothing();
}

#[test]
fn what_lies_there_is_read_before_a_run_stops() {
    let followed = Followed::new();
    // The run waits a second for the writer of each file before it reads the next one.
    for rotation in 1..=5 {
        rotate(followed.place(), &format!("{rotation}\n"), &format!("feed.txt.{rotation}"));
        followed.write(&format!("{rotation}0\n"));
        pack(followed.place(), "gzip", &format!("feed.txt.{rotation}"));
    }
    // The last line has no end, and may go on.
    followed.write("60\n6");
    let (_, code, lines, said) = followed.stopped();
    assert_eq!((code, said.as_str()), (Some(143), ""));
    assert_eq!(lines, ["1", "10", "2", "20", "3", "30", "4", "40", "5", "50", "60"]);
}

#[test]
fn a_run_goes_on_in_what_was_packed_while_nobody_looked() {
    for kill in [false, true] {
        let followed = Followed::of(Place::new().with("feed.txt", "0\n"), &STATE);
        followed.expect(&["0"]);
        followed.write("1\n");
        followed.expect(&["1"]);
        thread::sleep(Duration::from_millis(300));
        let place = if kill { followed.killed() } else { followed.stopped().0 };
        rotate(&place, "2\n", "feed.txt.1");
        pack(&place, "gzip", "feed.txt.1");
        rotate(&place, "3\n", "feed.txt.2");
        pack(&place, "xz", "feed.txt.2");
        rotate(&place, "4\n", "feed.txt.3");
        let place = place.with("feed.txt", "5\n");
        let followed = Followed::of(place, &STATE);
        followed.expect(&["2", "3", "4", "5"]);
        followed.told_nothing();
        // A run that stopped within a file finds its place even if the file is compressed afterwards.
        let place = followed.stopped().0;
        rotate(&place, "6\n", "feed.txt.4");
        pack(&place, "gzip", "feed.txt.4");
        let place = place.with("feed.txt", "7\n");
        let followed = Followed::of(place, &STATE);
        followed.expect(&["6", "7"]);
        followed.told_nothing();
    }
}

#[test]
fn what_cannot_be_read_of_packed_files_is_told_by_name() {
    let followed = Followed::of(Place::new().with("feed.txt", "0\n"), &STATE);
    followed.expect(&["0"]);
    thread::sleep(Duration::from_millis(300));
    let place = followed.stopped().0;
    for (lines, name) in [("1\n", "feed.txt.1"), ("2\n", "feed.txt.2"), ("3\n", "feed.txt.3")] {
        rotate(&place, lines, name);
        pack(&place, "gzip", name);
    }
    // One file is missing, and one is damaged.
    fs::remove_file(place.path("feed.txt.1.gz")).unwrap();
    let whole = place.read("feed.txt.2.gz");
    fs::write(place.path("feed.txt.2.gz"), &whole[..10]).unwrap();
    let place = place.with("feed.txt", "4\n");
    let followed = Followed::of(place, &STATE);
    // The lines come in any order: a file that was written to later counts as later.
    let mut lines: Vec<String> = (0..2).map(|_| followed.line()).collect();
    lines.sort();
    assert_eq!(lines, ["3", "4"]);
    let said = followed.stopped().3;
    assert!(said.contains("the run before had read 2 bytes") && said.contains("feed.txt.3.gz"), "{said}");
    assert!(said.contains("feed.txt.2.gz cannot be unpacked behind the first 0 bytes"), "{said}");
}
