//! A run that is resumed continues where it stopped, and a run that is repeated says so.

use std::fs::{self, OpenOptions};
use std::process::{Command, Stdio};

use super::{Place, Run, ended, records};

const ARGS: [&str; 5] = ["dedup", "-q", "in.jsonl", "--state", "state"];

/// Runs a command whose standard output a shell sends to a file, by `>` or `>>`. The test itself never opens the file: a process that
/// another test starts meanwhile would inherit it, and its lock.
fn to_file(place: &Place, args: &[&str], name: &str, adds: bool) -> Run {
    let (plain, sign) = (place.command(args), if adds { ">>" } else { ">" });
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec \"$@\" {sign} {name}"), "sh"]).arg(plain.get_program()).args(plain.get_args());
    for (key, value) in plain.get_envs() {
        match value {
            Some(value) => shell.env(key, value),
            None => shell.env_remove(key),
        };
    }
    shell.current_dir(place.path("")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(shell.spawn().unwrap())
}

/// A state whose run, into `k.jsonl`, broke off at a record that cannot be judged.
fn broken_off() -> Place {
    // More than one batch, so that the first is recorded.
    let place = Place::new().with("in.jsonl", records(9000) + "{\"text\":1}\n");
    let run = to_file(&place, &[&ARGS[..], &["--on-error", "fail"]].concat(), "k.jsonl", false);
    assert!(run.code == Some(2) && place.text("k.jsonl").lines().count() > 8000, "{}", run.said);
    place
}

#[test]
fn a_file_that_the_shell_has_emptied_is_no_output_to_go_on_with() {
    let place = broken_off();
    let resume = [&ARGS[..], &["--on-error", "fail", "--resume"]].concat();
    let run = to_file(&place, &resume, "k.jsonl", false);
    assert_eq!(run.code, Some(2), "{}", run.said);
    for said in ["--resume: standard output has 0 of the ", "(>>)", "-o FILE"] {
        assert!(run.said.contains(said), "{said}: {}", run.said);
    }
    assert!(!run.said.contains("field `text`"), "{}", run.said);
    // The file is restored and added to, or the rest goes to a new file, beside the existing one.
    let place = broken_off();
    let kept = place.text("k.jsonl");
    for (name, adds) in [("k.jsonl", true), ("rest.jsonl", false)] {
        let run = to_file(&place, &resume, name, adds);
        assert!(run.code == Some(2) && run.said.contains("field `text`"), "{name}: {}", run.said);
        assert!(place.text("k.jsonl").starts_with(&kept));
    }
}

#[test]
fn an_input_that_is_read_again_is_told() {
    let place = Place::new().with("in.jsonl", records(50) + &records(20));
    assert_eq!(to_file(&place, &ARGS, "k.jsonl", false).code, Some(0));
    assert_eq!(place.text("k.jsonl"), records(50));
    let run = to_file(&place, &ARGS, "k.jsonl", false);
    assert_eq!((run.code, run.said.lines().count()), (Some(3), 2), "{}", run.said);
    assert!(run.said.contains("`>` has emptied it"), "{}", run.said);
    assert!(run.said.contains("state: all 70 messages ") && run.said.contains("--again"), "{}", run.said);
    let run = place.run(&[&ARGS[..], &["-o", "new.jsonl"]].concat());
    assert!(run.code == Some(3) && run.said.contains("all 70 messages"), "{}", run.said);
    // No message if the repetition is intended, if every record is written, if no file is replaced, or if one message is new.
    for args in [&["--again"][..], &["--output", "annotated"], &["-o", "k.jsonl", "--append"]] {
        let run = place.run(&[&ARGS[..], args].concat());
        assert_eq!((run.code, run.said.as_str()), (Some(0), ""), "{args:?}");
    }
    assert_eq!(to_file(&place, &ARGS, "k.jsonl", true).code, Some(0));
    let fed = place.fed(&["dedup", "-q", "-f", "jsonl", "--state", "state"], records(3).as_bytes());
    assert_eq!((fed.code, fed.said.as_str()), (Some(0), ""));
    let place = place.with("in.jsonl", records(51));
    assert_eq!(to_file(&place, &ARGS, "k.jsonl", false).code, Some(0));
}

#[test]
fn a_mistyped_state_has_no_run_to_go_on_with() {
    let place = Place::new().with("in.jsonl", records(9)).with("k.jsonl", "{\"text\":\"早上好\"}\n");
    let resume = ["dedup", "in.jsonl", "--state", "stat", "--resume"];
    let run = place.run(&[&resume[..], &["-o", "k.jsonl"]].concat());
    assert!(run.code == Some(2) && run.said.contains("stat: --resume: there is no run"), "{}", run.said);
    assert!(!place.path("stat").exists());
    let run = to_file(&place, &resume, "k.jsonl", true);
    assert!(run.code == Some(2) && run.said.contains("standard output"), "{}", run.said);
    assert_eq!((place.text("k.jsonl").lines().count(), place.path("stat").exists()), (1, false));
    // A run that begins instead of resuming says so.
    let run = place.run(&[&resume[..], &["-o", "new.jsonl"]].concat());
    assert!(run.code == Some(0) && run.said.contains("there was no run in stat to go on with"), "{}", run.said);
}

