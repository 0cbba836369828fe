//! `quchong serve`: what its answers promise, to clients that are slow, rude or many, and across kills.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a panic is how a test fails; the seed and what is skipped are told"
)]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::place::{ENGINES, Place, input};
use crate::common::{PATIENCE, end, quchong};
use oorandom::Rand64;
use serde_json::{Value, json};

const METRICS: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
const JSONL: &str = "application/x-ndjson";

/// A service over the state of a place.
pub(crate) struct Served {
    child: Child,
    stderr: BufReader<ChildStderr>,
    port: u16,
}

impl Drop for Served {
    fn drop(&mut self) {
        // Where a test fails, nothing stays behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn new(place: &Place, args: &[&str]) -> Self {
        Self::of(place.command(&["serve", "--state", "state", "--listen", ":0,unix:socket"]).args(args))
    }

    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        // What the state has lost is told first.
        while !told.contains("http://") {
            told.clear();
            assert!(stderr.read_line(&mut told).unwrap() > 0, "it ended before it answered");
        }
        let port = told.rsplit_once("127.0.0.1:").unwrap().1.split('/').next().unwrap().parse().unwrap();
        let mut rest = String::new();
        stderr.read_line(&mut rest).unwrap();
        assert!(rest.contains("unix:socket"), "{rest}");
        Self { child, stderr, port }
    }

    fn tcp(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn post(&self, body: &str) -> Vec<Value> {
        let (status, lines) = post(&mut self.tcp(), body).unwrap();
        assert_eq!(status, 200, "{lines}");
        json_lines(&lines)
    }

    /// Stops it by a signal; its exit code, and what it said at the end.
    fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
        let code = end(&mut self.child).code();
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (code, said)
    }
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Sends bytes and reads an answer: its status, its head and its body.
fn exchange(stream: &mut (impl Read + Write), bytes: &[u8]) -> std::io::Result<(u16, String, String)> {
    stream.write_all(bytes)?;
    receive(stream)
}

fn receive(stream: &mut impl Read) -> std::io::Result<(u16, String, String)> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.split_once("content-length: ").unwrap().1.split("\r\n").next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Ok((status, head, String::from_utf8(body).unwrap()))
}

