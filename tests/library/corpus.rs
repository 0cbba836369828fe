//! The hand-labelled posts in `data/`, judged with the defaults. `data/README.md` explains the fields.
//! `QUCHONG_BLESS=1 cargo test --test library corpus` writes today's verdicts into the expected file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use quchong::{Config, Deduplicator, Record};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Post {
    id: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    id: String,
    kind: String,
    reader: String,
    of: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    #[serde(default)]
    verdict_of: Option<String>,
}

/// A post with its expected verdict and the verdict of the program.
struct Case {
    text: String,
    expected: Expected,
    verdict: String,
    of: Option<String>,
}

impl Case {
    fn is_dropped(&self) -> bool {
        self.verdict != "kept"
    }
}

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "data", name].iter().collect()
}

fn lines<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let text = fs::read_to_string(path(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}")))
        .collect()
}

fn judge() -> Vec<Case> {
    let posts: Vec<Post> = lines("posts.jsonl");
    let expected: Vec<Expected> = lines("posts.expected.jsonl");
    assert_eq!(posts.len(), expected.len());
    let mut dedup = Deduplicator::new(Config::default()).unwrap();
    let cases = posts.into_iter().zip(expected).map(|(post, expected)| {
        assert_eq!(post.id, expected.id);
        let judged = dedup.judge(&Record::new(post.id.as_str(), post.text.as_str())).unwrap();
        let of = judged.of.map(|of| of.to_string().trim_matches('"').to_owned());
        Case { text: post.text, expected, verdict: judged.verdict.name().to_owned(), of }
    });
    cases.collect()
}

/// Fails with a list of the `wrong` cases, if there are any.
fn none<'a>(what: &str, wrong: impl Iterator<Item = &'a Case>) {
    let (mut list, mut count) = (String::new(), 0);
    for Case { text, expected: Expected { id, kind, reader, of, .. }, verdict, of: named } in wrong {
        count += 1;
        let (of, named) = (of.as_deref().unwrap_or("-"), named.as_deref().unwrap_or("-"));
        writeln!(list, "{id} {kind}: reader {reader} {of}, program {verdict} {named}: {text}").unwrap();
    }
    assert!(list.is_empty(), "{count} {what}:\n{list}");
}

#[test]
fn the_files_are_sound() {
    let posts: Vec<Post> = lines("posts.jsonl");
    let expected: Vec<Expected> = lines("posts.expected.jsonl");
    assert!(posts.windows(2).all(|pair| pair[0].id < pair[1].id));
    let readers: BTreeMap<&str, &str> = expected.iter().map(|e| (e.id.as_str(), e.reader.as_str())).collect();
    for e in &expected {
        let repeat = match e.kind.as_str() {
            "fresh" | "facts" | "remark" => false,
            "short" => e.reader == "repeat",
            "exact" | "canonical" | "wrapped" | "edited1" | "edited2" | "topic" | "added" | "truncated" => true,
            other => panic!("{}: no kind is called {other}", e.id),
        };
        assert_eq!((e.reader.as_str(), e.of.is_some()), (if repeat { "repeat" } else { "new" }, repeat), "{}", e.id);
        if let Some(of) = &e.of {
            assert!(of < &e.id && readers[of.as_str()] == "new", "{} repeats {of}", e.id);
        }
    }
}

/// Whatever the verdicts are, they must change only on purpose.
#[test]
fn verdicts_are_as_written_down() {
    let cases = judge();
    if std::env::var_os("QUCHONG_BLESS").is_some_and(|value| value == "1") {
        let mut out = String::new();
        for case in cases {
            let expected = Expected { verdict: Some(case.verdict), verdict_of: case.of, ..case.expected };
            out += &serde_json::to_string(&expected).unwrap();
            out.push('\n');
        }
        return fs::write(path("posts.expected.jsonl"), out).unwrap();
    }
    let mut diff = String::new();
    for Case { text, expected, verdict, of } in &cases {
        if let Some(was) = &expected.verdict
            && (was, &expected.verdict_of) != (verdict, of)
        {
            let show = |of: &Option<String>| of.clone().unwrap_or_default();
            writeln!(diff, "{} {text}", expected.id).unwrap();
            writeln!(diff, "  - {was} {}\n  + {verdict} {}", show(&expected.verdict_of), show(of)).unwrap();
        }
    }
    assert!(diff.is_empty(), "verdicts changed (QUCHONG_BLESS=1 accepts them):\n{diff}");
}

/// Losing a message is the worst mistake of a deduplicator: texts with other numbers, remarks and short texts must all stay.
#[test]
fn no_new_post_is_dropped() {
    let cases = judge();
    let new = |case: &&Case| case.expected.reader == "new";
    none("new posts dropped", cases.iter().filter(new).filter(|case| case.is_dropped()));
}

#[test]
fn what_is_equal_after_normalising_is_caught() {
    let cases = judge();
    let equal = |case: &&Case| matches!(case.expected.kind.as_str(), "exact" | "canonical" | "wrapped" | "topic");
    none("repeats missed", cases.iter().filter(equal).filter(|case| !case.is_dropped()));
    none("repeats of something else", cases.iter().filter(equal).filter(|case| case.of != case.expected.of));
}

/// Missed repeats are a known limit, not a bug. The counts are printed (`cargo test --test library corpus -- --nocapture`) to make changes
/// visible.
#[test]
fn missed_repeats_are_counted() {
    let mut kinds: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let cases = judge();
    for case in cases.iter().filter(|case| case.expected.reader == "repeat") {
        let [missed, all] = kinds.entry(case.expected.kind.clone()).or_default();
        *missed += usize::from(!case.is_dropped());
        *all += 1;
    }
    for (kind, [missed, all]) in &kinds {
        eprintln!("{kind}: {missed} of {all} repeats missed");
    }
    let decoys = cases.iter().filter(|case| case.expected.kind == "facts");
    eprintln!(
        "facts: {} of {} decoys dropped",
        decoys.clone().filter(|case| case.is_dropped()).count(),
        decoys.count()
    );
    assert_eq!(kinds["exact"][0], 0);
}
