//! Judged records to bytes: kept lines leave as they came, others leave with an explanation.

mod note;
mod stream;

use std::fmt::Write as _;
use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::dedup::Recount;
use crate::error::{Error, Result};
use crate::formats::parse::{Fault, FaultKind, line_content};
use crate::formats::source::{Batch, Entry, Layout};
use crate::locale::tr;
use crate::record::{RecordId, Verdict};
pub(super) use note::note;
pub use stream::{Stream, Written};

/// Which records go to the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Those that are kept, byte for byte.
    Kept,
    /// Those that are dropped, annotated.
    Dropped,
    /// All, annotated.
    Annotated,
}

impl Output {
    /// Every choice and its name.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("kept", Self::Kept), ("dropped", Self::Dropped), ("annotated", Self::Annotated)];
}

/// What becomes of a record that cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// It goes through untouched.
    Pass,
    /// It is left out, and stands among the dropped.
    Drop,
    /// The run ends.
    Fail,
}

impl OnError {
    /// Every choice and its name.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("pass", Self::Pass), ("drop", Self::Drop), ("fail", Self::Fail)];
}

/// Where the records go.
pub struct Sink {
    output: Output,
    on_error: OnError,
    main: Stream,
    dropped: Option<Stream>,
    scratch: String,
    /// Whether the reader of the output, not of the dropped records, has gone.
    closed: bool,
}

impl Sink {
    /// A sink that writes to `main`.
    pub fn new(output: Output, on_error: OnError, main: Stream) -> Self {
        Self { output, on_error, main, dropped: None, scratch: String::new(), closed: false }
    }

    /// Also writes the dropped records, annotated.
    pub fn dropped_to(&mut self, to: Stream) {
        self.dropped = Some(to);
    }

    /// No state notes what is written: its checksum is not needed.
    pub(crate) fn sums_nothing(&mut self) {
        self.main.is_summed = false;
        self.dropped.iter_mut().for_each(|dropped| dropped.is_summed = false);
    }

    /// Whether any destination shows which message is repeated.
    pub(crate) fn shows_ids(&self) -> bool {
        self.output != Output::Kept || self.dropped.is_some()
    }

    /// What becomes of a record that cannot be judged.
    pub(crate) fn on_error(&self) -> OnError {
        self.on_error
    }

    /// Is told which batch the following records are in.
    ///
    /// # Errors
    /// [`Error::Io`] if kept records have gone out whose lines end in other bytes: UTF-16 and anything else in one output is no text;
    /// or rows that have other columns.
    pub(crate) fn begin(&mut self, batch: &Batch) -> Result<()> {
        let line_end = batch.encoding().line_end();
        if self.output == Output::Kept {
            if self.main.line_end.is_some_and(|before| before != line_end) && self.main.has_content {
                let reason = tr!(
                    "is {}, and what was read before is not; kept records leave as they came, and one output cannot hold both: convert it first (iconv), or write --output annotated",
                    batch.encoding()
                );
                return Err(Error::invalid(&*batch.file, reason));
            }
            self.main.line_end = Some(line_end);
            if let Layout::Table(table) = batch.layout() {
                self.main.ends_rows_by(table.line_end());
            }
        }
        if let Some(rows) = &batch.rows {
            let io = |error| Error::io(&*batch.file, error);
            self.main.begin(rows, self.output != Output::Kept).map_err(io)?;
            self.dropped.as_mut().map_or(Ok(()), |dropped| dropped.begin(rows, true)).map_err(io)?;
        }
        Ok(())
    }

    /// Takes a judged record. `of` names the message that it repeats, `copy` says which of the cluster it is, `differs` tells in what it
    /// differs from that one.
    pub(crate) fn judged(
        &mut self,
        entry: Entry<'_>,
        verdict: Verdict,
        of: Option<&RecordId<'_>>,
        copy: Option<u64>,
        differs: Option<&[[String; 2]]>,
    ) {
        let dropped = !verdict.is_kept();
        if self.output == Output::Kept && !dropped {
            self.main.record(entry.index, entry.original, None);
            return;
        }
        let to_main = self.output == Output::Annotated || self.output == Output::Dropped && dropped;
        let to_dropped = dropped && self.dropped.is_some();
        if to_main || to_dropped {
            let note = note(verdict, of, copy, differs);
            self.annotated(entry, None, &note, [to_main, to_dropped]);
        }
    }

