//! The pipeline of Gao & Li 2014 to the letter, compared with loops written from the paper.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeSet;

use crate::common::place::Place;
use crate::common::{dedup, generated, our_own, quchong};
use quchong::Config;
use quchong::config::{BloomSize, Preset};
use quchong::explain::Explainer;
use serde_json::Value;

fn texts(input: &str) -> Vec<String> {
    let text = |line: &str| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    input.lines().map(text).collect()
}

fn input() -> String {
    String::from_utf8(generated(4000)).unwrap() + &our_own(2000)
}

/// Which records a run drops as exact repeats.
fn exact(args: &[&str], input: &str) -> Vec<bool> {
    let run = dedup(&[&["--output", "annotated"], args].concat(), input.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.json().iter().map(|record| record["quchong"]["verdict"] == "exact").collect()
}

fn bkdr(text: &str) -> u32 {
    text.bytes().fold(0, |hash: u32, byte| hash.wrapping_mul(131).wrapping_add(byte.into()))
}

fn ap(text: &str) -> u32 {
    let mut hash = 0_u32;
    for (i, byte) in text.bytes().enumerate() {
        let byte = u32::from(byte);
        hash ^= if i % 2 == 0 { (hash << 7) ^ byte ^ (hash >> 3) } else { !((hash << 11) ^ byte ^ (hash >> 5)) };
    }
    hash
}

/// The filter is that of the paper: "If one of the two marks is already 1, or both are, s is a repeat; only if both are 0 are they set".
/// The standard rule is there, too.
#[test]
fn the_filter_is_the_papers() {
    let input = input();
    for (bits, rule) in [(20_000_000, "any"), (20_000, "any"), (20_000, "all")] {
        let mut vector = vec![false; bits];
        let expected: Vec<bool> = texts(&input)
            .iter()
            .map(|text| {
                let marks = [bkdr(text), ap(text)].map(|hash| hash as usize % bits);
                let set = marks.map(|mark| vector[mark]);
                let is_repeat = if rule == "any" { set[0] || set[1] } else { set[0] && set[1] };
                if !is_repeat {
                    marks.iter().for_each(|mark| vector[*mark] = true);
                }
                is_repeat
            })
            .collect();
        let bits = bits.to_string();
        let args = ["--preset", "paper", "--bloom-bits", &bits, "--bloom-rule", rule];
        assert!(exact(&args, &input) == expected, "{args:?}");
    }
}

/// The trie is that of the paper: "Squared, written in decimal digits; if the whole path existed, s is a repeat", over the hash of .NET 4
/// in 64 bits.
#[test]
fn the_trie_is_the_papers() {
    let input = input();
    let hash = |text: &str| {
        let mut sums = [5381_i32; 2];
        for (at, unit) in text.encode_utf16().enumerate() {
            sums[at % 2] = sums[at % 2].wrapping_mul(33) ^ i32::from(unit);
        }
        sums[0].wrapping_add(sums[1].wrapping_mul(1_566_083_941))
    };
    for (name, signed) in [("csharp-x64", true), ("csharp-x64-unsigned", false)] {
        let mut paths = BTreeSet::new();
        let expected: Vec<bool> = texts(&input)
            .iter()
            .map(|text| {
                let square =
                    if signed { i64::from(hash(text)).pow(2) as u64 } else { u64::from(hash(text) as u32).pow(2) };
                let path = square.to_string();
                let existed = paths.range(path.clone()..).next().is_some_and(|next: &String| next.starts_with(&path));
                paths.insert(path);
                existed
            })
            .collect();
        let args = ["--preset", "paper", "--exact", "paper-trie", "--trie-hash", name];
        assert!(exact(&args, &input) == expected, "{name}");
    }
}

#[test]
fn it_is_on_the_text_as_it_came_and_says_what_it_loses() {
    let lines = "武漢加油！中國加油！\n武汉加油！中国加油！\nＡＢＣ發布\nABC發布\n武漢加油！中國加油！\n";
    let run = dedup(&["--preset", "paper"], lines.as_bytes());
    assert_eq!((run.total("/kept"), run.total("/dropped/exact")), (4, 1), "{}", run.stderr);
    assert!(run.stderr.contains("the paper's Bloom filter, 20,000,000 bits: about 0 new messages"), "{}", run.stderr);
    // Twelve thousand new texts in a small filter: most are lost.
    let many: String = (0..12_000).map(|i| format!("第{}号消息来自{}\n", i * 7919, i)).collect();
    let run = dedup(&["--exact", "paper-bloom", "--bloom-bits", "20k", "--near", "none"], many.as_bytes());
    let lost = 12_000 - run.total("/kept");
    let expected = run.summary.pointer("/expected_lost").unwrap().as_f64().unwrap();
    assert!(lost > 5_000 && (expected / lost as f64 - 1.0).abs() < 0.1, "{lost} {expected}");
    assert!(run.stderr.contains("are expected to have been taken for repeats and dropped"), "{}", run.stderr);
    // "Cyclically": two rounds with other hashes, each with the same number of bits, lose fewer.
    let twice = ["--exact", "paper-bloom", "--bloom-bits", "20k", "--near", "none", "--bloom-rounds", "2"];
    let run = dedup(&twice, many.as_bytes());
    assert!(12_000 - run.total("/kept") < lost, "{}", run.stderr);
    let run = quchong().args(["dedup", "--preset", "paper", "--bloom-rounds", "3", "-"]).output().unwrap();
    assert!(String::from_utf8_lossy(&run.stderr).contains("of the paper's filter 1 or 2"));
    let run = quchong().args(["dedup", "--normalise", "raw", "-"]).output().unwrap();
    assert!(String::from_utf8_lossy(&run.stderr).contains("--normalise: raw is out of range"));
}

#[test]
fn a_stream_in_parts_is_the_stream() {
    let input = String::from_utf8(generated(1500)).unwrap() + &our_own(500);
    for more in [&["--bloom-bits", "20k"][..], &["--exact", "paper-trie"], &["--bloom-bits", "20k", "--window", "300"]]
    {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let state = ["--state", state.to_str().unwrap()];
        let args = [&["--preset", "paper", "--output", "annotated"], more].concat();
        let whole = dedup(&args, input.as_bytes());
        let middle = input.match_indices('\n').nth(800).unwrap().0 + 1;
        let parts =
            [&input[..middle], &input[middle..]].map(|part| dedup(&[&args[..], &state].concat(), part.as_bytes()));
        let joined = [&parts[0].stdout[..], &parts[1].stdout].concat();
        assert!(joined == whole.stdout, "{more:?}: {}{}", parts[0].stderr, parts[1].stderr);
    }
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let state = ["--state", state.to_str().unwrap(), "--preset", "paper"];
    dedup(&state, b"a b c\n");
    let run = dedup(&[&state[..], &["--bloom-rule", "all"]].concat(), b"a b c\n");
    assert!(run.stderr.contains("made with --bloom-rule any, not --bloom-rule all"), "{}", run.stderr);
}

#[test]
fn explain_tells_that_a_mark_is_shared() {
    let bloom = BloomSize::Bits { bits: 8, hashes: None };
    let mut explainer = Explainer::new(&Config { bloom, ..Preset::Paper.config() }).unwrap();
    let mut reason = |b: &str| explainer.explain("武汉加油", b).reason;
    let shared =
        (0..40).map(|i| reason(&format!("第{i}条"))).find(|told| told.contains("a mark of the paper's filter"));
    assert!(shared.is_some_and(|told| told.starts_with("the texts differ")));
    assert!(reason("武汉加油").contains("the paper's hashes of the texts are equal"));
    let told = quchong().args(["explain", "武汉加油", "武汉加油", "--preset", "paper"]).output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&told).contains("the paper's hashes of the texts are equal"));
}

