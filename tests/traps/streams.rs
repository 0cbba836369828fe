//! No two outputs go to one stream, and no two runs write one file.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{PATIENCE, Place, ended, records};

#[test]
fn no_output_goes_where_the_records_go() {
    let place = Place::new().with("in.jsonl", records(3).repeat(2));
    for option in ["--dropped", "--summary", "--report"] {
        let run = place.run(&["dedup", "in.jsonl", option, "/dev/stdout"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{option}: {}", run.said);
        assert!(run.said.contains(option) && run.said.contains("standard output"), "{option}: {}", run.said);
        // Standard error is another stream, unless a shell makes it the same.
        let run = place.run(&["dedup", "-q", "in.jsonl", option, "/dev/stderr"]);
        assert_eq!(run.code, Some(0), "{option}: {}", run.said);
    }
    // A device that keeps nothing may receive all outputs.
    let nowhere = ["dedup", "-q", "in.jsonl", "-o", "/dev/null", "--dropped", "/dev/null"];
    assert_eq!(place.run(&nowhere).code, Some(0));
    let run = place.run(&["dedup", "-q", "in.jsonl", "-o", "out.jsonl", "--dropped", "/dev/stdout"]);
    assert_eq!((run.code, run.out.lines().count()), (Some(0), 3), "{}", run.said);
}

#[test]
fn two_runs_do_not_write_one_file() {
    let place = Place::new();
    let args = ["dedup", "-q", "-o", "out.jsonl"];
    let mut first = place.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    writeln!(first.stdin.as_mut().unwrap(), "你好").unwrap();
    let started = Instant::now();
    while place.path("out.jsonl").metadata().map_or(0, |about| about.len()) == 0 {
        assert!(started.elapsed() < PATIENCE, "nothing was written");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = place.fed(&args, "再见\n".as_bytes());
    assert_eq!(second.code, Some(2), "{}", second.said);
    assert!(second.said.contains("out.jsonl") && second.said.contains("another run"), "{}", second.said);
    drop(first.stdin.take());
    assert_eq!(ended(first).code, Some(0));
    assert_eq!(place.text("out.jsonl"), "你好\n");
    assert_eq!(place.fed(&args, "再见\n".as_bytes()).code, Some(0));
}

/// A reader that stops early is no failure, but a full disk is one, for every command. `check` once said of the full disk that a run
/// would be refused.
#[test]
#[cfg(target_os = "linux")]
fn a_reader_that_goes_is_no_failure_and_a_full_disk_is() {
    let place = Place::new().with("in.jsonl", records(20_000));
    let texts: String = (0..20_000).map(|pos| format!("{{\"pos\":{pos},\"text\":\"同一句话\"}}\n")).collect();
    let pairs: String = (1..20_000).map(|pos| format!("{{\"a\":0,\"b\":{pos},\"distance\":1}}\n")).collect();
    let place = place.with("texts.jsonl", texts).with("pairs.jsonl", pairs);
    for args in [&["sketch", "in.jsonl"][..], &["edges", "--from", "0", "texts.jsonl"], &["decide", "pairs.jsonl"]] {
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        let run = place.command(args).stdout(write).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!((run.status.code(), said.as_str()), (Some(0), ""), "{args:?}");
    }
    for args in [&["sketch", "in.jsonl"][..], &["check", "in.jsonl"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let run = place.command(args).stdout(full).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.code() == Some(2) && said.contains("<stdout>: No space left"), "{args:?}: {said}");
    }
}

/// `check` refuses a folder that cannot be written, for every output. Nobody can create files in /proc.
#[test]
#[cfg(target_os = "linux")]
fn check_refuses_a_folder_that_cannot_be_written() {
    let place = Place::new().with("in.jsonl", records(3));
    for (option, path) in [("--state", "/proc/state"), ("--metrics-file", "/proc/m.prom")] {
        for (command, code) in [("check", 1), ("dedup", 2)] {
            let run = place.run(&[command, "in.jsonl", option, path]);
            assert!(run.code == Some(code) && run.said.contains(path), "{command}: {}", run.said);
        }
    }
    place.run(&["dedup", "-q", "in.jsonl", "--state", "state"]);
    let files = || std::fs::read_dir(place.path("state")).unwrap().count();
    let before = files();
    assert_eq!(place.run(&["check", "in.jsonl", "--state", "state", "--metrics-file", "m.prom"]).code, Some(0));
    assert!(files() == before && !place.path("m.prom").exists());
}

/// A second run is refused if it writes the file of a first run, even if a shell opened the file. The two once overwrote each other's
/// output.
#[test]
#[cfg(target_os = "linux")]
fn two_runs_do_not_write_one_file_that_a_shell_opened() {
    let place = Place::new();
    let args = ["dedup", "-q"];
    let mut first = place
        .command(&args)
        .stdin(Stdio::piped())
        .stdout(File::create(place.path("out.txt")).unwrap())
        .spawn()
        .unwrap();
    writeln!(first.stdin.as_mut().unwrap(), "你好").unwrap();
    let started = Instant::now();
    while place.path("out.txt").metadata().unwrap().len() == 0 {
        assert!(started.elapsed() < PATIENCE, "nothing was written");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::fs::write(place.path("in.txt"), "再见\n").unwrap();
    let mut second = place.command(&["dedup", "-q", "in.txt"]);
    let file = File::options().write(true).open(place.path("out.txt")).unwrap();
    let run = ended(second.stdout(file).spawn().unwrap());
    assert_eq!(run.code, Some(2), "{}", run.said);
    assert!(run.said.contains("standard output: another run writes this file"), "{}", run.said);
    let file = File::options().append(true).open(place.path("out.txt")).unwrap();
    assert_eq!(ended(second.stdout(file).spawn().unwrap()).code, Some(2));
    drop(first.stdin.take());
    assert_eq!(ended(first).code, Some(0));
    assert_eq!(place.text("out.txt"), "你好\n");
}

/// Two runs cannot append to one file at the same time, even if a shell gave both the same open file, as by `exec >> out.txt`. They once
/// mixed their lines silently.
#[test]
#[cfg(target_os = "linux")]
fn two_runs_do_not_add_to_one_file_at_a_time() {
    let place = Place::new().with("in.txt", "再见\n");
    let shared = File::options().append(true).create(true).open(place.path("out.txt")).unwrap();
    let mut first =
        place.command(&["dedup", "-q"]).stdin(Stdio::piped()).stdout(shared.try_clone().unwrap()).spawn().unwrap();
    writeln!(first.stdin.as_mut().unwrap(), "你好").unwrap();
    let started = Instant::now();
    while place.path("out.txt").metadata().unwrap().len() == 0 {
        assert!(started.elapsed() < PATIENCE, "nothing was written");
        std::thread::sleep(Duration::from_millis(10));
    }
    let own = File::options().append(true).open(place.path("out.txt")).unwrap();
    for file in [shared, own] {
        let run = ended(place.command(&["dedup", "-q", "in.txt"]).stdout(file).spawn().unwrap());
        assert_eq!(run.code, Some(2), "{}", run.said);
        assert!(run.said.contains("standard output: another run writes this file"), "{}", run.said);
    }
    drop(first.stdin.take());
    assert_eq!(ended(first).code, Some(0));
    assert_eq!(place.text("out.txt"), "你好\n");
}

/// Runs may append to one file one after another. An unfinished last line is ended first, because it and the next line would become one
/// record.
#[test]
fn runs_add_to_one_file_one_after_another() {
    let place = Place::new().with("a.txt", "一").with("b.txt", "二").with("c.txt", "三\n");
    let script = r#"( "$0" dedup -q a.txt; "$0" dedup -q b.txt ) >> out.txt && "$0" dedup -q c.txt >> out.txt &&
        exec >> out.txt && "$0" dedup -q a.txt && "$0" dedup -q b.txt | "$0" dedup -q"#;
    let mut shell = Command::new("sh");
    super::in_english(&mut shell);
    let run = ended(
        shell.args(["-c", script]).arg(super::binary()).current_dir(&place.0).stderr(Stdio::piped()).spawn().unwrap(),
    );
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
    assert_eq!(place.text("out.txt"), "一\n二\n三\n一\n二");
}

#[test]
fn a_longest_line_of_nothing_is_refused() {
    let run = Place::new().fed(&["dedup", "--max-line", "0"], "你好\n".as_bytes());
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(run.said.contains("--max-line"), "{}", run.said);
}

/// If its terminal goes away, a run ends without losing what it has read; under `nohup` it goes on.
#[test]
fn a_terminal_that_goes_away_ends_the_run_cleanly() {
    if ignores_hang_up() {
        eprintln!("skipped: these tests run under nohup, and so would quchong");
        return;
    }
    let place = Place::new();
    let mut child = place.command(&["dedup", "--state", "state"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "你好").unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    hang_up(child.id());
    let run = ended(child);
    assert_eq!(run.code, Some(129), "{}", run.said);
    assert!(run.said.contains("in 1 = kept 1"), "{}", run.said);
    // Its messages are remembered.
    assert_eq!(place.fed(&["dedup", "-q", "--state", "state"], "你好\n".as_bytes()).out, "");

    let script = "trap '' HUP; exec \"$0\" dedup -o out.txt";
    let mut shell = Command::new("sh");
    super::in_english(&mut shell);
    shell.args(["-c", script]).arg(super::binary()).current_dir(&place.0).stdin(Stdio::piped());
    let mut child = shell.stderr(File::create(place.path("said")).unwrap()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "一").unwrap();
    let started = Instant::now();
    while place.path("out.txt").metadata().map_or(0, |about| about.len()) == 0 {
        assert!(started.elapsed() < PATIENCE, "nothing was written");
        std::thread::sleep(Duration::from_millis(10));
    }
    hang_up(child.id());
    std::thread::sleep(Duration::from_millis(300));
    writeln!(stdin, "二").unwrap();
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0), "{}", place.text("said"));
    assert_eq!(place.text("out.txt"), "一\n二\n");
}

/// Whether SIGHUP is ignored by this process, and so by all processes that it starts.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
}

fn hang_up(process: u32) {
    assert!(Command::new("kill").args(["-HUP", &process.to_string()]).status().unwrap().success());
}
