//! An unclosed quote costs only its own row, not the rest of the table.

use super::{Place, unlike};

/// A table of `id,text` with this many rows; the messages of the rows in `bad` begin with a quote.
fn table(rows: usize, bad: &[usize]) -> String {
    let row = |id: usize| format!("{id},{}{}\n", if bad.contains(&id) { "\"" } else { "" }, unlike(id));
    "id,text\n".to_owned() + &(1..=rows).map(row).collect::<String>()
}

#[test]
fn one_row_is_at_fault_and_the_others_are_read() {
    for (rows, bad) in [(60_000, vec![3]), (500, vec![3]), (60_000, vec![100, 30_000, 59_999]), (50, vec![50])] {
        let input = table(rows, &bad);
        let place = Place::new().with("in.csv", &input);
        let run = place.run(&["dedup", "--near=none", "in.csv", "--summary", "sum.json"]);
        let sum = place.json("sum.json");
        assert_eq!(
            (&sum["in"], &sum["errors"]["total"]),
            (&rows.into(), &bad.len().into()),
            "{rows} {bad:?}: {}",
            run.said
        );
        // The faulty row passes through unchanged, with the others.
        assert!(run.code == Some(0) && run.out == input, "{rows} {bad:?}");
        let line = format!("in.csv:{}: a field begins with a quote that is not closed", bad[0] + 1);
        assert!(run.said.contains(&line), "{rows} {bad:?}: {}", run.said);
        // `--on-error` decides about that row alone.
        let drop = place.run(&["dedup", "-q", "--near=none", "in.csv", "--on-error", "drop"]);
        assert!(drop.out.lines().count() == 1 + rows - bad.len(), "{rows} {bad:?}");
        let fail = place.run(&["dedup", "-q", "--near=none", "in.csv", "--on-error", "fail"]);
        assert!(fail.code == Some(2) && fail.out.lines().count() == bad[0], "{rows} {bad:?}: {}", fail.said);
        // The result does not depend on how the bytes arrive.
        if rows == 500 {
            for piece in [1, 7, 4000] {
                assert_eq!(in_pieces(&place, input.as_bytes(), piece), input, "{piece} bytes at a time");
            }
        }
    }
}

fn in_pieces(place: &Place, input: &[u8], piece: usize) -> String {
    let args = ["dedup", "-q", "--near=none", "-f", "csv", "--summary", "pieces.json"];
    let mut child = place.command(&args).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
    let writer = std::thread::spawn(move || {
        input.chunks(piece).for_each(|piece| std::io::Write::write_all(&mut stdin, piece).unwrap());
    });
    let run = super::ended(child);
    writer.join().unwrap();
    assert_eq!(place.json("pieces.json")["in"], 500);
    run.out
}

/// An unclosed quote is an error even if the quote of the next quoted field could close it: two messages must not become one.
#[test]
fn the_next_quote_does_not_hide_it() {
    let rows = "id,text\n1,\"早上好\n2,\"再见，明天见\"\n3,\"他说\"\"好\"\"\n就走了\"\n4,晚安\n";
    let place = Place::new().with("in.csv", rows);
    let run = place.run(&["dedup", "in.csv", "--output", "annotated"]);
    assert!(run.said.contains("in 4 = kept 3 "), "{}", run.said);
    assert!(run.said.contains("in.csv:2: a field begins with a quote"), "{}", run.said);
    assert!(run.out.contains("3,\"他说\"\"好\"\"\n就走了\","), "{}", run.out);
}

/// Quoted messages of many lines are read as messages, even if they are long.
#[test]
fn long_messages_in_quotes_are_read() {
    let text = |lines: usize| (0..lines).map(|line| format!("{} 第{line}行\n", unlike(line))).collect::<String>();
    let rows = format!("id,text\n1,\"{}\"\n2,\"{}\"\n3,短\n", text(900), text(5000));
    let place = Place::new().with("in.csv", &rows);
    let run = place.run(&["dedup", "in.csv"]);
    assert!(run.said.contains("in 3 = kept 3 "), "{}", run.said);
    assert!(run.out == rows);
}

/// A run ends with an error if nobody can say where a quoted field ends, as in a table of one column, where any line could be a row.
#[test]
fn what_cannot_be_told_ends_the_run() {
    let rows: String = (1..5000).map(|row| unlike(row) + "\n").collect();
    let place = Place::new().with("in.csv", format!("text\n{}\n\"{rows}", unlike(9999)));
    let run = place.run(&["dedup", "-q", "in.csv"]);
    assert_eq!(run.code, Some(2), "{}", run.said);
    assert!(run.said.contains("in.csv") && run.said.contains("opens a field in line 3"), "{}", run.said);
    assert_eq!(run.out.lines().count(), 2);
    // A few lines at the end may be rows and are read as rows: only the line with the quote is at fault.
    let place = place.with("in.csv", "text\n一\n\"二\n三\n四\n");
    let run = place.run(&["dedup", "in.csv", "--on-error", "drop"]);
    assert!(run.said.contains("in.csv:3: a field begins with a quote that is not closed"), "{}", run.said);
    assert!(run.said.contains("in 4 = kept 3 ") && run.out == "text\n一\n三\n四\n", "{}", run.said);
    // Two quotes make one message of all the rows between them. It may be one message, so this is only reported.
    let place = place.with("in.csv", "text\n一\n\"二\n三\n四\"\n五\n");
    let run = place.run(&["dedup", "-q", "in.csv", "--summary", "sum.json"]);
    assert!(run.said.contains("in.csv:3: the lines of a field in quotes look like rows"), "{}", run.said);
    assert_eq!((&place.json("sum.json")["in"], &place.json("sum.json")["joined"]), (&3.into(), &1.into()));
}