/// A run in one go and a run that is killed twice and resumed report the same loss, that of the whole state. A run that has nothing left
/// to do reports it, too.
#[test]
#[cfg(unix)]
fn what_is_lost_is_told_of_the_whole_state() {
    let input = [generated(5000), our_own(1000).into_bytes()].concat();
    for more in [
        &["--bloom-bits", "100k"][..],
        &["--bloom-bits", "100k", "--bloom-rounds", "2", "--bloom-rule", "all"],
        &["--bloom-bits", "100k", "--window", "3500"],
        &["--exact", "paper-trie"],
    ] {
        let own = ["dedup", "in.jsonl", "--preset", "paper", "--state", "state", "--resume", "-o", "out.jsonl"];
        let args = [&own[..], &["--summary", "sum.json"], more].concat();
        let length = |place: &Place| place.path("out.jsonl").metadata().map_or(0, |about| about.len());
        let told = |place: &Place, args: &[&str]| {
            let output = place.run(args);
            let summary: Value = serde_json::from_slice(&std::fs::read(place.path("sum.json")).unwrap()).unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            let line = said.lines().find(|line| line.contains("the paper's")).unwrap_or(&said).to_owned();
            (summary["expected_lost"].as_f64().unwrap(), line)
        };
        let (whole, place) = (Place::new(&input), Place::new(&input));
        let expected = told(&whole, &args);
        let how_many = if more.contains(&"--window") { ": at least " } else { ": about " };
        assert!(expected.0 > 1e-4 && expected.1.contains(how_many), "{expected:?}");
        for _ in 0..2 {
            let before = length(&place);
            let mut child = place.command(&args).stderr(std::process::Stdio::null()).spawn().unwrap();
            while length(&place) == before && child.try_wait().unwrap().is_none() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(told(&place, &args), expected, "{more:?}");
        assert!(std::fs::read(place.path("out.jsonl")).unwrap() == std::fs::read(whole.path("out.jsonl")).unwrap());
        assert_eq!(told(&place, &args), expected, "{more:?}, once more");
    }
}

#[test]
fn an_archive_whose_losses_nobody_would_tell_is_refused() {
    let place = Place::new(b"\xe4\xbd\xa0\xe5\xa5\xbd\n");
    std::fs::write(place.path("old.txt"), "你好\n").unwrap();
    for exact in ["paper-bloom", "paper-trie"] {
        let told = place.refused(&["dedup", "in.jsonl", "--format", "lines", "--exact", exact, "--against", "old.txt"]);
        assert!(told.contains("--against: does nothing under --exact paper-"), "{told}");
    }
}

/// The trie reports its expected losses, also in the summary: for n texts and 2^31 or 2^32 values, n²/2 divided by the number of values,
/// and a ninth more for prefixes.
#[test]
fn the_trie_tells_what_it_loses() {
    let many: String = (0..20_000).map(|i| format!("第{}号消息来自{}\n", i * 7919, i)).collect();
    for (name, values) in [("csharp-x86", 31), ("csharp-x64-unsigned", 32)] {
        let args = ["--exact", "paper-trie", "--trie-hash", name, "--near", "none"];
        let run = dedup(&args, many.as_bytes());
        let lost = run.summary["expected_lost"].as_f64().unwrap();
        let by_hand = 10.0 / 9.0 * 20_000_f64.powi(2) / 2.0 / 2_f64.powi(values);
        assert!((lost / by_hand - 1.0).abs() < 0.01, "{name}: {lost} {by_hand}");
        assert!(run.stderr.contains(&format!("the paper's trie, hash {name}: about {lost:.1} new")), "{}", run.stderr);
    }
    let run = dedup(&["--near", "none"], b"a\n");
    assert!(run.summary.get("expected_lost").is_none(), "{}", run.summary);
}

/// No more texts are reported as lost than were dropped, even if texts that differ in few characters collide more often than a uniform
/// hash predicts.
#[test]
fn no_more_is_told_as_lost_than_was_dropped() {
    let input: String = (0..9999).map(|i| format!("消息{i:04}\n")).collect();
    let run = dedup(&["--preset", "paper", "--bloom-bits", "2000", "--format", "lines"], input.as_bytes());
    let (lost, dropped) = (run.summary["expected_lost"].as_f64().unwrap(), run.total("/dropped/exact"));
    assert!(dropped > 5000 && lost > 1000.0 && lost <= dropped as f64, "{lost} of {dropped}");
}
