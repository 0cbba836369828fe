//! Outputs that are rotated while a run writes them.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::{PATIENCE, Place, Run, ended, records};

/// A run that is fed one message at a time, and writes to `out`.
struct Fed<'p> {
    child: Child,
    place: &'p Place,
    out: &'static str,
}

impl<'p> Fed<'p> {
    fn new(place: &'p Place, args: &[&str], out: &'static str) -> Self {
        Self::of(place, args, out, Stdio::piped())
    }

    fn of(place: &'p Place, args: &[&str], out: &'static str, stdout: Stdio) -> Self {
        let child = place.command(args).stdin(Stdio::piped()).stdout(stdout).spawn().unwrap();
        Self { child, place, out }
    }

    /// Sends lines, and waits until the output has grown to this many bytes.
    fn send(&mut self, lines: &str, length: u64) {
        write!(self.child.stdin.as_mut().unwrap(), "{lines}").unwrap();
        await_length(&self.place.path(self.out), length);
    }

    fn end(mut self) -> Run {
        drop(self.child.stdin.take());
        ended(self.child)
    }
}

fn await_length(path: &Path, length: u64) {
    let started = Instant::now();
    while path.metadata().map_or(0, |about| about.len()) < length {
        assert!(started.elapsed() < PATIENCE, "nothing was written to {}", path.display());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// What was written after a rotation went into the file that was moved away, and was lost when a program packed it.
#[test]
fn records_go_on_in_a_new_file_when_theirs_was_moved_away() {
    let place = Place::new();
    for (at, more) in [&["--append"][..], &["--append", "--state", "state"], &[]].into_iter().enumerate() {
        let args = [&["dedup", "-o", "out.txt", "--near", "none"][..], more].concat();
        let mut run = Fed::new(&place, &args, "out.txt");
        run.send(&format!("甲{at}\n"), 5);
        fs::rename(place.path("out.txt"), place.path("out.1")).unwrap();
        run.send(&format!("乙{at}\n"), 5);
        fs::remove_file(place.path("out.txt")).unwrap();
        run.send(&format!("丙{at}\n"), 5);
        let run = run.end();
        assert_eq!(run.code, Some(0), "{}", run.said);
        assert_eq!(run.said.matches("out.txt: was moved away or removed").count(), 2, "{}", run.said);
        assert_eq!(place.text("out.1"), format!("甲{at}\n"));
        assert_eq!(place.text("out.txt"), format!("丙{at}\n"));
        fs::remove_file(place.path("out.txt")).unwrap();
    }
}

/// A table begins with its header in each file, and a compressed file is complete.
#[test]
fn each_new_file_is_whole() {
    let place = Place::new();
    let args = ["dedup", "-q", "--format", "csv", "-o", "out.csv"];
    let mut run = Fed::new(&place, &args, "out.csv");
    run.send("id,text\n1,今天武汉的樱花开了\n", 30);
    fs::rename(place.path("out.csv"), place.path("out.1")).unwrap();
    run.send("2,明天见啦朋友\n", 20);
    assert_eq!(run.end().code, Some(0));
    assert_eq!(place.text("out.1"), "id,text\n1,今天武汉的樱花开了\n");
    assert_eq!(place.text("out.csv"), "id,text\n2,明天见啦朋友\n");
    for (name, more) in [("a.gz", &[][..]), ("b.gz", &["--state", "state"])] {
        let mut run = Fed::new(&place, &[&["dedup", "-q", "-o", name][..], more].concat(), name);
        let texts: Vec<String> = (1..=3000).map(super::unlike).collect();
        run.send(&(texts[..2999].join("\n") + "\n"), 1000);
        fs::rename(place.path(name), place.path("old.gz")).unwrap();
        writeln!(run.child.stdin.as_mut().unwrap(), "{}", texts[2999]).unwrap();
        await_length(&place.path(name), if more.is_empty() { 0 } else { 10 });
        assert_eq!(run.end().code, Some(0));
        let read = |name| place.run(&["dedup", "-q", "--exact", "none", "--near", "none", name]).out;
        assert_eq!(read("old.gz") + &read(name), texts.join("\n") + "\n", "{name}");
    }
}

/// A file that was emptied is begun anew. It once began with zeros, as many as there had been bytes.
#[test]
fn a_file_that_was_emptied_has_no_gap() {
    let place = Place::new();
    let mut run = Fed::new(&place, &["dedup", "-q", "-o", "out.txt", "--append"], "out.txt");
    run.send("今天武汉的樱花开了\n", 28);
    fs::copy(place.path("out.txt"), place.path("out.1")).unwrap();
    File::create(place.path("out.txt")).unwrap();
    run.send("明天见\n", 10);
    assert_eq!(run.end().code, Some(0));
    assert_eq!(place.text("out.txt"), "明天见\n");
}

/// A table that was emptied begins with its header again, and a record does not follow half a line of somebody else.
#[test]
fn records_begin_on_a_line_of_their_own_in_a_file_that_others_changed() {
    let place = Place::new();
    let mut run = Fed::new(&place, &["dedup", "-q", "--format", "csv", "-o", "out.csv", "--append"], "out.csv");
    run.send("id,text\n1,今天武汉的樱花开了\n", 30);
    File::create(place.path("out.csv")).unwrap();
    run.send("2,明天见啦朋友\n", 20);
    assert_eq!(run.end().code, Some(0));
    assert_eq!(place.text("out.csv"), "id,text\n2,明天见啦朋友\n");

    let mut run = Fed::new(&place, &["dedup", "-q", "-o", "out.txt", "--append"], "out.txt");
    run.send("今天武汉的樱花开了\n", 28);
    OpenOptions::new().write(true).open(place.path("out.txt")).unwrap().set_len(6).unwrap();
    run.send("明天见\n", 17);
    fs::rename(place.path("out.txt"), place.path("out.1")).unwrap();
    fs::write(place.path("out.txt"), "半行").unwrap();
    run.send("后天见\n", 17);
    assert_eq!(run.end().code, Some(0));
    assert_eq!(place.text("out.1"), "今天\n明天见\n");
    assert_eq!(place.text("out.txt"), "半行\n后天见\n");
}

/// Rows under another header would be read as its columns.
#[test]
fn another_header_in_a_file_that_was_swapped_in_is_told() {
    let place = Place::new();
    for (header, told) in [("text,id", true), ("id,text", false)] {
        let mut run = Fed::new(&place, &["dedup", "--format", "csv", "-o", "out.csv"], "out.csv");
        run.send("id,text\n1,今天武汉的樱花开了\n", 30);
        fs::rename(place.path("out.csv"), place.path("out.1")).unwrap();
        fs::write(place.path("out.csv"), format!("{header}\n")).unwrap();
        run.send("2,明天见啦朋友\n", 28);
        let run = run.end();
        assert_eq!(run.code, Some(0), "{}", run.said);
        assert_eq!(run.said.contains("out.csv: warning: begins with another header"), told, "{}", run.said);
        fs::remove_file(place.path("out.csv")).unwrap();
    }
}

/// A compressed file cannot go on behind a cut, so the run ends before anything is written there. Under `--state` each batch is packed by
/// itself, so the run goes on.
#[test]
fn a_compressed_file_that_was_cut_ends_the_run() {
    let place = Place::new();
    let mut run = Fed::new(&place, &["dedup", "-q", "-o", "out.gz", "--append"], "out.gz");
    let texts: Vec<String> = (1..=3000).map(super::unlike).collect();
    run.send(&(texts.join("\n") + "\n"), 1000);
    File::create(place.path("out.gz")).unwrap();
    writeln!(run.child.stdin.as_mut().unwrap(), "明天见").unwrap();
    let run = run.end();
    assert!(run.code == Some(2) && run.said.contains("out.gz: was cut while it was written"), "{}", run.said);

    let mut run = Fed::new(&place, &["dedup", "-q", "-o", "b.gz", "--append", "--state", "state"], "b.gz");
    run.send("今天武汉的樱花开了\n", 20);
    File::create(place.path("b.gz")).unwrap();
    run.send("明天见\n", 10);
    assert_eq!(run.end().code, Some(0));
    assert_eq!(place.run(&["dedup", "-q", "--exact", "none", "--near", "none", "b.gz"]).out, "明天见\n");
}

/// A run that cannot go on in a new file writes nothing of the batch, and says why.
#[test]
fn a_name_that_no_file_can_have_ends_the_run() {
    let place = Place::new();
    let mut run = Fed::new(&place, &["dedup", "-q", "-o", "out.txt", "--append", "--state", "state"], "out.txt");
    run.send("今天武汉的樱花开了\n", 28);
    fs::rename(place.path("out.txt"), place.path("out.1")).unwrap();
    fs::create_dir(place.path("out.txt")).unwrap();
    writeln!(run.child.stdin.as_mut().unwrap(), "明天见").unwrap();
    let run = run.end();
    assert!(run.code == Some(2) && run.said.contains("out.txt: is no file any more"), "{}", run.said);
    fs::remove_dir(place.path("out.txt")).unwrap();
    let next = place.fed(&["dedup", "-q", "-o", "out.txt", "--append", "--state", "state"], "明天见\n".as_bytes());
    assert_eq!((next.code, place.text("out.txt").as_str()), (Some(0), "明天见\n"), "{}", next.said);
}

/// A shell's file that was removed is lost, and a run cannot open it anew. It says so, once.
#[test]
#[cfg(target_os = "linux")]
fn a_file_of_the_shell_that_was_removed_is_told() {
    let place = Place::new();
    let out = OpenOptions::new().create(true).append(true).open(place.path("out.txt")).unwrap();
    let mut run = Fed::of(&place, &["dedup", "-q"], "out.txt", out.into());
    run.send("今天武汉的樱花开了\n", 28);
    fs::remove_file(place.path("out.txt")).unwrap();
    for line in ["明天见\n", "后天见\n"] {
        write!(run.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let run = run.end();
    assert_eq!((run.code, run.said.matches("was removed").count()), (Some(0), 1), "{}", run.said);
    assert!(run.said.contains("-o FILE --append"), "{}", run.said);
}

/// Runs a command that waits for the reader of `wait`, the last of its outputs, and calls `meanwhile` once `out` is open.
fn meanwhile(place: &Place, args: &[&str], out: &str, meanwhile: impl FnOnce()) -> Run {
    let wait = place.path("wait");
    assert!(wait.exists() || Command::new("mkfifo").arg(&wait).status().unwrap().success());
    let child = place.command(args).spawn().unwrap();
    let started = Instant::now();
    while !place.path(out).exists() {
        assert!(started.elapsed() < PATIENCE, "{out} was not opened");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    meanwhile();
    let reader = std::thread::spawn(move || drop(fs::read(wait)));
    let run = ended(child);
    reader.join().unwrap();
    run
}

/// What a run over files had written was lost without a word, and the exit code was 0.
#[test]
fn an_output_that_lost_its_name_fails_the_run() {
    let place = Place::new().with("in.jsonl", records(9) + &records(1));
    for (args, out) in [
        (&["dedup", "-o", "k.jsonl", "--summary", "wait"][..], "k.jsonl"),
        (&["dedup", "-o", "k.gz", "--summary", "wait"], "k.gz"),
        (&["dedup", "-o", "k", "--represent", "longest", "--summary", "wait"], "k"),
        (&["dedup", "--dropped", "why.jsonl", "--summary", "wait"], "why.jsonl"),
        (&["dedup", "--summary", "sum.json", "--report", "wait"], "sum.json"),
        (&["clusters", "-o", "list.jsonl", "--html", "wait"], "list.jsonl"),
    ] {
        for is_replaced in [false, true] {
            let run = meanwhile(&place, &[args, &["-q", "in.jsonl"]].concat(), out, || {
                fs::remove_file(place.path(out)).unwrap();
                // The number of a file that is still open goes to no other.
                if is_replaced {
                    fs::write(place.path(out), "").unwrap();
                }
            });
            let told = format!("{out}: was moved away or removed while it was written");
            assert!(run.code == Some(2) && run.said.contains(&told), "{args:?} {is_replaced}: {}", run.said);
            let _ = fs::remove_file(place.path(out));
        }
    }
}

/// The run counts as broken off, so that it goes on when the file is back.
#[test]
fn a_run_whose_output_was_moved_away_goes_on_when_it_is_back() {
    let place = Place::new().with("in.jsonl", records(9));
    let args = ["dedup", "-q", "in.jsonl", "--state", "state", "-o", "k.jsonl", "--summary", "wait"];
    let run = meanwhile(&place, &args, "k.jsonl", || fs::rename(place.path("k.jsonl"), place.path("away")).unwrap());
    assert!(run.code == Some(2) && run.said.contains("move it back and go on by --resume"), "{}", run.said);
    assert_eq!(place.text("away"), records(9));
    let run = place.run(&args[..7]);
    assert!(run.code == Some(2) && run.said.contains("did not come to its end"), "{}", run.said);
    fs::rename(place.path("away"), place.path("k.jsonl")).unwrap();
    let run = place.run(&[&args[..7], &["--resume"]].concat());
    assert_eq!((run.code, run.said.as_str(), place.text("k.jsonl")), (Some(0), "", records(9)));
}
