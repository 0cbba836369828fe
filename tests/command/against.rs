//! `--against`: a message that repeats one of an archive is dropped, and the archive stays as it is.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::common::place::{Place, input};
use serde_json::{Value, json};

/// Engines without a window, in which positions do not matter.
const ENGINES: &[&[&str]] = &[
    &[],
    &["--near", "simhash"],
    &["--near", "minhash"],
    &["--near", "none", "--exact", "bloom", "--capacity", "10000"],
    &["--exact", "trie", "--exact-on", "raw"],
    &["--explain"],
];

fn records(lines: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A folder with an archive and new messages. The new messages repeat the archive and each other.
fn place() -> Place {
    let all = input(1600, 7);
    let half = all.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(800).unwrap().0 + 1;
    let place = Place::new(&all[half..]);
    fs::write(place.path("archive.jsonl"), &all[..half]).unwrap();
    place
}

fn files_of(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(place.path(folder)).unwrap().map(|file| file.unwrap());
    let read = |file: fs::DirEntry| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap());
    let mut files: Vec<_> = files.map(read).collect();
    files.sort();
    files
}

#[test]
fn what_is_kept_is_what_would_be_kept_behind_the_archive() {
    let place = place();
    for (number, engine) in ENGINES.iter().enumerate() {
        let dedup = |args: &[&str]| {
            let annotated = ["dedup", "-q", "--output", "annotated", "--seed", "7"];
            records(&place.succeed(&[&annotated, *engine, args].concat()))
        };
        let all = dedup(&["archive.jsonl", "in.jsonl"]);
        let expected: Vec<bool> = all[801..].iter().map(|record| record["quchong"]["verdict"] == "kept").collect();
        let state = format!("state-{number}");
        let seed: &[&str] = if number == 3 { &["--seed", "7"] } else { &["--seed", "9"] };
        place.succeed(
            &[&["dedup", "-q", "archive.jsonl", "--state", &state, "--output", "annotated"], *engine, seed].concat(),
        );
        let before = files_of(&place, &state);
        for archive in ["archive.jsonl", state.as_str()] {
            let told = dedup(&["in.jsonl", "--against", archive]);
            let kept: Vec<bool> = told.iter().map(|record| record["quchong"]["verdict"] == "kept").collect();
            assert_eq!(kept, expected, "{engine:?} {archive}");
            let held = told.iter().filter(|record| record["quchong"]["of"]["against"] == *archive).count();
            assert!(held > 20, "{engine:?} {archive}: {held}");
        }
        assert_eq!(files_of(&place, &state), before, "{engine:?}");
    }
}

#[test]
fn verdicts_name_the_archive_and_its_message() {
    let record = |id: Value, text: &str| json!({"id": id, "text": text}).to_string() + "\n";
    let texts = ["今天的武汉，樱花开了，我们都在等你回来。", "国家卫健委通报，昨日新增确诊病例7例"];
    let place = Place::new(
        (record(json!("x"), texts[0]) + &record(json!("y"), &format!("转发微博 //@小王:{}", texts[1]))).as_bytes(),
    );
    fs::write(place.path("a.jsonl"), record(json!("a-1"), texts[0])).unwrap();
    fs::write(place.path("b.txt"), format!("别的话\n{}\n", texts[1])).unwrap();
    place.succeed(&["dedup", "-q", "b.txt", "--state", "known"]);
    let told = |against: &[&str]| -> Vec<Value> {
        let told = records(&place.succeed(&[&["dedup", "-q", "in.jsonl", "--output", "annotated"], against].concat()));
        told.iter().map(|record| record["quchong"]["of"].clone()).collect()
    };
    let (a, b) = (json!({"against": "a.jsonl", "id": "a-1"}), json!({"against": "b.txt", "line": 2}));
    assert_eq!(told(&["--against", "a.jsonl,b.txt"]), [a.clone(), b]);
    let known = json!({"against": "known", "record": 2});
    assert_eq!(told(&["--against", "a.jsonl", "--against", "known"]), [a.clone(), known]);
    assert_eq!(told(&["--against", "a.*"]), [a, Value::Null]);
    let command = ["dedup", "in.jsonl", "--against", "a.jsonl", "--against", "known", "--summary", "sums.json"];
    let output = place.run(&command);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("dropped 2 (exact 1, near 1; 2 of them in --against)"), "{said}");
    let sums: Value = serde_json::from_slice(&fs::read(place.path("sums.json")).unwrap()).unwrap();
    assert_eq!((&sums["against"], &sums["dropped"]["near"]), (&json!(2), &json!(1)));
    // The settings file and the environment may name archives, too.
    fs::write(place.path("q.toml"), "against = \"a.jsonl,known\"\n").unwrap();
    assert!(place.succeed(&["dedup", "-q", "in.jsonl", "--config", "q.toml"]).is_empty());
    // Another message of a cluster may represent it, but a message that repeats the archive represents nothing.
    let told = records(&place.succeed(&[
        "dedup",
        "-q",
        "in.jsonl",
        "--output",
        "annotated",
        "--represent",
        "longest",
        "--against",
        "known",
    ]));
    assert_eq!(told[0]["quchong"]["verdict"], "kept");
    assert_eq!(told[1]["quchong"]["of"], json!({"against": "known", "record": 2}));
}

