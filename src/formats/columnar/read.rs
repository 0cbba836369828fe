//! Reads a Parquet file into batches.

use std::fs::File;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Field, Fields};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::{ConvertedType, Type as PhysicalType};
use parquet::schema::types::ColumnDescriptor;

use super::json;
use super::rows::{About, Rows};
use crate::error::{Error, Result};
use crate::formats::batch::{Batch, Line, Part, Place};
use crate::formats::fields::{Columns, Parser, Whole, listed};
use crate::formats::input::{Format, Input};
use crate::locale::tr;

/// Rows of a batch. For posts, they take about as many bytes as one read of a text file.
pub(crate) const BATCH_ROWS: usize = 1024;

/// The file being read.
pub(crate) struct RowReader {
    reader: ParquetRecordBatchReader,
    name: Arc<str>,
    about: Arc<About>,
    /// Indices, among the columns that are read, of those that the lines hold.
    in_lines: Vec<usize>,
    /// Whether batches hold the rows, too.
    whole: bool,
    max_line: usize,
    /// The number of the input.
    input: u32,
    /// The bytes of the file.
    size: u64,
    /// The rows of the file.
    rows: u64,
    /// The rows that have been returned.
    done: u64,
    begun: bool,
}

/// Why rows of two files cannot be written into one.
pub(super) const OTHER_COLUMNS: &str = "its columns are not those of the files before; one output cannot hold both";

impl RowReader {
    /// Opens a file.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be opened or is no Parquet, if it lacks a needed column or the message is no text, or if it
    /// has a column that cannot be written unchanged.
    pub(crate) fn open(input: &Input, columns: Option<&Columns>, number: u32, max_line: usize) -> Result<Self> {
        let name: Arc<str> = input.name().into();
        let unreadable = |error: &dyn std::fmt::Display| {
            Error::invalid(&*name, tr!("cannot be read as Parquet: {error} (--format names another format)", error))
        };
        let Input::File(path) = input else { return Err(unreadable(&tr!("no file"))) };
        let file = File::open(path).map_err(|error| Error::io(&*name, error))?;
        let size = file.metadata().map_err(|error| Error::io(&*name, error))?.len();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| unreadable(&error))?;
        let all: Vec<usize> = (0..builder.schema().fields().len()).collect();
        let (read, in_lines, whole) = match columns {
            None => (all.clone(), all, false),
            Some(Columns { parser, whole }) => {
                let looked =
                    looked_for(builder.schema().fields(), parser).map_err(|reason| Error::invalid(&*name, reason))?;
                match whole {
                    Whole::Not => (looked.clone(), (0..looked.len()).collect(), false),
                    Whole::Row => (all, looked, true),
                    Whole::RowAndLine => (all.clone(), all, true),
                }
            }
        };
        if whole {
            let changed = |reason| Error::invalid(&*name, reason);
            builder.parquet_schema().columns().iter().try_for_each(|column| stays(column)).map_err(changed)?;
        }
        let metadata = builder.metadata();
        let pairs = metadata.file_metadata().key_value_metadata().into_iter().flatten();
        let first = metadata.row_groups().iter().take(1).flat_map(|group| group.columns());
        let about = About {
            schema: builder.schema().clone(),
            // The schema is written anew, with the columns of the output.
            metadata: pairs.filter(|pair| pair.key != parquet::arrow::ARROW_SCHEMA_META_KEY).cloned().collect(),
            compressions: first.map(|column| (column.column_path().clone(), column.compression())).collect(),
        };
        let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        let mask = ProjectionMask::roots(builder.parquet_schema(), read);
        let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
        let reader = reader.map_err(|error| unreadable(&error))?;
        let (about, begun) = (Arc::new(about), false);
        Ok(Self { reader, name, about, in_lines, whole, max_line, input: number, size, rows, done: 0, begun })
    }

    /// Refuses a file whose columns differ from those of the file `before`, because the rows of both are to be written into one.
    ///
    /// # Errors
    /// [`Error::Io`] naming this file.
    #[cfg(feature = "cli")]
    pub(crate) fn check_follows(&self, before: &Self) -> Result<()> {
        if self.about.schema.fields() == before.about.schema.fields() {
            return Ok(());
        }
        Err(Error::invalid(&*self.name, tr!(OTHER_COLUMNS)))
    }

    /// Returns the next rows; `None` at the end. A file without rows gives one empty batch, which holds its columns.
    ///
    /// # Errors
    /// [`Error::Io`] if the file is damaged, or a column has a type for which there is no JSON.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>> {
        let rows = match self.reader.next() {
            Some(rows) => rows,
            None if self.begun => return Ok(None),
            None => Ok(RecordBatch::new_empty(self.reader.schema())),
        };
        self.begun = true;
        let rows = rows.and_then(|rows| Ok((rows.project(&self.in_lines)?, rows)));
        let (in_lines, rows) = rows.map_err(|error| {
            let reason = match error.to_string() {
                packed if packed.contains("Disabled feature") || packed.contains("codec type") => {
                    tr!("its pages are compressed in a way that is not read; write it again with zstd or snappy")
                }
                other => other,
            };
            let reason = Error::from_row(&reason, self.done + 1);
            Error::invalid(&*self.name, reason)
        })?;
        let (bytes, ends) = json::lines(&in_lines).map_err(|reason| Error::invalid(&*self.name, reason))?;
        let starts = [0].into_iter().chain(ends.iter().copied());
        let line = |((start, end), number)| {
            let part = if end - start - 1 > self.max_line { Part::TooLong } else { Part::Whole };
            Line { start, end, number, part }
        };
        let lines = starts.zip(ends.iter().copied()).zip(self.done + 1..).map(line).collect();
        let before = self.offset();
        self.done += rows.num_rows() as u64;
        let end = Place { input: self.input, offset: self.offset(), lines: self.done };
        let rows = Rows { batch: rows, file: self.about.clone(), size: end.offset - before };
        let (file, format, rows) = (self.name.clone(), Format::Parquet, self.whole.then_some(rows));
        Ok(Some(Batch {
            bytes,
            lines,
            file,
            format,
            table: None,
            end,
            original: None,
            rows,
            suspicious_fields: Vec::new(),
            likely: None,
            followed: None,
        }))
    }

    /// The offset in the file up to which rows have been returned, on the assumption that all rows have the same size.
    fn offset(&self) -> u64 {
        let part = u128::from(self.size) * u128::from(self.done.min(self.rows)) / u128::from(self.rows.max(1));
        u64::try_from(part).unwrap_or(self.size)
    }
}

