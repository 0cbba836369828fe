//! Rows that an engine passes from step to step, either as JSON objects, one in each line, or as a stream of Arrow IPC.

use std::fmt::Display;
use std::io::{self, Write};
use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
pub(crate) use crate::formats::columnar::cells::{Cell, Column, Gaps, Kind};
use crate::formats::columnar::ipc;
use crate::formats::lines::{Location, MAX_LINE, each_line};
use crate::formats::parse::without_line;
use crate::formats::source::{Format, Input, Source};
use crate::locale::tr;
use crate::record::{Likeness, Pos};

/// The format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// Each row is a JSON object in a line of its own.
    Jsonl,
    /// The rows form one stream of Arrow IPC. Positions and fingerprints are signed 64-bit numbers, and digests are bytes.
    Arrow,
}

/// A row that can be read.
pub(super) trait RowIn: DeserializeOwned {
    /// Its columns.
    const COLUMNS: &'static [Column<'static>];

    /// Makes a row of these cells, one for each column.
    ///
    /// # Errors
    /// Says why the cells are no such row.
    fn of(cells: &[Cell<'_>]) -> std::result::Result<Self, String>;
}

/// The rows of several inputs, in their order.
pub(crate) struct JobRows {
    inputs: Vec<Input>,
    format: RowFormat,
}

impl JobRows {
    /// The rows of these inputs, all in this format.
    pub(crate) fn new(inputs: Vec<Input>, format: RowFormat) -> Self {
        Self { inputs, format }
    }

    /// Calls `take` with each row, until it fails.
    ///
    /// # Errors
    /// [`Error::Unmeasurable`](crate::Error::Unmeasurable) for anything that is no such row, or that `take` refuses; skipping the row
    /// could lose a pair. [`Error::Io`](crate::Error::Io) if reading fails, or for a stream of other columns. Other errors of `take`.
    pub(super) fn each<R: RowIn>(self, mut take: impl FnMut(R) -> std::result::Result<(), Failure>) -> Result<()> {
        match self.format {
            RowFormat::Jsonl => each_line(Source::new(self.inputs, Format::Jsonl, MAX_LINE)?, |place, line, _| {
                let row = serde_json::from_slice(line?);
                let row = row.map_err(|error: serde_json::Error| {
                    let reason = without_line(&error);
                    place.error(tr!("not a row: {reason}; --help shows what rows are", reason))
                })?;
                take(row).map_err(|failure| failure.at(place))?;
                Ok(true)
            }),
            RowFormat::Arrow => self.inputs.iter().try_for_each(|input| {
                ipc::each_row(input, R::COLUMNS, |place, cells| {
                    R::of(cells).map_err(Failure::Row).and_then(&mut take).map_err(|failure| failure.at(place))
                })
            }),
        }
    }
}

/// Why no more rows are read.
pub(super) enum Failure {
    /// This row cannot be used, for this reason.
    Row(String),
    /// What was found cannot be passed on.
    Other(Error),
}

impl Failure {
    fn at(self, place: &Location<'_>) -> Error {
        match self {
            Self::Row(reason) => place.error(reason),
            Self::Other(error) => error,
        }
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self::Row(reason)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// Reads a whole number from 0, such as a position, from a cell of a column.
///
/// # Errors
/// The cell is no such number, or it is too large.
pub(super) fn whole<N: TryFrom<i64>>(column: &Column<'_>, cell: Cell<'_>) -> std::result::Result<N, String> {
    let number = cell.int().ok_or_else(|| tr!("no `{}`", column.name))?;
    N::try_from(number).map_err(|_| tr!("`{}` is {number}, and not a whole number from 0", column.name, number))
}

/// Checks that a position also fits into a row of Arrow.
///
/// # Errors
/// The position is too large.
pub(super) fn checked(pos: u64) -> std::result::Result<(), String> {
    i64::try_from(pos).map(drop).map_err(|_| tr!("position {pos} is over 2^63 - 1, the last one", pos))
}

/// A row that can be written as a JSON object or as cells.
pub(crate) trait RowOut: Display {
    /// Its columns.
    const COLUMNS: &'static [Column<'static>];

    /// Calls `take` with the cells of the row.
    fn cells<T>(&self, take: impl FnOnce(&[Cell<'_>]) -> T) -> T;
}

/// The cell of a position. A position above 2^63 − 1 has no cell, and writing it fails.
pub(super) fn pos_cell(pos: Pos) -> Cell<'static> {
    i64::try_from(pos.0).map_or(Cell::Null, Cell::Int)
}

/// The cells for distance and similarity, of which a row has at most one.
pub(super) fn likeness_cells(by: Option<Likeness>) -> [Cell<'static>; 2] {
    match by {
        Some(Likeness::Distance(bits)) => [Cell::Int(bits.into()), Cell::Null],
        Some(Likeness::Similarity(mille)) => [Cell::Null, Cell::Int(mille.into())],
        None => [Cell::Null; 2],
    }
}

/// Writes rows of one kind.
pub(crate) struct RowsWriter<R, W: Write> {
    to: To<W>,
    rows: PhantomData<fn(R)>,
}

enum To<W: Write> {
    Lines(W),
    Stream(Box<ipc::IpcWriter<W>>),
}

impl<R: RowOut, W: Write> RowsWriter<R, W> {
    /// Writes rows in this format to `to`, which gets lines in small pieces.
    ///
    /// # Errors
    /// The schema cannot be written.
    pub(crate) fn new(to: W, format: RowFormat) -> io::Result<Self> {
        let to = match format {
            RowFormat::Jsonl => To::Lines(to),
            RowFormat::Arrow => To::Stream(Box::new(ipc::IpcWriter::new(to, R::COLUMNS)?)),
        };
        Ok(Self { to, rows: PhantomData })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn row(&mut self, row: &R) -> io::Result<()> {
        match &mut self.to {
            To::Lines(to) => writeln!(to, "{row}"),
            To::Stream(to) => row.cells(|cells| to.row(cells)),
        }
    }

    /// Writes the rest and returns the underlying writer.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self.to {
            To::Lines(mut to) => to.flush().map(|()| to),
            To::Stream(to) => to.finish(),
        }
    }

    /// The underlying writer, if rows are lines. A stream of Arrow IPC is left without its end mark, by which its reader knows that
    /// rows are missing.
    pub(crate) fn lines(self) -> Option<W> {
        match self.to {
            To::Lines(to) => Some(to),
            To::Stream(_) => None,
        }
    }
}