#[test]
fn an_archive_is_read_while_one_writes() {
    let place = Place::new("别的话是另外一条消息\n今天的武汉樱花开了\n".as_bytes());
    let mut command = place.command(&["dedup", "-q", "--state", "state"]);
    let mut writer = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut feed = writer.stdin.take().unwrap();
    feed.write_all("今天的武汉樱花开了\n".as_bytes()).unwrap();
    let mut answer = [0; 10];
    std::io::Read::read_exact(writer.stdout.as_mut().unwrap(), &mut answer).unwrap();
    // The answer is written before the message is recorded, which follows at once.
    let command = ["dedup", "-q", "-f", "lines", "in.jsonl", "--against", "state"];
    let expected = "别的话是另外一条消息\n".as_bytes();
    let begun = std::time::Instant::now();
    while place.succeed(&command) != expected {
        assert!(begun.elapsed() < crate::common::PATIENCE);
    }
    let readers: Vec<_> = (0..3).map(|_| place.command(&command).stdout(Stdio::piped()).spawn().unwrap()).collect();
    for reader in readers {
        assert_eq!(reader.wait_with_output().unwrap().stdout, expected);
    }
    drop(feed);
    assert!(writer.wait().unwrap().success());
}

#[test]
fn what_is_kept_is_remembered_under_a_state_of_its_own() {
    let place = place();
    place.succeed(&["dedup", "-q", "archive.jsonl", "--state", "archive"]);
    let archive = files_of(&place, "archive");
    let once = place.succeed(&["dedup", "-q", "in.jsonl", "--against", "archive"]);
    let command = ["dedup", "-q", "in.jsonl", "--against", "archive", "--state", "own", "-o", "kept.jsonl"];
    place.succeed(&command);
    assert_eq!(fs::read(place.path("kept.jsonl")).unwrap(), once);
    // All messages that the run kept are known; those of the archive still do not belong to its state.
    let again = records(&place.succeed(&["dedup", "-q", "in.jsonl", "--state", "own", "--output", "annotated"]));
    let kept = again.iter().filter(|record| record["quchong"]["verdict"] == "kept").count();
    let of_archive = place.succeed(&["dedup", "-q", "in.jsonl"]).len() - once.len();
    assert!(kept > 0 && of_archive > 0, "{kept} {of_archive}");
    assert_eq!(files_of(&place, "archive"), archive);
    let told = place.refused(&["dedup", "-q", "in.jsonl", "--state", "own", "--resume", "--against", "archive.jsonl"]);
    assert!(told.contains("--resume"), "{told}");
}

#[test]
fn a_run_that_goes_on_finds_its_archive_as_it_was() {
    let place = place();
    place.succeed(&["dedup", "-q", "archive.jsonl", "--state", "archive"]);
    fs::write(place.path("more.jsonl"), "{\"text\":\"新来的一条\"}\n").unwrap();
    for (archive, own) in [("archive.jsonl", "one"), ("archive", "two")] {
        let kept = format!("{own}.jsonl");
        let run = ["dedup", "-q", "in.jsonl", "--against", archive, "--state", own, "-o", &kept];
        let (resumed, check) = ([&run[..], &["--resume"]].concat(), [&["check"], &run[1..], &["--resume"]].concat());
        place.succeed(&run);
        place.succeed(&resumed);
        place.succeed(&check);
        let before = fs::read(place.path(&kept)).unwrap();
        if own == "one" {
            let mut file = fs::File::options().append(true).open(place.path(archive)).unwrap();
            file.write_all("{\"text\":\"新来的一条\"}\n".as_bytes()).unwrap();
        } else {
            place.succeed(&["dedup", "-q", "more.jsonl", "--state", archive]);
        }
        let told = place.refused(&resumed);
        assert!(told.contains("--resume: what is in --against has changed since the last run began"), "{told}");
        let told = place.run(&check);
        assert_eq!(told.status.code(), Some(1), "{}", String::from_utf8_lossy(&told.stderr));
        assert_eq!(fs::read(place.path(&kept)).unwrap(), before);
        // Another run may have another archive.
        place.succeed(&[&run[..], &["--append"]].concat());
    }
}

