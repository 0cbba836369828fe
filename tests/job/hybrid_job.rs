//! The hybrid engine in many processes gives the verdicts of one process. Texts are compared in stretches of the input, fingerprints
//! beyond the window, and decisions are made in chunks.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::common::job::{
    Verdicts, assert_equal, by_one_process, edges_of_prints, firsts, number, options_without, real_posts, sketches,
    verdicts, without_ids,
};
use crate::common::place::Place;
use crate::common::rows::Wire;
use crate::common::{generated, our_own};
use serde_json::{Value, json};

/// How the work is divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) window: u64,
    /// The number of positions in a stretch; `chunk` is the number in a chunk.
    pub(crate) stretch: u64,
    pub(crate) chunk: u64,
}

pub(crate) const COLUMNS: [&str; 5] = ["a", "b", "distance", "similarity", "same"];

/// The verdicts of many processes. The positions of the records begin at 0, so a position is also a rank.
fn by_many_processes(wire: Wire, near: &[&str], exact: &[&str], cut: Cut, input: &[u8]) -> Verdicts {
    let place = Place::new(b"");
    let window = cut.window.to_string();
    let options = &[near, &["--verify-window", &window]].concat();
    let sketches = sketches(&place, wire, &[options, exact].concat(), input);
    let texts = firsts(&sketches, "digest");
    let is_first = |row: &&Value| row["digest"].as_str().is_none_or(|digest| texts[digest] == number(row, "pos"));
    let nodes: Vec<&Value> = sketches.iter().filter(is_first).filter(|row| !row["text"].is_null()).collect();
    let mut edges = edges_of_texts(&place, wire, options, cut, &nodes);
    edges.extend(edges_of_history(&place, wire, options, cut.window, &nodes));
    let repeats = decided(&place, wire, cut, sketches.len() as u64, &edges);
    verdicts(&sketches, |sketch| match repeats.get(&number(sketch, "pos")) {
        None => json!({"verdict": "kept"}),
        Some(repeat) => {
            let mut near = repeat.clone();
            near.as_object_mut().unwrap().remove("pos");
            if let Some(mille) = near.get("similarity").and_then(Value::as_u64) {
                near["similarity"] = json!(mille / 10);
            }
            near["verdict"] = json!("near");
            near
        }
    })
}

/// The edges of each stretch of the texts, each together with the window before it.
pub(crate) fn edges_of_texts(place: &Place, wire: Wire, options: &[&str], cut: Cut, nodes: &[&Value]) -> Vec<Value> {
    let options = &options_without(options, &["--max-distance", "--shingle", "--weights"])[..];
    let mut edges = Vec::new();
    let last = nodes.last().map_or(0, |node| number(node, "pos"));
    for from in (0..=last).step_by(cut.stretch as usize) {
        let is_in = |pos: u64| pos + cut.window >= from && pos < from + cut.stretch;
        let rows = nodes.iter().filter(|node| is_in(number(node, "pos")));
        let rows: Vec<Value> = rows.map(|node| json!({"pos": node["pos"], "text": node["text"]})).collect();
        fs::write(place.path("texts"), wire.write(&["pos", "text"], &rows)).unwrap();
        let from = from.to_string();
        edges.extend(
            wire.read(&place.succeed(&[&["edges", "--from", &from], &wire.args()[..], options, &["texts"]].concat())),
        );
    }
    edges
}

/// Edges between messages further apart than the window: from the first message of each fingerprint to those with the same or a near
/// fingerprint. For each first message with such an edge, also edges to all messages of its fingerprint.
pub(crate) fn edges_of_history(
    place: &Place,
    wire: Wire,
    options: &[&str],
    window: u64,
    nodes: &[&Value],
) -> Vec<Value> {
    let prints = firsts(nodes.iter().copied(), "simhash");
    let mut members = BTreeMap::<u64, Vec<u64>>::new();
    for node in nodes.iter().filter(|node| !node["simhash"].is_null()) {
        members.entry(prints[node["simhash"].as_str().unwrap()]).or_default().push(number(node, "pos"));
    }
    // The only option that applies to fingerprints.
    let distance =
        options.iter().position(|option| *option == "--max-distance").map_or(&[][..], |at| &options[at..at + 2]);
    let near = edges_of_prints(place, wire, &[distance, &["--expected", "20000"]].concat(), &prints);
    let near: Vec<Value> = near.iter().flat_map(|name| wire.read(&fs::read(place.path(name)).unwrap())).collect();
    let near = near.iter().map(|edge| (number(edge, "a"), number(edge, "b"), number(edge, "distance")));
    let both = near.flat_map(|(a, b, distance)| [(a, b, distance), (b, a, distance)]);
    let itself = members.keys().map(|first| (*first, *first, 0));
    let mut edges = Vec::new();
    let mut reached = BTreeSet::new();
    for (a, of, distance) in both.chain(itself) {
        for b in members[&of].iter().filter(|b| a + window < **b) {
            reached.insert(a);
            edges.push(json!({"a": a, "b": b, "distance": distance}));
        }
    }
    for a in reached {
        edges.extend(members[&a][1..].iter().map(|b| json!({"a": a, "b": b, "distance": 0, "same": true})));
    }
    edges
}

