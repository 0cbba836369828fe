//! Clusters add up to the counts of `quchong dedup`, and hold the repeats that it reports.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;

use crate::common::place::Place;
use crate::common::{dedup, generated, shared};
use serde_json::Value;

fn clusters(place: &Place, args: &[&str]) -> Vec<Value> {
    let listed = String::from_utf8(place.succeed(&[&["clusters"], args].concat())).unwrap();
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
    // Each repeat is in the cluster of the message that its verdict names.
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
    add_up(&generated(2000));
    if let Some(path) = shared("weibo-dev.jsonl") {
        let posts = fs::read_to_string(path).unwrap();
        let posts = posts.lines().take(2000).enumerate().map(|(id, line)| {
            let post: Value = serde_json::from_str(line).unwrap();
            format!("{}\n", serde_json::json!({"id": id, "text": post["text"]}))
        });
        add_up(posts.collect::<String>().as_bytes());
    }
}

#[test]
fn under_each_preset_all_records_are_counted() {
    let posts = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/posts.jsonl")).unwrap();
    let place = Place::new(posts.as_bytes());
    for preset in ["simhash", "weibo", "headline", "sms", "careful"] {
        let run = place.run(&["clusters", "in.jsonl", "--preset", preset]);
        let told = String::from_utf8(run.stderr).unwrap();
        assert!(told.contains(&format!("in {} = kept ", posts.lines().count())), "{preset}: {told}");
    }
    // A filter alone does not say which message is repeated.
    let told = place.refused(&["clusters", "in.jsonl", "--preset", "paper"]);
    assert!(told.contains("--preset: paper drops messages without saying what they repeat"), "{told}");
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

/// A page of posts holds no markup from the posts, and shows every text and its differences.
#[test]
fn a_page_to_leaf_through() {
    let posts = [
        "<script>alert(1)</script>今天武汉的樱花开了，我在东湖边等你",
        "<script>alert(1)</script>今天武汉的樱花谢了，我在东湖边等你",
        "<script>alert(1)</script>今天武汉的樱花谢了，我在东湖边等你",
        "没有人重复的一句话",
    ];
    let lines = posts.iter().zip(1..).map(|(text, id)| {
        format!("{}\n", serde_json::json!({"id": format!("<b>{id}"), "text": text, "created_at": 1_540_958_400 + id}))
    });
    let place = Place::new(lines.collect::<String>().as_bytes());
    let listed = place.succeed(&["clusters", "in.jsonl", "--html", "page.html"]);
    assert_eq!(listed, place.succeed(&["clusters", "in.jsonl"]), "the list is the same with a page and without");
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    for told in [
        "in.jsonl: messages 4, clusters 2; clusters of at least 2 messages: 1.",
        "<h2>1. 3 messages</h2>",
        "kept 1 · exact 1 · near 1 · 2018-10-31T04:00:01Z – 2018-10-31T04:00:03Z",
        "<strong>50 %</strong>messages that repeat an earlier one: 2 of 4",
        // The most frequent wording first; the kept one is compared with it.
        "<li class=\"first\"><b>2 ×</b><p dir=\"auto\">&lt;script&gt;alert(1)&lt;/script&gt;今天武汉的樱花谢了，我在东湖边等你</p>",
        "<b>1 ×</b><p dir=\"auto\">&lt;script&gt;alert(1)&lt;/script&gt;今天武汉的樱花<del>谢</del><ins>开</ins>了，我在东湖边等你</p><span class=\"soft\"><mark>kept</mark> &quot;&lt;b&gt;1&quot;</span>",
        "&quot;&lt;b&gt;2&quot; &quot;&lt;b&gt;3&quot;</details>",
    ] {
        assert!(page.contains(told), "{told}\n{page}");
    }
    assert_eq!(page.matches("<script>").count(), 1, "only its own");
    assert!(!page.contains("<b>1\"") && !page.contains("没有人重复") && !page.contains("http"));
    assert!(page.contains("<nav hidden>") && !page.contains("<section hidden"), "without scripts it is a list");
}

#[test]
fn a_page_is_opened_first_and_replaces_no_input() {
    let place = Place::new(b"{\"text\":\"a\"}\n");
    let told = place.refused(&["clusters", "in.jsonl", "--html", "in.jsonl"]);
    assert!(told.contains("--html in.jsonl are the same file"), "{told}");
    assert_eq!(fs::read(place.path("in.jsonl")).unwrap(), b"{\"text\":\"a\"}\n");
    let output = place.run(&["clusters", "in.jsonl", "--html", "no/such/page.html"]);
    assert!(output.stdout.is_empty() && output.status.code() == Some(2), "it was told before the work");
}

#[test]
fn a_page_has_its_limits() {
    use std::fmt::Write;
    let mut input = String::new();
    for cluster in 0..205 {
        for copy in 0..if cluster == 7 { 60 } else { 2 } {
            let text = format!("{}{}", "长".repeat(600), char::from_u32(0x4e00 + cluster * 7).unwrap());
            // Trailing blanks make another wording, but not another message.
            writeln!(input, "{}", serde_json::json!({"text": text + &" ".repeat(copy)})).unwrap();
        }
    }
    let place = Place::new(input.as_bytes());
    place.succeed(&["clusters", "in.jsonl", "--near", "none", "--html", "page.html"]);
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("Here are the 200 largest."));
    assert_eq!(page.matches("<section").count(), 200);
    assert!(page.contains("<h2>1. 60 messages</h2>") && page.contains("… and less frequent wordings: 9."), "{page}");
    assert!(!page.contains(&"长".repeat(500)) && page.contains(&format!("{}…", "长".repeat(499))));
}