fn request(body: &str, headers: &str) -> Vec<u8> {
    format!("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
        .into()
}

fn post(stream: &mut (impl Read + Write), body: &str) -> std::io::Result<(u16, String)> {
    let (status, head, body) = exchange(stream, &request(body, ""))?;
    assert!(status != 200 || head.contains(&format!("content-type: {JSONL}\r\n")), "{head}");
    Ok((status, body))
}

fn message(id: impl Into<Value>, text: &str) -> String {
    format!("{}\n", json!({"id": id.into(), "text": text}))
}

/// What one uninterrupted `quchong dedup` says of each record, in the form of the service.
fn expected(place: &Place, args: &[&str]) -> Vec<Value> {
    let args = [&["dedup", "-q", "--output", "annotated", "in.jsonl"], args].concat();
    let verdict = |mut record: Value| {
        let mut verdict = record["quchong"].take();
        verdict["id"] = record["id"].take();
        verdict
    };
    json_lines(&String::from_utf8(place.done(&args)).unwrap()).into_iter().map(verdict).collect()
}

fn records(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.path("in.jsonl")).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

#[test]
fn verdicts_are_those_of_dedup_in_batches_of_any_size_on_either_door() {
    let options = [&[&["--keep", "2", "--scope", "kind"][..]], ENGINES].concat();
    for (at, args) in options.iter().enumerate() {
        let place = Place::new(&input(1500, 4));
        let (records, expected) = (records(&place), expected(&place, args));
        let repeats = expected.iter().filter(|answer| answer["verdict"] != "kept" || !answer["copy"].is_null());
        assert!(repeats.count() > if args.contains(&"--scope") { 0 } else { 100 }, "{args:?}");
        let served = Served::new(&place, &[args, &["--sync", ["always", "none"][at % 2]][..]].concat());
        let (mut tcp, mut unix) = (served.tcp(), UnixStream::connect(place.path("socket")).unwrap());
        let mut random = Rand64::new(at as u128);
        let (mut sent, mut answers) = (0, Vec::new());
        while sent < records.len() {
            let size = [1, 2, 40, 400][random.rand_range(0..4) as usize].min(records.len() - sent);
            let body = records[sent..sent + size].concat();
            let (status, lines) =
                if size == 40 { post(&mut unix, &body) } else { post(&mut tcp, body.trim_end()) }.unwrap();
            assert_eq!(status, 200);
            answers.extend(json_lines(&lines));
            sent += size;
        }
        assert!(answers == expected, "{args:?}");
        // Sent again, all at once.
        assert!(served.post(&records.concat()) == expected, "{args:?}");
        let (code, said) = served.stop("-TERM");
        assert_eq!(code, Some(143));
        assert!(said.contains("in 1,500 = ") && said.contains("answered again, as before: 1,500"), "{said}");
        assert!(!place.path("socket").exists());
    }
}

#[test]
fn a_line_that_cannot_be_judged_is_told_in_its_place_and_takes_none() {
    let place = Place::new(b"");
    let served = Served::new(&place, &[]);
    let body = [
        message(1, "今天武汉的樱花开了"),
        "nope\n".to_owned(),
        "\n".to_owned(),
        r#"{"id":2,"text":7}"#.to_owned() + "\n",
        r#"{"text":"没有 id"}"#.to_owned() + "\n",
        r#"{"id":[],"text":"没有 id"}"#.to_owned() + "\n",
        message("2", "今天武漢的櫻花開了"),
        message("长".repeat(90), "id 太长"),
        message(1, "别的"),
        message(1, "今天武汉的樱花开了"),
    ]
    .concat();
    for _ in 0..2 {
        let answers = served.post(&body);
        let short = |answer: &Value| {
            (answer["id"].clone(), answer["verdict"].clone(), answer["error"].clone(), answer["line"].clone())
        };
        let fault = |id: Value, kind: &str, line: u64| (id, "error".into(), kind.into(), line.into());
        let error = |kind: &str, line| fault(Value::Null, kind, line);
        let told: Vec<_> = answers.iter().map(short).collect();
        assert_eq!(
            told,
            [
                (1.into(), "kept".into(), Value::Null, Value::Null),
                error("invalid-json", 2),
                fault(2.into(), "not-a-string", 4),
                error("missing-field", 5),
                error("missing-field", 6),
                ("2".into(), "exact".into(), Value::Null, Value::Null),
                error("missing-field", 8),
                (1.into(), "error".into(), "conflict".into(), 9.into()),
                (1.into(), "kept".into(), Value::Null, Value::Null),
            ]
        );
        assert!(answers[2]["reason"].as_str().unwrap().contains("field `text`"), "{answers:?}");
        assert!(answers[3]["reason"].as_str().unwrap().contains("field `id`"), "{answers:?}");
        assert_eq!(answers[5]["of"], 1);
    }
    assert_eq!(served.stop("-INT").0, Some(130));
    let info: Value = serde_json::from_slice(&place.done(&["state", "info", "--format", "json", "state"])).unwrap();
    assert_eq!((&info["messages"], &info["run"]["inputs"]), (&2.into(), &json!(["<service>"])));
    let told = String::from_utf8(place.done(&["state", "info", "state"])).unwrap();
    assert!(told.contains("<service>") && !told.contains("goes on  ") && !told.contains("written"), "{told}");
}

/// Kills are more under `QUCHONG_KILLS`.
#[test]
fn killed_in_loops_it_answers_each_message_once_and_the_same_ever_after() {
    let from = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (wanted, seed) = (from("QUCHONG_KILLS").unwrap_or(8), from("QUCHONG_SEED").unwrap_or(5));
    println!("QUCHONG_SEED={seed}");
    let mut random = Rand64::new(seed.into());
    let mut killed = 0;
    while killed < wanted {
        let place = Place::new(&input(3000, random.rand_range(0..1000)));
        let engine = ENGINES[random.rand_range(0..ENGINES.len() as u64) as usize];
        let sync = ["always", "interval", "none"][random.rand_range(0..3) as usize];
        let args = [engine, &["--sync", sync]].concat();
        let (records, expected) = (records(&place), expected(&place, engine));
        let mut answers: Vec<Value> = Vec::new();
        let mut after = 60;
        while answers.len() < records.len() {
            let mut served = Served::new(&place, &args);
            let mut stream = served.tcp();
            // Half of the kills are at a moment that this client knows nothing of.
            let process = served.child.id();
            let pause = Duration::from_millis(random.rand_range(0..after));
            let killer = std::thread::spawn(move || {
                std::thread::sleep(pause);
                Command::new("kill").args(["-KILL", &process.to_string()]).status()
            });
            // Some is sent again that had been answered.
            let mut from = answers.len().saturating_sub(random.rand_range(0..50) as usize);
            while from < records.len() {
                let size = (random.rand_range(1..200) as usize).min(records.len() - from);
                let Ok((status, lines)) = post(&mut stream, &records[from..from + size].concat()) else { break };
                assert_eq!(status, 200, "{lines}");
                for (at, answer) in (from..).zip(json_lines(&lines)) {
                    match answers.get(at) {
                        Some(before) => assert_eq!(*before, answer),
                        None => answers.push(answer),
                    }
                }
                from += size;
            }
            killer.join().unwrap().unwrap();
            assert_eq!(end(&mut served.child).code(), None);
            killed += 1;
            after += 40;
        }
        assert!(answers == expected, "{args:?}");
        let served = Served::new(&place, &args);
        assert!(served.post(&records.concat()) == expected, "{args:?}");
        assert_eq!(served.stop("-TERM").0, Some(143));
        place.done(&["state", "check", "state"]);
    }
    println!("{killed} services were killed");
}

#[test]
fn many_clients_are_judged_in_one_order() {
    let place = Place::new(b"");
    let served = Served::new(&place, &["--sync", "always"]);
    let (clients, texts) = (8, 200);
    let ask = |client: usize| {
        let mut stream = served.tcp();
        let texts = (0..texts).map(|at| (at * 7 + client * 13) % texts);
        let answers: Vec<(usize, Value)> = texts
            .map(|at| {
                let body = message(format!("{client}-{at}"), &format!("第{at}条消息的第{}句话", at * at));
                let (status, lines) = post(&mut stream, &body).unwrap();
                assert_eq!(status, 200);
                (at, json_lines(&lines).remove(0))
            })
            .collect();
        answers
    };
    let answers: Vec<(usize, Value)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|client| scope.spawn(move || ask(client))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), clients * texts);
    let mut kept = HashMap::new();
    for (at, answer) in answers.iter().filter(|(_, answer)| answer["verdict"] == "kept") {
        assert!(kept.insert(at, &answer["id"]).is_none(), "text {at} was kept twice");
    }
    for (at, answer) in &answers {
        let of = if answer["verdict"] == "kept" { &answer["id"] } else { &answer["of"] };
        assert_eq!(kept.get(at), Some(&of), "{answer}");
    }
}

