//! The engine against its definition: every pair compared by sets of bigrams.

use std::cell::OnceCell;
use std::ops::Range;

use super::Overlap;
use crate::config::SIMILARITY;
use crate::hash::HashSet;
use crate::near::bounds::{Bounds, LONG, QUOTED, RUN, few_counts};
use crate::near::refill::renumbered;
use crate::near::verify::bounds;
use crate::record::Pos;
use crate::text::facts::{Count, counts_differ};
use crate::text::tokens::number;
use proptest::prelude::*;

/// A body, with the parts that the definition compares.
struct Defined<'a> {
    tokens: &'a [u32],
    bigrams: HashSet<&'a [u32]>,
    runs: HashSet<&'a [u32]>,
    counts: Box<[Count]>,
    stretches: OnceCell<Vec<Stretch<'a>>>,
}

/// A stretch of a body, and the shortest passages before and behind it that are in the body once.
type Stretch<'a> = (Range<usize>, [&'a [u32]; 2]);

impl<'a> Defined<'a> {
    fn new(tokens: &'a [u32]) -> Self {
        let [bigrams, runs] = [2, RUN].map(|length| tokens.windows(length).collect());
        Self { tokens, bigrams, runs, counts: few_counts(tokens), stretches: OnceCell::new() }
    }

    /// Which tokens another body covers: those of a bigram that it has too.
    fn covered(&self, other: &Defined) -> Vec<bool> {
        let by = |from: usize| self.tokens.get(from..from + 2).is_some_and(|pair| other.bigrams.contains(pair));
        (0..self.tokens.len()).map(|at| (at > 0 && by(at - 1)) || by(at)).collect()
    }

    /// How many tokens stand in runs that another body has too.
    fn in_runs(&self, other: &Defined) -> usize {
        let begins = |from: usize| self.tokens.get(from..from + RUN).is_some_and(|run| other.runs.contains(run));
        (0..self.tokens.len()).filter(|at| (at.saturating_sub(RUN - 1)..=*at).any(begins)).count()
    }

    /// The stretches of 3 to 20 tokens that have such passages.
    fn stretches(&self) -> &[Stretch<'a>] {
        self.stretches.get_or_init(|| {
            let (body, last) = (self.tokens, self.tokens.len().saturating_sub(2));
            let times = |passage: &[u32]| body.windows(passage.len()).filter(|own| *own == passage).count();
            let lone = |passages: &mut dyn Iterator<Item = Range<usize>>| {
                passages.filter_map(|passage| body.get(passage)).find(|passage| times(passage) == 1)
            };
            let before =
                |start| lone(&mut (2..=4).filter(|length| *length <= start).map(|length| start - length..start));
            let behind: Vec<_> = (0..=last).map(|end| lone(&mut (2..=4).map(|length| end..end + length))).collect();
            let mut stretches = Vec::new();
            for start in 2..body.len() {
                let Some(before) = before(start) else { continue };
                let ends = start + 3..=last.min(start + 20);
                stretches.extend(ends.filter_map(|end| Some((start..end, [before, (*behind.get(end)?)?]))));
            }
            stretches
        })
    }
}

/// Whether a stretch of b, of which a covers no token but perhaps the first and the last, stands between the same passages as one of
/// a that is about as long, without these.
fn refilled(a: &Defined, b: &Defined) -> bool {
    let covered = b.covered(a);
    let ends = |at: &Range<usize>| usize::from(covered[at.start]) + usize::from(covered[at.end - 1]);
    let is_foreign = |at: &Range<usize>| !covered[at.start + 1..at.end - 1].contains(&true);
    b.stretches().iter().filter(|(at, _)| is_foreign(at)).any(|(at, around)| {
        a.stretches().iter().filter(|(_, other)| other == around).any(|(other, _)| {
            let (own, other) = (at.len() - ends(at), other.len().saturating_sub(ends(at)));
            own.min(other) >= 3 && own.max(other) <= 2 * own.min(other) + 1
        })
    })
}

