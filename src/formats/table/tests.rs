use proptest::prelude::*;

use super::*;

fn path(spelled: &str) -> FieldPath {
    FieldPath::parse("--field", spelled).unwrap()
}

/// The rows between the ends that are found when the bytes come in pieces of this length.
fn rows(bytes: &[u8], delimiter: u8, piece: usize) -> Vec<&[u8]> {
    let mut rows = RowSplitter::new(delimiter);
    let (mut looked, mut end, mut start) = (0, 0, 0);
    while end < bytes.len() {
        end = bytes.len().min(end + piece);
        looked = rows.look(&bytes[..end], looked, false);
    }
    rows.look(bytes, looked, true);
    let mut found = Vec::new();
    while let Some(end) = rows.end_after(start) {
        found.push(&bytes[start..end]);
        start = end;
    }
    if start < bytes.len() {
        found.push(&bytes[start..]);
    }
    found
}

/// The values of the fields of a row.
fn values(table: &Table, row: &[u8]) -> Vec<String> {
    table.fields(str::from_utf8(row).unwrap()).map(|field| unquoted(field).into_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(2000) })]

    /// The csv crate reads the text as a whole; here rows are found first, and each is read by itself.
    #[test]
    fn rows_and_fields_are_those_of_another_reader(text in "(\u{feff})?[ab去\",\t\r\n]{0,40}", piece in 1_usize..9, tabs: bool) {
        let delimiter = if tabs { b'\t' } else { b',' };
        let mut reader = csv::ReaderBuilder::new();
        reader.delimiter(delimiter).has_headers(false).flexible(true);
        // For the csv crate, a lone `\r` ends a row.
        let text = text.replace("\r\n", "\n").replace('\r', "").replace('\n', "\r\n");
        let bytes = text.as_bytes();
        let theirs = reader.from_reader(bytes).into_records().map(Result::unwrap);
        let theirs: Vec<Vec<String>> = theirs.map(|record| record.iter().map(str::to_owned).collect()).collect();
        let mut whole = RowSplitter::new(delimiter);
        whole.look(bytes, 0, true);
        // A row with an unclosed quote is a fault, and has no fields.
        prop_assume!(!whole.has_misquoted());
        let table = Table::new(delimiter);
        let ours: Vec<Vec<String>> = rows(bytes, delimiter, piece)
            .into_iter()
            .map(line_content)
            .filter(|row| !row.is_empty())
            .map(|row| values(&table, row))
            .collect();
        prop_assert_eq!(ours, theirs);
        prop_assert!(rows(bytes, delimiter, piece).concat() == bytes);
    }
}

/// Which rows have wrong quotes does not depend on how the bytes come.
#[test]
fn text_behind_a_last_quote_is_wrong() {
    let wrong = |bytes: &[u8], delimiter: u8| {
        let mut rows = RowSplitter::new(delimiter);
        rows.look(bytes, 0, true);
        let mut found = Vec::new();
        let mut start = 0;
        while let Some(end) = rows.end_after(start) {
            found.push((str::from_utf8(&bytes[start..end]).unwrap().to_owned(), rows.is_misquoted(end)));
            start = end;
        }
        for piece in 1..bytes.len() {
            let mut pieces = RowSplitter::new(delimiter);
            let (mut looked, mut end) = (0, 0);
            while end < bytes.len() {
                end = bytes.len().min(end + piece);
                looked = pieces.look(&bytes[..end], looked, end == bytes.len());
            }
            pieces.look(bytes, looked, true);
            let (mut start, mut ends) = (0, Vec::new());
            while let Some(end) = pieces.end_after(start) {
                ends.push((str::from_utf8(&bytes[start..end]).unwrap().to_owned(), pieces.is_misquoted(end)));
                start = end;
            }
            assert_eq!(ends, found, "{piece} bytes at a time");
        }
        found
    };
    let rows = |rows: &[(&str, bool)]| rows.iter().map(|(row, is)| ((*row).to_owned(), *is)).collect::<Vec<_>>();
    for (bytes, delimiter, expected) in [
        ("a,\"b\"c\nd,e\n", b',', rows(&[("a,\"b\"c\n", true), ("d,e\n", false)])),
        ("a,\"b\"  \nd,\"e\" ,f\r\n", b',', rows(&[("a,\"b\"  \n", false), ("d,\"e\" ,f\r\n", false)])),
        ("a\t\"b\" c\nd\te\n", b'\t', rows(&[("a\t\"b\" c\n", false), ("d\te\n", false)])),
        // One quote too many opens a field, which the quote of the next row ends.
        ("a,b\n1,\"x\"\"\n2,\"y\"\n", b',', rows(&[("a,b\n", false), ("1,\"x\"\"\n", true), ("2,\"y\"\n", false)])),
        (
            "a\tb\n1\t\"x\"\"\n2\t\"y\"\n",
            b'\t',
            rows(&[("a\tb\n", false), ("1\t\"x\"\"\n", true), ("2\t\"y\"\n", false)]),
        ),
        (
            "a,b\n1,\"x\"y,\"z\"\"\n2,\"y\"\n",
            b',',
            rows(&[("a,b\n", false), ("1,\"x\"y,\"z\"\"\n", true), ("2,\"y\"\n", false)]),
        ),
        // Lines that are no rows belong to the row, up to the line with the wrong quote.
        (
            "a,b\n1,\"x\nhe said \"y\" once\n2,z\n",
            b',',
            rows(&[("a,b\n", false), ("1,\"x\nhe said \"y\" once\n", true), ("2,z\n", false)]),
        ),
    ] {
        assert_eq!(wrong(bytes.as_bytes(), delimiter), expected, "{bytes:?}");
    }
}

