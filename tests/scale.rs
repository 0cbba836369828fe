//! Sketches, edges and decisions in many processes give the verdicts of one, whatever rows are written as.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::collections::BTreeMap;
use std::fs;

use common::place::Place;
use common::rows::Wire;
use common::{dedup, generated, shared};
use serde_json::{Value, json};

/// What is decided about each record, by its position: `{"verdict":"near","of":3,"distance":2}`.
type Verdicts = Vec<Value>;

/// What one process says. Records have no ids of their own, so that they go by their line numbers.
fn by_one_process(options: &[&str], input: &[u8]) -> Verdicts {
    let run = dedup(&[options, &["--output", "annotated"]].concat(), input);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = run.text().lines().map(|line| {
        // A blank line is no record to annotate, and is kept.
        let record: Value = serde_json::from_str(line).unwrap_or(json!({"quchong": {"verdict": "kept"}}));
        let mut verdict = record["quchong"].clone();
        verdict.as_object_mut().unwrap().remove("engine");
        if let Some(of) = verdict.get("of").and_then(Value::as_u64) {
            verdict["of"] = json!(of - 1);
        }
        verdict
    });
    lines.collect()
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap()
}

/// The least position of each value of a column.
fn firsts<'r>(rows: impl IntoIterator<Item = &'r Value>, column: &str) -> BTreeMap<String, u64> {
    let mut firsts = BTreeMap::new();
    for row in rows {
        if let Some(value) = row[column].as_str() {
            firsts.entry(value.to_owned()).or_insert(number(row, "pos"));
        }
    }
    firsts
}

/// What many say: sketches in three processes, edges of each half of the buckets, the joins plainly here.
fn by_many_processes(wire: Wire, options: &[&str], distance: &str, expected: &str, input: &[u8]) -> Verdicts {
    let place = Place::new(b"");
    let lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
    let mut sketches = Vec::new();
    for part in lines.chunks(lines.len().div_ceil(3)) {
        fs::write(place.path("part.jsonl"), part.concat()).unwrap();
        let first = sketches.len().to_string();
        let args = [&["sketch", "--first-pos", &first], &wire.args()[..], options, &["part.jsonl"]].concat();
        sketches.extend(wire.read(&place.done(&args)));
    }
    let texts = firsts(&sketches, "digest");
    let is_first = |row: &&Value| row["digest"].as_str().is_none_or(|digest| texts[digest] == number(row, "pos"));
    let prints = firsts(sketches.iter().filter(is_first), "simhash");

    let tables = ["--expected", expected, "--max-distance", distance];
    let masks = Wire::Jsonl.read(&place.done(&[&["edges", "--masks"], &tables[..]].concat())).remove(0);
    let masks: Vec<u64> =
        masks.as_array().unwrap().iter().map(|mask| u64::from_str_radix(mask.as_str().unwrap(), 16).unwrap()).collect();
    let row = |table: usize, simhash: &String, pos: u64| {
        let key = u64::from_str_radix(simhash, 16).unwrap() & masks[table];
        ((table, key, pos), json!({"table": table, "simhash": simhash, "pos": pos}))
    };
    let exploded =
        (0..masks.len()).flat_map(|table| prints.iter().map(move |(simhash, pos)| row(table, simhash, *pos)));
    let exploded: BTreeMap<_, _> = exploded.collect();
    let mut edges = Vec::new();
    for half in 0..2 {
        let rows = exploded.iter().filter(|((table, key, _), _)| (*table as u64 ^ key ^ key >> 32) % 2 == half);
        let rows: Vec<Value> = rows.map(|(_, row)| row.clone()).collect();
        fs::write(place.path(&format!("rows-{half}")), wire.write(&["table", "simhash", "pos"], &rows)).unwrap();
        let rows = format!("rows-{half}");
        edges.push(place.done(&[&["edges"], &wire.args()[..], &tables[..], &[&rows]].concat()));
        fs::write(place.path(&format!("edges-{half}")), &edges[half as usize]).unwrap();
    }
    let repeats = place.done(&[&["decide"], &wire.args()[..], &["edges-1", "edges-0"]].concat());
    let repeats = wire.read(&repeats);
    let repeats: BTreeMap<u64, &Value> = repeats.iter().map(|repeat| (number(repeat, "pos"), repeat)).collect();

    let near = |of: u64, distance: &Value| json!({"verdict": "near", "of": of, "distance": distance});
    let first_of_text = |sketch: &Value| {
        let print = sketch["simhash"].as_str().map(|simhash| prints[simhash]);
        match print.and_then(|print| repeats.get(&print).map(|repeat| (print, repeat))) {
            Some((_, repeat)) => near(number(repeat, "of"), &repeat["distance"]),
            None => match print.filter(|print| *print != number(sketch, "pos")) {
                Some(print) => near(print, &json!(0)),
                None => json!({"verdict": "kept"}),
            },
        }
    };
    let verdict = |sketch: &Value| match (&sketch["error"], sketch["digest"].as_str().map(|digest| texts[digest])) {
        (Value::String(error), _) => json!({"verdict": "error", "error": error}),
        (_, Some(first)) if first != number(sketch, "pos") => {
            let first = &sketches[first as usize];
            let of = first_of_text(first).get("of").cloned();
            json!({"verdict": "exact", "of": of.unwrap_or(first["pos"].clone())})
        }
        _ => first_of_text(sketch),
    };
    sketches.iter().map(verdict).collect()
}

