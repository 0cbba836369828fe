use std::collections::BTreeSet;

use super::*;
use crate::rule::{Decision, Verifier};
use crate::scale::decide::{Plan, decide};
use proptest::prelude::*;

/// Messages, many of which repeat others. Some repeats differ only in their wrapping.
fn text() -> impl Strategy<Value = String> {
    let body =
        prop::collection::vec(prop::sample::select(&["今天", "的武汉", "樱花", "开了", "3例", "很好看"][..]), 0..7);
    let wrapping = prop::sample::select(&["", "转发微博 //@某人: ", "#赏花# ", "http://t.cn/a "][..]);
    (wrapping, body).prop_map(|(wrapping, body)| format!("{wrapping}{}", body.concat()))
}

/// Nothing is remembered of messages that no later one can repeat.
#[test]
fn old_classes_are_forgotten() {
    let config = Config { verify_window: 10, ..Config::default() };
    let mut edges = TextEdges::new(&config, Pos(0)).unwrap();
    for at in 0..1000_u64 {
        // Every other message repeats one text, so that classes end and begin anew.
        let text = if at % 2 == 0 { format!("{at}号窗口今天休息") } else { "武汉的樱花开了".to_owned() };
        edges.push(&Text { pos: Pos(at), text, old: None }, &mut |_| ()).unwrap();
    }
    let most = (edges.verify_window + edges.span) as usize + 1;
    assert!(
        edges.classes.len() <= most && edges.latest.len() <= most,
        "{} {}",
        edges.classes.len(),
        edges.latest.len()
    );
    assert_eq!(edges.firsts.len(), edges.classes.len());
}

/// All pairs at most a window apart whose later message is at `from` or after it, found by comparing all.
fn slowly(config: &Config, texts: &[(u64, String)], from: u64) -> BTreeSet<(u64, u64, u32)> {
    let mut verifier = Verifier::new(config.policy());
    let analyser = Analyser::new(config);
    let gists: Vec<Gist> = texts
        .iter()
        .map(|(_, text)| {
            let mut clean = Clean::default();
            analyser.forms(text, &mut clean);
            clean.gist()
        })
        .collect();
    let mut pairs = BTreeSet::new();
    for (b, (y, _)) in gists.iter().zip(texts).filter(|(gist, (pos, _))| !gist.is_empty() && *pos >= from) {
        let mut later = verifier.read(b.view());
        for (a, (x, _)) in gists.iter().zip(texts).filter(|(_, (x, _))| x < y && x + config.verify_window >= *y) {
            let similarity = match later.decide(a.view()) {
                Decision::Equal => 1000,
                Decision::Near { similarity, .. } | Decision::Inside { share: similarity, .. } => similarity,
                Decision::No(_) => continue,
            };
            if !a.is_empty() {
                pairs.insert((*x, *y, similarity));
            }
        }
    }
    pairs
}

/// The pairs that edges stand for: each edge comes from `a` and from all messages that are the same as `a`.
fn spelled(edges: &[Edge], window: u64, from: u64) -> BTreeSet<(u64, u64, u32)> {
    let mut pairs = BTreeSet::new();
    for edge in edges {
        let Some(Likeness::Similarity(similarity)) = edge.by else { panic!("texts have similarities") };
        let same = edges.iter().filter(|same| same.same && same.a == edge.a).map(|same| same.b);
        let members = same.chain([edge.a]).filter(|a| *a < edge.b && a.0 + window >= edge.b.0 && edge.b.0 >= from);
        pairs.extend(members.map(|a| (a.0, edge.b.0, similarity)));
    }
    pairs
}

proptest! {
    #[test]
    fn every_pair_of_the_window(
        texts in prop::collection::vec((1u64..4, text()), 0..60),
        verify_window in 1u64..30,
        beyond in 1u64..40,
    ) {
        // In the first window some edges are left out.
        let from = verify_window + beyond;
        let config = Config { verify_window, ..Config::default() };
        let texts = placed(texts);
        let found = found(TextEdges::new(&config, Pos(from)).unwrap(), &texts, |_| None);
        prop_assert_eq!(spelled(&found, verify_window, from), slowly(&config, &texts, from));
    }

    #[test]
    fn what_is_left_out_decides_nothing(
        texts in prop::collection::vec((1u64..4, text()), 0..60),
        verify_window in 1u64..80,
        stretch in 1u64..80,
        says_old: bool,
        prints in prop::collection::vec((0u64..150, 1u64..100), 0..20),
    ) {
        let config = Config { verify_window, ..Config::default() };
        let texts = placed(texts);
        // Beyond the window, fingerprints count.
        let by_print = |(a, further): (u64, u64)| {
            Edge { a: Pos(a), b: Pos(a + verify_window + further), by: Some(Likeness::Distance(3)), same: false }
        };
        let prints: Vec<Edge> = prints.into_iter().map(by_print).collect();
        let old = |pos| says_old.then(|| prints.iter().any(|edge| edge.b.0 == pos));
        let by_text = |(a, b, similarity)| {
            Edge { a: Pos(a), b: Pos(b), by: Some(Likeness::Similarity(similarity)), same: false }
        };
        let mut all: Vec<Edge> = slowly(&config, &texts, 0).into_iter().map(by_text).collect();
        // Each stretch with the window before it.
        let mut left = Vec::new();
        for from in (0..=texts.last().map_or(0, |(pos, _)| *pos)).step_by(stretch as usize) {
            let seen = from.saturating_sub(verify_window)..from + stretch;
            let seen: Vec<_> = texts.iter().filter(|(pos, _)| seen.contains(pos)).cloned().collect();
            left.extend(found(TextEdges::new(&config, Pos(from)).unwrap(), &seen, old));
        }
        left.extend(&prints);
        all.extend(&prints);
        let rule = Plan { verify_window: Some(verify_window), ..Plan::default() };
        prop_assert_eq!(decide(left, rule), decide(all, rule));
    }
}

/// Places each message its gap after the one before.
fn placed(texts: Vec<(u64, String)>) -> Vec<(u64, String)> {
    let mut pos = 0;
    let place = |(gap, text)| {
        pos += gap;
        (pos - 1, text)
    };
    texts.into_iter().map(place).collect()
}

fn found(mut edges: TextEdges, texts: &[(u64, String)], old: impl Fn(u64) -> Option<bool>) -> Vec<Edge> {
    let mut found = Vec::new();
    for (pos, text) in texts {
        let text = Text { pos: Pos(*pos), text: text.clone(), old: old(*pos) };
        edges.push(&text, &mut |edge| found.push(edge)).unwrap();
    }
    found
}

#[test]
fn what_is_passed_on_gives_few_edges() {
    let (mut edges, mut found) =
        (TextEdges::new(&Config { verify_window: 1000, ..Config::default() }, Pos(0)).unwrap(), 0);
    for pos in 0..5000 {
        edges
            .push(
                &Text {
                    pos: Pos(pos), text: format!("转发微博 //@某人{pos}: 今天的武汉，樱花开了"), old: None
                },
                &mut |_| found += 1,
            )
            .unwrap();
    }
    assert!((4000..=10_000).contains(&found), "{found}");
}
