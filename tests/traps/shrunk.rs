//! Inputs that become shorter while they are read.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::Stdio;

use super::{Place, ended, records};

/// A run judged what was left of the file, and ended as if that were all.
#[test]
fn an_input_that_is_cut_while_it_is_read_fails_the_run() {
    let (all, left) = (records(60_000), 3_000_000);
    let had = all.len();
    assert!(had > left + 500_000, "{had}");
    for (is_piped, more) in [(false, &[][..]), (false, &["--state", "state"]), (true, &[])] {
        let place = Place::new().with("in.jsonl", &all);
        let args = ["dedup", "-q", "--near", "none", "--threads", "1", if is_piped { "-" } else { "in.jsonl" }];
        let mut command = place.command(&[&args[..], more].concat());
        let input = if is_piped { File::open(place.path("in.jsonl")).unwrap().into() } else { Stdio::null() };
        let mut child = command.stdin(input).spawn().unwrap();
        // Nobody reads on, so that the run waits with most of its input unread.
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 10]).unwrap();
        OpenOptions::new().write(true).open(place.path("in.jsonl")).unwrap().set_len(left as u64).unwrap();
        let run = ended(child);
        let name = if is_piped { "<stdin>" } else { "in.jsonl" };
        let told = format!("{name}: was cut while it was read: it had {had} bytes, and has {left} now");
        assert!(run.code == Some(2) && run.said.contains(&told), "{is_piped} {more:?}: {}", run.said);
    }
}
