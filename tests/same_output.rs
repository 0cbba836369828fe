//! The same input gives the same output: any threads, any way of reading, any split; and it is the output that the
//! definition asks for.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::process::Stdio;

use common::{dedup, quchong, shared};
use quchong::Config;
use quchong::config::{NearMode, Preset, Shingle};
use quchong::fingerprint::{Digest, Printed, Printer};
use quchong::generate::{Generator, Options, write_jsonl};
use quchong::near::banding::Banding;
use quchong::near::verify::{Decision, Verifier};
use quchong::text::Clean;
use serde_json::Value;

fn generated(lines: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_jsonl(Generator::new(3, Options::default()).unwrap().take(lines), &mut bytes).unwrap();
    bytes
}

const EVERYTHING: [&str; 4] = ["--output", "annotated", "--shingle", "char:3"];

#[test]
fn for_any_number_of_threads() {
    let input = generated(20_000);
    let serial = dedup(&[&EVERYTHING[..], &["-j", "1"]].concat(), &input);
    assert!(serial.total("/dropped/near") > 500, "{}", serial.summary);
    for threads in ["2", "3", "8"] {
        let parallel = dedup(&[&EVERYTHING[..], &["-j", threads]].concat(), &input);
        assert!(parallel.stdout == serial.stdout, "{threads} threads");
    }
    for more in [["--preset", "paper"], ["--near", "minhash"]] {
        let threads = |threads| dedup(&[&["--output", "annotated", "-j", threads], &more[..]].concat(), &input).stdout;
        assert!(threads("1") == threads("2"), "{more:?}");
    }
}

#[test]
fn for_any_way_of_writing_the_input() {
    let input = generated(1000);
    let expected = dedup(&EVERYTHING, &input).stdout;
    for size in [1, 7, 4096, 65_537] {
        let mut command = quchong();
        let child = command.arg("dedup").args(EVERYTHING).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.stderr(Stdio::null()).spawn().unwrap();
        let (mut stdin, input) = (child.stdin.take().unwrap(), input.clone());
        let writer = std::thread::spawn(move || input.chunks(size).for_each(|chunk| stdin.write_all(chunk).unwrap()));
        assert!(child.wait_with_output().unwrap().stdout == expected, "{size} bytes at a time");
        writer.join().unwrap();
    }
}

#[test]
fn for_any_split_into_files() {
    let input = generated(3000);
    let lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
    let expected = dedup(&EVERYTHING, &input).stdout;
    let folder = tempfile::tempdir().unwrap();
    for parts in [1, 3, 17] {
        let files: Vec<String> = lines
            .chunks(lines.len().div_ceil(parts))
            .enumerate()
            .map(|(part, lines)| {
                let file = folder.path().join(format!("{parts}-{part}.jsonl"));
                fs::write(&file, lines.concat()).unwrap();
                file.to_str().unwrap().to_owned()
            })
            .collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert!(dedup(&[&EVERYTHING[..], &files].concat(), b"").stdout == expected, "{parts} files");
    }
}

#[test]
fn whichever_structure_knows_the_exact_repeats() {
    let input = generated(5000);
    let expected = dedup(&EVERYTHING, &input).stdout;
    for more in [&["--exact", "trie"][..], &["--capacity", "10"], &["--bloom-bits", "64", "--bloom-hashes", "1"]] {
        assert!(dedup(&[&EVERYTHING[..], more].concat(), &input).stdout == expected, "{more:?}");
    }
}

/// The definition, with no structure but lists: in the order of the input, m is kept if and only if no earlier message has the
/// same digest and no earlier kept k is near; it repeats what its equal is or repeats, or the earliest such k.
fn oracle(texts: &[String], config: &Config) -> Vec<(&'static str, Option<usize>)> {
    let printer = Printer::new(config);
    let mut clean = Clean::default();
    let (mut seen, mut kept) = (HashMap::<Digest, usize>::new(), Vec::<(usize, Printed)>::new());
    let mut near = near(config);
    let judge = |(number, text): (usize, &String)| {
        let printed = printer.print_text(text, &mut clean);
        if let Some(of) = printed.digest.and_then(|digest| seen.get(&digest)) {
            return ("exact", Some(*of));
        }
        let of = kept.iter().find(|(of, kept)| near(number - of, kept, &printed)).map(|(of, _)| *of);
        seen.extend(printed.digest.map(|digest| (digest, of.unwrap_or(number))));
        if of.is_none() {
            kept.push((number, printed));
        }
        (if of.is_none() { "kept" } else { "near" }, of)
    };
    texts.iter().enumerate().map(judge).collect()
}

