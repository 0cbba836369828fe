//! A crash only interrupts a run, a power failure costs only what was not synced, and damage is found and named, never guessed around.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a panic is how a test fails; the seed must be told")]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::place::{ENGINES, Place, input};
use oorandom::Rand64;
use quchong::internals::Opened;
use serde_json::Value;

const RESUME: [&str; 10] =
    ["dedup", "-q", "--seed=1", "--state", "state", "--resume", "-o", "out.jsonl", "--dropped", "dropped.jsonl"];

/// The number of records in the input of runs that are killed.
const LINES: usize = 12_000;

/// The results of a run: output, dropped records, and the state in its canonical form.
fn results(place: &Place) -> [Vec<u8>; 3] {
    let read = |name| fs::read(place.path(name)).unwrap();
    [read("out.jsonl"), read("dropped.jsonl"), place.succeed(&["state", "dump", "state"])]
}

/// Simulates a power failure after a kill: of the bytes that were not synced yet, some are kept, and some of these are zeros.
fn fail_power(place: &Place, random: &mut Rand64) {
    let Ok(head) = fs::read(place.path("state/HEAD")) else { return };
    let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap());
    let (log, vouched) = (place.path(&format!("state/{:08}.log", number(20))), number(28));
    let whole = fs::read(&log).unwrap();
    // The part of the log that HEAD vouches for says how much of the outputs is on disk.
    fs::write(&log, &whole[..vouched as usize]).unwrap();
    let info: Value = serde_json::from_slice(&place.succeed(&["state", "info", "state", "--format", "json"])).unwrap();
    let synced = |at: usize| info["run"]["written"][at].as_u64().unwrap_or(0);
    let files =
        [(log.clone(), vouched), (place.path("out.jsonl"), synced(0)), (place.path("dropped.jsonl"), synced(1))];
    fs::write(&log, &whole).unwrap();
    for (path, synced) in files {
        let mut bytes = fs::read(&path).unwrap();
        let lost = bytes.len() as u64 - synced;
        bytes.truncate((synced + random.rand_range(0..lost + 1)) as usize);
        let left = bytes.len() as u64 - synced;
        let zeros = (synced + random.rand_range(0..left + 1)) as usize;
        let until = zeros + random.rand_range(0..4096) as usize;
        let until = until.min(bytes.len());
        bytes[zeros..until].fill(0);
        fs::write(&path, bytes).unwrap();
    }
}

/// A run that is killed again and again, also with power failures, and resumed gives the results of one uninterrupted run.
/// `QUCHONG_KILLS` asks for more kills.
#[test]
#[cfg(unix)]
fn a_crash_is_a_pause() {
    let number = |name| std::env::var(name).ok().map(|number: String| number.parse::<u64>().unwrap());
    let (wanted, seed) = (number("QUCHONG_KILLS").unwrap_or(4), number("QUCHONG_SEED").unwrap_or(7));
    println!("QUCHONG_KILLS={wanted} QUCHONG_SEED={seed}");
    let mut random = Rand64::new(seed.into());
    let input = input(LINES, seed);
    let mut killed = 0;
    while killed < wanted {
        let engine = ENGINES[random.rand_range(0..ENGINES.len() as u64) as usize];
        let sync = ["always", "interval", "none"][random.rand_range(0..3) as usize];
        let args = [&RESUME[..], &["--sync", sync, "in.jsonl"], engine].concat();
        let (whole, place) = (Place::new(&input), Place::new(&input));
        let longest = whole.timed(&args);
        killed += place.killed_until_done(&args, longest, &mut random, |place, random| {
            if random.rand_range(0..3) == 0 {
                fail_power(place, random);
            }
        });
        assert!(results(&place) == results(&whole), "{args:?}");
        let last = place.succeed(&["state", "info", "state", "--format", "json"]);
        let last: Value = serde_json::from_slice(&last).unwrap();
        let counts = &last["run"]["counts"];
        assert_eq!((&counts["in"], &last["run"]["ended"]), (&Value::from(LINES), &Value::from(true)));
    }
    println!("{killed} runs were killed");
}

