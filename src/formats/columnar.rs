//! Parquet, and streams of Arrow IPC: the only files that know them.
//!
//! A row comes into a run as a line of JSON that holds the columns which are looked for, and is parsed as any other line of
//! JSONL. The row itself stands beside the lines of its batch: what an output in Parquet takes are numbers of rows, and each batch
//! is filtered by them once. So columns of any type, nested ones too, leave as they came.
//!
//! Memory holds the pages that are being read, one for each column, some batches of [`BATCH_ROWS`](read::BATCH_ROWS) rows, and for
//! each output a row group of at most [`ROW_GROUP_BYTES`](write::ROW_GROUP_BYTES); never a file, nor a row group that is read.

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

/// # Errors
/// [`Error::Io`] if the input cannot be read from its end.
pub(crate) fn check(input: &Input) -> Result<()> {
    if input.is_file() { Ok(()) } else { Err(Error::invalid(input.name(), tr!(NO_STREAM))) }
}
