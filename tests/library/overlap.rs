//! The default engine against brute force of the rule, on our own texts, and on real posts where they are.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is how a test fails")]

use quchong::compare::{Comparer, Print};
use quchong::config::{ExactMode, Policy};
use quchong::generate::{Generator, Recipe};
use quchong::near::verify::{Decision, Verifier};
use quchong::{Config, Deduplicator, Pos, Record, Verdict};

/// Generated posts, and the texts of our own pairs, which lie as close to each other as texts can.
fn our_own(generated: usize, pairs: usize) -> Vec<String> {
    let made = Generator::new(5, Recipe::default()).unwrap().take(generated).map(|post| post.text);
    let text = |line: &str| -> String {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
    };
    made.chain(crate::common::our_own(2 * pairs).lines().map(text)).collect()
}

/// The first posts of the file, or so many as `QUCHONG_POSTS` says: 20 000 take two minutes.
fn posts(count: usize) -> Option<Vec<String>> {
    let file = std::fs::read_to_string(crate::common::shared("weibo-dev.jsonl")?).unwrap();
    let count = std::env::var("QUCHONG_POSTS").map_or(count, |count| count.parse().unwrap());
    let text =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    Some(file.lines().take(count).map(text).collect())
}

fn config() -> Config {
    Config { exact: ExactMode::None, ..Config::default() }
}

#[test]
fn equals_brute_force_of_the_rule_on_our_own() {
    equals_brute_force_of_the_rule(&our_own(1500, 1250));
}

#[test]
fn equals_brute_force_of_the_rule_on_real_posts() {
    posts(6000).iter().for_each(|posts| equals_brute_force_of_the_rule(posts));
}

/// Each pair of a kept post and a later one is put before the rule, and nothing else.
fn equals_brute_force_of_the_rule(posts: &[String]) {
    let mut comparer = Comparer::new(&config()).unwrap();
    let prints: Vec<Print> = posts.iter().map(|post| comparer.print(post)).collect();
    let mut expected = vec![Verdict::Kept; posts.len()];
    // The kept ones in order, so that each repeat gets the earliest; whether a post is kept is known when its turn comes.
    for (a, print) in prints.iter().enumerate() {
        if !expected[a].is_kept() {
            continue;
        }
        let mut against = comparer.against(print);
        for (b, later) in
            prints.iter().enumerate().skip(a + 1).filter(|(b, _)| expected[*b].is_kept()).collect::<Vec<_>>()
        {
            if let Verdict::Near { engine, by, .. } = against.judge(later).verdict {
                expected[b] = Verdict::Near { of: Pos(a as u64), engine, by };
            }
        }
    }
    let mut dedup = Deduplicator::new(config()).unwrap();
    for (id, (post, expected)) in (1_u64..).zip(posts.iter().zip(&expected)) {
        assert_eq!(dedup.judge(&Record::new(id, post.as_str())).unwrap().verdict, *expected, "post {id}");
    }
    let dropped = expected.iter().filter(|verdict| !verdict.is_kept()).count();
    eprintln!("{} posts, {dropped} dropped, all as by brute force", posts.len());
    assert!(dropped * 20 > posts.len(), "{dropped}");
}

#[test]
fn a_comparer_is_the_rule_on_our_own() {
    a_comparer_is_the_rule(&our_own(200, 150));
}

#[test]
fn a_comparer_is_the_rule_on_real_posts() {
    posts(400).iter().for_each(|posts| a_comparer_is_the_rule(&posts[..400]));
}

/// The bound by which a comparer passes most pairs over hides no repeat.
fn a_comparer_is_the_rule(posts: &[String]) {
    let config = config();
    let mut comparer = Comparer::new(&config).unwrap();
    let prints = posts.iter().map(|post| comparer.print(post));
    let prints: Vec<Print> = prints.filter(|print| print.printed.gist.is_some()).collect();
    let mut verifier = Verifier::new(Policy::default());
    for b in &prints {
        let later = b.printed.gist.as_ref().unwrap().view();
        verifier.read(later);
        for a in &prints {
            let is_repeat = !matches!(verifier.decide(a.printed.gist.as_ref().unwrap().view(), later), Decision::No(_));
            assert_eq!(comparer.judge(a, b).verdict.is_kept(), !is_repeat, "{:?} {:?}", a.printed.gist, b.printed.gist);
        }
    }
}
