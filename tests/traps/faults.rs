//! A file system that fails, writes only in part, or forgets what was not synced: simulated between the process and the C library.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use oorandom::Rand64;

use super::{Place, Run, ended, records};

const ARGS: [&str; 11] = [
    "dedup",
    "-q",
    "--seed=1",
    "--state",
    "state",
    "--resume",
    "-o",
    "out.jsonl",
    "--dropped",
    "dropped.jsonl",
    "in.jsonl",
];

/// The library to preload. `None`, with a message, if there is no C compiler or no such loader.
fn shim(folder: &Path) -> Option<PathBuf> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        eprintln!("skipped: LD_PRELOAD is of Linux and its usual library");
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps/faults.c");
    let library = folder.join("faults.so");
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl").output();
    match compiled {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(library)
        }
        Err(error) => {
            eprintln!("skipped: there is no C compiler `cc` ({error})");
            None
        }
    }
}

fn run(place: &Place, library: &Path, fault: &str) -> Run {
    ended(place.command(&ARGS).env("LD_PRELOAD", library).env("FAULT", fault).spawn().unwrap())
}

/// Output, dropped records and the state in its canonical form.
fn results(place: &Place) -> [String; 3] {
    let dump = place.run(&["state", "dump", "state"]);
    assert_eq!(dump.code, Some(0), "{}", dump.said);
    [place.text("out.jsonl"), place.text("dropped.jsonl"), dump.out]
}

/// Records, a third of them repeats, and more than one read returns.
fn input() -> String {
    let [first, second] = [records(2000), records(4000)];
    first + &second
}

#[test]
fn a_write_or_a_sync_that_fails_stops_it_cleanly() {
    let whole = Place::new().with("in.jsonl", input());
    let Some(library) = shim(whole.0.path()) else { return };
    assert_eq!(whole.run(&ARGS).code, Some(0));
    let expected = results(&whole);
    let mut failed = 0;
    for fault in (1..=9).flat_map(|at| [format!("write:{at}"), format!("sync:{at}")]) {
        let place = Place::new().with("in.jsonl", input());
        let broken = run(&place, &library, &fault);
        if broken.code != Some(0) {
            failed += 1;
            assert_eq!(broken.code, Some(2), "{fault}: {}", broken.said);
            assert!(
                broken.said.contains("Input/output error") && broken.said.lines().count() == 1,
                "{fault}: {}",
                broken.said
            );
        }
        // The output so far is a prefix of the whole, and the run that resumes ends as if nothing had happened.
        let state = place.run(&["state", "check", "state"]);
        assert!(state.code == Some(0) || state.said.contains("state"), "{fault}: {}", state.said);
        let again = place.run(&ARGS);
        assert_eq!(again.code, Some(0), "{fault}: {}", again.said);
        assert!(results(&place) == expected, "{fault}");
    }
    assert!(failed >= 12, "{failed}");
}

#[test]
fn writes_may_be_short() {
    let whole = Place::new().with("in.jsonl", input());
    let Some(library) = shim(whole.0.path()) else { return };
    assert_eq!(whole.run(&ARGS).code, Some(0));
    for most in [1000, 4097] {
        let place = Place::new().with("in.jsonl", input());
        let short = run(&place, &library, &format!("short:{most}"));
        assert_eq!(short.code, Some(0), "{}", short.said);
        assert!(results(&place) == results(&whole), "{most}");
    }
}

/// After a kill with a power loss, all that `--sync` promised is there, and what is there is the beginning of the feed.
#[test]
fn power_loss_costs_what_the_mode_says() {
    let place = Place::new();
    let Some(library) = shim(place.0.path()) else { return };
    let mut random = Rand64::new(11);
    for round in 0..12 {
        let sync = ["always", "interval", "none"][round % 3];
        let place = Place::new();
        fs::create_dir(place.path("shadow")).unwrap();
        let args = ["dedup", "-q", "--near=none", "--seed=1", "--state", "state", "--sync", sync, "-f=lines"];
        let mut command = place.command(&args);
        command.env("LD_PRELOAD", &library).env("SHADOW", place.path("shadow")).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut stdin, mut answers) =
            (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
        let sent = random.rand_range(1..60);
        for number in 0..sent {
            writeln!(stdin, "{}", super::unlike(number as usize)).unwrap();
            answers.next().unwrap().unwrap();
            // A batch is recorded after its answer is out: when the next answer is out, the batch before it is recorded.
        }
        if sync == "interval" && round % 2 == 1 {
            std::thread::sleep(std::time::Duration::from_millis(1600));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let dump = |place: &Place| place.run(&["state", "dump", "state"]);
        let before = dump(&place);
        lose_power(&place);
        let after = dump(&place);
        assert_eq!(after.code, Some(0), "{sync}: {}", after.said);
        assert!(before.out.starts_with(&after.out), "{sync}: no prefix");
        let left = after.out.lines().count() as u64;
        match sync {
            // The last answer may be out before its message is recorded.
            "always" => assert!(left + 1 >= sent, "{left} of {sent}"),
            "interval" if round % 2 == 1 => assert_eq!(left, sent),
            _ => assert!(left <= sent),
        }
        // And the feed can go on.
        let more = place.fed(&args, "又一条\n".as_bytes());
        assert_eq!((more.code, more.out.as_str()), (Some(0), "又一条\n"), "{sync}: {}", more.said);
    }
}

/// Reduces the state to what was synced.
fn lose_power(place: &Place) {
    for file in fs::read_dir(place.path("state")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match fs::read(place.path("shadow").join(&name)) {
            Ok(synced) => fs::write(&path, synced).unwrap(),
            Err(_) => fs::remove_file(&path).unwrap(),
        }
    }
}
