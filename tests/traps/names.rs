//! Wrong names do not pass silently: the exit code is 3, and a message comes even under `-q`.

use super::{Place, records};

#[test]
fn a_field_that_is_not_there_is_told() {
    let place =
        Place::new().with("in.jsonl", records(40)).with("two.jsonl", "{\"txt\":\"好\"}\n".repeat(3) + &records(5));
    for args in [
        &["--field", "txt"][..],
        &["--field", "txt", "--on-error", "drop"],
        &["-f", "jsonl", "--id-field", "x", "--field", "user.text", "--output", "annotated"],
    ] {
        let run = place.run(&[&["dedup", "-q", "in.jsonl"], args].concat());
        assert_eq!((run.code, run.said.lines().count()), (Some(3), 1), "{args:?}: {}", run.said);
        assert!(run.said.contains("in.jsonl: 40 of 40 records could not be judged"), "{}", run.said);
        assert!(run.said.contains("--field names another"), "{}", run.said);
    }
    // It is enough if one of several inputs has the field, and a few records may lack it.
    let run = place.run(&["dedup", "-q", "two.jsonl", "in.jsonl"]);
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
    let run = place.run(&["dedup", "-q", "two.jsonl", "in.jsonl", "--strict"]);
    assert_eq!(run.code, Some(3));
    assert!(run.said.contains("--strict: 3 of 48 records could not be judged"), "{}", run.said);
    assert_eq!(place.run(&["dedup", "-q", "in.jsonl", "--strict"]).code, Some(0));
    let place = place.with("no.jsonl", "{\"txt\":\"好\"}\n{\"txt\":\"再见\"}\n");
    let run = place.run(&["dedup", "-q", "in.jsonl", "no.jsonl"]);
    assert_eq!(run.code, Some(3));
    assert!(run.said.contains("no.jsonl: 2 of 2"), "{}", run.said);
    // An empty input is no mistake.
    assert_eq!(place.fed(&["dedup", "-q"], b"").code, Some(0));
    assert_eq!(place.fed(&["dedup", "-q"], b"\n\n").code, Some(0));
}

#[test]
fn clusters_tell_it_too() {
    let place = Place::new().with("in.jsonl", records(4));
    let run = place.run(&["clusters", "-q", "in.jsonl", "--field", "txt"]);
    assert_eq!((run.code, run.said.lines().count()), (Some(3), 1), "{}", run.said);
    assert!(run.said.contains("4 of 4 records could not be judged"), "{}", run.said);
    assert_eq!(place.run(&["clusters", "-q", "in.jsonl"]).code, Some(0));
}

/// A missing field is reported while a feed runs, because a feed has no end.
#[test]
fn a_feed_is_told_while_it_runs() {
    let place = Place::new();
    let mut child = place
        .command(&["dedup", "-q", "--field", "txt", "-f", "jsonl"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, records(1500).as_bytes()).unwrap();
    let mut said = String::new();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    // The message comes before the feed ends.
    std::io::BufRead::read_line(&mut stderr, &mut said).unwrap();
    assert!(said.contains("records can be judged"), "{said}");
    drop(stdin);
    assert_eq!(super::ended(child).code, Some(3));
}

#[test]
fn a_time_field_that_is_not_there_is_told() {
    let input: String =
        records(40).lines().enumerate().map(|(at, line)| line.replace('}', &format!(",\"at\":{at}}}\n"))).collect();
    let place = Place::new().with("in.jsonl", input);
    let run = place.run(&["dedup", "-q", "in.jsonl", "--window", "24h", "--time-field", "at"]);
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
    let run = place.run(&["dedup", "-q", "in.jsonl", "--window", "24h", "--time-field", "att"]);
    assert_eq!((run.code, run.said.lines().count()), (Some(3), 1), "{}", run.said);
    assert!(run.said.contains("40 of 40 messages have no time") && run.said.contains("--time-field"), "{}", run.said);
}

#[test]
fn a_time_field_that_is_not_there_is_told_by_what_uses_it() {
    let input: String = records(40).replace('}', ",\"at\":7}");
    let place = Place::new().with("in.jsonl", input);
    for (command, right) in [
        (&["clusters", "-q", "in.jsonl"][..], true),
        (&["clusters", "-q", "in.jsonl", "--time-field", "at"], true),
        (&["clusters", "-q", "in.jsonl", "--time-field", "tyme"], false),
        (&["dedup", "-q", "in.jsonl", "--represent", "newest"], false),
        (&["dedup", "-q", "in.jsonl", "--represent", "newest", "--time-field", "at"], true),
        (&["dedup", "-q", "in.jsonl", "--represent", "newest", "--time-field", "tyme"], false),
        (&["dedup", "-q", "in.jsonl", "--report", "r.html", "--time-field", "tyme"], false),
    ] {
        let run = place.run(command);
        assert_eq!(
            (run.code, run.said.is_empty()),
            (Some(if right { 0 } else { 3 }), right),
            "{command:?}: {}",
            run.said
        );
        assert!(
            right || run.said.contains("--time-field: 40 of 40 messages have no time"),
            "{command:?}: {}",
            run.said
        );
    }
}

#[test]
fn an_id_field_that_is_not_there_is_told() {
    let place =
        Place::new().with("in.jsonl", records(40)).with("none.jsonl", "{\"text\":\"好\"}\n{\"text\":\"再见\"}\n");
    for output in [&["--output", "annotated"][..], &["--dropped", "d.jsonl"], &["--state", "state"]] {
        let run = place.run(&[&["dedup", "-q", "in.jsonl", "--id-field", "nope"], output].concat());
        assert_eq!((run.code, run.said.lines().count()), (Some(3), 1), "{output:?}: {}", run.said);
        assert!(run.said.contains("--id-field: 40 of 40 records have no id"), "{output:?}: {}", run.said);
    }
    // Missing ids are not reported if nobody said that there are any.
    let run = place.run(&["dedup", "-q", "none.jsonl", "--output", "annotated"]);
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
}

#[test]
fn sketches_tell_it_too() {
    let place = Place::new().with("in.jsonl", records(40));
    let run = place.run(&["sketch", "-q", "in.jsonl", "--field", "txt"]);
    assert_eq!((run.code, run.said.lines().count()), (Some(3), 1), "{}", run.said);
    assert!(run.said.contains("40 of 40 records could not be judged"), "{}", run.said);
    assert_eq!(place.run(&["sketch", "-q", "in.jsonl"]).code, Some(0));
    // A program that asks for Arrow streams sees the error of each record.
    assert_eq!(place.run(&["sketch", "-q", "in.jsonl", "--field", "txt", "--rows", "arrow"]).code, Some(0));
}

/// The tables of exit codes in the reference list every code, and commands end with 0, 2 and 3 as the tables say.
#[test]
fn exit_codes_are_those_of_the_table() {
    let place = Place::new().with("in.jsonl", records(3));
    let codes = [
        (0, place.run(&["dedup", "in.jsonl"]).code),
        (2, place.run(&["dedup", "missing.jsonl"]).code),
        (2, place.run(&["dedup", "--no-such-option"]).code),
        (3, place.run(&["dedup", "in.jsonl", "--field", "txt"]).code),
    ];
    for (expected, code) in codes {
        assert_eq!(code, Some(expected));
    }
    for page in ["docs/reference/exit-codes.md", "docs/zh/reference/exit-codes.md"] {
        let text = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
        let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
        let told: Vec<i32> = rows.filter_map(|(code, _)| code.parse().ok()).collect();
        assert_eq!(told, [0, 1, 2, 3, 129, 130, 143], "{page}");
    }
}
