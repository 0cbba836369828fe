//! `quchong evaluate`: where the truth comes from if a file has no labels.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::evaluate::{clustered, counts, evaluate, file, report, said, text};
use serde_json::json;

/// Truth is computed on the requested form of the texts, and the head of the report names this form.
#[test]
fn truth_is_on_the_form_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let texts = ["转发微博 //@小王:武汉的樱花开了", "武汉的樱花开了", "武漢的櫻花開了", "八点开会"];
    let path = file(&folder, "forms.jsonl", &texts.map(|text| json!({ "text": text })));
    let repeats = |form: &str| {
        let report = report(&path, &["--truth", "indel:0.95", "--truth-on", form, "--engine", "A0"]);
        let words = report["source"].as_str().unwrap().to_owned();
        (counts(&report, "A0", "pairs", "", "").iter().sum::<u64>(), words)
    };
    let true_pairs = |form: &str| {
        let report = report(&path, &["--truth", "indel:0.95", "--truth-on", form, "--engine", "A0"]);
        let [tp, _, missed, _] = counts(&report, "A0", "pairs", "", "");
        tp + missed
    };
    assert_eq!([true_pairs("raw"), true_pairs("canonical"), true_pairs("body")], [0, 1, 3]);
    assert!(repeats("raw").1.contains("of the texts as they came ≥ 0.95"));
    assert!(repeats("canonical").1.contains("of the canonical forms ≥ 0.95") && repeats("body").0 == 6);
}

