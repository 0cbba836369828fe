//! Every refusal is one line that says what is wrong, where, and what to do, in English and in Chinese. `QUCHONG_BLESS=1` writes both
//! catalogues again.

use std::fs;
use std::path::Path;

use super::refused::REFUSED;
use super::{Place, ended, records};

fn place() -> Place {
    let place = Place::new()
        .with("in.jsonl", records(4))
        .with("in.csv", "id,text\n1,早上好\n")
        .with("other.csv", "text,id\n早上好,1\n")
        .with("open.csv", "text\n\"".to_owned() + &"好\n".repeat(1200))
        .with("utf16.csv", b"\xff\xfet\0\n\0")
        .with("cut.gz", &b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b"[..])
        .with("bad.jsonl", "{\"text\":\"好\"}\n{\"text\":\"cut\n")
        .with("array.json", "[\n{\"text\":\"好\"}\n]\n")
        .with("commas.jsonl", "{\"text\":\"好\"},\n")
        .with("joined.jsonl", "{\"text\":\"好\"}{\"text\":\"早\"}\n")
        .with("dots.jsonl", "{\"log.message\":\"好\"}\n")
        .with("title.csv", "日报,\nid,text\n1,早上好\n")
        .with("pairs.csv", "a,b,label\n早,好,yes\n")
        .with("null.jsonl", "{\"user\":null}\n")
        .with("nulls.jsonl", "{\"text\":null}\n")
        .with("some.jsonl", "{\"text\":\"好\"}\n{\"text\":1}\n{\"text\":\"再见\"}\n")
        .with("other.jsonl", records(5))
        .with("wide.csv", "id,text\n1,a,b\n")
        .with("short.csv", "id,text\n1\n")
        .with("unclosed.csv", "id,text\n1,\"a\n")
        .with("behind.csv", "id,text\n1,\"a\"b\n")
        .with("bytes.txt", b"\xff\xff\n")
        .with("empty.txt", "")
        .with("changed.jsonl", records(9))
        .with("numbers.jsonl", records(3))
        .with("not.parquet", "text\n")
        .with("key.toml", "field = \"text\"\nsimlarity = 0.5\n")
        .with("value.toml", "similarity = 2\n")
        .with("word.toml", "\nnear = \"simhahs\"\n")
        .with("idle.toml", "bloom-hashes = 3\n")
        .with("list.toml", "normalise = [\"url\"]\n")
        .with("table.toml", "[dedup]\nquiet = true\n")
        .with("syntax.toml", "quiet = true\nsimilarity 0.5\n")
        .with("unclosed.toml", "field = \"text\n")
        .with("twice.toml", "window = 5\nwindow = 6\n")
        .with("book.xlsx", b"PK\x03\x04\x14\0")
        .with("out.jsonl", "");
    let dedup = ["dedup", "-q", "in.jsonl", "--seed", "1", "-o", "kept.jsonl", "--state"];
    for state in ["damaged", "gone", "state"] {
        let run = place.run(&[&dedup[..], &[state]].concat());
        assert_eq!(run.code, Some(0), "{}", run.said);
        fs::remove_file(place.path("kept.jsonl")).unwrap();
    }
    fs::write(place.path("kept.jsonl"), records(4)).unwrap();
    let broken = place.run(&["dedup", "-q", "bad.jsonl", "--on-error", "fail", "--state", "broken"]);
    assert_eq!(broken.code, Some(2), "{}", broken.said);
    for args in
        [&["changed.jsonl", "--state", "changed"][..], &["numbers.jsonl", "--state", "numbers", "--seq-field", "id"]]
    {
        assert_eq!(place.run(&[&["dedup", "-q"], args].concat()).code, Some(0), "{args:?}");
    }
    fs::write(place.path("changed.jsonl"), records(10).replacen("1", "7", 1)).unwrap();
    let log = place.path("damaged/00000001.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[60] ^= 1;
    fs::write(&log, bytes).unwrap();
    fs::remove_file(place.path("gone/00000001.log")).unwrap();
    fs::create_dir(place.path("empty")).unwrap();
    place
}

/// The refused commands with their exit codes and their messages in a language.
fn catalogue(ui: &str) -> Vec<(String, i32, String)> {
    let place = place();
    let folder = place.0.path().display().to_string();
    let told = |command: &&str| {
        let words: Vec<&str> = command.split(' ').map(|word| word.trim_matches('\'')).collect();
        let run = ended(place.command(&words).env("QUCHONG_UI", ui).spawn().unwrap());
        ((*command).to_owned(), run.code.unwrap_or(-1), run.said.replace(&folder, "DIR"))
    };
    REFUSED.iter().map(told).collect()
}

/// Compares the messages with the catalogue of this name.
fn compare(told: &[(String, i32, String)], name: &str) {
    let catalogue: String =
        told.iter().map(|(command, code, said)| format!("$ quchong {command}\n[{code}] {said}")).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps").join(name);
    if std::env::var_os("QUCHONG_BLESS").is_some() {
        fs::write(path, catalogue).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap();
    for (line, expected) in catalogue.lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(catalogue.lines().count(), expected.lines().count());
}

#[test]
fn every_refusal_is_one_line_that_says_what_to_do() {
    let told = catalogue("en");
    let mut poor = String::new();
    for (command, code, said) in &told {
        let is_one = (*code == 2 || *code == 3) && said.lines().count() == 1 && said.starts_with("quchong: error: ");
        // No gap in a sentence, no system error number, and no option that is named twice.
        let is_plain = !said.contains("  ")
            && !said.contains(") (")
            && !said.contains("..=")
            && !said.contains("os error")
            && !said.contains("--normalise: --");
        if !is_one || !is_plain {
            poor += &format!("$ quchong {command}\n[{code}] {said}\n");
        }
    }
    assert!(poor.is_empty(), "{poor}");
    compare(&told, "messages.txt");
}

#[test]
fn every_refusal_is_told_in_chinese_with_the_same_exit_code() {
    let told = catalogue("zh");
    for (command, code, said) in &told {
        let is_one = (*code == 2 || *code == 3) && said.lines().count() == 1 && said.starts_with("quchong: 错误: ");
        let behind = said.trim_start_matches("quchong: 错误: ");
        assert!(is_one && behind.chars().any(|c| ('\u{4e00}'..'\u{a000}').contains(&c)), "{command}: {code} {said}");
    }
    let english = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps/messages.txt")).unwrap();
    let codes = english.lines().filter_map(|line| line.strip_prefix('[')?.split_once(']')?.0.parse::<i32>().ok());
    assert!(codes.eq(told.iter().map(|(_, code, _)| *code)));
    compare(&told, "messages.zh.txt");
}

/// `state info` describes a state for people: without lists of numbers, and without bits.
#[test]
fn what_a_state_has_is_told_to_people() {
    let input = records(5) + &records(2) + "{\"text\":1}\n";
    let place = Place::new().with("in.jsonl", input);
    let args = ["dedup", "-q", "in.jsonl", "--state", "seen", "--window", "24h", "-o", "kept.jsonl"];
    place.run(&args);
    let told = place.run(&["state", "info", "seen"]).out;
    for row in [
        "folder           seen\n",
        "seen             8 records\n",
        "last run         came to its end\n",
        "  inputs         in.jsonl\n",
        "  kept           5\n",
        "  dropped        2 (exact 2, near 0)\n",
        "  errors         not-a-string 1\n",
        "made with        --window 1d --seed ",
        "  options        --output-file kept.jsonl\n",
    ] {
        assert!(told.contains(row), "{row}: {told}");
    }
    assert!(told.lines().all(|line| line.chars().count() <= 120 && !line.contains("0 0 0")), "{told}");
    assert!(told.is_ascii() && !told.contains("rules"), "{told}");
}
