//! The same posts get the same verdicts in every format, and tables leave as they came.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::io::Write;
use std::path::Path;

#[cfg(feature = "parquet")]
use crate::common::columns;
use crate::common::place::Place;
use crate::common::{Run, dedup, generated, shared};
use serde_json::Value;

/// `id`, verdict and `of` of each record of an annotated run.
type Told = Vec<(String, String, String)>;

fn told(id: &Value, note: &Value) -> (String, String, String) {
    (id.to_string(), note["verdict"].to_string(), note["of"].to_string())
}

fn of_jsonl(run: &Run) -> Told {
    run.json().iter().map(|record| told(&record["id"], &record["quchong"])).collect()
}

fn of_csv(run: &Run, delimiter: u8) -> Told {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(&run.stdout[..]);
    let (id, note) = {
        let header = reader.headers().unwrap();
        let find = |name: &str| header.iter().position(|column| column == name).unwrap();
        (find("id"), find("quchong"))
    };
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| told(&serde_json::from_str(&row[id]).unwrap(), &serde_json::from_str(&row[note]).unwrap())).collect()
}

#[cfg(feature = "parquet")]
fn of_parquet(run: &Run) -> Told {
    let rows = columns::read(&run.stdout);
    let ids = columns::numbers(&rows, "id").into_iter().map(Value::from);
    ids.zip(columns::notes(&rows)).map(|(id, note)| told(&id, &note)).collect()
}

/// The records as a table, with their ids as JSON.
fn table(records: &[Value], delimiter: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    writer.write_record(["id", "mood", "text"]).unwrap();
    for record in records {
        writer
            .write_record([&record["id"].to_string(), "a \"quoted\",\nmood", record["text"].as_str().unwrap()])
            .unwrap();
    }
    writer.into_inner().unwrap()
}

/// Asserts that runs over the same records give the same verdicts in all formats.
fn holds_in_all_formats(records: &[Value]) {
    // An id in a table is a text or a number; numbers look the same in all formats.
    let numbered = |(number, record): (usize, &Value)| serde_json::json!({"id": number, "text": record["text"]});
    let records: Vec<Value> = records.iter().enumerate().map(numbered).collect();
    let place = Place::new(b"");
    let run = |name: &str, bytes: &[u8]| {
        fs::write(place.path(name), bytes).unwrap();
        dedup(&["--output", "annotated", "-q", place.path(name).to_str().unwrap()], b"")
    };
    let jsonl: Vec<u8> = records.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect();
    let expected = run("posts.jsonl", &jsonl);
    let (verdicts, total) = (of_jsonl(&expected), |run: &Run| ["/in", "/kept"].map(|name| run.total(name)));
    assert!(verdicts.iter().any(|(_, verdict, _)| verdict == "\"near\""));
    let zst = run("posts.jsonl.zst", &zstd::encode_all(&jsonl[..], 1).unwrap());
    assert!(zst.stdout == expected.stdout);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&jsonl).unwrap();
    assert!(run("posts.jsonl.gz", &gz.finish().unwrap()).stdout == expected.stdout);
    for (name, delimiter) in [("posts.csv", b','), ("posts.tsv", b'\t')] {
        let found = run(name, &table(&records, delimiter));
        assert_eq!(total(&found), total(&expected), "{name}");
        assert!(of_csv(&found, delimiter) == verdicts, "{name}");
    }
    let csv_zst = run("posts.csv.zst", &zstd::encode_all(&table(&records, b',')[..], 1).unwrap());
    assert!(of_csv(&csv_zst, b',') == verdicts);
    #[cfg(feature = "parquet")]
    {
        let path = place.path("posts.parquet");
        columns::write(&path, &columns::posts(&records), parquet::basic::Compression::SNAPPY, 1500);
        let found = dedup(&["--output", "annotated", "-q", path.to_str().unwrap()], b"");
        assert_eq!(total(&found), total(&expected));
        assert!(of_parquet(&found) == verdicts);
    }
}

