//! Streams of Arrow IPC say what lines of JSON say. A stream that is incomplete, or has the wrong columns, is refused.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::sync::Arc;

use crate::common::columns::batch;
use crate::common::place::Place;
use crate::common::rows::{Wire, stream};
use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, LargeStringArray, StringArray, StringViewArray};
use serde_json::{Value, json};

const SKETCH: [&str; 3] = ["sketch", "--near", "simhash"];

/// The sketches of a file, which are the same in both formats of rows.
fn sketched(place: &Place, args: &[&str]) -> Vec<Value> {
    let [lines, arrow] = Wire::BOTH.map(|wire| wire.read(&place.succeed(&[&SKETCH, args, &wire.args()[..]].concat())));
    assert_eq!(lines, arrow);
    lines
}

#[test]
fn sketches_are_the_same() {
    let input = "{\"text\":\"你好\"}\n\n{\"text\":1}\nnot json\n{\"text\":\"[哈哈]\"}\n{\"text\":\" \"}\n{\"text\":\"今天下雨了\"}\n";
    let place = Place::new(input.as_bytes());
    let rows = sketched(&place, &["--first-pos", "9223372036854775801", "in.jsonl"]);
    assert_eq!(rows[6]["pos"], 9_223_372_036_854_775_807_i64);
    assert_eq!((&rows[1], &rows[2]["error"]), (&json!({"pos": 9_223_372_036_854_775_802_i64}), &json!("not-a-string")));
    assert_eq!((rows[0]["digest"].as_str().unwrap().len(), rows[0]["simhash"].as_str().unwrap().len()), (32, 16));
}

#[test]
fn texts_come_in_columns() {
    let texts = [Some("今天的武汉，樱花开了"), None, Some(""), Some("长".repeat(50).leak()), Some("下雨了")];
    let columns: [ArrayRef; 3] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
    ];
    let positions = [7_i64, 1, 3, i64::MAX, 0];
    let lines = texts.iter().zip(positions).filter(|(text, _)| text.is_some_and(|text| text.len() < 120));
    let lines: Vec<Value> = lines.map(|(text, n)| json!({"n": n, "a.b": text})).collect();
    let place = Place::new(&Wire::Jsonl.write(&[], &lines));
    let mut expected = sketched(&place, &["--field", "/a.b", "--pos-field", "n", "in.jsonl"]);
    // A line that cannot be judged has no position; a row has one.
    expected.insert(1, json!({"pos": 1, "error": "not-a-string"}));
    expected.insert(3, json!({"pos": i64::MAX, "error": "line-too-long"}));
    for column in columns {
        let rows = batch(vec![("a.b", column), ("n", Arc::new(Int64Array::from(positions.to_vec())))]);
        fs::write(place.path("texts"), stream(&[rows.slice(0, 2), rows.slice(2, 3)])).unwrap();
        let args = ["--format", "arrow", "--field", "a.b", "--pos-field", "n", "--max-line", "120", "texts"];
        assert_eq!(sketched(&place, &args), expected);
        // Positions count on over two streams.
        let args = ["--format", "arrow", "--field", "a.b", "--first-pos", "5", "texts", "texts"];
        let counted = sketched(&place, &args).iter().map(|row| row["pos"].as_u64().unwrap()).collect::<Vec<_>>();
        assert_eq!(counted, (5..15).collect::<Vec<_>>());
    }
    for (option, value, told) in [
        ("--on-error", "fail", "texts:2: nothing in column `a.b`"),
        ("--encoding", "big5", "--encoding: does nothing with --format arrow"),
    ] {
        let args = ["--format", "arrow", "--field", "a.b", option, value, "texts"];
        let failed = place.refused(&[&SKETCH[..], &args].concat());
        assert!(failed.contains(told), "{failed}");
    }
}

#[test]
fn many_rows_are_many_batches() {
    let edges: Vec<Value> = (0..100_000).map(|a| json!({"a": 2 * a, "b": 2 * a + 1, "distance": a % 5})).collect();
    let place = Place::new(&Wire::Arrow.write(&["a", "b", "distance"], &edges));
    let repeats = Wire::Arrow.read(&place.succeed(&["decide", "--rows", "arrow", "in.jsonl"]));
    let expected = edges.iter().map(|edge| json!({"pos": edge["b"], "of": edge["a"], "distance": edge["distance"]}));
    assert!(repeats.iter().eq(&expected.collect::<Vec<_>>()));
}