#[test]
fn what_may_not_be_asked_is_refused_with_its_status() {
    let place = Place::new(b"");
    fs::write(place.path("token"), "geheim-17\n").unwrap();
    let served = Served::new(&place, &["--token-file", "token", "--max-body", "2KiB"]);
    let ask = |bytes: &[u8]| exchange(&mut served.tcp(), bytes).unwrap();
    let right = "Authorization: Bearer geheim-17\r\n";
    let body = message(1, "今天武汉的樱花开了");
    let long = message(2, &"长".repeat(1000));
    let chunked = format!("POST /v1/messages HTTP/1.1\r\nHost: a\r\n{right}Transfer-Encoding: chunked\r\n\r\n");
    let piece = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\nHost: a\r\n{headers}\r\n");
    for (asked, status) in [
        (request(&body, ""), 401),
        (request(&body, "Authorization: Bearer geheim-18\r\n"), 401),
        (request(&body, "Authorization: geheim-17\r\n"), 401),
        (request(&body, &format!("{right}Origin: http://a.example\r\n")), 403),
        (request(&body, &format!("{right}Content-Encoding: gzip\r\n")), 415),
        (request(&long, right), 413),
        (format!("{chunked}{}{}0\r\n\r\n", piece(&long[..1501]), piece(&long[1501..])).into(), 413),
        (get("/v1/messages", right).into(), 405),
        (get("/v1/other", right).into(), 404),
        (get("/metrics", "").into(), 401),
        (get("/metrics", right).into(), 200),
        (get("/healthz", "").into(), 200),
        (request(&body, right), 200),
        (format!("{chunked}{}0\r\n\r\n", piece(&body)).into(), 200),
    ] {
        let (got, head, text) = ask(&asked);
        assert_eq!(got, status, "{head}{text}");
        assert!(status == 200 || text.starts_with(&format!("{status}: ")) && text.lines().count() == 1, "{text}");
    }
    let (_, _, metrics) = ask(get("/metrics", right).as_bytes());
    for line in [
        "quchong_messages_total 1",
        "quchong_kept_total 1",
        "quchong_answered_again_total 1",
        "quchong_remembered_ids 1",
        "quchong_requests_total{code=\"401\"} 4",
        "quchong_requests_total{code=\"413\"} 2",
    ] {
        assert!(metrics.lines().any(|told| told == line), "{line}: {metrics}");
    }
    // Who asks before it sends a body that is too long is told at once, and sends none.
    let mut asking = served.tcp();
    let head =
        format!("POST /v1/messages HTTP/1.1\r\nHost: a\r\n{right}Content-Length: 3000\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(exchange(&mut asking, head.as_bytes()).unwrap().0, 413);
    let mut asking = served.tcp();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nHost: a\r\n{right}Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    );
    asking.write_all(head.as_bytes()).unwrap();
    let mut word = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
    asking.read_exact(&mut word).unwrap();
    assert!(word.starts_with(b"HTTP/1.1 100 "));
    assert_eq!(exchange(&mut asking, body.as_bytes()).unwrap().0, 200);
    // Beyond loopback nobody is let in without a token, and one state has one service.
    let refused = |args: &[&str]| place.refused(&[&["serve", "--state", "other"], args].concat());
    let other = place.path("other.socket");
    let both = format!("unix:{},0.0.0.0:0", other.display());
    assert!(refused(&["--listen", &both]).contains("--token-file"));
    // Of what was refused nothing stays behind.
    assert!(!place.path("other").exists() && !other.exists());
    assert!(place.refused(&["serve", "--state", "state", "--listen", ":0"]).contains("in use by process"));
    assert!(place.refused(&["serve"]).contains("--state"));
    fs::write(place.path("empty"), "\n").unwrap();
    assert!(refused(&["--token-file", "empty"]).contains("empty: a token is a word"));
    assert!(refused(&["--time-field", "at"]).contains("--time-field: does nothing"));
}