#[test]
fn line_ends_in_fields_and_behind_rows() {
    let bytes = b"a,\"b\r\n\"\"c\"\r\n\r\nd,e\"f\n\"g\n";
    for piece in 1..9 {
        let rows = rows(bytes, b',', piece);
        assert_eq!(rows, [&b"a,\"b\r\n\"\"c\"\r\n"[..], b"\r\n", b"d,e\"f\n", b"\"g\n"]);
        let fields = |row: &[u8]| values(&Table::new(b','), line_content(row));
        assert_eq!(fields(rows[0]), ["a", "b\r\n\"c"]);
        assert_eq!(fields(rows[2]), ["d", "e\"f"]);
    }
}

#[test]
fn records() {
    let table = Table::new(b',').with_header(b"\xEF\xBB\xBFid,text,at,3\r\n");
    let parser = |field: &str| Parser {
        field: path(field),
        id_field: path("id"),
        time_field: Some(path("at")),
        seq_field: None,
        further: Default::default(),
    };
    let parsed = |field, row: &str| {
        let parsed = table.parse(row, &parser(field)).map_err(|fault| (fault.kind, fault.reason))?;
        Ok((parsed.text.into_owned(), parsed.id.map(Cow::into_owned), parsed.time))
    };
    let found = |text: &str, id: Option<&str>, time| Ok((text.to_owned(), id.map(str::to_owned), time));
    assert_eq!(parsed("text", "7,你好,2,x"), found("你好", Some("7"), Some(2000)));
    assert_eq!(parsed("text", "007,你好"), found("你好", Some("\"007\""), None));
    assert_eq!(
        parsed("text", "a\"b,你好, 2018-10-31 04:00:00 "),
        found("你好", Some(r#""a\"b""#), Some(1_540_958_400_000))
    );
    assert_eq!(parsed("2", ",\"你,好\""), found("你,好", None, None));
    // A name is preferred to a number.
    assert_eq!(parsed("3", "1,2,3,4"), found("4", Some("1"), Some(3000)));
    let missing = |reason: &str| Err((FaultKind::MissingField, reason.to_owned()));
    assert_eq!(parsed("text", "7"), missing("the row has 1 field, and column `text` would be number 2"));
    // Anything that is not a whole number in its usual form stays as it is.
    for (id, json) in
        [("0", "0"), ("-7", "-7"), ("1e5", r#""1e5""#), ("1.50", r#""1.50""#), ("-0", r#""-0""#), ("-", r#""-""#)]
    {
        assert_eq!(parsed("text", &format!("{id},你好")), found("你好", Some(json), None));
    }
    // Additional fields are ignored if they are empty.
    assert_eq!(parsed("text", "7,你好,2,x,,"), found("你好", Some("7"), Some(2000)));
    let (kind, reason) = parsed("text", "7,你好,2,x,,再见").unwrap_err();
    assert!(
        kind == FaultKind::InvalidCsv && reason.starts_with("the row has 6 fields, and the header 4; "),
        "{reason}"
    );
    assert_eq!(
        parsed("txt", "7"),
        missing("no column `txt`, but id, text, at, 3; --field takes one of these names, or a number")
    );
}

#[test]
fn annotated_rows() {
    let table = Table::new(b'\t').with_header(b"id\ttext");
    for (row, is_whole, expected) in [
        ("1\t去重", true, "1\t去重\t\"{\"\"of\"\":1}\""),
        ("1", true, "1\t\t\"{\"\"of\"\":1}\""),
        ("1\t\"x", false, "\t\t\"{\"\"of\"\":1,\"\"raw\"\":\"\"1\\t\\\"\"x\"\"}\""),
    ] {
        let mut out = String::new();
        match is_whole {
            true => table.annotate(row, r#"{"of":1}"#, &mut out),
            false => table.annotate_unread(r#""raw":"1\t\"x""#, r#"{"of":1}"#, &mut out),
        }
        assert_eq!(out, expected);
    }
    // The older verdict is replaced, and additional fields are left out.
    let table = Table::new(b',').with_header(b"id,quchong,text");
    for (row, expected) in [
        (r#"1,"{""a"":[1,2]}",去重"#, r#"1,去重,"{""of"":1}""#),
        (r#"1,,"去,重",,"#, r#"1,"去,重","{""of"":1}""#),
        ("1", r#"1,,"{""of"":1}""#),
    ] {
        let mut out = String::new();
        table.annotate(row, r#"{"of":1}"#, &mut out);
        assert_eq!(out, expected);
    }
    let mut out = String::new();
    table.annotate_header("id,quchong,text", &mut out);
    assert_eq!(out, "id,text,quchong");
}
