//! The overlap engine against brute force, on real posts.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::collections::HashSet;

use quchong::config::SIMILARITY;
use quchong::near::overlap::{Candidate, Overlap};
use quchong::near::verify::{LONG, RUN_SHARE, bounds, in_runs};
use quchong::text::body::{Body, body_into};
use quchong::text::normalise::canonical_into;
use quchong::{Config, Pos};

/// The first bodies of a file of records, one token a character.
fn bodies(path: &std::path::Path, count: usize) -> Vec<Vec<u32>> {
    let (rules, mut canonical, mut body) = (Config::default().rules, String::new(), Body::default());
    let file = std::fs::read_to_string(path).unwrap();
    let tokens = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        canonical_into(record["text"].as_str().unwrap(), &mut canonical);
        body_into(&canonical, rules, &mut body);
        body.text.chars().filter(|c| c.is_alphanumeric()).map(u32::from).collect()
    };
    file.lines().take(count).map(tokens).collect()
}

fn bigrams(body: &[u32]) -> HashSet<(u32, u32)> {
    body.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn covered(own: &[u32], other: &HashSet<(u32, u32)>) -> usize {
    let by = |from: usize| from + 1 < own.len() && other.contains(&(own[from], own[from + 1]));
    (0..own.len()).filter(|at| (*at > 0 && by(at - 1)) || by(*at)).count()
}

/// A stream in which the first possible body makes a repeat. Every 60th post is offered to brute force, too.
#[test]
fn equals_brute_force_on_posts() {
    let Some(path) = common::shared("weibo-dev.jsonl") else { return };
    let (posts, window) = (bodies(&path, 20_000), 15_000);
    let bounds = bounds(SIMILARITY);
    let possible = |a: &[u32], b: &[u32]| {
        if a.len().min(b.len()) >= LONG {
            return in_runs(b, a) * 1000 >= b.len() * RUN_SHARE;
        }
        let least = covered(a, &bigrams(b)).min(covered(b, &bigrams(a)));
        least > 0 && 2000 * least >= bounds.short as usize * (a.len() + b.len())
    };
    let mut engine = Overlap::new(window, bounds);
    let mut kept: Vec<usize> = Vec::new();
    let (mut asked, mut met, mut offered) = (0, 0, 0);
    for (i, post) in posts.iter().enumerate() {
        let pos = Pos(i as u64);
        if i % 60 == 0 {
            let live = kept.iter().copied().filter(|j| i - j <= window as usize);
            let expected: Vec<usize> = live.filter(|j| possible(&posts[*j], post)).collect();
            let mut found = Vec::new();
            engine.earliest(post, pos, |candidate| {
                offered += 1;
                found.extend(possible(candidate.tokens, post).then_some(candidate.pos.0 as usize));
                None::<()>
            });
            assert_eq!(found, expected, "post {i}");
            asked += 1;
            met += usize::from(!found.is_empty());
        }
        let accept = |candidate: Candidate<'_>| possible(candidate.tokens, post).then_some(());
        if engine.earliest(post, pos, accept).is_none() {
            engine.remember(post, pos);
            kept.push(i);
        }
    }
    assert!(asked > 300 && met > 50, "{met} of {asked} posts met a possible one");
    assert!(offered < 5 * asked, "{offered} bodies offered to {asked} posts");
}
