//! Rows that an engine hands from step to step: as JSON objects, one a line, or as a stream of Arrow IPC.

use std::fmt::Display;
use std::io::{self, Write};
use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::error::Result;
pub(crate) use crate::formats::columnar::cells::{Cell, Column, Gaps, Kind};
use crate::formats::columnar::ipc;
use crate::formats::lines::{MAX_LINE, each_line};
use crate::formats::source::{Format, Input, Source};
use crate::locale::tr;
use crate::record::{Likeness, Pos};

/// How rows stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// Each is a JSON object in a line of its own.
    Jsonl,
    /// They are the rows of one stream of Arrow IPC: positions and fingerprints are of 64 bits with a sign, and digests are bytes.
    Arrow,
}

/// A row that is read.
pub(super) trait RowIn: DeserializeOwned {
    /// Its columns.
    const COLUMNS: &'static [Column<'static>];

    /// The row with these cells, one for each column.
    ///
    /// # Errors
    /// Why it is none.
    fn of(cells: &[Cell<'_>]) -> std::result::Result<Self, String>;
}

/// The rows of some inputs, in their order.
pub(crate) struct JobRows {
    inputs: Vec<Input>,
    format: RowFormat,
}

impl JobRows {
    /// The rows of these inputs, each of which is in this format.
    pub(crate) fn new(inputs: Vec<Input>, format: RowFormat) -> Self {
        Self { inputs, format }
    }

    /// Hands each row to `take`.
    ///
    /// # Errors
    /// [`Error::Unmeasurable`](crate::Error::Unmeasurable) for what is no such row or what `take` refuses with a reason: a row that was
    /// left out would be a pair that is lost. [`Error::Io`](crate::Error::Io) if reading fails, or for a stream of other columns.
    pub(super) fn each<R: RowIn>(self, mut take: impl FnMut(R) -> std::result::Result<(), String>) -> Result<()> {
        match self.format {
            RowFormat::Jsonl => each_line(Source::new(self.inputs, Format::Jsonl, MAX_LINE)?, |place, line, _| {
                let row = serde_json::from_slice(line?);
                let row = row.map_err(|error: serde_json::Error| {
                    // Its line is the file's, and not the first.
                    let reason = error.to_string().replace(" at line 1 column ", " at column ");
                    place.error(tr!("not a row: {reason}; --help shows what rows are", reason))
                })?;
                take(row).map_err(|reason| place.error(reason))?;
                Ok(true)
            }),
            RowFormat::Arrow => self.inputs.iter().try_for_each(|input| {
                ipc::each_row(input, R::COLUMNS, |place, cells| {
                    R::of(cells).and_then(&mut take).map_err(|reason| place.error(reason))
                })
            }),
        }
    }
}

/// A whole number from 0, such as a position, in a column.
///
/// # Errors
/// It is none, or too large.
pub(super) fn whole<N: TryFrom<i64>>(column: &Column<'_>, cell: Cell<'_>) -> std::result::Result<N, String> {
    let number = cell.int().ok_or_else(|| format!("no `{}`", column.name))?;
    N::try_from(number).map_err(|_| tr!("`{}` is {number}, and not a whole number from 0", column.name, number))
}

/// A position that a row of Arrow can have, too.
///
/// # Errors
/// It is too large.
pub(super) fn checked(pos: u64) -> std::result::Result<(), String> {
    i64::try_from(pos).map(drop).map_err(|_| tr!("position {pos} is over 2^63 - 1, the last one", pos))
}

/// A row that is written: as a JSON object, or as cells.
pub(crate) trait RowOut: Display {
    /// Its columns.
    const COLUMNS: &'static [Column<'static>];

    /// What stands in them, handed to `take`.
    fn cells<T>(&self, take: impl FnOnce(&[Cell<'_>]) -> T) -> T;
}

/// A position as it is written. One above 2^63 − 1 has no cell, and writing it fails.
pub(super) fn pos_cell(pos: Pos) -> Cell<'static> {
    i64::try_from(pos.0).map_or(Cell::Null, Cell::Int)
}

/// Distance and similarity, of which a row has at most one.
pub(super) fn likeness_cells(by: Option<Likeness>) -> [Cell<'static>; 2] {
    match by {
        Some(Likeness::Distance(bits)) => [Cell::Int(bits.into()), Cell::Null],
        Some(Likeness::Similarity(mille)) => [Cell::Null, Cell::Int(mille.into())],
        None => [Cell::Null; 2],
    }
}

/// Where rows are written.
pub(crate) struct RowsWriter<R, W: Write> {
    to: To<W>,
    rows: PhantomData<fn(R)>,
}

enum To<W: Write> {
    Lines(W),
    Stream(Box<ipc::IpcWriter<W>>),
}

impl<R: RowOut, W: Write> RowsWriter<R, W> {
    /// Writes rows in this format; small pieces to where lines go.
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

    /// Writes what is left; where all went.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self.to {
            To::Lines(mut to) => to.flush().map(|()| to),
            To::Stream(to) => to.finish(),
        }
    }

    /// Where lines went. A stream of Arrow IPC stays without its end, by which its reader knows that rows are missing.
    pub(crate) fn lines(self) -> Option<W> {
        match self.to {
            To::Lines(to) => Some(to),
            To::Stream(_) => None,
        }
    }
}
