//! Rows of Parquet are judged as lines are, and leave with all their columns.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use crate::common::columns::{batch, notes, numbers, posts, read, write};
use crate::common::place::{Place, input};
use crate::common::{dedup, generated};
use arrow_array::builder::{ListBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int16Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use serde_json::{Value, json};

/// Generated records, numbered from 1.
pub fn records(count: usize) -> Vec<Value> {
    let lines = String::from_utf8(generated(count)).unwrap();
    let numbered =
        |(line, id): (&str, i64)| json!({"id": id, "text": serde_json::from_str::<Value>(line).unwrap()["text"]});
    lines.lines().zip(1..).map(numbered).collect()
}

pub fn jsonl(records: &[Value]) -> Vec<u8> {
    records.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect()
}

/// Records beside columns of many types, with nulls.
pub fn wide(records: &[Value]) -> RecordBatch {
    let rows = 0..records.len() as i64;
    let some = |row: i64| (row % 7 != 0).then_some(row);
    let posts = posts(records);
    let mut lists = ListBuilder::new(StringBuilder::new());
    rows.clone().for_each(|row| match some(row) {
        Some(row) => lists.append_value((0..row % 3).map(|item| (item != 1).then(|| format!("标签{item}")))),
        None => lists.append_null(),
    });
    let mut moods = StringDictionaryBuilder::<Int16Type>::new();
    rows.clone().for_each(|row| moods.append_option(some(row).map(|row| ["喜", "怒", "哀"][row as usize % 3])));
    let user = StructArray::from(vec![
        (Arc::new(Field::new("name", DataType::Utf8, true)), posts["text"].clone()),
        (Arc::new(Field::new("fans", DataType::Int64, true)), posts["id"].clone()),
    ]);
    let times = rows.clone().map(|row| some(row).map(|row| 1_540_958_400_000_000 + row * 60_000_000));
    batch(vec![
        ("id", posts["id"].clone()),
        ("text", posts["text"].clone()),
        ("user", Arc::new(user)),
        ("tags", Arc::new(lists.finish())),
        ("mood", Arc::new(moods.finish())),
        (
            "large",
            Arc::new(
                posts["text"].as_any().downcast_ref::<StringArray>().unwrap().iter().collect::<LargeStringArray>(),
            ),
        ),
        (
            "view",
            Arc::new(posts["text"].as_any().downcast_ref::<StringArray>().unwrap().iter().collect::<StringViewArray>()),
        ),
        ("at", Arc::new(times.collect::<TimestampMicrosecondArray>().with_timezone("Asia/Shanghai"))),
        ("bytes", Arc::new(rows.clone().map(|row| some(row).map(i64::to_le_bytes)).collect::<BinaryArray>())),
        ("flag", Arc::new(rows.map(|row| some(row).map(|row| row % 2 == 0)).collect::<BooleanArray>())),
    ])
}

#[test]
fn kept_rows_leave_with_all_their_columns() {
    let (place, records) = (Place::new(b""), records(1200));
    let rows = wide(&records);
    let kept: Vec<Value> = dedup(&["-q"], &jsonl(&records)).json().iter().map(|record| record["id"].clone()).collect();
    assert!((250..1170).contains(&kept.len()));
    let is_kept: BooleanArray = records.iter().map(|record| Some(kept.contains(&record["id"]))).collect();
    let expected = filter_record_batch(&rows, &is_kept).unwrap();
    for (name, compression) in [
        ("plain", Compression::UNCOMPRESSED),
        ("snappy", Compression::SNAPPY),
        ("gzip", Compression::GZIP(Default::default())),
        ("lz4", Compression::LZ4_RAW),
        ("zstd", Compression::ZSTD(ZstdLevel::default())),
    ] {
        let (name, out) = (format!("{name}.parquet"), format!("{name}-kept.parquet"));
        write(&place.path(&name), &rows, compression, 700);
        let stdout = place.succeed(&["dedup", "-q", "-j1", &name]);
        assert!(read(&stdout) == expected, "{name}");
        place.succeed(&["dedup", "-q", "-j2", &name, "-o", &out]);
        assert!(fs::read(place.path(&out)).unwrap() == stdout, "{name}: other bytes with other threads");
        let file = fs::File::open(place.path(&out)).unwrap();
        let written = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let columns = written.metadata().row_group(0).columns();
        assert!(columns.iter().all(|column| column.compression() == compression), "{name}");
    }
}

#[test]
fn metadata_stays() {
    let place = Place::new(b"");
    let id = Field::new("id", DataType::Int64, true)
        .with_metadata(HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_owned(), "17".to_owned())]));
    let schema = arrow_schema::Schema::new_with_metadata(
        vec![id, Field::new("text", DataType::Utf8, false)],
        HashMap::from([("who", "我"), ("why", "因为")].map(|(key, value)| (key.to_owned(), value.to_owned()))),
    );
    let rows: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from(vec![1, 2])), Arc::new(StringArray::from(vec!["你好", "你好"]))];
    let rows = RecordBatch::try_new(Arc::new(schema), rows).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), None).unwrap();
    writer.write(&rows).unwrap();
    writer.append_key_value_metadata(KeyValue::new("pandas".to_owned(), "{}".to_owned()));
    fs::write(place.path("in.parquet"), writer.into_inner().unwrap()).unwrap();
    let about = |name: &str| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(place.path(name)).unwrap()).unwrap();
        let pairs = builder.metadata().file_metadata().key_value_metadata().unwrap();
        let pairs = pairs.iter().filter(|pair| pair.key != ARROW_SCHEMA_META_KEY);
        (builder.schema().clone(), pairs.map(|pair| (pair.key.clone(), pair.value.clone())).collect::<Vec<_>>())
    };
    place.succeed(&["dedup", "-q", "in.parquet", "-o", "out.parquet"]);
    assert_eq!(about("in.parquet"), about("out.parquet"));
    place.succeed(&["dedup", "-q", "in.parquet", "-o", "all.parquet", "--output", "annotated"]);
    let (schema, pairs) = about("all.parquet");
    assert_eq!(pairs, about("in.parquet").1);
    assert_eq!(schema.fields()[0], about("in.parquet").0.fields()[0]);
    assert_eq!(schema.metadata(), about("in.parquet").0.metadata());
}