/// Runs that count copies, keep scopes apart, or read an archive continue after a crash as all others do.
#[test]
#[cfg(unix)]
fn copies_scopes_and_archives_go_on_from_a_crash() {
    let mut random = Rand64::new(11);
    let with_scope = |lines: Vec<u8>| -> Vec<u8> {
        let lines = String::from_utf8(lines).unwrap();
        let add = |(at, line): (usize, &str)| line.replacen('{', &format!("{{\"by\":{},", at * at % 7), 1) + "\n";
        lines.lines().enumerate().map(add).collect::<String>().into()
    };
    let (input, archive) = (with_scope(input(1500, 5)), with_scope(input(300, 6)));
    for options in [
        &["--keep", "3", "--scope", "by"][..],
        &["--keep", "2", "--window", "500", "--against", "archive.jsonl"],
        &["--near", "minhash", "--scope", "by", "--against", "archive.jsonl"],
    ] {
        let args = [&RESUME[..], &["in.jsonl"], options].concat();
        let (whole, place) = (Place::new(&input), Place::new(&input));
        for place in [&whole, &place] {
            fs::write(place.path("archive.jsonl"), &archive).unwrap();
        }
        let longest = whole.timed(&args);
        let mut killed = 0;
        while killed < 1 {
            let _ = fs::remove_dir_all(place.path("state"));
            killed += place.killed_until_done(&args, longest, &mut random, |_, _| {});
            assert!(results(&place) == results(&whole), "{args:?}");
        }
    }
}

/// A full disk, simulated by a limit on file sizes, stops a run cleanly.
#[test]
#[cfg(unix)]
fn a_full_disk_stops_it_cleanly() {
    let input = input(10_000, 12);
    let whole = Place::new(&input);
    let args = [&RESUME[..], &["in.jsonl"]].concat();
    whole.succeed(&args);
    let place = Place::new(&input);
    let mut stopped = 0;
    for blocks in [20, 150, 350, 600, 1250] {
        let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script, env!("CARGO_BIN_EXE_quchong")])
            .args(&args)
            .current_dir(&place.folder)
            .env_remove("QUCHONG_SEED");
        crate::common::in_english(&mut shell);
        let output = shell.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        if !output.status.success() {
            stopped += 1;
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains("File too large") && stderr.lines().count() == 1, "{stderr}");
        }
    }
    assert!(stopped >= 3, "{stopped}");
    place.succeed(&args);
    assert!(results(&place) == results(&whole));
}

