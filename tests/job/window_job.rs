//! Under a window of messages many processes give the verdicts of one process. Every message is decided about, whether or not it has an
//! equal. For each group of equal messages, the latest one and what it repeats go from chunk to chunk.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::common::generated;
use crate::common::job::{Verdicts, assert_equal, by_one_process, firsts, number, real_posts, sketches, without_ids};
use crate::common::place::Place;
use crate::common::rows::Wire;
use crate::hybrid_job::{COLUMNS, Cut, edges_of_history, edges_of_texts};
use serde_json::{Value, json};

/// The verdicts of many processes. The positions of the records begin at 0, so a position is also a rank.
fn by_many_processes(wire: Wire, options: &[&str], window: u64, cut: Cut, input: &[u8]) -> Verdicts {
    let place = Place::new(b"");
    let is_hybrid = !options.contains(&"--near");
    // Within the window the texts decide, beyond it the fingerprints.
    let cut = Cut { window: if is_hybrid { cut.window.min(window) } else { 0 }, ..cut };
    let texts = cut.window.to_string();
    let mut options = options.to_vec();
    if is_hybrid {
        options.extend(["--verify-window", &texts]);
    }
    let options = &options[..];
    let sketches = sketches(&place, wire, options, input);
    let is_message = |row: &&Value| ["digest", "simhash", "text"].iter().any(|name| !row[*name].is_null());
    let nodes: Vec<&Value> = sketches.iter().filter(is_message).collect();
    let mut edges = edges_of_equals(&nodes);
    if is_hybrid {
        let near: Vec<&str> =
            options.iter().copied().filter(|option| *option != "--exact" && *option != "none").collect();
        edges.extend(edges_of_texts(&place, wire, &near, cut, &nodes));
    }
    edges.extend(edges_of_history(&place, wire, options, cut.window, &nodes));
    let repeats = decided(&place, wire, is_hybrid.then_some(&texts), window, cut, &edges, sketches.len() as u64);
    let verdict = |sketch: &Value| match (&sketch["error"], repeats.get(&number(sketch, "pos"))) {
        (Value::String(error), _) => json!({"verdict": "error", "error": error}),
        (_, None) => json!({"verdict": "kept"}),
        (_, Some(repeat)) => match (&repeat["distance"], repeat["similarity"].as_u64()) {
            (Value::Null, None) => json!({"verdict": "exact", "of": repeat["of"]}),
            (Value::Null, Some(mille)) => json!({"verdict": "near", "of": repeat["of"], "similarity": mille / 10}),
            (distance, _) => json!({"verdict": "near", "of": repeat["of"], "distance": distance}),
        },
    };
    sketches.iter().map(verdict).collect()
}

/// The edges, without a measure, from the first message of each digest to all others that have it.
fn edges_of_equals(nodes: &[&Value]) -> Vec<Value> {
    let first = firsts(nodes.iter().copied(), "digest");
    let edge = |node: &&Value| {
        let (a, b) = (first[node["digest"].as_str()?], number(node, "pos"));
        (a < b).then(|| json!({"a": a, "b": b}))
    };
    nodes.iter().filter_map(edge).collect()
}

/// Decides chunk after chunk.
fn decided(
    place: &Place,
    wire: Wire,
    texts: Option<&String>,
    window: u64,
    cut: Cut,
    edges: &[Value],
    count: u64,
) -> BTreeMap<u64, Value> {
    let measure = |edge: &Value| ["distance", "similarity"].into_iter().find(|name| !edge[*name].is_null());
    let mut repeats = BTreeMap::<u64, Value>::new();
    for from in (0..count).step_by(cut.chunk as usize) {
        let in_chunk = |edge: &&Value| (from..from + cut.chunk).contains(&number(edge, "b"));
        let mut rows: Vec<Value> = edges.iter().filter(in_chunk).cloned().collect();
        let (mut kept, mut behind) = (BTreeSet::new(), BTreeMap::<u64, (u64, u64)>::new());
        for edge in edges {
            let by = measure(edge);
            // The first message counts as equal to itself.
            let same = [(true, number(edge, "a")), (edge["same"] == true || by.is_none(), number(edge, "b"))];
            for (_, pos) in same.into_iter().filter(|(is_same, pos)| *is_same && *pos < from) {
                let (a, repeat) = (number(edge, "a"), repeats.get(&pos));
                match by {
                    Some(by) if repeat.is_none() => drop(kept.insert((a, pos, by))),
                    Some(_) => {}
                    None => {
                        let last = behind.entry(a).or_default();
                        *last = (*last).max((pos, repeat.map_or(pos, |repeat| number(repeat, "of"))));
                    }
                }
            }
        }
        rows.extend(kept.into_iter().map(|(a, b, by)| json!({"a": a, "b": b, by: 0, "same": true})));
        rows.extend(behind.into_iter().map(|(a, (_, of))| json!({"a": a, "b": of, "same": true})));
        fs::write(place.path("chunk"), wire.write(&COLUMNS, &rows)).unwrap();
        let (from, window) = (from.to_string(), window.to_string());
        let mut rule = vec!["--from", &from, "--window", &window];
        if let Some(texts) = texts {
            rule.extend(["--verify-window", texts]);
        }
        let told = place.succeed(&[&["decide"], &wire.args()[..], &rule, &["chunk"]].concat());
        repeats.extend(wire.read(&told).into_iter().map(|repeat| (number(&repeat, "pos"), repeat)));
    }
    repeats
}

fn equal(wire: Wire, options: &[&str], window: u64, cut: Cut, input: &[u8]) {
    let (texts, far) = (cut.window.to_string(), window.to_string());
    let is_short = cut.window < window && !options.contains(&"--near");
    let hybrid: &[&str] = if is_short { &["--verify-window", &texts] } else { &[] };
    let one = by_one_process(&[options, hybrid, &["--window", &far]].concat(), input);
    let many = by_many_processes(wire, options, window, cut, input);
    assert_equal(&one, &many, &format!("{wire:?} {options:?} {window} {cut:?}"));
}

#[test]
fn many_processes_say_what_one_does() {
    let made = without_ids(&generated(1500));
    for posts in [Some(made), real_posts(1500)].into_iter().flatten() {
        for (wire, options, window, (texts, stretch, chunk)) in [
            (Wire::Jsonl, &[][..], 300, (50, 400, 350)),
            (Wire::Arrow, &[], 40, (100, 500, 1500)),
            (Wire::Arrow, &["--exact", "none"], 300, (20, 1500, 200)),
            (Wire::Jsonl, &["--near", "simhash"], 200, (0, 1500, 300)),
        ] {
            equal(wire, options, window, Cut { window: texts, stretch, chunk }, &posts);
        }
    }
}

#[test]
fn an_equal_message_is_as_old_as_what_is_behind_it() {
    // B repeats A, and C equals B: C is judged by the age of A. Lines that are not messages have positions, too.
    let (a, b) = ("今天的武汉，樱花开了，很好看", "今天的武汉，樱花开了，很好看啊");
    let text = |text: &str| format!("{{\"text\":\"{text}\"}}");
    let lines =
        [text(a), text("[哈哈]"), text(b), String::new(), text(b), "not json".to_owned(), text(a), text(b), text(a)];
    let input = lines.join("\n") + "\n";
    for (window, wire) in (1..9).zip(Wire::BOTH.into_iter().cycle()) {
        for texts in [1, 3, 9] {
            equal(wire, &[], window, Cut { window: texts, stretch: 9, chunk: 2 }, input.as_bytes());
        }
    }
}