    /// Takes the count of a kept message: a record of its own in the output, which annotates its records.
    pub(super) fn recounted(&mut self, recount: &Recount) {
        let Recount { of, exact, near } = recount;
        let count = 1 + exact + near;
        let note =
            format!(r#"{{"quchong":{{"verdict":"recount","of":{of},"count":{count},"exact":{exact},"near":{near}}}}}"#);
        self.main.line(note.as_bytes());
        self.main.more(b"\n");
    }

    /// Takes a record of a second pass, in which another than the first may stand for a cluster: `of` names that one.
    #[cfg(feature = "cli")]
    pub(super) fn represented(&mut self, entry: Entry<'_>, chosen: bool, verdict: &str, of: Option<&RecordId<'_>>) {
        if chosen {
            return self.judged(entry, Verdict::Kept, None, None, None);
        }
        let of = of.map_or_else(|| "null".to_owned(), ToString::to_string);
        let note = format!(r#"{{"verdict":"{verdict}","of":{of}}}"#);
        self.annotated(entry, None, &note, [self.output != Output::Kept, self.dropped.is_some()]);
    }

    /// Takes a blank line: kept, and no record to annotate in JSONL.
    pub(crate) fn blank(&mut self, entry: Entry<'_>) {
        match (self.output, entry.layout) {
            (Output::Dropped, _) => {}
            (Output::Annotated, Layout::Lines) => self.judged(entry, Verdict::Kept, None, None, None),
            // No byte-order mark in the middle of a file.
            (Output::Annotated, Layout::Jsonl | Layout::Table(_)) => {
                self.main.line(line_content(entry.text));
                self.main.more(entry.layout.line_end().as_bytes());
            }
            (Output::Kept, _) => self.main.line(entry.original),
        }
    }

    /// Takes a record that cannot be judged; under [`OnError::Fail`] the caller ends the run instead.
    pub(crate) fn fault(&mut self, entry: Entry<'_>, fault: &Fault) {
        let drop = self.on_error == OnError::Drop;
        if self.output == Output::Kept && !drop {
            self.main.record(entry.index, entry.original, None);
            return;
        }
        let to_main = if drop { self.output == Output::Dropped } else { self.output == Output::Annotated };
        let note = format!(r#"{{"verdict":"error","error":"{}"}}"#, fault.kind.name());
        self.annotated(entry, Some(fault.kind), &note, [to_main, drop && self.dropped.is_some()]);
    }

    /// Takes the row that names the columns of a table.
    pub(crate) fn header(&mut self, entry: Entry<'_>) {
        let Layout::Table(table) = entry.layout else { return };
        self.scratch.clear();
        table.annotate_header(&String::from_utf8_lossy(line_content(entry.text)), &mut self.scratch);
        self.scratch.push_str(table.line_end());
        let main = if self.output == Output::Kept { entry.original } else { self.scratch.as_bytes() };
        self.main.line(main);
        if let Some(dropped) = &mut self.dropped {
            dropped.line(self.scratch.as_bytes());
        }
    }

    /// Takes a further piece of a line that is too long to be judged: where records leave as they came it does so, too, and where they are
    /// annotated none of it does.
    pub(crate) fn rest(&mut self, piece: Entry<'_>) {
        if self.output == Output::Kept && self.on_error == OnError::Pass {
            self.main.more(piece.original);
        }
    }

    fn annotated(&mut self, entry: Entry<'_>, fault: Option<FaultKind>, note: &str, [to_main, to_dropped]: [bool; 2]) {
        self.scratch.clear();
        annotate(entry, fault, note, &mut self.scratch);
        self.scratch.push_str(entry.layout.line_end());
        if to_main {
            self.main.record(entry.index, self.scratch.as_bytes(), Some(note));
        }
        if let Some(dropped) = self.dropped.as_mut().filter(|_| to_dropped) {
            dropped.record(entry.index, self.scratch.as_bytes(), Some(note));
        }
    }

    /// Writes what has been taken, so that a reader sees it now.
    ///
    /// # Errors
    /// [`Error::Io`] naming the destination. What can be written to the other one has been.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let main = self.main.flush();
        let dropped = self.dropped.as_mut().map_or(Ok(()), Stream::flush);
        let gone = matches!(&main, Err(Error::Io { reason, .. }) if reason.kind() == io::ErrorKind::BrokenPipe);
        self.closed = gone && dropped.is_ok();
        dropped.and(main)
    }

    /// Writes all that is left, once: what is compressed is complete then.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub(super) fn finish(&mut self) -> Result<()> {
        self.main.finish();
        if let Some(dropped) = &mut self.dropped {
            dropped.finish();
        }
        self.flush()
    }

    /// Whether the last [`flush`](Self::flush) failed for no other reason than that the reader of the output has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether a destination lacks what it was to have.
    pub(crate) fn has_failed(&self) -> bool {
        self.main.has_failed() || self.dropped.as_ref().is_some_and(Stream::has_failed)
    }

    /// What was written to the output, and to that of the dropped records.
    pub(crate) fn written(&self) -> [Written; 2] {
        [self.main.written, self.dropped.as_ref().map_or_else(Written::default, |dropped| dropped.written)]
    }

    /// Makes what was written to files be on disk.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file. Whether it is on disk is then not known any longer.
    pub(crate) fn sync(&self) -> Result<()> {
        self.main.sync()?;
        self.dropped.as_ref().map_or(Ok(()), Stream::sync)
    }
}

/// Appends the line as a JSON object with the member `"quchong": note`. An object stays as it is, byte for byte, and gets
/// the member at its end (in place of an older one). A plain message becomes `{"text": …}`, a row gets one more column. What is neither becomes
/// `{"raw": …}`, in which U+FFFD stands for what is not UTF-8. A line that is too long is not there as a whole, and a part of it would pass
/// for the record: it is named, `{"raw":null,"at":"dump.jsonl:17"}`.
fn annotate(entry: Entry<'_>, fault: Option<FaultKind>, note: &str, out: &mut String) {
    let (line, layout) = (line_content(entry.text), entry.layout);
    let raw = || match fault {
        Some(FaultKind::LineTooLong) => {
            let at = serde_json::Value::from(format!("{}:{}", entry.at.0, entry.at.1));
            format!(r#""raw":null,"at":{at}"#)
        }
        _ => format!(r#""raw":{}"#, serde_json::Value::from(String::from_utf8_lossy(line))),
    };
    if let Layout::Table(table) = layout {
        match std::str::from_utf8(line) {
            Ok(row) if !fault.is_some_and(cannot_be_read) => table.annotate(row, note, out),
            _ => table.annotate_unread(&raw(), note, out),
        }
        return;
    }
    // What is not JSON must not look like an object: a string may be broken inside well-placed brackets.
    let may_be_object =
        matches!(layout, Layout::Jsonl) && !matches!(fault, Some(FaultKind::InvalidJson | FaultKind::LineTooLong));
    let object = std::str::from_utf8(line).ok().map(str::trim).filter(|line| may_be_object && is_object(line));
    let Some(object) = object else {
        let _ = match fault {
            Some(_) => write!(out, r#"{{{},"quchong":{note}}}"#, raw()),
            None => {
                let text = serde_json::Value::from(String::from_utf8_lossy(line));
                write!(out, r#"{{"text":{text},"quchong":{note}}}"#)
            }
        };
        return;
    };
    let find = |what: &[u8]| memchr::memmem::find(object.as_bytes(), what).is_some();
    if (find(br#""quchong""#) || find(br"\u")) && annotate_again(object, note, out).is_some() {
        return;
    }
    let members = object[..object.len() - 1].trim_end();
    let comma = if members.ends_with('{') { "" } else { "," };
    let _ = write!(out, r#"{members}{comma}"quchong":{note}}}"#);
}

/// Whether a row with this fault has no fields that could be told apart.
fn cannot_be_read(fault: FaultKind) -> bool {
    matches!(fault, FaultKind::LineTooLong | FaultKind::InvalidCsv)
}

fn is_object(line: &str) -> bool {
    line.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
}

/// Annotates an object that may be annotated already: its other members in their order, then ours.
fn annotate_again(object: &str, note: &str, out: &mut String) -> Option<()> {
    /// Members in order, values as they stand.
    struct Members<'a>(Vec<(String, &'a RawValue)>);
    impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
            struct Collect;
            impl<'de> serde::de::Visitor<'de> for Collect {
                type Value = Members<'de>;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> std::result::Result<Members<'de>, A::Error> {
                    let mut members = Vec::new();
                    while let Some(member) = map.next_entry()? {
                        members.push(member);
                    }
                    Ok(Members(members))
                }
            }
            deserializer.deserialize_map(Collect)
        }
    }
    let Members(members) = serde_json::from_str(object).ok()?;
    members.iter().find(|(key, _)| key == "quchong")?;
    out.push('{');
    for (key, value) in members.iter().filter(|(key, _)| key != "quchong") {
        let _ = write!(out, "{}:{value},", serde_json::Value::from(key.as_str()));
    }
    let _ = write!(out, r#""quchong":{note}}}"#);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'b>(line: &'b str, layout: Layout<'b>) -> Entry<'b> {
        Entry { original: line.as_bytes(), text: line.as_bytes(), layout, index: 0, at: ("a", 7) }
    }

    #[test]
    fn annotation_leaves_the_record_as_it_is() {
        let cases = [
            (r#"{"text":"a",  "n": 1e400}"#, r#"{"text":"a",  "n": 1e400,"quchong":N}"#),
            (r#" {"text":"a" }  "#, r#"{"text":"a","quchong":N}"#),
            ("{ }", r#"{"quchong":N}"#),
            (r#"{"text":"\"quchong\"","b":1}"#, r#"{"text":"\"quchong\"","b":1,"quchong":N}"#),
            (r#"{"quchong":{"verdict":"kept"},"text":"a","b":[1, 2]}"#, r#"{"text":"a","b":[1, 2],"quchong":N}"#),
            (r#"{"text":"cut"#, r#"{"raw":"{\"text\":\"cut","quchong":N}"#),
            ("[1]", r#"{"raw":"[1]","quchong":N}"#),
        ];
        for (line, expected) in cases {
            let mut out = String::new();
            annotate(entry(line, Layout::Jsonl), Some(FaultKind::MissingField), "N", &mut out);
            assert_eq!(out, expected);
        }
        let mut out = String::new();
        annotate(entry("去\"重", Layout::Lines), None, "N", &mut out);
        assert_eq!(out, r#"{"text":"去\"重","quchong":N}"#);
        out.clear();
        annotate(entry("{\"text\":\"\"}", Layout::Jsonl), Some(FaultKind::LineTooLong), "N", &mut out);
        assert_eq!(out, r#"{"raw":null,"at":"a:7","quchong":N}"#);
    }
}