fn records(jsonl: &[u8], most: usize) -> Vec<Value> {
    let lines = str::from_utf8(jsonl).unwrap().lines();
    lines.take(most).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn verdicts_are_the_same_in_any_format() {
    let posts = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/posts.jsonl");
    holds_in_all_formats(&records(&fs::read(posts).unwrap(), usize::MAX));
    holds_in_all_formats(&records(&generated(500), usize::MAX));
    if let Some(path) = shared("weibo-dev.jsonl") {
        holds_in_all_formats(&records(&fs::read(path).unwrap(), 2000));
    }
}

const ROWS: &str = "\u{feff}id,text,at\r\n1,\"今天武汉的樱花开了，\n我在东湖边等你\",8\r\n\r\n2,明天见,\"9\"\r\n3,\"今天武漢的櫻花開了,\n我在東湖邊等你\"\r\n4,\"说\"\"走\"\"就走\",12";

#[test]
fn kept_rows_leave_as_they_came() {
    let kept = ROWS.replace("3,\"今天武漢的櫻花開了,\n我在東湖邊等你\"\r\n", "");
    for threads in ["1", "2"] {
        let run = dedup(&["--format", "csv", "-j", threads], ROWS.as_bytes());
        assert_eq!(run.text(), kept);
        // The blank line is kept; the header is not a record.
        assert_eq!((run.total("/in"), run.total("/kept"), run.total("/dropped/exact")), (5, 4, 1));
        assert_eq!(run.total("/bytes_in"), ROWS.len() as u64);
    }
}

#[test]
fn verdicts_stand_in_a_column() {
    let place = Place::new(b"");
    let dropped = place.path("dropped.csv");
    let args = ["--format", "csv", "--output", "annotated", "--dropped", dropped.to_str().unwrap()];
    let run = dedup(&args, ROWS.as_bytes());
    let kept = r#""{""verdict"":""kept""}""#;
    let third = r#"我在東湖邊等你",,"{""verdict"":""exact"",""of"":1}""#;
    let lines: Vec<&str> = run.text().lines().collect();
    assert_eq!(lines[0], "id,text,at,quchong");
    assert_eq!(lines[2], format!("我在东湖边等你\",8,{kept}"));
    assert_eq!((lines[5], lines[6]), ("3,\"今天武漢的櫻花開了,", third));
    let dropped = fs::read_to_string(dropped).unwrap();
    assert_eq!(dropped.lines().collect::<Vec<_>>(), ["id,text,at,quchong", "3,\"今天武漢的櫻花開了,", third]);
}

#[test]
fn columns_have_names_or_numbers() {
    let rows = b"a\tb\n1\t\xe4\xbd\xa0\n2\t\xe4\xbd\xa0\n";
    for field in ["b", "2"] {
        let run = dedup(&["--format", "tsv", "--field", field, "--id-field", "a", "--dropped", "/dev/null"], rows);
        assert_eq!(run.text(), "a\tb\n1\t你\n");
    }
    let run = dedup(&["--format", "tsv", "--field", "2", "--no-header"], rows);
    assert_eq!((run.text(), run.total("/in")), ("a\tb\n1\t你\n", 3));
    for field in ["text", "3", "0"] {
        let run = dedup(&["--format", "tsv", "--field", field], rows);
        let reason = format!("<stdin>: no column `{field}`, but a, b; --field takes one of these names");
        assert!(run.code == Some(2) && run.stderr.contains(&reason) && run.stdout.is_empty(), "{}", run.stderr);
    }
    let run = dedup(&["--format", "tsv", "--no-header"], rows);
    assert!(run.code == Some(2) && run.stderr.contains("--field 1 for the first"), "{}", run.stderr);
}

#[test]
fn several_tables_have_one_header() {
    let place = Place::new(b"");
    for (name, rows) in [("a.csv", "text\n你好\n"), ("b.csv", "\"text\"\n你好\n再见\n"), ("c.csv", "texts\n再见\n")]
    {
        fs::write(place.path(name), rows).unwrap();
    }
    fs::write(place.path("d.jsonl"), "{\"text\":\"你好\"}\n").unwrap();
    assert_eq!(place.succeed(&["dedup", "-q", "a.csv", "b.csv"]), "text\n你好\n再见\n".as_bytes());
    let told = place.refused(&["dedup", "-q", "a.csv", "c.csv"]);
    assert!(told.contains("c.csv: its header is not that of the files before"), "{told}");
    let told = place.refused(&["dedup", "-q", "a.csv", "d.jsonl"]);
    assert!(told.contains("d.jsonl: it is jsonl, and a.csv is csv"), "{told}");
}

#[test]
fn rows_that_cannot_be_read() {
    let rows = "text,id\n你好,1\n\"再见,2\n\"\"又来,3\n".as_bytes();
    let run = dedup(&["--format", "csv"], rows);
    assert_eq!((&run.stdout[..], run.total("/errors/invalid-csv")), (rows, 2));
    assert!(run.stderr.contains("<stdin>:3: a field begins with a quote that is not closed"), "{}", run.stderr);
    assert!(run.stderr.contains("<stdin>:4: text stands behind the last quote of a field"), "{}", run.stderr);
    let run = dedup(&["--format", "csv", "--output", "annotated"], rows);
    let faulty = r#",,"{""verdict"":""error"",""error"":""invalid-csv"",""raw"":""\""再见,2""}""#;
    assert_eq!(run.text().lines().nth(2), Some(faulty));
    assert!(run.text().ends_with("\"\"raw\"\":\"\"\\\"\"\\\"\"又来,3\"\"}\"\n"), "{}", run.text());
    let long = format!("text\n\"{}\"\n短\n", "长\n".repeat(1000));
    let run = dedup(&["--format", "csv", "--max-line", "500"], long.as_bytes());
    assert_eq!((run.text(), run.total("/errors/line-too-long"), run.total("/kept")), (&long[..], 1, 1));
    let run = dedup(&["--format", "csv", "--encoding", "utf-16"], b"t\0\n\0");
    assert!(run.code == Some(2) && run.stderr.contains("tables in utf-16le are not read"), "{}", run.stderr);
}

#[test]
fn tables_are_read_in_other_encodings() {
    let row = |text: &[u8]| [b"\"", text, b"\n!\",x\n"].concat();
    // 今天武汉的樱花: the post, the post with one more sign, and the post again.
    let post: &[u8] = b"\xbd\xf1\xcc\xec\xce\xe4\xba\xba\xb5\xc4\xd3\xa3\xbb\xa8";
    let (first, header) = (row(post), b"text,id\n".to_vec());
    for encoding in ["gb18030", "auto"] {
        let rows = [&header[..], &first, &row(&[post, b"!"].concat()), &first].concat();
        let run = dedup(&["--format", "csv", "--encoding", encoding, "--near", "none"], &rows);
        assert_eq!(run.total("/dropped/exact"), 1, "{encoding} {}", run.stderr);
        assert!(rows.starts_with(&run.stdout), "{encoding}");
        let run = dedup(&["--format", "csv", "--encoding", encoding, "--output", "annotated"], &rows);
        assert!(run.text().contains("今天武汉的樱花"), "{encoding}");
    }
}

#[test]
#[cfg(unix)]
fn a_run_over_tables_is_taken_up_where_it_was() {
    let place = Place::new(b"");
    let mut rows = String::from("text,id\n");
    (0..20_000).for_each(|id| rows += &format!("\"第{}条\n消息来自{}号\",{id}\n", id % 9000, id % 77));
    fs::write(place.path("in.csv"), &rows).unwrap();
    fs::write(place.path("more.csv"), &rows).unwrap();
    let args = |out| ["dedup", "-q", "--near", "none", "--state", out, "--resume", "in.csv", "more.csv", "-o", out];
    let state = |name: &'static str, out: &'static str| {
        let mut args = args(name);
        args[10] = out;
        args
    };
    let started = std::time::Instant::now();
    place.succeed(&state("whole", "whole.csv"));
    let longest = started.elapsed();
    for share in [2, 5, 8] {
        let mut child = place.command(&state("cut", "cut.csv")).spawn().unwrap();
        std::thread::sleep(longest * share / 10);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    place.succeed(&state("cut", "cut.csv"));
    let [whole, cut] = ["whole.csv", "cut.csv"].map(|name| fs::read_to_string(place.path(name)).unwrap());
    assert!(whole == cut && whole.matches("text,id").count() == 1);
}

/// A row with more fields than the header is an error: most likely its message holds a delimiter that nobody quoted.
#[test]
fn a_row_that_is_too_long_is_an_error() {
    let rows = "id,text\n1,你好,再见\n2,你好,,\n3,你好\n".as_bytes();
    let run = dedup(&["--format", "csv", "--output", "annotated"], rows);
    assert!(run.stderr.contains("<stdin>:2: the row has 3 fields, and the header 2; "), "{}", run.stderr);
    let mut reader = csv::Reader::from_reader(&run.stdout[..]);
    let rows_out: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    let error = r#"{"verdict":"error","error":"invalid-csv","raw":"1,你好,再见"}"#;
    let exact = r#"{"verdict":"exact","of":2}"#;
    assert_eq!(rows_out, [vec!["", "", error], vec!["2", "你好", r#"{"verdict":"kept"}"#], vec!["3", "你好", exact]]);
    // Kept rows leave as they came; with `--on-error fail` such a row ends the run.
    assert_eq!(dedup(&["--format", "csv"], rows).text(), "id,text\n1,你好,再见\n2,你好,,\n");
    let failed = dedup(&["--format", "csv", "--on-error", "fail"], rows);
    assert!(failed.code == Some(2) && failed.stderr.contains("<stdin>:2: the row has 3 fields"), "{}", failed.stderr);
}

#[test]
fn annotated_rows_can_be_annotated_again() {
    let annotate = |rows: &[u8]| dedup(&["--format", "csv", "--output", "annotated", "-q"], rows).stdout;
    let once = annotate("id,text\n1e5,你好\n7,\"你,好\"\n8,你好\n".as_bytes());
    assert!(String::from_utf8_lossy(&once).contains(r#""of"":""1e5""#), "{}", String::from_utf8_lossy(&once));
    assert_eq!(annotate(&once), once);
    // A row that could not be read stays whole, however often it is annotated.
    let twice = annotate(&annotate("id,text\n1,你好\n2,再见,朋友\n".as_bytes()));
    let twice = String::from_utf8(twice).unwrap();
    assert!(twice.contains("再见,朋友") && twice.matches("invalid-csv").count() == 2, "{twice}");
    let place = Place::new(b"{\"quchong\":\"a\"}\n");
    for more in [&["--output", "annotated"][..], &["--output", "dropped"], &["--dropped", "x"]] {
        let told = place.refused(&[&["dedup", "--field", "quchong", "in.jsonl"], more].concat());
        assert!(told.contains("--field quchong: "), "{told}");
    }
    place.succeed(&["dedup", "-q", "--field", "quchong", "in.jsonl"]);
}

#[test]
fn extensions_may_be_in_capitals() {
    let place = Place::new(b"");
    let records = "{\"text\":\"你好\"}\n{\"text\":\"你好\"}\n";
    fs::write(place.path("posts.jsonl"), records).unwrap();
    place.succeed(&["dedup", "-q", "posts.jsonl", "--output", "annotated", "-o", "POSTS.JSONL.GZ"]);
    assert!(fs::read(place.path("POSTS.JSONL.GZ")).unwrap().starts_with(b"\x1f\x8b"));
    let kept = String::from_utf8(place.succeed(&["dedup", "-q", "POSTS.JSONL.GZ"])).unwrap();
    assert!(kept.lines().count() == 1 && kept.starts_with("{\"text\":\"你好\""), "{kept}");
    fs::write(place.path("X.CSV"), "id,text\n1,你好\n2,你好\n").unwrap();
    assert_eq!(place.succeed(&["dedup", "-q", "X.CSV"]), "id,text\n1,你好\n".as_bytes());
}

/// An output whose name does not fit its content is refused before anything is lost.
#[test]
fn an_output_is_called_what_it_is() {
    let place = Place::new(b"{\"text\":\"a\"}\n");
    fs::write(place.path("a.csv"), "id,text\n1,你好\n").unwrap();
    fs::write(place.path("a.tsv"), "id\ttext\n1\t你好\n").unwrap();
    for (input, output, said) in [
        ("a.csv", "out.jsonl", "out.jsonl: the output of a.csv is CSV; name it .csv"),
        ("a.csv", "out.JSONL.zst", "the output of a.csv is CSV"),
        ("a.csv", "out.tsv", "the output of a.csv is CSV"),
        ("in.jsonl", "out.csv", "the output of in.jsonl is JSON objects; name it .jsonl"),
        ("a.tsv", "out.csv", "the output of a.tsv is TSV; name it .tsv"),
        ("in.jsonl", "out.parquet", "the output of in.jsonl is one record a line; name it .jsonl"),
    ] {
        fs::write(place.path(output), "before").unwrap();
        for option in ["--output-file", "--dropped"] {
            let told = place.refused(&["dedup", input, option, output]);
            assert!(told.contains(said) && told.contains(option), "{told}");
            assert_eq!(fs::read(place.path(output)).unwrap(), b"before");
        }
    }
    // A table without the column is refused before the output is begun, too.
    fs::write(place.path("out.csv"), "before").unwrap();
    let told = place.refused(&["dedup", "a.csv", "--field", "txt", "-o", "out.csv"]);
    assert!(told.contains("a.csv: no column `txt`"), "{told}");
    assert_eq!(fs::read(place.path("out.csv")).unwrap(), b"before");
}

#[test]
fn programs_are_completed_and_described() {
    let place = Place::new(b"");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(place.succeed(&["completions", shell])).unwrap();
        assert!(script.contains("files-from"), "{shell}");
    }
    let page = |args: &[&str]| String::from_utf8(place.succeed(args)).unwrap();
    assert!(page(&["man"]).contains(".TH quchong"));
    assert!(page(&["man", "dedup"]).contains(".TH quchong-dedup"));
    assert!(place.refused(&["man", "none"]).contains("none: there is no such command"));
}

/// A table by a pipe has no name that says what it is.
#[test]
fn lines_that_look_like_a_table_are_noticed() {
    let table = "id,内容\n1,今天天气好\n2,\"你好，\n明天见\"\n3,再见\n4,晚安\n";
    let place = Place::new(b"");
    fs::write(place.path("dump"), table).unwrap();
    for command in ["dedup", "check"] {
        let told = |arguments: &[&str]| {
            let run = place.run(&[&[command, "dump"][..], arguments].concat());
            String::from_utf8(run.stderr).unwrap()
        };
        let plain = told(&[]);
        assert!(plain.contains("dump: read as plain text") && plain.contains("--format csv"), "{command}: {plain}");
        assert!(!told(&["--format", "lines"]).contains("plain text"), "{command}");
        assert!(!told(&["--format", "csv", "--field", "内容"]).contains("plain text"), "{command}");
    }
    assert!(dedup(&["-q"], table.as_bytes()).stderr.contains("--format csv"));
    assert!(dedup(&["-q"], "早上好\n吃了吗\n再见\n".as_bytes()).stderr.is_empty());
}
