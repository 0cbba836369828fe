//! A feed is answered at once, takes bounded memory if its reader is slow, and ends cleanly.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is how a test fails; what is skipped is told")]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::common::{PATIENCE, end, quchong};

fn spawn(args: &[&str]) -> Child {
    let mut command = quchong();
    command.arg("dedup").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// The lines of the child's output, as they come.
fn lines(child: &mut Child) -> mpsc::Receiver<String> {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

#[test]
fn each_message_is_answered_before_the_next_one_comes() {
    for threads in ["1", "2"] {
        let mut child = spawn(&["--near", "none", "--output", "annotated", "--threads", threads]);
        let (mut stdin, answers) = (child.stdin.take().unwrap(), lines(&mut child));
        for (message, verdict) in [("你好", "kept"), ("再见", "kept"), ("你好", "exact")] {
            writeln!(stdin, "{message}").unwrap();
            let answer = answers.recv_timeout(PATIENCE).expect("an answer while standard input is open");
            assert!(answer.contains(verdict) && answer.contains(message), "{answer}");
        }
        // Half a message is not a message yet.
        stdin.write_all("未完".as_bytes()).unwrap();
        assert!(answers.recv_timeout(Duration::from_millis(100)).is_err());
        drop(stdin);
        assert!(answers.recv_timeout(PATIENCE).unwrap().contains("未完"));
        assert_eq!(end(&mut child).code(), Some(0));
    }
}

#[test]
fn messages_in_other_encodings_are_answered_at_once_too() {
    // A named encoding needs no look-ahead. Detection of an encoding waits for the next line only if that line is UTF-8.
    let gb18030: &[u8] = b"\xbd\xf1\xcc\xec\xce\xe4\xba\xba\xb5\xc4\xd3\xa3\xbb\xa8\n";
    let stray_first = [gb18030, "今天武汉的樱花\n明天见\n".as_bytes()].concat();
    let cases = [
        ("gb18030", gb18030.repeat(2), &["今天武汉的樱花", "exact"][..]),
        ("auto", stray_first, &["invalid-utf8", "今天", "明天"]),
    ];
    for (encoding, input, expected) in cases {
        let mut child = spawn(&["--near", "none", "--output", "annotated", "--encoding", encoding]);
        let (mut stdin, answers) = (child.stdin.take().unwrap(), lines(&mut child));
        stdin.write_all(&input).unwrap();
        for expected in expected {
            let answer = answers.recv_timeout(PATIENCE).expect("an answer while standard input is open");
            assert!(answer.contains(expected), "{encoding}: {answer}");
        }
        drop(stdin);
        assert_eq!(end(&mut child).code(), Some(0));
    }
}

#[test]
fn signals_end_it_after_everything_is_answered() {
    for (name, code) in [("-TERM", 143), ("-INT", 130)] {
        let folder = tempfile::tempdir().unwrap();
        let summary = folder.path().join("summary.json");
        let mut child = spawn(&["--near", "none", "--summary", summary.to_str().unwrap()]);
        let (mut stdin, answers) = (child.stdin.take().unwrap(), lines(&mut child));
        writeln!(stdin, "你好").unwrap();
        assert_eq!(answers.recv_timeout(PATIENCE).unwrap(), "你好");
        signal(&child, name);
        assert_eq!(end(&mut child).code(), Some(code));
        assert!(std::fs::read_to_string(summary).unwrap().contains("\"kept\": 1"));
    }
}

/// A signal ends a run even before the first message; here the run still waits for a process that opens its output.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_before_the_first_message_ends_it_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut child = spawn(&["-o", fifo.to_str().unwrap()]);
    let started = Instant::now();
    let is_heard = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() >> 14 & 1 == 1
    };
    while !is_heard() {
        assert!(started.elapsed() < PATIENCE, "nobody hears signals");
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "-TERM");
    assert_eq!(end(&mut child).code(), Some(143));
}

