//! A record that is too long to be judged is written whole, or left out whole and named. It is never written in part.

use serde_json::Value;

use super::Place;

/// Three records, of which the second has a text of `long` characters; and the second record alone.
fn three(long: usize) -> (String, String) {
    let long = format!("{{\"id\":2,\"text\":\"{}\"}}\n", "长".repeat(long));
    (format!("{{\"id\":1,\"text\":\"早上好\"}}\n{long}{{\"id\":3,\"text\":\"晚上好\"}}\n"), long)
}

#[test]
fn a_record_that_is_too_long_is_whole_or_named() {
    let (input, long) = three(1_000_000);
    let place = Place::new().with("in.jsonl", &input);
    let base = ["dedup", "in.jsonl", "--max-line", "1MiB", "--summary", "sum.json"];
    // Annotated output has all records, also those that go to --dropped.
    let outputs: [(&[&str], usize); 4] = [
        (&["--output", "annotated"], 1),
        (&["--output", "annotated", "--on-error", "drop", "--dropped", "dropped.jsonl"], 2),
        (&["--output", "dropped", "--on-error", "drop"], 1),
        (&["--on-error", "drop", "--dropped", "dropped.jsonl"], 1),
    ];
    for (output, expected) in outputs {
        let run = place.run(&[&base[..], output].concat());
        assert_eq!(run.code, Some(0), "{output:?}: {}", run.said);
        assert!(run.said.contains("in.jsonl:2: the line is too long"), "{output:?}: {}", run.said);
        assert_eq!(place.json("sum.json")["errors"]["line-too-long"], 1, "{output:?}");
        let dropped = if output.contains(&"--dropped") { place.text("dropped.jsonl") } else { String::new() };
        let mut named = 0;
        for line in run.out.lines().chain(dropped.lines()) {
            assert!(line.len() < 200, "{output:?}: a part of it, {} bytes", line.len());
            let record: Value = serde_json::from_str(line).unwrap();
            if record["quchong"]["error"] == "line-too-long" {
                assert_eq!((&record["raw"], &record["at"]), (&Value::Null, &Value::from("in.jsonl:2")));
                named += 1;
            }
        }
        assert_eq!(named, expected, "{output:?}");
    }
    // If records leave as they came, the long one does, too.
    assert_eq!(place.run(&base).out, input);
    assert_eq!(place.run(&[&base[..], &["--on-error", "drop"]].concat()).out, input.replace(&long, ""));
}

/// Records that no output has are reported even under `-q`.
#[test]
fn records_that_no_output_has_are_told_in_any_case() {
    let input: String = (1..=7).map(|_| three(500).0).collect();
    let place = Place::new().with("in.jsonl", &input);
    let base = ["dedup", "-q", "in.jsonl", "--max-line", "1k"];
    for output in [&["--output", "annotated"][..], &["--on-error", "drop"], &["--output", "dropped"]] {
        let run = place.run(&[&base[..], output].concat());
        assert_eq!((run.code, run.said.lines().count()), (Some(0), 1), "{output:?}: {}", run.said);
        let said = "quchong: warning: --max-line: 7 records were longer, and no output has their content: in.jsonl:2, in.jsonl:5, in.jsonl:8, ";
        assert!(run.said.contains(said), "{output:?}: {}", run.said);
    }
    // If all records leave as they came, there is nothing to report.
    let run = place.run(&base);
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
}

/// A record that cannot be judged for another reason is in memory as a whole, and leaves whole.
#[test]
fn a_record_that_is_no_json_is_not_cut() {
    let line = format!("{{\"text\":\"{}", "长".repeat(100_000));
    let place = Place::new().with("in.jsonl", format!("{{\"text\":\"好\"}}\n{line}\n{{\"text\":\"再见\"}}\n"));
    let run = place.run(&["dedup", "-q", "in.jsonl", "--output", "annotated"]);
    let record: Value = serde_json::from_str(run.out.lines().nth(1).unwrap()).unwrap();
    assert_eq!(record["quchong"]["error"], "invalid-json");
    assert_eq!(record["raw"].as_str().unwrap().len(), line.len());
}

#[test]
fn a_row_that_is_too_long_is_named_in_its_column() {
    let long = "长".repeat(1000);
    let place = Place::new().with("in.csv", format!("id,text\n1,早上好\n2,{long}\n3,晚上好\n"));
    let run = place.run(&["dedup", "-q", "in.csv", "--max-line", "1k", "--output", "annotated"]);
    assert_eq!(run.code, Some(0), "{}", run.said);
    let row = run.out.lines().nth(2).unwrap();
    assert!(row.len() < 150 && row.starts_with(",,\"{"), "{row}");
    assert!(row.contains("\"\"raw\"\":null,\"\"at\"\":\"\"in.csv:3\"\""), "{row}");
    // An annotated error is still no message when it is read again.
    let again = Place::new().with("in.csv", &run.out);
    let run = again.run(&["dedup", "-q", "in.csv", "--summary", "sum.json"]);
    assert_eq!((run.code, &again.json("sum.json")["errors"]["total"]), (Some(0), &Value::from(1)), "{}", run.said);
}