#[test]
fn verdicts_stand_in_a_column() {
    let (place, records) = (Place::new(b""), records(3000));
    write(&place.path("in.parquet"), &wide(&records), Compression::SNAPPY, 700);
    let expected: Vec<Value> = dedup(&["--output", "annotated", "-q"], &jsonl(&records)).json();
    let notes_expected: Vec<_> = expected.iter().map(|record| record["quchong"].clone()).collect();
    let args = ["dedup", "-q", "in.parquet", "--output", "annotated", "--dropped"];
    let annotated = place.succeed(&[&args[..], &["dropped.parquet"]].concat());
    let rows = read(&annotated);
    assert_eq!(notes(&rows), notes_expected);
    assert!(rows.project(&(0..rows.num_columns() - 1).collect::<Vec<_>>()).unwrap() == wide(&records));
    let dropped = read(&fs::read(place.path("dropped.parquet")).unwrap());
    let is_dropped = |record: &&Value| record["quchong"]["verdict"] != "kept";
    let expected: Vec<_> = expected.iter().filter(is_dropped).collect();
    assert_eq!(numbers(&dropped, "id"), expected.iter().map(|record| record["id"].as_i64()).collect::<Vec<_>>());
    assert_eq!(notes(&dropped), expected.iter().map(|record| record["quchong"].clone()).collect::<Vec<_>>());
    assert!(read(&place.succeed(&["dedup", "-q", "in.parquet", "--output", "dropped"])) == dropped);
    // An output name can ask for rows as JSON lines, with all their columns.
    place.succeed(&[&args[..], &["dropped.jsonl"]].concat());
    let lines = fs::read_to_string(place.path("dropped.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|line| &line["quchong"]).collect::<Vec<_>>(),
        expected.iter().map(|record| &record["quchong"]).collect::<Vec<_>>()
    );
    let eighth = lines.iter().find(|line| line["id"].as_i64().unwrap() % 7 == 5).unwrap();
    assert_eq!(eighth["user"], json!({"name": eighth["text"], "fans": eighth["id"]}));
    let empty = lines.iter().find(|line| line["id"].as_i64().unwrap() % 7 == 1).unwrap();
    assert!(["tags", "mood", "at", "flag"].iter().all(|name| empty.get(name) == Some(&Value::Null)), "{empty}");
    assert!(eighth["at"].as_str().unwrap().ends_with(":00Z") && eighth["tags"].is_array(), "{eighth}");
    // The verdicts of an earlier run are replaced.
    fs::write(place.path("again.parquet"), &annotated).unwrap();
    assert!(read(&place.succeed(&["dedup", "-q", "again.parquet", "--output", "annotated"])) == rows);
}

#[test]
fn messages_stand_in_text_of_any_kind() {
    let (place, records) = (Place::new(b""), records(2000));
    write(&place.path("in.parquet"), &wide(&records), Compression::SNAPPY, 700);
    let kept = numbers(&read(&place.succeed(&["dedup", "-q", "in.parquet"])), "id");
    for field in ["user.name", "/user/name", "large", "view"] {
        let args = ["dedup", "-q", "in.parquet", "--field", field, "--id-field", "user.fans", "--dropped", "d.parquet"];
        let found = read(&place.succeed(&args));
        assert_eq!(numbers(&found, "id"), kept, "{field}");
    }
    let moods = dedup(&["--field", "mood", place.path("in.parquet").to_str().unwrap()], b"");
    assert_eq!((moods.total("/kept"), moods.total("/errors/not-a-string")), (3, 2000_u64.div_ceil(7)));
    // Ids may be strings, too.
    let texts: StringArray = records.iter().map(|record| record["text"].as_str()).collect();
    let ids: StringArray = records.iter().map(|record| Some(format!("微{}", record["id"]))).collect();
    write(
        &place.path("named.parquet"),
        &batch(vec![("text", Arc::new(texts)), ("id", Arc::new(ids))]),
        Compression::SNAPPY,
        700,
    );
    let found = notes(&read(&place.succeed(&["dedup", "-q", "named.parquet", "--output", "dropped"])));
    assert!(!found.is_empty() && found.iter().all(|note| note["of"].as_str().unwrap().starts_with('微')));
    for (field, reason) in [
        ("bytes", "column `bytes` is Binary, not text"),
        ("user", "column `user` is Struct"),
        ("id", "column `id` is Int64, not text"),
        ("user.nick", "no column `user.nick`; the columns are id, text, user, tags, mood"),
        ("txt", "no column `txt`"),
    ] {
        for command in ["dedup", "clusters"] {
            let told = place.refused(&[command, "in.parquet", "--field", field]);
            assert!(told.contains("in.parquet: ") && told.contains(reason), "{told}");
        }
    }
}

#[test]
fn times_are_columns() {
    let place = Place::new(b"");
    let lines = input(3000, 5);
    let records: Vec<Value> =
        str::from_utf8(&lines).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let millis: Vec<Option<i64>> = records.iter().map(|record| record["created_at"].as_i64()).collect();
    let micros = millis.iter().map(|time| time.map(|time| time * 1000));
    let texts: StringArray = records.iter().map(|record| record["text"].as_str()).collect();
    let ids: Int64Array = (1..=records.len() as i64).map(Some).collect();
    let instants: TimestampMicrosecondArray = micros.collect();
    let rows = batch(vec![
        ("id", Arc::new(ids)),
        ("text", Arc::new(texts)),
        ("number", Arc::new(Int64Array::from(millis.clone()))),
        ("naive", Arc::new(instants.clone())),
        ("zoned", Arc::new(instants.with_timezone("Asia/Shanghai"))),
        ("string", Arc::new(millis.iter().map(|time| time.map(|time| time.to_string())).collect::<StringArray>())),
    ]);
    write(&place.path("rows.parquet"), &rows, Compression::SNAPPY, 1000);
    let window = ["--window", "3m", "--lateness", "1m", "-q"];
    let kept = dedup(&[&window[..], &["--id-field", "none", "--output", "annotated"]].concat(), &lines);
    // In the lines, ids are line numbers.
    let note = |record: &Value| {
        let mut note = record["quchong"].clone();
        if let Some(line) = note.pointer("/of/line").cloned() {
            note["of"] = line;
        }
        note
    };
    let expected: Vec<_> = kept.json().iter().map(note).collect();
    assert_ne!(
        expected,
        dedup(&["-q", "--id-field", "none", "--output", "annotated"], &lines)
            .json()
            .iter()
            .map(note)
            .collect::<Vec<_>>()
    );
    for time in ["number", "naive", "zoned", "string"] {
        let args = [&["dedup", "rows.parquet", "--output", "annotated", "--time-field", time][..], &window].concat();
        assert_eq!(notes(&read(&place.succeed(&args))), expected, "{time}");
    }
}

#[test]
fn states_know_the_rows_of_earlier_runs() {
    let (place, records) = (Place::new(b""), records(1000));
    write(&place.path("in.parquet"), &posts(&records), Compression::SNAPPY, 500);
    let told = place.refused(&["dedup", "--state", "state", "--resume", "in.parquet"]);
    assert!(told.contains("--resume: in.parquet is Parquet") && !place.path("state").exists(), "{told}");
    let args = ["dedup", "-q", "--state", "state", "in.parquet"];
    assert!(read(&place.succeed(&args)).num_rows() > 100);
    // Nothing is new, and the exit code says so.
    let again = place.run(&args);
    assert_eq!(again.status.code(), Some(3));
    let again = read(&again.stdout);
    assert_eq!((again.num_rows(), again.schema()), (0, posts(&records).schema()));
}

#[test]
fn several_fields_and_a_scope_are_read_as_from_lines() {
    let mut records = records(600);
    for (at, record) in records.iter_mut().enumerate() {
        record["title"] = [json!("快讯"), Value::Null, json!("早报")][at % 3].clone();
        record["by"] = [json!(7), json!(8), Value::Null][at % 5 % 3].clone();
    }
    let posts = posts(&records);
    let titles: StringArray = records.iter().map(|record| record["title"].as_str()).collect();
    let authors: Int64Array = records.iter().map(|record| record["by"].as_i64()).collect();
    let place = Place::new(&jsonl(&records));
    let rows = batch(vec![
        ("id", posts["id"].clone()),
        ("text", posts["text"].clone()),
        ("title", Arc::new(titles)),
        ("by", Arc::new(authors)),
    ]);
    write(&place.path("in.parquet"), &rows, Compression::SNAPPY, 200);
    let args = ["--field", "title,text", "--scope", "by", "--output", "annotated", "-q"];
    let lines = place.succeed(&[&["dedup", "in.jsonl"], &args[..]].concat());
    place.succeed(&[&["dedup", "in.parquet", "-o", "out.parquet"], &args[..]].concat());
    let told = String::from_utf8(lines).unwrap();
    let expected: Vec<Value> =
        told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["quchong"].take()).collect();
    assert!(expected.iter().filter(|note| note["verdict"] != "kept").count() > 10, "{expected:?}");
    assert_eq!(notes(&read(&fs::read(place.path("out.parquet")).unwrap())), expected);
    let told = place.refused(&["dedup", "-q", "in.parquet", "--scope", "author"]);
    assert!(told.contains("no column `author`; the columns are id, text, title, by. Name one with --scope"), "{told}");
}
