//! Writes the rows of batches to a Parquet file.

use std::io;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::read::OTHER_COLUMNS;
use super::rows::Rows;
use crate::formats::table::COLUMN;
use crate::locale::tr;

/// Most bytes of a row group, as encoded.
pub(crate) const ROW_GROUP_BYTES: usize = 32 << 20;

/// A file that is being written.
pub(crate) struct RowWriter {
    to: ArrowWriter<Vec<u8>>,
    schema: SchemaRef,
    /// The rows of the current batch.
    rows: RecordBatch,
    /// Which of them have been chosen.
    chosen: Vec<bool>,
    /// The verdicts of the chosen rows, if the output is annotated.
    notes: Option<StringBuilder>,
}

impl RowWriter {
    /// Begins a file for rows like these, whose batch is the first to choose from. If `annotated`, the file has an additional
    /// column for verdicts. Each column keeps its compression.
    ///
    /// # Errors
    /// A column has a type that Parquet does not have.
    pub(crate) fn new(rows: &Rows, annotated: bool) -> io::Result<Self> {
        let schema = &rows.file.schema;
        let schema = if annotated { Arc::new(with_verdicts(schema)) } else { schema.clone() };
        let mut properties = WriterProperties::builder()
            .set_key_value_metadata(Some(rows.file.metadata.clone()))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_compression(Compression::ZSTD(ZstdLevel::default()));
        for (column, compression) in &rows.file.compressions {
            let compression = match compression {
                // Superseded: its frames are not standard LZ4.
                Compression::LZ4 => Compression::LZ4_RAW,
                other => *other,
            };
            properties = properties.set_column_compression(column.clone(), compression);
        }
        let to =
            ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties.build())).map_err(io::Error::other)?;
        let (rows, notes) = (rows.batch.clone(), annotated.then(StringBuilder::new));
        Ok(Self { to, schema, chosen: vec![false; rows.num_rows()], rows, notes })
    }

    /// Goes on to the rows of the next batch.
    ///
    /// # Errors
    /// The batch has other columns than those before.
    pub(crate) fn begin(&mut self, rows: &Rows) -> io::Result<()> {
        if rows.batch.schema().fields() != self.rows.schema().fields() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, tr!(OTHER_COLUMNS)));
        }
        self.chosen = vec![false; rows.batch.num_rows()];
        self.rows = rows.batch.clone();
        Ok(())
    }

    /// Chooses the row with this number in the batch, with its verdict. Rows must be chosen in ascending order.
    pub(crate) fn choose(&mut self, row: usize, note: Option<&str>) {
        self.chosen[row] = true;
        if let Some(notes) = &mut self.notes {
            notes.append_option(note);
        }
    }

    /// Takes the bytes of the file that were produced since the last call; if `finished`, all the rest including the footer.
    ///
    /// # Errors
    /// The rows cannot be encoded.
    pub(crate) fn take(&mut self, finished: bool) -> io::Result<Vec<u8>> {
        let chosen = std::mem::replace(&mut self.chosen, vec![false; self.rows.num_rows()]);
        if chosen.contains(&true) {
            let rows = filter_record_batch(&self.rows, &BooleanArray::from(chosen)).map_err(io::Error::other)?;
            let rows = self.as_written(rows).map_err(io::Error::other)?;
            self.to.write(&rows).map_err(io::Error::other)?;
        }
        if finished {
            self.to.finish().map_err(io::Error::other)?;
        }
        Ok(std::mem::take(self.to.inner_mut()))
    }

    /// Puts the rows into the columns of the file.
    fn as_written(&mut self, rows: RecordBatch) -> Result<RecordBatch, ArrowError> {
        let Some(notes) = &mut self.notes else { return rows.with_schema(self.schema.clone()) };
        let schema = rows.schema();
        let columns = schema.fields().iter().zip(rows.columns()).filter(|(field, _)| field.name() != COLUMN);
        let mut columns: Vec<ArrayRef> = columns.map(|(_, column)| column.clone()).collect();
        columns.push(Arc::new(notes.finish()));
        RecordBatch::try_new(self.schema.clone(), columns)
    }
}

/// The columns, followed by one for verdicts, which replaces an older one of that name.
fn with_verdicts(schema: &Schema) -> Schema {
    let mut fields: Vec<_> = schema.fields().iter().filter(|field| field.name() != COLUMN).cloned().collect();
    fields.push(Arc::new(Field::new(COLUMN, DataType::Utf8, true)));
    Schema::new_with_metadata(fields, schema.metadata().clone())
}
