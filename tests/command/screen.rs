//! What reports look like on a terminal, which `script` simulates, and in a pipe.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::process::{Command, Stdio};

use crate::common::place::{Place, input};
use crate::common::quchong;

const PAIR: [&str; 3] = ["explain", "昨日新增确诊病例7例，累计83例", "昨日新增确诊病例9例，累计83例"];

/// What the program shows on a terminal of this many columns. `more` follows the arguments, as text for the shell.
fn shown(place: &Place, width: u32, args: &[&str], more: &str, env: &[(&str, &str)]) -> String {
    let program = quchong().get_program().to_str().unwrap().to_owned();
    let words: Vec<String> =
        std::iter::once(&*program).chain(args.iter().copied()).map(|word| format!("'{word}'")).collect();
    let line = format!("stty cols {width} rows 50; {} {more}", words.join(" "));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(&place.folder).stdin(Stdio::null()).env("TERM", "xterm");
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        script.env_remove(name);
    }
    let output = script.envs(env.iter().copied()).output().unwrap();
    String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")
}

/// What the program writes into a pipe.
fn piped(args: &[&str], env: &[(&str, &str)]) -> String {
    let mut command = quchong();
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let output = command.args(args).envs(env.iter().copied()).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// The text without its colours.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |before, part| before + part.split_once('m').unwrap().1)
}

/// The number of columns of a text of ASCII, signs and Chinese.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if ('\u{2e80}'..='\u{ffef}').contains(&c) { 2 } else { 1 }).sum()
}

#[test]
fn differences_have_colours_where_they_are_seen() {
    let place = Place::new(b"");
    let show = |more: &[&str], env: &[(&str, &str)]| shown(&place, 100, &[&PAIR[..], more].concat(), "", env);
    let pipe = |more: &[&str], env: &[(&str, &str)]| piped(&[&PAIR[..], more].concat(), env);
    let without = pipe(&[], &[]);
    assert!(
        without.contains("differs      …日新增确诊病例-7-+9+例 累计83例") || without.contains("-7-+9+"),
        "{without}"
    );
    let colored = ["\u{1b}[31m-7-\u{1b}[0m\u{1b}[32m+9+\u{1b}[0m", "\u{1b}[1mB is kept\u{1b}[0m: a fact differs"];
    let none: &[(&str, &str)] = &[];
    for (text, is_colored) in [
        (show(&[], none), true),
        (show(&["--color", "never"], none), false),
        (show(&[], &[("NO_COLOR", "1")]), false),
        (show(&["--color", "always"], &[("NO_COLOR", "1")]), true),
        (pipe(&[], none), false),
        (pipe(&["--color", "always"], none), true),
        (pipe(&[], &[("CLICOLOR_FORCE", "1")]), true),
        (pipe(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]), false),
    ] {
        assert_eq!(plain(&text), without, "colours change no text");
        assert!(colored.iter().all(|part| text.contains(part) == is_colored), "{text:?}");
        assert_eq!(text.contains('\u{1b}'), is_colored, "{text:?}");
    }
    let json = shown(&place, 100, &[&PAIR[..], &["--format", "json"]].concat(), "", none);
    assert!(!json.contains('\u{1b}') && json.contains("\"marked\""), "{json}");
    // The difference between long texts stays on one line.
    let long = "春夏秋冬四季轮转，日子过得很慢，".repeat(3);
    let told = piped(&["explain", &long, &long.replace('慢', "快"), "--color", "always"], none);
    let line = plain(&told).lines().find(|line| line.starts_with("  differs")).unwrap().to_owned();
    assert!(line.chars().count() <= 15 + 120 && told.contains("\u{1b}[31m-慢-"), "{told}");
}

#[test]
fn errors_are_red_on_a_terminal_and_nothing_in_json_is() {
    let place = Place::new(b"");
    let args = ["dedup", "none.jsonl"];
    assert!(shown(&place, 100, &args, "", &[]).contains("quchong: \u{1b}[1m\u{1b}[31merror: \u{1b}[0m"));
    assert!(piped(&args, &[]).contains("quchong: error: "));
    let json = shown(&place, 100, &[&args[..], &["--log-format", "json"]].concat(), "", &[]);
    assert!(!json.contains('\u{1b}'), "{json}");
}

#[test]
fn tables_have_columns_on_a_terminal_and_are_markdown_elsewhere() {
    let place = Place::new(b"");
    let markdown = piped(&["methods"], &[]);
    assert!(markdown.starts_with("| method | name |") && !markdown.contains("──"), "{markdown}");
    let rows = markdown.lines().count();
    for width in [60, 200] {
        let table = shown(&place, width, &["methods", "--color", "never"], "", &[]);
        let lines: Vec<&str> = table.lines().collect();
        assert!(!table.contains('|') && lines.iter().all(|line| columns(line) <= width as usize), "{width}: {table}");
        assert!(if width == 200 { lines.len() == rows } else { lines.len() > rows }, "{width}: {table}");
        if width < 200 {
            continue;
        }
        // Each column begins below its rule.
        let starts: Vec<usize> =
            lines[1].match_indices(" ─").map(|(at, _)| lines[1][..at].chars().count() + 1).collect();
        assert_eq!(starts.len(), 3, "{table}");
        let wide = |line: &str| -> Vec<char> { line.chars().flat_map(|c| vec![c; columns(&c.to_string())]).collect() };
        for line in &lines {
            assert!(starts.iter().all(|at| wide(line).get(at - 1).is_none_or(|c| *c == ' ')), "{line}\n{table}");
        }
    }
    let strong = shown(&place, 200, &["methods"], "", &[]);
    assert!(strong.starts_with("\u{1b}[1mmethod"), "{strong}");
}

#[test]
fn the_one_number_comes_first() {
    let pairs =
        [("今天武汉的樱花开了，我在东湖边等你", "今天武汉的樱花开了，我在东湖边等你！", 1), ("你好", "再见", 0)];
    let lines = pairs.map(|(a, b, label)| serde_json::json!({"a": a, "b": b, "label": label}).to_string() + "\n");
    let place = Place::new(lines.concat().as_bytes());
    let args = ["evaluate", "in.jsonl", "--engine", "default", "--engine", "exact"];
    let told = shown(&place, 100, &args, "", &[]);
    assert!(plain(&told).trim_start().starts_with("F1 1.000 · default"), "{told}");
    assert!(told.contains("\u{1b}[1mPairs\u{1b}[0m") && !told.contains('|'), "{told}");
    let output = place.succeed(&args);
    assert!(output.starts_with(b"in.jsonl: "), "a pipe has the report as it was");
    let tuned = ["tune", "bloom", "--generate", "2000", "--steps", "2", "--hashes", "1..2", "--probes", "1000"];
    let told = plain(&shown(&place, 120, &tuned, "", &[]));
    assert!(told.trim_start().starts_with("recommended for") && !told.contains('|'), "{told}");
}

#[test]
fn progress_can_be_turned_off() {
    let place = Place::new(&input(4000, 3));
    let bar = |more: &str| shown(&place, 120, &["dedup", "in.jsonl"], &format!("{more} > kept.jsonl"), &[]);
    assert!(bar("").contains("(eta "), "{}", bar(""));
    let never = bar("--progress never");
    assert!(!never.contains("(eta ") && never.contains("quchong: in 4,000 = "), "{never}");
    assert!(bar("-q").is_empty());
    assert!(fs::metadata(place.path("kept.jsonl")).unwrap().len() > 0);
}
