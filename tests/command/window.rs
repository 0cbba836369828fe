//! Under a window every engine gives the verdicts of the definition, and memory follows the window.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::oracle::hold_against_the_oracle;
use crate::common::{dedup, generated, our_own, shared};
use oorandom::Rand64;
use quchong::Config;
use quchong::config::{ExactMode, NearMode, Span};
use serde_json::Value;

/// Configurations of the engine for near repeats, each with its options.
fn engines() -> Vec<(Config, Vec<&'static str>)> {
    vec![
        (Config::default(), vec![]),
        (Config { verify_window: 150, ..Config::default() }, vec!["--verify-window", "150"]),
        (Config::of(NearMode::SimHash), vec!["--near", "simhash"]),
        (Config::of(NearMode::MinHash), vec!["--near", "minhash"]),
        (
            Config { exact: ExactMode::Trie, ..Config::of(NearMode::SimHash) },
            vec!["--near", "simhash", "--exact", "trie"],
        ),
    ]
}

fn without_verify_window<'a>(args: &'a [&'a str]) -> &'a [&'a str] {
    if args.first() == Some(&"--verify-window") { &args[2..] } else { args }
}

#[test]
fn of_messages() {
    let input = String::from_utf8(generated(500)).unwrap();
    let mut random = Rand64::new(11);
    for (config, args) in engines() {
        let mut dropped = Vec::new();
        for length in [1, 2 + random.rand_range(0..60), 100 + random.rand_range(0..1800)] {
            let config = Config { window: Some(Span::Messages(length)), ..config.clone() };
            // The window of the repeat rule does nothing unless it is shorter than the window of messages.
            let args = if config.verify_window < length { &args[..] } else { without_verify_window(&args) };
            let length = length.to_string();
            let args = [args, &["--window", &length]].concat();
            dropped.push(hold_against_the_oracle(&input, &config, &args));
            let renewing = Config { refresh: true, ..config };
            let more = hold_against_the_oracle(&input, &renewing, &[&args[..], &["--refresh"]].concat());
            assert!(more >= dropped[dropped.len() - 1], "{args:?}");
        }
        assert!(dropped.is_sorted() && dropped[2] > dropped[1] + 25, "{args:?} {dropped:?}");
    }
}

/// Records with times that are late, missing, doubled or invalid, even among the first ones, and with gaps.
fn timed(input: &str, random: &mut Rand64) -> String {
    let (mut at, mut number) = (1_540_958_400_000_u64, 0);
    let mut record = |line: &str| {
        at += random.rand_range(0..2000);
        number += 1;
        // Now and then, a quiet hour.
        at += if random.rand_range(0..200) == 0 { 4_000_000 } else { 0 };
        let time = match random.rand_range(0..100) {
            _ if number <= 2 => Value::from(at * 2),
            0 => Value::Null,
            1 => Value::from("some time"),
            2 => Value::from(at * 2),
            3..=10 => Value::from(at - random.rand_range(0..600_000)),
            11 => Value::from(at / 1000),
            _ => Value::from(at - random.rand_range(0..30_000)),
        };
        let mut record: Value = serde_json::from_str(line).unwrap();
        record["created_at"] = time;
        record.to_string() + "\n"
    };
    input.lines().map(&mut record).collect()
}

#[test]
fn of_time() {
    let mut random = Rand64::new(12);
    let input = timed(&String::from_utf8(generated(500)).unwrap(), &mut random);
    for (config, args) in engines() {
        let (mut dropped, mut renewed) = (Vec::new(), 0);
        for (length, lateness) in [("20s", 0), ("10m", 30_000), ("1h", 400_000), ("2m", 300_000)] {
            let units = [("s", 1000), ("m", 60_000), ("h", 3_600_000)];
            let (unit, factor) = units.into_iter().find(|(unit, _)| length.ends_with(unit)).unwrap();
            let milliseconds: u64 = length.trim_end_matches(unit).parse().unwrap();
            let span = Span::Time { length: milliseconds * factor, lateness };
            let config = Config { window: Some(span), ..config.clone() };
            let lateness = format!("{lateness}ms");
            let args = [&args[..], &["--window", length, "--lateness", &lateness]].concat();
            dropped.push(hold_against_the_oracle(&input, &config, &args));
            let renewing = Config { refresh: true, ..config };
            let more = hold_against_the_oracle(&input, &renewing, &[&args[..], &["--refresh"]].concat());
            renewed += more - dropped[dropped.len() - 1];
        }
        assert!(renewed > 0, "{args:?}");
        assert!(dropped[0] > 0 && dropped[1] > dropped[0] + 25 && dropped[2] >= dropped[1], "{args:?} {dropped:?}");
    }
}

#[test]
fn of_texts_of_our_own_and_real_posts() {
    let mut inputs = vec![(our_own(900), 200)];
    if let Some(path) = shared("weibo-dev.jsonl") {
        let all = fs::read_to_string(&path).unwrap();
        inputs.push((all.split_inclusive('\n').skip(50_000).take(900).collect(), 250));
    }
    for (input, length) in inputs {
        for (config, args) in engines() {
            let config = Config { window: Some(Span::Messages(length)), ..config };
            hold_against_the_oracle(&input, &config, &[&args[..], &["--window", &length.to_string()]].concat());
        }
    }
}

#[test]
fn for_any_number_of_threads() {
    let mut random = Rand64::new(13);
    let input = timed(&String::from_utf8(generated(3000)).unwrap(), &mut random).into_bytes();
    for more in [&["--window", "20m", "--lateness", "1m"][..], &["--window", "700"], &["--max-memory", "120MB"]] {
        let threads = |threads| dedup(&[&["--output", "annotated", "-j", threads], more].concat(), &input).stdout;
        assert!(threads("1") == threads("3"), "{more:?}");
    }
}

#[test]
fn times_that_were_not_taken_as_they_stood_are_counted() {
    let record = |at: &str, text: &str| format!("{{\"text\":\"{text}\",\"created_at\":{at}}}\n");
    let input = [
        record("\"2018-10-31T12:00:00+08:00\"", "你好"),
        record("\"soon\"", "你好"),
        record("1540958300", "你好"),
        record("\"Wed Oct 31 13:59:59 +0800 2018\"", "你好"),
        record("4102444800", "明天见"),
        record("1540965601000", "你好"),
    ];
    let run = dedup(&["--window", "2h", "--lateness", "10s"], input.concat().as_bytes());
    assert_eq!(run.total("/kept"), 3, "{}", run.text());
    assert_eq!((run.total("/times/missing"), run.total("/times/late"), run.total("/times/ahead")), (1, 1, 1));
    assert!(run.stderr.contains("times: 1 message had none that could be read"), "{}", run.stderr);
    assert!(dedup(&["--window", "9"], b"a\n").summary["times"].is_null());
}

/// The first message after a quiet time repeats nothing, because all earlier messages are out of its window.
#[test]
fn what_comes_after_a_gap_repeats_nothing_before_it() {
    let record = |id: u32, at: &str| {
        format!("{{\"id\":{id},\"text\":\"各位早安，今天也要加油\",\"at\":\"2026-11-23T{at}:00Z\"}}\n")
    };
    let feed =
        [(1, "00:00"), (2, "09:00"), (3, "09:30"), (4, "09:40"), (5, "20:00")].map(|(id, at)| record(id, at)).concat();
    let filter = ["--exact", "bloom", "--near", "none"];
    for more in
        [&[][..], &["--exact", "none"], &["--near", "none"], &["--near", "simhash"], &["--near", "minhash"], &filter]
    {
        let args = [&["--window", "1h", "--time-field", "at", "--output", "annotated"], more].concat();
        let run = dedup(&args, feed.as_bytes());
        let kept: Vec<_> = run.json().iter().map(|record| record["quchong"]["verdict"] == "kept").collect();
        // The second message after the gap confirms the time of the first one.
        assert_eq!(kept, [true, true, false, false, true], "{more:?}");
        if more != filter {
            assert_eq!(run.json()[3]["quchong"]["of"], 2);
        }
        assert_eq!(run.total("/times/ahead"), 2);
    }
}

/// A wrong time at the beginning does not make the window forget all that follows, nor remember it for ever.
#[test]
fn a_first_message_from_the_future_does_not_hold_the_window() {
    let record = |at: u64, text: u64| format!("{{\"text\":\"{text}\",\"created_at\":{}}}\n", 1_540_958_400 + at);
    // Each text comes again after a minute, and once more after two hours.
    let texts = (0..3000_u64)
        .flat_map(|i| [record(i * 60, i), record(i * 60, i.wrapping_sub(1)), record(i * 60, i.wrapping_sub(120))]);
    let feed: String = texts.collect();
    let args = ["--window", "1h", "--near", "none"];
    let expected = dedup(&args, feed.as_bytes()).total("/kept");
    for wrong in [1, 2, 50] {
        let input = (0..wrong).map(|i| record(2_559_000_000, 10_000 + i)).collect::<String>() + &feed;
        let run = dedup(&args, input.as_bytes());
        assert_eq!(run.total("/times/back"), 1, "{}", run.stderr);
        let kept = run.total("/kept") - wrong;
        assert!(expected > 5000 && kept + 100 > expected && kept <= expected, "{kept} of {expected}");
        assert!(run.stderr.contains("fell back to them"), "{}", run.stderr);
    }
}

#[test]
fn memory_that_is_full_ends_the_run_where_that_is_asked_for() {
    // Short texts, which differ from each other.
    let input =
        (0..120_000_u64).map(|i| format!("{:x}\n", (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect::<String>();
    let (input, args) = (input.as_bytes(), ["--near", "simhash", "--capacity", "1e5", "--max-memory", "40MB"]);
    let stopped = dedup(&[&args[..], &["--on-full", "stop"]].concat(), input);
    assert_eq!(stopped.code, Some(2), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("memory is as full as --max-memory allows"), "{}", stopped.stderr);
    let expired = dedup(&args, input);
    let bytes = ["/state_bytes/filter", "/state_bytes/trie", "/state_bytes/near"].map(|part| expired.total(part));
    assert!(expired.code == Some(0) && bytes.iter().sum::<u64>() < 10_000_000, "{}", expired.summary);
    assert!(dedup(&args[..4], input).total("/kept") < expired.total("/kept"), "nothing was forgotten");
}

#[test]
fn a_window_of_time_wants_times() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain.txt");
    fs::write(&plain, "你好\n").unwrap();
    let new = folder.path().join("new");
    for more in [&["--format", "lines"][..], &[], &[plain.to_str().unwrap(), "-o", new.to_str().unwrap()]] {
        let refused = dedup(&[&["--window", "24h"], more].concat(), "你好\n再见\n".as_bytes());
        assert_eq!((refused.code, refused.stdout.len()), (Some(2), 0), "{more:?}");
        assert!(
            refused.stderr.contains("--window: plain lines have no times; give a number of messages"),
            "{refused:?}",
            refused = refused.stderr
        );
    }
    assert!(!new.exists());
    let told = |field: &str, lines: usize| {
        let line = |i| format!("{{\"text\":\"{i}\",\"at\":{},\"day\":\"{i}.19\"}}\n", 1_600_000_000 + i);
        let input = (0..lines).map(line).collect::<String>();
        let run = dedup(&["--window", "24h", "--time-field", field], input.as_bytes());
        let is_odd = run.stderr.contains("times: all are before 1980, the latest is 1970-01-01T00:33:19.19Z");
        assert_eq!(is_odd, field == "day" && lines == 2000, "{}", run.stderr);
        run.stderr.contains("none of the first 1,000 messages has a time after 1979")
    };
    // A number that is no time: 1.19 for 19 January.
    assert!(told("ta", 2000) && !told("at", 2000) && !told("ta", 900) && told("day", 2000));
}
