//! Sketches, edges and decisions in many processes give the verdicts of one process, whatever format the rows have.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::common::job::{
    Verdicts, assert_equal, by_one_process, edges_of_prints, firsts, number, real_posts, sketches, verdicts,
    without_ids,
};
use crate::common::place::Place;
use crate::common::rows::Wire;
use crate::common::{end, generated, our_own, quchong};
use serde_json::{Value, json};

/// The verdicts of many processes: sketches in three processes, edges of each half of the buckets, and plain joins here.
fn by_many_processes(wire: Wire, options: &[&str], distance: &str, expected: &str, input: &[u8]) -> Verdicts {
    let place = Place::new(b"");
    let sketches = sketches(&place, wire, options, input);
    let texts = firsts(&sketches, "digest");
    let is_first = |row: &&Value| row["digest"].as_str().is_none_or(|digest| texts[digest] == number(row, "pos"));
    let prints = firsts(sketches.iter().filter(is_first), "simhash");

    let tables = ["--expected", expected, "--max-distance", distance];
    let [first, second] = edges_of_prints(&place, wire, &tables, &prints);
    let repeats = place.succeed(&[&["decide"], &wire.args()[..], &[&second, &first]].concat());
    let repeats = wire.read(&repeats);
    let repeats: BTreeMap<u64, &Value> = repeats.iter().map(|repeat| (number(repeat, "pos"), repeat)).collect();

    let near = |of: u64, distance: &Value| json!({"verdict": "near", "of": of, "distance": distance});
    verdicts(&sketches, |sketch| {
        let print = sketch["simhash"].as_str().map(|simhash| prints[simhash]);
        match print.and_then(|print| repeats.get(&print)) {
            Some(repeat) => near(number(repeat, "of"), &repeat["distance"]),
            None => match print.filter(|print| *print != number(sketch, "pos")) {
                Some(print) => near(print, &json!(0)),
                None => json!({"verdict": "kept"}),
            },
        }
    })
}

fn equal(wires: &[Wire], options: &[&str], distance: &str, expected: &str, input: &[u8]) {
    let one = by_one_process(options, input);
    for wire in wires {
        let many = by_many_processes(*wire, options, distance, expected, input);
        assert_equal(&one, &many, &format!("{wire:?} {options:?}"));
    }
}

#[test]
fn many_processes_say_what_one_does() {
    let posts = without_ids(&fs::read("data/posts.jsonl").unwrap());
    let (few, made) = (without_ids(&generated(1000)), without_ids(&generated(3000)));
    for (options, distance) in [
        (&["--near", "simhash"][..], "4"),
        (&["--preset", "simhash"], "4"),
        (&["--near", "simhash", "--max-distance", "9", "--exact-on", "raw"], "9"),
        (&["--near", "simhash", "--shingle", "char:3", "--weights", "count", "--max-distance", "0"], "0"),
        (&["--near", "none"], "4"),
    ] {
        // Each engine over each format of rows, but not each input over both.
        equal(&[Wire::Jsonl], options, distance, "1e8", &posts);
        equal(&[Wire::Arrow], options, distance, "1e5", &few);
    }
    for (expected, wire) in [("1", Wire::Arrow), ("3000", Wire::Jsonl), ("1e10", Wire::Arrow)] {
        equal(&[wire], &["--near", "simhash"], "4", expected, &made);
    }
}

#[test]
fn texts_of_our_own_and_real_posts_too() {
    for posts in [Some(without_ids(our_own(2000).as_bytes())), real_posts(2000)].into_iter().flatten() {
        equal(&Wire::BOTH, &["--near", "simhash"], "4", "20000", &posts);
    }
}

