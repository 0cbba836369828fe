//! `quchong dedup --report`: the page shows what the run did, and does not change the run.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;

use crate::common::place::{Place, input};
use serde_json::Value;

/// A number as pages write it: 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// The page without its times, which differ from run to run. Asserts that the output is the same without a report.
fn page(place: &Place, args: &[&str]) -> String {
    let all = ["dedup", "in.jsonl", "--seed", "1", "--report", "page.html", "--summary", "totals.json"];
    let kept = place.succeed(&[&all, args].concat());
    // `--time-field` serves only the report.
    let plain = args.split(|arg| *arg == "--time-field").next().unwrap();
    let without = place.succeed(&[&["dedup", "in.jsonl"], plain].concat());
    assert_eq!(kept, without, "the output is the same with a report and without");
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    let (before, timed) = page.split_once("<!-- times: not reproducible -->").unwrap();
    let (timed, after) = timed.split_once("<!-- end of times -->").unwrap();
    assert!(timed.contains("Throughput") && timed.contains("records/s"));
    format!("{before}{after}")
}

fn totals(place: &Place) -> Value {
    serde_json::from_slice(&fs::read(place.path("totals.json")).unwrap()).unwrap()
}

#[test]
fn it_tells_what_the_summary_does() {
    let mut lines = input(3000, 7);
    lines.extend_from_slice(b"\n{\"text\":7}\n");
    let place = Place::new(&lines);
    let one = page(&place, &["-j1", "-q"]);
    assert_eq!(one, page(&place, &["-j4", "-q"]), "nothing but times depends on threads");
    let totals = totals(&place);
    let number = |name: &str| totals.pointer(name).unwrap().as_u64().unwrap();
    let told = format!(
        "in.jsonl: records {} = kept {} + exact {} + near {} + blank 1 + errors 1.",
        grouped(number("/in")),
        grouped(number("/kept") - 1),
        grouped(number("/dropped/exact")),
        grouped(number("/dropped/near"))
    );
    assert!(one.contains(&told), "{told}\n{one}");
    assert!(one.contains("(not-a-string)") && one.contains("texts in it"), "{one}");
    // The chart by position shows every message.
    assert!(!one.contains("NaN") && !one.contains("inf"));
    assert!(!one.replace("http://www.w3.org/2000/svg", "").contains("http"), "a page needs nothing but itself");
    let timed = page(&place, &["-q", "--time-field", "created_at"]);
    assert!(timed.contains(">time (UTC), from 2018-10-31T0") && timed.contains(">04:15</text>"), "{timed}");
    // The headline with one number comes first, then the areas of three kinds in two charts.
    let dropped = number("/dropped/exact") + number("/dropped/near");
    let messages = dropped + number("/kept") - 1;
    let share = format!("{:.0} %", 100.0 * dropped as f64 / messages as f64);
    let of = format!("messages dropped: {} of {}", grouped(dropped), grouped(messages));
    let headline = format!("<p class=\"headline\"><strong>{share}</strong>{of}");
    for page in [&one, &timed] {
        assert!(page.contains(&headline), "{headline}\n{page}");
        assert_eq!(page.matches("class=\"area\"").count(), 6);
    }
}

#[test]
fn the_largest_clusters_are_those_of_quchong_clusters() {
    let place = Place::new(&input(3000, 8));
    let listed = String::from_utf8(place.succeed(&["clusters", "in.jsonl", "--sort", "size"])).unwrap();
    let largest: Vec<Value> = listed.lines().take(10).map(|line| serde_json::from_str(line).unwrap()).collect();
    the_largest_clusters_are(&largest, &place, &[]);
}

