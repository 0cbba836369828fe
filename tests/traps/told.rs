//! What is not there is told, whatever is asked for, and what is told commands no terminal.

use std::process::Stdio;

use super::{Place, ended, records};

/// Each of these said nothing, with exit code 0.
#[test]
fn a_field_that_is_not_there_is_told_by_every_command() {
    let place = Place::new().with("in.jsonl", records(4)).with("txt.jsonl", records(4).replace("text", "txt"));
    for (args, said) in [
        (&["clusters", "-q", "in.jsonl", "--id-field", "nope"][..], "--id-field: 4 of 4 records have no id"),
        (&["clusters", "-q", "in.jsonl", "--represent", "newest"], "--time-field: 4 of 4 messages have no time"),
        (&["dedup", "-q", "in.jsonl", "--represent", "newest"], "--time-field: 4 of 4 messages have no time"),
        (&["sign", "--method", "A2", "txt.jsonl"], "4 of 4 records could not be read, and have no signature; --field"),
    ] {
        let run = place.run(args);
        assert!(run.code == Some(3) && run.said.contains(said), "{args:?}: {:?} {}", run.code, run.said);
    }
    for args in [&["clusters", "-q", "in.jsonl"][..], &["sign", "--method", "A2", "in.jsonl"]] {
        let run = place.run(args);
        assert_eq!((run.code, run.said.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn what_is_told_commands_no_terminal() {
    let hostile = "\u{1b}[31m\u{7}\rx\u{202e}";
    let place = Place::new()
        .with("in.csv", format!("{hostile},id\n好,1\n"))
        .with("open.csv", "id,\"txt\n".to_owned() + &"早上好\n".repeat(200))
        .with(&format!("{hostile}.jsonl"), "{\"txt\":1}\n");
    let name = format!("{hostile}.jsonl");
    let (field, missing) = (format!("a{hostile}"), format!("no{hostile}"));
    for args in [
        &["dedup", "in.csv"][..],
        &["dedup", &name],
        &["dedup", &name, "--field", &field],
        &["dedup", &missing],
        &["dedup", &format!("--{hostile}")],
        &["dedup", "--window", hostile],
        &["clusters", &name],
        &["sign", "--method", "A2", &name],
        &["state", "info", &missing],
    ] {
        let said = place.run(args).said;
        assert!(said.contains("u{1b}") || said.contains('\u{fffd}'), "{args:?}: {said:?}");
        let is_bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(is_bad) && said.lines().all(|line| line.starts_with("quchong: ")), "{args:?}: {said:?}");
    }
    // All of the table is one name then.
    let said = place.run(&["dedup", "-q", "open.csv"]).said;
    assert!(said.contains("no column `text`, but id, txt") && said.chars().count() < 250, "{said}");
}

#[test]
fn a_full_disk_is_told_with_what_to_do() {
    let place = Place::new().with("in.jsonl", records(4));
    let run = place.run(&["dedup", "-q", "in.jsonl", "-o", "/dev/full", "--state", "state"]);
    assert_eq!(run.code, Some(2));
    for said in ["/dev/full: No space left on device (--output-file); free space", "--resume"] {
        assert!(run.said.contains(said), "{said}: {}", run.said);
    }
    let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for args in [&["dedup", "-q", "in.jsonl"][..], &["clusters", "-q", "in.jsonl"]] {
        let run = ended({ place.command(args) }.stdout(full()).spawn().unwrap());
        let said = "<stdout>: No space left on device; free space";
        assert!(run.code == Some(2) && run.said.contains(said), "{args:?}: {}", run.said);
        assert!(!run.said.contains("--resume"), "{}", run.said);
    }
}
