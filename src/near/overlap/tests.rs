//! Tests the engine against its definition: every pair of bodies is compared by sets of bigrams.

mod bodies;
mod definition;

use super::query::BodyParts;
use super::{Features, Scoped, Standalone};
use crate::config::SIMILARITY;
use crate::record::Pos;
use crate::rule::bounds::{Bounds, LONGEST};
use crate::text::tokens::number;
use bodies::{floods, random, short_floods, templates};
use definition::{Defined, possible};
use proptest::prelude::*;

/// Keeps all bodies, one every `step` positions, and compares the bodies offered for each with brute force: all possible bodies must be
/// offered. Returns how many were offered, and how many of these are possible. The same must hold if the bodies belong to two scopes in
/// turn. Every third input shows that.
fn compare(bodies: &[Vec<u32>], window: u64, step: u64, bounds: Bounds, accept_after: usize) -> (usize, usize) {
    compare_from(0, bodies, (window, step), bounds, accept_after)
}

/// The same, if the first body has this number.
fn compare_from(
    first: u64,
    bodies: &[Vec<u32>],
    times: (u64, u64),
    bounds: Bounds,
    accept_after: usize,
) -> (usize, usize) {
    if bodies.len().is_multiple_of(3) {
        compare_within(|i| [5, u64::MAX][i / 2 % 2], first, bodies, times, bounds, accept_after);
    }
    compare_within(|_| 0, first, bodies, times, bounds, accept_after)
}

fn compare_within(
    scope: impl Fn(usize) -> u64,
    first: u64,
    bodies: &[Vec<u32>],
    (window, step): (u64, u64),
    bounds: Bounds,
    accept_after: usize,
) -> (usize, usize) {
    let mut engine = Standalone::new(window, bounds);
    engine.overlap.bodies.number_from(first);
    let (mut offered, mut right) = (0, 0);
    let defined: Vec<Defined> = bodies.iter().map(|body| Defined::new(body)).collect();
    for (i, body) in bodies.iter().enumerate() {
        let pos = i as u64 * step;
        let earlier = (0..i).filter(|j| pos - *j as u64 * step <= window && scope(*j) == scope(i));
        let expected: Vec<u64> = earlier
            .filter(|j| possible(&defined[*j], &defined[i], &bounds))
            .map(|j| j as u64)
            .take(accept_after)
            .collect();
        let (mut found, mut last_offered) = (Vec::new(), None);
        let own = &defined[i];
        engine.scope = scope(i);
        engine.parts = BodyParts { ending: own.ending(), commented: own.commented(), ends_freely: own.ends_freely() };
        let last = engine.earliest(
            body,
            Pos(pos),
            |_| 0,
            |candidate| {
                let number = candidate.number - first;
                let kept = &defined[number as usize];
                assert_eq!(scope(number as usize), scope(i));
                assert_eq!(candidate.tokens, kept.tokens);
                assert_eq!(candidate.pos, Pos(number * step));
                assert!(pos - candidate.pos.0 <= window, "expired");
                assert!(last_offered.replace(number) < Some(number), "not rising");
                offered += 1;
                found.extend(possible(kept, &defined[i], &bounds).then_some(number));
                (found.len() == accept_after).then_some(number)
            },
        );
        assert_eq!(found, expected, "body {i}, window {window}, step {step}: {body:?}");
        assert_eq!(last, expected.get(accept_after - 1).copied());
        engine.remember(body, Pos(pos));
        right += found.len();
    }
    (offered, right)
}

/// The number of the first body: in the first block of numbers, shortly before the end of the block, or shortly before the numbers wrap
/// round.
fn first() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![0, 4096 - 150, (1 << 32) - 150])
}