#[test]
fn what_is_no_message_has_its_place() {
    let input = "{\"text\":\"你好\"}\n\n{\"text\":1}\nnot json\n{\"text\":\"[哈哈]\"}\n{\"text\":\"[哈哈]\"}\n{\"text\":\"你 好\"}\n{\"text\":\" \"}\n{\"text\":\" \"}\n";
    equal(&Wire::BOTH, &["--near", "simhash"], "4", "10", input.as_bytes());
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
        (&["sketch", "--near", "minhash", "in.jsonl"][..], "--near: minhash"),
        (&["sketch", "--near", "simhash", "--exact", "bloom", "in.jsonl"], "--exact: bloom"),
        (&["edges", "--expected", "10", "in.jsonl"], "in.jsonl:1: not a row"),
        (&["edges", "--from", "0", "in.jsonl"], "in.jsonl:1: not a row"),
        (&["edges", "--from", "0", "--near", "simhash", "in.jsonl"], "--near: simhash compares no texts"),
        (&["edges", "in.jsonl"], "write --expected <N> or --from <POS>"),
        (&["decide", "in.jsonl"], "in.jsonl:1: not a row"),
        (&["edges", "--from", "0", "--max-distance", "3"], "--max-distance: cannot be used with --from"),
        (&["edges", "--from", "0", "--shingle", "char:3"], "--shingle: cannot be used with --from"),
        (&["edges", "--expected", "0", "--masks"], "--expected 0: write a number from 1 on"),
        (&["edges", "--expected", "9", "--masks", "--rows", "arrow"], "--rows: cannot be used with --masks"),
        (&["sketch", "in.jsonl", "--similarity", "0.7"], "--similarity: sketches are the same under any"),
        (&["sketch", "in.jsonl", "--verify-window", "9"], "--verify-window: sketches are the same under any"),
        (&["sketch", "in.jsonl", "--preset", "careful"], "--preset: careful makes the same sketches"),
        (&["sketch", "--settings", "--first-pos", "9"], "--first-pos: cannot be used with --settings"),
        (&["sketch", "--settings", "in.jsonl"], "--settings: cannot be used with FILE"),
        (&["sketch", "--exact", "none", "--seed", "5"], "it needs --exact verified or trie\n"),
    ] {
        let output = place.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr.contains(told), "{args:?}: {stderr}");
    }
    fs::write(place.path("edges.jsonl"), "{\"a\":3,\"b\":3,\"distance\":0}\n").unwrap();
    let stderr = String::from_utf8(place.run(&["decide", "edges.jsonl"]).stderr).unwrap();
    assert!(stderr.contains("edges.jsonl:1: `a` is 3 and `b` is 3"), "{stderr}");
    fs::write(place.path("texts.jsonl"), "{\"pos\":3,\"text\":\"\"}\n{\"pos\":3,\"text\":\"\"}\n").unwrap();
    let stderr = place.refused(&["edges", "--expected", "10", "--max-distance", "3", "--guard", "off", "--masks"]);
    assert!(stderr.contains("--guard: does nothing with --expected"), "{stderr}");
    let stderr = place.refused(&["edges", "--from", "0", "texts.jsonl"]);
    assert!(stderr.contains("texts.jsonl:2: positions do not rise: 3 comes behind 3"), "{stderr}");
}

/// Rows of `quchong sketch` without a text: of blank lines and broken records they are passed over, of messages they are refused.
#[test]
fn sketches_without_a_text_are_told_apart() {
    let place = Place::new("{\"text\":\"春天来了\"}\n{\"text\":17}\n\n{\"text\":\"春天来了！\"}\n".as_bytes());
    fs::write(place.path("rows.jsonl"), place.succeed(&["sketch", "-q", "in.jsonl"])).unwrap();
    let edges = String::from_utf8(place.succeed(&["edges", "--from", "0", "rows.jsonl"])).unwrap();
    assert_eq!(edges, "{\"a\":0,\"b\":3,\"similarity\":1000,\"same\":true}\n");
    for exact in ["none", "verified"] {
        let rows = place.succeed(&["sketch", "-q", "--near", "simhash", "--exact", exact, "in.jsonl"]);
        fs::write(place.path("rows.jsonl"), rows).unwrap();
        let told = place.refused(&["edges", "--from", "0", "rows.jsonl"]);
        assert!(told.contains("rows.jsonl:1: no `text`: `quchong sketch` writes it under --near hybrid"), "{told}");
    }
}

/// When the reader of the pairs has gone, no more texts are read. The job once compared all the rest for nobody.
#[test]
fn edges_end_when_their_reader_goes() {
    let mut command = quchong();
    let mut child =
        command.args(["edges", "--from", "0"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut rows = child.stdin.take().unwrap();
    let row = |pos: u64| format!("{{\"pos\":{pos},\"text\":\"武汉的樱花今天都开了\"}}\n");
    let is_gone = (0..1_000_000).any(|pos| rows.write_all(row(pos).as_bytes()).is_err());
    drop(rows);
    assert!(is_gone, "it read to the end");
    assert_eq!(end(&mut child).code(), Some(0));
}
