//! The header of a table, in a file that may begin with it already.

use super::Stream;
use crate::error::{Error, Result};
use crate::formats::parse::line_content;
use crate::locale::tr;

/// The first line of what a destination has already.
pub(super) struct Begin {
    line: Vec<u8>,
    /// Whether no other header may follow.
    is_strict: bool,
}

impl Stream {
    /// Says that the destination begins with this line. If it is the header of the records, no second one is written. Another header is
    /// refused if `is_strict`, and otherwise written.
    #[must_use]
    pub fn begun(self, line: Option<Vec<u8>>, is_strict: bool) -> Self {
        Self { begin: line.map(|line| Begin { line, is_strict }), ..self }
    }

    /// Adds the header of a table, unless it is there.
    ///
    /// # Errors
    /// [`Error::Io`] if the file begins with another one.
    pub(crate) fn header(&mut self, header: &[u8]) -> Result<()> {
        self.header = header.to_vec();
        if !header.ends_with(self.line_end()) {
            self.header.extend_from_slice(self.row_end.unwrap_or_else(|| self.line_end()));
        }
        match &self.begin {
            Some(begin) if line_content(&begin.line) == line_content(header) => {}
            Some(Begin { is_strict: true, .. }) => return Err(other_header(&self.name)),
            _ => self.line(header),
        }
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
