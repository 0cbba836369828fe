//! Where rows end, and which of them have wrong quotes.
//!
//! A quote that opens a field and is not closed takes the rows behind it into the field. Two things show it: the field has a
//! thousand lines, or ends in it by a quote that is not followed by a delimiter, as the next field in quotes would make it. If then nine
//! of ten lines behind the quote's are rows of the table by themselves, they are read so, and the quote's line alone is at fault.
//! In a table of one column any line could be a row: a thousand lines do not show it there, but the end of the field or of the input does.
//!
//! A field that ends as it should may still have taken rows into it: one that opened with a stray quote, and another row's last
//! character was a quote. If all its lines behind the first are rows by themselves, and begin with a whole number if its own row does,
//! it is read as it stands, and told: it may be a message that looks so.
//!
//! What has text behind a field's last quote, blanks apart, is at fault in any case: up to the end of that line if the lines
//! before are none by themselves. Only TSV, which many write without quoting anything, may have it in a field of one line.

use std::collections::VecDeque;

use super::row::count_fields;
use crate::formats::fields::{BOM, line_content};

/// Line ends that a field may have before it is looked at.
pub(crate) const LINES: usize = 1000;

/// Finds where rows end, however reads cut them.
#[derive(Debug)]
pub(crate) struct RowSplitter {
    delimiter: u8,
    at: At,
    /// Behind the line ends of the rows in hand, in order.
    ends: VecDeque<usize>,
    /// Those of them that end a row with a quote that is not closed, or that has text behind it.
    misquoted: VecDeque<usize>,
    /// Whether the row that is being read has such a quote.
    is_wrong: bool,
    /// The field in quotes that is being read.
    quote: Quote,
    /// How many fields the first row has.
    columns: Option<usize>,
    /// Where the first field with line ends in it opened in the row that is being read, if it ended as it should.
    spanned: Option<usize>,
    /// Behind rows with a field whose lines look like rows, and where that opened.
    joined: VecDeque<(usize, usize)>,
}

/// A field in quotes.
#[derive(Debug, Clone, Copy, Default)]
struct Quote {
    /// Where it opens.
    at: usize,
    /// Line ends in it so far.
    lines: usize,
    /// Whether it was looked at, and is a field.
    checked: bool,
}

/// What comes next in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// A byte of the byte-order mark, if the input begins with one.
    Mark(usize),
    /// A field.
    Field,
    /// More of a field, in which quotes are nothing special.
    Plain,
    /// More of a field in quotes.
    Quoted,
    /// What shows whether the quote before it ended the field.
    Quote,
}

