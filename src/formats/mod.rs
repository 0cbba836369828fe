//! Turns bytes into records, and records into bytes. Nothing here judges.
//!
//! ```text
//! file or pipe ─▶ compression ─▶ encoding ─▶ lines, table or columnar ─▶ parse ─▶ Record
//! ```

mod batch;
mod beginning;
#[cfg_attr(not(feature = "parquet"), path = "columnar/absent.rs")]
pub(crate) mod columnar;
pub mod compression;
pub mod encoding;
mod fields;
mod input;
#[cfg(any(feature = "cli", feature = "lab"))]
pub mod lines;
pub mod parse;
pub mod source;
pub(crate) mod table;
pub mod time;
