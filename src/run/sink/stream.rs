//! The destinations of records.

mod header;
mod named;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use crate::hash::XxHash3_64;
use serde::{Deserialize, Serialize};

use super::unread::Unread;
use crate::error::{Error, Result};
use crate::formats::columnar::{RowWriter, Rows};
use crate::formats::compression::{Compression, Packer};
use crate::formats::encoding::Encoding;
use crate::formats::source::{Batch, Format};
use header::Header;
#[cfg(feature = "cli")]
pub(crate) use header::{begins_with, other_header};
use named::Named;

/// A destination that takes a batch at a time.
pub struct Stream {
    name: String,
    to: To,
    pending: Vec<u8>,
    /// Makes Parquet of rows, once rows have come that are not to be written as lines.
    rows: Option<RowWriter>,
    packer: Option<Packer>,
    /// Whether each batch ends a member of the compressed file, so that the file can be cut after it.
    members: bool,
    /// Whether [`Written::last`] is kept up to date, which only a state needs.
    pub(super) is_summed: bool,
    finished: bool,
    /// The error of a failed write. How much was written is unknown then, and nothing more is written.
    failed: Option<io::Error>,
    /// Whether it was given records, by this run or an earlier one. A packer may still hold all of them back.
    pub(super) has_content: bool,
    /// The encoding of the kept records, if they show it.
    pub(super) encoding: Option<Encoding>,
    /// The input that showed it; `None` if an earlier run wrote the records.
    shown_by: Option<Arc<str>>,
    /// The line end of the current batch; `None` before the first batch.
    line_end: Option<&'static [u8]>,
    /// Counts what the reader of a pipe may not have taken, if a state notes what is written.
    pub(super) unread: Unread,
    /// The line end to add if a row lacks its own; `None` before the first table.
    row_end: Option<&'static [u8]>,
    /// The name of the file, if the records go where the name goes.
    named: Option<Named>,
    /// Whether it fails at its end if the file is not under its name any more.
    keeps_name: bool,
    /// Whether records went on in a new file of this name since [`take_move`](Self::take_move) was called.
    has_moved: bool,
    /// Whether the last bytes that were written are a line end.
    was_line_ended: bool,
    /// The header of the table.
    header: Header,
    pub(super) written: Written,
}

/// Bytes of pending text at which it is written.
const PIECE: usize = 1 << 18;

enum To {
    Any(Box<dyn Write + Send>),
    File(File),
}

/// What was written to a destination so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The number of bytes.
    pub(crate) length: u64,
    /// Offset of the bytes of the last batch, and their checksum.
    pub(crate) last: (u64, u64),
    /// Whether the last bytes are a line end.
    pub(crate) line_ended: bool,
}

impl Default for Written {
    fn default() -> Self {
        Self::after(0, true)
    }
}

impl Written {
    /// The position after `length` bytes, with a complete last line or not.
    pub(crate) fn after(length: u64, line_ended: bool) -> Self {
        Self { length, last: (length, XxHash3_64::oneshot(b"")), line_ended }
    }
}

impl Stream {
    /// Makes a destination that error messages call `name`.
    pub fn new(name: &str, to: Box<dyn Write + Send>) -> Self {
        Self::to(name, To::Any(to), Written::default())
    }

    /// Standard output.
    pub fn stdout() -> Self {
        Self::new("<stdout>", Box::new(io::stdout()))
    }

    /// Standard output, continued after what an earlier run wrote. `to` writes there, and its `flush` fails once nobody reads it.
    #[cfg(feature = "cli")]
    pub(crate) fn stdout_after(written: Written, to: Box<dyn Write + Send>) -> Self {
        Self::to("<stdout>", To::Any(to), written)
    }

    /// A file, written from its current position, after what an earlier run wrote.
    pub fn file(name: &str, file: File, written: Written) -> Self {
        Self::to(name, To::File(file), written)
    }

    fn to(name: &str, to: To, written: Written) -> Self {
        Self {
            name: name.to_owned(),
            to,
            pending: Vec::new(),
            rows: None,
            packer: None,
            members: false,
            is_summed: true,
            finished: false,
            failed: None,
            has_content: written.length > 0,
            encoding: None,
            shown_by: None,
            line_end: None,
            unread: Unread::default(),
            row_end: None,
            named: None,
            keeps_name: false,
            has_moved: false,
            was_line_ended: true,
            header: Header::default(),
            written,
        }
    }

