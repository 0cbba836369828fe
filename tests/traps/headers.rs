//! A table has one header, also if it is written by several runs, or put together of several tables.

use std::fs::{self, File, OpenOptions};
use std::process::Stdio;

use super::{Place, ended};

const A: &str = "id,text\n1,今天武汉的樱花开了\n";
const B: &str = "id,text\n2,明天见啦朋友\n";
const BOTH: &str = "id,text\n1,今天武汉的樱花开了\n2,明天见啦朋友\n";

/// A second run once put its header into the middle of the file, where it is a message, or was refused.
#[test]
fn rows_are_added_behind_the_header_that_is_there() {
    let mark = "\u{feff}".to_owned();
    let place = Place::new().with("a.csv", mark.clone() + A).with("b.csv", B.replace('\n', "\r\n"));
    let place = place.with("in.csv", A);
    let append = |input: &str, out: &str, more: &[&str]| {
        let run = place.run(&[&["dedup", "-q", input, "-o", out, "--append"], more].concat());
        assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
    };
    // The first run makes the file.
    append("a.csv", "out.csv", &[]);
    append("b.csv", "out.csv", &[]);
    assert_eq!(place.text("out.csv"), mark + &BOTH.replace("朋友\n", "朋友\r\n"));
    for out in ["out.csv.gz", "annotated.csv"] {
        let more: &[&str] = if out.ends_with("gz") { &[] } else { &["--output", "annotated", "--dropped", "no.csv"] };
        append("in.csv", out, more);
        append("b.csv", out, more);
        let read = place.run(&["dedup", "-q", out]);
        assert_eq!((read.out.matches("id,text").count(), read.out.lines().count()), (1, 3), "{}", read.out);
    }
    assert_eq!(place.text("no.csv"), "id,text,quchong\n");
    // With a state and without a header, too.
    append("in.csv", "state.csv", &["--state", "state"]);
    append("b.csv", "state.csv", &["--state", "state"]);
    assert_eq!(place.text("state.csv"), BOTH.replace("朋友\n", "朋友\r\n"));
    append("in.csv", "rows.csv", &["--no-header", "--field", "2"]);
    append("in.csv", "rows.csv", &["--no-header", "--field", "2"]);
    assert_eq!(place.text("rows.csv"), A.repeat(2));
}

#[test]
fn another_header_is_refused_and_nothing_is_written() {
    let place = Place::new().with("a.csv", A).with("out.csv", "text,id\n再见,7\n").with("lines.csv", "只有一行");
    for out in ["out.csv", "lines.csv"] {
        let before = place.text(out);
        let args = ["a.csv", "-q", "-o", out, "--append", "--state", "state"];
        for (command, code) in [("check", 1), ("dedup", 2)] {
            let run = place.run(&[&[command], &args[..]].concat());
            assert_eq!(run.code, Some(code), "{}", run.said);
            assert!(run.said.contains(&format!("{out}: --append: its first line is not the header")), "{}", run.said);
        }
        let run = place.fed(&[&["dedup", "-f", "csv"], &args[1..]].concat(), A.as_bytes());
        assert!(run.code == Some(2) && run.said.contains("is not the header"), "{}", run.said);
        assert_eq!(place.text(out), before);
    }
    // A refused run leaves a state that takes the next one.
    let run = place.run(&["dedup", "-q", "a.csv", "-o", "new.csv", "--append", "--state", "state"]);
    assert_eq!((run.code, place.text("new.csv").as_str()), (Some(0), A), "{}", run.said);
}

/// Plain lines behind a compressed member, and the reverse, can be read by nothing.
#[test]
fn a_file_that_is_not_compressed_as_its_name_says_is_refused() {
    let place = Place::new().with("a.csv", A).with("out.csv.gz", A);
    let packed = place.run(&["dedup", "-q", "a.csv", "-o", "packed.gz"]);
    assert_eq!(packed.code, Some(0), "{}", packed.said);
    fs::rename(place.path("packed.gz"), place.path("out.csv")).unwrap();
    for out in ["out.csv.gz", "out.csv"] {
        let before = place.read(out);
        let run = place.run(&["dedup", "-q", "a.csv", "-o", out, "--append"]);
        assert_eq!(run.code, Some(2), "{}", run.said);
        assert!(run.said.contains("is not compressed as its name says"), "{}", run.said);
        assert_eq!(place.read(out), before);
    }
}

/// A followed table is read again from its header, and its output goes on.
#[test]
#[cfg(target_os = "linux")]
fn a_shell_adds_no_second_header_either() {
    let place = Place::new().with("a.csv", A).with("b.csv", B).with("other.csv", "text,id\n再见,7\n");
    let add = |input: &str| {
        let out = OpenOptions::new().create(true).append(true).open(place.path("out.csv")).unwrap();
        let run = ended(place.command(&["dedup", input]).stdout(out).spawn().unwrap());
        (run.code, run.said.contains("<stdout>: warning: begins with another header than these rows"))
    };
    assert_eq!([add("a.csv"), add("b.csv")], [(Some(0), false); 2]);
    assert_eq!(place.text("out.csv"), BOTH);
    // Another header is written, because what the shell adds to is up to its user. But it is told.
    assert_eq!(add("other.csv"), (Some(0), true));
    assert_eq!(place.text("out.csv"), BOTH.to_owned() + "text,id\n再见,7\n");
    // A file that is not added to begins with the header.
    fs::write(place.path("new.csv"), A).unwrap();
    let over = File::options().write(true).open(place.path("new.csv")).unwrap();
    ended(place.command(&["dedup", "-q", "b.csv"]).stdout(over).spawn().unwrap());
    assert!(place.read("new.csv").starts_with(B.as_bytes()));
}

/// `cat a.csv b.csv` has the second header as a row. It was a message, and was kept.
#[test]
fn a_header_among_the_rows_is_no_message() {
    let place = Place::new().with("both.csv", A.to_owned() + "\u{feff}" + B + "id,text");
    let run = place.run(&["dedup", "both.csv"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), BOTH), "{}", run.said);
    assert!(run.said.contains("both.csv:3: this row is the header once more"), "{}", run.said);
    assert!(run.said.contains("in 2 = kept 2") && run.said.lines().count() == 2, "{}", run.said);
    let chosen = place.run(&["dedup", "-q", "both.csv", "--represent", "longest"]);
    assert_eq!(chosen.out, BOTH);
    let mut command = place.command(&["dedup", "-q", "-f", "csv", "--state", "state"]);
    let run = ended(command.stdin(Stdio::from(File::open(place.path("both.csv")).unwrap())).spawn().unwrap());
    assert_eq!((run.code, run.out.as_str()), (Some(0), BOTH), "{}", run.said);
}
