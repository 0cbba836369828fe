//! Settings in the environment and in a file, beside the command line, and `quchong check`, which reports what they would do.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::process::Output;

use crate::common::place::{Place, input};
use crate::common::{generated, quchong};
use serde_json::Value;

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A run with variables in its environment.
fn run(place: &Place, variables: &[(&str, &str)], args: &[&str]) -> Output {
    place.command(args).envs(variables.iter().copied()).output().unwrap()
}

/// A place with a settings file.
fn configured(config: &str) -> Place {
    let place = Place::new(&input(300, 5));
    fs::write(place.path("quchong.toml"), config).unwrap();
    place
}

#[test]
fn a_file_a_variable_and_an_option_do_the_same() {
    let place = configured(
        "near = \"minhash\" # words in quotes\nsimilarity = 0.7\nbloom_rounds = 2\nquiet = true\ndropped='why.jsonl'\n",
    );
    let typed = ["--near", "minhash", "--similarity", "0.7", "--bloom-rounds", "2", "-q", "--dropped", "why.jsonl"];
    let kept = place.succeed(&[&["dedup", "in.jsonl"], &typed[..]].concat());
    let dropped = fs::read(place.path("why.jsonl")).unwrap();
    assert!(!dropped.is_empty() && place.succeed(&["dedup", "-q", "in.jsonl"]) != kept, "the settings do something");
    let variables = [
        ("QUCHONG_NEAR", "minhash"),
        ("QUCHONG_SIMILARITY", "0.7"),
        ("QUCHONG_BLOOM_ROUNDS", "2"),
        ("QUCHONG_QUIET", "1"),
        ("QUCHONG_DROPPED", "why.jsonl"),
    ];
    let ways = [
        (&["dedup", "in.jsonl", "--config", "quchong.toml"][..], &[][..]),
        (&["dedup", "in.jsonl"], &[("QUCHONG_CONFIG", "quchong.toml")]),
        (&["dedup", "in.jsonl"], &variables),
    ];
    for (args, variables) in ways {
        fs::remove_file(place.path("why.jsonl")).unwrap();
        let output = run(&place, variables, args);
        assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()), "{variables:?}");
        assert!(output.stdout == kept, "{variables:?}");
        assert!(fs::read(place.path("why.jsonl")).unwrap() == dropped, "{variables:?}");
    }
}

/// The rows of `quchong check`: each setting, and where it comes from.
fn resolved(place: &Place, variables: &[(&str, &str)], args: &[&str]) -> Vec<(String, String)> {
    let output = run(place, variables, &[&["check"], args].concat());
    let printed = printed(&output);
    let rows = printed.lines().filter(|line| line.starts_with("  --"));
    rows.map(|row| row.trim().split_once("  ").unwrap()).map(|(a, b)| (a.to_owned(), b.trim().to_owned())).collect()
}

#[test]
fn the_command_line_goes_first_then_the_environment_then_the_file_then_the_preset() {
    let place = configured("\nsimilarity = 0.5\npreset = \"careful\"\n\nquiet = true\n");
    let config = ["in.jsonl", "--config", "quchong.toml"];
    let has = |rows: &[(String, String)], setting: &str, from: &str| {
        assert!(rows.contains(&(setting.to_owned(), from.to_owned())), "{setting} from {from}: {rows:?}");
    };
    let rows = resolved(&place, &[], &config);
    has(&rows, "--similarity 0.5", "quchong.toml:2");
    has(&rows, "--preset careful", "quchong.toml:3");
    has(&rows, "--guard careful", "--preset careful, quchong.toml:3");
    has(&rows, "--quiet", "quchong.toml:5");
    has(&rows, "--config quchong.toml", "the command line");
    let variables = [("QUCHONG_SIMILARITY", "0.7"), ("QUCHONG_QUIET", "false"), ("QUCHONG_PRESET", "")];
    let rows = resolved(&place, &variables, &config);
    has(&rows, "--similarity 0.7", "QUCHONG_SIMILARITY");
    has(&rows, "--preset careful", "quchong.toml:3");
    assert!(!rows.iter().any(|(setting, _)| setting == "--quiet"), "{rows:?}");
    let rows = resolved(&place, &variables, &[&config[..], &["--similarity", "0.8", "--guard", "off"]].concat());
    has(&rows, "--similarity 0.8", "the command line");
    has(&rows, "--guard off", "the command line");
    // A setting that is typed with its default value is at its default.
    let rows = resolved(&place, &variables, &[&config[..], &["--preset", "weibo", "--similarity", "0.62"]].concat());
    assert_eq!(rows, [("--config quchong.toml".to_owned(), "the command line".to_owned())]);
}

