//! `--represent`: a message other than the first represents its cluster.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;

use crate::common::place::{Place, input};
use crate::common::{dedup, shared};
use serde_json::{Value, json};

const CHOICES: [&str; 8] =
    ["first", "longest", "newest", "most-frequent", "largest:n", "smallest:n", "largest:deep.at", "listed:s=b,a"];

/// The records with fields to choose by; some records lack a field.
fn with_fields(lines: &[u8]) -> Vec<u8> {
    let add = |(at, line): (usize, &[u8])| {
        let mut record: Value = serde_json::from_slice(line).unwrap();
        match at % 7 {
            0 => {}
            1 | 2 => record["n"] = (at % 5).into(),
            3 => record["n"] = "2.5".into(),
            _ => record["n"] = (at as f64 / 3.0).into(),
        }
        record["s"] = ["a", "b", "c"][at % 3].into();
        record["deep"] = json!({"at": format!("20{:02}-05-01T08:00:00+08:00", at % 20)});
        record.to_string() + "\n"
    };
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.enumerate().map(add).collect::<String>().into()
}

fn records(lines: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The obvious way to choose: compares all members of a cluster.
fn chosen(by: &str, members: &[&Value]) -> Value {
    let text = |record: &&Value| record["text"].as_str().unwrap().to_owned();
    // The first of equal members: `max_by_key` takes the last.
    let first_of_most = |key: &dyn Fn(&&Value) -> i64| *members.iter().rev().max_by_key(|record| key(record)).unwrap();
    let record = match by {
        "first" => members[0],
        "longest" => first_of_most(&|record| text(record).chars().count() as i64),
        "largest:n" | "smallest:n" => {
            let sign = if by == "largest:n" { 1.0 } else { -1.0 };
            let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
            first_of_most(&|record| number(&record["n"]).map_or(i64::MIN, |n| (n * sign * 1e9) as i64))
        }
        "largest:deep.at" => first_of_most(&|record| record["deep"]["at"].as_str().unwrap()[2..4].parse().unwrap()),
        "listed:s=b,a" => {
            first_of_most(&|record| ["c", "a", "b"].iter().position(|s| record["s"] == *s).unwrap() as i64)
        }
        "newest" => members.iter().max_by_key(|record| record["created_at"].as_i64()).unwrap(),
        _ => first_of_most(&|record| members.iter().filter(|other| text(other) == text(record)).count() as i64),
    };
    record["id"].clone()
}

fn as_the_obvious_way(lines: &[u8], engine: &[&str]) {
    let lines = &*with_fields(lines);
    let place = Place::new(lines);
    let annotated = records(&place.succeed(&[&["dedup", "-q", "in.jsonl", "--output", "annotated"], engine].concat()));
    let mut clusters = BTreeMap::<String, Vec<&Value>>::new();
    for record in &annotated {
        let of = record["quchong"].get("of").unwrap_or(&record["id"]);
        clusters.entry(of.to_string()).or_default().push(record);
    }
    assert!(clusters.values().any(|members| members.len() > 2), "the input has clusters");
    for by in CHOICES {
        let expected: BTreeMap<String, Value> =
            clusters.iter().map(|(kept, members)| (kept.clone(), chosen(by, members))).collect();
        if engine.is_empty() {
            for cluster in records(&place.succeed(&["clusters", "in.jsonl", "--represent", by])) {
                assert_eq!(cluster["representative"]["id"], expected[&cluster["id"].to_string()], "{by}: {cluster}");
            }
        }
        let args = ["dedup", "-q", "in.jsonl", "--represent", by, "--dropped", "dropped.jsonl", "-o", "kept.jsonl"];
        place.succeed(&[&args[..], engine].concat());
        let kept = fs::read(place.path("kept.jsonl")).unwrap();
        let ids: Vec<Value> = records(&kept).iter().map(|record| record["id"].clone()).collect();
        let chosen: Vec<&Value> = expected.values().collect();
        let in_place: Vec<Value> = records(lines).iter().map(|record| record["id"].clone()).collect();
        assert_eq!(ids, in_place.iter().filter(|id| chosen.contains(id)).cloned().collect::<Vec<_>>(), "{by}");
        // Kept records leave byte for byte, in the order of the input.
        let mut rest = lines.split_inclusive(|byte| *byte == b'\n');
        assert!(kept.split_inclusive(|byte| *byte == b'\n').all(|line| rest.any(|other| other == line)), "{by}");
        // Every other member is dropped, and names the kept one.
        let mut told: BTreeMap<String, &Value> = BTreeMap::new();
        let dropped = records(&fs::read(place.path("dropped.jsonl")).unwrap());
        for record in &dropped {
            told.insert(record["id"].to_string(), &record["quchong"]["of"]);
        }
        assert_eq!(dropped.len() + ids.len(), annotated.len(), "{by}");
        for (kept, members) in &clusters {
            for member in members.iter().filter(|member| member["id"] != expected[kept]) {
                assert_eq!(*told[&member["id"].to_string()], expected[kept], "{by}: {member}");
            }
        }
    }
}

#[test]
fn generated_posts() {
    for engine in [&[][..], &["--window", "200"], &["--window", "200", "--refresh"], &["--window", "10m", "--refresh"]]
    {
        as_the_obvious_way(&input(500, 11), engine);
    }
}

#[test]
#[ignore = "the same on real posts; .ci/run runs it"]
fn real_posts() {
    let Some(path) = shared("weibo-dev.jsonl") else { return };
    let posts = fs::read_to_string(path).unwrap();
    let posts = posts.lines().take(1000).zip(1_500_000_000_u64..).map(|(line, at)| {
        let post: Value = serde_json::from_str(line).unwrap();
        format!("{}\n", serde_json::json!({"id": at, "text": post["text"], "created_at": at * 1_000_003 % 700_000}))
    });
    as_the_obvious_way(posts.collect::<String>().as_bytes(), &[]);
}

#[test]
fn what_is_no_message_goes_its_way_and_sums_add_up() {
    let place = Place::new("{\"id\":1,\"text\":\"你好\"}\n\n{\"id\":2}\n{\"id\":3,\"text\":\"你好 \"}\n".as_bytes());
    let args = ["dedup", "in.jsonl", "--represent", "longest", "--summary", "totals.json", "--report", "page.html"];
    let output = place.succeed(&args);
    assert_eq!(String::from_utf8(output).unwrap(), "\n{\"id\":2}\n{\"id\":3,\"text\":\"你好 \"}\n");
    let totals: Value = serde_json::from_slice(&fs::read(place.path("totals.json")).unwrap()).unwrap();
    assert_eq!(
        ["/in", "/kept", "/dropped/exact", "/errors/total", "/bytes_out"]
            .map(|name| totals.pointer(name).unwrap().as_u64()),
        [4, 2, 1, 1, 36].map(Some),
        "{totals}"
    );
    fs::write(place.path("a.csv"), "id,text\n1,你好\n2,你好 \n").unwrap();
    let annotated = place.succeed(&["dedup", "-q", "a.csv", "--represent", "longest", "--output", "annotated"]);
    let expected = "id,text,quchong\n1,你好,\"{\"\"verdict\"\":\"\"exact\"\",\"\"of\"\":2}\"\n2,你好 ,\"{\"\"verdict\"\":\"\"kept\"\"}\"\n";
    assert_eq!(String::from_utf8(annotated).unwrap(), expected);
}

#[test]
fn only_files_can_be_read_twice() {
    let run = dedup(&["--represent", "longest"], b"a\n");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--represent: reads its input twice; name files"), "{}", run.stderr);
    assert_eq!(dedup(&["--represent", "first"], b"a\n").code, Some(0));
    let place = Place::new(b"a\n");
    let told = place.refused(&["dedup", "in.jsonl", "--represent", "newest", "--state", "state"]);
    assert!(told.contains("cannot be used with"), "{told}");
    for wrong in ["largest", "largest:", "smallest:a..b", "listed:s", "listed:s=", "first:x", "lowest:n"] {
        let told = place.refused(&["dedup", "in.jsonl", "--represent", wrong]);
        assert!(told.starts_with(&format!("quchong: error: --represent {wrong}: ")), "{told}");
    }
    // A missing value is no mistake in one record, but it is in most of them.
    fs::write(place.path("in.jsonl"), "{\"text\":\"你好\",\"n\":1}\n{\"text\":\"你好\"}\n{\"text\":\"再见\"}\n")
        .unwrap();
    let output = place.run(&["dedup", "-q", "in.jsonl", "--represent", "largest:n"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && told.contains("--represent: 2 of 3 messages"), "{told}");
    // Values that cannot be read are counted.
    fs::write(
        place.path("in.jsonl"),
        "{\"id\":1,\"text\":\"你好\",\"n\":\"9,999\"}\n{\"id\":2,\"text\":\"你好\",\"n\":\"1.2w\"}\n{\"id\":3,\"text\":\"你好\",\"n\":\"很多\"}\n\
         {\"id\":4,\"text\":\"你好\",\"n\":\"10k+\"}\n{\"id\":5,\"text\":\"再见\",\"n\":\"１１\"}\n{\"id\":6,\"text\":\"再见\",\"n\":\"9\"}\n",
    )
    .unwrap();
    let output = place.run(&["dedup", "in.jsonl", "--represent", "largest:n", "--summary", "sums.json"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(records(&output.stdout).iter().map(|record| record["id"].clone()).collect::<Vec<_>>(), [2, 5]);
    assert!(
        output.status.success() && told.contains("represent: 1 of 6 messages had nothing in the field to choose by"),
        "{told}"
    );
    let sums: Value = serde_json::from_slice(&fs::read(place.path("sums.json")).unwrap()).unwrap();
    assert_eq!(sums["unranked"], 1);
    let output = place.run(&["clusters", "in.jsonl", "--represent", "smallest:n"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && told.contains("represent: 1 of 6 messages had nothing in the field to choose by"),
        "{told}"
    );
    let chosen = records(&output.stdout);
    assert_eq!(chosen.iter().map(|cluster| cluster["representative"]["id"].clone()).collect::<Vec<_>>(), [1, 6]);
    place.succeed(&["dedup", "-q", "in.jsonl", "--represent", "longest", "--summary", "sums.json"]);
    let sums: Value = serde_json::from_slice(&fs::read(place.path("sums.json")).unwrap()).unwrap();
    assert!(sums["unranked"].is_null());
    // Tables may have empty cells.
    fs::write(place.path("a.csv"), "text,n\n你好,\n你好,3\n你好,12\n").unwrap();
    let kept = place.succeed(&["dedup", "-q", "a.csv", "--represent", "largest:n"]);
    assert_eq!(String::from_utf8(kept).unwrap(), "text,n\n你好,12\n");
}

/// Most records come from other sites than the listed ones: that is the normal case.
#[test]
fn values_that_are_not_listed_are_no_lack() {
    let place = Place::new(b"");
    let records: String = (0..20).map(|n| format!("{{\"text\":\"你好\",\"site\":\"s{n}\"}}\n")).collect();
    fs::write(place.path("in.jsonl"), format!("{records}{{\"text\":\"你好\",\"site\":\"xinhua\"}}\n")).unwrap();
    for command in ["dedup", "clusters"] {
        let output = place.run(&[command, "-q", "in.jsonl", "--represent", "listed:site=xinhua,people"]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.is_empty(), "{command}: {told}");
        let kept = String::from_utf8(output.stdout).unwrap();
        assert!(command == "clusters" || kept == "{\"text\":\"你好\",\"site\":\"xinhua\"}\n", "{kept}");
        for (by, missing) in [("listed:from=xinhua", 21), ("listed:site=xinhau", 21)] {
            let output = place.run(&[command, "-q", "in.jsonl", "--represent", by]);
            let told = String::from_utf8(output.stderr).unwrap();
            let said = format!("--represent: {missing} of 21 messages have nothing in its field to choose by");
            assert!(output.status.code() == Some(3) && told.contains(&said), "{command} {by}: {told}");
        }
    }
    // Only the record without the field is counted.
    fs::write(
        place.path("in.jsonl"),
        format!("{records}{{\"text\":\"你好\",\"site\":\"xinhua\"}}\n{{\"text\":\"你好\"}}\n"),
    )
    .unwrap();
    let output = place.run(&["dedup", "in.jsonl", "--represent", "listed:site=xinhua,people"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && told.contains("represent: 1 of 22 messages had nothing in the field to choose by"),
        "{told}"
    );
}
