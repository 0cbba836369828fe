//! `quchong evaluate` as a person runs it.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{quchong, shared};
use quchong::methods::CATALOGUE;
use serde_json::{Value, json};

pub fn evaluate(file: &Path, arguments: &[&str]) -> Output {
    quchong().arg("evaluate").arg(file).args(arguments).output().unwrap()
}

/// The path of a file of the project's own texts.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn text(file: &Path, arguments: &[&str]) -> String {
    let output = evaluate(file, arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

pub fn report(file: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&text(file, &[arguments, &["--format", "json"]].concat())).unwrap()
}

/// The true positives, false positives, false negatives and true negatives of an engine in the slice with these values.
pub fn counts(report: &Value, engine: &str, of: &str, value: &str, length: &str) -> [u64; 4] {
    let rows = report["engines"].as_array().unwrap();
    let row = rows.iter().find(|row| row["engine"] == engine).unwrap_or_else(|| panic!("no {engine}"));
    let is_wanted = |slice: &&Value| slice["of"] == of && slice["value"] == value && slice["length"] == length;
    let mut slices = row["slices"].as_array().unwrap().iter().filter(is_wanted);
    let slice = slices.next().unwrap_or_else(|| panic!("{engine} has no {of} {value} {length}"));
    assert!(slices.next().is_none());
    ["tp", "fp", "fn", "tn"].map(|name| slice[name].as_u64().unwrap())
}

pub fn file(folder: &tempfile::TempDir, name: &str, lines: &[Value]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    path
}

pub const LONG: &str =
    "今天下午的会议改到明天上午十点，地点不变，请大家提前准备好上周的材料，带上各自的电脑，不能到场的同事请在群里说明";

fn pairs(folder: &tempfile::TempDir) -> PathBuf {
    file(
        folder,
        "微博|.jsonl",
        &[
            json!({"a": LONG, "b": LONG, "label": 1, "kind": "same", "who": "x"}),
            json!({"a": LONG, "b": format!("转发微博//@小王:{LONG}"), "label": 1, "kind": "wrap|per", "who": "y"}),
            json!({"a": "早安", "b": "晚安，好梦", "label": 1, "kind": "other", "who": "y"}),
            json!({"a": LONG, "b": "早安", "label": 0, "who": "x"}),
            json!({"a": "早安", "b": "早安！", "label": 0, "kind": "other", "who": "x"}),
            json!({"a": "", "b": "", "label": 2, "who": "x"}),
        ],
    )
}

#[test]
fn labelled_pairs_are_counted_by_kind_and_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = pairs(&folder);
    let report = report(&path, &["--by", "who"]);
    assert!(
        report["source"].as_str().unwrap().ends_with("5 labelled pairs; repeats 3, others 2; undecided, left out: 1.")
    );
    for (engine, all, long, kind, who) in [
        ("simhash-word2", [2, 1, 1, 1], [2, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0]),
        ("simhash-char2", [2, 1, 1, 1], [2, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0]),
        ("exact", [1, 0, 2, 2], [1, 0, 1, 0], [0, 0, 1, 0], [0, 0, 2, 0]),
    ] {
        assert_eq!(counts(&report, engine, "pairs", "", ""), all, "{engine}");
        assert_eq!(counts(&report, engine, "pairs", "", "41-80"), long, "{engine}");
        assert_eq!(counts(&report, engine, "pairs", "wrap|per", ""), kind, "{engine}");
        assert_eq!(counts(&report, engine, "pairs", "wrap|per", "41-80"), kind, "{engine}");
        assert_eq!(counts(&report, engine, "pairs", "y", ""), who, "{engine}");
    }
    let short = self::report(&path, &["--length", "..10", "--engine", "simhash-word2"]);
    assert_eq!(counts(&short, "simhash-word2", "pairs", "", ""), [0, 1, 1, 1]);
    assert_eq!(short["engines"].as_array().unwrap().len(), 1);
}

