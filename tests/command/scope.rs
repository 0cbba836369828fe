//! `--scope`: messages repeat each other only within the same value.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeSet;
use std::fs;

use crate::common::place::{Place, input};
use serde_json::{Value, json};

/// Engines without a window that any message of the input leaves.
const ENGINES: &[&[&str]] = &[
    &[],
    &["-j", "6"],
    &["--near", "simhash"],
    &["--near", "simhash", "--max-distance", "8", "--exact", "none"],
    &["--near", "minhash"],
    &["--near", "none", "--exact", "bloom", "--capacity", "10000"],
    &["--exact", "trie", "--exact-on", "raw", "--explain"],
];

fn records(lines: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Messages of a few authors and channels, each text by several of them.
fn posts() -> Vec<Value> {
    let mut posts = records(&input(900, 13));
    posts.extend(posts.clone());
    for (at, post) in posts.iter_mut().enumerate() {
        post["id"] = at.into();
        post["by"] = [json!("甲"), json!("乙"), json!(7), json!(true)][at * at % 11 % 4].clone();
        post["deep"] = json!({"ch": at % 2});
    }
    posts
}

fn lines<'p>(posts: impl IntoIterator<Item = &'p Value>) -> Vec<u8> {
    posts.into_iter().map(|post| format!("{post}\n")).collect::<String>().into()
}

#[test]
fn each_scope_is_as_if_it_were_alone() {
    let posts = posts();
    let place = Place::new(&lines(&posts));
    for engine in ENGINES {
        for (scope, pointers) in [("by", &["/by"][..]), ("by,deep.ch", &["/by", "/deep/ch"])] {
            let run =
                |file: &str, more: &[&str]| {
                    records(&place.done(
                        &[&["dedup", "-q", file, "--output", "annotated", "--seed", "7"], *engine, more].concat(),
                    ))
                };
            let told = run("in.jsonl", &["--scope", scope]);
            let of = |post: &Value| pointers.iter().map(|at| post.pointer(at).unwrap().to_string()).collect::<Vec<_>>();
            let scopes: BTreeSet<_> = posts.iter().map(of).collect();
            let mut dropped = 0;
            for scope in &scopes {
                fs::write(place.path("one.jsonl"), lines(posts.iter().filter(|post| of(post) == *scope))).unwrap();
                let alone = run("one.jsonl", &[]);
                let here: Vec<&Value> = told.iter().filter(|post| of(post) == *scope).collect();
                assert_eq!(here, alone.iter().collect::<Vec<_>>(), "{engine:?} {scope:?}");
                dropped += alone.iter().filter(|post| post["quchong"]["verdict"] != "kept").count();
            }
            assert!(scopes.len() >= 4 && dropped > 50, "{engine:?} {dropped}");
            let without = run("in.jsonl", &[]).iter().filter(|post| post["quchong"]["verdict"] != "kept").count();
            assert!(without > dropped + 100, "{engine:?} {without} {dropped}");
        }
    }
}

#[test]
fn a_state_and_an_archive_keep_scopes_apart() {
    let posts = posts();
    let place = Place::new(&lines(&posts));
    let (first, second) = posts.split_at(900);
    fs::write(place.path("first.jsonl"), lines(first)).unwrap();
    fs::write(place.path("second.jsonl"), lines(second)).unwrap();
    for engine in [&[][..], &["--verify-window", "300"], &["--near", "minhash"], &["--window", "700"], &["--keep", "2"]]
    {
        let run = |args: &[&str]| {
            place.done(
                &[&["dedup", "-q", "--scope", "by", "--output", "annotated", "--seed", "7"], engine, args].concat(),
            )
        };
        let at_once = run(&["in.jsonl"]);
        let parts = [run(&["first.jsonl", "--state", "state"]), run(&["second.jsonl", "--state", "state"])].concat();
        assert_eq!(String::from_utf8(parts).unwrap(), String::from_utf8(at_once).unwrap(), "{engine:?}");
        let told = place.refused(&[&["dedup", "-q", "in.jsonl", "--state", "state"], engine].concat());
        assert!(told.contains("made with --scope by, not no --scope"), "{told}");
        fs::remove_dir_all(place.path("state")).unwrap();
    }
    let kept = |args: &[&str]| -> Vec<Value> {
        let told = records(&place.done(&[&["dedup", "-q", "--output", "annotated", "--scope", "by"], args].concat()));
        told.iter().map(|post| (post["quchong"]["verdict"] == "kept").into()).collect()
    };
    place.done(&["dedup", "-q", "first.jsonl", "--scope", "by", "--state", "archive"]);
    let expected = kept(&["in.jsonl"])[900..].to_vec();
    assert_eq!(kept(&["second.jsonl", "--against", "archive"]), expected);
    assert_eq!(kept(&["second.jsonl", "--against", "first.jsonl"]), expected);
}

#[test]
fn a_window_counts_the_messages_of_all_scopes() {
    let post = |by: &str, text: &str| json!({"by": by, "text": text});
    let texts = ["你好，世界", "再见，世界"];
    let posts = [post("甲", texts[0]), post("乙", texts[0]), post("乙", texts[1]), post("甲", texts[0])];
    let place = Place::new(&lines(&posts));
    let kept = |window| records(&place.done(&["dedup", "-q", "in.jsonl", "--scope", "by", "--window", window])).len();
    assert_eq!((kept("3"), kept("2")), (3, 4));
}

#[test]
fn a_record_without_its_scope_cannot_be_judged() {
    let place = Place::new(
        "{\"text\":\"你好\",\"by\":\"甲\"}\n{\"text\":\"你好\",\"by\":\"甲\"}\n{\"text\":\"你好\",\"by\":null}\n{\"text\":\"你好\",\"by\":\"甲\",\"x\":1}\n"
            .as_bytes(),
    );
    let output = place.run(&["dedup", "in.jsonl", "--scope", "by", "--output", "annotated"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("in.jsonl:3: field `by` (--scope) is no string, number, true or false"), "{told}");
    assert!(told.contains("kept 1 + dropped 2 (exact 2, near 0) + errors 1"), "{told}");
    let told = place.refused(&["dedup", "-q", "in.jsonl", "--scope", "who", "--on-error", "fail"]);
    assert!(told.contains("in.jsonl:1: no field `who` (--scope names another)"), "{told}");
    // In tables 7 is a value as any other, and an empty cell none.
    fs::write(place.path("a.csv"), "text,by\n你好,7\n你好,8\n你好,7\n你好,\n").unwrap();
    let output = place.run(&["dedup", "a.csv", "--scope", "by"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "text,by\n你好,7\n你好,8\n你好,\n");
    for (args, reason) in [
        (&["--scope", "a,,b"][..], "is out of range; use one to eight names of fields"),
        (&["--scope", "by", "-f", "lines"], "plain lines are messages whole"),
        (&["--scope", "by", "--preset", "paper"], "does nothing under --exact paper-bloom"),
    ] {
        let told = place.refused(&[&["dedup", "-q", "in.jsonl"], args].concat());
        assert!(told.contains(reason), "{args:?}: {told}");
    }
}
