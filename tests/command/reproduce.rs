//! The papers' tables on our own posts: a test fails if an ordering changes.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::common::quchong;
use serde_json::Value;

fn report(args: &[&str]) -> Value {
    let output = quchong().args(["reproduce", "--format", "json"]).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The orders and verdicts change only when someone means them to.
#[test]
fn orders_and_claims_are_as_written_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let posts = root.join("posts.jsonl");
    let mut found = report(&[posts.to_str().unwrap(), "-j", "3"]);
    let ablations = std::mem::take(&mut found["ablations"]);
    found["ablations"] = Value::Array(Vec::new());
    assert_eq!(found, report(&[posts.to_str().unwrap(), "-j", "1", "--no-ablations"]), "threads");
    let mut told = String::new();
    for order in found["orders"].as_array().unwrap() {
        let names: Vec<&str> = order["ours"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        writeln!(
            told,
            "{}: {}, τ {:.2}",
            order["of"].as_str().unwrap(),
            names.join(" "),
            order["tau"].as_f64().unwrap()
        )
        .unwrap();
    }
    for claim in found["claims"].as_array().unwrap() {
        writeln!(told, "{}: {}", claim["claim"].as_str().unwrap(), claim["verdict"].as_str().unwrap()).unwrap();
    }
    for ablation in ablations.as_array().unwrap() {
        let mut f1: Vec<(&str, f64)> = ablation["f1"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_f64().unwrap()))
            .collect();
        f1.sort_by(|a, b| b.1.total_cmp(&a.1));
        let f1: Vec<String> = f1.iter().map(|(name, f1)| format!("{name} {f1:.2}")).collect();
        writeln!(told, "{}: {}", ablation["reading"].as_str().unwrap(), f1.join(", ")).unwrap();
    }
    let path = root.join("reproduce-orders.txt");
    if std::env::var_os("QUCHONG_BLESS").is_some_and(|value| value == "1") {
        return fs::write(path, told).unwrap();
    }
    assert_eq!(told, fs::read_to_string(path).unwrap_or_default(), "QUCHONG_BLESS=1 accepts the new orders");
}

#[test]
fn tables_stand_beside_the_papers() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let posts = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/posts.jsonl");
    let args = ["--no-ablations", "--replicates", "20", "--html", page.to_str().unwrap()];
    let output = quchong().arg("reproduce").arg(&posts).args(args).output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    for part in
        ["## Claims on orderings", "## Orders", "## Methods", "## Kosinov's profiles", "| A0 | 1.000/.230/.380 |"]
    {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(!table.contains("## Ablations"));
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.contains("<svg ") && page.contains("Megashingles"), "{page}");
    let found = report(&[&[posts.to_str().unwrap()], &args[..3]].concat());
    let signed = "Methods sign canonical forms, in which width, case and script do not count (MinHash and quchong";
    let heads = [&*table, found["source"].as_str().unwrap(), &page];
    assert!(heads.iter().all(|head| head.contains(signed)), "{table}");
    // The agreement of two methods is the same in the table and in JSON.
    let names = found["agreement"]["methods"].as_array().unwrap();
    let at = |name: &str| names.iter().position(|known| known == name).unwrap();
    for (title, name) in [("Dice coefficient", "dice"), ("Gwet's AC1", "ac1")] {
        let (_, rows) = table.split_once(&format!("## Agreement: {title}")).unwrap();
        let row = rows.lines().find(|line| line.starts_with("| A10 |")).unwrap();
        let cell = row.split('|').nth(2 + at("A2")).unwrap().trim().to_owned();
        let value = found["agreement"][name][at("A10")][at("A2")].as_f64().unwrap();
        assert!(cell == format!("{value:.2}") && value > 0.5, "{title}: {row}");
    }
    // No two texts of twenty words are equal here, so there is no order of Kosinov's six.
    let differ = folder.path().join("differ.txt");
    let words = "上海下午有雨请大家带伞出门三号线又在换乘站停了十分钟明天早上公园里有人跑步广场上有人跳舞";
    fs::write(&differ, format!("今天{words}\n昨天{words}\n{words}去年\n")).unwrap();
    let output = quchong().arg("reproduce").arg(&differ).args(["--no-ablations"]).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let row = told.lines().find(|line| line.starts_with("| Kosinov's six")).unwrap();
    assert!(row.ends_with("| nothing to judge | – | –, 500 draws skipped |"), "{told}");
    // If nothing is alike, there is nothing to judge.
    let alone = folder.path().join("alone.txt");
    fs::write(&alone, "一条\n完全不同的另一条消息\n").unwrap();
    let output = quchong().arg("reproduce").arg(&alone).output().unwrap();
    assert!(
        output.status.code() == Some(2)
            && String::from_utf8_lossy(&output.stderr).contains("no two messages are alike")
    );
}

#[test]
fn the_head_says_how_messages_were_read() {
    let posts = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/posts.jsonl");
    let source = |more: &[&str]| {
        let args = [&[posts.to_str().unwrap(), "--sample", "60", "--no-ablations"], more].concat();
        report(&args)["source"].as_str().unwrap().to_owned()
    };
    let told = source(&["--markup", "strip", "--reflow", "--normalise", "all"]);
    let all = "Tags are taken out before. Layout is undone before. Methods sign what --normalise leaves.";
    assert!(told.contains(all), "{told}");
    assert!(!source(&[]).contains("before."));
}
