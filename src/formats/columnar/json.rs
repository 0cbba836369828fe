//! Turns rows into lines of JSON.
//!
//! arrow-json could do this for all types, but compiling it takes as long as compiling everything else that Parquet needs.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_schema::{DataType, Fields, TimeUnit};
use serde::Serialize;

use crate::formats::time::rfc3339;
use crate::locale::tr;

/// Writes each row as a line with one JSON object of all columns. Returns the lines and the end of each. Times are in RFC 3339,
/// bytes are hexadecimal, and decimals are numbers with all their digits.
///
/// # Errors
/// A column has a type that is not supported here.
pub(super) fn lines(batch: &RecordBatch) -> Result<(Vec<u8>, Vec<usize>), String> {
    let write = object(batch.schema_ref().fields(), batch.columns()).map_err(|error| tr!("column {error}", error))?;
    let mut bytes = Vec::new();
    let line = |row| {
        write(row, &mut bytes);
        bytes.push(b'\n');
        bytes.len()
    };
    let ends = (0..batch.num_rows()).map(line).collect();
    Ok((bytes, ends))
}

/// Appends the value of a row.
type Write<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

fn writer(array: &dyn Array) -> Result<Write<'_>, String> {
    let write = valid(array)?;
    Ok(match array.logical_nulls() {
        None => write,
        Some(nulls) => Box::new(move |row, out| if nulls.is_valid(row) { write(row, out) } else { out.extend(NULL) }),
    })
}

const NULL: &[u8] = b"null";

/// Returns the function that writes the values of a column that are not null.
fn valid(array: &dyn Array) -> Result<Write<'_>, String> {
    use DataType as T;
    Ok(match array.data_type() {
        T::Null => Box::new(|_, out| out.extend(NULL)),
        T::Boolean => scalar(move |row| array.as_boolean().value(row)),
        T::Int8 => number::<Int8Type>(array),
        T::Int16 => number::<Int16Type>(array),
        T::Int32 => number::<Int32Type>(array),
        T::Int64 => number::<Int64Type>(array),
        T::UInt8 => number::<UInt8Type>(array),
        T::UInt16 => number::<UInt16Type>(array),
        T::UInt32 => number::<UInt32Type>(array),
        T::UInt64 => number::<UInt64Type>(array),
        T::Float32 => number::<Float32Type>(array),
        T::Float64 => number::<Float64Type>(array),
        T::Decimal128(..) => Box::new(move |row, out| {
            out.extend(array.as_primitive::<Decimal128Type>().value_as_string(row).into_bytes());
        }),
        T::Utf8 => scalar(move |row| array.as_string::<i32>().value(row)),
        T::LargeUtf8 => scalar(move |row| array.as_string::<i64>().value(row)),
        T::Utf8View => scalar(move |row| array.as_string_view().value(row)),
        T::Binary => scalar(move |row| hexadecimal(array.as_binary::<i32>().value(row))),
        T::LargeBinary => scalar(move |row| hexadecimal(array.as_binary::<i64>().value(row))),
        T::BinaryView => scalar(move |row| hexadecimal(array.as_binary_view().value(row))),
        T::FixedSizeBinary(_) => scalar(move |row| hexadecimal(array.as_fixed_size_binary().value(row))),
        T::Timestamp(unit, zone) => {
            // Always in UTC: converting to the column's zone would need a time-zone database, and without a zone the offset is
            // unknown.
            let part = if zone.is_some() { |time: &str| time.to_owned() } else { |time: &str| time.replace('Z', "") };
            match unit {
                TimeUnit::Second => time::<TimestampSecondType>(array, 1, 1, part),
                TimeUnit::Millisecond => time::<TimestampMillisecondType>(array, 1, 1000, part),
                TimeUnit::Microsecond => time::<TimestampMicrosecondType>(array, 1, 1_000_000, part),
                TimeUnit::Nanosecond => time::<TimestampNanosecondType>(array, 1, 1_000_000_000, part),
            }
        }
        T::Date32 => time::<Date32Type>(array, 86_400, 1, |time| time.chars().take_while(|c| *c != 'T').collect()),
        T::Time32(TimeUnit::Millisecond) => time::<Time32MillisecondType>(array, 1, 1000, of_day),
        T::Time64(TimeUnit::Microsecond) => time::<Time64MicrosecondType>(array, 1, 1_000_000, of_day),
        T::Time64(TimeUnit::Nanosecond) => time::<Time64NanosecondType>(array, 1, 1_000_000_000, of_day),
        T::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let write = writer(dictionary.values())?;
            // Without values, all keys are null.
            let keys = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
            Box::new(move |row, out| write(keys[row], out))
        }
        T::List(_) => list(array.as_list::<i32>())?,
        T::LargeList(_) => list(array.as_list::<i64>())?,
        T::FixedSizeList(_, length) => {
            let length = usize::try_from(*length).unwrap_or(0);
            items(array.as_fixed_size_list().values(), move |row| (row * length, (row + 1) * length))?
        }
        T::Struct(fields) => object(fields, array.as_struct().columns())?,
        T::Map(..) => {
            let map = array.as_map();
            let (keys, value) = (map.keys(), writer(map.values())?);
            let key: Write<'_> = match keys.data_type() {
                T::Utf8 | T::LargeUtf8 | T::Utf8View => valid(keys)?,
                other => return Err(tr!(": keys that are {other} have no JSON", other)),
            };
            Box::new(move |row, out| {
                let offset = |at| usize::try_from(map.value_offsets()[at]).unwrap_or(0);
                members(out, offset(row)..offset(row + 1), |at, out| {
                    key(at, out);
                    out.push(b':');
                    value(at, out);
                });
            })
        }
        other => return Err(tr!(": {other} is not written as JSON", other)),
    })
}

