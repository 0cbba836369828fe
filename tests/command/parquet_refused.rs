//! Parquet files that are empty, damaged, wrongly named or without texts.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::sync::Arc;

use crate::common::columns::{batch, notes, numbers, posts, read, write};
use crate::common::dedup;
use crate::common::place::Place;
use crate::parquet::{jsonl, records, wide};
use arrow_array::{Int64Array, StringArray};
use parquet::basic::Compression;
use serde_json::json;

#[test]
fn rows_without_text_are_errors() {
    let place = Place::new(b"");
    let texts = StringArray::from(vec![Some("你好"), None, Some("你好"), Some(""), Some("一二三四五六七八九十")]);
    let rows = batch(vec![("id", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]))), ("text", Arc::new(texts))]);
    write(&place.path("in.parquet"), &rows, Compression::SNAPPY, 2);
    let path = place.path("in.parquet");
    let run = |args: &[&str]| dedup(&[args, &[path.to_str().unwrap()]].concat(), b"");
    let found = run(&[]);
    assert_eq!((found.total("/in"), found.total("/kept"), found.total("/errors/not-a-string")), (5, 3, 1));
    assert_eq!(found.total("/bytes_in"), fs::metadata(&path).unwrap().len());
    assert!(found.stderr.contains("in.parquet:2: field `text` is null"), "{}", found.stderr);
    assert_eq!(numbers(&read(&found.stdout), "id"), [1, 2, 4, 5].map(Some));
    assert_eq!(numbers(&read(&run(&["--on-error", "drop"]).stdout), "id"), [1, 4, 5].map(Some));
    let failed = run(&["--on-error", "fail"]);
    assert!(
        failed.code == Some(2) && failed.stderr.contains("in.parquet:2: field `text` is null"),
        "{}",
        failed.stderr
    );
    // The rows that were judged before the damage are a whole file.
    assert_eq!(numbers(&read(&failed.stdout), "id"), [Some(1)]);
    let long = run(&["--max-line", "40", "--output", "annotated"]);
    assert_eq!(long.total("/errors/line-too-long"), 1);
    assert_eq!(notes(&read(&long.stdout))[4], json!({"verdict": "error", "error": "line-too-long"}));
}

#[test]
fn a_file_without_rows_tells_its_columns() {
    let place = Place::new(b"");
    let rows = wide(&records(3)).slice(0, 0);
    write(&place.path("in.parquet"), &rows, Compression::SNAPPY, 10);
    assert!(read(&place.succeed(&["dedup", "-q", "in.parquet"])) == rows);
    assert_eq!(place.succeed(&["dedup", "-q", "in.parquet", "-o", "kept.jsonl"]), b"");
    assert_eq!(fs::read(place.path("kept.jsonl")).unwrap(), b"");
}

#[test]
fn files_are_known_by_name_or_content() {
    let (place, records) = (Place::new(b""), records(1500));
    for (name, rows) in [("first", &records[..700]), ("second.bin", &records[700..])] {
        write(&place.path(name), &posts(rows), Compression::SNAPPY, 500);
    }
    write(&place.path("all.parquet"), &posts(&records), Compression::SNAPPY, 500);
    let all = read(&place.succeed(&["dedup", "-q", "all.parquet"]));
    assert!(read(&place.succeed(&["dedup", "-q", "first", "second.bin"])) == all);
    // Lines of a text file that begins with PAR1 are read as lines.
    fs::write(place.path("lines"), "PAR1 是什么\n").unwrap();
    assert_eq!(place.succeed(&["dedup", "-q", "lines"]), "PAR1 是什么\n".as_bytes());
    let clusters = |name: &str| String::from_utf8(place.succeed(&["clusters", name])).unwrap();
    fs::write(place.path("all.jsonl"), jsonl(&records)).unwrap();
    assert!(clusters("all.parquet") == clusters("all.jsonl"));
    let signed = |name: &str| String::from_utf8(place.succeed(&["sign", "--method", "A2", name])).unwrap();
    assert!(signed("all.parquet") == signed("all.jsonl"));
}

