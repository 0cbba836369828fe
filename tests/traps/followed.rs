//! A run that follows a file, which a test writes to, rotates and truncates.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use super::{PATIENCE, Place};

/// A run that follows `feed.txt` or `feed.csv`.
pub(super) struct Followed {
    place: Option<Place>,
    child: Child,
    /// The lines of standard output. `said` has the lines of standard error.
    lines: Receiver<String>,
    said: Receiver<String>,
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    let lines = BufReader::new(stream).lines();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

impl Followed {
    /// Follows `feed.txt`, whose first line is `0`.
    pub(super) fn new() -> Self {
        let followed = Self::of(Place::new().with("feed.txt", "0\n"), &["-f=lines", "feed.txt"]);
        followed.expect(&["0"]);
        followed
    }

    /// Starts a run in a place with these arguments.
    pub(super) fn of(place: Place, args: &[&str]) -> Self {
        // Warnings must come even under `-q`.
        let args = [&["dedup", "--follow", "-q", "--near=none"], args].concat();
        let mut child = place.command(&args).spawn().unwrap();
        let (lines, said) = (lines_of(child.stdout.take().unwrap()), lines_of(child.stderr.take().unwrap()));
        Self { place: Some(place), child, lines, said }
    }

    pub(super) fn place(&self) -> &Place {
        self.place.as_ref().unwrap()
    }

    /// Kills the run and returns its place.
    pub(super) fn killed(mut self) -> Place {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.place.take().unwrap()
    }

    /// Ends the run by SIGTERM; returns its place, its exit code, the lines that came since, and its messages.
    pub(super) fn stopped(mut self) -> (Place, Option<i32>, Vec<String>, String) {
        self.signal("-TERM");
        let code = self.child.wait().unwrap().code();
        let said = self.said.iter().collect::<Vec<_>>().join("\n");
        (self.place.take().unwrap(), code, self.lines.iter().collect(), said)
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Does something while the run is paused and cannot look.
    pub(super) fn meanwhile(&self, what: impl FnOnce(&Place)) {
        self.signal("-STOP");
        // A thread that is running stops a moment later.
        let tasks = format!("/proc/{}/task", self.child.id());
        let stopped = || {
            let Ok(mut tasks) = std::fs::read_dir(&tasks) else { return true };
            tasks.all(|task| {
                let stat = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
                stat.is_empty() || stat.contains(") T ")
            })
        };
        while !stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        what(self.place());
        self.signal("-CONT");
    }

    pub(super) fn write(&self, line: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(self.place().path("feed.txt")).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }

    /// Asserts that these lines come next.
    pub(super) fn expect(&self, lines: &[&str]) {
        for line in lines {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(came) => assert_eq!(came, *line),
                Err(_) => panic!("{line} did not come; it was said: {:?}", self.said.try_iter().collect::<Vec<_>>()),
            }
        }
    }

    /// The next line.
    pub(super) fn line(&self) -> String {
        self.lines
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("it was said: {:?}", self.said.try_iter().collect::<Vec<_>>()))
    }

    /// Waits until messages with all of these parts have come, and returns the messages. They come one by one, and may come later than
    /// lines.
    pub(super) fn told(&self, parts: &[&str]) -> String {
        let mut told = String::new();
        while told.is_empty() || parts.iter().any(|part| !told.contains(part)) {
            let said = self.said.recv_timeout(PATIENCE);
            told += &said.unwrap_or_else(|_| panic!("none of {parts:?} came, but for: {told}"));
            told.push('\n');
        }
        assert!(told.contains("feed."), "{told}");
        told
    }

    pub(super) fn told_nothing(&self) {
        let told: Vec<String> = self.said.try_iter().collect();
        assert!(told.is_empty(), "{told:?}");
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
