//! Inputs in another form than their names say. Each refusal says what is the matter, and what to do.

use super::Place;

/// Runs `dedup` over a file, and returns its exit code and what it says of the first line.
fn told(name: &str, content: &str) -> (Option<i32>, String) {
    let run = Place::new().with(name, content).run(&["dedup", name]);
    (run.code, run.said)
}

#[test]
fn a_wrong_extension_is_told() {
    let jsonl = "{\"id\":1,\"text\":\"早安\"}\n{\"id\":2,\"text\":\"晚安\"}\n";
    for name in ["in.csv", "in.tsv"] {
        let (code, said) = told(name, jsonl);
        assert!(code == Some(2) && said.contains("not a header; add --format jsonl"), "{name}: {said}");
    }
    let (code, said) = told("in.jsonl", "id,text\n1,早安\n");
    assert!(code == Some(3) && said.contains("at column 1; if this is a table, add --format csv or tsv"), "{said}");
    // One broken line among records of JSON is no sign of a table.
    let (_, said) = told("in.jsonl", &format!("{jsonl}{{\"id\":3,\n"));
    assert!(said.contains("in.jsonl:3: not JSON: ") && !said.contains("--format"), "{said}");
}

#[test]
fn objects_that_share_a_line_or_end_in_a_comma_are_told() {
    for (content, advice) in [
        ("{\"text\":\"早安\"},\r\n{\"text\":\"晚安\"} , \n", "in.jsonl:2: a comma follows the object"),
        ("{\"text\":\"早安\"}{\"text\":\"晚安\"}\n", "in.jsonl:1: several objects on one line"),
        ("{\"text\":\"早安\"} {\"text\":\"晚安\"}\n", "in.jsonl:1: several objects on one line"),
    ] {
        let (code, said) = told("in.jsonl", content);
        assert!(code == Some(3) && said.contains(advice), "{content}: {said}");
    }
    let (_, said) = told("in.jsonl", "{\"text\":\"早安\"} x\n");
    assert!(said.contains("in.jsonl:1: not JSON: trailing characters at column"), "{said}");
}

#[test]
fn what_stands_above_a_header_is_skipped_or_told() {
    let (code, said) = told("in.csv", "舆情日报,,\nid,text,by\n1,早安,王\n");
    assert!(code == Some(2) && said.contains("but 舆情日报: this looks like a title above the header"), "{said}");
    let (_, said) = told("in.csv", "id,,by\n1,早安,王\n");
    assert!(!said.contains("title"), "{said}");
    for above in ["sep=,\r\n", "\u{feff}SEP=,\n", "\n\nsep=,\n\n"] {
        let place = Place::new().with("in.csv", format!("{above}id,text,by\n1,早安,王\n2,早安,李\n"));
        let run = place.run(&["dedup", "in.csv", "--strict"]);
        // Blank lines pass through.
        let out = run.out.trim_start().replace('\n', "|");
        assert_eq!((run.code, &*out), (Some(0), "id,text,by|1,早安,王|"), "{above:?}: {}", run.said);
    }
    // A pipe may bring the line alone.
    let run = Place::new().fed(&["dedup", "--format", "tsv", "-q"], b"sep=\t\nid\ttext\n1\tx\n");
    assert_eq!(run.out, "id\ttext\n1\tx\n", "{}", run.said);
    let (_, said) = told("in.csv", "sep=;\nid;text\n1;早安\n");
    assert!(said.contains("semicolons separate its columns"), "{said}");
    // A message that says so is one.
    let run = Place::new().with("in.csv", "text,n\nsep=,\n").run(&["dedup", "-q", "in.csv"]);
    assert_eq!(run.out, "text,n\nsep=,\n");
}

#[test]
fn blanks_around_names_of_columns_do_not_count() {
    let place = Place::new().with("in.csv", " id , text \n1,早安\n2,早安\n");
    let run = place.run(&["dedup", "-q", "in.csv", "--output", "annotated", "--strict"]);
    let expected = " id , text ,quchong\n1,早安,\"{\"\"verdict\"\":\"\"kept\"\"}\"\n\
                    2,早安,\"{\"\"verdict\"\":\"\"exact\"\",\"\"of\"\":1}\"\n";
    assert_eq!((run.code, &*run.out), (Some(0), expected), "{}", run.said);
}
