//! Late messages under a window of time are counted, and messages within the lateness are judged as if they came in order.

use std::collections::BTreeSet;

use oorandom::Rand64;

use super::{Place, unlike};

const START: u64 = 1_700_000_000;

/// Messages a second apart. Each is said again 40 seconds later, within the window of a minute.
fn feed() -> Vec<(u64, usize)> {
    let mut feed: Vec<(u64, usize)> = (0..600).flat_map(|at| [(at, at as usize), (at + 40, at as usize)]).collect();
    feed.sort_unstable();
    feed
}

fn lines(feed: &[(u64, usize)]) -> String {
    feed.iter()
        .map(|(at, text)| format!("{{\"created_at\":{},\"text\":\"{}\"}}\n", START + at, unlike(*text)))
        .collect()
}

fn kept(out: &str) -> BTreeSet<String> {
    out.lines().map(|line| line.split("\"text\"").nth(1).unwrap().to_owned()).collect()
}

#[test]
fn what_comes_late_is_counted_and_within_the_lateness_changes_nothing() {
    let ordered = feed();
    let args =
        ["dedup", "-q", "--near=none", "in.jsonl", "--window", "60s", "--lateness", "15s", "--summary", "sum.json"];
    let place = Place::new().with("in.jsonl", lines(&ordered));
    let expected = place.run(&args);
    assert_eq!(
        (expected.code, place.json("sum.json")["times"]["late"].as_u64()),
        (Some(0), Some(0)),
        "{}",
        expected.said
    );
    assert_eq!(expected.out.lines().count(), 600);
    for seed in 0..5 {
        let mut random = Rand64::new(seed);
        let mut shuffled: Vec<(u64, (u64, usize))> =
            ordered.iter().map(|message| (message.0 + random.rand_range(0..10), *message)).collect();
        shuffled.sort_by_key(|(delayed, _)| *delayed);
        let shuffled: Vec<(u64, usize)> = shuffled.into_iter().map(|(_, message)| message).collect();
        let place = Place::new().with("in.jsonl", lines(&shuffled));
        let run = place.run(&args);
        assert_eq!(place.json("sum.json")["times"]["late"], 0, "{seed}: {}", run.said);
        assert_eq!(kept(&run.out), kept(&expected.out), "{seed}");
        // The same with one message in fifty far too late: these are counted and reported.
        let mut late = shuffled.clone();
        let behind: Vec<usize> = (100..late.len()).step_by(50).collect();
        behind.iter().for_each(|at| late[*at].0 -= 35);
        let place = Place::new().with("in.jsonl", lines(&late));
        let run = place.run(&[&args[..1], &args[2..]].concat());
        assert_eq!(place.json("sum.json")["times"]["late"], behind.len() as u64, "{seed}");
        assert!(run.said.contains(&format!("{} came later than --lateness", behind.len())), "{seed}: {}", run.said);
    }
}

/// Most dumps and pages begin with the newest message. Then nearly every message is late, and one nine hours after another was a repeat
/// of it in a window of two.
#[test]
fn an_input_that_begins_with_the_newest_is_told() {
    let hours: Vec<(u64, usize)> = (0..10).map(|hour| (hour * 3600, 1)).collect();
    let newest_first: Vec<_> = hours.iter().copied().rev().collect();
    let place = Place::new().with("new.jsonl", lines(&newest_first)).with("old.jsonl", lines(&hours));
    let run = place.run(&["dedup", "-q", "new.jsonl", "--window", "2h"]);
    assert_eq!((run.code, run.out.lines().count()), (Some(3), 1), "{}", run.said);
    assert!(run.said.contains("--window: 9 of 10 messages came later") && run.said.contains("tac"), "{}", run.said);
    let run = place.run(&["dedup", "-q", "old.jsonl", "--window", "2h"]);
    assert_eq!((run.code, run.out.lines().count(), run.said.as_str()), (Some(0), 4, ""));
    // Two feeds that come together are not in order either, but do not begin with the newest.
    let mixed: Vec<(u64, usize)> = (0..60).map(|at| (if at % 2 == 0 { 3600 + at } else { at }, at as usize)).collect();
    let place = place.with("mixed.jsonl", lines(&mixed));
    let run = place.run(&["dedup", "-q", "mixed.jsonl", "mixed.jsonl", "--window", "2h"]);
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
}