#[test]
fn a_file_that_is_added_to_and_one_that_is_written_exclude_each_other() {
    let place = Place::new().with("in.jsonl", records(3)).with("k.jsonl", "");
    let open = || OpenOptions::new().append(true).open(place.path("k.jsonl")).unwrap();
    let added = open();
    added.lock_shared().unwrap();
    let run = place.run(&["dedup", "-q", "in.jsonl", "-o", "k.jsonl"]);
    assert!(run.code == Some(2) && run.said.contains("another run writes this file"), "{}", run.said);
    // Other runs may add to the file, too.
    assert_eq!(to_file(&place, &["dedup", "-q", "in.jsonl"], "k.jsonl", true).code, Some(0));
    drop(added);
    let written = open();
    written.lock().unwrap();
    let run = to_file(&place, &["dedup", "-q", "in.jsonl"], "k.jsonl", true);
    assert!(run.code == Some(2) && run.said.contains("another run writes this file"), "{}", run.said);
    assert_eq!(place.text("k.jsonl"), records(3));
}

#[test]
fn nothing_is_written_into_the_folder_of_a_state() {
    let place = Place::new().with("in.jsonl", records(3));
    assert_eq!(place.run(&ARGS).code, Some(0));
    let log = place.read("state/00000001.log");
    std::os::unix::fs::symlink(place.path("state"), place.path("link")).unwrap();
    for output in [
        ["-o", "state/00000001.log"],
        ["--dropped", "state/new.jsonl"],
        ["--summary", "link/HEAD"],
        ["--report", "./state/../state/x.html"],
        ["--metrics-file", "state/m.prom"],
    ] {
        let run = place.run(&[&ARGS[..], &output, &["--again"]].concat());
        assert!(run.code == Some(2) && run.said.contains("is in the folder of --state"), "{output:?}: {}", run.said);
        assert_eq!((place.read("state/00000001.log") == log, place.path("state/new.jsonl").exists()), (true, false));
    }
    let run = to_file(&place, &ARGS, "state/00000001.log", true);
    assert!(run.code == Some(2) && run.said.contains("standard output"), "{}", run.said);
    assert!(place.read("state/00000001.log") == log);
}

#[test]
fn a_header_alone_is_no_content() {
    let place = Place::new().with("in.csv", "id,text\n").with("day2.csv", "id,text\n1,早上好\n");
    for output in ["k.csv", "k.csv.gz"] {
        let args = |input| ["dedup", "-q", input, "--state", "state", "-o", output];
        for input in ["in.csv", "in.csv"] {
            let run = place.run(&args(input));
            assert_eq!((run.code, run.said.as_str()), (Some(0), ""), "{output}");
        }
        fs::remove_dir_all(place.path("state")).unwrap();
        assert_eq!(place.run(&args("day2.csv")).code, Some(0));
        assert_eq!(place.run(&args("in.csv")).code, Some(2), "{output}");
    }
    // In a table without a header, its first row is a record.
    let place = place.with("row.csv", "早上好\n");
    let args = ["dedup", "-q", "row.csv", "--no-header", "--field", "1", "--state", "rows", "-o", "rows.csv"];
    assert_eq!([0, 1].map(|_| place.run(&args).code), [Some(0), Some(2)]);
}

#[test]
fn advice_is_of_use() {
    let place = broken_off();
    let changed = place.text("in.jsonl").replacen('1', "7", 1);
    let place = place.with("in.jsonl", changed);
    let run = place.run(&[&ARGS[..], &["--on-error", "fail", "--resume"]].concat());
    assert!(run.said.contains("its beginning has changed") && run.said.contains("--abandon"), "{}", run.said);
    for other in ["--again", "--resume"] {
        let run = place.run(&[&ARGS[..], &["-o", "k.jsonl", "--append", other]].concat());
        assert!(run.code == Some(2) && run.said.contains(&format!("cannot be used with {other}")), "{}", run.said);
    }
    let place = place.with("feed.jsonl", records(2));
    place.run(&["dedup", "-q", "feed.jsonl", "--state", "feed", "-o", "f.jsonl"]);
    let run = place.run(&["dedup", "-q", "--follow", "feed.jsonl", "--state", "feed", "-o", "f.jsonl"]);
    assert!(run.code == Some(2) && run.said.contains("--append") && !run.said.contains("--resume"), "{}", run.said);
}

