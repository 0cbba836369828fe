//! `--recount` reports the counts of repeats: all of them, in order, whatever happens.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a panic is how a test fails; the seed must be told")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::common::PATIENCE;
use crate::common::place::{Place, input};
use oorandom::Rand64;
use serde_json::Value;

const ANNOTATED: [&str; 4] = ["dedup", "-q", "--seed=1", "--output=annotated"];

/// The counts that annotated records add up to, exact and near, by the id of the kept message.
type Counts = BTreeMap<String, [u64; 2]>;

/// Reads annotated records as a program would: returns the counts that it knows at the end, and the number of reports. Asserts that every
/// count equals the repeats that came before it, and that within a report the counts follow the order of the kept messages.
fn followed(output: &str) -> (Counts, usize) {
    let (mut seen, mut told, mut tellings) = (Counts::new(), Counts::new(), 0);
    let (mut places, mut last) = (BTreeMap::new(), None);
    for line in output.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let note = &record["quchong"];
        let of = note["of"].to_string();
        match note["verdict"].as_str().unwrap() {
            "kept" => {
                places.insert(record["id"].to_string(), places.len());
                last = None;
            }
            "recount" => {
                let [exact, near] = seen[&of];
                assert_eq!((&note["exact"], &note["near"]), (&exact.into(), &near.into()), "{line}");
                assert_eq!(note["count"], 1 + exact + near, "{line}");
                assert!(told.insert(of.clone(), [exact, near]) != Some([exact, near]), "told twice: {line}");
                tellings += usize::from(last.is_none());
                assert!(last.replace(places[&of]).is_none_or(|last| last < places[&of]), "not in order: {line}");
            }
            verdict => {
                seen.entry(of).or_default()[usize::from(verdict == "near")] += 1;
                last = None;
            }
        }
    }
    assert_eq!(told, seen, "some counts were not told");
    (told, tellings)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn without_counts(output: &str) -> String {
    output.lines().filter(|line| !line.contains("\"recount\"")).map(|line| format!("{line}\n")).collect()
}

/// Counts of a file follow the times of its messages: they come while the file is read, in the same bytes for any number of threads.
#[test]
fn a_file_is_told_by_its_times() {
    let place = Place::new(&input(1400, 1));
    for window in
        [&[][..], &["--window=400"], &["--window=10m", "--lateness=1m"], &["--near=simhash"], &["--max-memory=60MB"]]
    {
        let run = |more: &[&str]| text(place.succeed(&[&ANNOTATED[..], more, window, &["in.jsonl"]].concat()));
        let plain = run(&[]);
        for every in ["1s", "10m", "365d"] {
            let told = run(&["--recount", every]);
            assert_eq!(without_counts(&told), plain, "{window:?} {every}");
            let (counts, tellings) = followed(&told);
            assert!(counts.len() > 100, "{}", counts.len());
            match every {
                // Counts come only at the end of the input, or when messages leave the window.
                "365d" if !window.concat().contains("window=") => assert_eq!(tellings, 1, "{window:?}"),
                "365d" => {}
                // The messages span more than half an hour.
                "10m" => assert!(tellings > 2, "{window:?}: {tellings}"),
                _ => assert!(tellings > 55, "{window:?}: {tellings}"),
            }
            if every == "1s" {
                assert_eq!(run(&["--recount", every, "-j", "1"]), told, "{window:?}");
            }
        }
    }
    // Plain lines have no times, so their counts come once, at the end.
    fs::write(place.path("lines.txt"), "你好\n再见\n你好\n你好\n").unwrap();
    let told = text(place.succeed(&[&ANNOTATED[..], &["--recount=1ms", "lines.txt"]].concat()));
    assert_eq!(
        told.lines().last().unwrap(),
        r#"{"quchong":{"verdict":"recount","of":1,"count":3,"exact":2,"near":0}}"#,
        "{told}"
    );
    assert_eq!(told.lines().count(), 5);
}

