//! A state outlives its run: runs over parts give the verdicts of one run, and only matching inputs, outputs and settings may continue
//! it.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use crate::common::place::{ENGINES, Place, input};
use oorandom::Rand64;
use serde_json::Value;

#[test]
fn runs_over_parts_are_one_run() {
    let input = input(2000, 1);
    let mut random = Rand64::new(2);
    for engine in ENGINES {
        let whole = Place::new(&input);
        let annotated = ["dedup", "-q", "--output", "annotated", "--state", "state"];
        let expected = whole.succeed(&[&annotated[..], &["in.jsonl"], engine].concat());
        let parts = Place::new(b"");
        let (mut rest, mut written) = (&input[..], Vec::new());
        while !rest.is_empty() {
            let lines = 1 + random.rand_range(0..1000) as usize;
            let end = rest.split_inclusive(|byte| *byte == b'\n').take(lines).map(<[u8]>::len).sum();
            fs::write(parts.path("in.jsonl"), &rest[..end]).unwrap();
            rest = &rest[end..];
            written.extend(parts.succeed(&[&annotated[..], &["in.jsonl"], engine].concat()));
        }
        assert!(written == expected, "{engine:?}");
        let dropped = written.split(|byte| *byte == b'\n').filter(|line| !line.ends_with(b"\"kept\"}}")).count();
        assert!(dropped > 200, "{engine:?}: {dropped}");
    }
}

/// If two sources take turns and one is hours ahead, a message that is far ahead is never judged a repeat of an earlier message.
#[test]
fn what_is_far_ahead_repeats_nothing() {
    let record = |(id, at, text): (u32, &str, &str)| {
        format!("{{\"id\":{id},\"text\":\"{text}\",\"at\":\"2026-11-23T{at}Z\"}}\n")
    };
    let ahead = "晚上八点老地方见，别迟到";
    let feed = [
        (1, "08:00:00", "明天见"),
        (2, "10:00:00", ahead),
        (3, "08:05:00", "后天见"),
        (4, "10:00:01", ahead),
        (5, "08:06:00", "后天见"),
    ];
    let place = Place::new(feed.into_iter().map(record).collect::<String>().as_bytes());
    for exact in ["verified", "trie", "bloom"] {
        let args =
            ["dedup", "-q", "in.jsonl", "--window", "1h", "--time-field", "at", "--near", "none", "--exact", exact];
        let kept = String::from_utf8(place.succeed(&args)).unwrap();
        let ids: Vec<_> = kept.lines().map(|line| line.split([':', ',']).nth(1).unwrap()).collect();
        assert_eq!(ids, ["1", "2", "3", "4"], "{exact}");
    }
}

/// A renewed message has an entry for each renewal, but is reported as one message.
#[test]
fn a_message_that_was_renewed_is_told_once() {
    let record = |id: u32| format!("{{\"id\":{id},\"text\":\"各位早安，今天也要加油\"}}\n");
    let place = Place::new((1..=20).map(record).collect::<String>().as_bytes());
    let args = ["dedup", "-q", "in.jsonl", "--window", "8", "--refresh", "--state", "state", "--output", "annotated"];
    let kept = String::from_utf8(place.succeed(&args)).unwrap();
    assert_eq!(kept.lines().filter(|line| line.ends_with("{\"verdict\":\"exact\",\"of\":1}}")).count(), 19, "{kept}");
    let info = String::from_utf8(place.succeed(&["state", "info", "state"])).unwrap();
    assert!(info.contains(" --refresh") && info.contains("1 kept message and"), "{info}");
    assert!(info.contains("\n  goes on  "), "{info}");
    assert!(info.contains("repeat rule of version ") && info.contains("\nlexicon          version "), "{info}");
    let dump = String::from_utf8(place.succeed(&["state", "dump", "state"])).unwrap();
    let entries: Vec<Value> = dump.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(entries.iter().all(|entry| entry["of"] == 0 || entry["renews"] == 0), "{dump}");
    assert!(entries.iter().filter(|entry| entry["id"] == 1).count() > 2, "{dump}");
}

