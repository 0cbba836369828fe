//! Clusters add up to what `quchong dedup` counts, and hold what it says.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::collections::BTreeMap;
use std::fs;

use common::place::Place;
use common::{dedup, generated, shared};
use serde_json::Value;

fn clusters(place: &Place, args: &[&str]) -> Vec<Value> {
    let listed = String::from_utf8(place.done(&[&["clusters"], args].concat())).unwrap();
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(cluster: &Value, name: &str) -> u64 {
    cluster[name].as_u64().unwrap()
}

fn add_up(input: &[u8]) {
    let place = Place::new(input);
    let annotated = dedup(&["--output", "annotated", place.path("in.jsonl").to_str().unwrap()], b"");
    let found = clusters(&place, &["in.jsonl"]);
    let sum = |name| found.iter().map(|cluster| number(cluster, name)).sum::<u64>();
    assert_eq!(found.len() as u64, annotated.total("/kept"));
    assert_eq!([sum("exact"), sum("near")], ["/dropped/exact", "/dropped/near"].map(|name| annotated.total(name)));
    assert_eq!(sum("count"), annotated.total("/in"));
    // Each repeat stands in the cluster of the message that the verdict names.
    let mut stars = BTreeMap::<String, Vec<Value>>::new();
    for record in annotated.json() {
        if let Some(of) = record["quchong"].get("of") {
            stars.entry(of.to_string()).or_default().push(record["id"].clone());
        }
    }
    for cluster in &found {
        let star = stars.remove(&cluster["id"].to_string()).unwrap_or_default();
        assert_eq!(cluster["repeats"], Value::from(star), "{cluster}");
    }
    assert!(stars.is_empty());
    let sorted = clusters(&place, &["in.jsonl", "--sort", "size", "--least", "2"]);
    let counts: Vec<u64> = sorted.iter().map(|cluster| number(cluster, "count")).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b) && counts.iter().all(|count| *count >= 2));
    assert_eq!(counts.len(), found.iter().filter(|cluster| number(cluster, "count") >= 2).count());
}

#[test]
fn they_add_up() {
    add_up(&generated(5000));
    if let Some(path) = shared("weibo-dev.jsonl") {
        let posts = fs::read_to_string(path).unwrap();
        let posts = posts.lines().take(5000).enumerate().map(|(id, line)| {
            let post: Value = serde_json::from_str(line).unwrap();
            format!("{}\n", serde_json::json!({"id": id, "text": post["text"]}))
        });
        add_up(posts.collect::<String>().as_bytes());
    }
}

#[test]
fn what_is_no_message_is_counted_apart() {
    let place = Place::new("{\"text\":\"你好\"}\n\n{\"text\":1}\n{\"text\":\"明天见\"}\n".as_bytes());
    let output = place.run(&["clusters", "in.jsonl"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("in 4 = kept 2 + exact 0 + near 0 + blank 1 + errors 1"), "{told}");
    fs::write(place.path("a.csv"), "no,text\n1,\"你\n好\"\n2,\"你\n好\"\n").unwrap();
    let found = clusters(&place, &["a.csv", "--id-field", "no"]);
    assert_eq!((found.len(), &found[0]["repeats"]), (1, &serde_json::json!([2])));
}
