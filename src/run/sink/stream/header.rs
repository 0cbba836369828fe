//! The header of a table, in a file that may begin with it already.

use super::Stream;
use crate::error::{Error, Result};
use crate::formats::parse::line_content;
use crate::locale::tr;

/// The header of the rows, and what a destination begins with.
#[derive(Default)]
pub(super) struct Header {
    /// The header with its line end, for a new file; empty before the first table.
    pub(super) line: Vec<u8>,
    /// The first line of what is there already, if records are added to a table.
    begin: Option<Vec<u8>>,
    /// Whether no other header may follow.
    is_strict: bool,
    /// Whether rows were added behind another header since [`take_other`](Self::take_other) was called.
    has_other: bool,
}

impl Header {
    /// Whether rows were added behind another header since the last call.
    pub(super) fn take_other(&mut self) -> bool {
        std::mem::take(&mut self.has_other)
    }

    /// Notes that rows are added to a file that begins with this line.
    pub(super) fn is_behind(&mut self, begin: Option<&[u8]>) {
        self.has_other |= !self.line.is_empty() && begin.is_some_and(|begin| !begins_with(begin, &self.line));
    }
}

/// Whether a file that begins with this line begins with the header. A header may have several lines, of which the first counts.
pub(crate) fn begins_with(line: &[u8], header: &[u8]) -> bool {
    let first = header.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    line_content(line) == line_content(first)
}

impl Stream {
    /// Says that the destination begins with this line. If it is the header of the records, no second one is written. Another header is
    /// refused if `is_strict`, and otherwise written.
    #[must_use]
    pub fn begun(self, begin: Option<Vec<u8>>, is_strict: bool) -> Self {
        Self { header: Header { begin, is_strict, ..self.header }, ..self }
    }

    /// Adds the header of a table, unless it is there.
    ///
    /// # Errors
    /// [`Error::Io`] if the file begins with another one.
    pub(crate) fn header(&mut self, header: &[u8]) -> Result<()> {
        self.header.line = header.to_vec();
        if !header.ends_with(self.line_end()) {
            self.header.line.extend_from_slice(self.row_end.unwrap_or_else(|| self.line_end()));
        }
        match &self.header.begin {
            Some(begin) if begins_with(begin, header) => return Ok(()),
            Some(_) if self.header.is_strict => return Err(other_header(&self.name)),
            Some(_) => self.header.has_other = true,
            None => {}
        }
        self.line(header);
        Ok(())
    }
}

/// The error for a file that begins with another header than the records that are to be added.
pub(crate) fn other_header(name: &str) -> Error {
    Error::invalid(
        name,
        tr!(
            "--append: its first line is not the header of these records, and a file has one header; write to another file"
        ),
    )
}
