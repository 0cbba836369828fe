//! The rows between the steps of a job. Tests see them as JSON in either transfer format.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::DataType;
use serde_json::{Map, Value, json};

use super::columns::batch;

/// A value of the option `--rows`.
#[derive(Debug, Clone, Copy)]
pub enum Wire {
    Jsonl,
    Arrow,
}

impl Wire {
    pub const BOTH: [Self; 2] = [Self::Jsonl, Self::Arrow];

    pub fn args(self) -> [&'static str; 2] {
        match self {
            Self::Jsonl => ["--rows", "jsonl"],
            Self::Arrow => ["--rows", "arrow"],
        }
    }

    /// Reads the rows that a step has written.
    pub fn read(self, bytes: &[u8]) -> Vec<Value> {
        match self {
            Self::Jsonl => bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
                .map(|line| serde_json::from_slice(line).unwrap())
                .collect(),
            Self::Arrow => {
                let batches = StreamReader::try_new(bytes, None).unwrap().map(Result::unwrap);
                batches.flat_map(|batch| (0..batch.num_rows()).map(move |row| row_of(&batch, row))).collect()
            }
        }
    }

    /// Writes rows with these members in the form that a step reads.
    pub fn write(self, names: &[&str], rows: &[Value]) -> Vec<u8> {
        match self {
            Self::Jsonl => rows.iter().map(|row| format!("{row}\n")).collect::<String>().into_bytes(),
            Self::Arrow => {
                let rows = batch(names.iter().map(|name| (*name, column(name, rows))).collect());
                // Write two batches.
                let half = rows.num_rows() / 2;
                stream(&[rows.slice(0, half), rows.slice(half, rows.num_rows() - half)])
            }
        }
    }
}

/// Writes a stream of these batches.
pub fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn column(name: &str, rows: &[Value]) -> ArrayRef {
    let numbers = || rows.iter().map(|row| row[name].as_i64());
    match name {
        "table" | "distance" | "similarity" => Arc::new(
            numbers().map(|number| number.map(|number| i32::try_from(number).unwrap())).collect::<Int32Array>(),
        ),
        "simhash" => {
            let bits = |row: &Value| u64::from_str_radix(row[name].as_str().unwrap(), 16).unwrap().cast_signed();
            Arc::new(rows.iter().map(bits).collect::<Int64Array>())
        }
        "same" => Arc::new(rows.iter().map(|row| row[name].as_bool()).collect::<BooleanArray>()),
        "text" => Arc::new(rows.iter().map(|row| row[name].as_str()).collect::<StringArray>()),
        _ => Arc::new(numbers().collect::<Int64Array>()),
    }
}

fn row_of(batch: &RecordBatch, row: usize) -> Value {
    let mut object = Map::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if column.is_null(row) {
            continue;
        }
        let value = match (field.name().as_str(), column.data_type()) {
            ("simhash", DataType::Int64) => json!(format!("{:016x}", column.as_primitive::<Int64Type>().value(row))),
            (_, DataType::Int64) => json!(column.as_primitive::<Int64Type>().value(row)),
            (_, DataType::Int32) => json!(column.as_primitive::<Int32Type>().value(row)),
            // As in JSON, where false members are left out.
            (_, DataType::Boolean) if !column.as_boolean().value(row) => continue,
            (_, DataType::Boolean) => json!(true),
            (_, DataType::Utf8) => json!(column.as_string::<i32>().value(row)),
            (_, DataType::Binary) => {
                let bytes = column.as_binary::<i32>().value(row);
                json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
            }
            (name, other) => panic!("`{name}` is {other}"),
        };
        object.insert(field.name().clone(), value);
    }
    Value::Object(object)
}
