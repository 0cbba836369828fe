//! One input, cut into lines.

use std::io::{self, Read};
use std::sync::Arc;

use super::heading::Heading;
use crate::error::{Error, Result};
use crate::formats::batch::{Batch, Line, Part, Place};
use crate::formats::columnar::NO_STREAM;
use crate::formats::compression::unreadable;
use crate::formats::encoding::{Encoding, Finder, Finding};
use crate::formats::fields::{BOM, FieldPath};
use crate::formats::input::Format;
use crate::formats::table::{LINES, RowSplitter, Table};
use crate::locale::tr;

/// Bytes that one read asks for. Twice as many would hardly save time per line, and batches would take twice the memory.
const READ_SIZE: usize = 128 << 10;

/// The beginning of a Parquet file: its mark, and the first byte of its first page, which begins no text.
const PARQUET: &[u8] = b"PAR1\x15";

/// Most blank bytes that are kept while waiting for the first character that shows the format.
const MOST_BLANK: usize = 1 << 20;

/// The input being read.
pub(super) struct Open {
    reader: Box<dyn Read + Send>,
    name: Arc<str>,
    format: Format,
    heading: Option<Heading>,
    /// The encoding that is assumed, and the finder as long as another encoding may still be detected.
    encoding: Encoding,
    finder: Option<Finder>,
    max_line: usize,
    /// The buffer for reads. It is filled with zeros once, not before each read.
    buffer: Box<[u8]>,
    /// Bytes that were read and have not been put into a batch.
    bytes: Vec<u8>,
    /// How many of `bytes` have been searched for line ends, and the end of the last whole line in them.
    searched: usize,
    whole_lines_end: usize,
    /// Whether the input has ended, and the failure that ended it, if any.
    ended: bool,
    failed: Option<io::Error>,
    /// The number of the input, and how many of its bytes come before `bytes`.
    input: u32,
    offset: u64,
    /// The number of the line that `bytes` begin or continue.
    number: u64,
    /// The number of the first line.
    first: u64,
    /// Whether `bytes` continue a line that is longer than the limit, and whose beginning is already in a batch.
    in_long_line: bool,
}

impl Open {
    /// Opens the input that `reader` reads. Its encoding is detected if none is given.
    pub(crate) fn new(
        reader: Box<dyn Read + Send>,
        name: Arc<str>,
        format: Format,
        encoding: Option<Encoding>,
        max_line: usize,
    ) -> Self {
        Self {
            reader,
            name,
            format,
            heading: None,
            encoding: encoding.unwrap_or(Encoding::UTF_8),
            finder: encoding.is_none().then(Finder::default),
            max_line,
            buffer: vec![0; READ_SIZE].into(),
            bytes: Vec::new(),
            searched: 0,
            whole_lines_end: 0,
            ended: false,
            failed: None,
            input: 0,
            offset: 0,
            number: 1,
            first: 1,
            in_long_line: false,
        }
    }

    /// Sets the number of the input.
    pub(crate) fn numbered(self, input: u32) -> Self {
        Self { input, ..self }
    }

