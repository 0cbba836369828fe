//! No file is read and written at once, no file is written twice, and a pipe is read once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::common::{end, quchong};

const LINES: &str = "{\"text\":\"a\"}\n{\"text\":\"a\"}\n{\"text\":\"b\"}\n";

fn refuses(command: &mut Command) {
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{command:?}: {stderr}");
    assert!(stderr.contains("are the same file"), "{command:?}: {stderr}");
}

#[test]
fn a_file_in_use_is_not_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let (input, other) = (folder.path().join("in.jsonl"), folder.path().join("other"));
    fs::write(&input, LINES).unwrap();
    fs::write(&other, "").unwrap();
    symlink(&other, folder.path().join("link")).unwrap();
    let dedup = |args: &[&str]| {
        let mut command = quchong();
        command.current_dir(&folder).arg("dedup").args(args).stdin(Stdio::null()).stdout(Stdio::null());
        command
    };
    let append = |path| OpenOptions::new().append(true).open(path).unwrap();
    refuses(&mut dedup(&["in.jsonl", "--dropped", "in.jsonl"]));
    refuses(&mut dedup(&["in.jsonl", "--summary", "./in.jsonl"]));
    refuses(dedup(&["--dropped", "in.jsonl"]).stdin(fs::File::open(&input).unwrap()));
    refuses(dedup(&["-", "--summary", "in.jsonl"]).stdin(fs::File::open(&input).unwrap()));
    refuses(dedup(&[]).stdin(fs::File::open(&input).unwrap()).stdout(append(&input)));
    refuses(dedup(&["in.jsonl"]).stdout(append(&input)));
    refuses(dedup(&["in.jsonl", "--dropped", "other"]).stdout(append(&other)));
    refuses(dedup(&["in.jsonl", "--summary", "link"]).stdout(append(&other)));
    refuses(&mut dedup(&["in.jsonl", "--dropped", "./new", "--summary", "new"]));
    refuses(&mut dedup(&["in.jsonl", "--dropped", "other", "--summary", "link"]));
    assert_eq!(fs::read_to_string(&input).unwrap(), LINES, "the input was overwritten");
    // A path that is no regular file may be written twice, and any file may be read twice.
    let output = dedup(&["in.jsonl", "in.jsonl", "--dropped", "/dev/null", "--summary", "/dev/null"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

/// These commands once wrote into the file that they read; one of them never ended.
#[test]
fn no_command_writes_into_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    fs::write(&input, LINES).unwrap();
    let told = |args: &[&str]| {
        let mut command = quchong();
        command.current_dir(&folder).args(args).stdin(fs::File::open(&input).unwrap());
        let output = command.stdout(OpenOptions::new().append(true).open(&input).unwrap()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (args, code) in [
        (&["sign", "--method", "A1", "in.jsonl"][..], 2),
        (&["sign", "--method", "A1"], 2),
        (&["normalise"], 2),
        (&["explain", "--file", "in.jsonl", "1", "3"], 2),
        (&["edges", "--from", "0", "in.jsonl"], 2),
        (&["decide", "in.jsonl"], 2),
        (&["check", "in.jsonl"], 1),
        (&["check", "in.jsonl", "-o", "kept.jsonl"], 1),
    ] {
        let (ended, said) = told(args);
        assert!(ended == Some(code) && said.contains("and standard output are the same file"), "{args:?}: {said}");
    }
    assert_eq!(fs::read_to_string(&input).unwrap(), LINES);
    // What is not read may be written.
    assert_eq!(told(&["normalise", "甲"]).0, Some(0));
}

#[test]
fn a_named_pipe_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = quchong().args(["dedup", "--quiet"]).arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    // Opening waits for the reader, so this writes as soon as there is a reader.
    OpenOptions::new().write(true).open(&pipe).unwrap().write_all(LINES.as_bytes()).unwrap();
    assert_eq!(end(&mut child).code(), Some(0));
    assert_eq!(BufReader::new(child.stdout.take().unwrap()).lines().count(), 2);
}

#[test]
fn a_named_pipe_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    for (option, expected) in [("--summary", "\"kept\": 2"), ("--dropped", "\"verdict\":\"exact\"")] {
        let pipe = folder.path().join(option);
        assert!(Command::new("mkfifo").arg("--").arg(&pipe).status().unwrap().success());
        let mut reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
        let mut command = quchong();
        command.args(["dedup", "--quiet", option]).arg(&pipe).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(LINES.as_bytes()).unwrap();
        assert_eq!(end(&mut child).code(), Some(0), "{option}");
        assert_eq!(end(&mut reader).code(), Some(0), "{option}");
        let mut read = String::new();
        reader.stdout.take().unwrap().read_to_string(&mut read).unwrap();
        assert!(read.contains(expected), "{option}: {read}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_reader_that_goes_hides_no_other_failure() {
    let mut command = quchong();
    command.args(["dedup", "--quiet", "--dropped", "/dev/full"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(LINES.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("error: /dev/full: No space left on device"), "{stderr}");
}

/// A failure at the end is reported even if the reader has gone. A compressed file without a record is first written to when the run
/// ends.
#[test]
#[cfg(target_os = "linux")]
fn a_reader_that_goes_hides_no_failure_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let dropped = folder.path().join("dropped.zst");
    symlink("/dev/full", &dropped).unwrap();
    let mut command = quchong();
    command.args(["dedup", "--quiet", "--dropped"]).arg(&dropped);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all("只此一条消息\n".as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("dropped.zst: No space left on device"), "{stderr}");
}

/// A failed output is not summed up as a whole one. A run once reported kept records that no output had.
#[test]
#[cfg(target_os = "linux")]
fn a_failed_output_is_not_summed_up_as_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.jsonl"), LINES).unwrap();
    let args = ["dedup", "in.jsonl", "--summary", "sum.json", "--report", "report.html", "-o"];
    let summed = |more: &[&str]| {
        let output = quchong().current_dir(&folder).args(args).args(more).output().unwrap();
        let [json, page] =
            ["sum.json", "report.html"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
        let complete = serde_json::from_str::<serde_json::Value>(&json).unwrap()["complete"].as_bool();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (
            stderr.contains("kept 2 + "),
            stderr.contains("judged 3 records; /dev/full lacks some of them"),
            complete,
            page,
        )
    };
    for failed in [&["/dev/full"][..], &["out", "--dropped", "/dev/full"], &["/dev/full", "--represent", "longest"]] {
        let (is_balanced, is_told, complete, page) = summed(failed);
        assert_eq!((is_balanced, is_told, complete), (false, true, Some(false)), "{failed:?}");
        assert!(page.contains("An output is incomplete"), "{failed:?}");
    }
    let (is_balanced, is_told, complete, page) = summed(&["out"]);
    assert_eq!((is_balanced, is_told, complete), (true, false, Some(true)));
    assert!(!page.contains("An output is incomplete"));
}

#[test]
fn what_cannot_be_read_leaves_the_outputs_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), "old").unwrap();
    let args = ["dedup", "missing.jsonl", "--dropped", "new", "--summary", "old"];
    let output = quchong().current_dir(&folder).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("new").exists());
    assert_eq!(fs::read_to_string(folder.path().join("old")).unwrap(), "old");
}