/// All commands that judge records take the same options for what they read, and how.
#[test]
fn inputs_are_told_as_to_dedup() {
    let place = Place::new(b"");
    fs::write(place.path("a.txt"), "你好\n再见\n你好\n").unwrap();
    fs::write(place.path("b.csv"), "1,你好\n2,再见\n3,你好\n").unwrap();
    fs::write(place.path("list"), "a.txt\r\n").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let expected = text(place.succeed(&["clusters", "a.txt"]));
    assert_eq!(expected.lines().count(), 2);
    assert_eq!(text(place.succeed(&["clusters", "--files-from", "list"])), expected);
    let columns = ["--no-header", "--field=2", "--id-field=1"];
    assert_eq!(text(place.succeed(&[&["clusters", "b.csv"], &columns[..]].concat())), expected);
    place.succeed(&["clusters", "-q", "a.txt", "-o", "out.jsonl"]);
    assert_eq!(fs::read_to_string(place.path("out.jsonl")).unwrap(), expected);
    place.succeed(&["clusters", "a.txt", "-o", "out.jsonl.zst"]);
    assert_eq!(
        text(place.succeed(&["dedup", "-q", "--near=none", "--field=text", "out.jsonl.zst"])).lines().count(),
        2
    );
    let quiet = place.run(&["clusters", "-q", "a.txt"]);
    assert!(quiet.stderr.is_empty() && text(quiet.stdout) == expected);
    // The number of threads changes nothing.
    fs::write(place.path("posts.jsonl"), generated(2000)).unwrap();
    let one = place.succeed(&["clusters", "-j1", "posts.jsonl"]);
    assert!(one == place.succeed(&["clusters", "-j4", "posts.jsonl"]));
    let sketches = |more: &[&str]| text(place.succeed(&[&["sketch", "-q", "--near=simhash"], more].concat()));
    assert_eq!(sketches(&["--files-from", "list"]), sketches(&["a.txt"]));
    let rows = sketches(&["b.csv", "--no-header", "--field=2"]);
    assert_eq!(rows, sketches(&["a.txt"]));
    sketches(&["a.txt", "-o", "sketches.jsonl"]);
    assert_eq!(fs::read_to_string(place.path("sketches.jsonl")).unwrap(), rows);
    // Records that cannot be judged.
    fs::write(place.path("bad.jsonl"), "{\"text\":\"你好\"}\n{\"text\":7}\n").unwrap();
    for command in [&["clusters"][..], &["sketch", "--near=simhash"]] {
        let run = |more: &[&str]| place.run(&[command, &["bad.jsonl"], more].concat());
        let said = |more: &[&str]| String::from_utf8(run(more).stderr).unwrap();
        assert!(said(&[]).contains("bad.jsonl:2: field `text` is not a string"), "{}", said(&[]));
        assert!(said(&["--max-line=4"]).contains("bad.jsonl:1: the line is too long"), "{}", said(&["--max-line=4"]));
        let failed = run(&["--on-error=fail"]);
        assert_eq!(failed.status.code(), Some(2));
        assert!(place.refused(&[command, &["--no-header", "b.csv"]].concat()).contains("--field 1 for the first"));
        fs::write(place.path("out"), "before").unwrap();
        assert!(place.refused(&[command, &["none.jsonl", "-o", "out"]].concat()).contains("none.jsonl: "));
        assert!(place.refused(&[command, &["a.txt", "-o", "out.csv"]].concat()).contains("name it .jsonl"));
        let listed = ["--files-from", "list", "-o", "list"];
        assert!(place.refused(&[command, &listed].concat()).contains("list"));
        assert!(fs::read_to_string(place.path("list")).unwrap().contains("a.txt"));
        assert_eq!(fs::read(place.path("out")).unwrap(), b"before");
    }
}