#[test]
fn every_setting_can_stand_in_a_file_and_in_a_variable() {
    let place = Place::new(&input(20, 5));
    let rows = quchong().arg("settings").output().unwrap().stdout;
    let rows: Vec<Value> = serde_json::from_slice(&rows).unwrap();
    let (mut done, mut refused) = (0, 0);
    for row in rows.iter().filter(|row| row["name"] != "config") {
        let name = row["name"].as_str().unwrap();
        let is_switch = row["value"].is_null() && row["words"].is_null();
        let value = if is_switch { "true" } else { row["example"].as_str().unwrap() };
        let option = if is_switch { format!("--{name}") } else { format!("--{name}={value}") };
        let typed = place.run(&["check", "in.jsonl", &option]);
        let is_bare = is_switch || value.parse::<f64>().is_ok_and(|number| number.is_finite() && !value.contains('e'));
        let written = if is_bare { value.to_owned() } else { format!("\"{value}\"") };
        fs::write(place.path("one.toml"), format!("# {name}\n{name} = {written}\n")).unwrap();
        let in_file = place.run(&["check", "in.jsonl", "--config", "one.toml"]);
        let variable = format!("QUCHONG_{}", name.replace('-', "_").to_uppercase());
        let in_variable = run(&place, &[(&variable, value)], &["check", "in.jsonl"]);
        for (output, from) in [(&in_file, format!("one.toml:2: {name}")), (&in_variable, variable)] {
            assert_eq!(output.status.code(), typed.status.code(), "{from}: {}", said(output));
            assert_eq!(said(output), said(&typed).replacen(&format!("error: --{name}"), &format!("error: {from}"), 1));
        }
        if typed.status.success() {
            done += 1;
        } else {
            refused += 1;
        }
    }
    assert!(done > 25 && refused > 5, "{done} done, {refused} refused");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (config, told) in [
        ("xyzzy = 1", "quchong.toml:1: xyzzy: there is no such setting; --help lists all"),
        (
            "\nsimlarity = 0.5",
            "quchong.toml:2: simlarity: there is no such setting; is it similarity? (--help lists all)",
        ),
        ("capacity = 0", "quchong.toml:1: capacity: 0 is out of range; use 1 to 4294967296"),
        ("similarity = 2", "quchong.toml:1: similarity 2: write a number from 0.001 to 1, 0.5 for example"),
        (
            "near = \"simhahs\"",
            "quchong.toml:1: near simhahs: there is no such value; write one of hybrid, simhash, minhash, none",
        ),
        ("quiet = \"yes\"", "quchong.toml:1: quiet: is on or off; write true or false"),
        ("bloom-hashes = 3", "quchong.toml:1: bloom-hashes: does nothing without --bloom-bits; add it"),
        (
            "field = [\"a\"]",
            "quchong.toml:1: field: takes one value; write it as on the command line, in quotes: \"user.text\"",
        ),
        (
            "[dedup]\nquiet = true",
            "quchong.toml:1: dedup: is a table, and settings stand in none; write them without [dedup]",
        ),
        ("config = \"a\"", "quchong.toml:1: config: a file of settings names no other; put all in one"),
        ("id_field = \"a\"\nid-field = \"b\"", "quchong.toml:2: id-field: is there twice; leave one out"),
        (
            "dropped = \"no/such/folder\"",
            "quchong.toml:1: dropped no/such/folder: its folder is not there; make it, or name another file",
        ),
    ] {
        let place = configured(config);
        let error = place.refused(&["dedup", "in.jsonl", "--config", "quchong.toml"]);
        assert_eq!(error, format!("quchong: error: {told}\n"), "{config}");
    }
    let place = configured("similarity 0.5");
    let error = place.refused(&["dedup", "in.jsonl", "--config", "quchong.toml"]);
    assert!(
        error.starts_with("quchong: error: quchong.toml:1: ")
            && error.contains("settings are written `similarity = 0.6`"),
        "{error}"
    );
    let missing = "quchong: error: --config none.toml: there is no such file; name one that is there\n";
    assert_eq!(place.refused(&["dedup", "in.jsonl", "--config", "none.toml"]), missing);
    let output = run(&place, &[("QUCHONG_CONFIG", "none.toml")], &["dedup", "in.jsonl"]);
    assert_eq!(said(&output), missing.replace("--config", "QUCHONG_CONFIG"));
    let output = run(&place, &[("QUCHONG_SIMILARITY", "much")], &["dedup", "in.jsonl"]);
    assert!(said(&output).starts_with("quchong: error: QUCHONG_SIMILARITY much: "), "{}", said(&output));
}