    /// Declares the input a table with this delimiter, with a header or without. `previous_table` is the table of the inputs before,
    /// whose header this one must repeat.
    pub(crate) fn rows(
        self,
        delimiter: u8,
        has_header: bool,
        previous_table: Option<Arc<Table>>,
        fields: Vec<(&'static str, FieldPath)>,
    ) -> Self {
        let table = (!has_header).then(|| Arc::new(Table::new(delimiter)));
        let heading =
            Heading { rows: RowSplitter::new(delimiter), table, delimiter, previous_table, fields, is_part: false };
        Self { heading: Some(heading), ..self }
    }

    /// The table that follows this one when the reader has reached the end of one file and goes on with the next. Its line numbers
    /// continue those of this one.
    pub(crate) fn next_part(self, encoding: Option<Encoding>, has_header: bool) -> Self {
        let (Self { input, offset, number, .. }, own_table) = (&self, self.table());
        let (input, offset, number) = (*input, *offset, *number);
        let part = Self::new(self.reader, self.name, self.format, encoding, self.max_line);
        let mut part = Self { input, offset, number, first: number, ..part };
        if let Some(Heading { delimiter, previous_table, fields, .. }) = self.heading {
            part = part.rows(delimiter, has_header, own_table.or(previous_table), fields);
            part.heading.iter_mut().for_each(|heading| heading.is_part = true);
        }
        part
    }

    /// The table, if it is one and its header has been read.
    pub(crate) fn table(&self) -> Option<Arc<Table>> {
        self.heading.as_ref()?.table.clone()
    }

    /// The number of the input.
    pub(crate) fn input(&self) -> u32 {
        self.input
    }

    /// Continues the line numbers of an earlier run over another pipe, which read this many lines.
    pub(crate) fn count_on(&mut self, lines: u64) {
        self.number += lines;
    }

    /// Skips the first `bytes()` bytes, up to where a line (or a piece of an overlong one) ends. Format, encoding and the rest of the
    /// state are then as if the bytes had just been read. `bytes()` may become less meanwhile. `skipped` is given the lines.
    pub(crate) fn skip(
        &mut self,
        bytes: &dyn Fn() -> u64,
        tell: &mut dyn FnMut(&str, Encoding),
        skipped: &mut dyn FnMut(&Batch),
    ) -> Result<()> {
        loop {
            let offset = bytes();
            if self.offset >= offset {
                return Ok(());
            }
            if let Some(end) = self.ready_bytes(tell) {
                let left = usize::try_from(offset - self.offset).unwrap_or(end);
                skipped(&self.cut(end.min(left))?);
            } else if let Some(error) = self.failure() {
                return Err(error);
            } else if self.ended {
                let reason = tr!("it ends at byte {}, and was read up to {offset} before", self.offset, offset);
                return Err(Error::invalid(&*self.name, reason));
            } else {
                self.read();
            }
        }
    }

    /// Returns the next lines; `None` at the end. `tell` is called when the encoding is another than the one assumed.
    pub(crate) fn next_batch(&mut self, tell: &mut dyn FnMut(&str, Encoding)) -> Result<Option<Batch>> {
        loop {
            if let Some(end) = self.ready_bytes(tell) {
                return self.cut(end).map(Some);
            }
            if self.ended {
                return self.failure().map_or(Ok(None), Err);
            }
            self.read();
        }
    }

    /// Reads more. After a failure, all whole lines read so far are still passed on, but not the unfinished line after them.
    fn read(&mut self) {
        let old = self.bytes.len();
        let read = loop {
            match self.reader.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.bytes.extend_from_slice(&self.buffer[..*read.as_ref().unwrap_or(&0)]);
        if let Err(error) = read {
            let even = old - old % self.encoding.unit();
            let end_at = match &self.heading {
                None => self.encoding.last_line(&self.bytes[..even]).unwrap_or(0),
                Some(heading) => heading.rows.last_end(),
            };
            self.fail(end_at, error);
        } else {
            self.ended = self.bytes.len() == old;
        }
    }

    /// Ends the input after the first `end_at` of the bytes in hand, with `error` as the reason.
    fn fail(&mut self, end_at: usize, error: io::Error) {
        self.bytes.truncate(end_at);
        self.heading.iter_mut().for_each(|heading| heading.rows.truncate(end_at));
        (self.searched, self.whole_lines_end) = (self.searched.min(end_at), self.whole_lines_end.min(end_at));
        (self.failed, self.ended) = (Some(error), true);
    }

    /// Takes the failure that ended the input. Its message says which lines were not judged.
    fn failure(&mut self) -> Option<Error> {
        let error = self.failed.take()?;
        let reason = Error::from_line(&error, self.number);
        Some(Error::io(&*self.name, io::Error::new(error.kind(), reason)))
    }

    /// How many bytes (at least one) can be put into a batch: whole lines, or a piece of an overlong line. `None` if more must be read
    /// first.
    fn ready_bytes(&mut self, tell: &mut dyn FnMut(&str, Encoding)) -> Option<usize> {
        if self.number == self.first && !self.in_long_line && self.failed.is_none() {
            if !self.ended && Encoding::may_be_marked(&self.bytes) {
                return None;
            }
            if let Some(marked) = Encoding::of_mark(&self.bytes) {
                self.settle_encoding(marked, tell);
            }
        }
        if self.number == self.first
            && self.format == Format::Auto
            && self.failed.is_none()
            && self.bytes.starts_with(PARQUET)
        {
            self.fail(0, io::Error::new(io::ErrorKind::InvalidData, tr!(NO_STREAM)));
        }
        if self.number == self.first
            && self.failed.is_none()
            && let Some(reason) = unreadable(&self.bytes)
        {
            self.fail(0, io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        // Also refuses the beginning of a truncated archive: its rows would be cut in the wrong places.
        if self.heading.is_some() && self.encoding.unit() > 1 && !self.bytes.is_empty() {
            let reason = tr!("tables in {} are not read; convert it first (iconv)", self.encoding);
            self.fail(0, io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        let whole = self.whole_lines()?;
        let mut end = whole;
        if let Some(finder) = self.finder.as_mut().filter(|_| self.whole_lines_end > 0 || self.ended) {
            let (bytes, heading) = (&self.bytes, &self.heading);
            let end_after = |from: usize| match heading {
                None => Encoding::UTF_8.first_line(&bytes[from..whole]).map_or(whole, |length| from + length),
                Some(heading) => heading.rows.end_after(from).unwrap_or(whole).min(whole),
            };
            let skip = if self.in_long_line { end_after(0) } else { 0 };
            match finder.look(bytes, whole, skip, end_after, self.max_line, self.ended) {
                Finding::Lines(length) => end = length,
                Finding::Wait => return None,
                Finding::Is(encoding) => {
                    self.settle_encoding(encoding, tell);
                    // In UTF-16, lines end at other places.
                    return self.ready_bytes(tell);
                }
            }
        }
        self.settle_format(whole);
        // Blank lines wait until the format is known, so that they are treated alike wherever the reads cut them.
        let waits = self.format == Format::Auto && !self.ended && whole < MOST_BLANK;
        (!waits).then_some(end)
    }

    /// The same as [`ready_bytes`](Self::ready_bytes), but for an input whose encoding and format are known.
    fn whole_lines(&mut self) -> Option<usize> {
        let even = self.bytes.len() - self.bytes.len() % self.encoding.unit();
        let mut searched = even;
        match &mut self.heading {
            None => {
                if let Some(last) = self.encoding.last_line(&self.bytes[self.searched..even]) {
                    self.whole_lines_end = self.searched + last;
                }
            }
            Some(heading) => {
                searched = heading.rows.look(&self.bytes[..even], self.searched, self.ended);
                self.whole_lines_end = heading.rows.last_end();
                if let Some((at, row)) =
                    heading.endless(even, self.ended, self.max_line).filter(|_| self.failed.is_none())
                {
                    let line = self.number + memchr::memchr_iter(b'\n', &self.bytes[..at]).count() as u64;
                    let reason = tr!(
                        "a quote opens a field in line {line}, and the next {LINES} lines or more do not close it; close it, or double it where \
                         it is part of the text",
                        line,
                        LINES
                    );
                    self.fail(row, io::Error::new(io::ErrorKind::InvalidData, reason));
                    return (self.whole_lines_end > 0).then_some(self.whole_lines_end);
                }
            }
        }
        self.searched = searched;
        let is_awaited = self.heading.as_ref().is_some_and(|heading| heading.waits(even, self.max_line));
        let end = match self.whole_lines_end {
            // The end of the input ends its last line.
            _ if self.ended => self.bytes.len(),
            0 if is_awaited && !self.in_long_line => 0,
            0 if even > self.max_line || self.in_long_line => even,
            whole => whole,
        };
        (end > 0).then_some(end)
    }

    fn settle_encoding(&mut self, encoding: Encoding, tell: &mut dyn FnMut(&str, Encoding)) {
        self.finder = None;
        if encoding != self.encoding {
            self.encoding = encoding;
            if self.heading.is_none() {
                (self.searched, self.whole_lines_end) = (0, 0);
            }
            tell(&self.name, encoding);
        }
    }

    /// Settles the format by the first non-blank character of the first `end` bytes.
    fn settle_format(&mut self, end: usize) {
        if self.format == Format::Auto {
            let mut decoded = String::new();
            let text = if self.encoding == Encoding::UTF_8 {
                &self.bytes[..end]
            } else {
                self.encoding.decode(&self.bytes[..end], &mut decoded);
                decoded.as_bytes()
            };
            let text = text.strip_prefix(BOM).unwrap_or(text);
            let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let start = valid.trim_start_matches('\u{1e}').trim_start();
            // An array of objects is no plain text: as JSONL it is refused, with advice.
            let record = start.strip_prefix('[').map(str::trim_start);
            let member = record.and_then(|record| record.strip_prefix('{')).map(str::trim_start);
            // `[` or `[{` alone may begin an array, or a line of text.
            let is_undecided = [record, member].contains(&Some(""));
            self.format = match start.chars().next() {
                Some('{') => Format::Jsonl,
                _ if member.is_some_and(|member| member.starts_with(['"', '}'])) => Format::Jsonl,
                _ if is_undecided && !self.ended && valid.len() == text.len() => Format::Auto,
                None if valid.len() == text.len() => Format::Auto,
                _ => Format::Lines,
            };
        }
    }

    /// Cuts the first `end` bytes into lines. They end with a line, or with a piece of a line that is too long.
    fn cut(&mut self, end: usize) -> Result<Batch> {
        let rest = self.bytes.split_off(end);
        let bytes = std::mem::replace(&mut self.bytes, rest);
        self.searched = self.searched.saturating_sub(end);
        self.whole_lines_end = self.whole_lines_end.saturating_sub(end);
        if let Some(finder) = &mut self.finder {
            finder.advance(end);
        }
        let (mut lines, mut suspicious_fields) = (Vec::with_capacity(bytes.len() / 64), Vec::new());
        let mut start = 0;
        while start < bytes.len() {
            let line_end = match &self.heading {
                None => self.encoding.first_line(&bytes[start..]),
                Some(heading) => heading.rows.end_after(start).filter(|end| *end <= bytes.len()).map(|end| end - start),
            };
            let end = line_end.map_or(bytes.len(), |length| start + length);
            let length = end - start - line_end.map_or(0, |_| self.encoding.unit());
            let part = match self.in_long_line {
                true => Part::TooLongRest,
                false if self.heading.as_ref().is_some_and(|heading| heading.rows.is_misquoted(end)) => Part::Misquoted,
                false if length > self.max_line => Part::TooLong,
                false => Part::Whole,
            };
            lines.push(Line { start, end, number: self.number, part });
            self.in_long_line = !matches!(part, Part::Whole | Part::Misquoted) && line_end.is_none();
            if let Some(at) = self.heading.as_ref().and_then(|heading| heading.rows.opening_of_suspicious_field(end)) {
                suspicious_fields.push(self.number + memchr::memchr_iter(b'\n', &bytes[start..at]).count() as u64);
            }
            self.number += match &self.heading {
                None => u64::from(line_end.is_some()),
                Some(_) => memchr::memchr_iter(b'\n', &bytes[start..end]).count() as u64,
            };
            start = end;
        }
        if let Some(heading) = &mut self.heading {
            heading.rows.advance(end);
        }
        self.offset += bytes.len() as u64;
        let end = Place { input: self.input, offset: self.offset, lines: self.number - 1 };
        let (file, format, rows, followed) = (self.name.clone(), self.format, None, None);
        let (table, original, likely) = (None, None, None);
        let batch =
            Batch { bytes, lines, file, format, table, end, original, rows, suspicious_fields, likely, followed };
        let mut batch = if self.encoding == Encoding::UTF_8 { batch } else { batch.decoded(self.encoding) };
        if let Some(heading) = &mut self.heading {
            heading.head(&mut batch, self.ended)?;
        }
        Ok(batch)
    }
}

#[cfg(test)]
mod tests;
