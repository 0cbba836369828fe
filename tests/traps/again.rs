//! With a state that knows messages, no run replaces a good output, whatever it reads.

use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::{PATIENCE, Place, Run, ended, records};

const ARGS: [&str; 7] = ["dedup", "-q", "in.jsonl", "--state", "state", "-o", "out.jsonl"];

/// Waits for a run that might never end, kills it if it does not, and returns its results.
fn ended_soon(mut child: Child) -> Run {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() && started.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Killing a run that has ended does nothing.
    let _ = child.kill();
    ended(child)
}

#[test]
fn a_finished_run_is_not_run_again_by_mistake() {
    let input = records(3000);
    let place = Place::new().with("in.jsonl", &input);
    assert_eq!(place.run(&ARGS).code, Some(0));
    assert_eq!(place.text("out.jsonl"), input);
    let run = place.run(&ARGS);
    assert_eq!(run.code, Some(2), "{} records are left", place.text("out.jsonl").lines().count());
    assert_eq!(place.text("out.jsonl"), input);
    for said in ["state", "out.jsonl", "--resume", "--append", "--again"] {
        assert!(run.said.contains(said), "{said}: {}", run.said);
    }
    assert_eq!(run.said.lines().count(), 1);
    // Each of the suggested options works.
    let grown = input.clone() + "{\"id\":5000,\"text\":\"新来的一条\"}\n";
    let place = place.with("in.jsonl", &grown);
    assert_eq!(place.run(&ARGS).code, Some(2));
    assert_eq!(place.run(&[&ARGS[..], &["--append"]].concat()).code, Some(0));
    assert_eq!(place.text("out.jsonl"), grown);
    let elsewhere: Vec<&str> = ARGS.iter().map(|arg| if *arg == "out.jsonl" { "new.jsonl" } else { arg }).collect();
    let run = place.run(&elsewhere);
    assert_eq!((run.code, place.text("new.jsonl").as_str()), (Some(3), ""));
    // If the output is still empty, replacing it loses nothing.
    assert_eq!(place.run(&elsewhere).code, Some(3));
    assert_eq!(place.run(&[&ARGS[..], &["--resume"]].concat()).code, Some(2), "the last run had another output");
    assert_eq!(place.run(&[&ARGS[..], &["--again"]].concat()).code, Some(0));
    assert_eq!(place.text("out.jsonl"), "");
}

/// Blank texts do not make a repeated run look new: they are always kept, but are never new.
#[test]
fn nor_is_it_with_blank_texts_among_its_records() {
    let blank = "{\"id\":8001,\"text\":\"\"}\n{\"id\":8002,\"text\":\" \"}\n";
    let (some, many) = (records(30) + blank, records(30) + &blank.repeat(40));
    for (at, input) in [some, many].into_iter().enumerate() {
        for near in ["hybrid", "simhash", "minhash", "none"] {
            let place = Place::new().with("in.jsonl", &input);
            let args = ["dedup", "-q", "in.jsonl", "--state", "state", "--near", near];
            assert_eq!(place.run(&args).code, Some(0));
            let run = place.run(&args);
            assert_eq!(run.code, Some(3), "{at} {near}");
            assert!(
                run.said.contains(" messages with a text repeat those of earlier runs, so none of them was kept"),
                "{}",
                run.said
            );
        }
    }
}

/// The same records under another name, or from a pipe, replace nothing either. Each of these runs once left next to nothing, with exit
/// code 0.
#[test]
fn nor_is_it_under_another_name_or_none() {
    let input = records(300);
    let place = Place::new().with("in.jsonl", &input).with("copy.jsonl", &input);
    assert_eq!(place.run(&ARGS).code, Some(0));
    let packed = std::process::Command::new("gzip").arg("-k").arg(place.path("in.jsonl")).status();
    assert!(packed.unwrap().success());
    std::os::unix::fs::symlink(place.path("in.jsonl"), place.path("symlink.jsonl")).unwrap();
    fs::hard_link(place.path("in.jsonl"), place.path("hardlink.jsonl")).unwrap();
    let output = ["--state", "state", "-o", "out.jsonl"];
    for name in ["symlink.jsonl", "hardlink.jsonl", "copy.jsonl", "in.jsonl.gz", "./in.jsonl"] {
        let run = place.run(&[&["dedup", "-q", name], &output[..]].concat());
        assert_eq!((run.code, place.text("out.jsonl") == input), (Some(2), true), "{name}: {}", run.said);
    }
    let fed = place.command(&[&["dedup", "-q", "-f=jsonl"], &output[..]].concat());
    let run = ended({ fed }.stdin(File::open(place.path("in.jsonl")).unwrap()).spawn().unwrap());
    assert_eq!((run.code, place.text("out.jsonl") == input), (Some(2), true), "{}", run.said);
    let follow = place.command(&["dedup", "-q", "--follow", "in.jsonl", "--state", "state", "-o", "out.jsonl"]);
    let run = ended_soon({ follow }.spawn().unwrap());
    assert_eq!((run.code, place.text("out.jsonl") == input), (Some(2), true), "{}", run.said);
    // The file of dropped records is protected as well.
    let place = place.with("dropped.jsonl", "{\"id\":1}\n");
    let run = place.run(&["dedup", "-q", "copy.jsonl", "--state", "state", "--dropped", "dropped.jsonl"]);
    assert_eq!((run.code, place.text("dropped.jsonl").len()), (Some(2), 9), "{}", run.said);
}

