//! Rows of Parquet beside the lines of their batch.

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
    /// Their share of the bytes of the file.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}

/// What a file says beside its rows, and files made of them should say too.
#[derive(Debug)]
pub(super) struct About {
    /// All columns, and what is said of them, which batches do not repeat.
    pub(crate) schema: SchemaRef,
    pub(crate) metadata: Vec<KeyValue>,
    pub(crate) compressions: Vec<(ColumnPath, Compression)>,
}
