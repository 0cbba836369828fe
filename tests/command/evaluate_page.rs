//! The page of `quchong evaluate` shows misjudged pairs, and every truth can be counted by a field.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::quchong;
use crate::evaluate::{LONG, clustered, counts, file, report, text};
use serde_json::{Value, json};

/// The groups of a field add up to the whole, for every truth, for engines and for methods.
#[test]
fn every_truth_can_be_counted_by_a_field() {
    let folder = tempfile::tempdir().unwrap();
    let plain = clustered(&folder, "120");
    let posts = fs::read_to_string(&plain).unwrap();
    let posts = posts.lines().zip(0..).map(|(line, number)| {
        let mut post: Value = serde_json::from_str(line).unwrap();
        post["m"]["src"] = ["贴吧", "say \"hi\"", "微博"][number % 3].into();
        post["n"] = (number / 30).into();
        post
    });
    let posts: Vec<Value> = posts.collect();
    let path = file(&folder, "by.jsonl", &posts);
    for (truth, ofs) in [
        ("cluster:m.c", &["pairs", "stream"][..]),
        ("indel:0.8", &["pairs", "stream"]),
        ("levenshtein:0.8", &["pairs", "stream"]),
        ("pooled:0.8", &["pairs", "stream"]),
        ("edits", &["pairs"]),
    ] {
        let arguments =
            ["--truth", truth, "--field", "m.t", "--engine", "default", "--engine", "a0", "--length", "5.."];
        let found = report(&path, &[&arguments[..], &["--by", "m.src", "--by", "n"]].concat());
        let without = report(&path, &arguments);
        for engine in ["default", "A0"] {
            // With clusters as truth, methods judge only the pairs, not the stream.
            let is_judged = |of: &&&str| **of == "pairs" || engine == "default" || !truth.starts_with("cluster");
            for of in ofs.iter().filter(is_judged) {
                let all = counts(&found, engine, of, "", "");
                assert_eq!(all, counts(&without, engine, of, "", ""), "{truth}");
                assert!(all.iter().sum::<u64>() > 50, "{truth}: {all:?}");
                for values in [&["贴吧", "say \"hi\"", "微博"][..], &["0", "1", "2", "3"]] {
                    let mut sum = [0; 4];
                    for value in values {
                        let part = counts(&found, engine, of, value, "");
                        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
                    }
                    assert_eq!(sum, all, "{truth} {engine} {of} {values:?}");
                }
            }
        }
        let on = |threads| text(&path, &[&arguments[..], &["--by", "n", "-j", threads]].concat());
        let markdown = on("1");
        // Threads change nothing, for engines and methods over all pairs.
        if truth == "pooled:0.8" {
            assert_eq!(markdown, on("3"), "{truth}");
        }
        assert!(markdown.contains("## Pairs by n\n") && markdown.contains("## Stream by n\n") == (ofs.len() == 2));
    }
    // The pairs whose later message is among the first thirty messages are those of a file with only these thirty.
    let first = file(&folder, "first.jsonl", &posts[..30]);
    let arguments = ["--truth", "indel:0.8", "--field", "m.t", "--engine", "default", "--engine", "a0", "--by", "n"];
    let (all, few) = (report(&path, &arguments), report(&first, &arguments));
    for engine in ["default", "A0"] {
        assert_eq!(counts(&all, engine, "pairs", "0", ""), counts(&few, engine, "pairs", "", ""));
        assert_eq!(counts(&all, engine, "stream", "0", "41-80"), counts(&few, engine, "stream", "", "41-80"));
    }
}

/// The reason that `quchong explain` gives for two texts.
fn reason(a: &str, b: &str) -> String {
    let output = quchong().args(["explain", "--format", "json", "--", a, b]).output().unwrap();
    let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
    explained["reason"].as_str().unwrap().to_owned()
}