/// A variable that begins with `QUCHONG_` and is no setting is reported and stops nothing, because other programs may have set it.
#[test]
fn variables_that_are_no_settings_are_told() {
    let place = configured("");
    let variables = [("QUCHONG_SIMLARITY", "0.5"), ("QUCHONG_BLESS", "1"), ("QUCHONG_KILLS", "3"), ("QUCHONG", "x")];
    let output = run(&place, &variables, &["dedup", "in.jsonl", "-o", "kept.jsonl"]);
    assert_eq!(output.status.code(), Some(0));
    let told = "quchong: QUCHONG_SIMLARITY: there is no such setting, and it does nothing; is it QUCHONG_SIMILARITY?\n";
    assert_eq!(said(&output).split_inclusive('\n').filter(|line| line.contains("QUCHONG_")).collect::<String>(), told);
    assert_eq!(said(&run(&place, &variables, &["dedup", "-q", "in.jsonl"])), told);
}

/// One file, and one environment, can serve `dedup` and `serve` in turn: options of the service are reported and stop nothing.
#[test]
fn options_of_the_service_are_told_and_stop_nothing() {
    let place = configured("listen = \":0\"\nmax_body = \"1MB\"\nwindow = \"24h\"\n");
    for command in ["dedup", "check"] {
        let args = [command, "--config", "quchong.toml", "in.jsonl"];
        let output = run(&place, &[("QUCHONG_PATIENCE", "3s")], &args);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        for place in ["quchong.toml:1: listen", "quchong.toml:2: max-body", "QUCHONG_PATIENCE"] {
            let told = format!("{place}: is an option of `quchong serve`, and does nothing here\n");
            assert!(said(&output).contains(&told), "{}", said(&output));
        }
    }
    // A default that comes with a window is not listed.
    assert!(!printed(&run(&place, &[], &["check", "--config", "quchong.toml", "in.jsonl"])).contains("lateness"));
}

