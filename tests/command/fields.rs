//! `--field title,text`: several fields make one message.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::place::{Place, input};
use serde_json::{Value, json};

/// Posts cut into a title and a text, some without a title; and the same posts with both in one text.
fn parted(lines: &[u8]) -> (String, String) {
    let (mut parted, mut joined) = (String::new(), String::new());
    for (at, line) in String::from_utf8_lossy(lines).lines().enumerate() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let text = record["text"].as_str().unwrap().to_owned();
        let cut = text.char_indices().nth(at % 9).map_or(text.len(), |(cut, _)| cut);
        let (title, rest) = text.split_at(cut);
        record["text"] = format!("{title}\n{rest}").into();
        if at % 9 == 0 {
            record["text"] = rest.into();
        }
        joined += &format!("{record}\n");
        record["a"] = json!({"title": if at % 9 == 0 { Value::Null } else { title.into() }});
        record["text"] = rest.into();
        parted += &format!("{record}\n");
    }
    (parted, joined)
}

/// Commands that measure read several fields as one message, as their help says. They once looked for one field with this long name.
#[test]
fn commands_that_measure_read_them_as_one_message() {
    let (parted, joined) = parted(&input(300, 4));
    let place = Place::new(joined.as_bytes());
    fs::write(place.path("parts.jsonl"), parted).unwrap();
    for command in [
        &["sign", "--method", "A0"][..],
        &["evaluate", "--truth", "edits", "--sample", "50", "--engine", "simhash"],
        &["tune", "bloom", "--capacity", "100", "--bits", "1e3"],
        &["reproduce", "--no-ablations", "--replicates", "5", "--sample", "60", "--format", "json"],
    ] {
        let told = |args: &[&str]| {
            let told = String::from_utf8(place.succeed(&[command, args].concat())).unwrap();
            told.replace("parts.jsonl", "in.jsonl")
        };
        let (of_parts, of_one) = (told(&["parts.jsonl", "--field", "a.title,text"]), told(&["in.jsonl"]));
        assert_eq!(of_parts, of_one, "{command:?}");
    }
}

#[test]
fn parts_are_judged_as_one_text_with_line_ends() {
    let (parted, joined) = parted(&input(1200, 4));
    let place = Place::new(joined.as_bytes());
    fs::write(place.path("parts.jsonl"), parted).unwrap();
    let told = |args: &[&str]| -> Vec<Value> {
        let told = place.succeed(&[&["dedup", "-q", "--output", "annotated"], args].concat());
        let told = String::from_utf8(told).unwrap();
        told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["quchong"].take()).collect()
    };
    for engine in [&[][..], &["--near", "simhash"], &["--exact-on", "raw"]] {
        let expected = told(&[&["in.jsonl"], engine].concat());
        assert!(expected.iter().filter(|note| note["verdict"] != "kept").count() > 100);
        for fields in ["a.title,text", "/a/title,/text"] {
            assert_eq!(told(&[&["parts.jsonl", "--field", fields], engine].concat()), expected, "{fields} {engine:?}");
        }
    }
    let clusters = |args: &[&str]| place.succeed(&[&["clusters", "-q"], args].concat());
    assert_eq!(clusters(&["parts.jsonl", "--field", "a.title,text"]), clusters(&["in.jsonl"]));
}

#[test]
fn messages_that_lack_a_part_are_counted() {
    let place = Place::new(
        "{\"title\":\"甲\",\"text\":null}\n{\"title\":\"甲\",\"text\":\"\"}\n{\"title\":\"乙\",\"text\":\"你好\"}\n"
            .as_bytes(),
    );
    fs::write(place.path("a.csv"), "title,text\n甲,你好\n甲,\n,你好\n").unwrap();
    for input in ["in.jsonl", "a.csv"] {
        let told = place.run(&["dedup", input, "--field", "title,text", "--summary", "sums.json"]).stderr;
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains("field: 2 of 3 messages lacked a part, and were compared by the rest"), "{told}");
        let sums: Value = serde_json::from_slice(&fs::read(place.path("sums.json")).unwrap()).unwrap();
        assert_eq!(sums["partial"], 2, "{input}");
    }
    let told = place.run(&["dedup", "in.jsonl", "--field", "title"]).stderr;
    assert!(!String::from_utf8(told).unwrap().contains("lacked a part"));
}

#[test]
fn a_part_that_is_not_there_is_an_error() {
    let place = Place::new(
        "{\"title\":\"甲\",\"text\":\"你好\"}\n{\"text\":\"你好\"}\n{\"title\":7,\"text\":\"你好\"}\n".as_bytes(),
    );
    for (line, reason) in [(2, "no field `title`"), (3, "field `title` is not a string")] {
        let told = place.run(&["dedup", "in.jsonl", "--field", "title,text"]).stderr;
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains(&format!("in.jsonl:{line}: {reason}")), "{told}");
    }
    fs::write(place.path("a.csv"), "id,title,text\n1,甲,你好\n2,乙,你好\n3,甲,你好\n").unwrap();
    let kept = place.succeed(&["dedup", "-q", "a.csv", "--field", "title,text", "--near", "none"]);
    assert_eq!(String::from_utf8(kept).unwrap(), "id,title,text\n1,甲,你好\n2,乙,你好\n");
    assert_eq!(place.succeed(&["dedup", "-q", "a.csv", "--field", "2,3", "--near", "none"]).len(), 40);
    let told = place.refused(&["dedup", "-q", "a.csv", "--field", "title,body"]);
    assert!(told.contains("no column `body`, but id, title, text"), "{told}");
    let told = place.refused(&["dedup", "-q", "in.jsonl", "--field", "a,b,c,d,e,f,g,h,i"]);
    assert!(told.contains("name at most 8"), "{told}");
}

#[test]
fn of_two_columns_with_one_name_none_is_taken_silently() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text,text\n1,a,b\n2,a,c\n").unwrap();
    let run = |args: &[&str]| {
        let output = crate::common::quchong().current_dir(&folder).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let told = "a.csv: columns 2 and 3 are both called `text`; name one by its number, such as --field 2";
    for (command, code) in [("dedup", 2), ("check", 1)] {
        let (ended, said) = run(&[command, "a.csv"]);
        assert!(ended == Some(code) && said.contains(told), "{command}: {said}");
    }
    assert!(run(&["dedup", "a.csv", "--field", "2"]).1.contains("kept 1"));
    assert!(run(&["dedup", "a.csv", "--field", "3"]).1.contains("kept 2"));
}

/// Elastic and OpenTelemetry have dots in names.
#[test]
fn a_name_with_dots_is_told_from_a_path() {
    let place = Place::new("{\"log.message\":\"你好呀朋友\",\"a/b.c\":\"你好\"}\n".as_bytes());
    for (field, pointer) in [("log.message", "/log.message"), ("a/b.c", "/a~1b.c")] {
        let output = place.run(&["dedup", "in.jsonl", "--field", field]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(&format!("whose name has the dots in it: write --field {pointer}\n")), "{told}");
        place.succeed(&["dedup", "-q", "--strict", "in.jsonl", "--field", pointer]);
    }
    let output = place.run(&["dedup", "in.jsonl", "--field", "log.text"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("no field `log.text`, but a/b.c, log.message (--field names another)"), "{told}");
}
