//! `quchong explain --file` finds a record that is there, and reports a choice among several.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::quchong;

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
