//! `quchong tune` as a person runs it.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::process::{Command, Output};

use quchong::Config;
use quchong::config::{BloomSize, ExactMode};
use quchong::exact::bloom::Filter;
use quchong::fingerprint::Digest;

fn quchong(arguments: &[&str]) -> Output {
    crate::common::quchong().current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_file_gives_every_report() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let feed = path("微博&.jsonl");
    let mut lines: String = (0..500).map(|i| format!("{{\"m\":{{\"t\":\"第{}条\"}}}}\n", i % 300)).collect();
    lines.push_str("not JSON\n");
    fs::write(&feed, lines).unwrap();
    let reports = [path("r.html"), path("r.svg"), path("r.csv"), path("r.json")];
    let [html, svg, csv, json] = &reports;
    let output = quchong(&[
        "tune",
        "bloom",
        &feed,
        "--field",
        "m.t",
        "--bits",
        "500,1e6",
        "--hashes",
        "2",
        "--capacity",
        "1000",
        "--probes",
        "2000",
        "--html",
        html,
        "--svg",
        svg,
        "--csv",
        csv,
        "--json",
        json,
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("500 texts, 300 distinct, 1 skipped"), "{table}");
    // The recommendation comes first; the other rows are printed only on request.
    let row = "| 1,000 | 18,984 | 2,373 | 2 |";
    assert!(
        table.starts_with("| recommended for | bits |") && table.lines().nth(2).unwrap().starts_with(row),
        "{table}"
    );
    assert!(!table.contains("| 1,000,000 | 2 |") && table.contains("3 settings tried: --all"), "{table}");
    let read = |path: &String| fs::read_to_string(path).unwrap();
    let report: serde_json::Value = serde_json::from_str(&read(json)).unwrap();
    // 504 bits, the recommended size, 10^6 bits.
    let rows = report["rows"].as_array().unwrap();
    let all: Vec<_> =
        rows.iter().map(|row| (row["bits"].as_u64().unwrap(), row["recommended"].as_bool().unwrap())).collect();
    assert_eq!(all, [(504, false), (18_984, true), (1_000_000, false)]);
    // Every full filter is probed with as many posts as --probes says; the recommended filter is probed at the capacity, too.
    let asked = rows.iter().map(|row| &row["measured"]["probes"]);
    let confirmed = &report["recommended"]["confirmed"]["measured"]["probes"];
    assert!(asked.chain([confirmed]).all(|probes| *probes == 2000), "{report}");
    assert!(rows[0]["false_drops"].as_u64() > Some(50) && rows[2]["false_drops"] == 0, "{rows:?}");
    assert_eq!(read(csv).lines().count(), 4);
    assert!(read(html).contains("微博&amp;.jsonl") && read(svg).starts_with("<?xml"));
}

#[test]
fn the_paper_s_filter_is_at_hand() {
    let run = |rule| {
        let arguments =
            ["--generate", "5000", "--bits", "16000", "--hash", "bkdr-ap", "--rule", rule, "--probes", "1000", "--all"];
        let output = quchong(&[&["tune", "bloom"], &arguments[..]].concat());
        assert!(output.status.success(), "{}", said(&output));
        let table = String::from_utf8(output.stdout).unwrap();
        let row = table.lines().find(|line| line.starts_with("| 16,000 |")).unwrap().to_owned();
        row.split('|').nth(4).unwrap().trim().replace(',', "").parse::<u32>().unwrap()
    };
    let (all, any) = (run("all"), run("any"));
    assert!(any > 3 * all && all > 100, "{all} {any}");
}

/// The filter of the table's first row, built again, has the target error rate at its capacity; a filter a tenth smaller errs more often.
#[test]
fn the_recommendation_comes_first_and_meets_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed.txt").display().to_string();
    fs::write(&feed, (0..247).map(|i| format!("第{i}条\n")).collect::<String>()).unwrap();
    let grid = ["--bits", "1000", "--capacity", "30000", "--target-error", "0.02", "--probes", "1000"];
    let output = quchong(&[&["tune", "bloom", &feed], &grid[..]].concat());
    let table = String::from_utf8(output.stdout).unwrap();
    let row: Vec<u64> = table
        .lines()
        .nth(2)
        .unwrap()
        .split('|')
        .map_while(|cell| match cell.trim() {
            "" => Some(0),
            number => number.replace(',', "").parse().ok(),
        })
        .collect();
    let [_, capacity, bits, bytes, hashes] = row[..5].try_into().unwrap();
    assert_eq!((capacity, bits), (30_000, 8 * bytes), "{table}");
    let rate = |bits: u64| {
        let (bloom, exact) = (BloomSize::Bits { bits, hashes: Some(hashes as u32) }, ExactMode::Bloom);
        let mut filter = Filter::new(&Config { exact, bloom, capacity, ..Config::default() }).unwrap();
        let digest = |i: u64| Digest::of(format!("第{i}条").as_bytes(), 1);
        for i in 0..capacity {
            filter.insert(digest(i));
        }
        (capacity..capacity + 200_000).filter(|i| filter.holds(digest(*i))).count() as f64 / 200_000.0
    };
    // The standard deviation is 1.6 % of the rate.
    let (built, smaller) = (rate(bits), rate(bits * 9 / 10));
    assert!(built < 0.02 * 1.06 && built > 0.02 * 0.94 && smaller > 0.02 * 1.2, "{built} {smaller}: {table}");
    // 247 texts say little about 30,000, and a sentence says so; for 5,000 they are a sample.
    let told = "Extrapolated: the input has only 247 distinct texts, and the size is for 30,000; give --capacity";
    assert!(table.contains(told), "{table}");
    let output = quchong(&["tune", "bloom", &feed, "--bits", "1000", "--capacity", "5000", "--probes", "1000"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("Extrapolated"));
}

#[test]
fn a_capacity_below_the_input_is_measured_on_the_input_and_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed.txt").display().to_string();
    fs::write(&feed, (0..2000).map(|i| format!("第{i}条\n")).collect::<String>()).unwrap();
    let run =
        |capacity| quchong(&["tune", "bloom", &feed, "--bits", "1000", "--probes", "1000", "--capacity", capacity]);
    let output = run("1000");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("when it held 1,000 texts of the input and 0 generated posts"), "{told}");
    let warned = "the input already has 2,000 distinct texts, more than --capacity 1,000,";
    assert!(output.status.success() && said(&output).contains(warned), "{}", said(&output));
    assert_eq!(said(&run("2000")), "");
}

