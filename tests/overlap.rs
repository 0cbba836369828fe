//! The overlap engine against brute force, on real posts.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::collections::HashSet;

use quchong::near::overlap::{Bounds, Overlap};
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
    let (posts, bounds, window) = (bodies(&path, 20_000), Bounds::default(), 15_000);
    let mut engine = Overlap::new(window);
    let mut kept: Vec<usize> = Vec::new();
    let (mut asked, mut met) = (0, 0);
    for (i, post) in posts.iter().enumerate() {
        let pos = Pos(i as u64);
        if i % 60 == 0 {
            let own = bigrams(post);
            let possible = |j: &usize| {
                let of_kept = covered(&posts[*j], &own);
                let of_new = if of_kept > 0 { covered(post, &bigrams(&posts[*j])) } else { 0 };
                of_kept > 0 && bounds.possible((of_kept, posts[*j].len()), (of_new, post.len()))
            };
            let expected: Vec<usize> =
                kept.iter().copied().filter(|j| i - j <= window as usize).filter(possible).collect();
            let mut found = Vec::new();
            engine.earliest(post, pos, &bounds, |candidate| {
                found.push(candidate.pos.0 as usize);
                None::<()>
            });
            assert_eq!(found, expected, "post {i}");
            asked += 1;
            met += usize::from(!found.is_empty());
        }
        if engine.earliest(post, pos, &bounds, |_| Some(())).is_none() {
            engine.remember(post, pos);
            kept.push(i);
        }
    }
    assert!(asked > 300 && met > 50, "{met} of {asked} posts met a possible one");
}