/// The last count of a message comes as soon as it leaves the window, not when the interval is over, so that nothing is held for it.
#[test]
fn what_can_be_repeated_no_longer_is_told_at_once() {
    let place = Place::new(b"");
    let lines = ["你好", "你好", "一二三四五", "六七八九十", "甲乙丙丁戊", "子丑寅卯辰"].join("\n");
    fs::write(place.path("lines.txt"), lines).unwrap();
    let told = text(place.succeed(&[&ANNOTATED[..], &["--recount=10m", "--window=3", "lines.txt"]].concat()));
    let at = told.lines().position(|line| line.contains("recount")).unwrap();
    assert_eq!(at, 4, "{told}");
}

/// A run over files that is killed and resumed writes the same bytes, counts included.
#[test]
#[cfg(unix)]
fn a_crash_loses_no_count_of_a_file() {
    let seed = std::env::var("QUCHONG_SEED").map_or(5, |seed| seed.parse().unwrap());
    println!("QUCHONG_SEED={seed}");
    let mut random = Rand64::new(seed);
    let input = input(1700, 5);
    let mut kills = 0;
    for (window, every) in [
        (&[][..], "10m"),
        (&["--window=500"], "2m"),
        (&["--window=10m", "--lateness=1m"], "1m"),
        (&["--near=simhash"], "365d"),
    ] {
        let args =
            [&ANNOTATED[..], &["--state=state", "--resume", "-o", "out.jsonl", "--recount", every], window].concat();
        let args = [&args[..], &["in.jsonl"]].concat();
        let (whole, place) = (Place::new(&input), Place::new(&input));
        let longest = whole.timed(&args);
        kills += place.killed_until_done(&args, longest, &mut random, |_, _| {});
        let output = |place: &Place| fs::read_to_string(place.path("out.jsonl")).unwrap();
        assert!(output(&place) == output(&whole), "{window:?} {every}");
        followed(&output(&whole));
    }
    println!("{kills} runs were killed");
    assert!(kills > 3, "{kills}");
}

/// A run that reads a feed from the test, and its output.
struct Feed {
    child: std::process::Child,
    stdin: Option<std::process::ChildStdin>,
    answers: mpsc::Receiver<String>,
}

