//! What is read at once.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::columnar::Rows;
use super::encoding::Encoding;
use super::input::{Followed, Format};
use super::table::Table;

/// Consecutive lines of one input.
#[derive(Debug)]
pub struct Batch {
    /// The bytes of all lines in UTF-8, line ends included.
    pub(crate) bytes: Vec<u8>,
    /// The lines, in order; together they are all of `bytes`.
    pub(crate) lines: Vec<Line>,
    /// Name of the input.
    pub(crate) file: Arc<str>,
    /// Settled format; [`Format::Auto`] only while nothing but blank lines has come.
    pub(crate) format: Format,
    /// The table that the lines are rows of, if they are.
    pub(crate) table: Option<Arc<Table>>,
    /// Where the input goes on behind it.
    pub(crate) end: Place,
    /// What `bytes` were decoded from; none if the input is in UTF-8.
    pub(crate) original: Option<Original>,
    /// The rows that the lines tell of, if the input is Parquet and they are asked for.
    pub(crate) rows: Option<Rows>,
    /// Numbers of lines in which a field in quotes opens whose lines look like rows themselves.
    pub(crate) joined: Vec<u64>,
    /// Which file it is behind which it ends, and where, if one is followed.
    pub(crate) followed: Option<Followed>,
}

/// How records stand in a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Layout<'t> {
    /// As in [`Format::Lines`]; blank lines before anything else, too.
    Lines,
    /// As in [`Format::Jsonl`].
    Jsonl,
    /// Rows of this table.
    Table(&'t Table),
}

impl Layout<'_> {
    /// What ends a record that is written anew.
    pub(crate) fn line_end(self) -> &'static str {
        match self {
            Self::Table(table) => table.line_end(),
            Self::Lines | Self::Jsonl => "\n",
        }
    }
}

/// A place between two lines, or between two pieces of a line that is too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Which input, from 0.
    pub(crate) input: u32,
    /// Bytes of it that are before the place.
    pub(crate) offset: u64,
    /// Whole lines of it that are.
    pub(crate) lines: u64,
}

/// Lines as they came.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) encoding: Encoding,
    pub(crate) bytes: Vec<u8>,
    /// Where each line ends in `bytes`.
    pub(crate) ends: Vec<usize>,
}

/// A line of a batch in all that the sink needs of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'b> {
    /// As it came.
    pub(crate) original: &'b [u8],
    /// In UTF-8.
    pub(crate) text: &'b [u8],
    /// How the record stands in it.
    pub(crate) layout: Layout<'b>,
    /// Its number in the batch, from 0.
    pub(crate) index: usize,
    /// The file, and the line's 1-based number in it.
    pub(crate) at: (&'b str, u64),
}

impl Batch {
    /// The batch in UTF-8, its lines in `encoding` kept beside.
    pub(super) fn decoded(self, encoding: Encoding) -> Self {
        let mut text = String::with_capacity(self.bytes.len() * 2);
        let mut ends = Vec::with_capacity(self.lines.len());
        let decoded = |line: Line| {
            ends.push(line.end);
            let start = text.len();
            let part = match line.part {
                Part::TooLongRest => line.part,
                part if encoding.decode(&self.bytes[line.start..line.end], &mut text) => part,
                Part::Whole => Part::Undecodable,
                part => part,
            };
            Line { start, end: text.len(), part, ..line }
        };
        let lines = self.lines.into_iter().map(decoded).collect();
        let original = Some(Original { encoding, bytes: self.bytes, ends });
        Self { bytes: text.into_bytes(), lines, original, ..self }
    }

    /// The encoding of the input.
    pub(crate) fn encoding(&self) -> Encoding {
        self.original.as_ref().map_or(Encoding::UTF_8, |original| original.encoding)
    }

    /// The bytes of all lines as they were read; of Parquet, in UTF-8.
    pub(crate) fn bytes_read(&self) -> &[u8] {
        self.original.as_ref().map_or(&self.bytes, |original| &original.bytes)
    }

    /// How many bytes of the input it is: those, or of Parquet its share of the file.
    pub(crate) fn size(&self) -> u64 {
        self.rows.as_ref().map_or(self.bytes_read().len() as u64, Rows::size)
    }

    /// The batch with its first `records` records alone, and what stands before the next one.
    #[cfg(feature = "cli")]
    pub(crate) fn first(mut self, records: u64) -> Self {
        let mut left = records;
        let end = self.lines.iter().position(|line| {
            let is_behind = line.part.is_record() && left == 0;
            left -= u64::from(line.part.is_record() && left > 0);
            is_behind
        });
        self.lines.truncate(end.unwrap_or(self.lines.len()));
        self
    }

    /// The names of the columns, if it is of a table with a header.
    #[cfg(feature = "cli")]
    pub(crate) fn columns(&self) -> &[String] {
        self.table.as_ref().map_or(&[], |table| table.header())
    }

    /// The line at `index` of [`lines`](Self::lines).
    pub(crate) fn entry(&self, index: usize) -> Entry<'_> {
        let text = &self.bytes[self.lines[index].start..self.lines[index].end];
        let original = self.original.as_ref().map_or(text, |original| {
            let start = index.checked_sub(1).map_or(0, |before| original.ends[before]);
            &original.bytes[start..original.ends[index]]
        });
        Entry { original, text, layout: self.layout(), index, at: (&self.file, self.lines[index].number) }
    }

    /// Whether its records could have ids: lines of plain text cannot.
    pub(crate) fn could_have_ids(&self) -> bool {
        !matches!(self.layout(), Layout::Lines)
    }

    /// How records stand in the lines.
    pub(crate) fn layout(&self) -> Layout<'_> {
        match &self.table {
            Some(table) => Layout::Table(table),
            None if matches!(self.format, Format::Jsonl | Format::Parquet) => Layout::Jsonl,
            None => Layout::Lines,
        }
    }
}

/// A line, or a piece of one that is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where it starts in [`Batch::bytes`].
    pub(crate) start: usize,
    /// Where it ends, its line end included.
    pub(crate) end: usize,
    /// 1-based number in its file; of Parquet, that of the row.
    pub(crate) number: u64,
    /// Whether it is the whole line.
    pub(crate) part: Part,
}

/// Which part of a line is in the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// All of it, but not in the encoding of the input: U+FFFD stands for what could not be decoded. Lines that should be in
    /// UTF-8 are not looked at here; the [parser](crate::formats::parse) does.
    Undecodable,
    /// The first piece of a line that is too long.
    TooLong,
    /// A further piece of such a line; not decoded.
    TooLongRest,
    /// A row that names the columns.
    Header,
    /// A row that names them once more, in another file.
    HeaderAgain,
    /// A row of a table with a field that begins with a quote and does not end, or has text behind its last one.
    Misquoted,
}

impl Part {
    /// Whether a record begins here, one that can be judged or not: what has a position of its own.
    pub(crate) fn is_record(self) -> bool {
        !matches!(self, Self::TooLongRest | Self::Header | Self::HeaderAgain)
    }
}
