//! `--keep N`: the first N messages of a cluster go through.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::HashMap;
use std::fs;

use crate::common::place::{ENGINES, Place, input};
use serde_json::{Value, json};

const ANNOTATED: [&str; 6] = ["dedup", "-q", "in.jsonl", "--output", "annotated", "--keep"];

fn records(lines: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The obvious way to keep several copies: counts the repeats of each message in a run that keeps one.
fn expected(alone: &[Value], keep: u64) -> Vec<Value> {
    let mut copies: HashMap<String, u64> = HashMap::new();
    let one = |record: &Value| {
        let mut note = record["quchong"].clone();
        if note["verdict"] != "kept" {
            let copy = copies.entry(note["of"].to_string()).or_insert(1);
            *copy += 1;
            if *copy <= keep {
                note = json!({"verdict": "kept", "of": note["of"]});
            }
            note["copy"] = (*copy).into();
        }
        note
    };
    alone.iter().map(one).collect()
}

#[test]
fn the_first_of_a_cluster_go_through() {
    let place = Place::new(&input(1300, 3));
    for engine in ENGINES.iter().filter(|engine| !engine.contains(&"--exact")) {
        let run = |keep: &str| records(&place.succeed(&[&ANNOTATED[..], &[keep], *engine].concat()));
        let alone = run("1");
        for keep in [2, 4] {
            let told: Vec<Value> = run(&keep.to_string()).iter().map(|record| record["quchong"].clone()).collect();
            let expected = expected(&alone, keep);
            assert_eq!(told, expected, "{engine:?}");
            let further = |note: &&Value| note["verdict"] == "kept" && note["copy"] == keep;
            assert!(expected.iter().filter(further).count() > 10, "{engine:?}");
        }
    }
    // Kept records leave as they came, and the sums add up.
    let output = place.run(&["dedup", "in.jsonl", "--keep", "2", "--summary", "sums.json", "-o", "kept.jsonl"]);
    assert!(output.status.success());
    let sums: Value = serde_json::from_slice(&fs::read(place.path("sums.json")).unwrap()).unwrap();
    let lines = fs::read(place.path("kept.jsonl")).unwrap();
    assert_eq!(sums["kept"], records(&lines).len() as u64);
    let input = fs::read(place.path("in.jsonl")).unwrap();
    let mut rest = input.split_inclusive(|byte| *byte == b'\n');
    assert!(lines.split_inclusive(|byte| *byte == b'\n').all(|line| rest.any(|other| other == line)));
}

#[test]
fn copies_are_counted_across_runs() {
    let lines = input(2000, 5);
    let half = lines.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(900).unwrap().0 + 1;
    let place = Place::new(&lines);
    for engine in [&[][..], &["--window", "500"], &["--window", "500", "--refresh"], &["--near", "minhash"]] {
        let at_once = place.succeed(&[&ANNOTATED[..], &["3"], engine].concat());
        let mut parts = Vec::new();
        for part in [&lines[..half], &lines[half..]] {
            fs::write(place.path("part.jsonl"), part).unwrap();
            let args = ["dedup", "-q", "part.jsonl", "--output", "annotated", "--state", "state", "--keep", "3"];
            parts.extend(place.succeed(&[&args, engine].concat()));
            place.succeed(&["state", "compact", "state"]);
        }
        assert_eq!(String::from_utf8(parts).unwrap(), String::from_utf8(at_once).unwrap(), "{engine:?}");
        let told = place.refused(&[&["dedup", "-q", "in.jsonl", "--state", "state"], engine].concat());
        assert!(told.contains("made with --keep 3, not --keep 1"), "{told}");
        fs::remove_dir_all(place.path("state")).unwrap();
    }
}

#[test]
fn what_counts_nothing_is_refused() {
    let place = Place::new(b"");
    for (args, reason) in [
        (&["--keep", "0"][..], "use 1 to 4294967296"),
        (&["--keep", "2", "--exact", "bloom"], "does nothing under --exact bloom"),
        (&["--keep", "2", "--preset", "paper"], "does nothing under --exact paper-bloom"),
        (&["--keep", "2", "--represent", "longest"], "--keep: cannot be used with --represent"),
        (&["--keep", "2", "--exact", "none", "--near", "none"], "--keep: does nothing"),
    ] {
        let told = place.refused(&[&["dedup", "-q", "in.jsonl"], args].concat());
        assert!(told.contains(reason), "{args:?}: {told}");
    }
}
