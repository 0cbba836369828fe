//! Finds where rows end, and which rows have wrong quotes.
//!
//! A quote that opens a field and is not closed takes the following rows into the field. Two signs show such a field:
//!
//! - It has a thousand lines.
//! - It ends at a quote that is not followed by a delimiter. Usually this is the opening quote of the next quoted field.
//!
//! Then the lines after the one with the opening quote are checked. If more than nine of ten are rows of the table by themselves,
//! they are read as rows, and only the line with the quote is faulty. In a table of one column any line could be a row. There a
//! thousand lines are no sign, but the end of the field or of the input is.
//!
//! A field that ends as it should may also have taken in rows, if it opened with a stray quote and the last character of another
//! row was a quote. It is reported, but read as it is, because it may be a message that looks like rows. The conditions are that
//! all its lines after the first are rows by themselves, and that they begin with a whole number if its own row does.
//!
//! A row with text other than blanks after a closing quote is faulty in any case. It extends up to the end of that line if the
//! lines before are no rows by themselves. An exception is TSV, which many programs write without any quoting: there a field of one
//! line may have such text.

use std::collections::VecDeque;

use super::row::count_fields;
use crate::formats::fields::{BOM, line_content};

/// How many line ends a quoted field may have before it is checked.
pub(crate) const LINES: usize = 1000;

/// Finds where rows end, wherever reads cut them.
#[derive(Debug)]
pub(crate) struct RowSplitter {
    delimiter: u8,
    at: At,
    /// The offsets after the rows in hand, in order.
    ends: VecDeque<usize>,
    /// Those of these offsets that end a row with a quote that is not closed, or that has text after it.
    misquoted: VecDeque<usize>,
    /// Whether the current row has such a quote.
    is_wrong: bool,
    /// The quoted field that is being read, or was read last.
    quote: Quote,
    /// The number of fields of the first row.
    columns: Option<usize>,
    /// Where the first field with line ends opened in the current row, if it ended as it should.
    spanned: Option<usize>,
    /// The ends of rows with a field whose lines look like rows, each with the place where the field opened.
    suspicious_fields: VecDeque<(usize, usize)>,
}

/// A field in quotes.
#[derive(Debug, Clone, Copy, Default)]
struct Quote {
    /// The offset at which it opens.
    at: usize,
    /// Its line ends so far.
    lines: usize,
    /// Whether it has been checked and found to be a field.
    checked: bool,
}

/// What is expected next in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// This byte of the byte-order mark, if the input begins with one.
    Mark(usize),
    /// A field.
    Field,
    /// The rest of a field in which quotes are ordinary characters.
    Plain,
    /// The rest of a quoted field.
    InQuotes,
    /// The byte that shows whether the quote before it ended the field.
    AfterQuote,
}