#[test]
fn no_rows_are_a_stream_too() {
    for (args, names) in [
        (&["edges", "--expected", "9"][..], &["table", "simhash", "pos"][..]),
        (&["decide"], &["a", "b", "similarity"]),
        (&["sketch", "--near", "none", "--format", "arrow"], &["text"]),
    ] {
        let place = Place::new(&Wire::Arrow.write(names, &[]));
        let output = place.succeed(&[args, &["--rows", "arrow", "in.jsonl"]].concat());
        assert!(!output.is_empty());
        assert!(Wire::Arrow.read(&output).is_empty(), "{args:?}");
    }
}

fn ints(numbers: &[Option<i64>]) -> ArrayRef {
    Arc::new(Int64Array::from(numbers.to_vec()))
}

/// What is said when this stream of edges is refused.
fn refusal(given: &[u8]) -> String {
    let told = Place::new(given).refused(&["decide", "--rows", "arrow", "in.jsonl"]);
    assert_eq!(told.lines().count(), 1, "{told}");
    told
}

#[test]
fn other_columns_are_refused() {
    let (one, two) = (ints(&[Some(1), Some(0)]), ints(&[Some(2), Some(9)]));
    let near: ArrayRef = Arc::new(Int32Array::from(vec![4, 4]));
    let of = |columns: Vec<(&str, ArrayRef)>| refusal(&stream(&[batch(columns)]));
    let (a, b, distance) = (("a", one.clone()), ("b", two.clone()), ("distance", near.clone()));
    let cases = [
        (of(vec![a.clone(), distance.clone()]), "in.jsonl: no column `b`, but a, distance"),
        (of(vec![("a", near.clone()), b.clone()]), "in.jsonl: column `a` is Int32, and should be Int64"),
        (
            of(vec![a.clone(), b.clone(), ("distance", Arc::new(Float64Array::from(vec![1.0, 2.0])))]),
            "column `distance` is Float64, and should be Int32",
        ),
        (of(vec![a.clone(), b.clone()]), "in.jsonl:1: not one of `distance`, 0 to 64, and `similarity`"),
        (of(vec![a.clone(), ("b", ints(&[Some(2), None])), distance.clone()]), "in.jsonl:2: nothing in column `b`"),
        (of(vec![("a", ints(&[Some(-1), Some(0)])), b.clone(), distance.clone()]), "in.jsonl:1: `a` is -1"),
        (of(vec![("a", two), ("b", one), distance]), "in.jsonl:1: `a` is 2 and `b` is 1"),
    ];
    for (told, expected) in cases {
        assert!(told.contains(expected), "{told}");
    }
    let rows = batch(vec![("text", ints(&[Some(1)]))]);
    let place = Place::new(&stream(&[rows]));
    fs::write(place.path("out"), "before").unwrap();
    let told = place.refused(&[&SKETCH[..], &["--format", "arrow", "in.jsonl", "-o", "out"]].concat());
    assert_eq!(fs::read(place.path("out")).unwrap(), b"before");
    assert!(told.contains("column `text` is Int64, and should be Utf8"), "{told}");
}

#[test]
fn what_is_no_whole_stream_is_refused() {
    let rows: Vec<Value> = (0..100).map(|a| json!({"a": a, "b": a + 1, "distance": 0})).collect();
    let whole = Wire::Arrow.write(&["a", "b", "distance"], &rows);
    for length in (0..whole.len()).step_by(29).chain([whole.len() - 8, whole.len() - 4, whole.len() - 1]) {
        let told = refusal(&whole[..length]);
        assert!(told.contains("in.jsonl: no whole Arrow IPC stream"), "{length}: {told}");
    }
    for given in
        [&[&whole[..], b"\0"].concat()[..], &whole.repeat(2), b"{\"a\":1,\"b\":2,\"distance\":3}\n", b"ARROW1\0\0"]
    {
        assert!(refusal(given).contains("in.jsonl: no whole Arrow IPC stream"));
    }
    // A compressed stream is read as a whole one.
    let packed = Wire::Arrow.read(
        &Place::new(&zstd::encode_all(&whole[..], 3).unwrap()).succeed(&["decide", "--rows", "arrow", "in.jsonl"]),
    );
    assert_eq!(packed.len(), 50);
}

#[test]
fn damage_is_refused() {
    let rows: Vec<Value> = (0..20).map(|a| json!({"a": a, "b": a + 1, "distance": 0})).collect();
    let whole = Wire::Arrow.write(&["a", "b", "distance"], &rows);
    for at in (0..whole.len()).step_by(23) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xFF;
        let output = Place::new(&damaged).run(&["decide", "--rows", "arrow", "in.jsonl"]);
        let told = String::from_utf8_lossy(&output.stderr);
        let last = told.lines().last().unwrap();
        let refused = output.status.code() == Some(2) && last.starts_with("quchong: error: in.jsonl:");
        assert!(refused || output.status.success(), "{at}: {told}");
    }
}
