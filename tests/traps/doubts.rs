//! Runs that dropped nearly everything, or forgot much, say so and end with exit code 3 or a warning.

use std::fs;

use super::{Place, records, unlike};

/// A filter for a thousand texts once dropped most of a hundred thousand, with exit code 0.
#[test]
fn a_filter_that_is_far_too_small_is_told() {
    let place = Place::new().with("in.jsonl", records(20_000));
    let args = ["dedup", "-q", "in.jsonl", "-o", "out.jsonl", "--near", "none", "--exact", "bloom", "--capacity"];
    let run = place.run(&[&args[..], &["1000"]].concat());
    assert_eq!(run.code, Some(3), "{}", run.said);
    assert!(run.said.contains("--capacity: the Bloom filter holds"), "{}", run.said);
    assert!(place.text("out.jsonl").lines().count() < 15_000);
    let enough = place.run(&[&args[..], &["20000"]].concat());
    assert_eq!((enough.code, place.text("out.jsonl").lines().count()), (Some(0), 20_000), "{}", enough.said);
    // A filter that still errs in none of as many texts is no doubt.
    let few = ["--capacity", "13000", "--bloom-error", "1e-12"];
    let roomy = place.run(&[&args[..9], &few].concat());
    assert_eq!((roomy.code, place.text("out.jsonl").lines().count()), (Some(0), 20_000), "{}", roomy.said);
    // With a trie that verifies it, a full filter only costs time.
    let verified = place.run(&["dedup", "-q", "in.jsonl", "--near", "none", "--capacity", "1000"]);
    assert_eq!((verified.code, verified.out.lines().count()), (Some(0), 20_000), "{}", verified.said);
}

#[test]
fn an_archive_that_has_the_input_is_told() {
    let all = records(120) + "\n";
    let place = Place::new().with("in.jsonl", &all).with("old.jsonl", &all).with("older.jsonl", records(10));
    let place = place.with("few.jsonl", records(20));
    let run = place.run(&["dedup", "-q", "in.jsonl", "--against", "old.jsonl"]);
    assert_eq!((run.code, run.out.as_str()), (Some(3), "\n"));
    assert!(run.said.contains("--against: all 120 messages repeat the archive"), "{}", run.said);
    assert_eq!(place.run(&["check", "in.jsonl", "--against", "old.jsonl"]).code, Some(1));
    // A few may all be known by chance.
    assert_eq!(place.run(&["dedup", "few.jsonl", "--against", "old.jsonl"]).code, Some(0));
    for args in [["--against", "older.jsonl", "-q"], ["--against", "old.jsonl", "--output=annotated"]] {
        assert_eq!(place.run(&[&["dedup", "in.jsonl"], &args[..]].concat()).code, Some(0), "{args:?}");
    }
}

/// A pattern such as `*.jsonl` also finds the outputs of earlier runs. Their dropped records came back as kept ones.
#[test]
fn an_input_of_dropped_records_is_told() {
    let twice: String = (0..40).map(|id| format!("{{\"id\":{id},\"text\":\"{}\"}}\n", unlike(id % 20))).collect();
    let place = Place::new().with("in.jsonl", twice);
    let annotated = ["--output", "annotated", "-o"];
    for (options, told) in [(&["--dropped"][..], true), (&["-o"], false), (&annotated, false)] {
        let run = place.run(&[&["dedup", "-q", "in.jsonl"], options, &["made.jsonl"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.said);
        for args in [["dedup", "-q", "made.jsonl"], ["check", "-q", "made.jsonl"]] {
            let said = place.run(&args).said;
            assert_eq!(said.contains("made.jsonl: its first records are repeats"), told, "{args:?}: {said}");
        }
        fs::remove_file(place.path("made.jsonl")).unwrap();
    }
}

/// A feed under a misspelt scope was judged in one scope, and nobody was told before its end.
#[test]
fn a_feed_without_scopes_is_told_while_it_runs() {
    let place = Place::new().with("in.jsonl", records(1100));
    let run = place.run(&["dedup", "-q", "in.jsonl", "--scope", "athor"]);
    assert!(run.said.contains("none of the first 1,000 messages has a value in each field of --scope"), "{}", run.said);
    assert_eq!(run.code, Some(3), "{}", run.said);
}

#[test]
fn a_state_that_begins_is_told() {
    let place = Place::new().with("in.jsonl", records(3));
    for (args, told) in [(&["in.jsonl"][..], true), (&["in.jsonl", "--again"], false), (&["-q", "in.jsonl"], false)] {
        let run = place.run(&[&["dedup", "--state", "state"], args].concat());
        assert_eq!(run.said.contains("state: a new state begins here"), told, "{}", run.said);
    }
}

/// What a limit forgets once depended on a random key, and a state lost half of its messages without a word.
#[test]
fn a_memory_limit_forgets_the_same_each_time_and_says_what_it_takes_from_a_state() {
    let place = Place::new().with("in.jsonl", records(40_000)).with("more.jsonl", records(1500));
    let limited = ["--max-memory", "60MB"];
    let outputs = [0; 3].map(|_| {
        let run = place.run(&[&["dedup", "-q", "in.jsonl", "in.jsonl"], &limited[..]].concat());
        assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
        run.out
    });
    assert!(outputs[0].lines().count() > 40_000, "nothing was forgotten");
    assert!(outputs.iter().all(|out| *out == outputs[0]));
    let run = place.run(&["dedup", "-q", "in.jsonl", "--state", "state", "-o", "out.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.said);
    let args = ["dedup", "-q", "more.jsonl", "--state", "state", "--again", "-o", "new.jsonl"];
    let run = place.run(&[&args[..], &limited].concat());
    assert!(run.said.contains("state: takes more memory than --max-memory allows"), "{}", run.said);
}
