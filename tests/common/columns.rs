//! Parquet files, written and read with the parquet crate itself.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

/// Makes the columns `id` and `text` of records.
pub fn posts(records: &[Value]) -> RecordBatch {
    let ids: Int64Array = records.iter().map(|record| record["id"].as_i64()).collect();
    let texts: StringArray = records.iter().map(|record| record["text"].as_str()).collect();
    batch(vec![("id", Arc::new(ids)), ("text", Arc::new(texts))])
}

/// Makes a batch of columns that may all contain nulls.
pub fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

/// Writes a file with row groups of this many rows.
pub fn write(path: &Path, rows: &RecordBatch, compression: Compression, group: usize) {
    let properties =
        WriterProperties::builder().set_compression(compression).set_max_row_group_row_count(Some(group)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties)).unwrap();
    writer.write(rows).unwrap();
    std::fs::write(path, writer.into_inner().unwrap()).unwrap();
}

/// Reads all rows of a file.
pub fn read(bytes: &[u8]) -> RecordBatch {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = builder.schema().clone();
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

/// Returns the numbers in a column.
pub fn numbers(rows: &RecordBatch, column: &str) -> Vec<Option<i64>> {
    rows.column_by_name(column).unwrap().as_primitive::<Int64Type>().iter().collect()
}

/// Returns the verdicts.
pub fn notes(rows: &RecordBatch) -> Vec<Value> {
    let notes = rows.column_by_name("quchong").unwrap();
    assert_eq!(notes.null_count(), 0);
    notes.as_string::<i32>().iter().map(|note| serde_json::from_str(note.unwrap()).unwrap()).collect()
}
