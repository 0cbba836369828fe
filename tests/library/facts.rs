//! Pairs that differ in one fact or in none: `data/facts.jsonl`, described in `data/README.md`. The number of misjudged pairs of each kind
//! is in `data/facts-table.txt`, written by `QUCHONG_BLESS=1 cargo test --test library facts`. No message of these tests prints a text.
//! The blind part was written without knowing the rule, and people who change the rule must not see it. `data/README.md` says how to see
//! the pairs of the open part.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use quchong::compare::Comparer;
use quchong::config::NearMode;
use quchong::evaluate::engines::{ENGINES, NamedEngine};
use serde::Deserialize;

/// Most decoys that the default may drop, and most repeats that it may miss, in the open and in the blind part. The counts in the table
/// cannot be above these. Lower the numbers when the rule gets better; never raise them.
const MOST_DROPPED: [usize; 2] = [10, 12];
const MOST_MISSED: [usize; 2] = [16, 6];

const PARTS: [&str; 2] = ["open", "blind"];
const DOMAINS: [&str; 10] =
    ["post", "headline", "sms", "chat", "goods", "question", "alert", "sport", "market", "health"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    a: String,
    b: String,
    label: u8,
    kind: String,
    domain: String,
    why: String,
    part: String,
}

impl Pair {
    fn part(&self) -> usize {
        PARTS.iter().position(|part| *part == self.part).unwrap()
    }
}

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "data", name].iter().collect()
}

fn pairs() -> Vec<Pair> {
    let text = fs::read_to_string(path("facts.jsonl")).unwrap();
    let pair = |(number, line)| serde_json::from_str(line).unwrap_or_else(|error| panic!("line {number}: {error}"));
    (1..).zip(text.lines()).map(pair).collect()
}

/// The default and the presets that use the rule.
fn engines() -> impl Iterator<Item = &'static NamedEngine> {
    let by_rule = |engine: &&NamedEngine| (engine.config)().near == NearMode::Hybrid;
    ENGINES.iter().filter(by_rule)
}

/// Whether each pair is judged as its label says.
fn judged(engine: &NamedEngine, pairs: &[Pair]) -> Vec<bool> {
    let mut comparer = Comparer::new(&(engine.config)()).unwrap();
    let is_right = |pair: &Pair| comparer.compare(&pair.a, &pair.b).verdict.is_kept() == (pair.label == 0);
    pairs.iter().map(is_right).collect()
}

#[test]
fn the_file_is_sound() {
    let pairs = pairs();
    let readme = fs::read_to_string(path("README.md")).unwrap();
    let (mut seen, mut kinds) = (HashSet::new(), BTreeMap::<&str, [usize; 2]>::new());
    for (number, pair) in (1..).zip(&pairs) {
        assert!(pair.label < 2 && pair.a != pair.b && !pair.why.is_empty(), "line {number}");
        assert!(DOMAINS.contains(&pair.domain.as_str()) && PARTS.contains(&pair.part.as_str()), "line {number}");
        for text in [&pair.a, &pair.b] {
            assert!((8..=200).contains(&text.trim().chars().count()), "line {number}");
        }
        // In either order: the set has no pairs where B repeats A but A does not repeat B.
        let key = if pair.a < pair.b { (&pair.a, &pair.b) } else { (&pair.b, &pair.a) };
        assert!(seen.insert(key), "line {number}: this pair was there before");
        kinds.entry(&pair.kind).or_default()[usize::from(pair.label)] += 1;
    }
    let halves = |label: usize| kinds.values().filter(|counts| counts[label] > 0).count();
    assert!(pairs.len() >= 2000 && halves(0) >= 40 && halves(1) >= 20, "{} {} {}", pairs.len(), halves(0), halves(1));
    for (kind, counts) in &kinds {
        assert!(counts.contains(&0), "{kind} is a kind of decoys and of repeats");
        let told = ["different", "same"][usize::from(counts[1] > 0)];
        assert!(readme.contains(&format!("| `{kind}` | {told} | ")), "data/README.md does not tell what {kind} is");
    }
}

/// Whatever the verdicts are, they must change only on purpose.
#[test]
fn every_kind_is_judged_as_written_down() {
    let pairs = pairs();
    let judged: Vec<(&str, Vec<bool>)> = engines().map(|engine| (engine.name, judged(engine, &pairs))).collect();
    // Sorted: decoys before repeats, then by kind, the open part before the blind one; sums last.
    let mut rows = BTreeMap::<(u8, &str, usize), Vec<usize>>::new();
    for (at, pair) in pairs.iter().enumerate() {
        for kind in [pair.kind.as_str(), "~"] {
            let row = rows.entry((pair.label, kind, pair.part())).or_insert_with(|| vec![0; judged.len() + 1]);
            row[0] += 1;
            judged.iter().zip(&mut row[1..]).for_each(|((_, right), wrong)| *wrong += usize::from(!right[at]));
        }
    }
    let mut table = format!("{:<10} {:<18} {:<5} {:>6}", "judged", "kind", "part", "pairs");
    judged.iter().for_each(|(name, _)| write!(table, " {name:>9}").unwrap());
    for ((label, kind, part), counts) in rows {
        let judged = ["dropped", "missed"][usize::from(label)];
        let kind = if kind == "~" { "all" } else { kind };
        write!(table, "\n{judged:<10} {kind:<18} {:<5} {:>6}", PARTS[part], counts[0]).unwrap();
        counts[1..].iter().for_each(|wrong| write!(table, " {wrong:>9}").unwrap());
    }
    table.push('\n');
    let path = path("facts-table.txt");
    if std::env::var_os("QUCHONG_BLESS").is_some_and(|value| value == "1") {
        return fs::write(path, table).unwrap();
    }
    let known = fs::read_to_string(path).unwrap_or_default();
    let changed: Vec<String> = (table.lines().filter(|line| !known.lines().any(|known| known == *line)))
        .map(|line| format!("+ {line}"))
        .chain(known.lines().filter(|known| !table.lines().any(|line| line == *known)).map(|line| format!("- {line}")))
        .collect();
    assert!(changed.is_empty(), "verdicts changed (QUCHONG_BLESS=1 accepts them):\n{}", changed.join("\n"));
    assert_eq!(table, known, "the table stands in another order");
}

/// These limits are not changed by `QUCHONG_BLESS`.
#[test]
fn facts_are_held_apart_as_well_as_ever() {
    let pairs = pairs();
    let judged = judged(engines().find(|engine| engine.name == "default").unwrap(), &pairs);
    for (part, name) in PARTS.iter().enumerate() {
        let wrong = |label: u8| {
            let is_wrong = |(pair, right): &(&Pair, &bool)| pair.label == label && pair.part() == part && !**right;
            pairs.iter().zip(&judged).filter(is_wrong).count()
        };
        let (dropped, missed) = (wrong(0), wrong(1));
        assert!(dropped <= MOST_DROPPED[part], "{name}: {dropped} decoys are dropped, {} at most", MOST_DROPPED[part]);
        assert!(missed <= MOST_MISSED[part], "{name}: {missed} repeats are missed, {} at most", MOST_MISSED[part]);
    }
}