/// What near means to an engine, from its definition, for messages so many positions apart.
fn near(config: &Config) -> impl FnMut(usize, &Printed, &Printed) -> bool {
    let Config { near, max_distance, permutations, similarity, guard, verify_window, .. } = *config;
    let Banding { bands, rows, .. } = Banding::choose(permutations, similarity);
    let mut verifier = Verifier::new(similarity, guard);
    let mut by_rule = move |a: &Printed, b: &Printed| {
        a.gist.as_ref().zip(b.gist.as_ref()).is_some_and(|(a, b)| {
            verifier.read(b.view());
            !matches!(verifier.decide(a.view(), b.view()), Decision::No(_))
        })
    };
    let by_simhash = move |a: &Printed, b: &Printed| {
        a.simhash.zip(b.simhash).is_some_and(|(a, b)| (a ^ b).count_ones() <= max_distance)
    };
    move |apart, a, b| match near {
        NearMode::Hybrid if apart as u64 <= verify_window => by_rule(a, b),
        NearMode::Hybrid | NearMode::SimHash => by_simhash(a, b),
        NearMode::MinHash => a.signature.as_deref().zip(b.signature.as_deref()).is_some_and(|(a, b)| {
            let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
            equal * 1000 >= similarity as usize * permutations
                && a.chunks_exact(rows).zip(b.chunks_exact(rows)).take(bands).any(|(a, b)| a == b)
        }),
        NearMode::None => false,
    }
}

fn hold_against_the_oracle(input: &str, config: &Config, args: &[&str]) {
    let records: Vec<Value> = input.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<String> = records.iter().map(|record| record["text"].as_str().unwrap().to_owned()).collect();
    let judged = dedup(&[&["--output", "annotated"], args].concat(), input.as_bytes()).json();
    let expected = oracle(&texts, config);
    assert!(expected.iter().filter(|(verdict, _)| *verdict == "near").count() > expected.len() / 100, "{args:?}");
    assert_eq!(judged.len(), expected.len());
    for (number, (judged, (verdict, of))) in judged.iter().zip(expected).enumerate() {
        let of = of.map_or(Value::Null, |of| records[of]["id"].clone());
        assert_eq!(
            (&judged["quchong"]["verdict"], &judged["quchong"]["of"]),
            (&Value::from(verdict), &of),
            "{args:?}, record {number}"
        );
    }
}

#[test]
fn it_is_what_the_definition_asks_for() {
    let input = String::from_utf8(generated(6000)).unwrap();
    for distance in [0, 3, 4, 5, 8] {
        let config = Config { shingle: Shingle::Chars(3), max_distance: distance, ..Config::of(NearMode::SimHash) };
        let distance = distance.to_string();
        let args = ["--near", "simhash", "--shingle", "char:3", "--max-distance", &distance];
        hold_against_the_oracle(&input, &config, &args);
    }
    for (similarity, permutations) in [(300, 64), (500, 128), (900, 100)] {
        let config = Config { similarity, permutations, ..Config::of(NearMode::MinHash) };
        let (similarity, permutations) = (f64::from(similarity) / 1000.0, permutations.to_string());
        let args = ["--near", "minhash", "--similarity", &similarity.to_string(), "--permutations", &permutations];
        hold_against_the_oracle(&input, &config, &args);
    }
}

#[test]
fn the_hybrid_is_the_rule_in_the_window_and_fingerprints_beyond() {
    let Some(path) = shared("weibo-dev.jsonl") else { return };
    let all = fs::read_to_string(&path).unwrap();
    let slice = all.split_inclusive('\n').skip(100_000).take(4000).collect::<String>();
    for (window, similarity, guard) in
        [(1, 620, "facts"), (300, 620, "off"), (4000, 620, "facts"), (4000, 450, "facts")]
    {
        let config = Config { verify_window: window, similarity, guard: guard == "facts", ..Config::default() };
        let (window, similarity) = (window.to_string(), (f64::from(similarity) / 1000.0).to_string());
        let args = ["--verify-window", &window, "--similarity", &similarity, "--guard", guard];
        hold_against_the_oracle(&slice, &config, &args);
    }
}

#[test]
fn on_real_posts_too() {
    let Some(path) = shared("weibo-dev.jsonl") else { return };
    let all = fs::read_to_string(&path).unwrap();
    let slice = all.split_inclusive('\n').skip(100_000).take(10_000).collect::<String>();
    hold_against_the_oracle(&slice, &Preset::Paper.config(), &["--preset", "paper"]);
    hold_against_the_oracle(&slice, &Config::of(NearMode::SimHash), &["--near", "simhash"]);
    hold_against_the_oracle(&slice, &Config::of(NearMode::MinHash), &["--near", "minhash"]);

    let kept = dedup(&["-j", "2", path.to_str().unwrap()], b"");
    assert_eq!((kept.code, kept.total("/in"), kept.total("/errors/total")), (Some(0), 300_000, 0));
    let mut lines = all.split_inclusive('\n');
    let mut count = 0;
    for line in kept.text().split_inclusive('\n') {
        assert!(lines.any(|other| other == line), "not a subsequence of the input: {line}");
        count += 1;
    }
    assert_eq!(count, kept.total("/kept"));
    assert!(dedup(&["-j", "1", path.to_str().unwrap()], b"").stdout == kept.stdout, "one thread and two differ");
}
