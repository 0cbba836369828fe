//! Writes judged records: kept records leave unchanged, others with an annotation.

mod choices;
mod note;
mod stream;
mod unread;

use std::fmt::Write as _;
use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::dedup::Recount;
use crate::error::{Error, Result};
#[cfg(feature = "cli")]
use crate::formats::encoding::Encoding;
use crate::formats::parse::{Fault, FaultKind, half_surrogate, line_content};
use crate::formats::source::{Batch, Entry, Layout};
use crate::record::{RecordId, Verdict};
pub use choices::{OnError, Output};
pub(super) use note::note;
pub use stream::{Stream, Written};
#[cfg(feature = "cli")]
pub(crate) use stream::{begins_with, other_header};

/// The destination of the records.
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

    /// Says in which encoding the records are that an earlier run has written.
    #[cfg(feature = "cli")]
    pub(crate) fn follows(&mut self, before: Option<Encoding>) {
        self.main.encoding = before;
    }

    /// Turns checksums off: no state records what is written.
    pub(crate) fn disable_checksums(&mut self) {
        self.main.is_summed = false;
        self.dropped.iter_mut().for_each(|dropped| dropped.is_summed = false);
    }

    /// Whether any destination shows which message is repeated.
    pub(crate) fn shows_ids(&self) -> bool {
        self.output != Output::Kept || self.dropped.is_some()
    }

    /// What happens to a record that cannot be judged.
    pub(crate) fn on_error(&self) -> OnError {
        self.on_error
    }

    /// Begins a batch; the following records belong to it.
    ///
    /// # Errors
    /// [`Error::Io`] if kept records were written in another encoding, or if the columns of the rows differ.
    pub(crate) fn begin(&mut self, batch: &Batch) -> Result<()> {
        if self.output == Output::Kept {
            self.main.begin_lines(batch)?;
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

    /// Writes a judged record. `of` names the message that it repeats, `copy` is its number in the cluster, `differs` lists its
    /// differences from the repeated message.
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

    /// Writes the count of a kept message, as a record of its own. The output must be an annotated one.
    pub(super) fn recounted(&mut self, recount: &Recount) {
        let Recount { of, exact, near } = recount;
        let count = 1 + exact + near;
        let note =
            format!(r#"{{"quchong":{{"verdict":"recount","of":{of},"count":{count},"exact":{exact},"near":{near}}}}}"#);
        self.main.line(note.as_bytes());
        self.main.append(b"\n");
    }

    /// Writes a record in a second pass, in which another message than the first may represent a cluster: `of` names the representative.
    #[cfg(feature = "cli")]
    pub(super) fn represented(&mut self, entry: Entry<'_>, chosen: bool, verdict: &str, of: Option<&RecordId<'_>>) {
        if chosen {
            return self.judged(entry, Verdict::Kept, None, None, None);
        }
        let of = of.map_or_else(|| "null".to_owned(), ToString::to_string);
        let note = format!(r#"{{"verdict":"{verdict}","of":{of}}}"#);
        self.annotated(entry, None, &note, [self.output != Output::Kept, self.dropped.is_some()]);
    }

    /// Writes a blank line. It is kept; in JSONL it is not annotated, because it is no record.
    pub(crate) fn blank(&mut self, entry: Entry<'_>) {
        match (self.output, entry.layout) {
            (Output::Dropped, _) => {}
            (Output::Annotated, Layout::Lines) => self.judged(entry, Verdict::Kept, None, None, None),
            // The decoded text is written, so that no byte-order mark ends up in the middle of a file.
            (Output::Annotated, Layout::Jsonl | Layout::Table(_)) => {
                self.main.line(line_content(entry.text));
                self.main.append(entry.layout.line_end().as_bytes());
            }
            (Output::Kept, _) => self.main.line(entry.original),
        }
    }

    /// Writes a record that cannot be judged. Under [`OnError::Fail`] the caller ends the run instead.
    pub(crate) fn fault(&mut self, entry: Entry<'_>, fault: &Fault) {
        let drop = self.on_error == OnError::Drop;
        if self.output == Output::Kept && !drop {
            self.main.record(entry.index, entry.original, None);
            return;
        }
        let to_main = self.output == Output::Annotated || self.output == Output::Dropped && drop;
        let note = format!(r#"{{"verdict":"error","error":"{}"}}"#, fault.kind.name());
        self.annotated(entry, Some(fault.kind), &note, [to_main, drop && self.dropped.is_some()]);
    }

    /// Writes the row that names the columns of a table.
    ///
    /// # Errors
    /// [`Error::Io`] if records are added to a file that begins with another header.
    pub(crate) fn header(&mut self, entry: Entry<'_>) -> Result<()> {
        let Layout::Table(table) = entry.layout else { return Ok(()) };
        self.scratch.clear();
        table.annotate_header(&String::from_utf8_lossy(line_content(entry.text)), &mut self.scratch);
        self.scratch.push_str(table.line_end());
        let main = if self.output == Output::Kept { entry.original } else { self.scratch.as_bytes() };
        self.main.header(main)?;
        self.dropped.as_mut().map_or(Ok(()), |dropped| dropped.header(self.scratch.as_bytes()))
    }

    /// Writes a further piece of a line that is too long to be judged. Such a line is written unchanged if records leave unchanged, and
    /// not at all if they are annotated.
    pub(crate) fn rest(&mut self, piece: Entry<'_>) {
        if self.output == Output::Kept && self.on_error == OnError::Pass {
            self.main.append(piece.original);
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

    /// Writes all pending records, so that a reader sees them now.
    ///
    /// # Errors
    /// [`Error::Io`] naming the destination. Everything that the other destination can take has been written to it.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let main = self.main.flush();
        let dropped = self.dropped.as_mut().map_or(Ok(()), Stream::flush);
        let gone = matches!(&main, Err(Error::Io { reason, .. }) if reason.kind() == io::ErrorKind::BrokenPipe);
        self.closed = gone && dropped.is_ok();
        dropped.and(main)
    }

    /// Writes everything that is left and completes compressed outputs. Called once.
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

    /// Whether the last [`flush`](Self::flush) failed only because the reader of the output has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The most lines of this run that the reader of the output may not have taken, if the output is no file and a state notes what is
    /// written.
    pub(super) fn unread(&self) -> u64 {
        self.main.unread.lines()
    }

    /// The files that were moved away or removed since the last call, so that records went on in new files of these names.
    pub(super) fn take_moves(&mut self) -> impl Iterator<Item = &str> {
        self.streams().filter_map(Stream::take_move)
    }

    /// The files to which records were added behind another header since the last call.
    pub(super) fn take_other_headers(&mut self) -> impl Iterator<Item = &str> {
        self.streams().filter_map(Stream::take_other_header)
    }

    fn streams(&mut self) -> impl Iterator<Item = &mut Stream> {
        [Some(&mut self.main), self.dropped.as_mut()].into_iter().flatten()
    }

    /// The names of the destinations that lack records that they should have.
    pub(crate) fn failed(&self) -> Vec<String> {
        [Some(&self.main), self.dropped.as_ref()].into_iter().flatten().filter_map(Stream::failed).collect()
    }

    /// What was written to the output and to the output for dropped records.
    pub(crate) fn written(&self) -> [Written; 2] {
        [self.main.written, self.dropped.as_ref().map_or_else(Written::default, |dropped| dropped.written)]
    }

    /// Forces what was written to files to disk.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file. Nobody knows then whether the data is on disk.
    pub(crate) fn sync(&self) -> Result<()> {
        self.main.sync()?;
        self.dropped.as_ref().map_or(Ok(()), Stream::sync)
    }
}

/// Appends the record as a JSON object with the member `"quchong": note`. An object stays byte for byte, and the member is added at its
/// end, in place of an older one. A plain message becomes `{"text": …}`. A row gets one more column. Anything else becomes `{"raw": …}`,
/// with U+FFFD in place of bytes that are not UTF-8. A line that is too long is not available as a whole, and a part of it could be taken
/// for the record, so it is only named: `{"raw":null,"at":"dump.jsonl:17"}`.
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
    // A line that is not JSON must not be taken for an object: a string may be broken between matching brackets. Half of a surrogate pair
    // is no text, but is JSON.
    let may_be_object = |line: &str| match fault {
        Some(FaultKind::LineTooLong) => false,
        Some(FaultKind::InvalidJson) => half_surrogate(line).is_some(),
        _ => true,
    };
    let object = std::str::from_utf8(line).ok().map(str::trim).filter(|_| matches!(layout, Layout::Jsonl));
    let object = object.filter(|line| may_be_object(line) && is_object(line));
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

/// Whether a row with this fault cannot be split into fields.
fn cannot_be_read(fault: FaultKind) -> bool {
    matches!(fault, FaultKind::LineTooLong | FaultKind::InvalidCsv)
}

fn is_object(line: &str) -> bool {
    line.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
}

/// Annotates an object that may already be annotated: first its other members in their order, then the new annotation.
fn annotate_again(object: &str, note: &str, out: &mut String) -> Option<()> {
    /// Members in order, with values as they are written.
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
        let half = r#"{"id":1,"text":"\ud83d"}"#;
        annotate(entry(half, Layout::Jsonl), Some(FaultKind::InvalidJson), "N", &mut out);
        assert_eq!(out, r#"{"id":1,"text":"\ud83d","quchong":N}"#);
        let mut out = String::new();
        annotate(entry("去\"重", Layout::Lines), None, "N", &mut out);
        assert_eq!(out, r#"{"text":"去\"重","quchong":N}"#);
        out.clear();
        annotate(entry("{\"text\":\"\"}", Layout::Jsonl), Some(FaultKind::LineTooLong), "N", &mut out);
        assert_eq!(out, r#"{"raw":null,"at":"a:7","quchong":N}"#);
    }
}