#[test]
fn options_are_measured_as_an_engine() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = ("下周三的部门例会改到上午十点，请大家准时参加", "下周三的部门例会改到上午九点，请大家准时参加");
    let path = file(&folder, "x.jsonl", &[json!({"a": a, "b": b, "label": 0}), json!({"a": a, "b": a, "label": 1})]);
    let args = ["--engine", "default", "--engine", "--guard off", "--engine=--near none"];
    let measured = report(&path, &args);
    let of = |engine: &str| counts(&measured, engine, "pairs", "", "");
    assert_eq!([of("default"), of("--guard off"), of("--near none")], [[1, 0, 0, 1], [1, 1, 0, 0], [1, 0, 0, 1]]);
    assert!(text(&path, &args).contains("| --guard off |  |"));
    assert!(
        text(&path, &[&args[..], &["--format=csv"]].concat())
            .contains("pairs,\"--guard off\",,,,\"--guard off\",1,1,0,0")
    );
    for (wrong, named) in [("--guard", "lacks its value"), ("--dropped x", "`--dropped`"), ("-x", "`-x`")] {
        let output = evaluate(&path, &["--engine", wrong]);
        assert!(output.status.code() == Some(2) && said(&output).contains(named), "{wrong}: {}", said(&output));
    }
}

#[test]
fn every_form_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = pairs(&folder);
    let html = folder.path().join("r.html");
    let arguments = ["--sweep", "distance=0..12", "--html", html.to_str().unwrap()];
    let markdown = text(&path, &arguments);
    assert!(
        markdown.contains("| simhash-word2 | --preset simhash | 0.667 | 0.667 | 0.667 | 0.60000 | 3 | 2 | 1 | 1 | 1 |"),
        "{markdown}"
    );
    assert!(markdown.contains("| wrap\\|per | 1 | 0 | 100.0 % |"), "{markdown}");
    let csv = text(&path, &[&arguments[..], &["--format", "csv"]].concat());
    assert!(csv.lines().all(|line| line.split(',').count() == 14), "{csv}");
    assert!(csv.contains("pairs,simhash-word2,\"kind\",\"wrap|per\",,\"--preset simhash\",1,0,0,0,1,1,1,1\n"), "{csv}");
    let report = report(&path, &arguments);
    let sweep = report["sweep"].as_array().unwrap();
    assert_eq!(sweep.len(), 5 * 13);
    // At its own threshold, an engine has the counts of the report without a sweep.
    for engine in ["simhash-word2", "simhash-char3"] {
        let own = sweep.iter().find(|row| row["engine"] == engine && row["option"] == "--max-distance 4").unwrap();
        let own = ["tp", "fp", "fn", "tn"].map(|name| own[name].as_u64().unwrap());
        assert_eq!(own, counts(&report, engine, "pairs", "", ""));
        let best = |row: &&Value| row["engine"] == engine && row["best"] == true;
        assert_eq!(sweep.iter().filter(best).count(), 1);
    }
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.matches("<figure>").count() == 2 && page.contains("微博|.jsonl"), "{page}");
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"), "a page needs nothing but itself");
}

#[test]
fn a_threshold_of_a_sweep_counts_what_the_engine_with_that_option_counts() {
    let path = data("facts.jsonl");
    for (engine, sweep, options) in [
        ("minhash", "similarity=0.50..0.92", ["--similarity 0.50", "--similarity 0.71", "--similarity 0.92"]),
        ("default", "similarity=0.40..0.90", ["--similarity 0.40", "--similarity 0.62", "--similarity 0.90"]),
        ("simhash-char2", "distance=0..12", ["--max-distance 0", "--max-distance 4", "--max-distance 12"]),
    ] {
        let near = match engine {
            "minhash" => "--near minhash ",
            "default" => "",
            _ => "--near simhash ",
        };
        let with_options = options.map(|option| format!("{near}{option}"));
        let arguments: Vec<&str> = with_options.iter().flat_map(|options| ["--engine", options]).collect();
        let swept = report(&path, &["--engine", engine, "--sweep", sweep]);
        let measured = report(&path, &arguments);
        for (option, with_options) in options.iter().zip(&with_options) {
            let row = swept["sweep"].as_array().unwrap().iter().find(|row| row["option"] == *option).unwrap();
            let row = ["tp", "fp", "fn", "tn"].map(|name| row[name].as_u64().unwrap());
            assert_eq!(row, counts(&measured, with_options, "pairs", "", ""), "{with_options}");
        }
    }
}