#[test]
fn what_cannot_be_read_is_refused() {
    let (place, records) = (Place::new(b""), records(4000));
    write(&place.path("in.parquet"), &posts(&records), Compression::SNAPPY, 500);
    let whole = fs::read(place.path("in.parquet")).unwrap();
    let stream = dedup(&[], &whole);
    assert!(
        stream.code == Some(2) && stream.stderr.contains("<stdin>: Parquet is read from its end"),
        "{}",
        stream.stderr
    );
    let named = dedup(&["--format", "parquet"], &whole);
    assert!(
        named.code == Some(2) && named.stderr.contains("<stdin>: Parquet is read from its end"),
        "{}",
        named.stderr
    );
    fs::write(place.path("cut.parquet"), &whole[..whole.len() / 2]).unwrap();
    assert!(place.refused(&["dedup", "cut.parquet"]).contains("cut.parquet: cannot be read as Parquet"));
    let mut damaged = whole.clone();
    damaged[whole.len() * 3 / 4..whole.len() * 3 / 4 + 64].fill(0xff);
    fs::write(place.path("damaged.parquet"), damaged).unwrap();
    let told = place.refused(&["dedup", "-q", "damaged.parquet", "-o", "out.parquet"]);
    assert!(
        told.contains("damaged.parquet: ")
            && (told.contains("of this input, only what stands before row") || told.contains("nothing of this input")),
        "{told}"
    );
    let judged = read(&fs::read(place.path("out.parquet")).unwrap());
    assert!((100..4000).contains(&judged.num_rows()));
    fs::write(place.path("in.jsonl"), jsonl(&records)).unwrap();
    assert!(
        place
            .refused(&["dedup", "in.parquet", "in.jsonl"])
            .contains("in.jsonl: it is jsonl, and in.parquet is parquet")
    );
    write(&place.path("wide.parquet"), &wide(&records), Compression::SNAPPY, 500);
    fs::write(place.path("before.parquet"), "before").unwrap();
    let told = place.refused(&["dedup", "-q", "in.parquet", "wide.parquet", "-o", "before.parquet"]);
    assert_eq!(fs::read(place.path("before.parquet")).unwrap(), b"before");
    assert!(told.contains("wide.parquet: its columns are not those of the files before"), "{told}");
    let told = place.refused(&["sign", "--method", "A2", "--whole-files", "in.parquet"]);
    assert!(told.contains("in.parquet: is Parquet, whose rows are the messages"), "{told}");
}

/// A refused run leaves its outputs alone, and names columns that could not be written as they are.
#[test]
fn what_is_refused_leaves_the_outputs_alone() {
    use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int96, Int96Type};
    use parquet::file::writer::SerializedFileWriter;
    let place = Place::new(b"");
    write(&place.path("in.parquet"), &posts(&records(10)), Compression::SNAPPY, 500);
    for (name, column) in
        [("int96", "optional int96 at"), ("interval", "optional fixed_len_byte_array(12) at (INTERVAL)")]
    {
        let schema = format!("message m {{ optional binary text (UTF8); optional group w {{ {column}; }} }}");
        let schema = Arc::new(parquet::schema::parser::parse_message_type(&schema).unwrap());
        let file = fs::File::create(place.path(&format!("{name}.parquet"))).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut texts = group.next_column().unwrap().unwrap();
        texts.typed::<ByteArrayType>().write_batch(&[ByteArray::from("你好")], Some(&[1]), None).unwrap();
        texts.close().unwrap();
        let mut other = group.next_column().unwrap().unwrap();
        if name == "int96" {
            other
                .typed::<Int96Type>()
                .write_batch(&[Int96::from(vec![1_u32, 2, 2_458_423])], Some(&[2]), None)
                .unwrap();
        } else {
            let value = FixedLenByteArray::from(vec![1_u8; 12]);
            other.typed::<FixedLenByteArrayType>().write_batch(&[value], Some(&[2]), None).unwrap();
        }
        other.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
    }
    for output in ["out.parquet", "out.jsonl"] {
        fs::write(place.path(output), "before").unwrap();
        for (args, said) in [
            (&["in.parquet", "--field", "txt"][..], "in.parquet: no column `txt`"),
            (&["in.parquet", "--field", "id"], "column `id` is Int64, not text"),
            (&["int96.parquet"], "int96.parquet: column `w.at` is INT96, which cannot be written as it is"),
            (&["interval.parquet"], "interval.parquet: column `w.at` is INTERVAL, which cannot"),
            (
                &["in.parquet", "--output=annotated", "--dropped=x.csv"],
                "the output of in.parquet is Parquet; name it .parquet",
            ),
        ] {
            let told = place.refused(&[&["dedup", "-o", output], args].concat());
            assert!(told.contains(said), "{told}");
            assert_eq!(fs::read(place.path(output)).unwrap(), b"before", "{args:?}");
        }
    }
    // If no rows are written, such columns do not matter.
    place.succeed(&["clusters", "int96.parquet", "interval.parquet"]);
}

#[test]
fn pages_that_cannot_be_unpacked_say_what_to_do() {
    let place = Place::new(b"");
    let path = place.path("in.parquet");
    write(&path, &posts(&records(20)), Compression::SNAPPY, 20);
    // In the footer, the codec of a column stands behind its name: Brotli in the place of Snappy.
    let (snappy, brotli) = (b"text\x15\x02\x16", b"text\x15\x08\x16");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(snappy.len()).position(|window| window == snappy).unwrap();
    bytes[at..at + brotli.len()].copy_from_slice(brotli);
    fs::write(&path, bytes).unwrap();
    let run = dedup(&[path.to_str().unwrap()], b"");
    assert!(run.code == Some(2) && run.stderr.contains("write it again with zstd or snappy"), "{}", run.stderr);
}