#[test]
fn a_file_of_settings_chooses_the_language() {
    let place = configured("ui = \"zh\"\nsimilarity = 0.7\n");
    let config = ["dedup", "in.jsonl", "--config", "quchong.toml"];
    let is_chinese = |variables: &[(&str, &str)], args: &[&str]| {
        let output = place.command(args).env_remove("QUCHONG_UI").envs(variables.iter().copied()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        said(&output).contains("保留")
    };
    assert!(is_chinese(&[], &config));
    assert!(!is_chinese(&[("QUCHONG_UI", "en")], &config));
    assert!(!is_chinese(&[], &[&config[..], &["--ui", "en"]].concat()));
    assert!(!is_chinese(&[], &[&["--ui", "en"], &config[..]].concat()), "before the command");
}

/// All files of a place, with their contents.
fn files(place: &Place) -> Vec<(String, Vec<u8>)> {
    fn walk(folder: &std::path::Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                walk(&entry, found);
            } else {
                found.push((entry.display().to_string(), fs::read(&entry).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(place.folder.path(), &mut found);
    found.sort();
    found
}

#[test]
fn check_tells_what_a_run_over_the_first_thousand_would_do_and_writes_nothing() {
    let lines = generated(2500);
    let first: Vec<u8> = lines.split_inclusive(|byte| *byte == b'\n').take(1000).flatten().copied().collect();
    let place = Place::new(&lines);
    fs::write(place.path("first.jsonl"), [&b"{\"text\":1}\nnot json\n"[..], &first].concat()).unwrap();
    fs::write(place.path("kept.jsonl"), "as it was\n").unwrap();
    place.succeed(&["dedup", "-q", "first.jsonl", "-o", "other.jsonl", "--state", "state", "--summary", "totals.json"]);
    place.succeed(&["dedup", "-q", "in.jsonl", "-o", "other.jsonl", "--append", "--summary", "all.json"]);
    let before = files(&place);
    let options = ["-o", "kept.jsonl", "--dropped", "new.jsonl.gz", "--report", "report.html", "--append"];
    for (file, options) in
        [("in.jsonl", &options[..]), ("first.jsonl", &["--state", "state"]), ("first.jsonl", &["--state", "fresh"])]
    {
        let output = place.run(&[&["check", file], options].concat());
        let (told, code) = (printed(&output), output.status.code());
        assert_eq!((said(&output), code), (String::new(), Some(0)), "{told}");
        assert!(told.contains(&format!("{file}: jsonl, utf-8; fields ")) && told.contains(" id ("), "{told}");
        assert!(told.ends_with("nothing would be refused; nothing was written\n"), "{told}");
        assert!(files(&place) == before, "{options:?}");
    }
    let told = printed(&place.run(&["check", "first.jsonl"]));
    place.succeed(&["dedup", "-q", "first.jsonl", "-o", "again.jsonl", "--summary", "totals.json"]);
    let head: Vec<u8> = fs::read(place.path("first.jsonl"))
        .unwrap()
        .split_inclusive(|byte| *byte == b'\n')
        .take(1000)
        .flatten()
        .copied()
        .collect();
    let head = Place::new(&head);
    head.succeed(&["dedup", "-q", "in.jsonl", "-o", "kept.jsonl", "--summary", "totals.json"]);
    let totals: Value = serde_json::from_slice(&fs::read(head.path("totals.json")).unwrap()).unwrap();
    let (exact, near) = (totals["dropped"]["exact"].as_u64().unwrap(), totals["dropped"]["near"].as_u64().unwrap());
    assert!(exact + near > 50, "{totals}");
    let expected = format!(
        "the first 1,000 records: 998 judged, {} kept, {} dropped (exact {exact}, near {near})\n  not judged: 2 (",
        totals["kept"],
        exact + near
    );
    assert!(told.contains(&expected), "{expected}{told}");
    assert!(told.contains("\n  first.jsonl:1: ") && told.contains("\n  first.jsonl:2: "), "{told}");
}

#[test]
fn check_refuses_in_the_words_of_the_run() {
    let place = configured("");
    fs::write(place.path("bad.jsonl"), "{\"text\":\"好\"}\nnot json\n").unwrap();
    fs::write(place.path("in.csv"), "id,words\n1,早上好\n").unwrap();
    fs::copy(place.path("in.jsonl"), place.path("first.jsonl")).unwrap();
    place.succeed(&["dedup", "-q", "in.jsonl", "--state", "state", "-o", "kept.jsonl"]);
    for args in [
        &["in.jsonl", "--similarity", "2"][..],
        &["in.jsonl", "--windw", "3"],
        &["in.jsonl", "--bloom-hashes", "3"],
        &["missing.jsonl"],
        &["in.csv"],
        &["in.jsonl", "-o", "in.jsonl"],
        &["in.jsonl", "-o", "no/such/folder.jsonl"],
        &["bad.jsonl", "-q", "--on-error", "fail"],
        &["in.jsonl", "-q", "--field", "txt"],
        &["in.jsonl", "-q", "--represent", "newest", "--time-field", "tyme"],
        &["bad.jsonl", "-q", "--strict"],
        &["in.jsonl", "--state", "state", "--window", "5"],
        &["in.jsonl", "--state", "state", "-o", "kept.jsonl"],
        &["first.jsonl", "--state", "state", "--resume"],
        &["in.jsonl", "--state", "in.csv"],
        &["in.jsonl", "--max-memory", "1M"],
    ] {
        let (check, dedup) = (place.run(&[&["check"], args].concat()), place.run(&[&["dedup"], args].concat()));
        assert_eq!(check.status.code(), Some(1), "{args:?}: {}", said(&check));
        assert_eq!(said(&check), said(&dedup), "{args:?}");
        assert!(!printed(&check).contains("nothing would be refused"), "{args:?}");
        // The language may come before the command.
        let behind_ui = place.run(&[&["--ui", "en", "check"], args].concat());
        assert_eq!((behind_ui.status.code(), said(&behind_ui)), (Some(1), said(&check)), "{args:?}");
    }
}

#[test]
fn check_sees_columns_encodings_and_a_feed_as_it_is() {
    let place = Place::new(b"");
    fs::write(place.path("in.csv"), "id,text,user\n1,早上好,a\n2,再见了,b\n").unwrap();
    let text = b"\xd4\xe7\xc9\xcf\xba\xc3\xa3\xac\xbd\xf1\xcc\xec\xcc\xec\xc6\xf8\xba\xdc\xba\xc3\n".repeat(9);
    fs::write(place.path("in.txt"), text).unwrap();
    fs::write(place.path("nested.jsonl"), "{\"user\":{\"text\":\"好\"},\"a\":1}\n{\"user\":{\"text\":\"再见\"}}\n")
        .unwrap();
    for (args, told) in [
        (&["in.csv"][..], "in.csv: csv, utf-8; fields id, text, user\nall 2 records: 2 judged, 2 kept, 0 dropped"),
        (
            &["in.txt", "--encoding", "gb18030"],
            "in.txt: lines, gb18030\nall 9 records: 9 judged, 1 kept, 8 dropped (exact 8, near 0)",
        ),
        (
            &["nested.jsonl", "--field", "user.text"],
            "nested.jsonl: jsonl, utf-8; fields a (1), user.text (2)\nall 2 records",
        ),
        (
            &["--follow", "nested.jsonl", "--field", "user.text"],
            "nested.jsonl: jsonl, utf-8; fields a (1), user.text (2)\nall 2 records",
        ),
    ] {
        let output = place.run(&[&["check"], args].concat());
        assert!(printed(&output).contains(told), "{args:?}: {}{}", printed(&output), said(&output));
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn the_file_of_settings_is_not_written_over() {
    let place = configured("quiet = true\n");
    let named = [("QUCHONG_CONFIG", "quchong.toml")];
    let ways = [(&["--config", "quchong.toml"][..], &[][..]), (&[], &named)];
    for (config, variables) in ways {
        for output in ["-o", "--dropped", "--summary"] {
            let output = run(&place, variables, &[&["dedup", "in.jsonl", output, "quchong.toml"], config].concat());
            assert_eq!(output.status.code(), Some(2));
            assert!(said(&output).contains("are the same file"), "{}", said(&output));
        }
    }
    assert_eq!(fs::read_to_string(place.path("quchong.toml")).unwrap(), "quiet = true\n");
}

#[test]
fn methods_take_html_out_where_asked() {
    let place = Place::new(b"");
    fs::write(place.path("pages.txt"), "<p>武汉加油</p>\n武汉加油\n").unwrap();
    let signatures = |markup| {
        let signed = place.succeed(&["sign", "--method", "A0", "--markup", markup, "pages.txt"]);
        let lines = String::from_utf8(signed).unwrap();
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["signature"].clone()).collect::<Vec<_>>()
    };
    assert!(matches!(&signatures("strip")[..], [a, b] if a == b));
    assert!(matches!(&signatures("keep")[..], [a, b] if a != b));
}
