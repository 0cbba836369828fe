//! One wrong `--seq-field` number does not end a feed, and records that are passed over are part of the sum.

use serde_json::Value;

use super::{Place, Run, unlike};

const ARGS: [&str; 6] = ["dedup", "-f=jsonl", "--state=state", "--seq-field=n", "--summary=sum.json", "--near=none"];

/// Records with these numbers, each with its own text.
fn feed(numbers: &[u64]) -> String {
    numbers.iter().enumerate().map(|(at, n)| format!("{{\"n\":{n},\"text\":\"{}\"}}\n", unlike(at))).collect()
}

fn adds_up(place: &Place, run: &Run) -> Value {
    let sum = place.json("sum.json");
    let part = |name: &str| sum.pointer(name).and_then(Value::as_u64).unwrap();
    let parts = ["/kept", "/dropped/exact", "/dropped/near", "/errors/total", "/skipped"];
    assert_eq!(part("/in"), parts.iter().map(|name| part(name)).sum::<u64>(), "{sum}");
    let said = run.said.lines().find(|line| line.starts_with("quchong: in ")).unwrap();
    let [all, kept] = [part("/in"), part("/kept")];
    assert!(said.contains(&format!("in {all} = kept {kept} ")), "{said}");
    assert!(part("/skipped") == 0 || said.contains(&format!("+ skipped {}", part("/skipped"))), "{said}");
    sum
}

#[test]
fn one_wrong_number_ends_no_feed() {
    for (numbers, last) in [
        (vec![1, 2, 99_999_999_999, 3, 4, 5, 6], 6),
        (vec![99_999_999_999, 1, 2, 3, 4, 5, 6], 6),
        (vec![1, 2, 3, 4, 5, 6, 99_999_999_999], 6),
    ] {
        let place = Place::new();
        let input = feed(&numbers);
        let run = place.fed(&ARGS, input.as_bytes());
        assert_eq!((run.code, &run.out), (Some(0), &input), "{numbers:?}: {}", run.said);
        assert!(run.said.contains("99999999999"), "{numbers:?}: {}", run.said);
        let sum = adds_up(&place, &run);
        assert_eq!((&sum["in"], &sum["numbers"]["jumped"]), (&7.into(), &1.into()), "{numbers:?}");
        // The state continues where the feed was.
        let info: Value =
            serde_json::from_str(&place.run(&["state", "info", "state", "--format", "json"]).out).unwrap();
        assert_eq!(info["run"]["last_seq"], last, "{numbers:?}");
        let again = format!("{{\"n\":5,\"text\":\"{}\"}}\n{{\"n\":7,\"text\":\"乙\"}}\n", unlike(5));
        let run = place.fed(&ARGS, again.as_bytes());
        assert_eq!(run.out, "{\"n\":7,\"text\":\"乙\"}\n", "{numbers:?}: {}", run.said);
        assert_eq!(adds_up(&place, &run)["skipped"], 1);
    }
}

/// Feeds records with `numbers`, then records with `then` to a second run. Returns how many records the second run passed over, and what
/// the first run said.
fn passed_over(numbers: &[u64], then: &[u64]) -> (u64, String) {
    let place = Place::new();
    let first = place.fed(&ARGS, feed(numbers).as_bytes());
    assert_eq!(first.code, Some(0), "{}", first.said);
    let run = place
        .fed(&ARGS, then.iter().map(|n| format!("{{\"n\":{n},\"text\":\"新{n}\"}}\n")).collect::<String>().as_bytes());
    let skipped = adds_up(&place, &run)["skipped"].as_u64().unwrap();
    (skipped, first.said)
}

/// No wrong number makes the next run pass over new records: not a number alone, one that is not far ahead, two wrong numbers, or the
/// last of a run.
#[test]
fn no_wrong_number_passes_later_records_over() {
    let wrong = 99_999_999_999;
    for numbers in [
        vec![wrong],
        vec![wrong, wrong + 1],
        vec![1, 2, 90],
        vec![1, 2, 500_000],
        vec![1, 2, 500_000, 3],
        vec![1, 2, wrong, wrong + 1],
        vec![1, 2, wrong, wrong + 1, wrong + 2, 3],
        vec![1, 2, 3, 4, wrong],
    ] {
        let (skipped, said) = passed_over(&numbers, &[5, 6, 7]);
        assert_eq!(skipped, 0, "{numbers:?}: {said}");
        // The wrong number is reported with its place, unless it could be the next number.
        let Some(at) = numbers.iter().position(|number| *number > 1000).map(|at| at + 1) else { continue };
        assert!(said.contains(&format!("<stdin>:{at}: number {}", numbers[at - 1])), "{numbers:?}: {said}");
    }
}

#[test]
fn a_run_that_passes_all_over_is_told() {
    let place = Place::new();
    assert_eq!(place.fed(&ARGS, feed(&[1, 2, 3]).as_bytes()).code, Some(0));
    let quiet = [&ARGS[..], &["-q"]].concat();
    let run = place.fed(&quiet, feed(&[1, 2, 3]).as_bytes());
    assert_eq!((run.code, run.said.lines().count()), (Some(3), 1), "{}", run.said);
    assert!(run.said.contains("--seq-field: 3 of 3 records were skipped"), "{}", run.said);
    let run = place.fed(&quiet, feed(&[2, 3, 4, 5]).as_bytes());
    assert_eq!((run.code, run.said.as_str()), (Some(0), ""));
    let run = place.fed(&quiet, feed(&[3, 4, 5, 6]).as_bytes());
    assert_eq!((run.code, run.out.lines().count()), (Some(3), 0), "{}", run.out);
    assert!(run.said.contains("--seq-field: 3 of 4 records were skipped"), "{}", run.said);
}