/// The largest clusters are those that the verdicts name: a renewed message is one message, whichever of its entries a repeat was
/// compared with.
#[test]
fn the_largest_clusters_are_those_that_the_verdicts_name() {
    let place = Place::new(&input(3000, 8));
    let window = ["--window", "500", "--refresh"];
    let annotated = place.succeed(&[&["dedup", "-q", "in.jsonl", "--output", "annotated"], &window[..]].concat());
    let mut clusters = BTreeMap::<u64, [u64; 2]>::new();
    for line in String::from_utf8(annotated).unwrap().lines() {
        let told = serde_json::from_str::<Value>(line).unwrap()["quchong"].take();
        if let Some(of) = told["of"].as_u64() {
            clusters.entry(of).or_default()[usize::from(told["verdict"] == "near")] += 1;
        }
    }
    let mut largest: Vec<_> = clusters.into_iter().collect();
    largest.sort_by_key(|(of, [exact, near])| (std::cmp::Reverse(exact + near), *of));
    let cluster = |(of, [exact, near]): &(u64, [u64; 2])| serde_json::json!({"id": of, "count": 1 + exact + near, "exact": exact, "near": near});
    the_largest_clusters_are(&largest.iter().take(5).map(cluster).collect::<Vec<_>>(), &place, &window);
}

fn the_largest_clusters_are(largest: &[Value], place: &Place, window: &[&str]) {
    let page = page(place, &[&["-q"], window].concat());
    for cluster in largest {
        let [count, exact, near] = ["count", "exact", "near"].map(|name| cluster[name].as_u64().unwrap());
        let row = format!("kept: {} · exact {exact} · near {near}</span>", cluster["id"]);
        assert!(page.contains(&format!("<b>{count} ×</b>")), "{page}");
        assert!(page.contains(&row), "{row}\n{page}");
    }
    // The reasons add up, and lead to clusters that exist.
    let reasons = page.split("Why messages were dropped</h2>").nth(1).unwrap().split("</ol>").next().unwrap();
    let counts = reasons.split("</b><p>").skip(1).map(|rest| {
        let words = rest.split("</p>").next().unwrap();
        words.rsplit(": ").next().unwrap().replace(',', "").parse::<u64>().unwrap()
    });
    let dropped =
        ["/dropped/exact", "/dropped/near"].map(|name| totals(place).pointer(name).unwrap().as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), dropped.iter().sum::<u64>(), "{reasons}");
    let links: Vec<&str> = reasons.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(!links.is_empty() && links.iter().all(|link| page.contains(&format!("<li id=\"{link}\">"))), "{links:?}");
}

#[test]
fn posts_and_names_are_no_markup_and_times_may_be_missing() {
    let record = |id: &str| format!("{}\n", serde_json::json!({"id": id, "text": "<script>去重</script>\n第二行"}));
    let place = Place::new((record("<i>1") + &record("<i>2")).as_bytes());
    fs::rename(place.path("in.jsonl"), place.path("<b>.jsonl")).unwrap();
    fs::write(place.path("in.jsonl"), "").unwrap();
    let run = place.run(&["dedup", "-q", "<b>.jsonl", "in.jsonl", "--time-field", "at", "--report", "page.html"]);
    assert_eq!(run.status.code(), Some(3));
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(
        page.contains("&lt;script&gt;去重&lt;/script&gt;\n第二行") && page.contains("&quot;&lt;i&gt;1&quot;"),
        "{page}"
    );
    assert!(!page.contains("<script>") && !page.contains("<b>.jsonl") && !page.contains("<i>1"));
    assert!(page.contains("2 messages without a time that can be read are not in these charts."));
}

#[test]
fn it_replaces_no_other_file() {
    let place = Place::new(b"{\"text\":\"a\"}\n");
    for args in [["--report", "in.jsonl", "-q"], ["--report=x.html", "--summary=x.html", "-q"]] {
        let told = place.refused(&[&["dedup", "in.jsonl"], &args[..]].concat());
        assert!(told.contains("are the same file"), "{told}");
    }
    assert_eq!(fs::read(place.path("in.jsonl")).unwrap(), b"{\"text\":\"a\"}\n");
    assert!(!place.path("x.html").exists());
}

#[test]
fn a_filter_alone_names_no_message() {
    let place = Place::new(&input(500, 9));
    let page = page(&place, &["-q", "--exact", "bloom", "--near", "none", "--capacity", "1000"]);
    assert!(page.contains("of what a Bloom filter does not know.") && page.contains("predicted error"), "{page}");
    let empty = Place::new(b"");
    empty.succeed(&["dedup", "-q", "in.jsonl", "--report", "page.html"]);
    let page = fs::read_to_string(empty.path("page.html")).unwrap();
    assert!(page.contains("records 0 = kept 0") && !page.contains("NaN"), "{page}");
}