/// Refuses a column whose values or type would change when it is written. Arrow has no INT96, whose range of times is wider than
/// Arrow's, and only a part of INTERVAL.
fn stays(column: &ColumnDescriptor) -> std::result::Result<(), String> {
    let kind = match (column.physical_type(), column.converted_type()) {
        (PhysicalType::INT96, _) => "INT96",
        (_, ConvertedType::INTERVAL) => "INTERVAL",
        _ => return Ok(()),
    };
    let path = column.path().string();
    Err(tr!(
        "column `{path}` is {kind}, which cannot be written as it is; write it as another type first (a TIMESTAMP, numbers)",
        path,
        kind
    ))
}

/// The indices of the columns that the parser looks at.
///
/// # Errors
/// Says which column is missing, or that the message's column is no text.
fn looked_for(columns: &Fields, parser: &Parser) -> std::result::Result<Vec<usize>, String> {
    for (option, field) in parser.needed() {
        let spelled = field.spelled();
        let found = member(columns, field.keys()).ok_or_else(|| {
            let names = listed(columns.iter().map(|column| column.name().as_str()));
            tr!(
                "no column `{spelled}`; the columns are {names}. Name one with {option} (a.b means the member b of the column a)",
                spelled,
                names,
                option
            )
        })?;
        if option == "--field" && !is_text(found.data_type()) {
            return Err(tr!("column `{spelled}` is {}, not text; --field names another", found.data_type(), spelled));
        }
    }
    let is_looked_for =
        |column: &Field| parser.fields().flatten().any(|path| path.keys().first() == Some(column.name()));
    Ok((0..columns.len()).filter(|number| is_looked_for(&columns[*number])).collect())
}

/// Finds the column or member that a path leads to.
fn member<'f>(columns: &'f Fields, path: &[String]) -> Option<&'f Field> {
    let (first, rest) = path.split_first()?;
    let mut found = columns.iter().find(|column| column.name() == first)?;
    for key in rest {
        found = match found.data_type() {
            DataType::Struct(members) => members.iter().find(|member| member.name() == key)?,
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                key.parse::<usize>().ok().map(|_| item)?
            }
            DataType::Map(entry, _) => match entry.data_type() {
                DataType::Struct(pair) => pair.get(1)?,
                _ => return None,
            },
            _ => return None,
        };
    }
    Some(found)
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}
