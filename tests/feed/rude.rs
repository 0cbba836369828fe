//! `quchong serve` with slow and rude clients, with a full disk, and with settings that it refuses.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a panic is how a test fails; the seed and what is skipped are told"
)]

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use super::served::{METRICS, Served, exchange, expected, json_lines, message, post, receive, records, request};
use crate::common::place::{Place, input};
use crate::common::{PATIENCE, end, quchong};
use serde_json::Value;

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
    let wrong = b"{\"id\":1,\"text\":\"\xb0\xa1\"}\n";
    let head = format!("POST /v1/messages HTTP/1.1\r\nHost: a\r\n{right}Content-Length: {}\r\n\r\n", wrong.len());
    let (_, _, told) = ask(&[head.as_bytes(), wrong].concat());
    assert!(
        told.contains("the line is not UTF-8, in which all is to be sent") && !told.contains("--encoding"),
        "{told}"
    );
    // A client that asks before it sends a body that is too long is refused at once, and sends no body.
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
    // Beyond loopback no client is served without a token, and one state has one service.
    let refused = |args: &[&str]| place.refused(&[&["serve", "--state", "other"], args].concat());
    let other = place.path("other.socket");
    let both = format!("unix:{},0.0.0.0:0", other.display());
    assert!(refused(&["--listen", &both]).contains("--token-file"));
    // A refused service leaves nothing behind.
    assert!(!place.path("other").exists() && !other.exists());
    assert!(place.refused(&["serve", "--state", "state", "--listen", ":0"]).contains("in use by process"));
    assert!(place.refused(&["serve"]).contains("--state"));
    fs::write(place.path("empty"), "\n").unwrap();
    assert!(refused(&["--token-file", "empty"]).contains("empty: a token is a word"));
    assert!(refused(&["--time-field", "at"]).contains("--time-field: does nothing"));
}

