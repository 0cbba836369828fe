//! The tool in Chinese: people are told in it, and programs read what they read before.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{generated, quchong};

fn chinese() -> Command {
    let mut command = quchong();
    command.env_remove("QUCHONG_UI").env("LC_ALL", "zh_CN.UTF-8");
    command
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..'\u{a000}').contains(&c)
}

/// All commands, with those of `state` and `tune`.
const COMMANDS: [&str; 26] = [
    "",
    "dedup",
    "check",
    "clusters",
    "explain",
    "normalise",
    "generate",
    "tune",
    "tune bloom",
    "tune paper",
    "evaluate",
    "reproduce",
    "methods",
    "sign",
    "sketch",
    "edges",
    "decide",
    "state",
    "state info",
    "state check",
    "state dump",
    "state repair",
    "state compact",
    "settings",
    "completions",
    "man",
];

/// English words that follow each other, outside of commands and names.
fn sentence(line: &str) -> usize {
    let words = line.split([' ', '/']).map(|word| word.trim_end_matches([',', '.', ';', ':']));
    let runs = words.scan(0, |run, word| {
        let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        *run = if is_word { *run + 1 } else { 0 };
        Some(*run)
    });
    runs.max().unwrap_or(0)
}

#[test]
fn help_of_every_command_is_chinese() {
    for command in COMMANDS {
        for help in ["-h", "--help"] {
            let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).chain([help]).collect();
            let help = |columns: &str| {
                let run = chinese().args(&words).env("COLUMNS", columns).output().unwrap();
                assert_eq!(run.status.code(), Some(0), "{words:?}");
                String::from_utf8(run.stdout).unwrap()
            };
            let told = help("10000");
            assert!(told.contains("用法：") && told.contains("选项"), "{words:?}: {told}");
            for line in told.lines().filter(|line| !line.contains("quchong ")) {
                // Names of rules and engines stand in lists.
                let is_list = line.contains("[可选值：") || line.contains("repost mention url");
                assert!(sentence(line) < 3 || is_list, "{words:?}: {line}");
            }
            for line in help("100").lines() {
                let columns: usize = line.chars().map(|c| 1 + usize::from(is_han(c))).sum();
                assert!(columns <= 100 || !line.chars().any(is_han), "{words:?}: {line}");
            }
        }
    }
}

/// The same run in both languages.
fn both(args: &[&str], input: &[u8]) -> [(Output, Value); 2] {
    ["C", "zh_CN.UTF-8"].map(|locale| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("in.jsonl"), input).unwrap();
        let output =
            quchong().current_dir(&folder).args(args).env_remove("QUCHONG_UI").env("LC_ALL", locale).output().unwrap();
        let summary = std::fs::read(folder.path().join("totals.json")).unwrap_or_else(|_| b"null".to_vec());
        let mut summary: Value = serde_json::from_slice(&summary).unwrap();
        for measured in ["seconds", "peak_memory_bytes", "state_bytes"] {
            summary.as_object_mut().map(|summary| summary.remove(measured));
        }
        (output, summary)
    })
}

#[test]
fn what_programs_read_is_the_same_in_any_language() {
    let mut input = generated(300);
    input.extend_from_slice(b"{\"text\":1}\nnot JSON\n{\"id\":\"x\"}\n");
    for args in [
        "dedup in.jsonl --seed 1 --output annotated --summary totals.json",
        "dedup in.jsonl --seed 1 --output dropped --explain --summary totals.json",
        "dedup in.jsonl --seed 1 --strict --summary totals.json",
        "dedup in.jsonl --seed 1 --on-error fail --summary totals.json",
        "dedup in.jsonl --field nope --summary totals.json",
        "clusters in.jsonl",
        "normalise 你好",
        "explain --format json 昨日新增病例7例 昨日新增病例9例",
        "settings",
        "methods --format json",
        "man dedup",
        "completions bash",
        "sketch in.jsonl",
        "bogus",
    ] {
        let [(english, totals), (chinese, zongji)] = both(&args.split(' ').collect::<Vec<_>>(), &input);
        assert_eq!(String::from_utf8_lossy(&english.stdout), String::from_utf8_lossy(&chinese.stdout), "{args}");
        assert_eq!(english.status.code(), chinese.status.code(), "{args}");
        assert_eq!(totals, zongji, "{args}");
        let said = String::from_utf8(chinese.stderr).unwrap();
        assert!(!String::from_utf8(english.stderr).unwrap().chars().any(is_han), "{args}");
        assert!(said.lines().all(|line| line.chars().any(is_han)), "{args}: {said}");
    }
}

#[test]
fn a_log_for_programs_is_english_but_for_texts() {
    let input = b"{\"text\":1}\n{\"text\":\"a\"}\n";
    let [(english, _), (chinese, _)] = both(&["dedup", "in.jsonl", "--log-format", "json"], input);
    let messages = |output: Output| -> Vec<String> {
        let said = String::from_utf8(output.stderr).unwrap();
        let message = |line: &str| serde_json::from_str::<Value>(line).unwrap()["message"].as_str().unwrap().to_owned();
        // Rates and times differ.
        said.lines().map(message).map(|message| message.split("; ").next().unwrap().to_owned()).collect()
    };
    let [english, chinese] = [english, chinese].map(messages);
    assert_eq!(english, chinese);
    assert!(english.len() > 1 && english.iter().all(|message| message.is_ascii()), "{english:?}");
}

#[test]
fn the_option_goes_before_the_variable_and_that_before_the_locale() {
    let told = |args: &[&str], named: &str, locale: &str| {
        let run = quchong().args(args).env("QUCHONG_UI", named).env("LC_ALL", locale).output().unwrap();
        String::from_utf8(run.stderr).unwrap().chars().any(is_han)
    };
    assert!(!told(&["bogus"], "", "C") && told(&["bogus"], "", "zh_CN.UTF-8"));
    assert!(told(&["bogus"], "zh", "C") && !told(&["bogus"], "en", "zh_CN.UTF-8"));
    assert!(told(&["--ui", "zh", "bogus"], "en", "C") && !told(&["dedup", "--bogus", "--ui=en"], "zh", "C"));
    let run = quchong().args(["settings"]).env("QUCHONG_UI", "fr").output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(
        (run.status.code(), said.as_str()),
        (Some(2), "quchong: error: QUCHONG_UI fr: there is no such language; write en or zh\n")
    );
}
