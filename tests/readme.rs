//! Every command that the READMEs show with its output prints that output.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// The seconds, rates and memory of a run differ from machine to machine; what stands before them does not.
fn without_measurements(line: &str) -> &str {
    match line.split_once("; ") {
        Some((totals, _)) if line.starts_with("quchong: in ") => totals,
        _ => line,
    }
}

fn check(readme: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(readme)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root.join("data"), folder.path().join("data")).unwrap();
    let path = format!("{}:{}", Path::new(env!("CARGO_BIN_EXE_quchong")).parent().unwrap().display(), env!("PATH"));
    let mut commands = 0;
    for block in text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
        for session in block.split_inclusive('\n').collect::<String>().split("$ ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap();
            let command = command.replace("cargo run --release --", "quchong");
            let output = Command::new("sh")
                .args(["-c", &format!("exec 2>&1; {command}")])
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let lines =
                |text: &str| text.trim_end().lines().map(|l| without_measurements(l).to_owned()).collect::<Vec<_>>();
            assert_eq!(lines(&printed), lines(expected), "{readme}: {command}\nprinted:\n{printed}");
            commands += 1;
        }
    }
    assert!(commands >= 5, "{readme}: only {commands} commands were found");
}

#[test]
#[cfg(unix)]
fn the_readme_tells_the_truth() {
    check("README.md");
}

#[test]
#[cfg(unix)]
fn the_chinese_readme_tells_the_truth() {
    check("README.zh.md");
}
