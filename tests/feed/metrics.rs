//! A run that is monitored: its numbers over HTTP and in a file, its events as JSON.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use crate::common::place::{Place, input};
use crate::common::{PATIENCE, dedup, end, generated, quchong};
use serde_json::Value;

/// A run that serves its metrics at an address.
struct Watched {
    child: Child,
    stdin: Option<ChildStdin>,
    address: String,
    /// The sizes in bytes of the pieces that the run writes.
    answers: std::sync::mpsc::Receiver<usize>,
    stderr: BufReader<std::process::ChildStderr>,
    folder: tempfile::TempDir,
}

impl Watched {
    fn new(args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = quchong()
            .args(["dedup", "--metrics", ":0", "--summary"])
            .arg(folder.path().join("summary.json"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        stderr.read_line(&mut told).unwrap();
        let (_, address) = told.split_once("http://").unwrap_or_else(|| panic!("no address in {told:?}"));
        let address = address.trim_end().trim_end_matches("/metrics").to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{told}");
        let mut stdout = child.stdout.take().unwrap();
        let (sender, answers) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = vec![0; 1 << 16];
            while stdout.read(&mut bytes).is_ok_and(|read| read > 0 && sender.send(read).is_ok()) {}
        });
        Self { stdin: child.stdin.take(), child, address, answers, stderr, folder }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn ask(&self, request: &str) -> String {
        ask(&self.address, request)
    }

    /// Asks for the metrics until they satisfy `until`, and returns them.
    fn scrape(&self, until: impl Fn(&HashMap<String, f64>) -> bool) -> HashMap<String, f64> {
        let start = Instant::now();
        loop {
            let answer = self.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
            assert!(head.contains("\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n"), "{head}");
            assert!(head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())), "{head}");
            let metrics = samples(body);
            if until(&metrics) {
                return metrics;
            }
            assert!(start.elapsed() < PATIENCE, "{body}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the input and returns the summary.
    fn finish(mut self) -> Value {
        drop(self.stdin.take());
        let status = end(&mut self.child);
        let mut stderr = String::new();
        self.stderr.read_to_string(&mut stderr).unwrap();
        assert_eq!(status.code(), Some(0), "{stderr}");
        serde_json::from_slice(&fs::read(self.folder.path().join("summary.json")).unwrap()).unwrap()
    }
}

fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Returns the value of each sample, by name with labels. Asserts that the whole text is in the format: each family once, its HELP and
/// TYPE before its samples, counters named `_total`, and no sample twice.
fn samples(text: &str) -> HashMap<String, f64> {
    assert!(text.ends_with('\n'));
    let (mut samples, mut families) = (HashMap::new(), Vec::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').unwrap();
            assert!(!help.is_empty() && !families.contains(&name), "{line}");
            families.push(name);
            continue;
        }
        let family = *families.last().unwrap();
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let kind = kind.strip_prefix(family).unwrap().trim();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(kind == "counter", family.ends_with("_total"), "{line}");
            continue;
        }
        let (name, value) = line.rsplit_once(' ').unwrap();
        let (bare, labels) = name.split_once('{').unwrap_or((name, "}"));
        let suffix = bare.strip_prefix(family).unwrap_or_else(|| panic!("{line} is not of {family}"));
        assert!(["", "_bucket", "_sum", "_count"].contains(&suffix) && labels.ends_with('}'), "{line}");
        assert!(samples.insert(name.to_owned(), value.parse().unwrap()).is_none(), "{line} is there twice");
    }
    samples
}

/// Asserts that the metrics are the numbers of the summary.
fn same(metrics: &HashMap<String, f64>, summary: &Value) {
    let number = |pointer: &str| summary.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0);
    let mut pairs: Vec<(String, String)> = [
        ("quchong_messages_total", "/in"),
        ("quchong_kept_total", "/kept"),
        ("quchong_dropped_total{by=\"exact\"}", "/dropped/exact"),
        ("quchong_dropped_total{by=\"near\"}", "/dropped/near"),
        ("quchong_read_bytes_total", "/bytes_in"),
        ("quchong_written_bytes_total", "/bytes_out"),
        ("quchong_state_bytes{part=\"filter\"}", "/state_bytes/filter"),
        ("quchong_state_bytes{part=\"trie\"}", "/state_bytes/trie"),
        ("quchong_state_bytes{part=\"near\"}", "/state_bytes/near"),
        ("quchong_bloom_texts", "/filter/inserted"),
        ("quchong_bloom_capacity_texts", "/filter/capacity"),
        ("quchong_bloom_fill_ratio", "/filter/fill"),
        ("quchong_bloom_false_positive_ratio", "/filter/expected_error"),
        ("quchong_verdict_seconds_count", "/in"),
    ]
    .map(|(name, pointer)| (name.to_owned(), pointer.to_owned()))
    .into();
    let kinds = ["invalid-utf8", "invalid-json", "missing-field", "not-a-string", "line-too-long", "invalid-encoding"];
    pairs.extend(kinds.map(|kind| (format!("quchong_errors_total{{kind=\"{kind}\"}}"), format!("/errors/{kind}"))));
    for (name, pointer) in pairs {
        // A number that was read from JSON may differ in its last digit.
        let (found, expected) = (metrics[&name], number(&pointer));
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{name} is {found}, not {pointer} of {summary}");
    }
}

