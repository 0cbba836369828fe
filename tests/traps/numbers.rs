//! One wrong `--seq-field` number ends no feed, and what is passed over is part of the sum.

use serde_json::Value;

use super::{Place, Run, unlike};

const ARGS: [&str; 6] = ["dedup", "-f=jsonl", "--state=state", "--seq-field=n", "--summary=sum.json", "--near=none"];

/// Records with these numbers; each has a text of its own.
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
        // The state goes on where the feed was.
        let info: Value =
            serde_json::from_str(&place.run(&["state", "info", "state", "--format", "json"]).out).unwrap();
        assert_eq!(info["run"]["last_seq"], last, "{numbers:?}");
        let run = place.fed(&ARGS, "{\"n\":5,\"text\":\"甲\"}\n{\"n\":7,\"text\":\"乙\"}\n".as_bytes());
        assert_eq!(run.out, "{\"n\":7,\"text\":\"乙\"}\n", "{numbers:?}: {}", run.said);
        assert_eq!(adds_up(&place, &run)["skipped"], 1);
    }
}

#[test]
fn records_out_of_order_are_judged_and_told() {
    let place = Place::new();
    let input = feed(&[1, 2, 4, 3, 5]);
    let run = place.fed(&ARGS, input.as_bytes());
    assert_eq!(run.out, input, "{}", run.said);
    assert!(run.said.contains("number 3 (--seq-field) is not above 4"), "{}", run.said);
    assert_eq!(adds_up(&place, &run)["numbers"]["late"], 1);
}

#[test]
fn a_feed_that_has_moved_on_is_followed() {
    let place = Place::new();
    let run = place.fed(&ARGS, feed(&[1, 2, 5_000_000, 5_000_001]).as_bytes());
    assert_eq!(run.said.lines().count(), 1, "{}", run.said);
    let run = place.fed(&ARGS, feed(&[5_000_000, 5_000_001]).as_bytes());
    assert_eq!((run.out.as_str(), &adds_up(&place, &run)["skipped"]), ("", &2.into()));
}