    /// Whether rows of Parquet are written as JSONL, judged by the file name.
    pub(crate) fn is_jsonl(name: &Path) -> bool {
        Format::Auto.by_extension(name) == Format::Jsonl
    }

    /// Compresses the stream: into one member, or under `members` into one for each batch, so that the file is complete after each batch.
    #[must_use]
    pub fn packed(self, compression: Option<Compression>, members: bool) -> Self {
        Self { packer: compression.map(Packer::new), members, ..self }
    }

    /// Begins a batch of rows, which may be annotated.
    pub(super) fn begin(&mut self, rows: &Rows, annotated: bool) -> io::Result<()> {
        match &mut self.rows {
            Some(writer) => writer.begin(rows)?,
            None if Self::is_jsonl(self.name.as_ref()) => {}
            None => self.rows = Some(RowWriter::new(rows, annotated)?),
        }
        Ok(())
    }

    /// Begins a batch of lines that are written as they came.
    ///
    /// # Errors
    /// [`Error::Io`] if there are records in another encoding, because one output cannot hold both as text.
    pub(super) fn begin_lines(&mut self, batch: &Batch) -> Result<()> {
        let encoding = batch.encoding();
        if !self.has_content {
            self.encoding = None;
        }
        // Once an encoding is shown, nothing has to be looked at again.
        let shown = if self.encoding == Some(encoding) { self.encoding } else { batch.shown_encoding() };
        let before = self.encoding.unwrap_or(Encoding::UTF_8);
        // An input that mixes encodings leaves as it came.
        let is_other = self.shown_by.as_ref() != Some(&batch.file);
        let differs = self.encoding.and(shown).is_some_and(|shown| is_other && !shown.fits(before));
        if self.has_content && (differs || before.line_end() != encoding.line_end()) {
            return Err(encoding.beside(before, &batch.file));
        }
        if self.encoding.is_none() && shown.is_some() {
            (self.encoding, self.shown_by) = (shown, Some(batch.file.clone()));
        }
        self.line_end = Some(encoding.line_end());
        Ok(())
    }

    /// Adds a record. If rows are written as Parquet, this is the row with number `index` in the batch, with its verdict; otherwise it is
    /// `line`, which contains the verdict.
    pub(super) fn record(&mut self, index: usize, line: &[u8], note: Option<&str>) {
        match &mut self.rows {
            Some(writer) => {
                writer.choose(index, note);
                self.has_content = true;
            }
            None => self.line(line),
        }
    }

    /// Adds a line of text. Writes pending lines once there are enough of them.
    ///
    /// # Errors
    /// [`Error::Io`] naming the destination.
    #[cfg(feature = "cli")]
    pub(crate) fn put(&mut self, line: &dyn std::fmt::Display) -> Result<()> {
        self.append(format!("{line}\n").as_bytes());
        if self.pending.len() < PIECE { Ok(()) } else { self.flush() }
    }

    /// Writes all pending text, and completes compressed data.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    #[cfg(feature = "cli")]
    pub(crate) fn complete(mut self) -> Result<()> {
        self.finish();
        self.flush()
    }

