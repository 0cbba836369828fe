//! Rows as lines of JSON.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_json::writer::{Encoder, EncoderFactory, EncoderOptions, NullableEncoder, make_encoder};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, TimeUnit};

use crate::pipeline::time::rfc3339;

/// The rows as objects, one a line, and where each line ends. Members that are null are left out; times are RFC 3339, bytes
/// hexadecimal.
///
/// # Errors
/// A column has a type for which there is no JSON.
pub(super) fn lines(batch: &RecordBatch) -> Result<(Vec<u8>, Vec<usize>), ArrowError> {
    let options = EncoderOptions::default().with_encoder_factory(Arc::new(Instants));
    let field = Arc::new(Field::new_struct("", batch.schema().fields().clone(), false));
    let rows = StructArray::from(batch.clone());
    let mut encoder = make_encoder(&field, &rows, &options)?;
    let mut bytes = Vec::new();
    let mut line = |row| {
        encoder.encode(row, &mut bytes);
        bytes.push(b'\n');
        bytes.len()
    };
    let ends = (0..batch.num_rows()).map(&mut line).collect();
    Ok((bytes, ends))
}

/// Writes times with a time zone in UTC: Arrow would need a database of zones for those with a name.
#[derive(Debug)]
struct Instants;

impl EncoderFactory for Instants {
    fn make_default_encoder<'a>(
        &self,
        _: &'a FieldRef,
        array: &'a dyn Array,
        _: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let DataType::Timestamp(unit, Some(_)) = array.data_type() else { return Ok(None) };
        let (values, per_second) = match unit {
            TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().values(), 1),
            TimeUnit::Millisecond => (array.as_primitive::<TimestampMillisecondType>().values(), 1000),
            TimeUnit::Microsecond => (array.as_primitive::<TimestampMicrosecondType>().values(), 1_000_000),
            TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().values(), 1_000_000_000),
        };
        Ok(Some(NullableEncoder::new(Box::new(InUtc { values, per_second }), array.nulls().cloned())))
    }
}

struct InUtc<'a> {
    values: &'a [i64],
    per_second: i64,
}

impl Encoder for InUtc<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let time = rfc3339(self.values[row], self.per_second);
        out.extend(time.map_or_else(|| "null".to_owned(), |time| format!("\"{time}\"")).into_bytes());
    }
}