/// The rule's own bounds at the default similarity.
fn usual() -> Bounds {
    Bounds::of_similarity(SIMILARITY)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn equals_brute_force(
        seed: u64,
        alphabet in prop::sample::select(vec![2u64, 5, 30, 3000]),
        longest in prop::sample::select(vec![4u64, 20, 60, 300]),
        window in prop::sample::select(vec![1u64, 7, 40, 1000]),
        step in 1u64..3,
        (short, runs) in (1u32..=1000, 1u32..=1000),
        (is_usual, quotes) in any::<(bool, bool)>(),
        accept_after in prop::sample::select(vec![1usize, 2, usize::MAX]),
    ) {
        let bounds = if is_usual { Bounds { quotes, ..usual() } } else { Bounds { short, runs, quotes, ..usual() } };
        compare(&templates(seed, 60, alphabet, longest), window, step, bounds, accept_after);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    /// Floods with enough bodies of a template that they are looked up by their keys. In some a block of numbers ends, or the numbers wrap
    /// round.
    #[test]
    fn floods_equal_brute_force(
        seed: u64,
        first in first(),
        kinds in 1u64..4,
        fills in prop::sample::select(vec![3u64, 30, 1000]),
        window in prop::sample::select(vec![90u64, 250, 1000]),
        (counts, slots) in any::<(bool, bool)>(),
        accept_after in prop::sample::select(vec![1usize, usize::MAX]),
    ) {
        let bounds = Bounds { counts, slots, quotes: true, ..usual() };
        compare_from(first, &floods(seed, 300, kinds, fills), (window, 1), bounds, accept_after);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Floods with enough short bodies of a template that they are looked up by their numbers.
    #[test]
    fn floods_of_short_bodies_equal_brute_force(
        seed: u64,
        first in first(),
        kinds in 1u64..6,
        fills in prop::sample::select(vec![3u64, 30, 1000]),
        window in prop::sample::select(vec![50u64, 120, 250, 1000]),
        (counts, slots) in (prop::bool::weighted(0.8), any::<bool>()),
        accept_after in prop::sample::select(vec![1usize, usize::MAX]),
    ) {
        let bounds = Bounds { counts, slots, quotes: true, ..usual() };
        compare_from(first, &short_floods(seed, 400, kinds, fills), (window, 1), bounds, accept_after);
    }
}

/// In a flood of thousands of short codes, nearly all are ruled out without a comparison.
#[test]
fn a_flood_of_short_bodies_is_looked_up() {
    // Each engine hashes with a random factor. With one factor in forty, two templates share a list, and more bodies are offered.
    let least = (0..3).map(|_| offered_of_short_bodies()).min().unwrap_or_default();
    assert!(least < 10 * 6000, "{least}");
}

/// How many bodies an engine compares in a flood of short ones.
fn offered_of_short_bodies() -> usize {
    let mut engine = Standalone::new(5000, Bounds { counts: true, slots: true, ..usual() });
    let mut offered = 0;
    for at in 0..6000 {
        let template = at % 3 * 10;
        let body =
            [&(template..template + 6).collect::<Vec<_>>()[..], &[number(at)], &[97, 98][..at as usize % 3]].concat();
        let none = engine.earliest(
            &body,
            Pos(u64::from(at)),
            |_| 0,
            |_| {
                offered += 1;
                None::<()>
            },
        );
        assert_eq!(none, None);
        engine.remember(&body, Pos(u64::from(at)));
    }
    offered
}

/// In a flood of thousands of messages of one template, nearly all are ruled out without a comparison.
#[test]
fn a_flood_is_looked_up() {
    for (counts, slots) in [(true, false), (false, true), (true, true)] {
        let bounds = Bounds { counts, slots, ..usual() };
        let template: Vec<u32> = (1..40).collect();
        let bodies: Vec<Vec<u32>> = (0..6000)
            .map(|at| {
                let mut body = template.clone();
                if slots {
                    body.splice(20..20, (0..4).map(|token| 1000 + at * 4 + token));
                }
                if counts {
                    body.insert(10, number(at));
                }
                body
            })
            .collect();
        let mut engine = Standalone::new(5000, bounds);
        let mut offered = 0;
        for (body, pos) in bodies.iter().zip(0..) {
            let none = engine.earliest(
                body,
                Pos(pos),
                |_| 0,
                |_| {
                    offered += 1;
                    None::<()>
                },
            );
            assert_eq!(none, None);
            engine.remember(body, Pos(pos));
        }
        assert!(offered < 10 * bodies.len(), "{offered}");
    }
}

/// There are enough postings that queries are answered in parts, lists longer than any limit, and numbers that wrap round.
#[test]
fn a_campaign_is_answered_in_parts() {
    let mut seed = 7;
    let shared: Vec<u32> = (0..40).map(|i| 1000 + i).collect();
    let bodies: Vec<Vec<u32>> = (0..1800)
        .map(|_| {
            let mut body = shared.clone();
            for _ in 0..4 {
                body[random(&mut seed, 40) as usize] = random(&mut seed, 500) as u32;
            }
            body
        })
        .collect();
    let (offered, right) = compare(&bodies[..500], 350, 1, usual(), usize::MAX);
    assert!(right > 50_000, "{right}: the bodies are no campaign");
    assert!(offered < 2 * right, "{offered} offered, {right} possible");
    let (mut engine, start) = (Standalone::new(1500, usual()), u64::from(u32::MAX) - 1800);
    engine.overlap.bodies.number_from(start);
    let defined: Vec<Defined> = bodies.iter().map(|body| Defined::new(body)).collect();
    for (i, body) in bodies.iter().enumerate() {
        let first = engine.earliest(
            body,
            Pos(i as u64),
            |_| 0,
            |candidate| {
                let number = candidate.number - start;
                possible(&defined[number as usize], &defined[i], &usual()).then_some(number)
            },
        );
        let expected = (i.saturating_sub(1500)..i).find(|j| possible(&defined[*j], &defined[i], &usual()));
        assert_eq!(first, expected.map(|j| j as u64), "body {i}");
        engine.remember(body, Pos(i as u64));
    }
}

/// Very long bodies: units of more than one token, and bodies larger than a chunk.
#[test]
fn long_bodies() {
    let long: Vec<u32> = (0..8000).collect();
    let mut tail = long[..5600].to_vec();
    tail.extend(20_000..22_400);
    let foreign: Vec<u32> = (30_000..38_000).collect();
    let bodies = [long, foreign, tail.clone(), tail[..2000].to_vec(), vec![1; 100_000], vec![]];
    assert!(compare(&bodies, 10, 1, usual(), usize::MAX).1 >= 3);
}

/// A body of more than [`LONGEST`] tokens has one feature. So it costs the same however many others came before it.
#[test]
fn longest_bodies() {
    let longest: Vec<u32> = (0..LONGEST as u32 + 1).collect();
    let mut other = longest.clone();
    other[100] = 1_000_000;
    let bodies = [longest.clone(), other, longest[..LONGEST].to_vec(), longest[5..].to_vec(), longest];
    assert_eq!(compare(&bodies, 10, 1, usual(), usize::MAX).1, 2);
    let mut features = Features::default();
    let body = Scoped { tokens: &bodies[0], scope: 0 };
    Standalone::new(10, usual()).overlap.reader().read(body, &[], Vec::new(), Vec::new(), &mut features);
    assert!(features.all.iter().all(|feature| feature.hash == features.all[0].hash));
}

/// Memory follows the window, not the stream.
#[test]
fn memory_is_bounded() {
    let mut engine = Standalone::new(500, usual());
    let mut sizes = Vec::new();
    for round in 0..8u64 {
        for (i, body) in templates(round, 4000, 3000, 60).iter().enumerate() {
            engine.remember(body, Pos(round * 4000 + i as u64));
        }
        assert_eq!(engine.overlap.bodies.len(), 501);
        sizes.push(engine.overlap.bytes());
    }
    assert!(sizes[7] < sizes[1] * 5 / 4, "{sizes:?}");
}