#[test]
fn records_that_cannot_be_read_are_named_and_if_they_are_most_the_exit_code_is_3() {
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed.jsonl").display().to_string();
    let run = |every: usize| {
        let line = |i: usize| format!("{{\"text\":{}}}\n", if i.is_multiple_of(every) { "null" } else { "\"一条\"" });
        fs::write(&feed, (1..=100).map(line).collect::<String>()).unwrap();
        quchong(&["tune", "bloom", &feed, "--bits", "1000", "--probes", "1000", "--capacity", "1000"])
    };
    let output = run(50);
    assert!(output.status.success() && !output.stdout.is_empty());
    assert_eq!(said(&output).lines().count(), 2);
    assert!(said(&output).contains("feed.jsonl:50: field `text` is null"), "{}", said(&output));
    fs::write(&feed, "{\"text\":null}\n{\"text\":\"一条\"}\n{\"text\":null}\n").unwrap();
    let output = quchong(&["tune", "bloom", &feed, "--bits", "1000", "--probes", "1000", "--capacity", "1000"]);
    assert!(output.status.code() == Some(3) && !output.stdout.is_empty());
    assert!(said(&output).contains("2 of 3 records could not be read"), "{}", said(&output));
    let output = run(1);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("feed.jsonl:1: field `text` is null"), "{}", said(&output));
}