#[test]
fn slow_clients_are_let_go_and_keep_nobody_from_an_answer() {
    let place = Place::new(b"");
    let served = Served::new(&place, &["--patience", "3s", "--max-body", "2KiB"]);
    // One says nothing, one does not end its head, and eight do not end their bodies, which fills all room.
    let silent = served.tcp();
    let mut begun = served.tcp();
    begun.write_all(b"POST /v1/messages HTTP/1.1\r\nHost: a\r\n").unwrap();
    let mut slow: Vec<TcpStream> = (0..8).map(|_| served.tcp()).collect();
    for stream in &mut slow {
        stream.write_all(b"POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 2048\r\n\r\n{").unwrap();
    }
    let body = message(1, "今天武汉的樱花开了");
    let start = Instant::now();
    while !exchange(&mut served.tcp(), METRICS).unwrap().2.contains("\nquchong_bodies_bytes 16384\n") {
        assert!(start.elapsed() < PATIENCE);
    }
    let (status, head, _) = exchange(&mut served.tcp(), &request(&body, "")).unwrap();
    assert!(status == 503 && head.contains("\r\nretry-after: 1\r\n"), "{head}");
    for mut stream in slow {
        assert_eq!(receive(&mut stream).unwrap().0, 408);
    }
    assert_eq!(served.post(&body)[0]["verdict"], "kept");
    for mut stream in [silent, begun] {
        let mut rest = Vec::new();
        // Closed, with or without a word.
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 200"));
    }
    // One that closes its connection had its message judged, or not: it can ask again.
    let mut gone = served.tcp();
    gone.write_all(&request(&message("gone", "这个客户端没有等到答复"), "")).unwrap();
    gone.shutdown(Shutdown::Both).unwrap();
    drop(gone);
    let mut broken = served.tcp();
    broken.write_all(&request(&message("half", "这条消息只来了一半"), "")[..100]).unwrap();
    drop(broken);
    let answers = served.post(&(message("gone", "这个客户端没有等到答复") + &message("half", "这条消息只来了一半")));
    assert!(answers.iter().all(|answer| answer["verdict"] == "kept"), "{answers:?}");
}

