//! Streams of Arrow IPC, by which one program hands rows to another without writing and parsing text.
//!
//! A stream is a schema, batches of rows and a mark at the end. A stream without the mark is refused, though the format would allow
//! it: in a pipe of two programs, the writer may have died.

use std::io::{self, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use super::cells::{Cell, Column, Gaps, Kind};
use crate::error::{Error, Result};
use crate::formats::fields::listed;
use crate::formats::input::{Following, Input};
use crate::formats::lines::Location;
use crate::locale::tr;

/// Limits of a batch that is written. It is full with `BATCH_ROWS` rows or with `BATCH_BYTES` bytes of text, since a column of text
/// holds at most 2^31 bytes.
const BATCH_ROWS: usize = 1 << 16;
const BATCH_BYTES: usize = 1 << 24;
const MOST_TEXT: usize = (1 << 31) - 1 - BATCH_BYTES;

/// The mark at the end.
const END: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];

/// Calls `take` with the cells of these columns, row after row.
///
/// # Errors
/// [`Error::Io`] if reading fails, or if the input is no such stream or lacks one of the columns. [`Error::Unmeasurable`] if a row
/// lacks a value that it must have, and with the reason of `take`.
pub(crate) fn each_row(
    input: &Input,
    columns: &[Column<'_>],
    mut take: impl FnMut(&Location<'_>, &[Cell<'_>]) -> Result<()>,
) -> Result<()> {
    let name = input.name();
    let broken = |error: &dyn std::fmt::Display| {
        Error::invalid(&*name, tr!("no whole Arrow IPC stream: {error}; name the format that it has", error))
    };
    let bytes = Ending { inner: BufReader::new(input.open(&Following::default())?), last: [0; END.len()] };
    let mut stream = StreamReader::try_new(bytes, None).map_err(|error| broken(&error))?;
    let places = places(stream.schema().fields(), columns).map_err(|reason| Error::invalid(&*name, reason))?;
    let mut line = 0;
    // The crate panics if damaged metadata refer to bytes that are not there.
    while let Some(batch) =
        catch_unwind(AssertUnwindSafe(|| stream.next())).map_err(|_| broken(&tr!("it is damaged")))?
    {
        let batch = batch.map_err(|error| broken(&error))?;
        let values: Vec<Values<'_>> = places.iter().map(|place| Values::of(&batch, *place)).collect();
        let mut cells = Vec::with_capacity(columns.len());
        for row in 0..batch.num_rows() {
            line += 1;
            let place = Location { file: &name, line };
            cells.clear();
            cells.extend(values.iter().map(|values| values.cell(row)));
            let lacking =
                columns.iter().zip(&cells).find(|(column, cell)| column.gaps == Gaps::None && **cell == Cell::Null);
            if let Some((column, _)) = lacking {
                return Err(place.error(tr!("nothing in column `{}`", column.name)));
            }
            take(&place, &cells)?;
        }
    }
    let bytes = stream.get_mut();
    if bytes.last != END {
        return Err(broken(&tr!("it breaks off")));
    }
    match bytes.inner.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err(broken(&tr!("something comes behind its end"))),
        Err(error) => Err(Error::io(name, error)),
    }
}

/// Finds the index of each column; `None` for a column that is left out.
///
/// # Errors
/// Names the column that is missing or has another type.
fn places(fields: &Fields, columns: &[Column<'_>]) -> std::result::Result<Vec<Option<usize>>, String> {
    let place = |column: &Column<'_>| {
        let Some((place, field)) = fields.find(column.name) else {
            let names = listed(fields.iter().map(|field| field.name().as_str()));
            return match column.gaps {
                Gaps::All => Ok(None),
                Gaps::None | Gaps::Cells => Err(tr!("no column `{}`, but {names}", column.name, names)),
            };
        };
        let has_kind = match column.kind {
            Kind::Text => {
                matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
            }
            kind => *field.data_type() == data_type(kind),
        };
        match has_kind {
            true => Ok(Some(place)),
            false => {
                let (is, should) = (field.data_type(), data_type(column.kind));
                Err(tr!("column `{}` is {is}, and should be {should}", column.name, is, should))
            }
        }
    };
    columns.iter().map(place).collect()
}

/// The type in which a column is written.
fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Int32 => DataType::Int32,
        Kind::Int64 => DataType::Int64,
        Kind::Bytes16 => DataType::Binary,
        Kind::Text => DataType::Utf8,
        Kind::Bool => DataType::Boolean,
    }
}

