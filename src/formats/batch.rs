//! A batch: the lines that come from one read of an input.

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
    /// The name of the input.
    pub(crate) file: Arc<str>,
    /// The format of the input; [`Format::Auto`] only as long as nothing but blank lines has been read.
    pub(crate) format: Format,
    /// The table whose rows the lines are, if the input is a table.
    pub(crate) table: Option<Arc<Table>>,
    /// The place in the input where the batch ends and the next one begins.
    pub(crate) end: Place,
    /// The undecoded lines; `None` if the input is in UTF-8.
    pub(crate) original: Option<Original>,
    /// The rows from which the lines were made, if the input is Parquet and rows are asked for.
    pub(crate) rows: Option<Rows>,
    /// Numbers of the lines in which a suspicious field opens: a field in quotes that holds line ends, and whose lines look like
    /// rows themselves.
    pub(crate) suspicious_fields: Vec<u64>,
    /// What the lines look like, if they are the first lines of an input that is read as plain lines, and nobody named its format.
    pub(crate) likely: Option<Likely>,
    /// For a followed input: the file that is being read at the end of the batch, and how far.
    pub(crate) followed: Option<Followed>,
}

/// What the first lines of an input may really be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likely {
    /// Rows of a table of this format.
    Table(Format),
    /// JSON objects, with something before each of them or nothing.
    Json { prefixed: bool },
    /// Messages that this character separates.
    Separated(char),
    /// Records that a run of quchong dropped.
    Dropped,
}

/// The layout of the records in a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Layout<'t> {
    /// As in [`Format::Lines`]. Also used for blank lines before the first record of any format.
    Lines,
    /// As in [`Format::Jsonl`].
    Jsonl,
    /// Rows of this table.
    Table(&'t Table),
}

impl Layout<'_> {
    /// The line end of a record that is written anew.
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
    /// The number of the input, counted from 0.
    pub(crate) input: u32,
    /// Bytes of the input before the place.
    pub(crate) offset: u64,
    /// Whole lines of the input before the place.
    pub(crate) lines: u64,
}

/// Lines in the bytes and the encoding in which they were read.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) encoding: Encoding,
    pub(crate) bytes: Vec<u8>,
    /// Where each line ends in `bytes`.
    pub(crate) ends: Vec<usize>,
}

/// A line of a batch, with all that the sink needs to know of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'b> {
    /// The line as it was read.
    pub(crate) original: &'b [u8],
    /// The line in UTF-8.
    pub(crate) text: &'b [u8],
    /// How the record is written in the line.
    pub(crate) layout: Layout<'b>,
    /// The index of the line in the batch, from 0.
    pub(crate) index: usize,
    /// The file, and the line's 1-based number in it.
    pub(crate) at: (&'b str, u64),
}

impl Batch {
    /// Decodes the batch from `encoding` to UTF-8, and keeps the undecoded lines in `original`.
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

    /// The encoding, if the lines show it: pure ASCII is the same in most encodings.
    pub(crate) fn shown_encoding(&self) -> Option<Encoding> {
        let is_shown = match &self.original {
            Some(original) => original.encoding.unit() > 1 || !original.bytes.is_ascii(),
            // A line that is not UTF-8 shows nothing.
            None => {
                let shows = |line: &[u8]| !line.is_ascii() && str::from_utf8(line).is_ok();
                !self.bytes.is_ascii() && self.lines.iter().any(|line| shows(&self.bytes[line.start..line.end]))
            }
        };
        is_shown.then(|| self.encoding())
    }

    /// The bytes of all lines as they were read; for Parquet, the lines of JSON made from the rows.
    pub(crate) fn bytes_read(&self) -> &[u8] {
        self.original.as_ref().map_or(&self.bytes, |original| &original.bytes)
    }

    /// How many bytes of the input the batch takes up. For Parquet this is its share of the file.
    pub(crate) fn size(&self) -> u64 {
        self.rows.as_ref().map_or(self.bytes_read().len() as u64, Rows::size)
    }

    /// Keeps only the first `records` records of the batch, and the lines between them and the next record.
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

    /// The names of the columns, if the input is a table with a header.
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

    /// Whether the records could have ids. Lines of plain text cannot.
    pub(crate) fn could_have_ids(&self) -> bool {
        !matches!(self.layout(), Layout::Lines)
    }

    /// The layout of the records in the lines.
    pub(crate) fn layout(&self) -> Layout<'_> {
        match &self.table {
            Some(table) => Layout::Table(table),
            None if matches!(self.format, Format::Jsonl | Format::Parquet) => Layout::Jsonl,
            None => Layout::Lines,
        }
    }
}

/// A line, or a piece of a line that is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where it starts in [`Batch::bytes`].
    pub(crate) start: usize,
    /// Where it ends, its line end included.
    pub(crate) end: usize,
    /// The 1-based number of the line in its file; for Parquet, of the row.
    pub(crate) number: u64,
    /// Which part of the line this is.
    pub(crate) part: Part,
}

/// Which part of a line an entry of a batch holds, and whether that part can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The whole line.
    Whole,
    /// The whole line, but not in the encoding of the input: U+FFFD replaces the bytes that could not be decoded. Lines of an input
    /// in UTF-8 are not checked here, but by the [parser](crate::formats::parse).
    Undecodable,
    /// The first piece of a line that is longer than the limit.
    TooLong,
    /// A further piece of such a line. It is not decoded.
    TooLongRest,
    /// A row that names the columns.
    Header,
    /// The header of a further file, which names the same columns once more, or Excel's `sep=,` above a header.
    HeaderAgain,
    /// A further row that equals the header, as in files that were put together. It is no record.
    HeaderRow,
    /// A row with wrong quotes: a field begins with a quote that is never closed, or has text after its closing quote.
    Misquoted,
}

impl Part {
    /// Whether a record begins here. Each such line has a position of its own, even if it cannot be judged.
    pub(crate) fn is_record(self) -> bool {
        !matches!(self, Self::TooLongRest | Self::Header | Self::HeaderAgain | Self::HeaderRow)
    }
}