/// A client that sends everything before it reads gets the refusal, however long its body is: the connection is not reset.
#[test]
fn a_body_far_too_long_is_refused_in_words() {
    let place = Place::new(b"");
    let served = Served::new(&place, &["--max-body", "64KiB"]);
    let body = message(1, "今天武汉的樱花开了").repeat(1_000_000);
    let chunked = b"POST /v1/messages HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let chunks = body.as_bytes().chunks(1 << 20);
    let chunks = chunks.flat_map(|chunk| [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat());
    let chunked: Vec<u8> = chunked.into_iter().chain(chunks).chain(*b"0\r\n\r\n").collect();
    for asked in [request(&body, ""), chunked] {
        let (status, head, text) = exchange(&mut served.tcp(), &asked).unwrap();
        assert!(status == 413 && text.starts_with("413: ") && head.contains("connection: close"), "{head}{text}");
        let (status, ..) = exchange(&mut UnixStream::connect(place.path("socket")).unwrap(), &asked).unwrap();
        assert_eq!(status, 413);
    }
    fs::write(place.path("body"), &body).unwrap();
    for header in ["Expect:", "Transfer-Encoding: chunked"] {
        let mut curl = Command::new("curl");
        curl.args(["-s", "-S", "--unix-socket", "socket", "--data-binary", "@body", "http://a/v1/messages"]);
        let Ok(output) = curl.args(["-H", "Expect:", "-H", header]).current_dir(&place.folder).output() else {
            println!("skipped: there is no curl");
            break;
        };
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(told.starts_with("413: "), "{header}: {told}{}", String::from_utf8_lossy(&output.stderr));
    }
    // An idle client does not delay a stop.
    let mut idle = served.tcp();
    assert_eq!(exchange(&mut idle, METRICS).unwrap().0, 200);
    assert_eq!(served.stop("-TERM").0, Some(143));
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
}

/// Many short broken lines have answers far longer than they are. Those that nobody takes fill the room for bodies.
#[test]
fn answers_that_nobody_takes_are_bounded() {
    let place = Place::new(b"");
    let served = Served::new(&place, &["--max-body", "512KiB"]);
    let asked = request(&"{}\n".repeat(100_000), "");
    let mut unread = [served.tcp(), served.tcp()];
    for stream in &mut unread {
        stream.write_all(&asked).unwrap();
    }
    let start = Instant::now();
    while !exchange(&mut served.tcp(), METRICS).unwrap().2.contains("\nquchong_bodies_bytes 4194304\n") {
        assert!(start.elapsed() < PATIENCE);
    }
    assert_eq!(exchange(&mut served.tcp(), &asked).unwrap().0, 503);
    for mut stream in unread {
        let (status, _, answer) = receive(&mut stream).unwrap();
        assert_eq!((status, answer.lines().count()), (200, 100_000));
    }
    assert_eq!(exchange(&mut served.tcp(), &asked).unwrap().0, 200);
}

#[test]
fn slow_clients_are_let_go_and_keep_nobody_from_an_answer() {
    let place = Place::new(b"");
    let served = Served::new(&place, &["--patience", "3s", "--max-body", "2KiB"]);
    // One client sends nothing, one sends half a head, and eight send half a body, which fills all the room.
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
        // The connection is closed, with or without an answer.
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 200"));
    }
    // A client that closes its connection does not know whether its message was judged, and can ask again.
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
    // The client reads nothing until it can send nothing more.
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

/// On a full disk, simulated by a limit on file sizes, the service gives no answer and ends.
#[test]
fn a_full_disk_gives_no_answer_and_ends_it() {
    let place = Place::new(&input(4000, 3));
    let (records, expected) = (records(&place), expected(&place, &[]));
    let script = "ulimit -f 600; exec \"$0\" \"$@\"";
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
    let counted = said.replace(',', "");
    assert!(counted.contains(&format!("in {} = ", answers.len())), "what was not stored counts: {said}");
    assert!(!answers.is_empty() && answers == expected[..answers.len()]);
    let served = Served::new(&place, &[]);
    assert!(served.post(&records.concat()) == expected);
}

#[test]
fn settings_come_from_files_and_variables_and_the_token_from_a_variable() {
    let place = Place::new(b"");
    let settings =
        "state = \"state\"\nfield = \"body\"\nnear = \"none\"\nlisten = \":0,unix:socket\"\nmax_body = \"1GiB\"\n";
    fs::write(place.path("quchong.toml"), settings).unwrap();
    // An empty variable counts as not set.
    let mut command = place.command(&["serve", "--state", "open", "--listen", ":0,unix:socket"]);
    let open = Served::of(command.env("QUCHONG_TOKEN", ""));
    assert_eq!(post(&mut open.tcp(), &message(1, "明天见")).unwrap().0, 200);
    assert_eq!(open.stop("-TERM").0, Some(143));
    let mut command = quchong();
    command.current_dir(&place.folder).env("QUCHONG_TOKEN", "geheim").env("QUCHONG_EXACT", "trie");
    // Options of the service alone are settings like any others; the environment takes precedence over the file.
    command.env("QUCHONG_MAX_BODY", "2KiB");
    let served = Served::of(command.args(["serve", "--config", "quchong.toml"]));
    let body = r#"{"id":1,"body":"今天武汉的樱花开了"}"#;
    assert_eq!(post(&mut served.tcp(), body).unwrap().0, 401);
    let asked = request(body, "Authorization: Bearer geheim\r\n");
    assert_eq!(exchange(&mut served.tcp(), &asked).unwrap().0, 200);
    let long = request(&message(2, &"长".repeat(1000)), "Authorization: Bearer geheim\r\n");
    assert_eq!(exchange(&mut served.tcp(), &long).unwrap().0, 413);
    assert_eq!(served.stop("-TERM").0, Some(143));
    for (name, value, told) in [
        ("QUCHONG_LISTEN", "nowhere", "QUCHONG_LISTEN nowhere: write HOST:PORT"),
        ("QUCHONG_PATIENCE", "0s", "QUCHONG_PATIENCE 0s: nobody could send anything"),
        ("QUCHONG_LISTN", ":0", "QUCHONG_LISTN: there is no such setting, and it does nothing; is it QUCHONG_LISTEN?"),
    ] {
        let mut command = place.command(&["serve", "--state", "other", "--listen", "unix:"]);
        if name != "QUCHONG_LISTN" {
            command = place.command(&["serve", "--state", "other"]);
        }
        let output = command.env(name, value).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(told), "{said}");
    }
    fs::write(place.path("wrong.toml"), "listen = [\":0\"]\n").unwrap();
    assert!(place.refused(&["serve", "--config", "wrong.toml"]).contains("wrong.toml:1: listen: takes one value"));
    // The variables that tell clients where the service is mean nothing to `dedup`.
    for name in ["QUCHONG_SERVICE", "QUCHONG_URL"] {
        let output = place.command(&["dedup", "-q", "in.jsonl"]).env(name, "http://127.0.0.1:7878").output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{name}");
    }
    let info: Value = serde_json::from_slice(&place.succeed(&["state", "info", "--format", "json", "state"])).unwrap();
    assert_eq!((&info["config"]["near"], &info["config"]["exact"]), (&"none".into(), &"trie".into()));
    // The token variable is not a setting of other commands, and they do not report it as a misspelt one.
    let mut command = place.command(&["dedup", "in.jsonl"]);
    let told = command.env("QUCHONG_TOKEN", "geheim").output().unwrap().stderr;
    assert!(!String::from_utf8(told).unwrap().contains("QUCHONG_TOKEN"));
}