#[test]
fn what_cannot_work_is_named() {
    let cases: &[(&[&str], &str)] = &[
        (&["Cargo.toml", "--csv", "./Cargo.toml"], "--csv"),
        (&["--bits", "9..2"], "--bits"),
        (&["--hashes", "0"], "--hashes"),
        (&["--hash", "bkdr-ap", "--hashes", "1..8"], "--hashes"),
        (&["--target-error", "2"], "--target-error"),
        (&["--generate", "0"], "--generate"),
        (&["no-such-file"], "no-such-file"),
        (&["Cargo.toml", "--csv", "no-such-folder/r.csv"], "no-such-folder/r.csv"),
        (&["Cargo.toml", "--html", "-"], "--html"),
        (&["Cargo.toml", "--bits", "1000,2000", "--steps", "5"], "--steps"),
        (&["Cargo.toml", "--bits", "10,000"], "commas"),
        (&["Cargo.toml", "--steps", "1000", "--hashes", "1..64"], "64000 settings"),
        (&["Cargo.toml", "--capacity", "1e18"], "too large"),
        (&["--generate", "10", "--field", "text"], "--field"),
        (&["--generate", "10", "--format", "lines"], "--format"),
        // A filter of 125 GB.
        (
            &["Cargo.toml", "--hashes", "1", "--rule", "any", "--capacity", "1e9", "--target-error", "1e-3"],
            "--capacity",
        ),
    ];
    for (arguments, named) in cases {
        let output = quchong(&[&["tune", "bloom"], *arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(named), "{named}: {}", said(&output));
    }
}

/// The paper's experiments are reported beside the paper's own figures; here on as few texts as possible.
#[test]
fn the_paper_s_experiments_stand_beside_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed.txt").display().to_string();
    fs::write(&feed, (0..50_000).map(|i| format!("第{i}条消息\n")).collect::<String>()).unwrap();
    // Too few texts for two of them to share a hash of 32 bits.
    beside_the_paper(&[&feed], "agrees");
}

/// The same on the number of texts that are used without files; `.ci/run` runs this test.
#[test]
#[ignore = "takes a minute"]
fn the_paper_s_experiments_on_a_tenth_of_its_texts() {
    // Of 247,500 texts, 7.9 are expected to be lost.
    beside_the_paper(&[], "differs");
}