/// The condition as the documentation of [`Bounds`] states it.
fn possible(a: &Defined, b: &Defined, bounds: &Bounds) -> bool {
    let (x, y) = (a.tokens, b.tokens);
    if bounds.counts && (counts_differ(&a.counts, &b.counts).is_some() || renumbered(x, y).is_some()) {
        return false;
    }
    if x.len().min(y.len()) >= LONG {
        return b.in_runs(a) * 1000 >= bounds.runs as usize * y.len() && !(bounds.slots && refilled(a, b));
    }
    let is_quoted = x.len() >= LONG && QUOTED.contains(&y.len()) && x.windows(y.len()).any(|part| part == y);
    let covered = |own: &Defined, other: &Defined| own.covered(other).into_iter().filter(|is| *is).count();
    let least = covered(a, b).min(covered(b, a));
    bounds.quotes && is_quoted || least > 0 && 2 * least * 1000 >= bounds.short as usize * (x.len() + y.len())
}

/// Keeps all bodies, one every `step` positions, and compares what each is offered with brute force: all that is possible,
/// and nothing that has no bigram in common. How many were offered, and how many of them are possible. The same holds if two
/// scopes have the bodies in turn, which every third input shows.
fn compare(bodies: &[Vec<u32>], window: u64, step: u64, bounds: Bounds, accept_after: usize) -> (usize, usize) {
    if bodies.len().is_multiple_of(3) {
        compare_within(|i| [5, u64::MAX][i / 2 % 2], bodies, (window, step), bounds, accept_after);
    }
    compare_within(|_| 0, bodies, (window, step), bounds, accept_after)
}

fn compare_within(
    scope: impl Fn(usize) -> u64,
    bodies: &[Vec<u32>],
    (window, step): (u64, u64),
    bounds: Bounds,
    accept_after: usize,
) -> (usize, usize) {
    let mut engine = Overlap::new(window, bounds, None);
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
        let last = engine.earliest(
            (body, scope(i)),
            Pos(pos),
            |_| 0,
            |candidate| {
                let kept = &defined[candidate.number as usize];
                assert_eq!(scope(candidate.number as usize), scope(i));
                assert_eq!(candidate.tokens, kept.tokens);
                assert_eq!(candidate.pos, Pos(candidate.number * step));
                assert!(pos - candidate.pos.0 <= window, "expired");
                assert!(last_offered.replace(candidate.number) < Some(candidate.number), "not rising");
                offered += 1;
                found.extend(possible(kept, &defined[i], &bounds).then_some(candidate.number));
                (found.len() == accept_after).then_some(candidate.number)
            },
        );
        assert_eq!(found, expected, "body {i}, window {window}, step {step}: {body:?}");
        assert_eq!(last, expected.get(accept_after - 1).copied());
        engine.remember((body, scope(i)), Pos(pos));
        right += found.len();
    }
    (offered, right)
}

/// The rule's own bounds at the default similarity.
fn usual() -> Bounds {
    bounds(SIMILARITY)
}

/// Bodies of some templates, each with its own fills and numbers, and now and then a fill that another one has too.
fn floods(seed: u64, count: usize, kinds: u64, fills: u64) -> Vec<Vec<u32>> {
    let mut seed = seed;
    let seed = &mut seed;
    (0..count)
        .map(|_| {
            let kind = random(seed, kinds) as u32 * 1000;
            let mut body = Vec::new();
            for part in 0..3 + kind / 1000 % 3 {
                let start = kind + part * 100;
                body.extend((start..start + 5 + (part * 7 + kind / 1000) % 11).map(|token| 5000 + token));
                match (part + kind / 1000 + random(seed, 8) as u32 / 7) % 3 {
                    0 => body.push(number(random(seed, fills) as u32)),
                    1 => {
                        let fill = random(seed, fills) as u32 * 10;
                        body.extend((0..3 + random(seed, 4) as u32).map(|at| 100_000 + fill + at));
                    }
                    _ => body.extend((0..random(seed, 6)).map(|_| 200_000 + random(seed, fills) as u32)),
                }
            }
            let at = random(seed, body.len() as u64) as usize;
            match random(seed, 12) {
                0 => body.rotate_left(at),
                1 => body = body.into_iter().skip(at).take(8 + at % 8).collect(),
                _ => {}
            }
            body
        })
        .collect()
}