#[test]
fn a_scrape_in_the_middle_of_a_run_has_the_numbers_of_the_summary() {
    let args = ["--capacity", "10000"];
    let posts = generated(3000);
    let faults = b"{\"text\": 17}\n\n{\"txt\": \"a\"}\n{\"text\": 18}\n";
    let texts = dedup(&args, &[&posts[..], faults].concat()).summary["filter"]["inserted"].as_f64().unwrap();
    let mut run = Watched::new(&args);
    assert_eq!(run.scrape(|_| true)["quchong_messages_total"], 0.0);
    let (first, second) = posts.split_at(posts.len() / 2);
    run.feed(first);
    let before = run.scrape(|metrics| metrics["quchong_messages_total"] > 0.0);
    run.feed(second);
    run.feed(faults);
    // Counts are updated with each batch, the numbers of the state within seconds.
    let metrics =
        run.scrape(|metrics| metrics["quchong_messages_total"] == 3004.0 && metrics["quchong_bloom_texts"] == texts);
    assert_eq!(metrics["quchong_live_messages{stage=\"exact\"}"], texts);
    assert!(before["quchong_kept_total"] <= metrics["quchong_kept_total"]);
    let mut below = 0.0;
    for bound in ["0.0001", "0.001", "0.1", "10", "+Inf"] {
        let bucket = metrics[&format!("quchong_verdict_seconds_bucket{{le=\"{bound}\"}}")];
        assert!(bucket >= below, "{bound}");
        below = bucket;
    }
    assert_eq!(below, 3004.0);
    assert!(metrics["quchong_verdict_seconds_sum"] > 0.0);
    assert_eq!(metrics[&format!("quchong_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))], 1.0);
    let live = metrics["quchong_live_messages{stage=\"near\"}"];
    assert!(live > 0.0 && live <= metrics["quchong_kept_total"], "{live}");
    #[cfg(target_os = "linux")]
    assert!(metrics["quchong_resident_memory_bytes"] > 1e6);
    assert!(!metrics.keys().any(|name| name.contains("lag") || name.contains("untimely")));
    let summary = run.finish();
    assert_eq!(summary["errors"]["not-a-string"], 2);
    same(&metrics, &summary);
}

#[test]
fn the_lag_is_told_where_messages_have_times() {
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let record = |text: &str, time: f64| format!("{{\"text\": \"{text}\", \"at\": {time}}}\n");
    for window in [&[][..], &["--window", "1h"]] {
        let mut run = Watched::new(&[&["--time-field", "at"], window].concat());
        let an_hour_ago = now() - 3600.0;
        run.feed((record("一", an_hour_ago - 60.0) + &record("二", an_hour_ago) + "{\"text\": \"三\"}\n").as_bytes());
        let metrics = run.scrape(|metrics| metrics["quchong_messages_total"] == 3.0);
        let lag = metrics["quchong_lag_seconds"];
        assert!((3599.0..3600.0 + 2.0 * PATIENCE.as_secs_f64()).contains(&lag), "{lag}");
        let missing = metrics.get("quchong_untimely_total{kind=\"missing\"}");
        assert_eq!(missing.is_some(), !window.is_empty());
        run.finish();
    }
}

#[test]
fn clients_that_say_nothing_or_nonsense_hinder_nobody() {
    let mut run = Watched::new(&["--near", "none"]);
    // More clients than are served at a time; the server waits for each of them for seconds.
    let silent: Vec<_> = (0..100).map(|_| TcpStream::connect(&run.address).unwrap()).collect();
    let start = Instant::now();
    assert!(run.ask("GET /healthz HTTP/1.1\r\n\r\n").ends_with("\r\n\r\nok\n"));
    run.feed("你好\n".as_bytes());
    run.answers.recv_timeout(PATIENCE).expect("a verdict while clients say nothing");
    run.scrape(|metrics| metrics["quchong_messages_total"] == 1.0);
    assert!(start.elapsed() < PATIENCE);
    let long = format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    for (request, status) in [
        ("GET / HTTP/1.1\r\n\r\n", "404 Not Found"),
        ("GET /metricsx HTTP/1.1\r\n\r\n", "404 Not Found"),
        ("POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        ("GET /metrics\r\n\r\n", "400 Bad Request"),
        ("nonsense\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\n\n", "200 OK"),
        ("GET /metrics?a=b HTTP/1.0\r\nHost: a\r\n\r\n", "200 OK"),
        (&long, "431 Request Header Fields Too Large"),
    ] {
        let answer = run.ask(request);
        // The version is the client's.
        let told = answer.strip_prefix("HTTP/1.1 ").or_else(|| answer.strip_prefix("HTTP/1.0 ")).unwrap_or_default();
        assert!(told.starts_with(&format!("{status}\r\n")), "{request:?}: {answer}");
    }
    let head = run.ask("HEAD /metrics HTTP/1.1\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    drop(silent);
    assert_eq!(run.finish()["in"], 1);
}

#[test]
fn an_address_that_cannot_be_had_is_one_clear_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = dedup(&["--metrics", &address], b"a\n");
    assert_eq!((run.code, run.text()), (Some(2), ""));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(
        run.stderr.starts_with(&format!("quchong: error: --metrics {address}: Address already in use")),
        "{}",
        run.stderr
    );
    for address in ["9184", ":", ":65536", "localhost"] {
        let run = dedup(&["--metrics", address], b"a\n");
        let reason = if address == ":65536" { "from 0 to 65535" } else { ":PORT for loopback" };
        assert!(run.code == Some(2) && run.stderr.contains(reason), "{}", run.stderr);
    }
}

#[test]
fn the_file_has_the_numbers_of_the_summary_at_the_end_and_is_never_partial() {
    let place = Place::new(&input(3000, 1));
    fs::write(place.path("m.prom"), "old\n").unwrap();
    let args = ["dedup", "-o", "out", "--summary", "summary", "--metrics-file", "m.prom", "--window", "10m", "-"];
    let mut child =
        place.command(&args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // At any moment the file is either the old one, unchanged, or a complete new one.
    let read = || fs::read_to_string(place.path("m.prom")).unwrap();
    let start = Instant::now();
    while read() == "old\n" {
        assert!(start.elapsed() < PATIENCE, "nothing was written");
    }
    assert_eq!(samples(&read())["quchong_messages_total"], 0.0);
    stdin.write_all(&fs::read(place.path("in.jsonl")).unwrap()).unwrap();
    // The file is written again even before the input ends.
    while samples(&read())["quchong_messages_total"] < 3000.0 {
        assert!(start.elapsed() < PATIENCE, "{}", read());
        std::thread::sleep(Duration::from_millis(1));
    }
    stdin.write_all(b"{\"text\": \"one more\"}\n").unwrap();
    drop(stdin);
    assert_eq!(end(&mut child).code(), Some(0));
    let summary: Value = serde_json::from_slice(&fs::read(place.path("summary")).unwrap()).unwrap();
    let metrics = samples(&read());
    assert_eq!(metrics["quchong_messages_total"], 3001.0);
    same(&metrics, &summary);
    assert_eq!(Some(metrics["quchong_untimely_total{kind=\"late\"}"]), summary["times"]["late"].as_f64());
    let beside: Vec<_> = fs::read_dir(&place.folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(!beside.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{beside:?}");
}

#[test]
fn a_metrics_file_that_would_destroy_something_is_refused() {
    let place = Place::new(b"{\"text\": \"a\"}\n");
    fs::write(place.path("out"), "").unwrap();
    let refusals = [
        ("in.jsonl", "are the same file"),
        ("out", "are the same file"),
        ("/dev/null", "is no file"),
        ("missing/m.prom", "No such file or directory"),
    ];
    for (file, said) in refusals {
        let stderr = place.refused(&["dedup", "-o", "out", "--metrics-file", file, "in.jsonl"]);
        assert!(stderr.starts_with("quchong: error: ") && stderr.contains(said), "{stderr}");
        assert!(stderr.contains(file) && stderr.lines().count() == 1, "{stderr}");
    }
    assert_eq!(fs::read(place.path("in.jsonl")).unwrap(), b"{\"text\": \"a\"}\n");
}

#[test]
fn a_metrics_file_that_cannot_be_written_at_the_end_is_told_and_fails_no_run() {
    let place = Place::new(b"");
    fs::create_dir(place.path("metrics")).unwrap();
    let args = ["dedup", "-q", "-o", "out", "--metrics-file", "metrics/m.prom"];
    let mut child = place.command(&args).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !place.path("metrics/m.prom").exists() {
        assert!(start.elapsed() < PATIENCE, "nothing was written");
        std::thread::sleep(Duration::from_millis(5));
    }
    fs::remove_dir_all(place.path("metrics")).unwrap();
    child.stdin.take().unwrap().write_all("你好\n".as_bytes()).unwrap();
    assert_eq!(end(&mut child).code(), Some(0));
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let said = "quchong: warning: --metrics-file: metrics/m.prom: No such file or directory; the";
    assert!(stderr.starts_with(said) && stderr.lines().count() == 1, "{stderr}");
    assert_eq!(fs::read_to_string(place.path("out")).unwrap(), "你好\n");
}

#[test]
fn events_as_json_are_an_object_a_line_with_the_words_of_the_text() {
    let lines: String = (0..300).map(|i| format!("{{\"text\": \"第{i}条消息\"}}\n")).collect();
    let lines = lines + "{\"text\": 17}\n{\n";
    let args = ["--exact", "bloom", "--near", "none", "--capacity", "100"];
    let text = dedup(&args, lines.as_bytes());
    let json = dedup(&[&args[..], &["--log-format", "json"]].concat(), lines.as_bytes());
    let events: Vec<Value> = json.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let words = |line: &str| {
        line.trim_start_matches("quchong: ").trim_start_matches("error: ").split("; ").next().unwrap().to_owned()
    };
    let told: Vec<String> = events.iter().map(|event| words(event["message"].as_str().unwrap())).collect();
    assert_eq!(told, text.stderr.lines().map(words).collect::<Vec<_>>());
    for event in &events {
        let timestamp = event["timestamp"].as_str().unwrap();
        assert!(timestamp.starts_with("20") && timestamp.ends_with('Z'), "{event}");
        assert!(["INFO", "WARN", "ERROR"].contains(&event["level"].as_str().unwrap()), "{event}");
    }
    let fault = &events[0];
    assert_eq!(
        (&fault["file"], &fault["line"], &fault["kind"]),
        (&"<stdin>".into(), &301.into(), &"not-a-string".into())
    );
    assert_eq!(fault["level"], "WARN");
    let sums: Vec<_> = events.iter().filter(|event| event["in"] == 302).collect();
    assert!(sums.len() == 1 && sums[0]["level"] == "INFO" && sums[0]["errors"] == 2, "{events:?}");
    let filter = events.iter().filter(|event| event["capacity"] == 100).count();
    assert_eq!(filter, 2, "the warning and the summary: {events:?}");

    let failed = dedup(&["--log-format", "json", "--near", "none", "--on-error", "fail"], b"{\"text\": 17}\n");
    let last: Value = serde_json::from_str(failed.stderr.lines().last().unwrap()).unwrap();
    assert_eq!((failed.code, &last["level"]), (Some(2), &"ERROR".into()));
    assert!(last["message"].as_str().unwrap().starts_with("<stdin>:1: field `text` is not a string"), "{last}");
    let quiet = dedup(&["--log-format", "json", "--quiet"], b"{\"text\": 17}\n");
    assert_eq!((quiet.code, quiet.stderr.lines().count()), (Some(3), 1));
    let only: Value = serde_json::from_str(&quiet.stderr).unwrap();
    assert!(only["level"] == "ERROR" && only["message"].as_str().unwrap().contains("1 of 1 record "), "{only}");
}

#[test]
fn a_filter_that_fills_up_is_told_before_it_errs_too_often_and_once_more_when_it_does() {
    let mut run = Watched::new(&["--exact", "bloom", "--near", "none", "--capacity", "100"]);
    let mut told = Vec::new();
    for i in 0..120 {
        run.feed(format!("第{i}条消息\n").as_bytes());
        run.answers.recv_timeout(PATIENCE).unwrap();
        if [90, 100].contains(&i) {
            let mut line = String::new();
            run.stderr.read_line(&mut line).unwrap();
            told.push(line);
        }
    }
    assert!(told[0].contains("warning: the Bloom filter holds nine tenths of the 100 texts"), "{told:?}");
    assert!(told[1].contains("warning: more texts than the 100 that the Bloom filter was sized for"), "{told:?}");
    assert!(told.iter().all(|line| line.contains("--capacity")), "{told:?}");
    drop(run.stdin.take());
    let mut rest = String::new();
    run.stderr.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("warning: "), "{rest}");

    // Under a window of messages, no filter gets more texts than it was sized for.
    let lines: String = (0..3000).map(|i| format!("第{i}条消息\n")).collect();
    let windowed = dedup(&["--exact", "bloom", "--near", "none", "--window", "400"], lines.as_bytes());
    assert!(!windowed.stderr.contains("warning: "), "{}", windowed.stderr);
}