impl RowSplitter {
    /// Begins at the beginning of an input.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            at: At::Mark(0),
            ends: VecDeque::new(),
            misquoted: VecDeque::new(),
            is_wrong: false,
            quote: Quote::default(),
            columns: None,
            spanned: None,
            suspicious_fields: VecDeque::new(),
        }
    }

    /// Looks at the bytes in hand from `from` on, where the call before stopped. `ended` says that no more bytes will come. Returns
    /// the offset where it stopped, which is before the end if more must be known.
    pub(crate) fn look(&mut self, bytes: &[u8], from: usize, ended: bool) -> usize {
        let mut next = from;
        loop {
            match self.step(bytes, next) {
                Step::To(to) => next = to,
                Step::Doubt(None) if !ended => return next,
                // In a table of one column, a thousand lines may be a message.
                Step::Doubt(line_end) => match self.resume(bytes, line_end.unwrap_or(bytes.len()), self.is_quoted()) {
                    Some(behind) => next = behind,
                    None => self.is_wrong |= self.at == At::AfterQuote,
                },
                Step::Unknown if !ended => return next,
                Step::Unknown => self.at = At::Plain,
                Step::End if ended && self.is_quoted() && self.quote.lines > 0 && !self.quote.checked => {
                    next = self.resume(bytes, bytes.len(), false).unwrap_or(next);
                }
                Step::End => return next,
            }
        }
    }

    fn step(&mut self, bytes: &[u8], next: usize) -> Step {
        let Some(byte) = bytes.get(next).copied() else { return Step::End };
        let rest = &bytes[next..];
        let (at, length) = match self.at {
            At::Mark(known) if byte == BOM[known] => {
                (if known + 1 == BOM.len() { At::Field } else { At::Mark(known + 1) }, 1)
            }
            At::Field | At::Mark(0) if byte == b'"' => {
                self.quote = Quote { at: next, ..Quote::default() };
                (At::InQuotes, 1)
            }
            At::AfterQuote if byte == b'"' => (At::InQuotes, 1),
            At::AfterQuote => match self.goes_on(rest) {
                None => return Step::Unknown,
                Some(true) if self.quote.lines > 0 && !self.quote.checked => {
                    return Step::Doubt(memchr::memchr(b'\n', rest).map(|end| next + end + 1));
                }
                goes_on => {
                    let spans = self.quote.lines > 0 && !self.quote.checked;
                    self.spanned = self.spanned.or(spans.then_some(self.quote.at));
                    self.is_wrong |= goes_on == Some(true) && (self.delimiter == b',' || self.quote.lines > 0);
                    (At::Plain, 0)
                }
            },
            At::InQuotes => {
                let (at, length) =
                    memchr::memchr(b'"', rest).map_or((At::InQuotes, rest.len()), |at| (At::AfterQuote, at + 1));
                let lines = memchr::memchr_iter(b'\n', &rest[..length]).count();
                if !self.quote.checked && self.quote.lines + lines >= LINES {
                    return Step::Doubt(Some(self.thousandth(bytes)));
                }
                self.quote.lines += lines;
                (at, length)
            }
            _ => match memchr::memchr2(self.delimiter, b'\n', rest) {
                Some(at) => (At::Field, at + 1),
                None => (At::Plain, rest.len()),
            },
        };
        self.at = at;
        if at == At::Field && bytes[next + length - 1] == b'\n' {
            self.end(bytes, next + length);
        }
        Step::To(next + length)
    }

    /// Whether anything but blanks comes after the closing quote of a field; `None` if the bytes do not show it yet.
    fn goes_on(&self, rest: &[u8]) -> Option<bool> {
        let next = rest.iter().find(|byte| **byte != b' ')?;
        Some(![self.delimiter, b'\n', b'\r'].contains(next))
    }

    /// The offset after the last line end that a quoted field may have before it is checked.
    fn thousandth(&self, bytes: &[u8]) -> usize {
        let ends = memchr::memchr_iter(b'\n', &bytes[self.quote.at..]);
        ends.take(LINES).last().map_or(bytes.len(), |end| self.quote.at + end + 1)
    }

    fn end(&mut self, bytes: &[u8], end: usize) {
        if self.columns.is_none() {
            let start = self.last_end();
            let row = String::from_utf8_lossy(line_content(&bytes[start..end]));
            self.columns = (!row.is_empty() && !names_delimiter(self.delimiter, row.as_bytes()))
                .then(|| count_fields(self.delimiter, &row).ok())
                .flatten();
        }
        let is_wrong = std::mem::take(&mut self.is_wrong);
        if let Some(at) = self.spanned.take()
            && !is_wrong
            && self.looks_joined(&bytes[self.last_end()..end], at - self.last_end())
        {
            self.suspicious_fields.push_back((end, at));
        }
        self.ends.push_back(end);
        if is_wrong {
            self.misquoted.push_back(end);
        }
    }

    /// Whether a row looks like several rows. The row has a field with line ends that opens at `at`. All lines after the field's
    /// first line must be rows by themselves, and must begin with a number if the row does.
    fn looks_joined(&self, row: &[u8], at: usize) -> bool {
        let Some(columns) = self.columns else { return false };
        let behind = memchr::memchr(b'\n', &row[at..]).map_or(row.len(), |end| at + end + 1);
        let is_number = |line: &[u8]| {
            let first = line.split(|byte| *byte == self.delimiter).next().unwrap_or_default();
            !first.is_empty() && first.iter().all(u8::is_ascii_digit)
        };
        let numbered = is_number(row);
        let is_row = |line: &[u8]| {
            let text = String::from_utf8_lossy(line_content(line));
            let found = count_fields(self.delimiter, &text).unwrap_or_else(|found| found);
            found == columns && (!numbered || is_number(line))
        };
        let begins = row[..behind].split(|byte| *byte == self.delimiter).count() == columns || is_row(&row[..behind]);
        begins && behind < row.len() && row[behind..].split_inclusive(|byte| *byte == b'\n').all(is_row)
    }

    /// Where a field opens whose lines look like rows, within the row that ends at `end`.
    pub(crate) fn opening_of_suspicious_field(&self, end: usize) -> Option<usize> {
        let index = self.suspicious_fields.binary_search_by_key(&end, |(end, _)| *end).ok()?;
        Some(self.suspicious_fields[index].1)
    }

    /// Checks whether the lines after the one with the open quote, up to `until`, are rows. If so, goes back to the first of them
    /// and returns its offset. In a table of one column this is only done if the lines cannot be a message (`may_be_one` is false).
    fn resume(&mut self, bytes: &[u8], until: usize, may_be_one: bool) -> Option<usize> {
        self.quote.checked = true;
        let behind = self.quote.at + memchr::memchr(b'\n', &bytes[self.quote.at..until])? + 1;
        let columns = self.columns.filter(|columns| *columns > 1 || !may_be_one)?;
        let (mut rows, mut others) = (0, 0);
        for line in bytes[behind..until].split_inclusive(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(line_content(line));
            match count_fields(self.delimiter, &line) {
                Ok(found) | Err(found) if found == columns => rows += 1,
                _ => others += 1,
            }
        }
        (rows > 9 * others).then(|| {
            self.ends.push_back(behind);
            self.misquoted.push_back(behind);
            (self.at, self.is_wrong, self.spanned) = (At::Field, false, None);
            behind
        })
    }

    /// The end of the last whole row.
    pub(crate) fn last_end(&self) -> usize {
        self.ends.back().copied().unwrap_or(0)
    }

    /// The end of the row that contains the offset `from`, if the row has ended.
    pub(crate) fn end_after(&self, from: usize) -> Option<usize> {
        self.ends.get(self.ends.partition_point(|end| *end <= from)).copied()
    }

    /// Removes the first `length` bytes, which have been passed on.
    pub(crate) fn advance(&mut self, length: usize) {
        for ends in [&mut self.ends, &mut self.misquoted] {
            ends.drain(..ends.partition_point(|end| *end <= length));
            ends.iter_mut().for_each(|end| *end -= length);
        }
        self.suspicious_fields.drain(..self.suspicious_fields.partition_point(|(end, _)| *end <= length));
        self.suspicious_fields.iter_mut().for_each(|(end, at)| (*end, *at) = (*end - length, *at - length));
        self.spanned = self.spanned.and_then(|at| at.checked_sub(length));
        // A field whose beginning has been passed on can no longer be checked.
        self.quote.checked |= self.quote.at < length;
        self.quote.at = self.quote.at.saturating_sub(length);
    }

    /// Drops everything after the first `length` bytes, where a row ends.
    pub(crate) fn truncate(&mut self, length: usize) {
        for ends in [&mut self.ends, &mut self.misquoted] {
            ends.truncate(ends.partition_point(|end| *end <= length));
        }
        self.suspicious_fields.truncate(self.suspicious_fields.partition_point(|(end, _)| *end <= length));
        (self.at, self.is_wrong, self.quote, self.spanned) = (At::Field, false, Quote::default(), None);
    }

    /// Whether the row that ends at `end` has a quote that is not closed, or text after a closing quote.
    pub(crate) fn is_misquoted(&self, end: usize) -> bool {
        self.misquoted.binary_search(&end).is_ok()
    }

    /// Whether the bytes looked at end within such a row.
    pub(crate) fn ends_misquoted(&self) -> bool {
        self.is_quoted() || self.is_wrong
    }

    /// Whether any row in hand is such a row.
    #[cfg(test)]
    pub(crate) fn has_misquoted(&self) -> bool {
        !self.misquoted.is_empty() || self.ends_misquoted()
    }

    /// Whether the bytes looked at end within quotes.
    fn is_quoted(&self) -> bool {
        self.at == At::InQuotes
    }

    /// Where the open quoted field begins, and its line ends so far; `None` if no field is open.
    pub(crate) fn open_quote(&self) -> Option<(usize, usize)> {
        self.is_quoted().then_some((self.quote.at, self.quote.lines))
    }
}

/// Whether a row, without its line end, is Excel's `sep=,`, which may stand above the header and names the delimiter.
pub(crate) fn names_delimiter(delimiter: u8, row: &[u8]) -> bool {
    row.split_last().is_some_and(|(last, rest)| *last == delimiter && rest.eq_ignore_ascii_case(b"sep="))
}

/// The result of one step.
enum Step {
    /// Everything up to this offset has been read.
    To(usize),
    /// The quoted field may not be one. The lines up to this offset show it; `None` if the last of them has not ended.
    Doubt(Option<usize>),
    /// The bytes end before what follows the blanks after a quote.
    Unknown,
    /// There are no more bytes.
    End,
}
