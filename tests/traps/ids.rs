//! The value of `of` names exactly one record.

use serde_json::{Value, json};

use super::Place;

const SAME: &str = "今天武汉的樱花开了，我在东湖边等你";
const SAME_TOO: &str = "今天下午三点在南门集合，请大家不要迟到";

fn ofs(out: &str) -> Vec<Value> {
    out.lines().filter_map(|line| serde_json::from_str::<Value>(line).unwrap()["quchong"].get("of").cloned()).collect()
}

/// A line number is not taken for an id: record 2 has the id 1, and record 1 has none.
#[test]
fn a_line_number_is_not_taken_for_an_id() {
    let input = format!(
        "{{\"text\":\"{SAME}\"}}\n{{\"id\":1,\"text\":\"{SAME_TOO}\"}}\n{{\"id\":3,\"text\":\"{SAME}\"}}\n{{\"id\":4,\"text\":\"{SAME_TOO}\"}}\n"
    );
    let place = Place::new().with("a.jsonl", &input).with("b.jsonl", "{\"id\":9,\"text\":\"别的\"}\n");
    let run = place.run(&["dedup", "a.jsonl", "--output", "annotated", "--summary", "sum.json"]);
    assert_eq!(ofs(&run.out), [json!({"line": 1}), json!(1)]);
    assert_eq!(place.json("sum.json")["ids"], json!({"missing": 1, "duplicate": 0}));
    assert!(run.said.contains("ids: 1 record had none"), "{}", run.said);
    let several = place.run(&["dedup", "-q", "a.jsonl", "b.jsonl", "--output", "annotated"]);
    assert_eq!(ofs(&several.out), [json!({"file": "a.jsonl", "line": 1}), json!(1)]);
    // A state remembers which of the two it was, and the other commands say the same.
    let with_state = ["dedup", "-q", "--state", "state", "--output", "annotated"];
    place.run(&[&with_state[..], &["a.jsonl"]].concat());
    let again = place.run(&[&with_state[..], &["a.jsonl", "--again"]].concat());
    let first = json!({"record": 1});
    assert_eq!(ofs(&again.out), [first.clone(), json!(1), first, json!(1)], "{}", again.said);
    let clusters = place.run(&["clusters", "-q", "a.jsonl"]);
    let first: Value = serde_json::from_str(clusters.out.lines().next().unwrap()).unwrap();
    assert_eq!(first["id"], json!({"line": 1}));
    let chosen = place.run(&["dedup", "-q", "a.jsonl", "--represent", "first", "--output", "annotated"]);
    assert_eq!(chosen.out, run.out);
    let counted = place.run(&["dedup", "-q", "a.jsonl", "--recount", "1s", "--output", "annotated"]);
    assert!(counted.out.contains(r#"{"quchong":{"verdict":"recount","of":{"line":1},"count":2"#), "{}", counted.out);
}

/// A record without an id is named uniquely over all runs: a line number would also exist in other runs and files.
#[test]
fn what_has_no_id_is_named_once_over_all_runs() {
    let other = "{\"text\":\"明天见\"}\n";
    let place = Place::new()
        .with("a.jsonl", format!("{{\"text\":\"{SAME}\"}}\n\n{other}"))
        .with("b.jsonl", format!("{{\"text\":\"{SAME_TOO}\"}}\n"))
        .with("c.jsonl", format!("{{\"text\":\"{SAME_TOO}\"}}\n{{\"text\":\"{SAME}\"}}\n"));
    let with_state = ["dedup", "-q", "--state", "state", "--output", "annotated"];
    place.run(&[&with_state[..], &["a.jsonl"]].concat());
    place.run(&[&with_state[..], &["b.jsonl"]].concat());
    // Both texts were in line 1 of their files. A blank line is counted, too.
    let run = place.run(&[&with_state[..], &["c.jsonl"]].concat());
    assert_eq!(ofs(&run.out), [json!({"record": 4}), json!({"record": 1})], "{} {}", run.out, run.said);
    let dump = place.run(&["state", "dump", "state"]);
    assert!(dump.out.contains("\"id\":{\"record\":4},\"pos\":3"), "{}", dump.out);
    // The same file twice: each of its lines occurs twice.
    let twice = place.run(&["dedup", "-q", "b.jsonl", "c.jsonl", "b.jsonl", "--output", "annotated"]);
    assert_eq!(ofs(&twice.out), [json!({"record": 1}), json!({"record": 1})], "{}", twice.out);
    let clusters = place.run(&["clusters", "-q", "b.jsonl", "c.jsonl", "b.jsonl"]);
    let first: Value = serde_json::from_str(clusters.out.lines().next().unwrap()).unwrap();
    assert_eq!((&first["id"], &first["repeats"]), (&json!({"record": 1}), &json!([{"record": 2}, {"record": 4}])));
    // Lines of plain text are named by the same numbers, which do not look like line numbers.
    let place = place
        .with("a.txt", format!("{SAME}\n"))
        .with("b.txt", format!("{SAME_TOO}\n"))
        .with("c.txt", format!("{SAME_TOO}\n"));
    for name in ["a.txt", "b.txt"] {
        place.run(&["dedup", "-q", "--state", "lines", name]);
    }
    let run = place.run(&["dedup", "-q", "--state", "lines", "--output", "annotated", "c.txt"]);
    assert_eq!(ofs(&run.out), [json!({"record": 2})], "{}", run.out);
    let twice = place.run(&["dedup", "-q", "a.txt", "a.txt", "--output", "annotated"]);
    assert_eq!(ofs(&twice.out), [json!({"record": 1})], "{}", twice.out);
}

#[test]
fn an_id_that_comes_twice_is_told() {
    let record = |id: u64| format!("{{\"id\":{id},\"text\":\"{}\"}}\n", super::unlike(id as usize * 7));
    let input: String = (0..100).chain([50, 51]).map(record).collect();
    let place = Place::new().with("in.jsonl", input);
    let run = place.run(&["dedup", "in.jsonl", "--output", "annotated", "--summary", "sum.json"]);
    assert_eq!(place.json("sum.json")["ids"], json!({"missing": 0, "duplicate": 2}));
    assert_eq!(run.said.matches("has come before").count(), 1, "{}", run.said);
    assert!(run.said.contains("in.jsonl:101: id 50 has come before"), "{}", run.said);
}

#[test]
fn an_id_field_that_is_not_there_is_told() {
    let place = Place::new().with("in.jsonl", super::records(3)).with(
        "objects.jsonl",
        "{\"id\":{\"$oid\":\"a\"},\"text\":\"甲\"}\n{\"id\":2,\"text\":\"乙\"}\n{\"text\":\"丙\"}\n",
    );
    let run = place.run(&["dedup", "in.jsonl", "--id-field", "mid", "--output", "annotated"]);
    assert!(run.said.contains("in.jsonl:1: no id") && run.said.contains("--id-field"), "{}", run.said);
    let run = place.run(&["dedup", "objects.jsonl", "--output", "annotated", "--summary", "sum.json"]);
    assert!(run.said.contains("no id that is a string or a number"), "{}", run.said);
    assert_eq!(place.json("sum.json")["ids"]["missing"], 2);
    // The same holds if all records have such an id.
    let place =
        place.with("all.jsonl", "{\"id\":{\"line\":2},\"text\":\"甲\"}\n{\"id\":{\"line\":1},\"text\":\"乙\"}\n");
    let run = place.run(&["dedup", "all.jsonl", "--output", "annotated"]);
    assert!(run.said.contains("all.jsonl:1: no id that is a string or a number"), "{}", run.said);
    // A line of plain text is not taken for a record whose id is spelt like the line.
    let place = place.with("l.txt", format!("{SAME}\n")).with(
        "ids.jsonl",
        format!("{{\"id\":\"l.txt:1\",\"text\":\"{SAME_TOO}\"}}\n{{\"id\":1,\"text\":\"{SAME}\"}}\n{{\"id\":2,\"text\":\"{SAME_TOO}\"}}\n"),
    );
    let run = place.run(&["dedup", "-q", "l.txt", "ids.jsonl", "--output", "annotated"]);
    assert_eq!(ofs(&run.out), [json!({"file": "l.txt", "line": 1}), json!("l.txt:1")], "{}", run.out);
    // Records that never had ids are not reported.
    let place = place.with("plain.jsonl", "{\"text\":\"甲\"}\n{\"text\":\"乙\"}\n");
    let run = place.run(&["dedup", "plain.jsonl", "--output", "annotated"]);
    assert!(!run.said.contains("id"), "{}", run.said);
}
