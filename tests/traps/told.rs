//! A missing field is reported by every command, and no message can send control characters to a terminal.

use std::process::Stdio;

use super::{PATIENCE, Place, ended, records};

/// Every command reports a field that no record has, with exit code 3. Each of these commands once said nothing, with exit code 0.
#[test]
fn a_field_that_is_not_there_is_told_by_every_command() {
    let place = Place::new().with("in.jsonl", records(4)).with("txt.jsonl", records(4).replace("text", "txt"));
    for (args, said) in [
        (&["clusters", "-q", "in.jsonl", "--id-field", "nope"][..], "--id-field: 4 of 4 records have no id"),
        (&["clusters", "-q", "in.jsonl", "--represent", "newest"], "--time-field: 4 of 4 messages have no time"),
        (&["dedup", "-q", "in.jsonl", "--represent", "newest"], "--time-field: 4 of 4 messages have no time"),
        (&["sign", "--method", "A2", "txt.jsonl"], "4 of 4 records could not be read, and have no signature; --field"),
    ] {
        let run = place.run(args);
        assert!(run.code == Some(3) && run.said.contains(said), "{args:?}: {:?} {}", run.code, run.said);
    }
    for args in [&["clusters", "-q", "in.jsonl"][..], &["sign", "--method", "A2", "in.jsonl"]] {
        let run = place.run(args);
        assert_eq!((run.code, run.said.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn what_is_told_commands_no_terminal() {
    let hostile = "\u{1b}[31m\u{7}\rx\u{202e}";
    let place = Place::new()
        .with("in.csv", format!("{hostile},id\n好,1\n"))
        .with("open.csv", "id,\"txt\n".to_owned() + &"早上好\n".repeat(200))
        .with(&format!("{hostile}.jsonl"), "{\"txt\":1}\n");
    let name = format!("{hostile}.jsonl");
    let (field, missing) = (format!("a{hostile}"), format!("no{hostile}"));
    for args in [
        &["dedup", "in.csv"][..],
        &["dedup", &name],
        &["dedup", &name, "--field", &field],
        &["dedup", &missing],
        &["dedup", &format!("--{hostile}")],
        &["dedup", "--window", hostile],
        &["clusters", &name],
        &["sign", "--method", "A2", &name],
        &["state", "info", &missing],
    ] {
        let said = place.run(args).said;
        assert!(said.contains("u{1b}") || said.contains('\u{fffd}'), "{args:?}: {said:?}");
        let is_bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(is_bad) && said.lines().all(|line| line.starts_with("quchong: ")), "{args:?}: {said:?}");
    }
    // Because the quote stays open, the whole table is one name.
    let said = place.run(&["dedup", "-q", "open.csv"]).said;
    assert!(said.contains("no column `text`, but id, txt") && said.chars().count() < 250, "{said}");
}

#[test]
fn a_full_disk_is_told_with_what_to_do() {
    let place = Place::new().with("in.jsonl", records(4));
    let run = place.run(&["dedup", "-q", "in.jsonl", "-o", "/dev/full", "--state", "state"]);
    assert_eq!(run.code, Some(2));
    for said in ["/dev/full: No space left on device (--output-file); free space", "--resume"] {
        assert!(run.said.contains(said), "{said}: {}", run.said);
    }
    let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for args in [&["dedup", "-q", "in.jsonl"][..], &["clusters", "-q", "in.jsonl"]] {
        let run = ended({ place.command(args) }.stdout(full()).spawn().unwrap());
        let said = "<stdout>: No space left on device; free space";
        assert!(run.code == Some(2) && run.said.contains(said), "{args:?}: {}", run.said);
        assert!(!run.said.contains("--resume"), "{}", run.said);
    }
    // Help, too, fails on a full disk. It once ended with 0.
    for (ui, said) in [("en", "<stdout>: No space left on device; free space"), ("zh", "<stdout>: ")] {
        for args in [&["--help"][..], &["dedup", "-h"], &["--version"]] {
            let mut command = place.command(&[&["--ui", ui], args].concat());
            let run = ended(command.stdout(full()).spawn().unwrap());
            assert!(run.code == Some(2) && run.said.contains(said), "{ui} {args:?}: {:?} {}", run.code, run.said);
        }
    }
}

/// `check` refuses what a run refuses, and reports what a run would lose.
#[test]
fn a_check_refuses_what_a_run_does_and_tells_what_it_loses() {
    let place = Place::new().with("in.jsonl", records(4));
    for command in ["dedup", "check"] {
        let run = place.run(&[command, "in.jsonl", "--dropped", "/dev/stdout"]);
        assert!(run.code != Some(0) && run.said.contains("--dropped /dev/stdout"), "{command}: {}", run.said);
    }
    let run = place.run(&["check", "in.jsonl", "--preset", "paper"]);
    assert!(run.code == Some(0) && run.said.contains("takes new messages for repeats and drops them"), "{}", run.said);
    // An option at its default value is not listed as changed.
    let run = place.run(&["check", "in.jsonl", "--window", "24h", "--lateness", "0s"]);
    assert!(run.out.contains("--window 24h") && !run.out.contains("--lateness"), "{}", run.out);
    // A run reports its losses even under -q: the paper's filter of 4,000 bits has dropped most of these messages.
    let place = place.with("many.jsonl", records(2000));
    let small = ["dedup", "-q", "--preset", "paper", "--bloom-bits", "4000", "many.jsonl"];
    let run = place.run(&small);
    assert!(run.said.contains("new messages are expected to have been taken for repeats and dropped"), "{}", run.said);
}

#[test]
fn what_a_command_cannot_do_is_no_misspelt_option() {
    let place = Place::new().with("in.jsonl", records(2));
    for (command, option) in [
        (&["sketch", "in.jsonl"][..], "--scope=by"),
        (&["sketch", "in.jsonl"], "--against=archive"),
        (&["edges", "--from", "0", "in.jsonl"], "--keep=2"),
        (&["decide", "in.jsonl"], "--represent=longest"),
        (&["serve", "--state", "seen"], "--encoding=gbk"),
    ] {
        let run = place.run(&[command, &[option]].concat());
        let name = option.split('=').next().unwrap();
        let told = format!("{name}: is an option of `quchong dedup`, and this command cannot do that");
        assert!(run.code == Some(2) && run.said.contains(&told) && run.out.is_empty(), "{command:?}: {}", run.said);
    }
}

#[test]
fn a_variable_that_looks_like_a_setting_is_told_under_quiet() {
    let place = Place::new().with("in.jsonl", records(2));
    let run = |name: &str| ended(place.command(&["dedup", "-q", "in.jsonl"]).env(name, "1").spawn().unwrap());
    let said = run("QUCHONG_WINDW").said;
    assert!(said.contains("QUCHONG_WINDW: there is no such setting") && said.lines().count() == 1, "{said}");
    // Variables that an environment sets for a service named quchong are not misspelt settings.
    for name in ["QUCHONG_PORT", "QUCHONG_SERVICE_HOST", "QUCHONG_PORT_80_TCP"] {
        assert_eq!(run(name).said, "", "{name}");
    }
}

#[test]
fn under_strict_each_record_has_what_is_asked_of_it() {
    let record = |at: usize, more: &str| format!("{{\"text\":\"{}\"{more}}}\n", super::unlike(at));
    let full = ",\"id\":7,\"t\":\"2026-01-01T00:00:00Z\",\"n\":1";
    let input = record(1, full) + &record(2, &full.replace('7', "8")) + &record(3, "");
    let place = Place::new().with("in.jsonl", input);
    for (args, said) in [
        (&["--window", "24h", "--time-field", "t"][..], "--time-field: 1 of 3 messages has no time"),
        (&["--output", "annotated"], "--id-field: 1 of 3 records has no id"),
        (&["--state", "state", "--seq-field", "n"], "--seq-field: 1 of 3 records has no number"),
    ] {
        let run = place.run(&[&["dedup", "-q", "in.jsonl"], args].concat());
        assert_eq!((run.code, run.said.as_str()), (Some(0), ""), "{args:?}");
        let _ = std::fs::remove_dir_all(place.path("state"));
        let run = place.run(&[&["dedup", "-q", "--strict", "in.jsonl"], args].concat());
        assert!(run.code == Some(3) && run.said.contains(said), "{args:?}: {:?} {}", run.code, run.said);
    }
}

/// Two runs cannot write one metrics file: the second run is refused.
#[test]
#[cfg(target_os = "linux")]
fn two_runs_do_not_write_one_file_of_metrics() {
    let place = Place::new().with("in.jsonl", records(2));
    let args = ["dedup", "-q", "-f", "lines", "--metrics-file", "m.prom"];
    let mut first = place.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let started = std::time::Instant::now();
    while !place.path("m.prom").exists() && started.elapsed() < PATIENCE {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = ["dedup", "-q", "in.jsonl", "--metrics-file", "m.prom"];
    let run = place.run(&second);
    assert!(run.code == Some(2) && run.said.contains("--metrics-file: m.prom: another run writes"), "{}", run.said);
    drop(first.stdin.take());
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert_eq!(place.run(&second).code, Some(0));
}

/// An output that the shell has open already is refused. Each of these commands once emptied the file that the shell was to add to.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_the_shell_has_is_no_output() {
    let program = super::binary();
    for (args, shell) in [
        ("-o kk", ">> kk"),
        ("-o /dev/stdout", ">> kk"),
        ("-o x.jsonl --dropped /dev/stdout", ">> kk"),
        ("-o x.jsonl --summary /dev/stderr", "2>> kk"),
        ("-o x.jsonl --metrics-file kk", "2>> kk"),
    ] {
        let place = Place::new().with("in.jsonl", records(2)).with("kk", "a line\n");
        let script = format!("\"$0\" dedup -q in.jsonl {args} {shell}");
        let mut command = std::process::Command::new("sh");
        super::in_english(&mut command);
        let run = command.args(["-c", &script]).arg(&program).current_dir(place.path(".")).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap() + &place.text("kk");
        assert!(said.contains("the shell has this file for standard ") && !said.contains("wait"), "{args}: {said}");
        assert!(place.text("kk").starts_with("a line\n"), "{args}");
    }
}

/// Metrics are written to the file that a link leads to. The link, `/dev/stdout` for one, was once replaced by a file.
#[test]
#[cfg(unix)]
fn metrics_go_where_a_link_leads() {
    let place = Place::new().with("in.jsonl", records(2)).with("m.prom", "");
    std::os::unix::fs::symlink("m.prom", place.path("link")).unwrap();
    assert_eq!(place.run(&["dedup", "-q", "in.jsonl", "--metrics-file", "link"]).code, Some(0));
    assert!(place.path("link").is_symlink() && place.text("m.prom").contains("quchong_"));
}

/// Returns wrong plurals, such as `1 records were` and `of 1 messages`, in what people read.
fn odd_numbers(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || "<>(".contains(c)).collect();
    let is_verb = |word: &str| ["were", "are", "have", "had", "lacked", "without"].contains(&word);
    let is_odd = |three: &&[&str]| {
        let last = three[2].trim_end_matches([',', '.', ';', ':']);
        let number = three[0] == "1" && three[1].len() > 2 && three[1].ends_with('s') && is_verb(last);
        number || three[0] == "of" && three[1] == "1" && ["messages", "records"].contains(&last)
    };
    words.windows(3).filter(is_odd).map(|three| three.join(" ")).collect()
}

#[test]
fn one_record_is_told_of_as_one() {
    let place = Place::new()
        .with("one.jsonl", "{\"id\":7,\"n\":1,\"text\":\"今天的武汉，樱花开了，很好看\"}\n")
        .with("null.jsonl", "{\"text\":\"今天的武汉，樱花开了，很好看\",\"also\":null}\n")
        .with("bad.jsonl", "{\"text\":1}\n")
        .with("twice.txt", "今天天气真好\n今天天气真好\n");
    let mut told = 0;
    for args in [
        &["dedup", "one.jsonl", "--window", "24h"][..],
        &["dedup", "bad.jsonl"],
        &["dedup", "bad.jsonl", "--strict", "-q"],
        &["dedup", "one.jsonl", "--scope", "by"],
        &["dedup", "one.jsonl", "--represent", "largest:likes"],
        &["dedup", "one.jsonl", "--represent", "newest", "--report", "newest.html"],
        &["dedup", "one.jsonl", "--id-field", "nope", "--output", "annotated"],
        &["dedup", "null.jsonl", "--field", "text,also"],
        &["dedup", "one.jsonl", "--seq-field", "nope", "--state", "unnumbered"],
        &["dedup", "one.jsonl", "--seq-field", "n", "--state", "seen"],
        &["dedup", "one.jsonl", "--seq-field", "n", "--state", "seen"],
        &["dedup", "one.jsonl", "--state", "state", "-o", "kept.jsonl"],
        &["dedup", "one.jsonl", "--state", "state"],
        &["dedup", "twice.txt", "--exact", "bloom", "--report", "bloom.html"],
        &["dedup", "one.jsonl", "--report", "one.html", "--window", "24h"],
        &["clusters", "one.jsonl", "--html", "clusters.html", "--id-field", "nope", "--represent", "newest"],
        &["clusters", "bad.jsonl"],
        &["clusters", "one.jsonl", "--scope", "by"],
        &["sketch", "bad.jsonl"],
        &["sign", "--method", "A2", "bad.jsonl"],
        &["sign", "--method", "A2", "--id-field", "nope", "one.jsonl"],
        &["explain", "--file", "one.jsonl", "7", "8"],
        &["evaluate", "one.jsonl", "--truth", "indel:0.8"],
        &["reproduce", "one.jsonl"],
        &["tune", "bloom", "one.jsonl", "--bits", "1e4", "--hashes", "2", "--probes", "10"],
        &["tune", "bloom", "bad.jsonl"],
        &["state", "info", "state"],
        &["state", "check", "state"],
        &["state", "compact", "state"],
        &["check", "one.jsonl"],
    ] {
        let run = place.run(args);
        let odd = odd_numbers(&(run.said.clone() + &run.out));
        assert!(odd.is_empty(), "{args:?}: {odd:?} in {}{}", run.said, run.out);
        // No message names a placeholder as an input.
        assert!(!run.said.contains("error: FILE"), "{args:?}: {}", run.said);
        told += run.said.lines().count();
    }
    for page in ["newest.html", "bloom.html", "one.html", "clusters.html"] {
        let odd = odd_numbers(&std::fs::read_to_string(place.path(page)).unwrap());
        assert!(odd.is_empty(), "{page}: {odd:?}");
    }
    assert!(told > 30, "{told}");
    assert_eq!(odd_numbers("1 of 1 records were, 1 messages had; 11 messages had 1 message").len(), 3);
}

/// A text that was cut in the middle of an emoji was called a faulty escape, and its record lost its id.
#[test]
fn half_an_emoji_is_told_and_leaves_the_record_its_id() {
    let record = r#"{"id":9,"text":"\ud83d断开的表情"}"#;
    let place = Place::new().with("in.jsonl", format!("{record}\n{{\"id\":10,\"text\":\"早上好\"}}\n"));
    let run = place.run(&["dedup", "in.jsonl", "--output", "annotated"]);
    let reason = r"in.jsonl:1: field `text` is not text: \ud83d is half of a surrogate pair";
    assert!(run.code == Some(0) && run.said.contains(reason), "{}", run.said);
    let annotated = r#"{"id":9,"text":"\ud83d断开的表情","quchong":{"verdict":"error","error":"invalid-json"}}"#;
    assert_eq!(run.out.lines().next(), Some(annotated));
    let run = place.command(&["dedup", "in.jsonl"]).env("QUCHONG_UI", "zh").output().unwrap();
    assert!(String::from_utf8(run.stderr).unwrap().contains("半个代理对"));
}