#[test]
fn the_recommended_threshold_is_the_best_and_the_loosest_precise_one() {
    // Half of our own pairs are decoys, so no threshold is as precise on them as on posts.
    recommends_the_best_and_the_loosest_precise_one(&data("facts.jsonl"), "0.7");
    if let Some(path) = shared("weibo-dev-pairs.jsonl") {
        recommends_the_best_and_the_loosest_precise_one(&path, "0.97");
    }
}

fn recommends_the_best_and_the_loosest_precise_one(path: &Path, least: &str) {
    let report =
        report(path, &["--engine", "simhash-char2", "--sweep", "similarity=0.60..1", "--min-precision", least]);
    let least: f64 = least.parse().unwrap();
    let sweep = report["sweep"].as_array().unwrap();
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    // Distances 0 to 12: looser ones cannot be set, and all thresholds between two distances are the same one.
    let options: Vec<_> = sweep.iter().map(|row| row["option"].as_str().unwrap().to_owned()).collect();
    assert_eq!(options, (0..=12).map(|distance| format!("--max-distance {distance}")).collect::<Vec<_>>());
    let f1 = sweep.iter().map(|row| number(row, "f1")).fold(0.0, f64::max);
    let best = sweep.iter().find(|row| row["best"] == true).unwrap();
    assert_eq!(number(best, "f1"), f1);
    let precise = sweep.iter().rposition(|row| row["precise"] == true).unwrap();
    assert!(number(&sweep[precise], "precision") >= least);
    assert!(sweep[precise + 1..].iter().all(|row| number(row, "precision") < least));
}

#[test]
fn every_pair_is_in_a_table_and_values_are_compared_as_by_scope() {
    let folder = tempfile::tempdir().unwrap();
    let pair = |kind: Value| json!({"a": "你好", "b": "再见", "label": 0, "kind": kind});
    let rows = [
        pair(json!("k")),
        pair(json!(true)),
        pair(json!(7)),
        pair(json!("7")),
        json!({"a": "一", "b": "二", "label": 0}),
    ];
    let path = file(&folder, "kinds.jsonl", &rows);
    for by in [&[][..], &["--by", "kind"]] {
        let report = report(&path, &[&["--engine", "exact"], by].concat());
        let of = |kind| counts(&report, "exact", "pairs", kind, "");
        assert_eq!(["k", "true", "7", "–"].map(of), [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 1]]);
    }
    let texts = ["一", "二", "三", "四"].map(|n| format!("今天是第{n}条消息"));
    let values = [json!(7), json!(7.0), json!("7"), json!(true)];
    let rows: Vec<Value> = texts.iter().zip(values).map(|(text, c)| json!({"text": text, "c": c})).collect();
    let path = file(&folder, "clusters.jsonl", &rows);
    let report = report(&path, &["--truth", "cluster:c", "--engine", "exact"]);
    assert!(report["source"].as_str().unwrap().contains("4 messages in 2 clusters"), "{}", report["source"]);
}

#[test]
fn the_paper_s_rule_on_our_own_pairs() {
    let report = report(&data("facts.jsonl"), &["--by", "part", "--engine", "simhash-word2"]);
    let parts = ["open", "blind"].map(|part| counts(&report, "simhash-word2", "pairs", part, ""));
    assert_eq!(parts, [[565, 61, 853, 1369], [56, 14, 73, 187]]);
}

#[test]
fn the_paper_s_rule_on_real_pairs() {
    for (name, expected) in [("weibo-dev-pairs.jsonl", [75, 0, 91, 252]), ("mixed-dev-pairs.jsonl", [11, 3, 123, 191])]
    {
        let Some(path) = shared(name) else { continue };
        assert_eq!(counts(&report(&path, &["--engine", "simhash-word2"]), "simhash-word2", "pairs", "", ""), expected);
    }
}

