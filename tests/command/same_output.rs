//! The same input gives the same output with any number of threads, any way of reading and any split, and this output is the one that the
//! definition asks for.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::common::oracle::hold_against_the_oracle;
use crate::common::{dedup, generated, our_own, quchong, shared};
use quchong::Config;
use quchong::config::{Guard, NearMode, Preset, Shingle};

const EVERYTHING: [&str; 4] = ["--output", "annotated", "--shingle", "char:3"];

#[test]
fn for_any_number_of_threads() {
    let input = generated(4000);
    let serial = dedup(&[&EVERYTHING[..], &["-j", "1"]].concat(), &input);
    assert!(serial.total("/dropped/near") > 100, "{}", serial.summary);
    for threads in ["2", "3", "8"] {
        let parallel = dedup(&[&EVERYTHING[..], &["-j", threads]].concat(), &input);
        assert!(parallel.stdout == serial.stdout, "{threads} threads");
    }
    for more in [["--preset", "simhash"], ["--near", "minhash"]] {
        let threads = |threads| dedup(&[&["--output", "annotated", "-j", threads], &more[..]].concat(), &input).stdout;
        assert!(threads("1") == threads("2"), "{more:?}");
    }
}

/// The output is the same for any number of threads, even with many repeats within one batch, repeats of repeats, windows that slide
/// within a batch, floods, and lines that are not messages.
#[test]
fn for_any_number_of_threads_however_short_the_window() {
    let posts = String::from_utf8(generated(250)).unwrap() + &our_own(250);
    let mut lines = Vec::new();
    let mut add = |text: &str| {
        let at = lines.len();
        let time = 1_540_958_400 + at * 2 - at % 7 * 40;
        let by = ["甲", "乙", "丙"][at * at % 7 % 3];
        lines.push(serde_json::json!({"id": at, "by": by, "created_at": time, "text": text}).to_string());
        if at % 97 == 0 {
            lines.push(["", "{", "7"][at % 3].to_owned());
        }
    };
    for (at, post) in posts.lines().enumerate() {
        let post: serde_json::Value = serde_json::from_str(post).unwrap();
        let mut text: Vec<char> = post["text"].as_str().unwrap().chars().collect();
        add(post["text"].as_str().unwrap());
        add(&format!("【武汉通】您的验证码是{}，请在5分钟内输入，不要告诉他人", 100_000 + at * at % 5000));
        add(&format!("尊敬的{}女士，您预约的{}号门诊已经确认，请提前十分钟到三楼候诊", at % 40, at % 300));
        // Each step is near the one before it, but the last is not near the first.
        for step in 0..if at % 9 == 0 { 10 } else { at % 2 } {
            let (places, at) = (text.len(), step * 7 + at);
            text[at % places] = '武';
            text[at * 3 % places] = '汉';
            add(&String::from_iter(&text));
        }
    }
    let input = lines.join("\n");
    for more in [
        &[][..],
        &["--verify-window", "40"],
        &["--window", "150"],
        &["--window", "1500", "--refresh"],
        &["--window", "20m", "--lateness", "2m"],
        &["--window", "5m", "--refresh"],
        &["--scope", "by"],
        &["--explain", "--keep", "2"],
    ] {
        let threads = |threads| dedup(&[&["--output", "annotated", "-j", threads], more].concat(), input.as_bytes());
        let serial = threads("1");
        assert!(serial.total("/dropped/near") > 100, "{more:?}: {}", serial.summary);
        for number in ["2", "3", "8"] {
            assert!(threads(number).stdout == serial.stdout, "{more:?}, {number} threads");
        }
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

#[test]
fn it_is_what_the_definition_asks_for() {
    let input = String::from_utf8(generated(1500)).unwrap();
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
    the_hybrid(&(String::from_utf8(generated(500)).unwrap() + &our_own(700)));
    if let Some(path) = shared("weibo-dev.jsonl") {
        let all = fs::read_to_string(&path).unwrap();
        the_hybrid(&all.split_inclusive('\n').skip(100_000).take(900).collect::<String>());
    }
}

fn the_hybrid(input: &str) {
    for (window, similarity, guard) in
        [(1, 620, "facts"), (300, 620, "off"), (4000, 620, "facts"), (4000, 450, "facts")]
    {
        let config = Config {
            verify_window: window,
            similarity,
            guard: if guard == "facts" { Guard::Facts } else { Guard::Off },
            ..Config::default()
        };
        let (window, similarity) = (window.to_string(), (f64::from(similarity) / 1000.0).to_string());
        let args = ["--verify-window", &window, "--similarity", &similarity, "--guard", guard];
        hold_against_the_oracle(input, &config, &args);
    }
}

fn fingerprints(input: &str) {
    hold_against_the_oracle(input, &Preset::Simhash.config(), &["--preset", "simhash"]);
    hold_against_the_oracle(input, &Config::of(NearMode::SimHash), &["--near", "simhash"]);
    hold_against_the_oracle(input, &Config::of(NearMode::MinHash), &["--near", "minhash"]);
}

#[test]
fn on_texts_of_our_own_too() {
    fingerprints(&our_own(1500));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.jsonl");
    fs::write(&path, String::from_utf8(generated(3000)).unwrap() + &our_own(1000)).unwrap();
    keeps_lines_as_they_are(&path, 4000);
}

#[test]
#[ignore = "the same on real posts; .ci/run runs it"]
fn on_real_posts_too() {
    let Some(path) = shared("weibo-dev.jsonl") else { return };
    let all = fs::read_to_string(&path).unwrap();
    let posts = |from, count| all.split_inclusive('\n').skip(from).take(count).collect::<String>();
    fingerprints(&posts(100_000, 1200));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.jsonl");
    fs::write(&path, posts(0, 10_000)).unwrap();
    keeps_lines_as_they_are(&path, 10_000);
}

/// Asserts that the kept lines are a subsequence of the file, and the same for one thread and two.
fn keeps_lines_as_they_are(path: &Path, records: u64) {
    let all = fs::read_to_string(path).unwrap();
    let kept = dedup(&["-j", "2", path.to_str().unwrap()], b"");
    assert_eq!((kept.code, kept.total("/in"), kept.total("/errors/total")), (Some(0), records, 0));
    let mut lines = all.split_inclusive('\n');
    let mut count = 0;
    for line in kept.text().split_inclusive('\n') {
        assert!(lines.any(|other| other == line), "not a subsequence of the input: {line}");
        count += 1;
    }
    assert_eq!(count, kept.total("/kept"));
    assert!(dedup(&["-j", "1", path.to_str().unwrap()], b"").stdout == kept.stdout, "one thread and two differ");
}