/// A signal that came while its handler was being set was lost, and the run went on for ever. `strace` sends one after each system call
/// that sets a handler.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_while_its_handler_is_set_is_not_lost() {
    let calls = tempfile::NamedTempFile::new().unwrap();
    let traced = |inject: &str| {
        let mut command = Command::new("strace");
        command.args(["-f", "-e", inject, "-o"]).arg(calls.path());
        command.args([env!("CARGO_BIN_EXE_quchong"), "dedup", "-q", "--near=none"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    let can_trace = traced("trace=rt_sigaction").and_then(|mut child| child.wait());
    if !can_trace.is_ok_and(|status| status.success()) {
        eprintln!("skipped: strace is not there, or may not trace");
        return;
    }
    let calls = std::fs::read_to_string(calls.path()).unwrap().matches("rt_sigaction(").count();
    assert!(calls > 0);
    for number in 1..=calls {
        let mut child = traced(&format!("inject=rt_sigaction:signal=SIGTERM:when={number}")).unwrap();
        let stdin = child.stdin.take().unwrap();
        let started = Instant::now();
        let ended = loop {
            let ended = child.try_wait().unwrap();
            if ended.is_some() || started.elapsed() > PATIENCE {
                break ended;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        // Not before: at the end of its input it would end in any case.
        drop(stdin);
        let status = ended.unwrap_or_else(|| panic!("the run went on after SIGTERM at handler {number}"));
        // Before its handler is set, the signal itself ends the process.
        assert!(status.code() == Some(143) || status.signal() == Some(15), "{status} at handler {number}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = spawn(&["--near", "none"]);
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || (0..2_000_000).try_for_each(|i| writeln!(stdin, "第{i}条消息")));
    let mut first = BufReader::new(child.stdout.take().unwrap());
    first.read_line(&mut String::new()).unwrap();
    drop(first);
    assert_eq!(end(&mut child).code(), Some(0));
    assert!(writer.join().unwrap().is_err(), "it read on for nobody");
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let is_told =
        stderr.starts_with("quchong: judged ") && stderr.contains("records; standard output lacks some of them");
    assert!(is_told && stderr.lines().count() == 1, "{stderr}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_feed_of_repeats_ends_too_when_its_reader_goes_away() {
    let mut child = spawn(&["--near", "none"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut first = BufReader::new(child.stdout.take().unwrap());
    writeln!(stdin, "你好").unwrap();
    first.read_line(&mut String::new()).unwrap();
    drop(first);
    let (sender, refused) = mpsc::channel();
    std::thread::spawn(move || {
        while writeln!(stdin, "你好").is_ok() {}
        sender.send(()).unwrap();
    });
    let noticed = refused.recv_timeout(PATIENCE);
    child.kill().ok();
    child.wait().unwrap();
    assert!(noticed.is_ok(), "it reads on for nobody");
}

#[test]
#[cfg(target_os = "linux")]
fn behind_a_reader_that_does_not_read_memory_is_bounded_and_a_signal_still_ends_it() {
    let mut child = spawn(&["--exact", "bloom", "--near", "none", "--capacity", "1000"]);
    let mut stdin = child.stdin.take().unwrap();
    let (sender, written) = mpsc::channel();
    std::thread::spawn(move || {
        let line = [&[b'x'; 999][..], b"\n"].concat();
        // 200 MB, of which nobody reads the output.
        (0..200_000u32).try_for_each(|i| {
            let mut line = line.clone();
            line[..4].copy_from_slice(&i.to_le_bytes().map(|byte| b'a' + byte % 16));
            stdin.write_all(&line).and_then(|()| sender.send(i).map_err(std::io::Error::other))
        })
    });
    // The run takes as much as its buffers hold, and then waits.
    while written.recv_timeout(Duration::from_secs(2)).is_ok() {}
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 40_000, "{peak}");
    signal(&child, "-TERM");
    assert_eq!(end(&mut child).code(), Some(143));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    for args in [&["dedup", "--near", "none"][..], &["normalise"], &["normalise", "你好"], &["generate"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = quchong();
        let child = command.args(args).stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        // Not all of these commands read the input.
        let _ = child.stdin.take().unwrap().write_all("你好\n".as_bytes());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("error: <stdout>: No space left on device"), "{args:?}: {stderr}");
    }
}