fn scalar<'a, T: Serialize>(value: impl Fn(usize) -> T + 'a) -> Write<'a> {
    // Writing to memory does not fail. NaN and infinities become null.
    Box::new(move |row, out| serde_json::to_writer(out, &value(row)).unwrap_or_default())
}

fn number<T: ArrowPrimitiveType<Native: Serialize>>(array: &dyn Array) -> Write<'_> {
    let values = array.as_primitive::<T>().values();
    scalar(move |row| values[row])
}

/// Writes times. A value counts steps of `seconds` seconds, or of a second divided by `per_second`. `part` selects what is written
/// of the time in UTC.
fn time<T: ArrowPrimitiveType<Native: Into<i64>>>(
    array: &dyn Array,
    seconds: i64,
    per_second: i64,
    part: fn(&str) -> String,
) -> Write<'_> {
    let values = array.as_primitive::<T>().values();
    scalar(move |row| rfc3339(values[row].into() * seconds, per_second).map(|time| part(&time)))
}

/// The time of day of an instant, without its date.
fn of_day(instant: &str) -> String {
    instant.chars().skip_while(|c| *c != 'T').filter(|c| !c.is_ascii_alphabetic()).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>) -> Result<Write<'_>, String> {
    let offsets = array.value_offsets();
    items(array.values(), move |row| (offsets[row].as_usize(), offsets[row + 1].as_usize()))
}

/// Writes lists; `range` gives the items of a row.
fn items<'a>(values: &'a ArrayRef, range: impl Fn(usize) -> (usize, usize) + 'a) -> Result<Write<'a>, String> {
    let write = writer(values)?;
    Ok(Box::new(move |row, out| {
        out.push(b'[');
        let (from, to) = range(row);
        for item in from..to {
            if item > from {
                out.push(b',');
            }
            write(item, out);
        }
        out.push(b']');
    }))
}

fn object<'a>(fields: &Fields, columns: &'a [ArrayRef]) -> Result<Write<'a>, String> {
    let member = |(field, column): (&arrow_schema::FieldRef, &'a ArrayRef)| {
        let write = writer(column)
            .map_err(|error| format!("{}{}{error}", field.name(), if error.starts_with(':') { "" } else { "." }))?;
        Ok((serde_json::Value::from(field.name().as_str()).to_string() + ":", write))
    };
    let writers = fields.iter().zip(columns).map(member).collect::<Result<Vec<_>, String>>()?;
    Ok(Box::new(move |row, out| {
        members(out, 0..writers.len(), |member, out| {
            let (key, write) = &writers[member];
            out.extend(key.as_bytes());
            write(row, out);
        });
    }))
}

