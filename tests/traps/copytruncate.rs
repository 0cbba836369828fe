//! `--follow` when rotation copies and truncates the file, when a run was stopped around a rotation, and when files have headers.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::thread;
use std::time::Duration;

use super::Place;
use super::followed::Followed;

/// Appends lines to the feed, copies the feed, and truncates it.
fn rotate(place: &Place, lines: &str, copy: &str) {
    let feed = place.path("feed.txt");
    OpenOptions::new().append(true).open(&feed).unwrap().write_all(lines.as_bytes()).unwrap();
    fs::copy(&feed, place.path(copy)).unwrap();
    File::create(&feed).unwrap();
    // File times are only as fine as a clock tick.
    thread::sleep(Duration::from_millis(12));
}

/// No copy is lost, however fast the rotations follow each other. At 0.3 s and faster, whole copies were once lost silently.
#[test]
fn copies_that_follow_each_other_fast_are_all_read() {
    for pause in [0, 2, 60, 300] {
        let followed = Followed::new();
        let expected: Vec<String> = (1..=60).map(|line| line.to_string()).collect();
        for (at, lines) in expected.chunks(5).enumerate() {
            rotate(followed.place(), &(lines.join("\n") + "\n"), &format!("feed.txt.{at}"));
            thread::sleep(Duration::from_millis(pause));
        }
        followed.expect(&expected.iter().map(String::as_str).collect::<Vec<_>>());
        // The run goes on in the feed itself.
        followed.write("61\n");
        followed.expect(&["61"]);
    }
}

