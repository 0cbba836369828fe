//! Looks at the beginnings of files before any output is begun.

use super::{Encoding, Input, RowReader, Source, Whole};
use crate::error::Result;
#[cfg(feature = "cli")]
use crate::formats::batch::Part;
#[cfg(feature = "cli")]
use crate::formats::fields::line_content;
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

    /// The header of the first file, if that is a table with one: as it is, and as annotated rows have it.
    ///
    /// # Errors
    /// As [`next_batch`](Self::next_batch).
    #[cfg(feature = "cli")]
    pub(crate) fn first_header(&self) -> Result<Option<[Vec<u8>; 2]>> {
        let is_table = |input: &&Input| input.is_file() && self.format.of(input).delimiter().is_some();
        let Some(input) = self.inputs.as_slice().iter().find(is_table) else { return Ok(None) };
        let mut open = self.lines_of(input, None)?;
        while let Some(batch) = open.next_batch(&mut |_, _| {})? {
            let header = batch.lines.iter().position(|line| line.part == Part::Header);
            if let (Some(index), Some(table)) = (header, &batch.table) {
                let (entry, mut annotated) = (batch.entry(index), String::new());
                table.annotate_header(&String::from_utf8_lossy(line_content(entry.text)), &mut annotated);
                return Ok(Some([entry.original.to_vec(), annotated.into_bytes()]));
            }
            if open.table().is_some() {
                break;
            }
        }
        Ok(None)
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