/// No later run can go on in a pipe.
#[test]
fn nothing_goes_on_in_a_pipe() {
    let place = Place::new(b"");
    let state = place.path("state").to_str().unwrap().to_owned();
    crate::common::dedup(&["--state", &state], "早\n".as_bytes());
    let info = String::from_utf8(place.succeed(&["state", "info", "state"])).unwrap();
    assert!(info.contains("\n  read  ") && !info.contains("goes on"), "{info}");
}

/// The first message after a gap is believed only when the next one arrives, which may come in another run and need not be kept.
#[test]
fn a_gap_between_runs_or_within_one_is_the_same() {
    let record = |(id, at, text): (u32, &str, &str)| {
        format!("{{\"id\":{id},\"text\":\"{text}\",\"at\":\"2026-11-23T{at}:00Z\"}}\n")
    };
    let (morning, evening) = ("各位早安，今天也要加油", "晚上八点老地方见，别迟到");
    let feed = [
        (1, "00:00", morning),
        (2, "09:00", morning),
        (3, "09:10", morning),
        (4, "09:50", evening),
        (5, "09:55", morning),
    ];
    for exact in ["verified", "bloom"] {
        let window = ["--window", "1h", "--time-field", "at", "--near", "none", "--exact", exact];
        let args = [&["dedup", "-q", "--again", "--state", "state", "in.jsonl"], &window[..]].concat();
        for between in ["", "compact"] {
            for at in 1..feed.len() {
                let place = Place::new(b"");
                let mut kept = String::new();
                for part in [&feed[..at], &feed[at..]] {
                    fs::write(place.path("in.jsonl"), part.iter().copied().map(record).collect::<String>()).unwrap();
                    kept += &String::from_utf8(place.succeed(&args)).unwrap();
                    if !between.is_empty() {
                        place.succeed(&["state", between, "state"]);
                    }
                }
                let ids: Vec<_> = kept.lines().map(|line| line.split([':', ',']).nth(1).unwrap()).collect();
                assert_eq!(ids, ["1", "2", "4"], "{exact} {between} {at}");
            }
        }
    }
}

#[test]
fn what_is_too_old_can_be_left_out() {
    let all = input(3300, 8);
    let lines: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
    let (input, more) = (lines[..2500].concat(), [&lines[..200], &lines[2500..]].concat().concat());
    for engine in ENGINES {
        let (place, other) = (Place::new(&input), Place::new(b""));
        let args = [&["dedup", "-q", "--state", "state", "-o", "out.jsonl", "in.jsonl"], *engine].concat();
        place.succeed(&args);
        let before = place.succeed(&["state", "dump", "state"]);
        let size = || place.state_files().iter().map(|file| fs::metadata(file).unwrap().len()).sum::<u64>();
        let size_before = size();
        fs::create_dir(other.path("state")).unwrap();
        for file in place.state_files() {
            fs::copy(&file, other.path("state").join(file.file_name().unwrap())).unwrap();
        }
        place.succeed(&["state", "compact", "state"]);
        assert_eq!(place.succeed(&["state", "dump", "state"]), before, "{engine:?}");
        assert!(size() <= size_before + 200, "{engine:?}");
        assert!(!engine.contains(&"--window") || size() < size_before / 2, "{engine:?}: {} of {size_before}", size());
        // The compacted state and its uncompacted copy judge further messages alike.
        for place in [&place, &other] {
            fs::write(place.path("more.jsonl"), &more).unwrap();
        }
        let annotated = [&["dedup", "-q", "--state", "state", "--output", "annotated", "more.jsonl"], *engine].concat();
        assert!(place.succeed(&annotated) == other.succeed(&annotated), "{engine:?}");
    }
}