/// An extra quote after each message makes each row an error, and joins no row with the next one.
#[test]
fn a_quote_too_many_joins_no_rows() {
    let rows: String = (1..=600).map(|id| format!("{id},\"{}\"\"\n", unlike(id))).collect();
    let input = "id,text\n".to_owned() + &rows;
    let place = Place::new().with("in.csv", &input);
    let run = place.run(&["dedup", "--near=none", "in.csv", "--summary", "sum.json"]);
    let sum = place.json("sum.json");
    assert_eq!((&sum["in"], &sum["errors"]["invalid-csv"]), (&600.into(), &600.into()), "{}", run.said);
    assert!(run.code == Some(3) && run.out == input, "{}", run.said);
    // One such row among good ones is one error, under every value of `--on-error`.
    let row = |id: usize| format!("{id},\"{}\"{}\n", unlike(id), if id == 7 { "\"" } else { "" });
    let input = "id,text\n".to_owned() + &(1..=600).map(row).collect::<String>();
    let place = Place::new().with("in.csv", &input);
    for on_error in ["pass", "drop", "fail"] {
        let run = place.run(&["dedup", "--near=none", "in.csv", "--summary", "sum.json", "--on-error", on_error]);
        assert!(run.said.contains("in.csv:8: "), "{on_error}: {}", run.said);
        let (code, left) = match on_error {
            "pass" => (0, 601),
            "drop" => (0, 600),
            _ => (2, 7),
        };
        assert_eq!((run.code, run.out.lines().count()), (Some(code), left), "{on_error}: {}", run.said);
        if on_error != "fail" {
            let sum = place.json("sum.json");
            assert_eq!((&sum["in"], &sum["errors"]["invalid-csv"]), (&600.into(), &1.into()), "{}", run.said);
        }
    }
}

/// Text after the closing quote of a field is an error: by RFC 4180 it is not part of the field, so the message is unknown.
#[test]
fn text_behind_a_last_quote_is_an_error() {
    let place =
        Place::new().with("in.csv", "id,text\n1,\"早上好\"再见\n2,\"晚安\" \n3,好\n4,\"一\n他说\"好\"了\n5,二\n");
    let run = place.run(&["dedup", "in.csv", "--output", "annotated"]);
    assert!(run.said.contains("in 5 = kept 3 ") && run.said.contains("errors 2"), "{}", run.said);
    assert!(run.said.contains("in.csv:2: text stands behind the last quote of a field; double"), "{}", run.said);
    assert!(run.said.contains("in.csv:5: text stands behind"), "{}", run.said);
    assert!(run.said.contains("the line behind it is taken for part of it"), "{}", run.said);
    assert_eq!(place.run(&["dedup", "-q", "in.csv"]).out, place.text("in.csv"));
    // TSV is often written without any quoting.
    let place = Place::new().with("in.tsv", "id\ttext\n1\t\"早上好\"再见\n2\t好\n");
    let run = place.run(&["dedup", "in.tsv"]);
    assert!(run.said.contains("in 2 = kept 2 "), "{}", run.said);
}

/// Rows that become one legal row through a stray quote and another one at the end of a later row are reported. They were once joined
/// silently.
#[test]
fn rows_that_a_stray_quote_joins_are_told() {
    let row = |id: usize| format!("{id},{}\n", unlike(id));
    let rows = |ids: std::ops::Range<usize>| ids.map(row).collect::<String>();
    for (table, line, records) in [
        // One text begins with a quote, and a later one ends with a quote.
        (
            format!(
                "id,text\n{}51,\"{}\n{}60,{}\"\n{}",
                rows(1..51),
                unlike(51),
                rows(52..60),
                unlike(60),
                rows(61..70)
            ),
            52,
            60,
        ),
        // Two rows are enough, and the field need not be the last.
        (format!("id,text\n1,\"{}\n2,{}\"\n3,好\n", unlike(1), unlike(2)), 2, 2),
        ("id,text,x\n1,\"甲,一\n2,乙,二\n3,丙\",三\n4,丁,四\n".to_owned(), 2, 2),
    ] {
        let place = Place::new().with("in.csv", &table);
        let run = place.run(&["dedup", "-q", "--near=none", "in.csv", "--summary", "sum.json"]);
        assert_eq!((run.code, run.said.lines().count(), run.out == table), (Some(0), 1, true), "{}", run.said);
        let said = format!("in.csv:{line}: the lines of a field in quotes look like rows");
        assert!(run.said.contains(&said), "{}", run.said);
        let sum = place.json("sum.json");
        assert_eq!((&sum["in"], &sum["joined"]), (&records.into(), &1.into()), "{table}");
    }
    // Messages of several lines are not reported, even if they contain commas.
    let messages = "id,text\n1,\"早上好\n再见,明天见\"\n2,\"1,一\n二\n3,三\"\n3,\"甲\n\n4,乙\"\n";
    let place = Place::new().with("in.csv", messages);
    let run = place.run(&["dedup", "-q", "in.csv", "--summary", "sum.json"]);
    assert_eq!((run.code, run.said.as_str(), &place.json("sum.json")["joined"]), (Some(0), "", &0.into()));
    // The result does not depend on how the bytes arrive, and many joined rows are reported once.
    let many: String = (0..500)
        .map(|at| format!("{},\"{}\n{},{}\"\n", at * 2, unlike(at * 2), at * 2 + 1, unlike(at * 2 + 1)))
        .collect();
    for piece in [7, 4000] {
        assert_eq!(
            in_pieces(&place, ("id,text\n".to_owned() + &many).as_bytes(), piece),
            "id,text\n".to_owned() + &many
        );
        assert_eq!(place.json("pieces.json")["joined"], 500, "{piece} bytes at a time");
    }
}