fn beside_the_paper(feed: &[&str], exact: &str) {
    let folder = tempfile::tempdir().unwrap();
    let [html, json] = ["p.html", "p.json"].map(|name| folder.path().join(name).display().to_string());
    let output = quchong(&[&["tune", "paper"], feed, &["--html", &html, "--json", &json]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let figures = ["Fig. 3", "Fig. 4", "Fig. 5", "Fig. 6", "text"];
    assert!(figures.iter().all(|figure| rows.iter().any(|row| row["figure"] == *figure)), "{rows:?}");
    let point = rows.iter().find(|row| row["series"] == "rule all" && row["x"] == 160_000.0).unwrap();
    assert_eq!(point["verdict"], "agrees", "{point}");
    // So few texts say nothing about the paper's times.
    let timed = rows.iter().filter(|row| row["unit"] == "× time" && !row["paper"].is_null());
    assert!(timed.clone().count() == 1 && timed.clone().all(|row| row["verdict"] == "needs-full"), "{rows:?}");
    // The milliseconds of 2014 are shown, but no verdict depends on them.
    let of_then =
        rows.iter().filter(|row| !row["paper"].is_null() && ["ms", "ns/text"].contains(&row["unit"].as_str().unwrap()));
    assert!(of_then.clone().count() == 4 && of_then.clone().all(|row| row["verdict"] == "other-machine"), "{rows:?}");
    // The losses of the trie that the paper calls 100 % accurate.
    let found: Vec<_> = rows.iter().filter(|row| row["unit"] == "texts lost").map(|row| row["ours"].as_f64()).collect();
    assert_eq!(found.len(), 5, "{rows:?}");
    let lost = if exact == "agrees" { 0.0..1.0 } else { 1.0..60.0 };
    assert!(found.iter().all(|found| lost.contains(&found.unwrap())), "{found:?}");
    // The report opens with the claims.
    let table = String::from_utf8(output.stdout).unwrap();
    let claims = report["claims"].as_array().unwrap();
    assert!(claims.len() >= 12 && table.find("| figure | claim |") < table.find("## Series"), "{table}");
    let holds = |claim: &str, reading: &str| {
        let found = claims.iter().filter(|row| row["claim"].as_str().unwrap().contains(claim));
        let found = found.filter(|row| row["reading"].as_str().unwrap().starts_with(reading));
        found.map(|row| row["verdict"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(holds("100 % accurate", ""), [exact], "{table}");
    assert_eq!(holds("falls as texts grow", ""), ["agrees"], "{table}");
    assert_eq!([holds("m = 1.6", "rule all"), holds("m = 1.6", "rule any")], [["agrees"], ["differs"]], "{table}");
    assert_eq!(holds("m = 2·10", "rule all"), ["agrees"], "{table}");
    let sizes = rows.iter().filter(|row| row["series"] == "SimHash, all pairs").map(|row| row["x"].as_f64().unwrap());
    assert_eq!(sizes.collect::<Vec<_>>(), [100.0, 500.0, 1000.0, 2000.0]);
    assert_eq!(fs::read_to_string(&html).unwrap().matches("<figure>").count(), 7);
}

#[test]
fn too_few_texts_for_the_paper_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed.txt");
    fs::write(&feed, "一条\n").unwrap();
    let output = quchong(&["tune", "paper", &feed.display().to_string()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("need 50000 distinct texts, these are 1"), "{}", said(&output));
}

/// Two reports with one file name are refused, because only one of them would remain.
#[test]
fn a_file_is_no_two_reports() {
    let folder = tempfile::tempdir().unwrap();
    let same = folder.path().join("same").display().to_string();
    fs::write(&same, "what was there").unwrap();
    for command in [&["bloom", "Cargo.toml"][..], &["paper"]] {
        let output = quchong(&[&["tune"], command, &["--html", &same, "--csv", &same]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("are the same file"), "{}", said(&output));
        assert_eq!(fs::read_to_string(&same).unwrap(), "what was there");
    }
}

#[test]
fn an_evaluation_is_told_where_its_page_cannot_be_written() {
    let run = |html| quchong(&["evaluate", "data/posts.jsonl", "--truth", "edits", "--sample", "20", "--html", html]);
    let output = run("no-such-folder/page.html");
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{}", said(&output));
    if cfg!(target_os = "linux") {
        let output = run("/dev/full");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stdout).contains("## Pairs") && said(&output).contains("/dev/full"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_table_and_the_other_reports_survive_one_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("r.json").display().to_string();
    let arguments = ["--capacity", "1000", "--bits", "8000", "--csv", "/dev/full", "--json", &json];
    let output = quchong(&[&["tune", "bloom", "Cargo.toml"], &arguments[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("/dev/full"), "{}", said(&output));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("| recommended for |"));
    assert!(fs::read_to_string(&json).unwrap().contains("\"capacity\": 1000"));
}

/// A filter that does not fit into memory, 15 GB of 8, is refused with one line and without an abort.
#[test]
#[cfg(target_os = "linux")]
fn a_filter_that_memory_does_not_hold_is_refused() {
    for rule in ["all", "any"] {
        let script = "ulimit -v 8000000; exec \"$0\" tune bloom Cargo.toml --bits 120000000000 --hashes 1 --capacity 1000 --rule $1";
        let output = Command::new("sh")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("QUCHONG_UI", "en")
            .args(["-c", script, env!("CARGO_BIN_EXE_quchong"), rule])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("--bits: ") && said(&output).lines().count() == 1, "{}", said(&output));
    }
}