/// One file of settings, or one environment, serves all commands: `dedup`, `explain` and `clusters` judge two messages alike.
#[test]
fn explain_and_clusters_judge_as_the_file_says() {
    let [a, b] = ["十点", "九点"].map(|hour| format!("下周三的部门例会改到上午{hour}，请大家准时参加"));
    let [a, b] = [&*a, &*b];
    let place =
        Place::new(format!("{{\"content\":\"{a}\",\"id\":\"a\"}}\n{{\"content\":\"{b}\",\"id\":\"b\"}}\n").as_bytes());
    // Settings that these commands lack, or read in another sense, are left to other commands.
    let settings = "guard = \"off\"\nfield = \"content\"\nformat = \"jsonl\"\nwindow = \"24h\"\nexact = \"bloom\"\nbloom-bits = \"1M\"\n";
    fs::write(place.path("quchong.toml"), settings.to_owned() + "output-file = \"kept.jsonl\"\nquiet = true\n")
        .unwrap();
    let is_dropped = |variables: &[(&str, &str)], args: &[&str]| {
        let output = place.command(&["explain"]).args(args).envs(variables.iter().copied()).output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]), "{args:?}");
        String::from_utf8(output.stdout).unwrap().contains("\nB is dropped")
    };
    assert!(!is_dropped(&[], &[a, b]));
    for args in [&["--config", "quchong.toml", a, b][..], &["--config", "quchong.toml", "--file", "in.jsonl", "a", "b"]]
    {
        assert!(is_dropped(&[], args), "{args:?}");
    }
    assert!(is_dropped(&[("QUCHONG_GUARD", "off"), ("QUCHONG_FIELD", "content")], &[a, b]));
    assert!(!is_dropped(&[("QUCHONG_CONFIG", "quchong.toml")], &["--guard", "facts", a, b]));
    assert_eq!(clusters(&place, &["--config", "quchong.toml", "in.jsonl"]).len(), 1);
    assert!(!place.path("kept.jsonl").exists());
    // The name of this input says nothing about its format.
    fs::write(place.path("posts.dat"), format!("id,content\na,{a}\nb,{b}\n")).unwrap();
    fs::write(place.path("table.toml"), "guard = \"off\"\nfield = \"content\"\nformat = \"csv\"\n").unwrap();
    assert!(is_dropped(&[], &["--config", "table.toml", "--file", "posts.dat", "a", "b"]));
    let json =
        place.succeed(&["explain", "--config", "table.toml", "--format", "json", "--file", "posts.dat", "a", "b"]);
    assert!(String::from_utf8(json).unwrap().contains("\"verdict\": \"near\""));
    // Errors in the settings file are reported.
    fs::write(place.path("quchong.toml"), "guard = \"of\"\n").unwrap();
    assert!(place.refused(&["explain", "--config", "quchong.toml", a, b]).contains("quchong.toml:1"));
}

#[test]
fn what_is_no_message_takes_its_place_in_the_window() {
    let place = Place::new(
        "{\"id\":1,\"text\":\"我在东湖边的樱花树下等你\"}\n{\"text\":17}\n\n{\"text\":17}\n{\"id\":5,\"text\":\"我在东湖旁的樱花树下等你\"}\n"
            .as_bytes(),
    );
    for (window, found) in [("3", 0), ("4", 1)] {
        let of_two = clusters(&place, &["in.jsonl", "--verify-window", window, "--least", "2"]);
        let input = place.path("in.jsonl");
        let run = dedup(&["--output", "dropped", "--verify-window", window, input.to_str().unwrap()], b"");
        assert_eq!((of_two.len(), run.json().len()), (found, found), "{window}");
    }
}