/// The answers of a quiet feed are synced soon, without waiting for the next message.
#[test]
fn what_was_answered_is_synced_while_nothing_comes() {
    let place = Place::new(b"");
    let mut feed = place.command(&["dedup", "-q", "--state", "state"]);
    let mut child = feed.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let head = || fs::read(place.path("state/HEAD")).ok();
    let until = |changed: &dyn Fn() -> bool| {
        let started = std::time::Instant::now();
        while !changed() {
            assert!(started.elapsed() < crate::common::PATIENCE, "it was not synced");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    until(&|| head().is_some());
    for text in ["你好\n", "再见\n"] {
        let before = head();
        stdin.write_all(text.as_bytes()).unwrap();
        until(&|| head() != before);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Reads the state in this process.
fn read(place: &Place) -> quchong::Result<Opened> {
    Opened::read(&place.path("state"))
}

#[test]
fn what_is_damaged_is_refused_wherever_it_is() {
    let place = Place::new(&input(3000, 3));
    place.succeed(&["dedup", "-q", "--state", "state", "in.jsonl", "-o", "out.jsonl"]);
    assert!(String::from_utf8(place.succeed(&["state", "check", "state"])).unwrap().contains("intact"));
    let mut random = Rand64::new(4);
    let files = place.state_files();
    for (number, file) in files.iter().cycle().take(1200).enumerate() {
        let bytes = fs::read(file).unwrap();
        let bit = random.rand_range(0..bytes.len() as u64 * 8) as usize;
        let mut broken = bytes.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        fs::write(file, &broken).unwrap();
        let error = read(&place).err().unwrap().to_string();
        let (_, rest) = error.split_once(&format!("{}: byte ", file.display())).unwrap();
        let at: usize = rest.split(':').next().unwrap().parse().unwrap();
        assert!(at <= bit / 8, "{error}: bit {bit}");
        if number < 4 {
            assert!(place.refused(&["state", "check", "state"]).contains(": byte "));
            let said = place.refused(&["dedup", "--state", "state", "in.jsonl", "-o", "out.jsonl"]);
            assert!(said.contains("quchong state repair state"), "{said}");
        }
        fs::write(file, &bytes).unwrap();
    }
    // A file that is missing, or shorter than HEAD says, is damaged, too.
    for file in &files {
        let bytes = fs::read(file).unwrap();
        for length in [0, 5, 25, bytes.len() / 2, bytes.len() - 1].into_iter().filter(|length| *length < bytes.len()) {
            fs::write(file, &bytes[..length]).unwrap();
            assert!(read(&place).is_err(), "{file:?} {length}");
        }
        fs::remove_file(file).unwrap();
        assert!(read(&place).is_err(), "{file:?}");
        fs::write(file, &bytes).unwrap();
    }
    place.succeed(&["state", "check", "state"]);
}

/// A log without its HEAD is refused and left as it is. Only a log that was just being created counts as empty, because a run overwrites
/// an empty log.
#[test]
fn a_log_without_its_head_is_refused_and_left_as_it_is() {
    let place = Place::new(&input(50, 18));
    let run = ["dedup", "-q", "--state", "state", "in.jsonl"];
    place.succeed(&run);
    fs::remove_file(place.path("state/HEAD")).unwrap();
    let log = place.path("state/00000001.log");
    let whole = fs::read(&log).unwrap();
    let header = 20 + 12 + u32::from_le_bytes(whole[20..24].try_into().unwrap()) as usize;
    assert!(whole.len() > header + 1000);
    let refused = |bytes: &[u8], runs: bool, what: &str| {
        fs::write(&log, bytes).unwrap();
        let error = read(&place).err().unwrap_or_else(|| panic!("{what} is taken for nothing")).to_string();
        assert!(
            error.contains("HEAD: byte 0: it is missing, but") || error.contains("byte 8: format version"),
            "{error}"
        );
        if runs {
            let said = place.refused(&run);
            let advised = ["; `quchong state repair state`", "; go on with", "; put a copy of the folder back"];
            assert!(advised.iter().any(|advice| said.contains(advice)), "{said}");
            assert!(fs::read(&log).unwrap() == bytes, "{what} was written over");
        }
    };
    refused(&whole, true, "a whole log");
    let mut random = Rand64::new(19);
    let some = (0..400).map(|_| random.rand_range(0..whole.len() as u64 * 8) as usize);
    for bit in (0..32 * 8).chain(some) {
        let mut broken = whole.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        // The bits of magic, version, segment, length and checksum, and some of the rest.
        refused(&broken, bit % 37 == 0, &format!("bit {bit}"));
    }
    for version in [0, 3, 5, u32::MAX] {
        let mut foreign = whole.clone();
        foreign[8..12].copy_from_slice(&version.to_le_bytes());
        foreign[header - 1] ^= 1;
        refused(&foreign, true, &format!("version {version}"));
    }
    for end in header + 1..header + 100 {
        refused(&whole[..end], end == header + 1, &format!("{end} bytes"));
    }
    refused(&[b"something else".as_slice(), &[0; 100]].concat(), true, "a foreign file");
    refused(b"some", true, "a short foreign file");
    // Before the header is complete, nothing is remembered.
    for end in 0..=header {
        fs::write(&log, &whole[..end]).unwrap();
        assert!(read(&place).unwrap().last().is_none(), "{end} of {header} bytes");
    }
}

/// A state after a run over a first part, whose log goes on with a second run beyond what HEAD vouches for; and the bytes of HEAD.
fn with_a_tail() -> (Place, Vec<u8>) {
    let place = Place::new(&input(3000, 5));
    let all = fs::read(place.path("in.jsonl")).unwrap();
    let half = all.len() / 2 + all[all.len() / 2..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs::write(place.path("first.jsonl"), &all[..half]).unwrap();
    place.succeed(&["dedup", "-q", "--state", "state", "first.jsonl", "-o", "first"]);
    let head = fs::read(place.path("state/HEAD")).unwrap();
    place.succeed(&["dedup", "-q", "--state", "state", "--resume", "in.jsonl", "-o", "first"].map(|arg| match arg {
        "--resume" => "--sync=none",
        "first" => "out.jsonl",
        arg => arg,
    }));
    fs::write(place.path("state/HEAD"), &head).unwrap();
    (place, head)
}

#[test]
fn a_torn_tail_is_cut_off_and_told() {
    let (place, head) = with_a_tail();
    let log = place.path("state/00000001.log");
    let whole = fs::read(&log).unwrap();
    let vouched = u64::from_le_bytes(head[28..36].try_into().unwrap()) as usize;
    assert!(vouched < whole.len());
    let read = || read(&place);
    let mut reached = Vec::new();
    let ends = (vouched..vouched + 200).chain(whole.len() - 200..=whole.len());
    for end in ends {
        fs::write(&log, &whole[..end]).unwrap();
        let opened = read().unwrap();
        reached.push(opened.last().unwrap().next.0);
        // A torn tail is reported with file and offset; a log that ends with a whole frame has none.
        assert!(opened.torn().is_none_or(|torn| torn.contains("00000001.log: byte ")));
    }
    assert!(reached.is_sorted() && reached[0] < *reached.last().unwrap(), "{reached:?}");
    // Zeros, as a power failure leaves them, are a torn tail as well.
    let mut zeros = whole.clone();
    zeros[vouched..].fill(0);
    fs::write(&log, &zeros).unwrap();
    assert_eq!(read().unwrap().last().unwrap().next.0, reached[0]);
    let output = place.run(&["state", "check", "state"]);
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("bytes are incomplete: a run is writing them now, or broke off")
    );
    // A log that holds nothing but a torn first batch is as good as new.
    let new = Place::new(&input(50, 13));
    let feed = ["dedup", "-q", "--state", "state", "in.jsonl"];
    let kept = new.succeed(&feed);
    let header = fs::read(new.path("state/00000001.log")).unwrap();
    let end = 20 + 12 + u32::from_le_bytes(header[20..24].try_into().unwrap()) as usize;
    fs::remove_file(new.path("state/HEAD")).unwrap();
    fs::write(new.path("state/00000001.log"), &header[..end]).unwrap();
    assert_eq!(new.succeed(&feed), kept);
    fs::write(&log, &whole[..vouched - 1]).unwrap();
    assert!(read().is_err(), "HEAD vouches for that byte");
}

#[test]
fn what_is_intact_can_be_kept() {
    let mut random = Rand64::new(6);
    let place = Place::new(&input(6000, 7));
    let args = ["dedup", "-q", "--seed", "1", "--state", "state", "in.jsonl", "-o", "out.jsonl"];
    // The log has several frames and a header.
    place.succeed(&args);
    let before = place.succeed(&["state", "dump", "state"]);
    let lines = |dump: &[u8]| dump.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<BTreeSet<_>>();
    let all = lines(&before);
    let files = place.state_files();
    let intact: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    for (file, bytes) in files.iter().zip(&intact) {
        for _ in 0..5 {
            let mut broken = bytes.clone();
            let bit = random.rand_range(0..bytes.len() as u64 * 8) as usize;
            broken[bit / 8] ^= 1 << (bit % 8);
            fs::write(file, &broken).unwrap();
            place.refused(&["state", "check", "state"]);
            let output = place.run(&["state", "repair", "state"]);
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(": byte ") || output.status.code() == Some(2), "{said}");
            if output.status.success() {
                place.succeed(&["state", "check", "state"]);
                let after = lines(&place.succeed(&["state", "dump", "state"]));
                assert!(after.is_subset(&all), "{file:?} {bit}: more than there was");
            }
            place.state_files().iter().for_each(|file| fs::remove_file(file).unwrap());
            files.iter().zip(&intact).for_each(|(file, bytes)| fs::write(file, bytes).unwrap());
        }
    }
    // If all files are intact, nothing is lost.
    assert!(String::from_utf8(place.succeed(&["state", "repair", "state"])).unwrap().ends_with("messages are known\n"));
    assert_eq!(place.succeed(&["state", "dump", "state"]), before);
}