/// Appends an object with these members, each of which `write` appends.
fn members(out: &mut Vec<u8>, numbers: std::ops::Range<usize>, write: impl Fn(usize, &mut Vec<u8>)) {
    out.push(b'{');
    let first = numbers.start;
    for number in numbers {
        if number > first {
            out.push(b',');
        }
        write(number, out);
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use arrow_array::builder::{MapBuilder, StringBuilder};
    use arrow_array::types::Int32Type as I32;
    use arrow_array::{
        Date32Array, Decimal128Array, DictionaryArray, FixedSizeListArray, Float64Array, Int32Array, ListArray,
        NullArray, StringArray, StructArray, Time64MicrosecondArray, TimestampMillisecondArray, UInt64Array,
    };
    use arrow_schema::Field;

    fn lines_of(column: impl Array + 'static) -> Vec<String> {
        let rows = RecordBatch::try_from_iter_with_nullable([("a\"b", Arc::new(column) as ArrayRef, true)]).unwrap();
        let (bytes, ends) = lines(&rows).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        assert_eq!((ends.len(), ends.last()), (lines.len(), Some(&text.len())));
        assert!(lines.iter().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{lines:?}");
        lines.iter().map(|line| line.trim_start_matches(r#"{"a\"b":"#).trim_end_matches('}').to_owned()).collect()
    }

    #[test]
    fn values_as_json() {
        assert_eq!(
            lines_of(StringArray::from(vec![Some("a\n\"去\"\u{0}"), None, Some("")])),
            [r#""a\n\"去\"\u0000""#, "null", r#""""#]
        );
        assert_eq!(lines_of(UInt64Array::from(vec![Some(u64::MAX), None])), ["18446744073709551615", "null"]);
        assert_eq!(lines_of(Float64Array::from(vec![1.5, f64::NAN, -2.0])), ["1.5", "null", "-2.0"]);
        assert_eq!(lines_of(NullArray::new(1)), ["null"]);
        let decimals = Decimal128Array::from(vec![-1_234_500, 5]).with_precision_and_scale(38, 4).unwrap();
        assert_eq!(lines_of(decimals), ["-123.4500", "0.0005"]);
        assert_eq!(lines_of(Date32Array::from(vec![17_835, -1])), [r#""2018-10-31""#, r#""1969-12-31""#]);
        assert_eq!(lines_of(Time64MicrosecondArray::from(vec![45_296_000_001])), [r#""12:34:56.000001""#]);
        let times = TimestampMillisecondArray::from(vec![Some(1_540_958_400_250), None, Some(i64::MAX)]);
        assert_eq!(lines_of(times.clone()), [r#""2018-10-31T04:00:00.25""#, "null", "null"]);
        assert_eq!(lines_of(times.with_timezone("Asia/Shanghai"))[0], r#""2018-10-31T04:00:00.25Z""#);
    }

    #[test]
    fn values_in_values() {
        let items = [Some(vec![Some(1), None]), None, Some(vec![])];
        assert_eq!(lines_of(ListArray::from_iter_primitive::<I32, _, _>(items.clone())), ["[1,null]", "null", "[]"]);
        let pairs = FixedSizeListArray::from_iter_primitive::<I32, _, _>([Some(vec![Some(1), Some(2)]), None], 2);
        assert_eq!(lines_of(pairs), ["[1,2]", "null"]);
        let lists = ListArray::from_iter_primitive::<I32, _, _>(items);
        assert_eq!(lines_of(lists.slice(1, 2)), ["null", "[]"]);
        let words: DictionaryArray<I32> = [Some("喜"), None, Some("怒"), Some("喜")].into_iter().collect();
        assert_eq!(lines_of(words), [r#""喜""#, "null", r#""怒""#, r#""喜""#]);
        assert_eq!(lines_of([None::<&str>].into_iter().collect::<DictionaryArray<I32>>()), ["null"]);
        let member =
            |name: &str, column: ArrayRef| (Arc::new(Field::new(name, column.data_type().clone(), true)), column);
        let user = StructArray::from(vec![
            member("name", Arc::new(StringArray::from(vec![Some("小王"), None]))),
            member("fans", Arc::new(Int32Array::from(vec![None, Some(3)]))),
        ]);
        assert_eq!(lines_of(user), [r#"{"name":"小王","fans":null"#, r#"{"name":null,"fans":3"#]);
        let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
        map.keys().append_value("k");
        map.values().append_value("v");
        map.append(true).unwrap();
        map.append(false).unwrap();
        assert_eq!(lines_of(map.finish()), [r#"{"k":"v""#, "null"]);
    }
}
