//! `quchong serve`: what its answers promise, to many clients and across kills.
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
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::place::{ENGINES, Place, input};
use crate::common::{PATIENCE, end};
use oorandom::Rand64;
use serde_json::{Value, json};

pub(crate) const METRICS: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
const JSONL: &str = "application/x-ndjson";

/// A running service over the state of a place.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) stderr: BufReader<ChildStderr>,
    port: u16,
}

impl Drop for Served {
    fn drop(&mut self) {
        // If a test fails, no process is left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    pub(crate) fn new(place: &Place, args: &[&str]) -> Self {
        Self::of(place.command(&["serve", "--state", "state", "--listen", ":0,unix:socket"]).args(args))
    }

    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        // Messages about losses of the state come before the address.
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

    pub(crate) fn tcp(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The address at which clients find the service.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn post(&self, body: &str) -> Vec<Value> {
        let (status, lines) = post(&mut self.tcp(), body).unwrap();
        assert_eq!(status, 200, "{lines}");
        json_lines(&lines)
    }

    /// Stops the service by a signal; returns its exit code and its last messages.
    pub(crate) fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
        let code = end(&mut self.child).code();
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (code, said)
    }
}

pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Sends bytes and reads the answer: its status, head and body.
pub(crate) fn exchange(stream: &mut (impl Read + Write), bytes: &[u8]) -> std::io::Result<(u16, String, String)> {
    stream.write_all(bytes)?;
    receive(stream)
}

pub(crate) fn receive(stream: &mut impl Read) -> std::io::Result<(u16, String, String)> {
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

pub(crate) fn request(body: &str, headers: &str) -> Vec<u8> {
    format!("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
        .into()
}

pub(crate) fn post(stream: &mut (impl Read + Write), body: &str) -> std::io::Result<(u16, String)> {
    let (status, head, body) = exchange(stream, &request(body, ""))?;
    assert!(status != 200 || head.contains(&format!("content-type: {JSONL}\r\n")), "{head}");
    Ok((status, body))
}

pub(crate) fn message(id: impl Into<Value>, text: &str) -> String {
    format!("{}\n", json!({"id": id.into(), "text": text}))
}

/// The verdicts of one uninterrupted `quchong dedup` on each record, in the form in which the service answers.
pub(crate) fn expected(place: &Place, args: &[&str]) -> Vec<Value> {
    let args = [&["dedup", "-q", "--output", "annotated", "in.jsonl"], args].concat();
    let verdict = |mut record: Value| {
        let mut verdict = record["quchong"].take();
        verdict["id"] = record["id"].take();
        verdict
    };
    json_lines(&String::from_utf8(place.succeed(&args)).unwrap()).into_iter().map(verdict).collect()
}

pub(crate) fn records(place: &Place) -> Vec<String> {
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
        // All records are sent again, at once.
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
    let info: Value = serde_json::from_slice(&place.succeed(&["state", "info", "--format", "json", "state"])).unwrap();
    assert_eq!((&info["messages"], &info["run"]["inputs"]), (&2.into(), &json!(["<service>"])));
    let told = String::from_utf8(place.succeed(&["state", "info", "state"])).unwrap();
    assert!(told.contains("<service>") && !told.contains("goes on  ") && !told.contains("written"), "{told}");
}

/// Killed again and again, the service answers each message once, and always with the same verdict. `QUCHONG_KILLS` asks for more kills.
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
            // Half of the kills come at a moment that this client does not know.
            let process = served.child.id();
            let pause = Duration::from_millis(random.rand_range(0..after));
            let killer = std::thread::spawn(move || {
                std::thread::sleep(pause);
                Command::new("kill").args(["-KILL", &process.to_string()]).status()
            });
            // Some records that were already answered are sent again.
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
        place.succeed(&["state", "check", "state"]);
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
    // The body of this request is on its way when the signal comes.
    let asked = request(&rest.concat(), "");
    let (begin, tail) = asked.split_at(asked.len() / 2);
    streams[1].write_all(begin).unwrap();
    let start = Instant::now();
    while !exchange(&mut streams[2], METRICS).unwrap().2.contains("quchong_clients 5") {
        assert!(start.elapsed() < PATIENCE);
    }
    let process = served.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &process]).status().unwrap().success());
    // Idle connections are closed, and new clients are not served.
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
    let annotated = place.succeed(&["dedup", "-q", "--state", "state", "--output", "annotated", "1.jsonl"]);
    let verdicts: Vec<Value> = json_lines(&String::from_utf8(annotated).unwrap());
    let verdicts = verdicts.iter().map(|record| &record["quchong"]["verdict"]);
    assert!(verdicts.eq(expected[300..600].iter().map(|answer| &answer["verdict"])));
    place.succeed(&["state", "compact", "state"]);
    let served = Served::new(&place, &[]);
    assert!(served.post(&records[..300].concat()) == expected[..300]);
    assert!(served.post(&records[600..].concat()) == expected[600..]);
    assert_eq!(served.stop("-TERM").0, Some(143));
    for repair in ["repair", "compact"] {
        place.succeed(&["state", repair, "state"]);
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
    // Some segments were deleted: those that neither the window nor an answer needs.
    assert_eq!(served.stop("-TERM").0, Some(143));
    assert!(!place.path("state/00000001.log").exists());
    let served = Served::new(&place, &args);
    // An id that is no longer remembered is new; a remembered id with another text is a conflict.
    let answers =
        served.post(&(message(30_000, "别的") + &message(49_999, "别的") + &messages[30_000] + &message(3, "别的")));
    let told: Vec<&str> =
        answers.iter().map(|answer| answer["error"].as_str().unwrap_or(answer["verdict"].as_str().unwrap())).collect();
    assert_eq!(told, ["conflict", "conflict", "kept", "kept"]);
    // The last new id pushed out the oldest.
    assert_eq!(served.post(&message(30_000, &text(49_999)))[0]["verdict"], "exact");
}
