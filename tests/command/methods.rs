//! The catalogue: every method on one table of cases, the table on the project's own posts, and `quchong sign`.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::quchong;
use quchong::methods::checksum::Checksum;
use quchong::methods::pairs::Found;
use quchong::methods::{CATALOGUE, Collection, Reading, find};
use serde::Deserialize;
use serde_json::Value;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// Two texts, and whether the methods find them alike: all of them or none, but for the exceptions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    a: String,
    b: String,
    /// How often each text is repeated; once if missing.
    #[serde(default)]
    times: Option<usize>,
    alike: String,
    #[serde(default)]
    except: Vec<String>,
}

#[test]
fn every_method_satisfies_the_table_of_cases() {
    let cases = fs::read_to_string(data("methods-cases.jsonl")).unwrap();
    let cases: Vec<Case> = cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts = |case: &Case| [&case.a, &case.b].map(|text| text.repeat(case.times.unwrap_or(1)));
    let texts: Vec<String> = cases.iter().flat_map(texts).collect();
    let collection = Collection::read(texts.iter().map(String::as_str), Reading::default());
    let mut wrong = String::new();
    for method in CATALOGUE {
        let signatures = method.sign(&collection);
        let found = Found::among(&method.alike, &signatures);
        let mut later = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            let (a, b) = (2 * number, 2 * number + 1);
            let expected = (case.alike == "all") != case.except.iter().any(|id| id == method.id);
            let alike = |a: usize, b: usize| match (&signatures[a], &signatures[b]) {
                (Some(a), Some(b)) => method.alike.alike(a, b),
                _ => false,
            };
            if alike(a, b) != expected || alike(b, a) != expected {
                wrong += &format!("{}: {}: alike {}, not {expected}\n", case.name, method.id, alike(a, b));
            }
            found.later(a as u32, &mut later);
            assert_eq!(later.contains(&(b as u32)), alike(a, b), "{}: {}: grouping", case.name, method.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    for id in cases.iter().flat_map(|case| &case.except) {
        assert!(find("except", id).is_ok_and(|method| method.id == id), "no method is called {id}");
    }
}

/// The table on generated posts changes only when someone means it to.
#[test]
fn the_table_on_generated_posts_is_as_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let posts = folder.path().join("posts.jsonl");
    let output = quchong().args(["generate", "--lines", "2000", "--seed", "11"]).output().unwrap();
    fs::write(&posts, output.stdout).unwrap();
    let evaluate = |posts: &Path, threads: &str| {
        let arguments = ["--truth", "pooled:0.8", "--engine", "catalogue", "--format", "json", "-j", threads];
        let output = quchong().arg("evaluate").arg(posts).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let report = evaluate(&posts, "3");
    let few = folder.path().join("few.jsonl");
    let lines =
        fs::read_to_string(&posts).unwrap().lines().take(300).map(|line| format!("{line}\n")).collect::<String>();
    fs::write(&few, lines).unwrap();
    assert_eq!(evaluate(&few, "1"), evaluate(&few, "3"), "threads");
    let report: Value = serde_json::from_str(&report).unwrap();
    let mut table = String::from("method      tp    fp    fn  nearest by Dice\n");
    for (number, row) in report["engines"].as_array().unwrap().iter().enumerate() {
        let all = &row["slices"][0];
        let [tp, fp, missed] = ["tp", "fp", "fn"].map(|name| all[name].as_u64().unwrap());
        let dice: Vec<f64> =
            report["agreement"]["dice"][number].as_array().unwrap().iter().map(|d| d.as_f64().unwrap()).collect();
        let nearest =
            (0..dice.len()).filter(|other| *other != number).max_by_key(|at| ((1e6 * dice[*at]) as i64, Reverse(*at)));
        let nearest = &report["agreement"]["methods"][nearest.unwrap()].as_str().unwrap();
        let id = row["engine"].as_str().unwrap();
        writeln!(table, "{id:<16} {tp:5} {fp:5} {missed:5}  {nearest}").unwrap();
    }
    let path = data("methods-table.txt");
    if std::env::var_os("QUCHONG_BLESS").is_some_and(|value| value == "1") {
        return fs::write(path, table).unwrap();
    }
    assert_eq!(table, fs::read_to_string(path).unwrap_or_default(), "QUCHONG_BLESS=1 accepts the new table");
}

#[test]
fn a_message_without_an_id_is_signed_under_a_name_that_no_id_has() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jsonl"), "{\"id\":2,\"text\":\"a\"}\n{\"text\":\"b\"}\n").unwrap();
    fs::write(folder.path().join("b.txt"), "c\n").unwrap();
    let ids = |files: &[&str]| {
        let run = quchong().current_dir(&folder).args(["sign", "--method", "A1"]).args(files).output().unwrap();
        let text = String::from_utf8(run.stdout).unwrap();
        let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].to_string();
        text.lines().map(id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["a.jsonl"]), ["2", r#"{"line":2}"#]);
    assert_eq!(ids(&["b.txt"]), ["1"]);
    let both = ["2", r#"{"file":"a.jsonl","line":2}"#, r#"{"file":"b.txt","line":1}"#];
    assert_eq!(ids(&["a.jsonl", "b.txt"]), both);
}

#[test]
fn files_are_signed_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.jsonl");
    fs::write(&path, "{\"n\":7,\"m\":\"ab b ab\"}\n\n{\"n\":\"x\",\"m\":\" \"}\n{\"m\":\"#题# ab b ab\"}\n").unwrap();
    let sign = |arguments: &[&str]| {
        let output =
            quchong().arg("sign").arg(&path).args(["--field", "m", "--id-field", "n"]).args(arguments).output();
        let output = output.unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let lines = |signatures: [&str; 3]| {
        let ids = ["7", "\"x\"", "{\"line\":4}"];
        let line = |(id, signature): (&str, &str)| format!("{{\"id\":{id},\"signature\":{signature}}}\n");
        ids.into_iter().zip(signatures).map(line).collect::<String>()
    };
    // K5 is the MD5 of "2 1 2", and of "1 2 1 2" with the topic, which normalisation may remove.
    let (found, error) = sign(&["--method", "k5"]);
    let md5 = |text: &str| format!("\"{}\"", Checksum::md5(text.as_bytes()));
    assert_eq!(found, lines([&md5("2 1 2"), "null", &md5("1 2 1 2")]), "{error}");
    let (found, error) = sign(&["--method", "K5", "--normalise", "all"]);
    assert_eq!(found, lines([&md5("2 1 2"), "null", &md5("2 1 2")]), "{error}");
    // Read as Chinese, words of two letters have content; read as English, only words of three.
    let crc = |text: &str| format!("\"{}\"", Checksum::crc32(text.as_bytes()));
    let (found, error) = sign(&["--method", "A1", "--lang", "zh"]);
    assert_eq!(found, lines([&crc("ab"), "null", &crc("ab 题")]), "{error}");
    let (found, _) = sign(&["--method", "A1", "--lang", "en"]);
    assert_eq!(found, lines(["null", "null", "null"]));
    let (_, error) = sign(&["--method", "A99"]);
    assert!(error.contains("A99"), "{error}");
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_signed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let bad = write("bad.txt", b"one good line\n\xff\xfe broken\xc4\nanother good line\n");
    let other = write("other.txt", b"one good line\n");
    let sign = |method: &str, files: &[&Path]| {
        let output = quchong().args(["sign", "--method", method]).args(files).output().unwrap();
        assert!(output.status.success());
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (found, error) = sign("A0", &[&bad, &other]);
    let rows: Vec<Value> = found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Value> = rows.iter().map(|row| &row["id"]).collect();
    let named = |file: &Path, line: u32| serde_json::json!({"file": file, "line": line});
    assert_eq!(ids, [&named(&bad, 1), &named(&bad, 3), &named(&other, 1)]);
    assert_eq!(rows[0]["signature"], rows[2]["signature"]);
    assert!(error.contains("bad.txt:2: ") && error.contains("3 signed, 1 not"), "{error}");
    // A text in which the method finds nothing to sign is not signed.
    let (found, error) =
        sign("A1", &[&write("some.jsonl", b"{\"text\":\"one good line\"}\n{\"text\":\"!\"}\n{\"text\":4}\n")]);
    assert_eq!(found.matches("null").count(), 1, "{found}");
    assert!(error.contains("1 signed, 1 not: they could not be read; 1 more have nothing"), "{error}");
    // The words of a text do not depend on the other texts.
    let more = write("more.txt", b"an alphabet begins\none good line\n");
    let (alone, beside) = (sign("A11", &[&other]).0, sign("A11", &[&more]).0);
    let signature = |line: &str| serde_json::from_str::<Value>(line).unwrap()["signature"].clone();
    assert_eq!(signature(alone.lines().next().unwrap()), signature(beside.lines().nth(1).unwrap()));
}