impl RowSplitter {
    /// The rows of an input from its beginning.
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
            joined: VecDeque::new(),
        }
    }

    /// Looks at the bytes in hand from `from`, behind those that it looked at before, and behind which nothing comes if they have
    /// `ended`. How far it came: where more must be known, less than all.
    pub(crate) fn look(&mut self, bytes: &[u8], from: usize, ended: bool) -> usize {
        let mut next = from;
        loop {
            match self.step(bytes, next) {
                Step::To(to) => next = to,
                Step::Doubt(None) if !ended => return next,
                // A thousand lines of one column may be a message.
                Step::Doubt(line_end) => match self.resume(bytes, line_end.unwrap_or(bytes.len()), self.is_quoted()) {
                    Some(behind) => next = behind,
                    None => self.is_wrong |= self.at == At::Quote,
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
                (At::Quoted, 1)
            }
            At::Quote if byte == b'"' => (At::Quoted, 1),
            At::Quote => match self.goes_on(rest) {
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
            At::Quoted => {
                let (at, length) =
                    memchr::memchr(b'"', rest).map_or((At::Quoted, rest.len()), |at| (At::Quote, at + 1));
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

    /// Whether something stands behind a field's last quote, beside blanks; none if that does not show yet.
    fn goes_on(&self, rest: &[u8]) -> Option<bool> {
        let next = rest.iter().find(|byte| **byte != b' ')?;
        Some(![self.delimiter, b'\n', b'\r'].contains(next))
    }

    /// Behind the last line end that a field in quotes may have before it is looked at.
    fn thousandth(&self, bytes: &[u8]) -> usize {
        let ends = memchr::memchr_iter(b'\n', &bytes[self.quote.at..]);
        ends.take(LINES).last().map_or(bytes.len(), |end| self.quote.at + end + 1)
    }

    fn end(&mut self, bytes: &[u8], end: usize) {
        if self.columns.is_none() {
            let start = self.last_end();
            let row = String::from_utf8_lossy(line_content(&bytes[start..end]));
            self.columns = (!row.is_empty()).then(|| count_fields(self.delimiter, &row).ok()).flatten();
        }
        let is_wrong = std::mem::take(&mut self.is_wrong);
        if let Some(at) = self.spanned.take()
            && !is_wrong
            && self.looks_joined(&bytes[self.last_end()..end], at - self.last_end())
        {
            self.joined.push_back((end, at));
        }
        self.ends.push_back(end);
        if is_wrong {
            self.misquoted.push_back(end);
        }
    }

    /// Whether a row with a field that opens `at` some place and has line ends in it looks like several: all lines behind the field's first
    /// are rows by themselves, which begin with a number if the first does.
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

    /// Where a field opens whose lines look like rows, in the row with this end.
    pub(crate) fn joined(&self, end: usize) -> Option<usize> {
        let index = self.joined.binary_search_by_key(&end, |(end, _)| *end).ok()?;
        Some(self.joined[index].1)
    }

    /// Looks whether the lines behind that of the open quote, up to `until`, are rows. If so, goes on behind that line: where that is.
    /// Not in a table of one column, if the lines may be a message.
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

    /// Behind the last row that has ended.
    pub(crate) fn last_end(&self) -> usize {
        self.ends.back().copied().unwrap_or(0)
    }

    /// Behind the row that `from` is in, if it has ended.
    pub(crate) fn end_after(&self, from: usize) -> Option<usize> {
        self.ends.get(self.ends.partition_point(|end| *end <= from)).copied()
    }

    /// The first `length` bytes have gone on.
    pub(crate) fn advance(&mut self, length: usize) {
        for ends in [&mut self.ends, &mut self.misquoted] {
            ends.drain(..ends.partition_point(|end| *end <= length));
            ends.iter_mut().for_each(|end| *end -= length);
        }
        self.joined.drain(..self.joined.partition_point(|(end, _)| *end <= length));
        self.joined.iter_mut().for_each(|(end, at)| (*end, *at) = (*end - length, *at - length));
        self.spanned = self.spanned.and_then(|at| at.checked_sub(length));
        // What has gone cannot be looked at.
        self.quote.checked |= self.quote.at < length;
        self.quote.at = self.quote.at.saturating_sub(length);
    }

    /// Nothing comes behind the first `length` bytes, where a row ends: what was looked at behind them is forgotten.
    pub(crate) fn truncate(&mut self, length: usize) {
        for ends in [&mut self.ends, &mut self.misquoted] {
            ends.truncate(ends.partition_point(|end| *end <= length));
        }
        self.joined.truncate(self.joined.partition_point(|(end, _)| *end <= length));
        (self.at, self.is_wrong, self.quote, self.spanned) = (At::Field, false, Quote::default(), None);
    }

    /// Whether the row with this end has a quote that is not closed, or text behind one that is.
    pub(crate) fn is_misquoted(&self, end: usize) -> bool {
        self.misquoted.binary_search(&end).is_ok()
    }

    /// Whether the bytes looked at end within such a row.
    pub(crate) fn ends_misquoted(&self) -> bool {
        self.is_quoted() || self.is_wrong
    }

    /// Whether any row in hand is such a one.
    #[cfg(test)]
    pub(crate) fn has_misquoted(&self) -> bool {
        !self.misquoted.is_empty() || self.ends_misquoted()
    }

    /// Whether the bytes looked at end within quotes.
    fn is_quoted(&self) -> bool {
        self.at == At::Quoted
    }

    /// Where a field in quotes opens that has not ended, and its line ends so far.
    pub(crate) fn open_quote(&self) -> Option<(usize, usize)> {
        self.is_quoted().then_some((self.quote.at, self.quote.lines))
    }
}

/// What was found.
enum Step {
    /// Nothing up to here.
    To(usize),
    /// The field in quotes may be none: whether it is one shows in the lines up to here, or in one that has not ended.
    Doubt(Option<usize>),
    /// What follows the blanks behind a quote.
    Unknown,
    /// There is no more.
    End,
}