/// Each of several thresholds gives a report; messages of too few words are left out; lengths are counted in words.
#[test]
fn kosinov_s_thresholds_words_and_bands() {
    let folder = tempfile::tempdir().unwrap();
    let long: Vec<String> = (0..60).map(|i| format!("word{i}")).collect();
    let near = [&long[..55], &vec!["other".to_owned(); 5]].concat();
    let texts = ["two words".to_owned(), long.join(" "), near.join(" "), "two words".to_owned(), long.join(" ")];
    let path = file(&folder, "words.jsonl", &texts.map(|text| json!({ "text": text })));
    let pairs = folder.path().join("pairs.jsonl");
    let args = ["--truth", "levenshtein:0.85,1.00", "--truth-on", "raw", "--least-words", "20", "--length-in", "words"];
    let more = ["--engine", "A0", "--engine", "K3-sentences", "--pairs", pairs.to_str().unwrap()];
    let reports = report(&path, &[&args[..], &more].concat());
    let of = |at: usize| counts(&reports[at], "A0", "pairs", "", "");
    // Of the three long texts, all pairs are alike at 0.85 and one pair is equal.
    assert_eq!([of(0), of(1)], [[1, 0, 2, 0], [1, 0, 0, 2]], "{reports}");
    let bands = reports[0]["engines"][0]["slices"].as_array().unwrap();
    assert!(bands.iter().any(|slice| slice["length"] == "51-500") && reports[0]["length_in"] == "words", "{reports}");
    assert_eq!(reports[0]["pool"]["candidates"], 3);
    assert_eq!(
        (reports[1]["pool"]["verified"].as_u64(), reports[1]["pool"]["methods"][1]["alone"].as_u64()),
        (Some(1), Some(2))
    );
    let lines = fs::read_to_string(&pairs).unwrap();
    // Messages keep their numbers from the input.
    assert!(lines.contains("{\"a\":2,\"b\":5,\"true\":true,\"methods\":[\"A0\",\"K3-sentences\"]}"), "{lines}");
    assert_eq!(lines.lines().count(), 3);
    let refused =
        quchong().arg("evaluate").arg(&path).args(["--truth", "edits", "--least-words", "20"]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("--least-words: does nothing without a truth by similarity")
    );
}

/// Generated posts, each with the cluster of the post that it is made from.
pub fn clustered(folder: &tempfile::TempDir, lines: &str) -> PathBuf {
    let output = quchong().args(["generate", "--seed", "4", "--lines", lines]).output().unwrap();
    let posts = String::from_utf8(output.stdout).unwrap();
    let posts: Vec<Value> = posts
        .lines()
        .map(|line| {
            let post: Value = serde_json::from_str(line).unwrap();
            let of = if post["of"].is_null() { &post["id"] } else { &post["of"] };
            json!({"m": {"t": post["text"], "c": of}, "of": post["of"]})
        })
        .collect();
    file(folder, "posts.jsonl", &posts)
}

/// Long texts are compared in reasonable time; comparing one long text once took minutes.
#[test]
fn long_texts_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.txt");
    // More characters than 16 bits can count.
    let words = |first: u64| (first..first + 7_500).map(|word| format!("слово{word} ")).collect::<String>();
    fs::write(&path, format!("{}\n{}\nкоротко\n", words(0), words(500))).unwrap();
    let found = report(&path, &["--truth", "pooled:0.5", "--engine", "a11"]);
    assert_eq!(counts(&found, "A11", "pairs", "", ""), [1, 0, 0, 2]);
}

#[test]
fn methods_are_rows_beside_engines() {
    let folder = tempfile::tempdir().unwrap();
    let path = pairs(&folder);
    let html = folder.path().join("r.html");
    let output = evaluate(
        &path,
        &["--engine", "catalogue", "--engine", "exact", "--format", "json", "--html", html.to_str().unwrap()],
    );
    assert!(said(&output).contains("signing, µs per message: A0 "), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["engines"].as_array().unwrap().len(), 1 + CATALOGUE.len());
    for value in ["", "wrap|per"] {
        assert_eq!(counts(&report, "A0", "pairs", value, ""), counts(&report, "exact", "pairs", value, ""), "{value}");
    }
    assert_eq!(counts(&report, "quchong-weibo", "pairs", "wrap|per", "41-80"), [1, 0, 0, 0]);
    // Of five pairs MD5 finds one; the default finds the same one and two more.
    let agreement = &report["agreement"];
    let place = |id: &str| CATALOGUE.iter().position(|method| method.id == id).unwrap();
    assert_eq!(agreement["pairs"], 5);
    assert_eq!(agreement["dice"][place("A0")][place("quchong-weibo")], 2.0 / 4.0);
    let page = fs::read_to_string(&html).unwrap();
    assert_eq!(page.matches("class=\"chart heat\"").count(), 2);
    assert_eq!(page.matches("<rect ").count(), 2 * CATALOGUE.len() * CATALOGUE.len());
}

