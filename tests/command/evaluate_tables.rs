//! Labelled pairs in tables, labels as spreadsheets and converters write them, and pairs without a repeat.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::evaluate::{LONG, counts, evaluate, report, said, text};
use serde_json::json;

fn written(folder: &tempfile::TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    path
}

/// The counts of the exact engine: all pairs, and those with this value of `by`.
fn of_exact(path: &Path, by: &str, value: &str) -> [[u64; 4]; 2] {
    let report = report(path, &["--engine", "exact", "--by", by]);
    [counts(&report, "exact", "pairs", "", ""), counts(&report, "exact", "pairs", value, "")]
}

#[test]
fn tables_are_read_as_dedup_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let csv = format!(
        "\u{feff}label,note.of,b,a,kind\r\n1,甲,{LONG},{LONG},same\r\n0,乙,晚安,早安,other\r\n2,乙,晚安,早安,other\r\n\
         1,乙,\"早,安\n朋友\",\"早,安\n朋友\",same\r\n"
    );
    let expected = [[2, 0, 0, 1], [1, 0, 0, 1]];
    let utf_8 = written(&folder, "x.csv", &csv);
    assert_eq!(of_exact(&utf_8, "note.of", "乙"), expected);
    assert_eq!(of_exact(&utf_8, "2", "乙"), expected, "a column by its number");
    let same = report(&utf_8, &["--engine", "exact"]);
    assert_eq!(counts(&same, "exact", "pairs", "same", ""), [2, 0, 0, 0], "pairs are counted by kind");
    let gbk = encoding_rs::GB18030.encode(csv.trim_start_matches('\u{feff}')).0.into_owned();
    assert_eq!(of_exact(&written(&folder, "gbk.csv", gbk), "note.of", "乙"), expected);
    let tsv = csv.replace("早,安", "早\t安").replace(",", "\t");
    assert_eq!(of_exact(&written(&folder, "x.tsv", tsv), "note.of", "乙"), expected);
}

#[test]
fn labels_are_numbers_truth_values_or_text() {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        (json!(1), json!(0)),
        (json!(1.0), json!(0.0)),
        (json!("1"), json!("0")),
        (json!("1.0"), json!("0.0")),
        (json!(true), json!(false)),
        (json!("true"), json!("false")),
        (json!(" TRUE "), json!("False")),
    ];
    for (yes, no) in all {
        let lines = [json!({"a": LONG, "b": LONG, "label": yes}), json!({"a": "早安", "b": "晚安", "label": no})];
        let jsonl = written(&folder, "x.jsonl", format!("{}\n{}\n", lines[0], lines[1]));
        let csv = written(&folder, "x.csv", format!("a,b,label\n{LONG},{LONG},{yes}\n早安,晚安,{no}\n"));
        for path in [jsonl, csv] {
            let report = report(&path, &["--engine", "exact"]);
            assert_eq!(counts(&report, "exact", "pairs", "", ""), [1, 0, 0, 1], "{yes} {no} {}", path.display());
        }
    }
}

/// Each file has its own columns, and its own format.
#[test]
fn pairs_of_several_kinds_of_file_are_read_together() {
    let folder = tempfile::tempdir().unwrap();
    let first = written(&folder, "x.csv", format!("a,b,label\n{LONG},{LONG},1\n,,\n,,\n"));
    let others = [
        written(&folder, "y.csv", "note,label,b,a\nz,0,早安,晚安\n"),
        written(&folder, "z.tsv", "a\tb\tlabel\n早安\t晚安\t0\n"),
        written(&folder, "z.jsonl", format!("{}\n", json!({"a": LONG, "b": LONG, "label": 1}))),
    ];
    let others = others.each_ref().map(|path| path.to_str().unwrap());
    let report = report(&first, &[&["--engine", "exact"][..], &others].concat());
    assert_eq!(counts(&report, "exact", "pairs", "", ""), [2, 0, 0, 2]);
}

#[test]
fn what_is_wrong_with_a_table_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, told) in [
        ("x.csv", "a,b\n早安,晚安\n", "x.csv: no column `label`, but a, b; the first row of pairs names the columns"),
        ("x.tsv", "早安\t晚安\t0\n早\t晚\t0\n", "x.tsv: no column `a`, but 早安, 晚安, 0; the first row"),
        ("x.csv", "a;b;label\n早安;晚安;0\n", "semicolons separate its columns"),
        ("x.csv", "a,b,label,label\n早安,晚安,0,1\n", "x.csv: columns 3 and 4 are both called `label`"),
        ("x.csv", "a,b,label\n早安,晚安,0\n早安,晚安,yes\n", "x.csv:3: field `label` is \"yes\"; write 1 or true"),
        ("x.csv", "a,b,label\n早安,晚安,\n", "x.csv:2: field `label` is \"\"; write 1"),
        ("x.csv", "a,b,label\n早安\n", "x.csv:2: no field `b`"),
        ("x.csv", "a,b,label\n早安,晚安,好,0\n", "x.csv:2: the row has 4 fields, and the header 3"),
        ("pairs", "a,b,label\n早安,晚安,0\n", "pairs:1: neither JSON nor a table; write a JSON object a line, {\"a\":"),
        ("x.jsonl", "{\"a\":\"早\",\"b\":\"晚\",\"label\":null}\n", "x.jsonl:1: field `label` is null; write 1"),
    ] {
        let output = evaluate(&written(&folder, name, content), &[]);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(said(&output).contains(told) && said(&output).lines().count() == 1, "{told}: {}", said(&output));
    }
}

#[test]
fn pairs_without_a_repeat_recommend_no_threshold() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, "x.csv", format!("a,b,label\n{LONG},早安,0\n早安,晚安,0\n"));
    let arguments = ["--engine", "default", "--sweep", "similarity=0.6..0.62"];
    let told = text(&path, &arguments);
    assert!(told.contains("None of the pairs is a repeat, so no threshold is better than another"), "{told}");
    assert!(!told.contains("best F1"), "{told}");
    let sweep = report(&path, &arguments)["sweep"].clone();
    assert!(sweep.as_array().unwrap().iter().all(|point| point["best"] == false), "{sweep}");
}
