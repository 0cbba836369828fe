//! Every command that the READMEs show with its output prints that output, and their tables of options are those of the program.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::quchong;

/// The seconds, rates and memory of a run differ from machine to machine; what stands before them does not.
fn without_measurements(line: &str) -> &str {
    line.split_once("; ").filter(|_| line.starts_with("quchong: in ")).map_or(line, |(totals, _)| totals)
}

/// Runs the commands of all ```console blocks one after another in a folder where `data` is. With `QUCHONG_BLESS=1` their
/// output is written down instead of compared, and the table of options too.
fn check(readme: &str, table: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(readme)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root.join("data"), folder.path().join("data")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_quchong")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let (mut commands, mut differences, mut blessed) = (0, Vec::new(), String::new());
    for (index, block) in text.split("```").enumerate() {
        blessed += if index == 0 { "" } else { "```" };
        let Some(sessions) = block.strip_prefix("console\n") else {
            blessed += block;
            continue;
        };
        blessed += "console\n";
        for session in sessions.split("$ ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap();
            let script = format!("exec 2>&1; {}", command.replace("cargo run --release --", "quchong"));
            let mut shell = Command::new("sh");
            let output = shell.args(["-c", &script]).current_dir(folder.path()).env("PATH", &path).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let lines = |text: &str| text.trim_end().lines().map(without_measurements).collect::<Vec<_>>().join("\n");
            let is_same = lines(&printed) == lines(expected);
            if !is_same {
                differences.push(format!("{readme}: {command}\nprints\n{printed}\ninstead of\n{expected}"));
            }
            commands += 1;
            // What was measured with a release build stays.
            blessed += &format!("$ {command}\n{}", if is_same { expected } else { &printed });
        }
    }
    let table = quchong().args(["settings", "--format", table]).output().unwrap().stdout;
    let table = String::from_utf8(table).unwrap();
    let head = table.lines().next().unwrap();
    let (before, rest) = blessed.split_once(head).unwrap();
    let (written, after) = rest.split_once("\n\n").unwrap();
    if format!("{head}{written}\n") != table {
        differences.push(format!("{readme}: the table of options is not as `quchong settings` shows it"));
    }
    blessed = format!("{before}{table}\n{after}");
    if std::env::var_os("QUCHONG_BLESS").is_some() {
        fs::write(root.join(readme), blessed).unwrap();
    } else {
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
    assert!(commands >= 5, "{readme}: only {commands} commands were found");
}

#[test]
#[cfg(unix)]
fn the_readme_tells_the_truth() {
    check("README.md", "markdown");
}

#[test]
#[cfg(unix)]
fn the_chinese_readme_tells_the_truth() {
    check("README.zh.md", "markdown-zh");
}