#[test]
fn clusters_give_pairs_and_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = clustered(&folder, "800");
    let repeats =
        fs::read_to_string(&path).unwrap().lines().filter(|line| !line.contains("\"of\":null")).count() as u64;
    let arguments = ["--truth", "cluster:m.c", "--field", "m.t", "--engine", "simhash-char2", "--engine", "exact"];
    let report = report(&path, &arguments);
    let [tp, fp, r#fn, tn] = counts(&report, "exact", "stream", "", "");
    assert_eq!((tp + r#fn, tp + fp + r#fn + tn), (repeats, 800));
    // Half of the repeats are equal byte for byte, and hardly any of the most similar other pairs are.
    assert!(tp > repeats / 2 && fp < 5, "{tp} {fp}");
    let [found, ..] = counts(&report, "simhash-char2", "stream", "", "");
    assert!(found > tp, "{found}");
    let [tp, fp, r#fn, tn] = counts(&report, "exact", "pairs", "", "");
    assert!(tp + r#fn >= repeats && fp < 5 && tn > 300, "{tp} {fp} {fn} {tn}");
    let few = self::report(&path, &[&arguments[..], &["--sample", "50"]].concat());
    let [tp, fp, r#fn, tn] = counts(&few, "exact", "pairs", "", "");
    assert!(tp + r#fn == 50 && (25..=50).contains(&(fp + tn)), "{tp} {fp} {fn} {tn}");
}

#[test]
fn brute_force_finds_what_is_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.txt");
    // Ten characters; eight of them and two others: 16/20; wrapping only, twice the same; another wrapping; a body without a repeat.
    fs::write(&path, "一二三四五六七八九十\n\n一二三四五六七八东西\n[哈哈]\n [哈哈]\n[泪]\n上下左右前后里外\n#题#一二三四五六七八九十\n").unwrap();
    let at = |least: &str| report(&path, &["--truth", &format!("indel:{least}"), "--engine", "exact"]);
    let report = at("0.8");
    // The true pairs are 0–1, 0–6, 1–6 and 2–3; the exact stage finds only the last.
    assert_eq!(counts(&report, "exact", "pairs", "", ""), [1, 0, 3, 17]);
    assert_eq!(counts(&report, "exact", "stream", "", ""), [1, 0, 2, 4]);
    assert_eq!(counts(&at("0.81"), "exact", "pairs", "", ""), [1, 0, 1, 19]);
}

#[test]
fn levenshtein_and_pooled_truth() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.txt");
    // Ten characters; two others at the end: Levenshtein 0.8; two more: 10/12; the first half twice: Indel 0.67, Levenshtein 0.5.
    fs::write(&path, "一二三四五六七八九十\n一二三四五六七八东西\n一二三四五六七八九十东西\n一二三四五\n").unwrap();
    let at = |truth: &str| {
        report(&path, &["--truth", truth, "--engine", "exact", "--engine", "a0", "--engine", "MinHash-128"])
    };
    let repeats = |truth: &str| {
        let [tp, _, missed, _] = counts(&at(truth), "exact", "pairs", "", "");
        tp + missed
    };
    // The pairs 0–1, 1–2 (two deletions: 10/12) and 0–2.
    assert_eq!([0.8, 0.83, 0.84].map(|least| repeats(&format!("levenshtein:{least}"))), [3, 2, 0]);
    assert_eq!(repeats("levenshtein:0.5"), 5);
    assert_eq!(repeats("indel:0.8"), 3);
    // MD5 finds none of these pairs, MinHash some. Pairs that no method finds remain unknown.
    let pooled = at("pooled:0.8");
    let [tp, _, missed, _] = counts(&pooled, "MinHash-128", "pairs", "", "");
    assert!(missed == 0 && (1..=3).contains(&tp), "{tp} {missed}");
    assert_eq!(counts(&pooled, "A0", "pairs", "", "")[0], 0);
    // Methods that are not shown are pooled all the same.
    let alone = report(&path, &["--truth", "pooled:0.8", "--engine", "a0"]);
    assert_eq!(counts(&alone, "A0", "pairs", "", ""), counts(&pooled, "A0", "pairs", "", ""));
    assert!(counts(&alone, "A0", "pairs", "", "")[2] > 0);
}

#[test]
fn whole_files_are_messages() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let torn = write("torn.txt", "\u{feff}Нечёткие дубли-\r\nкаты.\r\n\r\n- 12 -\r\n\u{c}\r\nКонец.\r\n");
    write("plain.txt", "Нечёткие дубликаты. Конец.");
    write("blank.txt", " \n\n");
    write("other.txt", "Другое.\n");
    let files = ["plain.txt", "blank.txt", "other.txt"].map(|name| folder.path().join(name).display().to_string());
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let arguments = [&files[..], &["--truth", "indel:0.99", "--engine", "a0", "--whole-files"]].concat();
    let found = report(&torn, &[&arguments[..], &["--reflow"]].concat());
    assert!(found["source"].as_str().unwrap().contains("3 messages"), "{}", found["source"]);
    assert_eq!(counts(&report(&torn, &arguments), "A0", "pairs", "", "")[..2], [0, 0]);
    let [tp, fp, ..] = counts(&found, "A0", "pairs", "", "");
    assert_eq!(tp + fp, 1);
    let refused = evaluate(&torn, &["--truth", "indel:0.9", "--engine", "a0", "--reflow"]);
    assert!(said(&refused).contains("torn.txt:1: --reflow: each line"), "{}", said(&refused));
}

#[test]
fn own_texts_are_edited() {
    let folder = tempfile::tempdir().unwrap();
    let path = clustered(&folder, "1000");
    let arguments = ["--truth", "edits", "--field", "m.t", "--sample", "200", "--engine", "simhash-char2"];
    let report = report(&path, &arguments);
    let of = |edit| counts(&report, "simhash-char2", "pairs", edit, "");
    // One post begins with a mention, which is wrapping there, but content after a repost marker.
    assert_eq!((of("repost"), of("emoji")), ([199, 0, 1, 0], [200, 0, 0, 0]));
    let ([one, ..], [four, ..]) = (of("substituted 1"), of("substituted 4"));
    assert!(one > 2 * four, "{one} {four}");
    let [tp, fp, r#fn, tn] = of("number (decoy)");
    assert!(tp + r#fn == 0 && fp > 0 && tn > 0, "{fp} {tn}");
    let other = self::report(&path, &[&arguments[..], &["--seed", "1"]].concat());
    assert_ne!(report["engines"], other["engines"]);
}

/// Truth is computed on the texts as they are read: tags that are removed before signing are not in the truth either.
#[test]
fn truth_is_of_the_texts_that_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let pages = ["<p>今天武汉的樱花开了</p>", "<div class=\"a\"><b>今天武汉的樱花开了</b></div>", "<p>明天见</p>"];
    let lines: String = pages.iter().map(|page| format!("{}\n", json!({ "text": page }))).collect();
    let path = folder.path().join("pages.jsonl");
    fs::write(&path, lines).unwrap();
    let truth = ["--truth", "indel:1.0", "--truth-on", "raw", "--engine", "A0"];
    for (markup, pairs) in [("keep", 0), ("strip", 1)] {
        let told = text(&path, &[&truth[..], &["--markup", markup]].concat());
        assert!(told.contains(&format!("by brute force: {pairs} pair")), "{markup}: {told}");
    }
    let told = text(&path, &[&truth[..], &["--markup", "strip"]].concat());
    assert!(told.contains("tags taken out") && told.contains("| A0 | MD5 | 1.000 | 1.000 | 1.000 |"), "{told}");
    // Engines read the same texts as methods, beside them and alone.
    let truth = &truth[..4];
    for more in [&["--engine", "exact", "--engine", "A0"][..], &["--engine", "exact"]] {
        for (markup, rates) in [("keep", "– | – | – |"), ("strip", "1.000 | 1.000 | 1.000 |")] {
            let told = text(&path, &[truth, more, &["--markup", markup]].concat());
            assert!(told.contains(&format!("| exact | --near none | {rates}")), "{markup}: {told}");
        }
    }
}