#[test]
fn a_feed_that_is_followed_once_more_replaces_nothing() {
    let input = records(20);
    let place = Place::new().with("feed.jsonl", &input);
    let args = ["dedup", "-q", "--follow", "feed.jsonl", "--state", "state", "-o", "out.jsonl"];
    let mut child = place.command(&args).spawn().unwrap();
    let started = Instant::now();
    while place.path("out.jsonl").metadata().map_or(0, |about| about.len()) < input.len() as u64 {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
    // Records are noted in the state a moment after they are written.
    let noted = || {
        let dump = place.command(&["state", "dump", "state"]).stderr(Stdio::null()).output().unwrap();
        dump.stdout.split(|byte| *byte == b'\n').count() > 20
    };
    while !noted() {
        assert!(started.elapsed() < PATIENCE);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let run = ended_soon(place.command(&args).spawn().unwrap());
    assert_eq!((run.code, place.text("out.jsonl")), (Some(2), input.clone()), "{}", run.said);
    // With `--append` the run goes on after the existing records.
    let more = place.command(&[&args[..], &["--append"]].concat());
    let mut child = { more }.stderr(Stdio::null()).spawn().unwrap();
    let grown = input + "{\"id\":99,\"text\":\"新来的一条\"}\n";
    fs::write(place.path("feed.jsonl"), &grown).unwrap();
    while place.path("out.jsonl").metadata().unwrap().len() < grown.len() as u64 {
        assert!(started.elapsed() < 2 * PATIENCE, "{}", place.text("out.jsonl"));
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.text("out.jsonl"), grown);
}

/// Each day may have its own input and output, which is what a state is for.
#[test]
fn each_day_has_an_output_of_its_own() {
    let all = records(60);
    let lines: Vec<&str> = all.lines().collect();
    let place = Place::new();
    for (day, lines) in lines.chunks(20).enumerate() {
        let part = lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
        let (name, output) = (format!("day{day}.jsonl"), format!("kept{day}.jsonl"));
        let place = &place;
        fs::write(place.path(&name), &part).unwrap();
        let run = place.run(&["dedup", "-q", &name, "--state", "state", "-o", &output, "--summary", "sum.json"]);
        assert_eq!((run.code, place.text(&output)), (Some(0), part), "{}", run.said);
        assert_eq!(place.json("sum.json")["kept"], 20);
    }
    // A new state knows nothing, and its first run replaces files as any command does.
    let run = place.run(&["dedup", "-q", "day0.jsonl", "--state", "new", "-o", "kept1.jsonl"]);
    assert_eq!((run.code, place.text("kept1.jsonl").lines().count()), (Some(0), 20), "{}", run.said);
}

#[test]
fn what_is_added_begins_behind_what_is_there() {
    let place = Place::new().with("in.jsonl", "{\"text\":\"早上好\"}").with("out.jsonl", "{\"text\":\"旧\"}");
    let append = ["dedup", "-q", "in.jsonl", "-o", "out.jsonl", "--append"];
    assert_eq!(place.run(&append).code, Some(0));
    assert_eq!(place.text("out.jsonl"), "{\"text\":\"旧\"}\n{\"text\":\"早上好\"}");
    // A compressed output gets one more member.
    let packed = ["dedup", "-q", "in.jsonl", "-o", "out.gz", "--append"];
    assert_eq!((place.run(&packed).code, place.run(&packed).code), (Some(0), Some(0)));
    let run = place.run(&["dedup", "-q", "out.gz", "-f", "jsonl", "--output", "dropped"]);
    assert_eq!(run.out.lines().count(), 1, "{} {}", run.out, run.said);
}

#[test]
fn what_comes_by_a_pipe_replaces_nothing() {
    let place = Place::new();
    let args = ["dedup", "-q", "--state", "state", "-o", "out.txt"];
    assert_eq!(place.fed(&args, "一\n二\n".as_bytes()).code, Some(0));
    let run = place.fed(&args, "二\n三\n".as_bytes());
    assert_eq!((run.code, place.text("out.txt").as_str()), (Some(2), "一\n二\n"), "{}", run.said);
    let run = place.fed(&[&args[..], &["--append"]].concat(), "二\n三\n".as_bytes());
    assert_eq!((run.code, place.text("out.txt").as_str()), (Some(0), "一\n二\n三\n"), "{}", run.said);
}