    pub(super) fn line_end(&self) -> &'static [u8] {
        self.line_end.unwrap_or(b"\n")
    }

    /// Sets the line end of the following rows. If the last row of the file before lacks its line end, that row gets the line end of its
    /// own file.
    pub(super) fn ends_rows_by(&mut self, line_end: &'static str) {
        if self.written.line_ended || self.row_end.is_none() {
            self.row_end = Some(line_end.as_bytes());
        }
    }

    /// Adds a line. If the last line of a file lacks its line end, it is added first, so that this line begins a new one.
    pub(super) fn line(&mut self, line: &[u8]) {
        if !self.written.line_ended {
            self.pending.extend_from_slice(self.row_end.unwrap_or_else(|| self.line_end()));
        }
        self.append(line);
    }

    /// Appends bytes to the current line.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        self.has_content |= !bytes.is_empty();
        self.written.line_ended = bytes.ends_with(self.line_end());
    }

    /// Marks the end of the records: the next [`flush`](Self::flush) completes compressed data or Parquet.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// Writes pending bytes, unless an earlier write failed: then that error is returned again.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.failed.is_none() {
            self.failed = self.write_pending().err();
        }
        let again = |error: &io::Error| {
            let own = || io::Error::new(error.kind(), error.to_string());
            let error = error.raw_os_error().map_or_else(own, io::Error::from_raw_os_error);
            Error::io(self.name.clone(), error)
        };
        self.failed.as_ref().map_or(Ok(()), |error| Err(again(error)))
    }

    /// The name, if records went on in a new file of this name since the last call.
    pub(super) fn take_move(&mut self) -> Option<&str> {
        std::mem::take(&mut self.has_moved).then_some(&*self.name)
    }

    /// The name, if records were added behind another header since the last call.
    pub(super) fn take_other_header(&mut self) -> Option<&str> {
        self.header.take_other().then_some(&*self.name)
    }

    /// The name, if a write failed: everything since the last successful one is lost.
    pub(super) fn failed(&self) -> Option<String> {
        self.failed.as_ref().map(|_| self.name.clone())
    }

    fn write_pending(&mut self) -> io::Result<()> {
        if let Some(rows) = &mut self.rows {
            self.pending.extend_from_slice(&rows.take(self.finished)?);
        }
        self.follow_name()?;
        if let Some(packer) = &mut self.packer {
            let (end, even_nothing) = (self.members || self.finished, self.finished && self.written.length == 0);
            self.pending = pack(packer, &self.pending, end, even_nothing)?;
        }
        match &mut self.to {
            To::Any(to) => to.write_all(&self.pending).and_then(|()| to.flush())?,
            To::File(file) => file.write_all(&self.pending)?,
        }
        if self.is_summed {
            self.written.last = (self.written.length, XxHash3_64::oneshot(&self.pending));
            if matches!(self.to, To::Any(_)) {
                self.unread.wrote(&self.pending);
            }
        }
        self.written.length += self.pending.len() as u64;
        self.pending.clear();
        self.was_line_ended = self.written.line_ended;
        if self.finished { self.check_name() } else { Ok(()) }
    }

    /// Forces what was written to disk, if this is a file.
    pub(super) fn sync(&self) -> Result<()> {
        match &self.to {
            To::File(file) => file.sync_data().map_err(|error| Error::io(self.name.clone(), error)),
            To::Any(_) => Ok(()),
        }
    }
}

/// Takes bytes unchanged and writes them once there are enough; `complete` writes the rest.
impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(bytes);
        if self.pending.len() >= PIECE {
            Self::flush(self).map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    /// Does nothing, because pieces are written as they fill.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compresses `bytes`, and ends the member if `end` is true. Without bytes it adds nothing, unless `even_nothing` is true.
fn pack(packer: &mut Packer, bytes: &[u8], end: bool, even_nothing: bool) -> io::Result<Vec<u8>> {
    if !bytes.is_empty() || even_nothing {
        packer.add(bytes)?;
    }
    if end {
        packer.end()?;
    }
    Ok(packer.take())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Takes a few bytes, and then fails once.
    struct Failing(Arc<Mutex<Vec<u8>>>, bool);

    impl Write for Failing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut taken = self.0.lock().unwrap();
            if !taken.is_empty() && !std::mem::replace(&mut self.1, true) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let length = bytes.len().min(3);
            taken.extend_from_slice(&bytes[..length]);
            Ok(length)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_is_written_behind_a_write_that_failed() {
        for compression in [None, Some(Compression::Gz)] {
            let taken = Arc::new(Mutex::new(Vec::new()));
            let to = Box::new(Failing(taken.clone(), false));
            let mut stream = Stream::new("out", to).packed(compression, true);
            stream.line(b"one and two\n");
            for _ in 0..2 {
                let failed = stream.flush();
                assert!(
                    matches!(&failed, Err(Error::Io { reason, .. }) if reason.kind() == io::ErrorKind::StorageFull),
                    "{failed:?}"
                );
                stream.line(b"three\n");
                stream.finish();
            }
            assert_eq!(taken.lock().unwrap().len(), 3);
            assert_eq!(stream.written.length, 0);
        }
    }
}