/// A record of the archive that cannot be judged is in no output, whatever happens to those of the input. The run was once refused.
#[test]
fn records_that_cannot_be_judged_are_dropped_of_the_input_alone() {
    let place = Place::new("{\"text\":\"今天武汉的樱花开了\"}\n{\"text\":1}\n{\"text\":\"明天见啦朋友\"}\n".as_bytes());
    fs::write(place.path("a.jsonl"), "{\"text\":\"今天武汉的樱花开了\"}\n{\"text\":2}\n{\"text\":\"好\"}\n").unwrap();
    let run = ["dedup", "in.jsonl", "--against", "a.jsonl", "--dropped", "dropped.jsonl", "--on-error"];
    let kept = place.succeed(&[&run[..], &["drop"]].concat());
    assert_eq!(String::from_utf8(kept).unwrap(), "{\"text\":\"明天见啦朋友\"}\n");
    let dropped = records(&fs::read(place.path("dropped.jsonl")).unwrap());
    let verdicts: Vec<_> = dropped.iter().map(|record| &record["quchong"]["verdict"]).collect();
    assert_eq!(verdicts, ["exact", "error"]);
    assert!(place.refused(&[&run[..], &["fail"]].concat()).contains("a.jsonl:2: field `text`"));
}

#[test]
fn what_is_no_archive_is_refused() {
    let place = place();
    fs::create_dir(place.path("empty")).unwrap();
    place.succeed(&["dedup", "-q", "archive.jsonl", "--state", "state"]);
    place.succeed(&["dedup", "-q", "archive.jsonl", "--state", "other", "--near", "simhash"]);
    place.succeed(&["dedup", "-q", "archive.jsonl", "--state", "damaged"]);
    let log = place.path("damaged").join("00000001.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[200] ^= 1;
    fs::write(&log, bytes).unwrap();
    fs::write(place.path("no.jsonl"), "{\"body\":\"你好\"}\n").unwrap();
    for (args, reason) in [
        (&["--against", "missing"][..], "--against: missing: is not there; name"),
        (&["--against", "-"], "standard input is no archive"),
        (&["--against", "empty"], "there is no state in this folder; name"),
        (&["--against", "other"], "made with --near simhash, not --near hybrid; use that, or name another archive"),
        (&["--against", "damaged"], "quchong state repair"),
        (&["--against", "no.jsonl"], "most records of these files cannot be judged"),
        (&["--against", "state", "--state", "state"], "whose messages count anyway; leave --against out"),
        (&["--against", "state", "--max-memory", "1GB"], "cannot be used with --max-memory"),
        (&["--against", "archive.jsonl", "-o", "archive.jsonl"], "are the same file"),
        (&["--against", "state", "-o", "state/kept.jsonl"], "is in the folder of --against"),
    ] {
        let told = place.refused(&[&["dedup", "-q", "in.jsonl"], args].concat());
        assert!(told.contains(reason) && told.lines().count() <= 2, "{args:?}: {told}");
    }
    assert!(fs::metadata(place.path("archive.jsonl")).unwrap().len() > 1000);
    // `check` refuses a missing archive, too.
    let checked = place.run(&["check", "in.jsonl", "--against", "missing"]);
    assert_eq!(checked.status.code(), Some(1));
}

/// Nothing is written to an archive, and no archive is an input of its own run. Each of these commands once destroyed the archive, or
/// kept nothing.
#[test]
fn nothing_is_written_to_an_archive_and_none_is_its_own() {
    let place = place();
    place.succeed(&["dedup", "-q", "archive.jsonl", "--state", "state", "-o", "k.jsonl"]);
    let before = fs::read(place.path("archive.jsonl")).unwrap();
    let state = files_of(&place, "state");
    for option in ["-o", "--dropped", "--summary", "--report", "--metrics-file"] {
        let told = place.refused(&["dedup", "in.jsonl", "--against", "arch*.jsonl", option, "archive.jsonl"]);
        assert!(told.contains("are the same file"), "{option}: {told}");
        let told = place.refused(&["dedup", "in.jsonl", "--against", "state", option, "state/HEAD"]);
        assert!(told.contains("is in the folder of --against"), "{option}: {told}");
    }
    for command in ["dedup", "check"] {
        let output = place.run(&[command, "archive.jsonl", "--against", "arch*.jsonl"]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && told.contains("archive.jsonl is an input of this run"),
            "{command}: {told}"
        );
    }
    assert!(fs::read(place.path("archive.jsonl")).unwrap() == before && files_of(&place, "state") == state);
}