#[test]
fn a_page_shows_what_is_misjudged_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let numbered = |number: u32| format!("今天下午第{number}会议室的投影仪坏了，请先到楼下借用一台再回来");
    // The default takes the first pair for a repeat, is right about the second, and misses the others.
    let dropped = (
        "<script>alert(1)</script>他们今天早上在公园里放风筝放得很高兴",
        "<script>alert(1)</script>他们今天早上在公园里放风筝放得很高心",
    );
    let mut pairs = vec![
        json!({"a": dropped.0, "b": dropped.1, "label": 0, "kind": "<i>"}),
        json!({"a": LONG, "b": LONG, "label": 1, "kind": "same"}),
    ];
    pairs.extend((1..=25).map(|n| json!({"a": numbered(n), "b": numbered(n + 1), "label": 1, "kind": "room"})));
    let path = file(&folder, "pairs.jsonl", &pairs);
    let html = folder.path().join("r.html");
    let arguments = ["--engine", "default", "--format", "json"];
    let page = |more: &[&str]| {
        let printed = text(&path, &[&arguments[..], &["--html", html.to_str().unwrap()], more].concat());
        (fs::read_to_string(&html).unwrap(), printed)
    };
    let (shown, printed) = page(&[]);
    assert_eq!(printed, text(&path, &arguments), "what is printed is the same with a page");
    assert_eq!(shown, page(&["-j", "3"]).0);
    assert_eq!(counts(&serde_json::from_str(&printed).unwrap(), "default", "pairs", "", ""), [1, 1, 25, 0]);
    for told in [
        "<h2>Misjudged by default</h2>",
        "<h3>Dropped, though no repeat: 1</h3>\n<details open><summary><strong>&lt;i&gt;</strong> 1</summary>",
        "<strong>A</strong> &lt;script&gt;alert(1)&lt;/script&gt;他们今天早上在公园里放风筝放得很高<del>兴</del></p>",
        "<strong>B</strong> &lt;script&gt;alert(1)&lt;/script&gt;他们今天早上在公园里放风筝放得很高<ins>心</ins></p>",
        &reason(dropped.0, dropped.1),
        "<h3>Kept, though a repeat: 25</h3>\n<details open><summary><strong>room</strong> 25, the first 20</summary>",
        "今天下午第<del>7</del>会议室的投影仪坏了",
        "今天下午第<ins>8</ins>会议室的投影仪坏了",
        &reason(&numbered(7), &numbered(8)),
    ] {
        assert!(shown.contains(told), "{told} is missing");
    }
    assert!(reason(&numbered(7), &numbered(8)).starts_with("a fact differs"), "the reasons are those of explain");
    assert_eq!(shown.matches("<li><p dir=\"auto\">").count(), 21);
    assert!(shown.contains("第2<del>0</del>会") && !shown.contains("第2<del>1</del>会") && !shown.contains("<script>"));
    assert!(!shown.replace("http://www.w3.org/2000/svg", "").contains("http"), "a page needs nothing but itself");
    // The page is the same for any number of threads, over all pairs of messages, and with an engine that never errs.
    let posts = clustered(&folder, "400");
    let all = |threads| {
        let arguments = ["--truth", "indel:0.8", "--field", "m.t", "--engine", "default", "--engine", "exact"];
        text(&posts, &[&arguments[..], &["--html", html.to_str().unwrap(), "-j", threads]].concat());
        fs::read_to_string(&html).unwrap()
    };
    let one = all("1");
    assert_eq!(one, all("3"));
    assert!(one.contains("<h2>Misjudged by exact</h2>") && one.contains("<details><summary><strong>all</strong> "));
    let path = file(&folder, "right.jsonl", &pairs[1..2]);
    text(&path, &["--engine", "default", "--html", html.to_str().unwrap()]);
    assert!(fs::read_to_string(&html).unwrap().contains("</h2>\n<p>No pair is.</p>"));
}

/// A page also shows misjudged pairs if only methods are measured, whatever the truth is.
#[test]
fn a_page_shows_what_methods_misjudge() {
    let folder = tempfile::tempdir().unwrap();
    let posts = clustered(&folder, "400");
    let html = folder.path().join("methods.html");
    for truth in ["pooled:0.8", "indel:0.8"] {
        let arguments = ["--truth", truth, "--field", "m.t", "--engine", "a0"];
        let page = |threads| {
            text(&posts, &[&arguments[..], &["--html", html.to_str().unwrap(), "-j", threads]].concat());
            fs::read_to_string(&html).unwrap()
        };
        let shown = page("1");
        assert!(shown.contains("<h2>Misjudged by A0</h2>") && shown.contains("<h3>Kept, though a repeat: "), "{truth}");
        assert!(shown.contains("the signatures are not alike"), "{truth}");
        assert_eq!(shown, page("3"), "{truth}");
    }
}
