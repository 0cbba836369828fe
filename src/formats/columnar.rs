//! Parquet, and streams of Arrow IPC. Only these files use the crates for them.
//!
//! Each row becomes a line of JSON that holds the columns that are needed, and this line is parsed like any other line of JSONL.
//! The rows themselves are kept beside the lines of their batch. An output in Parquet gets row numbers, and filters each batch once
//! by them. So columns of any type, nested ones included, are written unchanged.
//!
//! Memory holds the pages that are being read (one for each column), some batches of [`BATCH_ROWS`](read::BATCH_ROWS) rows, and for
//! each output a row group of at most [`ROW_GROUP_BYTES`](write::ROW_GROUP_BYTES). It never holds a whole file or a whole row group
//! of the input.

#[cfg(feature = "cli")]
pub(crate) mod cells;
#[cfg(feature = "cli")]
pub(crate) mod ipc;
mod json;
mod read;
mod rows;
mod write;

use super::input::Input;
use crate::error::{Error, Result};
use crate::locale::tr;
pub(crate) use read::RowReader;
pub(crate) use rows::Rows;
pub(crate) use write::RowWriter;

/// Why Parquet is not read from a stream.
pub(crate) const NO_STREAM: &str = "Parquet is read from its end: save it whole as a file, and name that";

/// Checks that an input can be read as Parquet.
///
/// # Errors
/// [`Error::Io`] if the input cannot be read from its end.
pub(crate) fn check(input: &Input) -> Result<()> {
    if input.is_file() { Ok(()) } else { Err(Error::invalid(input.name(), tr!(NO_STREAM))) }
}
