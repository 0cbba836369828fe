//! Where rows end, and which quotes nobody closed.
//!
//! A quote that opens a field and is not closed takes the rows behind it into the field. Two things show it: the field has a
//! thousand lines, or ends in it by a quote that is not followed by a delimiter, as the next field in quotes would make it. If then nine
//! of ten lines behind the quote's are rows of the table by themselves, they are read so, and the quote's line alone is at fault.
//! A table of one column does not show it, as any line could be its row.

use std::collections::VecDeque;

use super::row::count_fields;
use crate::formats::fields::{BOM, line_content};

/// Line ends that a field may have before it is looked at.
pub(crate) const LINES: usize = 1000;

/// Finds where rows end, however reads cut them.
#[derive(Debug)]
pub(crate) struct Rows {
    delimiter: u8,
    at: At,
    /// Behind the line ends of the rows in hand, in order.
    ends: VecDeque<usize>,
    /// Those of them that end a row with a quote that is not closed.
    unclosed: VecDeque<usize>,
    /// The field in quotes that is being read.
    quote: Quote,
    /// How many fields the first row has.
    columns: Option<usize>,
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

impl Rows {
    /// The rows of an input from its beginning.
    pub(crate) fn new(delimiter: u8) -> Self {
        let (ends, unclosed) = (VecDeque::new(), VecDeque::new());
        Self { delimiter, at: At::Mark(0), ends, unclosed, quote: Quote::default(), columns: None }
    }

    /// Looks at the bytes in hand from `from`, behind those that it looked at before, and behind which nothing comes if they have
    /// `ended`. How far it came: where more must be known, less than all.
    pub(crate) fn look(&mut self, bytes: &[u8], from: usize, ended: bool) -> usize {
        let mut next = from;
        loop {
            match self.step(bytes, next) {
                Step::To(to) => next = to,
                Step::Doubt(line_end) => match line_end {
                    Some(end) => next = self.resume(bytes, end).unwrap_or(next),
                    None if ended => next = self.resume(bytes, bytes.len()).unwrap_or(next),
                    None => return next,
                },
                Step::End if ended && self.is_quoted() && self.quote.lines > 0 && !self.quote.checked => {
                    next = self.resume(bytes, bytes.len()).unwrap_or(next);
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
            At::Quote if self.quote.lines > 0 && !self.quote.checked && self.goes_on(rest) => {
                return Step::Doubt(memchr::memchr(b'\n', rest).map(|end| next + end + 1));
            }
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

    /// Whether something stands behind a field's last quote, beside blanks.
    fn goes_on(&self, rest: &[u8]) -> bool {
        let next = rest.iter().find(|byte| **byte != b' ');
        next.is_some_and(|byte| ![self.delimiter, b'\n', b'\r'].contains(byte))
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
            self.columns = (!row.is_empty()).then(|| count_fields(self.delimiter, &row)).flatten();
        }
        self.ends.push_back(end);
    }

    /// Looks whether the lines behind that of the open quote, up to `until`, are rows. If so, goes on behind that line: where that is.
    fn resume(&mut self, bytes: &[u8], until: usize) -> Option<usize> {
        self.quote.checked = true;
        let behind = self.quote.at + memchr::memchr(b'\n', &bytes[self.quote.at..until])? + 1;
        let columns = self.columns.filter(|columns| *columns > 1)?;
        let (mut rows, mut others) = (0, 0);
        for line in bytes[behind..until].split_inclusive(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(line_content(line));
            match count_fields(self.delimiter, &line) {
                Some(found) if found == columns => rows += 1,
                _ => others += 1,
            }
        }
        (rows > 9 * others).then(|| {
            self.ends.push_back(behind);
            self.unclosed.push_back(behind);
            self.at = At::Field;
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
        for ends in [&mut self.ends, &mut self.unclosed] {
            ends.drain(..ends.partition_point(|end| *end <= length));
            ends.iter_mut().for_each(|end| *end -= length);
        }
        // What has gone cannot be looked at.
        self.quote.checked |= self.quote.at < length;
        self.quote.at = self.quote.at.saturating_sub(length);
    }

    /// Whether the row with this end has a quote that is not closed.
    pub(crate) fn is_unclosed(&self, end: usize) -> bool {
        self.unclosed.contains(&end)
    }

    /// Whether any quote in hand is not closed.
    #[cfg(test)]
    pub(crate) fn has_unclosed(&self) -> bool {
        !self.unclosed.is_empty()
    }

    /// Whether the bytes looked at end within quotes.
    pub(crate) fn is_quoted(&self) -> bool {
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
    /// There is no more.
    End,
}
