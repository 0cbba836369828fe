//! Plain lines that look like something else are reported, also under `--quiet`, by `dedup` and by `check`.

use super::Place;

fn told_of(name: &str, content: &str, told: &str) {
    let place = Place::new().with(name, content);
    for args in [&["dedup", "-q", name][..], &["check", name]] {
        let said = place.run(args).said;
        let found = said.matches("read as plain text").count();
        assert!(found == usize::from(!told.is_empty()) && said.contains(told), "{args:?} {content}: {said}");
    }
    let piped = place.fed(&["dedup", "-q"], content.as_bytes()).said;
    assert!(piped.contains(told) && piped.is_empty() == told.is_empty(), "{content}: {piped}");
}

#[test]
fn json_behind_a_prefix_is_told() {
    for prefix in ["2026-11-30T08:00:00Z INFO ", "data: ", "web-1  | "] {
        let lines = format!("{prefix}{{\"id\":1,\"text\":\"早安\"}}\n{prefix}{{\"id\":2,\"text\":\"早安\"}}\n");
        told_of("app.log", &lines, "its lines end in a JSON object; if these are records, cut what stands before them");
    }
    told_of("in.dat", "早安\n晚安 {\"a\":1}\n吃了吗\n再见\n", "");
}

#[test]
fn objects_in_a_file_that_is_named_as_text_are_told() {
    let place = Place::new().with("in.txt", "{\"text\":\"早安\"}\n{\"text\":\"晚安\"}\n");
    for args in [["dedup", "-q", "in.txt"], ["check", "in.txt", "-q"]] {
        let said = place.run(&args).said;
        assert!(
            said.contains("but each line is a JSON object; if these are records, add --format jsonl"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn messages_about_json_are_not_taken_for_records() {
    told_of("in.dat", "你看 {\"a\":1}\n配置是 {\"port\":8080}\n改成 {\"port\":8081}\n好\n", "");
}

/// Why a line is not JSON, and what to do.
#[test]
fn what_to_do_with_a_line_that_is_not_json_is_said() {
    for (line, told) in [
        ("{微笑}今天不错", "key must be a string at column 2; if each line is a message, add --format lines"),
        ("{'text': '早安'}", "a dictionary as Python prints it"),
        ("{\"text\":\"早\"}\0{\"text\":\"晚\"}\0", "NUL stands between the objects"),
        ("\u{1e}{\"text\":\"早\"}\u{1e}{\"text\":\"晚\"}", "the separator RS stands between the objects"),
        ("{“text”: “早安”}", "names and texts need straight double quotes"),
        ("{text: '早安'}", "names and texts need straight double quotes"),
        ("{\"text\":\"今天\u{1e}天气\"}", "control character"),
        ("{\"text\":\"早\",}", "not JSON: trailing comma at column 15"),
    ] {
        let run = Place::new().with("in.jsonl", format!("{line}\n")).run(&["dedup", "-q", "in.jsonl"]);
        assert!(run.said.contains(told), "{line}: {}", run.said);
    }
}

/// The advice of the message, on the lines that it is given for.
#[test]
fn what_the_message_advises_works() {
    let place = Place::new().with("app.log", "x {\"id\":1,\"text\":\"早安\"}\nx {\"id\":2,\"text\":\"早安\"}\n");
    let said = place.run(&["dedup", "-q", "app.log"]).said;
    let advice = said.split_once("the message: ").unwrap().1.trim_end();
    assert_eq!(advice, "sed -n -u 's/^[^{]*{/{/p' FILE | quchong dedup --field text");
    let command = advice.replace("FILE", "app.log").split_once(" |").unwrap().0.to_owned();
    let cut = std::process::Command::new("sh").args(["-c", &command]).current_dir(&place.0).output().unwrap();
    let run = place.fed(&["dedup", "-q", "--strict"], &cut.stdout);
    assert_eq!((run.out.as_str(), run.said.as_str()), ("{\"id\":1,\"text\":\"早安\"}\n", ""));
}

/// RFC 7464: a record separator comes before each object.
#[test]
fn a_json_text_sequence_is_jsonl() {
    let sequence =
        "\u{1e}{\"id\":1,\"text\":\"早安\"}\n\u{1e}{\"id\":2,\"text\":\"早安\"}\n\u{1e}{\"id\":3,\"text\":\"晚安\"}\n";
    let place = Place::new().with("in.seq", sequence);
    let kept = place.run(&["dedup", "-q", "--strict", "in.seq"]);
    assert_eq!((kept.code, kept.said.as_str()), (Some(0), ""));
    assert_eq!(kept.out, "\u{1e}{\"id\":1,\"text\":\"早安\"}\n\u{1e}{\"id\":3,\"text\":\"晚安\"}\n");
    let annotated = place.run(&["dedup", "-q", "--output", "dropped", "in.seq"]);
    assert_eq!(annotated.out, "{\"id\":2,\"text\":\"早安\",\"quchong\":{\"verdict\":\"exact\",\"of\":1}}\n");
}

#[test]
fn messages_without_line_ends_are_told() {
    for (separator, tr) in
        [("\0", "NUL bytes seem to separate its messages"), ("\r", "carriage returns seem to separate its messages")]
    {
        let messages = ["早安", "晚安", "吃了吗", "再见"].join(separator);
        told_of("in.txt", &messages, tr);
        told_of("in.dat", &(messages.clone() + separator), tr);
        // What the message advises.
        let command = format!("tr '{}' '\\n' < FILE | quchong dedup\n", separator.escape_debug());
        let said = Place::new().with("in.txt", &messages).run(&["dedup", "-q", "in.txt"]).said;
        assert!(said.ends_with(&command), "{said}");
    }
    told_of("in.txt", "早安\r\n晚安\r\n吃了吗\r\n再见\r\n", "");
    told_of("in.txt", "早\r安\n晚安\n吃\0了\0吗\n再见\n", "");
}