/// Short bodies of some templates with a number or two of their own, some cut or with a word more, and long ones that begin so.
fn short_floods(seed: u64, count: usize, kinds: u64, fills: u64) -> Vec<Vec<u32>> {
    let mut seed = seed;
    let seed = &mut seed;
    (0..count)
        .map(|_| {
            let kind = random(seed, kinds) as u32;
            let half = |part: u32| (0..3 + (kind + part) % 5).map(move |at| 5000 + (kind / 2 * 2 + part) * 100 + at);
            let mut body: Vec<u32> = half(0).collect();
            body.push(number(random(seed, fills) as u32));
            body.extend(half(1));
            match random(seed, 8) {
                0 => body.push(number(random(seed, fills) as u32)),
                1 => body.insert(2, 200_000 + random(seed, fills) as u32),
                2 => body.truncate(4),
                3 => body.extend((0..random(seed, 20) as u32).map(|at| 7000 + at)),
                4 => body.retain(|token| *token != 5001),
                _ => {}
            }
            body
        })
        .collect()
}

/// A number below `below` from a seed.
fn random(seed: &mut u64, below: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

/// Bodies around a few templates: copied in part, edited, turned round, enlarged.
fn templates(seed: u64, count: usize, alphabet: u64, longest: u64) -> Vec<Vec<u32>> {
    let mut seed = seed;
    let seed = &mut seed;
    let mut bodies: Vec<Vec<u32>> = Vec::new();
    for _ in 0..count {
        let fresh = (0..random(seed, longest)).map(|_| random(seed, alphabet) as u32).collect::<Vec<_>>();
        let mut body = match bodies.len() as u64 {
            0 => fresh,
            n if random(seed, 4) > 0 => bodies[random(seed, n) as usize].clone(),
            _ => fresh,
        };
        if !body.is_empty() {
            let at = random(seed, body.len() as u64) as usize;
            match random(seed, 5) {
                0 => body.rotate_left(at),
                1 => body.truncate(at),
                2 => drop(body.drain(..at)),
                3 => body.extend((0..at).map(|_| random(seed, alphabet) as u32)),
                _ => {}
            }
            for _ in 0..random(seed, 1 + body.len() as u64 / 4) {
                let at = random(seed, body.len() as u64) as usize;
                body[at] = random(seed, alphabet) as u32;
            }
        }
        body.truncate(2 * longest as usize);
        bodies.push(body);
    }
    bodies
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
        let bounds = if is_usual { Bounds { quotes, ..usual() } } else { Bounds { short, runs, counts: false, slots: false, quotes } };
        compare(&templates(seed, 60, alphabet, longest), window, step, bounds, accept_after);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    /// Enough bodies of a template that they are looked up by their keys.
    #[test]
    fn floods_equal_brute_force(
        seed: u64,
        kinds in 1u64..4,
        fills in prop::sample::select(vec![3u64, 30, 1000]),
        window in prop::sample::select(vec![90u64, 250, 1000]),
        (counts, slots) in any::<(bool, bool)>(),
        accept_after in prop::sample::select(vec![1usize, usize::MAX]),
    ) {
        let bounds = Bounds { counts, slots, quotes: true, ..usual() };
        compare(&floods(seed, 300, kinds, fills), window, 1, bounds, accept_after);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Enough short bodies of a template that they are looked up by their numbers.
    #[test]
    fn floods_of_short_bodies_equal_brute_force(
        seed: u64,
        kinds in 1u64..6,
        fills in prop::sample::select(vec![3u64, 30, 1000]),
        window in prop::sample::select(vec![50u64, 120, 250, 1000]),
        (counts, slots) in (prop::bool::weighted(0.8), any::<bool>()),
        accept_after in prop::sample::select(vec![1usize, usize::MAX]),
    ) {
        let bounds = Bounds { counts, slots, quotes: true, ..usual() };
        compare(&short_floods(seed, 400, kinds, fills), window, 1, bounds, accept_after);
    }
}

/// Of thousands of short codes nearly all are ruled out without a look.
#[test]
fn a_flood_of_short_bodies_is_looked_up() {
    let mut engine = Overlap::new(5000, Bounds { counts: true, slots: true, ..usual() }, None);
    let mut offered = 0;
    for at in 0..6000 {
        let template = at % 3 * 10;
        let body =
            [&(template..template + 6).collect::<Vec<_>>()[..], &[number(at)], &[97, 98][..at as usize % 3]].concat();
        let none = engine.earliest(
            (&body, 0),
            Pos(u64::from(at)),
            |_| 0,
            |_| {
                offered += 1;
                None::<()>
            },
        );
        assert_eq!(none, None);
        engine.remember((&body, 0), Pos(u64::from(at)));
    }
    assert!(offered < 10 * 6000, "{offered}");
}

/// Of thousands of messages of one template nearly all are ruled out without a look.
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
        let mut engine = Overlap::new(5000, bounds, None);
        let mut offered = 0;
        for (body, pos) in bodies.iter().zip(0..) {
            let none = engine.earliest(
                (body, 0),
                Pos(pos),
                |_| 0,
                |_| {
                    offered += 1;
                    None::<()>
                },
            );
            assert_eq!(none, None);
            engine.remember((body, 0), Pos(pos));
        }
        assert!(offered < 10 * bodies.len(), "{offered}");
    }
}

