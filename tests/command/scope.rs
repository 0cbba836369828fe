//! `--scope`: messages repeat each other only if they have the same value of the scope.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeSet;
use std::fs;

use crate::common::place::{Place, input};
use serde_json::{Value, json};

/// Engines without a window that a message of the input could leave.
const ENGINES: &[&[&str]] = &[
    &[],
    &["-j", "6"],
    &["--near", "simhash"],
    &["--near", "simhash", "--max-distance", "8", "--exact", "none"],
    &["--near", "minhash"],
    &["--near", "none", "--exact", "bloom", "--capacity", "10000"],
    &["--exact", "trie", "--exact-on", "raw", "--explain"],
    &["--keep", "2"],
];

fn records(lines: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Messages of a few authors and channels; each text comes from several of them.
fn posts() -> Vec<Value> {
    let mut posts = records(&input(500, 13));
    posts.extend(posts.clone());
    // Many messages from one template, which the hybrid engine looks up in another way.
    posts.extend((0..400).map(|at| {
        let number = 100_000 + at * at % 5000;
        json!({"text": format!("【武汉通】您的验证码是{number}，请在5分钟内输入，不要告诉他人")})
    }));
    for (at, post) in posts.iter_mut().enumerate() {
        post["id"] = at.into();
        post["by"] = [json!("甲"), json!("乙"), json!(7), json!(true)][at * at % 13 % 4].clone();
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
        let both = [("by", &["/by"][..]), ("by,deep.ch", &["/by", "/deep/ch"])];
        for (scope, pointers) in both.into_iter().take(if engine.is_empty() { 2 } else { 1 }) {
            let run = |file: &str, more: &[&str]| {
                records(&place.succeed(&[&["dedup", "-q", file, "--output", "annotated"], *engine, more].concat()))
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
            place.succeed(
                &[&["dedup", "-q", "--scope", "by", "--output", "annotated", "--seed", "7"], engine, args].concat(),
            )
        };
        let at_once = run(&["in.jsonl"]);
        let parts = [run(&["first.jsonl", "--state", "state"]), run(&["second.jsonl", "--state", "state"])].concat();
        assert_eq!(String::from_utf8(parts).unwrap(), String::from_utf8(at_once).unwrap(), "{engine:?}");
        let told = place.refused(&[&["dedup", "-q", "in.jsonl", "--state", "state"], engine].concat());
        assert!(told.contains("made with --scope by; give it, or"), "{told}");
        fs::remove_dir_all(place.path("state")).unwrap();
    }
    let kept = |args: &[&str]| -> Vec<Value> {
        let told =
            records(&place.succeed(&[&["dedup", "-q", "--output", "annotated", "--scope", "by"], args].concat()));
        told.iter().map(|post| (post["quchong"]["verdict"] == "kept").into()).collect()
    };
    place.succeed(&["dedup", "-q", "first.jsonl", "--scope", "by", "--state", "archive"]);
    let expected = kept(&["in.jsonl"])[900..].to_vec();
    assert_eq!(kept(&["second.jsonl", "--against", "archive"]), expected);
    assert_eq!(kept(&["second.jsonl", "--against", "first.jsonl"]), expected);
}

#[test]
fn clusters_keep_scopes_apart() {
    let place = Place::new(&lines(&posts()));
    let texts = |command: &str| -> Vec<Value> {
        let told = records(&place.succeed(&[command, "-q", "in.jsonl", "--scope", "by"]));
        told.iter().map(|record| record["text"].clone()).collect()
    };
    assert_eq!(texts("clusters"), texts("dedup"));
    let output = place.run(&["clusters", "-q", "in.jsonl", "--scope", "who"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("messages have no value in the fields of --scope"), "{told}");
}

#[test]
fn a_window_counts_the_messages_of_all_scopes() {
    let post = |by: &str, text: &str| json!({"by": by, "text": text});
    let texts = ["你好，世界", "再见，世界"];
    let posts = [post("甲", texts[0]), post("乙", texts[0]), post("乙", texts[1]), post("甲", texts[0])];
    let place = Place::new(&lines(&posts));
    let kept =
        |window| records(&place.succeed(&["dedup", "-q", "in.jsonl", "--scope", "by", "--window", window])).len();
    assert_eq!((kept("3"), kept("2")), (3, 4));
}

#[test]
fn records_without_the_field_are_a_scope_of_their_own() {
    let post = |id: u64, by: Value| json!({"id": id, "text": "你好，世界", "by": by});
    let mut posts: Vec<Value> =
        [json!("甲"), json!(null), json!("甲"), json!("-"), json!("乙"), json!({"a": 1}), json!("none")]
            .into_iter()
            .zip(1..)
            .map(|(by, id)| post(id, by))
            .collect();
    posts.push(json!({"id": 8, "text": "你好，世界"}));
    let place = Place::new(&lines(&posts));
    let output = place.run(&["dedup", "in.jsonl", "--scope", "by", "--output", "annotated", "--summary", "sums.json"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("in.jsonl:6: field `by` (--scope) is no string, number, true or false"), "{told}");
    assert!(told.contains("scope: 2 of 7 messages had no value there, and were compared with each other"), "{told}");
    let of: Vec<Value> = records(&output.stdout).iter().map(|post| post["quchong"]["of"].clone()).collect();
    let none = Value::Null;
    assert_eq!(of, [&none, &none, &json!(1), &none, &none, &none, &none, &json!(2)].map(Value::clone));
    let sums: Value = serde_json::from_slice(&fs::read(place.path("sums.json")).unwrap()).unwrap();
    assert_eq!((&sums["scopeless"], &sums["errors"]["total"]), (&json!(2), &json!(1)));
    // Most messages have no value: somebody meant another field.
    let output = place.run(&["dedup", "-q", "in.jsonl", "--scope", "by,who"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("7 of 7 messages have no value in the fields of --scope"), "{told}");
    fs::write(place.path("archive.jsonl"), "{\"text\":\"你好\"}\n").unwrap();
    let told = place.refused(&["dedup", "-q", "in.jsonl", "--scope", "by", "--against", "archive.jsonl"]);
    assert!(told.contains("--against: most records of these files have no value in the fields of --scope"), "{told}");
}

#[test]
fn a_number_is_one_scope_however_it_is_written() {
    let by = ["1", "1.0", "1e0", "\"1\"", "10E-1", "1.5", "15e-1", "-0.0", "0", "12345678901234567890123", "1e400"];
    let posts = by.map(|by| format!("{{\"text\":\"你好，世界\",\"by\":{by}}}\n"));
    let place = Place::new(posts.concat().as_bytes());
    let kept = String::from_utf8(place.succeed(&["dedup", "-q", "in.jsonl", "--scope", "by"])).unwrap();
    assert_eq!(kept, [0, 5, 7, 9, 10].map(|at| &*posts[at]).concat());
}

#[test]
fn fields_that_cannot_be_a_scope_are_refused() {
    let place = Place::new(b"");
    // In tables, 7 is a value like any other, and an empty cell is no value.
    fs::write(place.path("a.csv"), "text,by\n你好,7\n你好,8\n你好,7\n你好,\n你好,\n").unwrap();
    let output = place.run(&["dedup", "a.csv", "--scope", "by"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "text,by\n你好,7\n你好,8\n你好,\n");
    for (args, reason) in [
        (
            &["a.csv", "--scope", "author"][..],
            "a.csv: no column `author`, but text, by; --scope takes one of these names",
        ),
        (&["in.jsonl", "--scope", "a,,b"], "is out of range; use one to eight names of fields"),
        (&["in.jsonl", "--scope", "by", "-f", "lines"], "the input is read as plain text, each line a message"),
        (&["in.jsonl", "--scope", "by", "--preset", "paper"], "does nothing under --exact paper-bloom"),
        (&["in.jsonl", "--scope", "text", "--field", "text.by"], "`text` is an object with --field in it"),
    ] {
        let told = place.refused(&[&["dedup", "-q"], args].concat());
        assert!(told.contains(reason), "{args:?}: {told}");
    }
    for command in [&["clusters", "-q", "in.jsonl"][..], &["explain", "--file", "in.jsonl", "a", "b"]] {
        let told = place.refused(&[command, &["--scope", "text", "--field", "text.by"]].concat());
        assert!(told.contains("`text` is an object with --field in it"), "{command:?}: {told}");
    }
}

#[test]
fn any_number_of_threads_writes_the_same() {
    let place = Place::new(&lines(&posts()));
    for engine in [&[][..], &["--keep", "2"], &["--near", "minhash"], &["--window", "700"]] {
        let run = |threads: &str| {
            let args = ["dedup", "-q", "in.jsonl", "--scope", "by,deep.ch", "--output", "annotated", "--seed", "7"];
            place.succeed(&[&args[..], engine, &["-j", threads]].concat())
        };
        let one = run("1");
        assert!(run("2") == one && run("4") == one, "{engine:?}");
    }
}

/// If each text has a scope of its own, nothing is dropped, and memory grows as with other texts.
#[test]
fn many_scopes_take_no_tables() {
    let posts = |scopes: u64| -> Vec<Value> {
        let text = |at: u64| format!("第{at}号：今天武汉的樱花开了，{}", at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (0..20_000).map(|at| json!({"text": text(at % 10_000), "by": at / 10_000 + at % scopes * 2})).collect()
    };
    let place = Place::new(&lines(&posts(1)));
    fs::write(place.path("many.jsonl"), lines(&posts(10_000))).unwrap();
    let sums = |file: &str| -> Value {
        place.succeed(&[
            "dedup",
            "-q",
            file,
            "--scope",
            "by",
            "--near",
            "simhash",
            "--summary",
            "sums.json",
            "-o",
            "out",
        ]);
        serde_json::from_slice(&fs::read(place.path("sums.json")).unwrap()).unwrap()
    };
    let (few, many) = (sums("in.jsonl"), sums("many.jsonl"));
    assert_eq!((&many["kept"], &many["dropped"]["exact"]), (&json!(20_000), &json!(0)));
    let bytes = |sums: &Value| ["filter", "trie", "near"].map(|part| sums["state_bytes"][part].as_u64().unwrap());
    assert!(bytes(&many).iter().zip(bytes(&few)).all(|(many, few)| *many <= few * 5 / 4), "{few} {many}");
}