/// Lines that others added to the output of a finished run are not cut off.
#[test]
fn what_others_added_to_an_output_is_not_cut_off() {
    let place = Place::new().with("in.jsonl", records(30) + &records(10));
    for (option, name) in [("-o", "k.jsonl"), ("--dropped", "d.jsonl.gz")] {
        let state = format!("state-{}", &option[option.len() - 1..]);
        let args = ["dedup", "-q", "in.jsonl", "--state", &state, option, name];
        assert_eq!(place.run(&args).code, Some(0));
        // A finished run can be resumed: there is nothing left to do.
        assert_eq!(place.run(&[&args[..], &["--resume"]].concat()).code, Some(0));
        let mut file = OpenOptions::new().append(true).open(place.path(name)).unwrap();
        std::io::Write::write_all(&mut file, b"{\"text\":\"by hand\"}\n").unwrap();
        let whole = place.read(name);
        for command in ["dedup", "check"] {
            let run = place.run(&[&[command], &args[1..], &["--resume"]].concat());
            assert!(
                run.code != Some(0) && run.said.contains("19 bytes more than the last run left"),
                "{command}: {}",
                run.said
            );
        }
        assert!(place.read(name) == whole);
    }
}

/// The same holds after a run that was stopped, which closes its outputs, too. Output of a killed run after its last record in the state
/// is its own.
#[test]
#[cfg(unix)]
fn nor_behind_a_run_that_was_stopped() {
    let all = records(120_000);
    for (signal, is_refused) in [("-TERM", true), ("-KILL", false)] {
        let place = Place::new().with("in.jsonl", &all);
        let args = ["dedup", "-q", "in.jsonl", "--near", "none", "--state", "state", "-o", "k.jsonl"];
        let mut child = place.command(&args).spawn().unwrap();
        let started = std::time::Instant::now();
        while place.path("k.jsonl").metadata().map_or(0, |about| about.len()) == 0
            && started.elapsed() < super::PATIENCE
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let id = child.id().to_string();
        Command::new("kill").args([signal, &id]).status().unwrap();
        child.wait().unwrap();
        if is_refused {
            let before = place.read("k.jsonl");
            let mut file = OpenOptions::new().append(true).open(place.path("k.jsonl")).unwrap();
            std::io::Write::write_all(&mut file, b"{\"text\":\"by hand\"}\n").unwrap();
            let run = place.run(&[&args[..], &["--resume"]].concat());
            assert!(run.code == Some(2) && run.said.contains("19 bytes more"), "{}", run.said);
            fs::write(place.path("k.jsonl"), before).unwrap();
        }
        // The run is resumed, and killed again before it has recorded anything.
        for _ in 0..3 {
            let mut child = place.command(&[&args[..], &["--resume"]].concat()).spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(15));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let run = place.run(&[&args[..], &["--resume"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.said);
        assert!(place.text("k.jsonl") == all, "{signal}");
    }
}

/// What an abandoned run kept is not written again, so its output must still have it.
#[test]
fn a_run_is_not_abandoned_over_an_output_that_the_shell_has_emptied() {
    let abandon = [&ARGS[..], &["--abandon"]].concat();
    let place = broken_off();
    let kept = place.text("k.jsonl");
    let run = to_file(&place, &abandon, "k.jsonl", false);
    assert!(run.code == Some(2) && run.said.contains("--abandon: standard output has 0 of the "), "{}", run.said);
    fs::write(place.path("k.jsonl"), &kept).unwrap();
    let run = to_file(&place, &abandon, "k.jsonl", true);
    assert_eq!(run.code, Some(0), "{}", run.said);
    assert!(place.text("k.jsonl").starts_with(&kept));
    // Another file gets what the last run had not kept.
    let run = to_file(&broken_off(), &abandon, "rest.jsonl", false);
    assert_eq!(run.code, Some(0), "{}", run.said);
}

/// Ctrl-C says that the output is not all, and with a state, how to go on.
#[test]
#[cfg(unix)]
fn a_run_over_files_that_is_stopped_says_so() {
    for (state, told) in [(&[][..], "k.jsonl is incomplete"), (&["--state", "state"], "--resume goes on with it")] {
        let place = Place::new().with("in.jsonl", records(120_000));
        let args = [&["dedup", "in.jsonl", "--near", "none", "-o", "k.jsonl"], state].concat();
        let mut command = place.command(&args);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let started = std::time::Instant::now();
        while place.path("k.jsonl").metadata().map_or(0, |about| about.len()) == 0
            && started.elapsed() < super::PATIENCE
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let run = ended(child);
        assert_eq!(run.code, Some(130), "{}", run.said);
        let stopped = "stopped before the end of the input: k.jsonl is incomplete";
        assert!(run.said.contains(stopped) && run.said.contains(told), "{}", run.said);
    }
}
