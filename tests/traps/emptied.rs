//! Outputs that `>` has emptied, or that end in the middle of a line.

use std::fs::{File, OpenOptions};
use std::process::Stdio;

use super::{Place, Run, ended, records};

/// Runs a command whose output a shell opened as by `>`.
fn into(place: &Place, args: &[&str], input: &str, out: &str) -> Run {
    let input = File::open(place.path(input)).unwrap();
    let file = File::create(place.path(out)).unwrap();
    ended(place.command(args).stdin(Stdio::from(input)).stdout(file).spawn().unwrap())
}

/// The second start of a feed with `>` once emptied what the first had written, without a word.
#[test]
fn an_output_emptied_by_the_shell_is_told() {
    let place = Place::new().with("in.jsonl", records(3)).with("more.jsonl", records(5));
    let args = ["dedup", "-q", "--state", "state"];
    assert_eq!(into(&place, &args, "in.jsonl", "out.jsonl").said, "");
    let had = place.read("out.jsonl").len();
    let told = format!("the last run of this --state wrote {had} bytes to this file, and `>` has emptied it");
    let run = into(&place, &args, "more.jsonl", "out.jsonl");
    assert!(run.code == Some(0) && run.said.contains(&told) && run.said.contains(">>"), "{}", run.said);
    assert_eq!((run.said.lines().count(), place.text("out.jsonl").lines().count()), (1, 2), "{}", run.said);
    // Another file for each day is as it should be; so is a file that is added to and was rotated by emptying it.
    let day = Place::new().with("in.jsonl", records(3)).with("more.jsonl", records(5));
    assert_eq!(into(&day, &args, "in.jsonl", "monday.jsonl").said, "");
    assert_eq!(into(&day, &args, "more.jsonl", "tuesday.jsonl").said, "");
    File::create(day.path("tuesday.jsonl")).unwrap();
    let added = OpenOptions::new().append(true).open(day.path("tuesday.jsonl")).unwrap();
    let input = File::open(day.path("more.jsonl")).unwrap();
    let run = ended(day.command(&args).stdin(Stdio::from(input)).stdout(added).spawn().unwrap());
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
}

/// What a full disk had broken off got a line end, and nobody was told.
#[test]
fn a_last_line_that_is_broken_off_is_told() {
    let whole = "{\"id\":7,\"text\":\"再见\"}";
    let told = "its last line has no line end, and may be broken off";
    for (content, is_told) in [("{\"id\":7,\"text\":\"再", true), (whole, false), ("{\"id\":7}\n", false), ("", false)]
    {
        let place = Place::new().with("in.jsonl", records(1)).with("out.jsonl", content);
        for command in ["check", "dedup"] {
            let run = place.run(&[command, "in.jsonl", "-o", "out.jsonl", "--append"]);
            assert_eq!(run.said.contains(&format!("out.jsonl: {told}")), is_told, "{command} {content}: {}", run.said);
        }
        let place = place.with("out.jsonl", content);
        let out = OpenOptions::new().append(true).open(place.path("out.jsonl")).unwrap();
        let run = ended(place.command(&["dedup", "in.jsonl"]).stdout(out).spawn().unwrap());
        assert_eq!(run.said.contains(&format!("standard output: {told}")), is_told, "{content}: {}", run.said);
        let end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
        assert_eq!(place.text("out.jsonl"), format!("{content}{end}{}", records(1)));
    }
    // A run that is resumed goes on where it was, and only files can be.
    let place = Place::new().with("in.jsonl", records(2).trim_end());
    let args = ["dedup", "in.jsonl", "-o", "out.jsonl", "--state", "state", "--resume"];
    assert!((0..2).all(|_| !place.run(&args).said.contains(told)));
}
