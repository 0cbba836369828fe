//! `quchong explain --file` finds a record that is there, and reports a choice among several.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::quchong;
use crate::explain::{explain, run};
use serde_json::Value;

/// The exit code of `explain --file` over this content, and what it says.
fn said(name: &str, content: &[u8], ids: [&str; 2]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    let output = quchong().current_dir(&folder).args(["explain", "--file", name]).args(ids).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_record_that_cannot_be_judged_is_found_by_its_id() {
    let first = &b"{\"id\":\"a\",\"text\":\"x\"}\n"[..];
    for (second, reason) in [
        (&b"{\"id\":\"z\",\"text\":null}\n"[..], "f.jsonl:2: field `text` is null"),
        (b"{\"text\":5,\"id\":\"z\"}\n", "f.jsonl:2: field `text` is not a string"),
        (b"{\"id\":\"z\",\"text\":\"cut\n", "f.jsonl:2: not JSON: EOF"),
        (b"{\"id\":\"z\",\"text\":\"\xff\"}\n", "f.jsonl:2: not UTF-8"),
        (b"{\"text\":\"cut, \"id\":\"z\"}\n", "no record that can be judged has the id z (--id-field"),
        (b"{\"text\":\"cut, \"id\":\"z\"}\n", "the first that cannot: f.jsonl:2: not JSON"),
    ] {
        let (code, said) = said("f.jsonl", &[first, second].concat(), ["a", "z"]);
        assert!(code == Some(2) && said.contains(reason), "{said}");
    }
    let (code, said) = said("f.csv", b"id,text\na,x\nz\n", ["a", "z"]);
    assert!(code == Some(2) && said.contains("f.csv:3: the row has 1 field, and column `text`"), "{said}");
}

#[test]
fn a_choice_among_records_with_one_id_is_told() {
    let line = |id: u32, text: &str| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
    let twice = [line(1, "x"), line(2, "y"), line(1, "z")].concat();
    let (code, told) = said("f.jsonl", twice.as_bytes(), ["1", "2"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("f.jsonl: 1 names 2 records, in lines 1, 3; the first one counts"), "{told}");
    let (_, told) = said("f.jsonl", twice.as_bytes(), ["1", "1"]);
    assert_eq!(told, "");
    let often = line(1, "x").repeat(7);
    let (_, told) = said("f.jsonl", often.as_bytes(), ["1", "1"]);
    assert!(told.contains("1 names 7 records, in lines 1, 2, 3, 4, 5, …; the first two are compared"), "{told}");
    // An id may be the line number of a record without an id.
    let (_, told) = said("f.jsonl", (line(2, "x") + "{\"text\":\"y\"}\n" + &line(3, "z")).as_bytes(), ["2", "3"]);
    assert!(told.contains("2 names 2 records, in lines 1, 2; the first one counts"), "{told}");
}

#[test]
fn records_are_found_by_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let jsonl = folder.path().join("posts.jsonl");
    let lines = "{\"id\":\"a-1\",\"text\":\"今天天气真好\"}\n{\"id\":7,\"text\":\"明天见\"}\nnot JSON\n{\"text\":\"今天天气真好啊\"}\n{\"id\":\"a-1\",\"text\":\"今天天气真差\"}\n";
    fs::write(&jsonl, lines).unwrap();
    let file = jsonl.to_str().unwrap();
    let bodies = |ids: [&str; 2]| {
        let shown = explain(&["--file", file, ids[0], ids[1]]);
        [shown["a"]["body"].clone(), shown["b"]["body"].clone()]
    };
    assert_eq!(bodies(["a-1", "7"]), ["今天天气真好", "明天见"]);
    assert_eq!(bodies(["a-1", "4"]), ["今天天气真好", "今天天气真好啊"]);
    assert_eq!(bodies(["a-1", "a-1"]), ["今天天气真好", "今天天气真差"]);
    let fails = |ids: [&str; 2], reason: &str| {
        let output = run(&["--file", file, ids[0], ids[1]]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(reason), "{said}");
    };
    fails(["a-1", "8"], "no record that can be judged has the id 8 (--id-field");
    fails(["a-1", "3"], ":3: not JSON");
    fails(["7", "7"], "only one record has the id 7");
    let swapped = run(&["--file", file, "4", "a-1"]);
    assert!(String::from_utf8(swapped.stderr).unwrap().contains("B stands before A"));

    // Fields are joined, and scopes kept apart, as in a run.
    let parted = folder.path().join("parts.jsonl");
    let lines = [
        "{\"id\":1,\"title\":\"通知\",\"text\":\"明天停水\",\"by\":\"甲\",\"day\":3}",
        "{\"id\":2,\"title\":null,\"text\":\"明天停水\",\"by\":\"甲\",\"day\":3.0}",
        "{\"id\":3,\"title\":\"通知\",\"text\":\"明天停水\",\"by\":\"乙\"}",
    ];
    fs::write(&parted, lines.join("\n")).unwrap();
    let ask = |ids: [&str; 2], more: &[&str]| {
        run(&[&["--file", parted.to_str().unwrap(), "--field", "title,text"], more, &ids[..]].concat())
    };
    let shown: Value = serde_json::from_slice(&ask(["1", "2"], &["--format", "json"]).stdout).unwrap();
    assert_eq!([&shown["a"]["canonical"], &shown["b"]["canonical"]], ["通知 明天停水", "明天停水"]);
    let shown = ask(["1", "3"], &[]).stdout;
    assert!(String::from_utf8(shown).unwrap().contains("B is dropped, exact repeat"));
    assert!(ask(["1", "2"], &["--scope", "by,day"]).status.success());
    let output = ask(["1", "3"], &["--scope", "by,day"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--scope: A has `甲`, `3`, and B has `乙`, (none), so that neither can repeat"), "{said}");
    let said = String::from_utf8(ask(["1", "3"], &["--scope", "nowhere"]).stderr).unwrap();
    assert!(said.contains("--scope nowhere: neither record has such a field"), "{said}");
    let said = String::from_utf8(run(&["--scope", "by", "a", "b"]).stderr).unwrap();
    assert!(said.contains("--scope: does nothing without --file"), "{said}");

    let plain = folder.path().join("posts.txt");
    fs::write(&plain, "今天天气真好\n\n明天见\n").unwrap();
    assert_eq!(explain(&["--file", plain.to_str().unwrap(), "1", "3"])["b"]["body"], "明天见");
    assert_eq!(run(&["--file", plain.to_str().unwrap(), "1", "3"]).stderr, b"");

    // A user who gave ids learns that they were taken for line numbers.
    let nameless = folder.path().join("nameless.jsonl");
    fs::write(&nameless, "{\"text\":\"今天天气真好\"}\n{\"text\":\"明天见\"}\n").unwrap();
    let said = String::from_utf8(run(&["--file", nameless.to_str().unwrap(), "1", "2"]).stderr).unwrap();
    assert!(said.contains("what was given are line numbers") && said.lines().count() == 1, "{said}");
    let wrong = run(&["--file", nameless.to_str().unwrap(), "--field", "txt", "a", "b"]);
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(said.contains("no record has a message in the field `txt`"), "{said}");

    let table = folder.path().join("bare.csv");
    fs::write(&table, "a1,今天天气真好\na2,明天见\n").unwrap();
    let bare = ["--file", table.to_str().unwrap(), "--no-header", "--field", "2", "--id-field", "1", "a1", "a2"];
    assert_eq!(explain(&bare)["a"]["body"], "今天天气真好");
}