/// Enough postings that queries are answered in parts, lists longer than any limit, and numbers that wrap round.
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
    let (mut engine, start) = (Overlap::new(1500, usual(), None), u64::from(u32::MAX) - 1800);
    engine.index.bodies.number_from(start);
    let defined: Vec<Defined> = bodies.iter().map(|body| Defined::new(body)).collect();
    for (i, body) in bodies.iter().enumerate() {
        let first = engine.earliest(
            (body, 0),
            Pos(i as u64),
            |_| 0,
            |candidate| {
                let number = candidate.number - start;
                possible(&defined[number as usize], &defined[i], &usual()).then_some(number)
            },
        );
        let expected = (i.saturating_sub(1500)..i).find(|j| possible(&defined[*j], &defined[i], &usual()));
        assert_eq!(first, expected.map(|j| j as u64), "body {i}");
        engine.remember((body, 0), Pos(i as u64));
    }
}

/// Very long bodies: units of more than one token, bodies larger than a chunk.
#[test]
fn long_bodies() {
    let long: Vec<u32> = (0..100_000).collect();
    let mut tail = long[..70_000].to_vec();
    tail.extend(200_000..230_000);
    let foreign: Vec<u32> = (300_000..400_000).collect();
    let bodies = [long, foreign, tail.clone(), tail[..2000].to_vec(), vec![1; 100_000], vec![]];
    assert!(compare(&bodies, 10, 1, usual(), usize::MAX).1 >= 3);
}

/// Memory follows the window, not the stream.
#[test]
fn memory_is_bounded() {
    let mut engine = Overlap::new(500, usual(), None);
    let mut sizes = Vec::new();
    for round in 0..8u64 {
        for (i, body) in templates(round, 4000, 3000, 60).iter().enumerate() {
            engine.remember((body, 0), Pos(round * 4000 + i as u64));
        }
        assert_eq!(engine.len(), 501);
        sizes.push(engine.bytes());
    }
    assert!(sizes[7] < sizes[1] * 5 / 4, "{sizes:?}");
}