#[test]
fn only_what_fits_together_goes_on() {
    let input = input(2000, 9);
    let place = Place::new(&input);
    let args = ["dedup", "-q", "--state", "state", "-o", "out.jsonl", "in.jsonl"];
    place.succeed(&[&args[..], &["--seed", "1"]].concat());
    for (more, said) in [
        (&["--near", "simhash"][..], "made with --near hybrid, not --near simhash"),
        (&["--window", "5"], "made without --window; leave it out"),
        (&["--seed", "5"], "made with --seed 1, not --seed 5"),
        (&["--similarity", "0.7"], "made with --similarity 0.62, not --similarity 0.7"),
        (&["--resume", "--output", "annotated"], "the last run had --output kept, not annotated"),
        (&["--resume", "other.jsonl"], "the last run read in.jsonl, not in.jsonl other.jsonl"),
    ] {
        fs::write(place.path("other.jsonl"), "").unwrap();
        let stderr = place.refused(&[&args[..], more].concat());
        assert!(stderr.contains(said), "{more:?}: {stderr}");
    }
    // Settings that decide no verdict may change.
    place.succeed(&[&args[..], &["--capacity", "1e6", "-j", "2", "--explain", "--dropped", "d", "--again"]].concat());
    // A run that has ended continues where its input grew, and only there.
    let fresh = Place::new(&input);
    let resume = [&args[..], &["--resume"]].concat();
    fresh.succeed(&resume);
    let output = fs::read(fresh.path("out.jsonl")).unwrap();
    fresh.succeed(&resume);
    assert!(fs::read(fresh.path("out.jsonl")).unwrap() == output);
    let grown = [&input[..], b"{\"id\":9,\"text\":\"what is new\"}\n"].concat();
    fs::write(fresh.path("in.jsonl"), &grown).unwrap();
    fresh.succeed(&resume);
    let longer = fs::read(fresh.path("out.jsonl")).unwrap();
    assert!(longer.starts_with(&output) && longer.ends_with("what is new\"}\n".as_bytes()));
    // It does not continue if the input changed or became shorter, or if the output changed.
    let mut changed = grown.clone();
    changed[100] ^= 1;
    fs::write(fresh.path("in.jsonl"), &changed).unwrap();
    assert!(fresh.refused(&resume).contains("its beginning has changed"));
    fs::write(fresh.path("in.jsonl"), &input[..1000]).unwrap();
    assert!(fresh.refused(&resume).contains("it ends at byte 1000"));
    fs::write(fresh.path("in.jsonl"), &grown).unwrap();
    fs::write(fresh.path("out.jsonl"), &output[..output.len() / 2]).unwrap();
    assert!(fresh.refused(&resume).contains("an output is not as the last run left it"));
}