#[test]
fn who_takes_no_answers_is_let_go() {
    let place = Place::new(b"");
    let served = Served::new(&place, &["--patience", "1s"]);
    let mut lazy = served.tcp();
    // Nothing is read, until nothing can be sent any longer.
    let id = "长".repeat(80);
    let body = message(&*id, "今天武汉的樱花开了").repeat(3000);
    lazy.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let start = Instant::now();
    let asked = request(&body, "");
    loop {
        match lazy.write_all(&asked) {
            Err(error) if ![std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut].contains(&error.kind()) => {
                break;
            }
            _ => assert!(start.elapsed() < PATIENCE, "it is still connected"),
        }
    }
    assert_eq!(served.post(&message(1, "今天武漢的櫻花開了"))[0]["of"], *id);
}

#[test]
fn a_signal_lets_what_was_sent_be_answered() {
    let place = Place::new(&input(4000, 9));
    let (records, expected) = (records(&place), expected(&place, &[]));
    let served = Served::new(&place, &["--sync", "always"]);
    let mut streams: Vec<TcpStream> = (0..4).map(|_| served.tcp()).collect();
    let mut idle = served.tcp();
    let (first, rest) = records.split_at(1000);
    streams[0].write_all(&request(&first.concat(), "")).unwrap();
    let (_, _, lines) = receive(&mut streams[0]).unwrap();
    assert!(json_lines(&lines) == expected[..1000]);
    // The body of this one is on its way when the signal comes.
    let asked = request(&rest.concat(), "");
    let (begin, tail) = asked.split_at(asked.len() / 2);
    streams[1].write_all(begin).unwrap();
    let start = Instant::now();
    while !exchange(&mut streams[2], METRICS).unwrap().2.contains("quchong_clients 5") {
        assert!(start.elapsed() < PATIENCE);
    }
    let process = served.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &process]).status().unwrap().success());
    // Idle connections are closed, and nobody is let in.
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
    streams[1].write_all(tail).unwrap();
    let (status, _, lines) = receive(&mut streams[1]).unwrap();
    assert!(status == 200 && json_lines(&lines) == expected[1000..]);
    let mut served = served;
    assert_eq!(end(&mut served.child).code(), Some(143));
    let again = Served::new(&place, &[]);
    assert!(again.post(&records.concat()) == expected);
}

#[test]
fn a_service_and_runs_take_turns_over_a_state() {
    let place = Place::new(&input(900, 6));
    let (records, expected) = (records(&place), expected(&place, &[]));
    for (name, part) in [("1.jsonl", &records[300..600]), ("2.jsonl", &records[600..])] {
        fs::write(place.path(name), part.concat()).unwrap();
    }
    let served = Served::new(&place, &[]);
    assert!(served.post(&records[..300].concat()) == expected[..300]);
    assert!(place.refused(&["dedup", "--state", "state", "1.jsonl"]).contains("in use by process"));
    assert_eq!(served.stop("-TERM").0, Some(143));
    let refused = place.refused(&["dedup", "--state", "state", "--resume", "1.jsonl"]);
    assert!(refused.contains("--resume"), "{refused}");
    let annotated = place.done(&["dedup", "-q", "--state", "state", "--output", "annotated", "1.jsonl"]);
    let verdicts: Vec<Value> = json_lines(&String::from_utf8(annotated).unwrap());
    let verdicts = verdicts.iter().map(|record| &record["quchong"]["verdict"]);
    assert!(verdicts.eq(expected[300..600].iter().map(|answer| &answer["verdict"])));
    place.done(&["state", "compact", "state"]);
    let served = Served::new(&place, &[]);
    assert!(served.post(&records[..300].concat()) == expected[..300]);
    assert!(served.post(&records[600..].concat()) == expected[600..]);
    assert_eq!(served.stop("-TERM").0, Some(143));
    for repair in ["repair", "compact"] {
        place.done(&["state", repair, "state"]);
        let served = Served::new(&place, &[]);
        assert!(served.post(&records[600..].concat()) == expected[600..], "{repair}");
        assert!(served.post(&records[..300].concat()) == expected[..300], "{repair}");
        assert_eq!(served.stop("-TERM").0, Some(143));
    }
}