/// Decides chunk after chunk. Edges marked `same` tell each chunk which messages the earlier chunks kept.
fn decided(place: &Place, wire: Wire, cut: Cut, count: u64, edges: &[Value]) -> BTreeMap<u64, Value> {
    let mut repeats = BTreeMap::new();
    for from in (0..count).step_by(cut.chunk as usize) {
        let in_chunk = |edge: &&Value| (from..from + cut.chunk).contains(&number(edge, "b"));
        let mut rows: Vec<Value> = edges.iter().filter(in_chunk).cloned().collect();
        let before = edges.iter().filter(|edge| edge["same"] == true && number(edge, "b") < from).cloned();
        let itself = edges.iter().map(|edge| {
            let measure = if edge["distance"].is_null() { "similarity" } else { "distance" };
            json!({"a": edge["a"], "b": edge["a"], measure: 0, "same": true})
        });
        let is_kept = |edge: &Value| number(edge, "b") < from && !repeats.contains_key(&number(edge, "b"));
        let kept: BTreeMap<String, Value> =
            before.chain(itself).filter(is_kept).map(|edge| (edge.to_string(), edge)).collect();
        rows.extend(kept.into_values());
        fs::write(place.path("chunk"), wire.write(&COLUMNS, &rows)).unwrap();
        let rule = ["--from", &from.to_string(), "--verify-window", &cut.window.to_string()];
        let told = place.succeed(&[&["decide"], &wire.args()[..], &rule, &["chunk"]].concat());
        repeats.extend(wire.read(&told).into_iter().map(|repeat| (number(&repeat, "pos"), repeat)));
    }
    repeats
}

fn equal(wire: Wire, near: &[&str], exact: &[&str], cut: Cut, input: &[u8]) {
    let window = cut.window.to_string();
    let one = by_one_process(&[near, exact, &["--verify-window", &window]].concat(), input);
    let many = by_many_processes(wire, near, exact, cut, input);
    assert_equal(&one, &many, &format!("{wire:?} {near:?} {exact:?} {cut:?}"));
}

#[test]
fn many_processes_say_what_one_does() {
    let made = without_ids(&generated(1500));
    // Each format of rows over half of the cuts.
    let cuts = [(200_000, 200_000, 200_000), (500, 500, 1500), (50, 500, 400), (7, 1000, 1000)];
    for ((window, stretch, chunk), wire) in cuts.into_iter().zip(Wire::BOTH.into_iter().cycle()) {
        equal(wire, &[], &[], Cut { window, stretch, chunk }, &made);
    }
    let cut = Cut { window: 100, stretch: 1000, chunk: 500 };
    equal(Wire::Jsonl, &["--preset", "headline", "--max-distance", "9"], &[], cut, &made);
    equal(
        Wire::Arrow,
        &["--shingle", "word:2", "--guard", "off", "--similarity", "0.5"],
        &["--exact", "none"],
        cut,
        &made,
    );
}

#[test]
fn texts_of_our_own_and_real_posts_too() {
    for posts in [Some(without_ids(our_own(1500).as_bytes())), real_posts(1500)].into_iter().flatten() {
        for (window, stretch, chunk, wire) in [(500, 900, 2000, Wire::Arrow), (50, 1200, 700, Wire::Jsonl)] {
            equal(wire, &[], &[], Cut { window, stretch, chunk }, &posts);
        }
    }
}

#[test]
fn markup_is_taken_out_of_the_texts_that_are_compared() {
    let marked = |text: &str| text.chars().map(|c| format!("<div class='post'>{c}</div>")).collect::<String>();
    let [a, b] = ["今天武汉的樱花开了我在东湖边等你一起看", "今天武汉的樱花开了我在东湖旁等你一起看"].map(marked);
    let input = format!("{{\"text\":\"{a}\"}}\n{{\"text\":\"{b}\"}}\n");
    let cut = Cut { window: 100, stretch: 10, chunk: 10 };
    let near = ["--markup", "strip"];
    let one = by_one_process(&[&near[..], &["--verify-window", "100"]].concat(), input.as_bytes());
    assert!(format!("{one:?}").contains("near"), "{one:?}");
    equal(Wire::Jsonl, &near, &[], cut, input.as_bytes());
}

#[test]
fn what_is_no_message_has_its_place() {
    // Records between two messages count when a window is measured.
    let body = "今天的武汉，樱花开了，很好看";
    let lines = [
        format!("{{\"text\":\"{body}\"}}"),
        String::new(),
        "not json".to_owned(),
        "{\"text\":\"[哈哈]\"}".to_owned(),
        "{\"text\":\" \"}".to_owned(),
        "{\"text\":\"#赏花#\"}".to_owned(),
        format!("{{\"text\":\"转发微博 //@某人: {body}\"}}"),
        "{\"text\":\"#赏花# [哈哈]\"}".to_owned(),
        format!("{{\"text\":\"转发微博 //@他人: {body}啊\"}}"),
        format!("{{\"text\":\"转发微博 //@某人: {body}\"}}"),
    ];
    let input = lines.join("\n") + "\n";
    for (window, wire) in (1..9).zip(Wire::BOTH.into_iter().cycle()) {
        equal(wire, &[], &[], Cut { window, stretch: 9, chunk: 3 }, input.as_bytes());
    }
}
