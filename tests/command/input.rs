//! Whatever bytes come in, nothing crashes, nothing is lost, and each fault has one clear reason.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::io::Write;
use std::process::Stdio;

use crate::common::{dedup, quchong};
use quchong::formats::parse::{FieldPath, Further, Parser};
use quchong::formats::source::{Format, Source};
use quchong::run::sink::{OnError, Output, Sink, Stream};
use quchong::run::{self, Archives, Job, MAX_THREADS, Naming};
use quchong::{Config, Error};

const FAST: [&str; 2] = ["--near", "none"];

fn with(args: &[&str], more: &[&str]) -> Vec<String> {
    args.iter().chain(more).map(|arg| (*arg).to_owned()).collect()
}

fn run(args: &[&str], input: &[u8]) -> crate::common::Run {
    let args = with(&FAST, args);
    dedup(&args.iter().map(String::as_str).collect::<Vec<_>>(), input)
}

/// Lines that cannot be judged, each with the kind of error that it counts as.
fn faulty() -> Vec<(Vec<u8>, &'static str)> {
    let deep_text = format!("{{\"text\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    vec![
        (b"{\"text\":\"\xff\xfe\"}".to_vec(), "invalid-utf8"),
        (b"{\"text\":\"\xc4\xe3\xba\xc3\"}".to_vec(), "invalid-utf8"), // 你好 in GB18030
        (br#"{"text":"cut"#.to_vec(), "invalid-json"),
        (br#"{"text":"\ud83d"}"#.to_vec(), "invalid-json"),
        (b"plain".to_vec(), "invalid-json"),
        (br#"{"txt":"a"}"#.to_vec(), "missing-field"),
        (b"[]".to_vec(), "invalid-json"),
        (br#"{"text":17}"#.to_vec(), "not-a-string"),
        (br#"{"text":null}"#.to_vec(), "not-a-string"),
        (deep_text.into_bytes(), "not-a-string"),
        ([b"{\"text\":\"", "长".repeat(100_000).as_bytes(), b"\"}"].concat(), "line-too-long"),
    ]
}

#[test]
fn records_that_cannot_be_judged() {
    let (before, after) = (&b"{\"text\":\"a\"}\n"[..], &b"{\"text\":\"A\"}\n{\"text\":\"b\"}\n"[..]);
    for (line, kind) in faulty() {
        let shown = String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned();
        let input = [before, &line, b"\n", after].concat();
        let limit = ["--format", "jsonl", "--max-line", "250kB"];
        let counted = format!("/errors/{kind}");

        let pass = run(&limit, &input);
        assert_eq!(pass.code, Some(0), "{shown}");
        assert_eq!(pass.stdout, [before, &line, b"\n{\"text\":\"b\"}\n"].concat(), "{shown}");
        assert_eq!((pass.total(&counted), pass.total("/errors/total"), pass.total("/in")), (1, 1, 4), "{shown}");
        assert!(pass.stderr.contains("<stdin>:2: "), "{shown}: {}", pass.stderr);

        let drop = run(&[&limit[..], &["--on-error", "drop"]].concat(), &input);
        assert_eq!((drop.code, drop.text()), (Some(0), "{\"text\":\"a\"}\n{\"text\":\"b\"}\n"), "{shown}");
        assert_eq!(drop.total(&counted), 1, "{shown}");

        let fail = run(&[&limit[..], &["--on-error", "fail"]].concat(), &input);
        assert_eq!((fail.code, fail.text()), (Some(2), "{\"text\":\"a\"}\n"), "{shown}");
        assert!(fail.stderr.contains("error: <stdin>:2: "), "{shown}: {}", fail.stderr);

        let note = format!("\"quchong\":{{\"verdict\":\"error\",\"error\":\"{kind}\"}}}}\n");
        for (output, on_error, shown_there) in
            [("annotated", "pass", 1), ("annotated", "drop", 1), ("dropped", "pass", 0), ("dropped", "drop", 1)]
        {
            let run = run(&[&limit[..], &["--output", output, "--on-error", on_error]].concat(), &input);
            assert_eq!(run.text().matches(&note).count(), shown_there, "{shown}: {output} {on_error}");
            let parses = |line: &str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
            assert!(run.text().lines().all(parses), "{shown}: {output} {on_error}");
        }
    }
}

#[test]
fn records_that_are_odd_and_can_be_judged() {
    let deep = format!("{{\"text\":\"x\",\"deep\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for line in [
        "\u{feff}{\"text\":\"x\"}",
        "{\"text\":\"x\"}\r",
        r#"  {"text":"x","n":1e400}  "#,
        r#"{"text":"y","text":"x"}"#,
        r#"{"text":"x\u0000"}"#,
        &deep,
    ] {
        // The same text comes first, so that the odd record, if it is judged, is dropped as its repeat.
        let run =
            run(&["--format", "jsonl", "--output", "annotated"], format!("{{\"text\":\"X\"}}\n{line}\n").as_bytes());
        assert_eq!(run.code, Some(0));
        let shown = line.chars().take(60).collect::<String>();
        assert!(
            run.text().ends_with(",\"quchong\":{\"verdict\":\"exact\",\"of\":{\"line\":1}}}\n"),
            "{shown}: {}",
            run.stderr
        );
    }
}

#[test]
fn lines_leave_as_they_came() {
    for input in [
        &b""[..],
        b"\n",
        b"\n\n\n",
        b"a",
        b"a\r\nb\r\n",
        b"a\0b\na\0c\n",
        b"\xef\xbb\xbfa\nb",
        b"  a  \n\tb\n",
        "你好\n再见".as_bytes(),
        b"\xFE\xFE\n\xFE\xFE\n",
        b"\r\n \n\t\n",
    ] {
        let run = run(&[], input);
        // In one of these inputs nothing can be judged, and the exit code says so.
        let code = if input.starts_with(b"\xFE") { 3 } else { 0 };
        assert_eq!((run.code, &run.stdout[..]), (Some(code), input), "{:?}", String::from_utf8_lossy(input));
    }
}

#[test]
fn a_last_line_without_an_end_does_not_join_the_next_file() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("1.txt"), folder.path().join("2.txt"));
    std::fs::write(&first, "a\nb").unwrap();
    std::fs::write(&second, "B\nc").unwrap();
    let files = [first.to_str().unwrap(), "-", second.to_str().unwrap()];
    assert_eq!(run(&files, b"d").text(), "a\nb\nd\nc");
    let annotated = run(&[&files[..], &["--output", "dropped"]].concat(), b"d").json();
    assert_eq!(annotated.len(), 1);
    assert_eq!(annotated[0]["quchong"]["of"], serde_json::json!({"file": files[0], "line": 2}));
}

#[test]
fn a_line_of_100_mb_takes_no_memory() {
    let long = vec![b'x'; 100_000_000];
    let input = [b"a\n", &long[..], b"\nA\nb\n"].concat();
    let pass = run(&["--capacity", "1000"], &input);
    assert!(pass.stdout == [b"a\n", &long[..], b"\nb\n"].concat(), "{}", pass.stderr);
    assert_eq!(pass.total("/errors/line-too-long"), 1);
    if let Some(peak) = pass.summary["peak_memory_bytes"].as_u64() {
        assert!(peak < 90_000_000, "{peak}");
    }
    assert_eq!(run(&["--on-error", "drop"], &input).text(), "a\nb\n");
}

#[test]
fn fields() {
    let input = r#"{"a":{"b":["x","y"]},"key":7}
{"a":{"b":["X","z"]},"key":"k"}
"#;
    for (field, dropped) in [("/a/b/0", 1), ("a.b.0", 1), ("/a/b/1", 0)] {
        let lines = run(&["--field", field, "--id-field", "key", "--output", "annotated"], input.as_bytes()).json();
        assert_eq!(lines.iter().filter(|line| line["quchong"]["of"] == 7).count(), dropped, "{field}");
    }
}

#[test]
fn the_last_of_equal_keys_counts_at_any_depth() {
    let lines = dedup(&["--field", "a.b", "--output", "annotated"], br#"{"a":{"b":"z"},"a":5}"#).json();
    assert_eq!(lines[0]["quchong"]["error"], "missing-field");
}

/// A JSON array from a pipe is reported like one in a file. It was once read silently as one message of plain text.
#[test]
fn an_array_by_a_pipe_is_told_as_one_in_a_file() {
    for array in ["[{\"text\":\"好\"},{\"text\":\"好\"}]\n", " [\n {\"text\":\"好\"},\n {\"text\":\"好\"}\n]\n"] {
        let run = run(&[], array.as_bytes());
        assert_eq!((run.code, run.text()), (Some(3), array));
        assert!(run.stderr.contains("<stdin>:1: begins a JSON array"), "{}", run.stderr);
    }
    for lines in ["[心]今天真好\n", "[1]\n", "[]\n", "[{微笑}]今天真好\n", "[\n"] {
        assert_eq!(run(&[], lines.as_bytes()).total("/kept"), 1, "{lines}");
    }
}

#[test]
fn blank_lines_before_the_first_message_are_treated_alike_however_they_come() {
    let input = b"\xEF\xBB\xBF\r\n\xE3\x80\x80\n{\"text\":\"a\"}\n{\"text\":\"a\"}\n";
    let whole = dedup(&["--output", "annotated"], input);
    assert_eq!(
        whole.text(),
        "\n\u{3000}\n{\"text\":\"a\",\"quchong\":{\"verdict\":\"kept\"}}\n{\"text\":\"a\",\"quchong\":{\"verdict\":\"exact\",\"of\":{\"line\":3}}}\n"
    );
    let mut child = quchong()
        .args(["dedup", "--quiet", "--output", "annotated"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for byte in input {
        stdin.write_all(&[*byte]).unwrap();
        stdin.flush().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    drop(stdin);
    assert_eq!(child.wait_with_output().unwrap().stdout, whole.stdout);
}

#[test]
fn threads_that_cannot_all_start_are_refused() {
    for command in [&["dedup"][..], &["evaluate"], &["tune", "bloom"]] {
        for threads in ["0", "1025", "9223372036854775808", "18446744073709551615", "many"] {
            let output = quchong().args(command).args(["--threads", threads]).stdin(Stdio::null()).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{command:?} {threads}: {stderr}");
            assert!(
                stderr.contains(&format!("--threads {threads}: write a number from 1 to 1024")),
                "{command:?}: {stderr}"
            );
        }
    }
}

/// A process that may open too few files for signals once ended by a panic.
#[test]
#[cfg(target_os = "linux")]
fn too_few_open_files_are_said() {
    for most in [5, 6, 7, 8] {
        let script = format!("ulimit -n {most}; exec \"$0\" dedup");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_quchong")]).stdin(Stdio::null());
        crate::common::in_english(&mut shell);
        let output = shell.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{most}: {stderr}");
        assert!(stderr.contains("Too many open files; raise the limit of open files (ulimit -n)"), "{most}: {stderr}");
    }
}

#[test]
fn what_cannot_work_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    std::fs::write(&file, "a\n").unwrap();
    let (folder, file) = (folder.path().to_str().unwrap(), file.to_str().unwrap());
    for (args, said) in [
        (&["no-such-file.txt"][..], "no-such-file.txt: there is no such file"),
        (&[folder], "is a folder"),
        (&["--max-distance", "13", file], "--max-distance: 13"),
        (&["--near", "minhash", "--similarity", "0", file], "--similarity: 0 is out of range"),
        (&["--near", "minhash", "--permutations", "8", file], "--permutations: 8 is out of range"),
        (
            &["--near", "simhash", "--guard", "off", file],
            "--guard: does nothing under --near simhash; it needs --near hybrid",
        ),
        (&["--preset", "simhash", "--similarity", "0.7", file], "--similarity: does nothing under --near simhash"),
        (&["--near", "none", "--normalise", "all", file], "--normalise: does nothing under --near none"),
        (&["--near", "minhash", "--max-distance", "3", file], "it needs --near hybrid or simhash"),
        (&["--verify-window", "40M", file], "--verify-window: 40000000 is out of range"),
        (&["--shingle", "word:0", file], "--shingle: word:0 is out of range"),
        (&["--shingle", "word", file], "--shingle"),
        (&["--normalise", "nonsense", file], "no rule is called `nonsense`"),
        (&["--exact", "bloom", "--bloom-bits", "1", file], "--bloom-bits: 1"),
        (&["--exact", "bloom", "--bloom-bits", "1e12", file], "--capacity: this machine"),
        (&["--bloom-error", "1", file], "--bloom-error: 1"),
        (&["--capacity", "0", file], "--capacity: 0"),
        (&["--capacity", "many", file], "--capacity"),
        (&["--max-line", "1.5", file], "--max-line"),
        (&["--format", "jsonl", "--field", "a..b", file], "--field: `a..b`"),
        (
            &["--field", "body", file],
            "--field: does nothing: the input is read as plain text, each line a message. If it is jsonl",
        ),
        (&["--dropped", file, file], "--dropped"),
        (&["--dropped", "/no/such/folder/d", file], "/no/such/folder/d"),
        (&["--summary", "/no/such/folder/s", file], "/no/such/folder/s"),
        (
            &["--format", "jsonl", "--dropped", "/dev/null", "--field", "a.b", "--id-field", "a", file],
            "`a` is an object with --field in it",
        ),
    ] {
        let output = quchong().arg("dedup").args(args).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(said), "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked") && stderr.lines().count() <= 3, "{args:?}: {stderr}");
    }
    assert_eq!(std::fs::read(file).unwrap(), b"a\n", "the input was overwritten");
}

#[test]
fn the_library_refuses_threads_that_cannot_all_start() {
    for threads in [0, MAX_THREADS + 1, usize::MAX] {
        let job = Job {
            source: Source::new(Vec::new(), Format::Lines, 100).unwrap(),
            parser: Parser {
                field: FieldPath::parse("--field", "text").unwrap(),
                id_field: FieldPath::parse("--id-field", "id").unwrap(),
                time_field: None,
                seq_field: None,
                further: Further::default(),
            },
            sink: Sink::new(Output::Kept, OnError::Pass, Stream::new("nowhere", Box::new(std::io::sink()))),
            threads,
            observer: &mut (),
            durable: None,
            metrics: None,
            recount: None,
            against: Archives::default(),
        };
        let (_, end) = run::run(&Config::default(), job, Naming::Line, std::future::pending());
        assert!(matches!(end, Err(Error::Config { setting: "threads", .. })), "{threads}: {end:?}");
    }
}
