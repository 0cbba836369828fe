//! Stands in for Parquet and Arrow in programs that are built without them.

#[cfg(feature = "cli")]
pub(crate) mod cells;

use std::io;

use super::batch::Batch;
use super::fields::Columns;
use super::input::Input;
use crate::error::{Error, Result};
use crate::locale::tr;

/// The rows of a batch. There never are any.
#[derive(Debug, Clone)]
pub(crate) enum Rows {}

impl Rows {
    pub(crate) fn size(&self) -> u64 {
        match *self {}
    }
}

/// Reads nothing.
pub(crate) enum RowReader {}

impl RowReader {
    pub(crate) fn open(input: &Input, _: Option<&Columns>, _: u32, _: usize) -> Result<Self> {
        Err(absence(input))
    }

    #[cfg(feature = "cli")]
    pub(crate) fn check_follows(&self, _: &Self) -> Result<()> {
        match *self {}
    }

    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>> {
        match *self {}
    }
}

/// Writes nothing.
pub(crate) enum RowWriter {}

impl RowWriter {
    pub(crate) fn new(rows: &Rows, _: bool) -> io::Result<Self> {
        match *rows {}
    }

    pub(crate) fn begin(&mut self, rows: &Rows) -> io::Result<()> {
        match *rows {}
    }

    pub(crate) fn choose(&mut self, _: usize, _: Option<&str>) {
        match *self {}
    }

    pub(crate) fn take(&mut self, _: bool) -> io::Result<Vec<u8>> {
        match *self {}
    }
}

/// The reason why Parquet is not read, from a stream or otherwise.
pub(crate) const NO_STREAM: &str = "it is Parquet, without which this quchong was built (its feature `parquet`)";

/// Refuses the input.
///
/// # Errors
/// [`Error::Io`], always.
pub(crate) fn check(input: &Input) -> Result<()> {
    Err(absence(input))
}

fn absence(input: &Input) -> Error {
    Error::invalid(input.name(), tr!(NO_STREAM))
}

/// Stands in for streams of Arrow IPC.
#[cfg(feature = "cli")]
pub(crate) mod ipc {
    use std::io::{self, Write};
    use std::marker::PhantomData;

    use super::cells::{Cell, Column};
    use crate::error::{Error, Result};
    use crate::formats::input::Input;
    use crate::formats::lines::Location;
    use crate::locale::tr;

    /// # Errors
    /// [`Error::Io`], always.
    pub(crate) fn each_row(
        input: &Input,
        _: &[Column<'_>],
        _: impl FnMut(&Location<'_>, &[Cell<'_>]) -> Result<()>,
    ) -> Result<()> {
        Err(Error::invalid(
            input.name(),
            tr!("it is Arrow, without which this quchong was built (its feature `parquet`)"),
        ))
    }

    /// Writes nothing.
    pub(crate) struct IpcWriter<W: Write> {
        never: std::convert::Infallible,
        to: PhantomData<W>,
    }

    impl<W: Write> IpcWriter<W> {
        /// # Errors
        /// Always.
        pub(crate) fn new(_: W, _: &[Column<'_>]) -> io::Result<Self> {
            Err(io::Error::new(
                io::ErrorKind::Unsupported,
                tr!("rows were to be Arrow, without which this quchong was built (its feature `parquet`)"),
            ))
        }

        pub(crate) fn row(&mut self, _: &[Cell<'_>]) -> io::Result<()> {
            match self.never {}
        }

        pub(crate) fn finish(self) -> io::Result<W> {
            match self.never {}
        }
    }
}