/// A column of a batch that was read.
enum Values<'b> {
    None,
    Int32(&'b Int32Array),
    Int64(&'b Int64Array),
    Text(&'b StringArray),
    LargeText(&'b LargeStringArray),
    TextView(&'b StringViewArray),
    Bool(&'b BooleanArray),
}

impl<'b> Values<'b> {
    fn of(batch: &'b RecordBatch, place: Option<usize>) -> Self {
        let Some(array) = place.map(|place| batch.column(place)) else { return Self::None };
        match array.data_type() {
            DataType::Int32 => Self::Int32(array.as_primitive::<Int32Type>()),
            DataType::Int64 => Self::Int64(array.as_primitive::<Int64Type>()),
            DataType::Utf8 => Self::Text(array.as_string()),
            DataType::LargeUtf8 => Self::LargeText(array.as_string()),
            DataType::Utf8View => Self::TextView(array.as_string_view()),
            DataType::Boolean => Self::Bool(array.as_boolean()),
            // No caller asks for other types.
            _ => Self::None,
        }
    }

    fn cell(&self, row: usize) -> Cell<'b> {
        match self {
            Self::Int32(array) if array.is_valid(row) => Cell::Int(array.value(row).into()),
            Self::Int64(array) if array.is_valid(row) => Cell::Int(array.value(row)),
            Self::Text(array) if array.is_valid(row) => Cell::Text(array.value(row)),
            Self::LargeText(array) if array.is_valid(row) => Cell::Text(array.value(row)),
            Self::TextView(array) if array.is_valid(row) => Cell::Text(array.value(row)),
            Self::Bool(array) if array.is_valid(row) => Cell::Bool(array.value(row)),
            _ => Cell::Null,
        }
    }
}

/// A reader that remembers the last bytes that were read.
struct Ending<R> {
    inner: R,
    last: [u8; END.len()],
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(to)?;
        let new = &to[count - count.min(END.len())..count];
        self.last.rotate_left(new.len());
        self.last[END.len() - new.len()..].copy_from_slice(new);
        Ok(count)
    }
}

/// A stream that is written.
pub(crate) struct IpcWriter<W: Write> {
    to: StreamWriter<W>,
    schema: SchemaRef,
    builders: Vec<Builder>,
    rows: usize,
    /// Bytes of text in the rows of the current batch.
    bytes: usize,
}

/// The values of one column in the batch that is being built.
enum Builder {
    Int32(Int32Builder),
    Int64(Int64Builder),
    Bytes16(BinaryBuilder),
    Text(StringBuilder),
    Bool(BooleanBuilder),
}

impl<W: Write> IpcWriter<W> {
    /// Begins a stream of rows with these columns.
    ///
    /// # Errors
    /// The schema cannot be written.
    pub(crate) fn new(to: W, columns: &[Column<'_>]) -> io::Result<Self> {
        let fields =
            columns.iter().map(|column| Field::new(column.name, data_type(column.kind), column.gaps != Gaps::None));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let builders = columns.iter().map(|column| match column.kind {
            Kind::Int32 => Builder::Int32(Int32Builder::new()),
            Kind::Int64 => Builder::Int64(Int64Builder::new()),
            Kind::Bytes16 => Builder::Bytes16(BinaryBuilder::new()),
            Kind::Text => Builder::Text(StringBuilder::new()),
            Kind::Bool => Builder::Bool(BooleanBuilder::new()),
        });
        let builders = builders.collect();
        let to = StreamWriter::try_new(to, &schema).map_err(io::Error::other)?;
        Ok(Self { to, schema, builders, rows: 0, bytes: 0 })
    }

    /// Takes the next row: a cell for each column.
    ///
    /// # Errors
    /// A batch cannot be written, or a cell is of another kind than its column.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            builder.append(*cell)?;
            if let Cell::Text(text) = cell {
                self.bytes += text.len();
            }
        }
        self.rows += 1;
        if self.rows == BATCH_ROWS || self.bytes >= BATCH_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(io::Error::other)?;
        (self.rows, self.bytes) = (0, 0);
        self.to.write(&batch).map_err(unwritten)
    }

    /// Writes the remaining rows and the end mark. Returns the underlying writer.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write()?;
        }
        self.to.finish().and_then(|()| self.to.flush()).and_then(|()| self.to.into_inner()).map_err(unwritten)
    }
}

/// The operating system's own error, taken out of Arrow's.
fn unwritten(error: arrow_schema::ArrowError) -> io::Error {
    match error {
        arrow_schema::ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

impl Builder {
    fn append(&mut self, cell: Cell<'_>) -> io::Result<()> {
        match (self, cell) {
            (Self::Int32(column), Cell::Int(number)) => {
                column.append_value(i32::try_from(number).map_err(io::Error::other)?);
            }
            (Self::Int64(column), Cell::Int(number)) => column.append_value(number),
            (Self::Bytes16(column), Cell::Bytes16(bytes)) => column.append_value(bytes),
            (Self::Text(column), Cell::Text(text)) if text.len() <= MOST_TEXT => column.append_value(text),
            (Self::Bool(column), Cell::Bool(yes)) => column.append_value(yes),
            (Self::Int32(column), Cell::Null) => column.append_null(),
            (Self::Int64(column), Cell::Null) => column.append_null(),
            (Self::Bytes16(column), Cell::Null) => column.append_null(),
            (Self::Text(column), Cell::Null) => column.append_null(),
            (Self::Bool(column), Cell::Null) => column.append_null(),
            (Self::Text(_), Cell::Text(text)) => {
                return Err(io::Error::other(tr!("a text of {} bytes is too long for a column", text.len())));
            }
            (_, cell) => {
                return Err(io::Error::other(tr!(
                    "{cell} is of another kind than its column",
                    cell = format_args!("{cell:?}")
                )));
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Int32(column) => Arc::new(column.finish()),
            Self::Int64(column) => Arc::new(column.finish()),
            Self::Bytes16(column) => Arc::new(column.finish()),
            Self::Text(column) => Arc::new(column.finish()),
            Self::Bool(column) => Arc::new(column.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_fill_a_batch() {
        let mut writer = IpcWriter::new(Vec::new(), &[Column::new("text", Kind::Text, Gaps::Cells)]).unwrap();
        let long = "x".repeat(BATCH_BYTES / 2);
        for text in [&long, &long, "y", "z"] {
            writer.row(&[Cell::Text(text)]).unwrap();
        }
        let written = writer.finish().unwrap();
        let batches = StreamReader::try_new(&written[..], None).unwrap();
        assert_eq!(batches.map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>(), [2, 2]);
    }
}
