//! The inputs and outputs of the steps of a job. The joins that a data engine would do are done here in plain code.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::place::Place;
use super::rows::Wire;
use super::{dedup, shared};

/// The verdict on each record, by position: `{"verdict":"near","of":3,"distance":2}`. Similarities are in hundredths, as one process
/// rounds them down.
pub type Verdicts = Vec<Value>;

/// Returns the verdicts of one process. Records have no ids of their own, so their line numbers serve as ids.
pub fn by_one_process(options: &[&str], input: &[u8]) -> Verdicts {
    let exact: &[&str] = if options.contains(&"--exact") { &[] } else { &["--exact", "trie"] };
    let run = dedup(&[options, exact, &["--output", "annotated"]].concat(), input);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = run.text().lines().map(|line| {
        // A blank line is not a record, so it is not annotated; it is kept.
        let record: Value = serde_json::from_str(line).unwrap_or(json!({"quchong": {"verdict": "kept"}}));
        let mut verdict = record["quchong"].clone();
        verdict.as_object_mut().unwrap().remove("engine");
        if let Some(of) = verdict.pointer("/of/line").or(verdict.get("of")).and_then(Value::as_u64) {
            verdict["of"] = json!(of - 1);
        }
        if let Some(similarity) = verdict.get("similarity").and_then(Value::as_f64) {
            verdict["similarity"] = json!((similarity * 100.0).round() as u64);
        }
        verdict
    });
    lines.collect()
}

pub fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap()
}

/// Returns the first position of each value of a column.
pub fn firsts<'r>(rows: impl IntoIterator<Item = &'r Value>, column: &str) -> BTreeMap<String, u64> {
    let mut firsts = BTreeMap::new();
    for row in rows {
        if let Some(value) = row[column].as_str() {
            firsts.entry(value.to_owned()).or_insert(number(row, "pos"));
        }
    }
    firsts
}

/// Returns the options without those in `others` and their values.
pub fn options_without<'o>(options: &[&'o str], others: &[&str]) -> Vec<&'o str> {
    options.chunks(2).filter(|option| !others.contains(&option[0])).flatten().copied().collect()
}

/// Options that do not affect a sketch.
const LATER: [&str; 4] = ["--verify-window", "--max-distance", "--similarity", "--guard"];

/// Makes the sketches in three processes, and returns them by position.
pub fn sketches(place: &Place, wire: Wire, options: &[&str], input: &[u8]) -> Vec<Value> {
    let options = &options_without(options, &LATER)[..];
    let lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
    let mut sketches = Vec::new();
    for part in lines.chunks(lines.len().div_ceil(3)) {
        fs::write(place.path("part.jsonl"), part.concat()).unwrap();
        let first = sketches.len().to_string();
        let args = [&["sketch", "--first-pos", &first], &wire.args()[..], options, &["part.jsonl"]].concat();
        sketches.extend(wire.read(&place.succeed(&args)));
    }
    sketches
}

/// Writes the edges between fingerprints, given with their first positions, to two files, one for each half of the buckets.
pub fn edges_of_prints(place: &Place, wire: Wire, options: &[&str], prints: &BTreeMap<String, u64>) -> [String; 2] {
    let masks = Wire::Jsonl.read(&place.succeed(&[&["edges", "--masks"], options].concat())).remove(0);
    let masks: Vec<u64> =
        masks.as_array().unwrap().iter().map(|mask| u64::from_str_radix(mask.as_str().unwrap(), 16).unwrap()).collect();
    let row = |table: usize, simhash: &String, pos: u64| {
        let key = u64::from_str_radix(simhash, 16).unwrap() & masks[table];
        ((table, key, pos), json!({"table": table, "simhash": simhash, "pos": pos}))
    };
    let exploded =
        (0..masks.len()).flat_map(|table| prints.iter().map(move |(simhash, pos)| row(table, simhash, *pos)));
    let exploded: BTreeMap<_, _> = exploded.collect();
    [0, 1].map(|half| {
        let rows = exploded.iter().filter(|((table, key, _), _)| (*table as u64 ^ key ^ key >> 32) % 2 == half);
        let rows: Vec<Value> = rows.map(|(_, row)| row.clone()).collect();
        let (rows_name, edges_name) = (format!("rows-{half}"), format!("edges-{half}"));
        fs::write(place.path(&rows_name), wire.write(&["table", "simhash", "pos"], &rows)).unwrap();
        let edges = place.succeed(&[&["edges"], &wire.args()[..], options, &[&rows_name]].concat());
        fs::write(place.path(&edges_name), edges).unwrap();
        edges_name
    })
}

/// Returns the verdict on each sketch. `near` returns the verdict on a message that is not an exact repeat.
pub fn verdicts(sketches: &[Value], near: impl Fn(&Value) -> Value) -> Verdicts {
    let texts = firsts(sketches, "digest");
    let verdict = |sketch: &Value| match (&sketch["error"], sketch["digest"].as_str().map(|digest| texts[digest])) {
        (Value::String(error), _) => json!({"verdict": "error", "error": error}),
        (_, Some(first)) if first != number(sketch, "pos") => {
            let first = &sketches[first as usize];
            let of = near(first).get("of").cloned();
            json!({"verdict": "exact", "of": of.unwrap_or(first["pos"].clone())})
        }
        _ => near(sketch),
    };
    sketches.iter().map(verdict).collect()
}

/// Checks that one process and many give the same verdicts.
pub fn assert_equal(one: &Verdicts, many: &Verdicts, told: &str) {
    assert_eq!(one.len(), many.len());
    for (pos, (one, many)) in one.iter().zip(many).enumerate() {
        assert_eq!(one, many, "{told} at {pos}");
    }
}

/// Keeps only the texts, so that line numbers serve as ids.
pub fn without_ids(input: &[u8]) -> Vec<u8> {
    let lines = std::str::from_utf8(input).unwrap().lines().map(|line| {
        let text = serde_json::from_str::<Value>(line).unwrap()["text"].take();
        format!("{}\n", json!({ "text": text }))
    });
    lines.collect::<String>().into_bytes()
}

/// Returns the first real posts, if they are available.
pub fn real_posts(count: usize) -> Option<Vec<u8>> {
    let posts = fs::read(shared("weibo-dev.jsonl")?).unwrap();
    let first: Vec<u8> = posts.split_inclusive(|byte| *byte == b'\n').take(count).flatten().copied().collect();
    Some(without_ids(&first))
}
