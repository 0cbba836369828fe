//! The header of a table, and quoted fields that are never closed.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::formats::batch::{Batch, Line, Part};
use crate::formats::fields::{FieldPath, line_content};
use crate::formats::table::{LINES, RowSplitter, Table, names_delimiter};
use crate::locale::tr;

/// The reader waits for the closing quote of a field with line ends up to this many bytes, or up to the line limit if that is
/// larger.
const QUOTED: usize = 16 << 20;

/// What is known of an input that is a table.
pub(super) struct Heading {
    pub(crate) rows: RowSplitter,
    /// The table, once its header has been read.
    pub(crate) table: Option<Arc<Table>>,
    /// The delimiter.
    pub(crate) delimiter: u8,
    /// The table of the inputs before.
    pub(crate) previous_table: Option<Arc<Table>>,
    /// The fields that the header must name, the message first, each with the option that names it.
    pub(crate) fields: Vec<(&'static str, FieldPath)>,
    /// Whether this table continues that of the files before. It may then be without a header.
    pub(crate) is_part: bool,
}

impl Heading {
    /// Finds the header in the first batch that has more than blank lines. Also marks the last row of the input if its quotes are
    /// not closed.
    pub(crate) fn head(&mut self, batch: &mut Batch, ended: bool) -> Result<()> {
        let Batch { bytes, lines, file, .. } = batch;
        let invalid = |reason: &str| Error::invalid(&**file, reason);
        let mut rows =
            lines.iter_mut().filter(|line| !line_content(&bytes[line.start..line.end]).is_empty()).peekable();
        if self.table.is_none()
            && let Some(first) =
                rows.next_if(|first| names_delimiter(self.delimiter, line_content(&bytes[first.start..first.end])))
        {
            first.part = Part::HeaderAgain;
        }
        if self.table.is_none()
            && let Some(first) = rows.next()
        {
            if matches!(first.part, Part::TooLong | Part::TooLongRest) {
                return Err(invalid(&tr!("its header is longer than --max-line; raise that")));
            }
            let mut table = Table::new(self.delimiter).with_header(&bytes[first.start..first.end]);
            match self.previous_table.as_ref().filter(|previous| !previous.is_like(&table)) {
                // A row that does not name the column of the message is a row of data, not a header.
                Some(previous) if self.is_part && !self.fields.first().is_some_and(|(_, field)| table.names(field)) => {
                    table = Table::clone(previous);
                }
                Some(_) => {
                    return Err(invalid(&tr!(
                        "its header is not that of the files before, and one output cannot hold both; read it in a run of its own"
                    )));
                }
                None => first.part = if self.previous_table.is_none() { Part::Header } else { Part::HeaderAgain },
            }
            let checked = self.fields.iter().try_for_each(|(option, field)| table.check(option, field));
            checked.map_err(|reason| invalid(&reason))?;
            self.table = Some(Arc::new(table));
        }
        if let Some(last) = rows.next_back()
            && ended
            && self.rows.ends_misquoted()
            && last.end == bytes.len()
            && last.part == Part::Whole
        {
            last.part = Part::Misquoted;
        }
        if let Some(table) = &self.table {
            let again = |line: &&mut Line| line.part == Part::Whole && table.is_header(&bytes[line.start..line.end]);
            lines.iter_mut().filter(again).for_each(|line| line.part = Part::HeaderRow);
        }
        batch.table = self.table.clone();
        Ok(())
    }

    /// Whether `bytes` end within a quoted field whose end must be awaited: the field could take in the rest of the table.
    pub(crate) fn waits(&self, bytes: usize, max_line: usize) -> bool {
        self.rows.open_quote().is_some_and(|(at, _)| at <= bytes && bytes - at <= QUOTED.max(max_line))
    }

    /// Finds a quoted field that is too long to be one, within the first `bytes` bytes in hand. Returns where it opens, and where
    /// its row begins.
    pub(crate) fn endless(&self, bytes: usize, ended: bool, max_line: usize) -> Option<(usize, usize)> {
        let (at, lines) = self.rows.open_quote()?;
        let is_endless = ended && lines >= LINES || lines > 0 && bytes.saturating_sub(at) > QUOTED.max(max_line);
        is_endless.then_some((at, self.rows.last_end()))
    }
}
