//! The repeat rule against pairs of real messages that were read and labelled one by one.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;

use quchong::near::verify::{Decision, SIMILARITY, Thresholds, Verifier};
use quchong::config::Config;
use quchong::text::{Analyser, Clean, Gist};

fn gist(analyser: &Analyser, text: &str) -> Gist {
    let mut clean = Clean::default();
    analyser.analyse(text, &mut clean);
    clean.gist()
}

/// True and false positives, false and true negatives by source.
fn judge(file: &str) -> Option<BTreeMap<String, [u32; 4]>> {
    let Ok(text) = fs::read_to_string(file) else {
        eprintln!("skipped: {file} is not here");
        return None;
    };
    let analyser = Analyser::new(&Config { shingle: quchong::config::Shingle::Chars(2), ..Config::default() });
    let mut verifier = Verifier::new(Thresholds::new(std::env::var("SIM").map_or(SIMILARITY, |s| s.parse().unwrap())));
    let mut counts = BTreeMap::<String, [u32; 4]>::new();
    for line in text.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |field: &str| pair[field].as_str().unwrap().to_owned();
        let (a, b) = (gist(&analyser, &text("a")), gist(&analyser, &text("b")));
        verifier.read(&b);
        let decision = verifier.decide(&a, &b);
        let repeat = !matches!(decision, Decision::No(_));
        let label = pair["label"].as_u64().unwrap();
        if label == 2 {
            continue;
        }
        let source = pair["src"].as_str().unwrap_or("post").to_owned();
        let cell = match (label, repeat) {
            (1, true) => 0,
            (0, true) => 1,
            (1, false) => 2,
            _ => 3,
        };
        counts.entry(source.clone()).or_default()[cell] += 1;
        counts.entry("all".to_owned()).or_default()[cell] += 1;
        if std::env::var("SHOW").is_ok() && (cell == 1 || cell == 2) {
            println!("{} {source} {} {decision:?} {}\n  A {}\n  B {}", ["", "FALSE", "MISSED"][cell], pair["n"], pair["kind"], text("a"), text("b"));
        }
    }
    Some(counts)
}

fn f1([tp, fp, fne, _]: [u32; 4]) -> f64 {
    f64::from(2 * tp) / f64::from(2 * tp + fp + fne)
}

#[test]
fn labelled_pairs() {
    for file in ["../shared/data/weibo-dev-pairs.jsonl", "../shared/data/mixed-dev-pairs.jsonl"] {
        for (source, counts) in judge(file).into_iter().flatten() {
            println!("{source:10} {counts:?} F1 {:.3} P {:.3} R {:.3}", f1(counts), f64::from(counts[0]) / f64::from(counts[0] + counts[1]), f64::from(counts[0]) / f64::from(counts[0] + counts[2]));
        }
    }
}