/// Copies are read in order even if each rotation renumbers them, as logrotate does: the newest copy is always `.1`.
#[test]
fn copies_that_are_renamed_are_read_in_order() {
    let followed = Followed::new();
    followed.meanwhile(|place| {
        for at in 0..4 {
            for number in (1..4).rev() {
                let _ = fs::rename(
                    place.path(&format!("feed.txt.{number}")),
                    place.path(&format!("feed.txt.{}", number + 1)),
                );
            }
            rotate(place, &format!("{}\n{}\n", at * 2 + 1, at * 2 + 2), "feed.txt.1");
        }
        OpenOptions::new().append(true).open(place.path("feed.txt")).unwrap().write_all(b"9\n").unwrap();
    });
    followed.expect(&["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    followed.told(&["feed.txt.4", "its copies are read whole"]);
}

/// Copies that can no longer be read are reported with their number: copies that the next one replaced, and a copy that was compressed.
#[test]
#[cfg(target_os = "linux")]
fn copies_that_are_gone_are_told() {
    let followed = Followed::new();
    followed.meanwhile(|place| {
        for line in 1..=3 {
            rotate(place, &format!("{line}\n"), "feed.txt.1");
        }
    });
    followed.expect(&["3"]);
    followed.told(&["2 more copies of it were written", "lost"]);
    let followed = Followed::new();
    followed.meanwhile(|place| {
        rotate(place, "1\n", "feed.txt.1");
        assert!(std::process::Command::new("gzip").arg(place.path("feed.txt.1")).status().unwrap().success());
        rotate(place, "2\n", "feed.txt.2");
    });
    followed.expect(&["2"]);
    followed.told(&["1 more copies of it were written"]);
}

/// A copy after which the feed is not truncated is not a loss, and is not read.
#[test]
fn copies_without_a_cut_are_another_matter() {
    let followed = Followed::new();
    for line in 1..=5 {
        followed.write(&format!("{line}\n"));
        fs::copy(followed.place().path("feed.txt"), followed.place().path("feed.txt.1")).unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    followed.expect(&["1", "2", "3", "4", "5"]);
    followed.told_nothing();
    rotate(followed.place(), "6\n", "feed.txt.1");
    followed.write("7\n");
    followed.expect(&["6", "7"]);
    let told = followed.told(&["was truncated"]);
    assert!(!told.contains("more copies"), "{told}");
}

const STATE: [&str; 4] = ["--state", "state", "-f=lines", "feed.txt"];

/// The place of a run that answered `1` and `2` and was then killed.
fn stopped() -> Place {
    // A copy older than the feed is not read: `feed.txt.0` is made before `feed.txt`.
    let place = Place::new().with("feed.txt.0", "0\n");
    thread::sleep(Duration::from_millis(12));
    let followed = Followed::of(place.with("feed.txt", "1\n2\n"), &STATE);
    followed.expect(&["1", "2"]);
    // A run records its answers in the state a moment after it has given them.
    thread::sleep(Duration::from_millis(300));
    followed.killed()
}

fn add(place: &Place, lines: &str) {
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(place.path("feed.txt"))
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    thread::sleep(Duration::from_millis(12));
}

/// Lines that were written between two runs are read first, even if their file was rotated meanwhile. They were once lost silently.
#[test]
fn what_a_run_has_left_of_a_rotated_file_is_read_first() {
    let place = stopped();
    for (rotation, lines) in ["3\n4\n", "5\n", "6\n7\n"].into_iter().enumerate() {
        add(&place, lines);
        fs::rename(place.path("feed.txt"), place.path(&format!("feed.txt.{}", rotation + 1))).unwrap();
    }
    add(&place, "8\n");
    let followed = Followed::of(place, &STATE);
    followed.expect(&["3", "4", "5", "6", "7", "8"]);
    followed.told_nothing();
    // The next run goes on from there.
    thread::sleep(Duration::from_millis(300));
    let place = followed.killed();
    add(&place, "9\n");
    let followed = Followed::of(place, &STATE);
    followed.expect(&["9"]);
    followed.told_nothing();
}

#[test]
fn what_a_run_has_left_of_a_file_that_was_cut_is_read_in_its_copy() {
    let place = stopped();
    rotate(&place, "3\n4\n", "feed.txt.1");
    rotate(&place, "5\n", "feed.txt.2");
    add(&place, "6\n7\n8\n9\n");
    let followed = Followed::of(place, &STATE);
    followed.expect(&["3", "4", "5", "6", "7", "8", "9"]);
    followed.told(&["was truncated after the last run had read 4 bytes of it"]);
}

#[test]
fn a_file_that_is_gone_between_two_runs_is_told() {
    let place = stopped();
    add(&place, "3\n4\n");
    fs::remove_file(place.path("feed.txt")).unwrap();
    add(&place, "5\n");
    fs::rename(place.path("feed.txt"), place.path("feed.txt.1")).unwrap();
    add(&place, "6\n");
    let followed = Followed::of(place, &STATE);
    followed.expect(&["5", "6"]);
    followed.told(&["the run before had read 4 bytes of a file that had this name", "lost"]);
}

/// A run continues after the last record that the run before answered. It once wrote again what its window had forgotten, and counted the
/// whole file once more.
#[test]
fn a_run_goes_on_behind_what_the_last_one_has_answered() {
    let args = [&STATE[..], &["--window=1", "--output=annotated"]].concat();
    let followed = Followed::of(Place::new().with("feed.txt", "甲\n乙\n丙\n"), &args);
    followed.expect(&["甲", "乙", "丙"].map(kept).each_ref().map(String::as_str));
    thread::sleep(Duration::from_millis(300));
    let place = followed.stopped().0;
    add(&place, "丁\n");
    let followed = Followed::of(place, &args);
    followed.write("丁\n");
    let again = r#"{"text":"丁","quchong":{"verdict":"exact","of":{"record":4}}}"#;
    followed.expect(&[&kept("丁"), again]);
    followed.told_nothing();
}

fn kept(text: &str) -> String {
    format!(r#"{{"text":"{text}","quchong":{{"verdict":"kept"}}}}"#)
}

/// A file that was written anew is read from its beginning, even if one of its lines ends at the old offset and in the same words.
#[test]
fn a_file_that_was_written_anew_is_read_from_its_beginning() {
    let followed = Followed::of(Place::new().with("feed.txt", "东门温度21度\n西门温度22度\n"), &STATE);
    followed.expect(&["东门温度21度", "西门温度22度"]);
    followed.write("设备正常\n");
    followed.expect(&["设备正常"]);
    thread::sleep(Duration::from_millis(300));
    let place = followed.stopped().0;
    fs::write(place.path("feed.txt"), "南门水深21米\n北门起火22处\n设备正常\n一切正常\n").unwrap();
    let followed = Followed::of(place, &STATE);
    followed.expect(&["南门水深21米", "北门起火22处", "一切正常"]);
    let told = followed.told(&["lost, how much is not known"]);
    // Lines that were read are not reported as unread.
    thread::sleep(Duration::from_millis(1200));
    let (_, _, _, said) = followed.stopped();
    assert!(!(told + &said).contains("are not read"), "{said}");
}

/// A file is recognised under any path, and even if the state has seen another input meanwhile.
#[test]
fn a_file_is_known_however_it_is_called() {
    let annotated = ["--state", "state", "-f=lines", "--output=annotated"];
    let mut place = stopped().with("other.txt", "甲\n");
    assert_eq!(place.run(&["dedup", "-q", "--near=none", "--state", "state", "other.txt"]).out, "甲\n");
    let path = place.path("feed.txt").display().to_string();
    for (name, new) in [("./feed.txt", "3"), (&*path, "4")] {
        add(&place, &format!("{new}\n"));
        let followed = Followed::of(place, &[&annotated[..], &[name]].concat());
        followed.expect(&[&kept(new)]);
        thread::sleep(Duration::from_millis(300));
        place = followed.stopped().0;
    }
}

/// Files in UTF-16 are all read when they follow each other. A line end of one byte once came before the second file, and all of it was
/// lost.
#[test]
fn files_in_utf_16_follow_each_other() {
    let file = |text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect::<Vec<u8>>()
    };
    for (mark, bytes) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)] {
        let place = Place::new();
        fs::write(place.path("feed.txt"), file("东门开放\n半行", mark, bytes)).unwrap();
        let followed = Followed::of(place, &["-f=lines", "--output=annotated", "feed.txt"]);
        followed.expect(&[&kept("东门开放")]);
        let path = |name: &str| followed.place().path(name);
        fs::rename(path("feed.txt"), path("feed.txt.1")).unwrap();
        fs::write(path("feed.txt"), file("西门开放\n南门开放\n", mark, bytes)).unwrap();
        followed.expect(&["半行", "西门开放", "南门开放"].map(kept).each_ref().map(String::as_str));
    }
}

/// A run's position in one file is not applied to another file, whatever runs come between.
#[test]
fn another_feed_is_followed_from_its_beginning() {
    let place = stopped().with("other.txt", "甲\n");
    assert_eq!(place.run(&["dedup", "-q", "--near=none", "--state", "state", "other.txt"]).out, "甲\n");
    fs::write(place.path("other.txt"), "甲\n乙\n").unwrap();
    let followed = Followed::of(place, &["--state", "state", "-f=lines", "other.txt"]);
    followed.expect(&["乙"]);
    followed.told_nothing();
}

/// The header of each file of a table is read as a header, never judged as a message.
#[test]
fn each_file_of_a_table_has_its_header() {
    let followed =
        Followed::of(Place::new().with("feed.csv", "id,text\n1,早上好\n"), &["--output=annotated", "feed.csv"]);
    let is = |followed: &Followed, start: &str| {
        let line = followed.line();
        assert!(line.starts_with(start), "{line}");
    };
    is(&followed, "id,text,quchong");
    is(&followed, "1,早上好,");
    let path = |name: &str| followed.place().path(name);
    fs::rename(path("feed.csv"), path("feed.csv.1")).unwrap();
    fs::write(path("feed.csv"), "id,text\n2,\"晚上好\n").unwrap();
    thread::sleep(Duration::from_millis(1500));
    fs::rename(path("feed.csv"), path("feed.csv.2")).unwrap();
    // If the writer does not repeat the header, the first line of the file is a row.
    fs::write(path("feed.csv"), "3,明天见\n4,后天见\n").unwrap();
    // An unclosed quote ends with its file.
    is(&followed, ",,\"{");
    is(&followed, "3,明天见,");
    is(&followed, "4,后天见,");
    // The file is truncated, and its header is written again.
    fs::copy(path("feed.csv"), path("feed.csv.3")).unwrap();
    File::create(path("feed.csv")).unwrap();
    fs::write(path("feed.csv"), "id,text\n5,大后天见\n").unwrap();
    is(&followed, "5,大后天见,");
    // A different header means a different table.
    fs::rename(path("feed.csv"), path("feed.csv.4")).unwrap();
    fs::write(path("feed.csv"), "text,id\n好,6\n").unwrap();
    followed.told(&["its header is not that of the files before"]);
}