#[test]
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = clustered(&folder, "100");
    for truth in ["cluster:m.c", "indel:0.8", "edits"] {
        let engines = ["--engine", "default", "--engine", "exact", "--engine", "simhash-char2"];
        let arguments = [&["--truth", truth, "--field", "m.t", "--format", "json"], &engines[..]].concat();
        let on = |threads| text(&path, &[&arguments[..], &["-j", threads]].concat());
        assert_eq!(on("1"), on("3"), "{truth}");
    }
    let on = |threads| {
        text(&path, &["--truth", "levenshtein:0.8", "--field", "m.t", "--engine", "catalogue", "-j", threads])
    };
    assert_eq!(on("1"), on("3"));
}

#[test]
fn what_cannot_be_measured_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    let pair = r#"{"a":"一","b":"二","label":0}"#;
    let cases: [(String, &[&str], &str); 24] = [
        (format!("{pair}\n{{\"a\":\"一\",\"label\":1}}"), &[], "x.jsonl:2: no field `b`"),
        (format!("\n{pair}\n{{\"a\":1,\"b\":\"\",\"label\":1}}"), &[], "x.jsonl:3: field `a` is not a string"),
        (format!("{pair}\n{{\"a\":\"\",\"b\":\"\",\"label\":3}}"), &[], "x.jsonl:2: field `label`"),
        (format!("{pair}\nnot JSON"), &[], "x.jsonl:2: not a JSON object"),
        ("{\"text\":null}".to_owned(), &["--truth", "edits"], "correct this one, or leave it out"),
        (pair.to_owned(), &["--by", "who"], "--by: no record has a field `who`"),
        (pair.to_owned(), &["--truth", "edits"], "x.jsonl:1: no field `text`, but a, b, label (--field names another)"),
        (r#"{"text":"一"}"#.to_owned(), &[], "x.jsonl:1: no pair with the fields"),
        (r#"{"text":"一"}"#.to_owned(), &["--truth", "cluster:c"], "x.jsonl:1: no field `c`"),
        (r#"{"text":"一","c":[]}"#.to_owned(), &["--truth", "cluster:c"], "x.jsonl:1: no field `c`"),
        (r#"{"text":"一"}"#.to_owned(), &["--truth", "edits", "--by", "c"], "--by: no record has a field `c`"),
        (
            r#"{"text":"一","c":{}}"#.to_owned(),
            &["--truth", "indel:0.8", "--by", "c"],
            "--by: no record has a field `c`",
        ),
        (r#"{"a":"一","b":"二","label":0,"who":[]}"#.to_owned(), &["--by", "who"], "--by: no record has a field `who`"),
        (pair.to_owned(), &["--length", "5000.."], "--length: of 1 pair, none has"),
        (String::new(), &["--truth", "edits", "--by", "c", "--whole-files"], "--by: whole files have no fields"),
        (String::new(), &[], "holds no decided pair"),
        (String::new(), &["--truth", "indel:0.8"], "no message in it"),
        (pair.to_owned(), &["--truth", "indel:1.5"], "--truth: a similarity of 1.5"),
        (pair.to_owned(), &["--lang", "zh"], "--lang: only methods"),
        (pair.to_owned(), &["--normalise", "all"], "--normalise: only methods"),
        (pair.to_owned(), &["--whole-files"], "--whole-files: files have no labels"),
        (pair.to_owned(), &["--engine", "exact", "--sweep", "distance=0..3"], "--sweep"),
        (pair.to_owned(), &["--min-precision", "2"], "--min-precision"),
        (pair.to_owned(), &["--html", path.to_str().unwrap()], "are the same file"),
    ];
    for (content, arguments, named) in cases {
        fs::write(&path, content).unwrap();
        let output = evaluate(&path, arguments);
        assert_eq!(output.status.code(), Some(2), "{named}");
        assert!(said(&output).contains(named) && said(&output).lines().count() == 1, "{named}: {}", said(&output));
    }
}