#[test]
fn outputs_are_emptied_first() {
    let folder = tempfile::tempdir().unwrap();
    let (dropped, summary) = (folder.path().join("dropped"), folder.path().join("summary"));
    for path in [&dropped, &summary] {
        fs::write(path, "x".repeat(100_000)).unwrap();
    }
    let input = folder.path().join("in.jsonl");
    fs::write(&input, LINES).unwrap();
    let mut command = quchong();
    command.arg("dedup").arg(&input).arg("--dropped").arg(&dropped).arg("--summary").arg(&summary);
    assert!(command.output().unwrap().status.success());
    for path in [&dropped, &summary] {
        let written = fs::read_to_string(path).unwrap();
        assert!(written.starts_with('{') && !written.contains("xx"), "{path:?}: {written}");
    }
}

#[test]
fn only_the_reader_of_the_output_may_go_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = quchong()
        .args(["dedup", "--quiet", "--dropped"])
        .arg(&pipe)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The reader is a process of its own: files that this process has open are also open, for a moment, in children of other tests.
    let mut reader = Command::new("head").args(["-n", "1"]).arg(&pipe).stdout(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(LINES.as_bytes()).unwrap();
    assert!(reader.wait().unwrap().success());
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut kept = String::new();
    stdout.read_line(&mut kept).unwrap();
    stdin.write_all(format!("{}{LINES}", "{\"text\":\"c\"}\n").as_bytes()).unwrap();
    drop(stdin);
    stdout.read_to_string(&mut kept).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("Broken pipe") && stderr.contains("pipe"), "{stderr}");
    assert!(kept.contains("\"c\""), "what was judged was not written: {kept}");
}

#[test]
fn the_first_error_is_the_one_that_is_told() {
    let output = quchong()
        .args(["dedup", "--on-error", "fail", "--summary", "/dev/full", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .and_then(|mut child| {
            child.stdin.take().unwrap().write_all(b"{\"text\":1}\n")?;
            child.wait_with_output()
        })
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr.matches("is not a string").count(), 1, "{stderr}");
}

#[test]
fn a_state_and_other_files_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.jsonl"), LINES).unwrap();
    let run = |args: &[&str]| {
        let output = quchong().current_dir(&folder).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (command, code) in [("dedup", 2), ("check", 1)] {
        let (ended, said) = run(&[command, "in.jsonl", "--state", "."]);
        let told = ".: holds no state but other files, such as in.jsonl; name a folder that is new or empty";
        assert!(ended == Some(code) && said.contains(told), "{said}");
    }
    // An empty folder may hold a hidden file that keeps it in Git.
    fs::create_dir(folder.path().join("kept")).unwrap();
    fs::write(folder.path().join("kept/.gitkeep"), "").unwrap();
    assert_eq!(run(&["dedup", "in.jsonl", "--state", "kept"]).0, Some(0));
    for args in [
        &["dedup", "in.jsonl", "-o", "kept/HEAD"][..],
        &["dedup", "in.jsonl", "--state", "other", "--dropped", "kept/new"],
        &["clusters", "in.jsonl", "-o", "kept/LOCK"],
        &["evaluate", "in.jsonl", "--truth", "edits", "--html", "kept/HEAD"],
    ] {
        let (code, said) = run(args);
        assert!(code == Some(2) && said.contains("is in the folder of a state, where its own files are"), "{said}");
    }
    assert!(!folder.path().join("kept/new").exists());
    assert_eq!(run(&["state", "check", "kept"]).0, Some(0));
}
