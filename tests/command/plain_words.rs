//! Wrong values are refused in plain words, and one file of settings serves several commands.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::quchong;

#[test]
fn values_are_refused_in_plain_words() {
    for (args, told) in [
        (&["tune", "bloom", "--target-error", "1%"][..], "--target-error 1%: write a rate, 1e-6 for example"),
        (&["evaluate", "a", "--min-precision", "97%"], "97%: write a number between 0 and 1, 0.97 for example"),
        (&["dedup", "--normalise", "raw,none"], "raw,none: `raw` stands alone; leave it or the other rules out"),
        (&["dedup", "--similarity", "x"], "--similarity x: write a number from 0.001 to 1, 0.5 for example"),
    ] {
        let output = quchong().args(args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(told), "{said}");
    }
}

#[test]
fn one_file_serves_dedup_check_and_serve() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jsonl"), "{\"text\":\"a\"}\n").unwrap();
    let run = |settings: &str, args: &[&str]| {
        fs::write(folder.path().join("a.toml"), settings).unwrap();
        let run = quchong().current_dir(&folder).args(args).args(["--config", "a.toml"]).output().unwrap();
        (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap())
    };
    // Without a state the service ends at once.
    let (_, said) = run("output = \"annotated\"\n", &["serve"]);
    assert!(said.contains("a.toml:1: output: is an option of `quchong dedup`, and does nothing here"), "{said}");
    assert!(said.contains("--state: there is none"), "{said}");
    let (_, said) = run("against = \"x\"\n", &["serve"]);
    assert!(said.contains("a.toml:1: against: is an option of `quchong dedup`, and this command cannot"), "{said}");
    fs::write(folder.path().join("a.toml"), "ui = \"zh\"\n").unwrap();
    let mut check = quchong();
    check.current_dir(&folder).env_remove("QUCHONG_UI").args(["check", "a.jsonl", "--config", "a.toml"]);
    let told = String::from_utf8(check.output().unwrap().stdout).unwrap();
    let row = told.lines().find(|row| row.contains("--ui zh"));
    assert!(row.is_some_and(|row| row.ends_with("a.toml:1")), "{told}");
}