#[test]
#[cfg(unix)]
fn one_writes_and_the_lock_dies_with_it() {
    let place = Place::new(b"");
    let feed = ["dedup", "-q", "--state", "state"];
    let mut holder = place.command(&feed).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = holder.stdin.take().unwrap();
    writeln!(stdin, "你好").unwrap();
    let mut stdout = BufReader::new(holder.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let holding = format!("in use by process {}", holder.id());
    // Commands that only look need no lock. The run records its answer a moment after it has given it.
    let started = std::time::Instant::now();
    while !place.succeed(&["state", "check", "state"]).ends_with(b"1 message\n") {
        assert!(started.elapsed() < crate::common::PATIENCE, "it was not noted");
    }
    assert!(
        !place.succeed(&["state", "info", "state"]).is_empty()
            && !place.succeed(&["state", "dump", "state"]).is_empty()
    );
    for args in [&feed[..], &["state", "repair", "state"], &["state", "compact", "state"]] {
        let stderr = place.refused(args);
        assert!(stderr.contains(&holding), "{stderr}");
    }
    // Of many runs that start at once, one gets the lock.
    holder.kill().unwrap();
    holder.wait().unwrap();
    let children: Vec<_> = (0..8)
        .map(|_| {
            place.command(&feed).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let ends: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert!(ends.iter().any(|end| end.status.success()));
    for end in ends.iter().filter(|end| !end.status.success()) {
        assert!(String::from_utf8_lossy(&end.stderr).contains("in use by process"));
    }
    // The message that was answered before the kill is known.
    let known = place.command(&feed).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().and_then(|mut child| {
        child.stdin.take().unwrap().write_all("你好\n再见\n".as_bytes())?;
        child.wait_with_output()
    });
    assert_eq!(String::from_utf8(known.unwrap().stdout).unwrap(), "再见\n");
}

/// Kills a run once it has written something.
fn break_off(place: &Place, args: &[&str]) {
    let mut child = place.command(args).spawn().unwrap();
    while fs::metadata(place.path("out.jsonl")).map_or(0, |about| about.len()) == 0 {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_run_that_broke_off_is_not_begun_again_by_mistake() {
    let place = Place::new(&input(20_000, 10));
    let args = ["dedup", "-q", "--state", "state", "-o", "out.jsonl", "in.jsonl"];
    break_off(&place, &args);
    let written = fs::read(place.path("out.jsonl")).unwrap();
    // Nor is it begun again under another name, or by a run over other files.
    for input in ["in.jsonl", "./in.jsonl", "other.jsonl"] {
        fs::write(place.path("other.jsonl"), "{\"text\":\"别的\"}\n").unwrap();
        let args = [&args[..6], &[input]].concat();
        assert!(place.refused(&args).contains("go on with it by --resume"));
        assert!(fs::read(place.path("out.jsonl")).unwrap() == written);
    }
    place.succeed(&[&args[..], &["--resume"]].concat());
}

#[test]
fn a_run_that_broke_off_can_be_given_up() {
    let place = Place::new(&input(20_000, 12));
    let args = ["dedup", "-q", "--state", "state", "-o", "out.jsonl", "in.jsonl"];
    break_off(&place, &args);
    fs::write(place.path("other.jsonl"), "{\"text\":\"别的\"}\n").unwrap();
    place.succeed(&["dedup", "-q", "--state", "state", "--abandon", "other.jsonl"]);
    place.succeed(&["dedup", "-q", "--state", "state", "--again", "other.jsonl"]);
}

/// Segments that a window no longer needs are deleted, so that the size of the folder is bounded, as memory is.
#[test]
fn the_folder_is_bounded_by_the_window() {
    let place = Place::new(&input(30_000, 11));
    let args = ["dedup", "-q", "--state", "state", "--window", "3000", "--output", "annotated", "in.jsonl"];
    let expected = place.succeed(&args);
    let sizes = place.state_files().iter().map(|file| fs::metadata(file).unwrap().len()).collect::<Vec<_>>();
    assert!(sizes.iter().sum::<u64>() < 4 << 20, "{sizes:?}");
    assert!(!place.path("state/00000001.log").exists() && place.state_files().len() > 1);
    place.succeed(&["state", "check", "state"]);
    // The verdicts are those of a run without a state.
    let plain = place.succeed(&["dedup", "-q", "--window", "3000", "--output", "annotated", "in.jsonl"]);
    assert!(plain == expected);
}

/// Compacting does not make a filter forget sooner: a filter alone knows a text for up to a part of the window longer than the window,
/// and the log must keep the entries for that.
#[test]
fn compacting_does_not_make_a_filter_forget_sooner() {
    let lines = |range: std::ops::Range<u32>| range.map(|i| format!("第{i}条\n")).collect::<String>();
    let engine = ["--near", "none", "--exact", "bloom", "--window", "1000", "--capacity", "10000"];
    let written = [false, true].map(|compacts| {
        let place = Place::new(lines(0..5137).as_bytes());
        let run = |file| {
            place.succeed(&[&["dedup", "-q", "--format", "lines", "--state", "state", file], &engine[..]].concat())
        };
        run("in.jsonl");
        if compacts {
            place.succeed(&["state", "compact", "state"]);
        }
        fs::write(place.path("more"), lines(4000..4300)).unwrap();
        run("more")
    });
    let kept = written[0].iter().filter(|byte| **byte == b'\n').count();
    assert!(kept > 100 && kept < 200, "{kept}");
    assert!(written[0] == written[1], "{kept} {}", String::from_utf8_lossy(&written[1]).lines().count());
}

/// The names and sizes of the files in a folder.
fn listing(place: &Place, folder: &str) -> Vec<(String, u64)> {
    // The lock file holds a process number, which may become a digit longer.
    let size = |file: &fs::DirEntry| if file.file_name() == "LOCK" { 0 } else { file.metadata().unwrap().len() };
    let files = fs::read_dir(place.path(folder)).unwrap().map(|file| file.unwrap());
    let mut files: Vec<_> = files.map(|file| (file.file_name().into_string().unwrap(), size(&file))).collect();
    files.sort();
    files
}

#[test]
fn looking_leaves_nothing_behind() {
    let place = Place::new(&input(300, 14));
    fs::create_dir(place.path("empty")).unwrap();
    for command in ["info", "check", "dump", "repair", "compact"] {
        assert!(place.refused(&["state", command, "empty"]).contains("there is no state in this folder"), "{command}");
        assert_eq!(listing(&place, "empty"), [], "{command}");
    }
    place.succeed(&["dedup", "-q", "--state", "state", "in.jsonl"]);
    fs::remove_file(place.path("state/LOCK")).unwrap();
    let before = listing(&place, "state");
    for command in ["info", "check", "dump"] {
        place.succeed(&["state", command, "state"]);
        assert_eq!(listing(&place, "state"), before, "{command}");
    }
}

/// A command that looks while a run writes sees the state of some moment, whatever is deleted meanwhile.
#[test]
fn what_is_being_written_can_be_looked_at() {
    let place = Place::new(&input(20_000, 15));
    let args = ["dedup", "-q", "--state", "state", "--window", "3000", "-o", "out.jsonl", "in.jsonl"];
    let mut child = place.command(&args).spawn().unwrap();
    let mut reached = Vec::new();
    while child.try_wait().unwrap().is_none() {
        if place.path("state/HEAD").exists() {
            place.succeed(&["state", "check", "state"]);
            let info: Value =
                serde_json::from_slice(&place.succeed(&["state", "info", "state", "--format", "json"])).unwrap();
            reached.push(info["messages"].as_u64().unwrap());
        }
    }
    assert!(child.wait().unwrap().success());
    assert!(reached.is_sorted() && reached.first() < reached.last(), "{reached:?}");
}

/// A command that fails on a full disk, simulated by a limit on file sizes, leaves nothing behind.
#[test]
#[cfg(unix)]
fn what_fails_leaves_nothing_behind() {
    let place = Place::new(&input(6000, 17));
    place.succeed(&["dedup", "-q", "--state", "state", "in.jsonl", "-o", "out.jsonl"]);
    let before = listing(&place, "state");
    for command in ["compact", "repair"] {
        let mut shell = std::process::Command::new("sh");
        let script = "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"";
        crate::common::in_english(&mut shell);
        shell.args(["-c", script, env!("CARGO_BIN_EXE_quchong"), "state", command, "state"]);
        let output = shell.current_dir(&place.folder).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains("File too large"), "{output:?}");
        assert_eq!(listing(&place, "state"), before, "{command}");
    }
    place.succeed(&["state", "check", "state"]);
    // A run that is refused does not create its files either, nor touch existing ones.
    let log = place.state_files().remove(0);
    fs::write(&log, "no log").unwrap();
    fs::write(place.path("old"), "as it was").unwrap();
    for args in
        [["-o", "new", "--dropped", "old"], ["-o", "old", "--dropped", "new"], ["-o", "new", "--summary", "newer"]]
    {
        place.refused(&[&["dedup", "--state", "state", "in.jsonl"], &args[..]].concat());
        assert!(!place.path("new").exists() && !place.path("newer").exists(), "{args:?}");
        assert_eq!(fs::read(place.path("old")).unwrap(), b"as it was");
    }
}