#[test]
fn numbers_that_are_none_are_told() {
    let feed = |numbers: &[&str]| -> String {
        let record = |(at, n): (usize, &&str)| format!("{{\"n\":{n},\"text\":\"{}\"}}\n", unlike(at));
        numbers.iter().enumerate().map(record).collect()
    };
    for numbers in [["1.5", "2.5", "3.5"], ["-1", "-2", "-3"], ["\"a\"", "\"b\"", "1"], ["null", "null", "null"]] {
        let place = Place::new();
        let run = place.fed(&[&ARGS[..], &["-q"]].concat(), feed(&numbers).as_bytes());
        assert_eq!((run.code, run.out.lines().count()), (Some(3), 3), "{numbers:?}: {}", run.said);
        assert!(run.said.contains("--seq-field: ") && run.said.contains("of 3 records ha"), "{}", run.said);
    }
    let place = Place::new();
    let mistyped = ["dedup", "-q", "-f=jsonl", "--state=mistyped", "--seq-field=nn"];
    let run = place.fed(&mistyped, feed(&["1", "2"]).as_bytes());
    assert!(run.code == Some(3) && run.said.contains("--seq-field: 2 of 2 records have no number"), "{}", run.said);
    let run = place.fed(&ARGS, feed(&["1", "2", "null", "3"]).as_bytes());
    assert_eq!((run.code, &adds_up(&place, &run)["numbers"]["missing"]), (Some(0), &1.into()), "{}", run.said);
    assert!(run.said.contains("<stdin>:3: no number") && run.said.contains("1 record had none"), "{}", run.said);
}

#[test]
fn records_out_of_order_are_judged_and_told() {
    let place = Place::new();
    let input = feed(&[1, 2, 4, 3, 5]);
    let run = place.fed(&ARGS, input.as_bytes());
    assert_eq!(run.out, input, "{}", run.said);
    assert!(run.said.contains("number 3 (--seq-field) is not above 4, the last one"), "{}", run.said);
    assert_eq!(adds_up(&place, &run)["numbers"]["late"], 1);
}

/// If two runs divide a feed that is out of order, new records below the last number are judged. They were once passed over.
#[test]
fn what_comes_late_to_another_run_is_judged() {
    let place = Place::new();
    let all = feed(&[1, 2, 4, 6, 3, 5, 7]);
    let (first, second) = all.split_at(all.match_indices('\n').nth(3).unwrap().0 + 1);
    assert_eq!(place.fed(&ARGS, first.as_bytes()).out, first);
    // The feed is sent again from number 4 on.
    let again: String = first.lines().skip(2).map(|line| format!("{line}\n")).collect();
    let run = place.fed(&ARGS, (again + second).as_bytes());
    assert_eq!((run.code, run.out.as_str()), (Some(0), second), "{}", run.said);
    let sum = adds_up(&place, &run);
    assert_eq!((&sum["skipped"], &sum["numbers"]["late"]), (&2.into(), &2.into()), "{}", run.said);
    assert!(run.said.contains("<stdin>:3: number 3 (--seq-field) is not above 6, the last one"), "{}", run.said);
    // If texts are forgotten, nobody knows which records are new, and a message says so.
    let place = Place::new();
    let window = [&ARGS[..], &["--window", "2", "-q"]].concat();
    assert_eq!(place.fed(&window, first.as_bytes()).out, first);
    let run = place.fed(&window, second.as_bytes());
    assert!(run.out.ends_with(second.lines().last().unwrap_or_default()) || run.out.contains("\"n\":7"), "{}", run.out);
    assert!(run.said.contains("<stdin>:1: number 3 (--seq-field) is not above 6"), "{}", run.said);
    assert!(run.said.contains("--seq-field: 2 records were skipped whose texts are not known"), "{}", run.said);
    assert_eq!(place.json("sum.json")["numbers"]["unknown"], 2);
}

/// A feed whose numbers jump ahead is followed, and the jump is reported before any record is passed over for it.
#[test]
fn a_feed_that_has_moved_on_is_followed() {
    let place = Place::new();
    let moved: Vec<u64> = [1, 2].into_iter().chain(5_000_000..5_000_100).collect();
    let run = place.fed(&ARGS, feed(&moved).as_bytes());
    assert_eq!(run.said.lines().count(), 3, "{}", run.said);
    assert!(run.said.contains("<stdin>:3: number 5000000 (--seq-field) is far ahead, with 2 before"), "{}", run.said);
    let then = feed(&[5_000_000, 5_000_001]) + "{\"n\":5000100,\"text\":\"新来的\"}\n";
    let run = place.fed(&ARGS, then.as_bytes());
    assert_eq!((run.out.lines().count(), &adds_up(&place, &run)["skipped"]), (1, &2.into()));
    // A feed whose numbers are times.
    let place = Place::new();
    let times: Vec<u64> = (0..50).map(|at| (1 << 60) + at * (7 << 22)).collect();
    let run = place.fed(&ARGS, feed(&times).as_bytes());
    assert!(
        run.said.contains("number 1152921504606846976 (--seq-field) is far ahead, with nothing before"),
        "{}",
        run.said
    );
    let run = place.fed(&ARGS, feed(&[times[49], times[49] + (900 << 22), times[49] + (910 << 22)]).as_bytes());
    assert_eq!((run.code, &adds_up(&place, &run)["skipped"]), (Some(0), &1.into()), "{}", run.said);
}
