//! What is fuzzed: for any bytes, these must neither panic nor break what they assert. `tests/feed/fuzz.rs` runs them on stable over
//! the corpus and seeded mutations of it; `cargo fuzz run TARGET` goes on from there.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic is how a fuzz target fails")]

use std::fs;
use std::io::Write;
use std::sync::{Arc, Mutex};

use quchong::config::{Policy, SIMILARITY};
use quchong::formats::encoding::Encoding;
use quchong::formats::parse::{FieldPath, Parser};
use quchong::formats::source::{Format, Input, Source};
use quchong::internals::{Opened, read};
use quchong::near::overlap::Standalone;
use quchong::rule::{Bounds, Decision, Verifier, least_covered};
use quchong::run::sink::{OnError, Output, Sink, Stream};
use quchong::run::{self, End, Job, Naming};
use quchong::store::{compact, repair};
use quchong::text::normalise::canonical;
use quchong::text::reflow::reflow;
use quchong::text::tokens::Tokens;
use quchong::text::{Analyser, Clean, Gist};
use quchong::{Config, Pos};

/// A target: it panics where something is wrong.
pub type Target = fn(&[u8]);

/// All targets, by their names and those of their corpora.
pub const TARGETS: [(&str, Target); 5] =
    [("reader", reader), ("text", text), ("rule", rule), ("state", state), ("entry", entry)];

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A whole run over a file: the first byte says how it is read, and whether the file is an archive that breaks off. Every record is
/// accounted for, and what is kept leaves in its own bytes and order.
pub fn reader(data: &[u8]) {
    let Some((how, input)) = data.split_first() else { return };
    let (how, breaks_off) = (how & 127, how & 128 != 0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    let file = if breaks_off { broken_off(input) } else { input.to_vec() };
    fs::write(&path, file).unwrap();
    let table = [None, Some(Format::Csv), Some(Format::Tsv)].get(usize::from(how / 36)).copied().flatten();
    let format = table.unwrap_or([Format::Auto, Format::Lines, Format::Jsonl][usize::from(how % 3)]);
    let max_line = [40, 1 << 20][usize::from(how / 3 % 2)];
    let label = ["auto", "utf-8", "gb18030", "big5", "utf-16", "koi8-r"][usize::from(how / 6 % 6)];
    let path_of = |name| FieldPath::parse("--field", name).unwrap();
    let output = Shared::default();
    let job = Job {
        source: Source::new(vec![Input::File(path)], format, max_line)
            .unwrap()
            .headed(table.is_none())
            .encoded(Encoding::parse(label).unwrap(), |_, _| {}),
        parser: Parser {
            field: path_of(if table.is_some() { "2" } else { "text" }),
            id_field: path_of("id"),
            time_field: Some(path_of("at")),
            seq_field: Some(path_of("/deep/0/n")),
            further: Default::default(),
        },
        sink: Sink::new(Output::Kept, OnError::Pass, Stream::new("out", Box::new(output.clone()))),
        threads: 1,
        observer: &mut (),
        durable: None,
        metrics: None,
        recount: None,
        against: Default::default(),
    };
    let config = Config { capacity: 100, verify_window: 50, ..Config::default() };
    let (totals, end) = run::run(&config, job, Naming::Line, std::future::pending());
    // A table can be none that is read: in UTF-16, or within a quote for too long.
    assert!(
        matches!(end, Ok(End::Input))
            || (table.is_some() || breaks_off) && matches!(end, Err(quchong::Error::Io { .. })),
        "{end:?}"
    );
    assert!(totals.add_up(), "{totals:?}");
    let mut rest = input.iter();
    let written = output.0.lock().unwrap();
    assert!(written.iter().all(|byte| rest.any(|other| other == byte)), "what is written did not come in");
}

/// An archive of these bytes, without its last ten bytes: the bytes themselves are stored in it.
fn broken_off(bytes: &[u8]) -> Vec<u8> {
    let mut archive = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    archive.write_all(bytes).unwrap();
    let mut archive = archive.finish().unwrap();
    archive.truncate(archive.len() - 10);
    archive
}

/// A text through all its forms: the canonical form is its own.
pub fn text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let form = canonical(&text);
    assert_eq!(canonical(&form), form);
    let mut clean = Clean::default();
    Analyser::new(&Config::default()).analyse(&text, &mut clean);
    let mut places = Vec::new();
    let mut tokens = Tokens::default();
    tokens.read_with(&clean.body.text, |place| places.push(place));
    assert!(places.iter().all(|place| clean.body.text.get(place.clone()).is_some()));
    assert!(places.is_sorted_by_key(|place| place.start) && places.len() >= tokens.list.len());
    reflow(&text);
}

fn gist(text: &str) -> Gist {
    let mut clean = Clean::default();
    Analyser::new(&Config::default()).analyse(text, &mut clean);
    clean.gist()
}

/// Two messages, apart by a line end: a message repeats itself, and the engine offers all that the rule takes.
pub fn rule(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (a, b) = text.split_once('\n').unwrap_or((&text, ""));
    let (a, b) = (gist(a), gist(b));
    let mut verifier = Verifier::new(Policy::default());
    for (a, b) in [(&a, &b), (&b, &a), (&a, &a)] {
        let decision = verifier.read(b.view()).decide(a.view());
        if std::ptr::eq(a, b) && !a.body.list.is_empty() {
            assert_eq!(decision, Decision::Equal);
        }
        if a.body.list.len().min(b.body.list.len()) >= 2 && !matches!(decision, Decision::No(_)) {
            let least = |kept| least_covered(SIMILARITY, kept, b.body.list.len());
            let mut engine = Standalone::new(4, Bounds::of_similarity(SIMILARITY));
            engine.remember(&a.body.list, Pos(0));
            let found = engine.earliest(&b.body.list, Pos(1), least, |found| Some(found.number));
            assert_eq!(found, Some(0), "{decision:?}");
        }
    }
}

/// The files of a state: the length of HEAD in two bytes, HEAD, and the first segment. What is opened can be read to its end,
/// and what repair leaves is intact.
pub fn state(data: &[u8]) {
    let Some((length, rest)) = data.split_first_chunk::<2>() else { return };
    let (head, log) = rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()));
    let folder = tempfile::tempdir().unwrap();
    if !head.is_empty() {
        fs::write(folder.path().join("HEAD"), head).unwrap();
    }
    fs::write(folder.path().join("00000001.log"), log).unwrap();
    if let Ok(opened) = Opened::read(folder.path()) {
        opened.replay(|_| true, |_| Ok(())).unwrap();
        drop(opened);
        let _ = compact(folder.path());
    }
    if repair(folder.path()).is_ok() {
        Opened::read(folder.path()).unwrap().replay(|_| true, |_| Ok(())).unwrap();
    }
}

/// What stands in a state behind its checksums, which would keep nearly all mutations from it.
pub fn entry(mut data: &[u8]) {
    while !data.is_empty() && read(&mut data, 7, |_| true).is_ok() {}
}
