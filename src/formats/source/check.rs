//! Looks at the beginnings of files before any output is begun.

use super::{Encoding, Input, RowReader, Source, Whole};
use crate::error::Result;
use crate::formats::input::Format;

/// The most bytes of a file that are read to see its encoding.
const MOST: u64 = 1 << 20;

impl Source {
    /// Checks that all files can be read at their beginning, and that tables, Parquet included, have the columns that the parser
    /// needs. A file that cannot be read is then found before any output is begun, and not when its turn comes. Call this after all
    /// other settings of the source.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io), the same as [`next_batch`](Self::next_batch) would return.
    pub(crate) fn check_files(&self) -> Result<()> {
        let (mut table, mut rows) = (None, None);
        let one_file = self.columns.as_ref().is_some_and(|columns| columns.whole == Whole::Row);
        for input in self.inputs.as_slice().iter().filter(|input| input.is_file()) {
            if self.format.of(input) == Format::Parquet {
                let reader = RowReader::open(input, self.columns.as_ref(), 0, self.max_line)?;
                rows.iter().filter(|_| one_file).try_for_each(|before| reader.check_follows(before))?;
                rows.get_or_insert(reader);
            } else {
                let mut open = self.lines_of(input, table.clone())?;
                open.next_batch(&mut |_, _| {})?;
                table = open.table().or(table);
            }
        }
        Ok(())
    }

    /// Checks that the files can be added to an output that has text in `before`. Only the beginnings of the files are read.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) naming the file whose encoding is another.
    pub(crate) fn check_follows(&self, before: Encoding) -> Result<()> {
        for input in self.inputs.as_slice().iter().filter(|input| input.is_file()) {
            if let Some(found) = self.encoding_of(input)?.filter(|found| !found.fits(before)) {
                return Err(found.beside(before, &input.name()));
            }
        }
        Ok(())
    }

    /// The encoding that the first file shows at its beginning, if it does.
    ///
    /// # Errors
    /// As [`next_batch`](Self::next_batch).
    pub(crate) fn first_encoding(&self) -> Result<Option<Encoding>> {
        self.inputs.as_slice().first().map_or(Ok(None), |input| self.encoding_of(input))
    }

    fn encoding_of(&self, input: &Input) -> Result<Option<Encoding>> {
        if self.format.of(input) == Format::Parquet {
            return Ok(None);
        }
        let mut open = self.lines_of(input, None)?;
        while let Some(batch) = open.next_batch(&mut |_, _| {})? {
            match batch.shown_encoding() {
                None if batch.end.offset < MOST => {}
                shown => return Ok(shown),
            }
        }
        Ok(None)
    }
}
