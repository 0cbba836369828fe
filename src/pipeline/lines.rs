//! Lines one after another, for what reads its whole input before it says anything. A record that lacks something ends the run:
//! findings about a part of the input would pass for findings about all of it.

use super::parse::line_content;
use super::source::{Layout, Part, Source};
use crate::error::{Error, Result};

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    /// The file as the user named it.
    pub file: &'p str,
    /// 1-based line number in it.
    pub line: u64,
}

impl Place<'_> {
    /// An error that names the place.
    pub fn error(&self, reason: impl Into<String>) -> Error {
        Error::Unmeasurable { path: self.file.to_owned(), line: self.line, reason: reason.into() }
    }
}

/// Hands each line that is not blank to `take` until it returns false.
///
/// # Errors
/// [`Error::Unmeasurable`] for a line that is too long or not in the encoding of its file, [`Error::Io`] if reading fails, and those of `take`.
pub fn each_line(
    mut source: Source,
    mut take: impl FnMut(&Place<'_>, &[u8], Layout<'_>) -> Result<bool>,
) -> Result<()> {
    while let Some(batch) = source.next_batch()? {
        for line in &batch.lines {
            let place = Place { file: &batch.file, line: line.number };
            let bytes = line_content(&batch.bytes[line.start..line.end]);
            match line.part {
                Part::TooLong => return Err(place.error("the line is too long")),
                Part::Undecodable => return Err(place.error(format!("the line is not {}", batch.encoding()))),
                Part::Whole if !bytes.trim_ascii().is_empty() && !take(&place, bytes, batch.layout())? => return Ok(()),
                Part::Unclosed => return Err(place.error("a field begins with a quote and never ends")),
                Part::Whole | Part::TooLongRest | Part::Header | Part::HeaderAgain => {}
            }
        }
    }
    Ok(())
}