impl Feed {
    fn begin(place: &Place, more: &[&str]) -> Self {
        let args = [&ANNOTATED[..], more].concat();
        let mut child = place.command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { stdin: child.stdin.take(), child, answers }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn next(&self) -> String {
        self.answers.recv_timeout(PATIENCE).unwrap()
    }

    /// Kills the run once all earlier messages are recorded: they are recorded when the next message, which repeats nothing, is answered.
    fn kill(mut self, last: &str) {
        self.send(last);
        while !self.next().contains(last) {}
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// In a quiet feed, counts come by the wall clock, once for each change.
#[test]
fn a_feed_is_told_by_the_wall_clock() {
    let place = Place::new(b"");
    let mut feed = Feed::begin(&place, &["--recount=300ms"]);
    for (text, verdict) in [("你好", "kept"), ("再见", "kept"), ("再见", "exact"), ("你好", "exact")] {
        feed.send(text);
        let mut answer = feed.next();
        // On a slow machine, the interval may be over already.
        while answer.contains("recount") {
            answer = feed.next();
        }
        assert!(answer.contains(verdict), "{answer}");
    }
    let mut told: BTreeSet<String> = BTreeSet::new();
    while told.len() < 2 {
        told.insert(feed.next());
    }
    let count = |of, count| {
        let exact = count - 1;
        format!(r#"{{"quchong":{{"verdict":"recount","of":{of},"count":{count},"exact":{exact},"near":0}}}}"#)
    };
    assert_eq!(told, BTreeSet::from([count(1, 2), count(2, 2)]));
    // If nothing changed, no count comes.
    assert!(feed.answers.recv_timeout(Duration::from_millis(900)).is_err());
    feed.send("再见");
    assert!(feed.next().contains("exact"));
    assert_eq!(feed.next(), count(2, 3));
    // Counts that are still due at the end come at the end.
    let mut feed = Feed::begin(&place, &["--recount=10d"]);
    (0..3).for_each(|_| feed.send("你好"));
    drop(feed.stdin.take());
    let answers: Vec<String> = feed.answers.iter().collect();
    assert_eq!(answers[3..], [count(1, 3)]);
    feed.child.wait().unwrap();
}

/// Counts are stored with the messages: after a crash the run goes on counting, and reports the counts that were due.
#[test]
fn a_feed_that_is_killed_goes_on_counting() {
    let place = Place::new(b"");
    let state = ["--state=state", "--sync=none"];
    let mut feed = Feed::begin(&place, &[&state[..], &["--recount=10d"]].concat());
    for text in
        ["你好", "你好", "再见", "今天武汉的樱花开了，我在东湖边等你", "//@小王: 今天武汉的樱花开了，我在东湖边等你"]
    {
        feed.send(text);
        feed.next();
    }
    feed.kill("八点开会");
    let feed = Feed::begin(&place, &[&state[..], &["--recount=200ms"]].concat());
    let told = [feed.next(), feed.next()];
    assert!(told[0].contains(r#""of":{"record":1},"count":2,"exact":1,"near":0"#), "{told:?}");
    assert!(told[1].contains(r#""of":{"record":4},"count":2,"exact":0,"near":1"#), "{told:?}");
    feed.kill("九点吃饭");
    // Counts that were reported do not come again, and counting goes on.
    let mut feed = Feed::begin(&place, &[&state[..], &["--recount=200ms"]].concat());
    assert!(feed.answers.recv_timeout(Duration::from_millis(700)).is_err());
    feed.send("你好");
    assert!(feed.next().contains("exact"));
    assert!(feed.next().contains(r#""of":{"record":1},"count":3,"exact":2,"near":0"#));
    feed.kill("十点睡觉");
    // Compacting a state keeps its counts.
    place.succeed(&["state", "compact", "state"]);
    let mut feed = Feed::begin(&place, &[&state[..], &["--recount=10d"]].concat());
    feed.send("你好");
    drop(feed.stdin.take());
    let answers: Vec<String> = feed.answers.iter().collect();
    assert!(
        answers[1].contains(r#""of":{"record":1},"count":4,"exact":3,"near":0"#) && answers.len() == 2,
        "{answers:?}"
    );
    feed.child.wait().unwrap();
}

#[test]
fn what_has_no_place_for_counts_is_refused() {
    let place = Place::new("{\"text\":\"你好\"}\n".as_bytes());
    fs::write(place.path("a.csv"), "text\n你好\n").unwrap();
    fs::write(place.path("out.jsonl"), "before").unwrap();
    for (args, said) in [
        (&["--recount=10m", "in.jsonl"][..], "it needs --output annotated"),
        (&["--recount=10m", "--output=dropped", "in.jsonl"], "it needs --output annotated"),
        (&["--recount=10m", "--output=annotated", "a.csv"], "a.csv is a table"),
        (&["--recount=10m", "--output=annotated", "--format=tsv"], "<stdin> is a table"),
        (&["--recount=0s", "--output=annotated", "in.jsonl"], "not nothing"),
        (&["--recount=10", "--output=annotated", "in.jsonl"], "write 90s"),
        (
            &["--recount=10m", "--output=annotated", "--exact=bloom", "in.jsonl"],
            "--recount: does nothing under --exact bloom",
        ),
        (
            &["--recount=10m", "--output=annotated", "--exact=paper-trie", "in.jsonl"],
            "it needs --exact verified, trie or none",
        ),
        (&["--recount=10m", "--output=annotated", "--represent=longest", "in.jsonl"], "--represent"),
    ] {
        let stderr = place.refused(&[&["dedup", "-o", "out.jsonl"], args].concat());
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
    assert_eq!(fs::read(place.path("out.jsonl")).unwrap(), b"before");
    // A state has counts for all its messages or for none.
    place.succeed(&["dedup", "-q", "--state=plain", "in.jsonl"]);
    let counting = ["dedup", "-q", "--recount=1h", "--output=annotated", "in.jsonl", "--state"];
    assert!(place.refused(&[&counting[..], &["plain"]].concat()).contains("made without --recount; leave it out, or"));
    place.succeed(&[&counting[..], &["counting"]].concat());
    let stderr = place.refused(&["dedup", "-q", "--state=counting", "in.jsonl"]);
    assert!(stderr.contains("made with --recount; give it, or"), "{stderr}");
}