fn equal(options: &[&str], distance: &str, expected: &str, input: &[u8]) {
    let one = by_one_process(&[options, &["--exact", "trie"]].concat(), input);
    for wire in [Wire::Jsonl, Wire::Arrow] {
        let many = by_many_processes(wire, options, distance, expected, input);
        assert_eq!(one.len(), many.len());
        for (pos, (one, many)) in one.iter().zip(&many).enumerate() {
            assert_eq!(one, many, "{wire:?} {options:?} at {pos}");
        }
    }
}

/// Texts alone, so that ids are line numbers.
fn without_ids(input: &[u8]) -> Vec<u8> {
    let lines = std::str::from_utf8(input).unwrap().lines().map(|line| {
        let text = serde_json::from_str::<Value>(line).unwrap()["text"].take();
        format!("{}\n", json!({ "text": text }))
    });
    lines.collect::<String>().into_bytes()
}

#[test]
fn many_processes_say_what_one_does() {
    let posts = without_ids(&fs::read("data/posts.jsonl").unwrap());
    let (few, made) = (without_ids(&generated(5000)), without_ids(&generated(20_000)));
    for (options, distance) in [
        (&["--near", "simhash"][..], "4"),
        (&["--preset", "paper"], "4"),
        (&["--near", "simhash", "--max-distance", "9", "--exact-on", "raw"], "9"),
        (&["--near", "simhash", "--shingle", "char:3", "--weights", "count", "--max-distance", "0"], "0"),
        (&["--near", "none"], "4"),
    ] {
        equal(options, distance, "1e8", &posts);
        equal(options, distance, "1e5", &few);
    }
    for expected in ["1", "20000", "1e10"] {
        equal(&["--near", "simhash"], "4", expected, &made);
    }
}

#[test]
fn real_posts_too() {
    let Some(path) = shared("weibo-dev.jsonl") else { return };
    let posts: Vec<u8> =
        fs::read(path).unwrap().split_inclusive(|byte| *byte == b'\n').take(20_000).flatten().copied().collect();
    equal(&["--near", "simhash"], "4", "20000", &without_ids(&posts));
}

#[test]
fn what_is_no_message_has_its_place() {
    let input = "{\"text\":\"你好\"}\n\n{\"text\":1}\nnot json\n{\"text\":\"[哈哈]\"}\n{\"text\":\"[哈哈]\"}\n{\"text\":\"你 好\"}\n{\"text\":\" \"}\n{\"text\":\" \"}\n";
    equal(&["--near", "simhash"], "4", "10", input.as_bytes());
    let place = Place::new(input.as_bytes());
    let output = place.run(&["sketch", "--near", "none", "in.jsonl"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("sketched 9 = messages 6 + blank 1 + errors 2"), "{told}");
    let failed = place.run(&["sketch", "--near", "none", "--on-error", "fail", "in.jsonl"]);
    assert_eq!(failed.status.code(), Some(2));
}

#[test]
fn positions_can_be_given() {
    let place =
        Place::new("{\"n\":7,\"text\":\"你好\"}\n{\"n\":\"3\",\"text\":\"再见\"}\n{\"text\":\"无\"}\n".as_bytes());
    let output = place.run(&["sketch", "--near", "none", "--pos-field", "n", "in.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("in.jsonl:3: no position in field `n`"), "{told}");
    let sketched = Wire::Jsonl.read(&output.stdout);
    assert_eq!(sketched.iter().map(|row| number(row, "pos")).collect::<Vec<_>>(), [7, 3]);
}

#[test]
fn a_position_that_no_column_holds_is_refused() {
    let place = Place::new("{\"text\":\"你好\"}\n{\"text\":\"再见\"}\n".as_bytes());
    for rows in ["jsonl", "arrow"] {
        let args = ["sketch", "--near=simhash", "--rows", rows, "--first-pos=9223372036854775807", "in.jsonl"];
        assert!(place.refused(&args).contains("in.jsonl:2: position 9223372036854775808 is over"), "{rows}");
    }
}

#[test]
fn what_cannot_be_equal_is_refused() {
    let place = Place::new("{\"text\":\"你好\"}\n".as_bytes());
    for (args, told) in [
        (&["sketch", "in.jsonl"][..], "--near: hybrid"),
        (&["sketch", "--near", "minhash", "in.jsonl"], "--near: minhash"),
        (&["sketch", "--near", "simhash", "--exact", "bloom", "in.jsonl"], "--exact: bloom"),
        (&["edges", "--expected", "10", "in.jsonl"], "in.jsonl:1: not a row"),
        (&["decide", "in.jsonl"], "in.jsonl:1: not a row"),
    ] {
        let output = place.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr.contains(told), "{args:?}: {stderr}");
    }
    fs::write(place.path("edges.jsonl"), "{\"a\":3,\"b\":3,\"distance\":0}\n").unwrap();
    let stderr = String::from_utf8(place.run(&["decide", "edges.jsonl"]).stderr).unwrap();
    assert!(stderr.contains("edges.jsonl:1: `a` is 3 and `b` is 3"), "{stderr}");
}
