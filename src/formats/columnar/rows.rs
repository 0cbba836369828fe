//! Rows of Parquet that are kept beside the lines of their batch.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::schema::types::ColumnPath;

/// The rows of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(super) batch: RecordBatch,
    pub(super) file: Arc<About>,
    pub(super) size: u64,
}

impl Rows {
    /// The share of the file's bytes that these rows take up.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}

/// The properties of a file beyond its rows, which files written from these rows should have, too.
#[derive(Debug)]
pub(super) struct About {
    /// All columns with their descriptions, which batches do not repeat.
    pub(crate) schema: SchemaRef,
    pub(crate) metadata: Vec<KeyValue>,
    pub(crate) compressions: Vec<(ColumnPath, Compression)>,
}