#[test]
fn so_many_ids_are_remembered_however_short_the_window_is() {
    let place = Place::new(b"");
    let text = |at: usize| format!("{at}号楼的住户请注意，明天上午{}点停水", at * 7919);
    let messages: Vec<String> = (0..50_000).map(|at| message(at, &text(at))).collect();
    let args = ["--near", "none", "--window", "100", "--remember-ids", "20k"];
    let served = Served::new(&place, &args);
    messages.chunks(5000).for_each(|part| assert_eq!(served.post(&part.concat()).len(), part.len()));
    // Of the segments some were deleted: those that neither the window nor an answer needs.
    assert_eq!(served.stop("-TERM").0, Some(143));
    assert!(!place.path("state/00000001.log").exists());
    let served = Served::new(&place, &args);
    // An id that is not remembered is a message like any other; a remembered one conflicts with another text.
    let answers =
        served.post(&(message(30_000, "别的") + &message(49_999, "别的") + &messages[30_000] + &message(3, "别的")));
    let told: Vec<&str> =
        answers.iter().map(|answer| answer["error"].as_str().unwrap_or(answer["verdict"].as_str().unwrap())).collect();
    assert_eq!(told, ["conflict", "conflict", "kept", "kept"]);
    // The last one pushed out the oldest.
    assert_eq!(served.post(&message(30_000, &text(49_999)))[0]["verdict"], "exact");
}

/// A limit on the size of files stands for a disk that is full.
#[test]
fn a_full_disk_gives_no_answer_and_ends_it() {
    let place = Place::new(&input(4000, 3));
    let (records, expected) = (records(&place), expected(&place, &[]));
    let script = "trap '' XFSZ; ulimit -f 600; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        script,
        env!("CARGO_BIN_EXE_quchong"),
        "serve",
        "--state",
        "state",
        "--listen",
        ":0,unix:socket",
    ]);
    shell.current_dir(&place.folder).env("QUCHONG_UI", "en");
    let mut served = Served::of(&mut shell);
    let mut stream = served.tcp();
    let (mut answers, mut refused) = (Vec::new(), None);
    for part in records.chunks(100) {
        match post(&mut stream, &part.concat()).unwrap() {
            (200, lines) => answers.extend(json_lines(&lines)),
            other => {
                refused = Some(other);
                break;
            }
        }
    }
    let (status, reason) = refused.unwrap();
    assert!(status == 500 && reason.contains("send it again"), "{status} {reason}");
    assert_eq!(end(&mut served.child).code(), Some(2));
    let mut said = String::new();
    served.stderr.read_to_string(&mut said).unwrap();
    assert!(said.lines().last().unwrap().contains("File too large"), "{said}");
    assert!(!answers.is_empty() && answers == expected[..answers.len()]);
    let served = Served::new(&place, &[]);
    assert!(served.post(&records.concat()) == expected);
}

#[test]
fn settings_come_from_files_and_variables_and_the_token_from_a_variable() {
    let place = Place::new(b"");
    fs::write(place.path("quchong.toml"), "state = \"state\"\nfield = \"body\"\nnear = \"none\"\n").unwrap();
    let mut command = quchong();
    command.current_dir(&place.folder).env("QUCHONG_TOKEN", "geheim").env("QUCHONG_EXACT", "trie");
    let served = Served::of(command.args(["serve", "--config", "quchong.toml", "--listen", ":0,unix:socket"]));
    let body = r#"{"id":1,"body":"今天武汉的樱花开了"}"#;
    assert_eq!(post(&mut served.tcp(), body).unwrap().0, 401);
    let asked = request(body, "Authorization: Bearer geheim\r\n");
    assert_eq!(exchange(&mut served.tcp(), &asked).unwrap().0, 200);
    assert_eq!(served.stop("-TERM").0, Some(143));
    let info: Value = serde_json::from_slice(&place.done(&["state", "info", "--format", "json", "state"])).unwrap();
    assert_eq!((&info["config"]["near"], &info["config"]["exact"]), (&"none".into(), &"trie".into()));
    // The variable is no setting of other commands, and they do not take it for one that is misspelt.
    let mut command = place.command(&["dedup", "in.jsonl"]);
    let told = command.env("QUCHONG_TOKEN", "geheim").output().unwrap().stderr;
    assert!(!String::from_utf8(told).unwrap().contains("QUCHONG_TOKEN"));
}
