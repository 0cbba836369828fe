//! A plain definition of which messages are kept, to compare the program with.

use std::collections::HashMap;

use quchong::Config;
use quchong::config::{NearMode, Span};
use quchong::fingerprint::{Digest, Printed, Printer};
use quchong::formats::time::milliseconds;
use quchong::near::banding::Banding;
use quchong::rule::{Decision, Verifier};
use quchong::text::Clean;
use serde_json::Value;

use super::dedup;

/// Decides by the definition, with plain lists as the only structure. In input order, message m is kept if and only if no earlier message
/// has the same digest and no earlier kept message k is near. Otherwise m repeats the original of its equal, or the earliest such k. Under
/// a window, a kept message counts only within it. If repeats renew a message, it has several positions, and it counts if any of them is
/// within the window.
fn oracle(texts: &[String], times: &[Option<i64>], config: &Config) -> Vec<(&'static str, Option<usize>)> {
    let printer = Printer::new(config);
    let mut clean = Clean::default();
    // `seen`: the newest position of each text. `places`: the positions of kept messages. Both come with the number of the kept message.
    let (mut seen, mut places) = (HashMap::<Digest, [usize; 2]>::new(), Vec::<[usize; 2]>::new());
    let mut kept = HashMap::<usize, Printed>::new();
    let (mut near, times) = (near(config), believed(times, config));
    let counts = |of: usize, number: usize| match config.window {
        None => true,
        Some(Span::Messages(length)) => (number - of) as u64 <= length,
        Some(Span::Time { length, .. }) => times[number].0 - times[of].1 <= length as i64,
    };
    let is_stale = |of: usize, number: usize| match config.window {
        None => false,
        Some(Span::Messages(length)) => (number - of) as u64 * 16 >= length,
        Some(Span::Time { length, .. }) => (times[number].0 - times[of].1) * 16 >= length as i64,
    };
    let judge = |(number, text): (usize, &String)| {
        let printed = printer.print_text(text, &mut clean);
        let equal = printed.digest.and_then(|digest| seen.get(&digest).copied()).filter(|[at, _]| counts(*at, number));
        let mut is_near = |at: usize, of: usize| counts(at, number) && near([at, number], &kept[&of], &printed);
        let found = equal.or_else(|| places.iter().find(|[at, of]| is_near(*at, *of)).copied());
        let Some([_, of]) = found else {
            seen.extend(printed.digest.map(|digest| (digest, [number; 2])));
            places.push([number; 2]);
            kept.insert(number, printed);
            return ("kept", None);
        };
        let newest = places.iter().rev().find(|[_, other]| *other == of).unwrap()[0];
        let place = if config.refresh && is_stale(newest, number) {
            places.push([number, of]);
            seen.extend(kept[&of].digest.map(|digest| (digest, [number, of])));
            Some(number)
        } else {
            equal.is_none().then_some(newest)
        };
        seen.extend(printed.digest.zip(place).map(|(digest, place)| (digest, [place, of])));
        (if equal.is_some() { "exact" } else { "near" }, Some(of))
    };
    texts.iter().enumerate().map(judge).collect()
}

/// Returns, for each message, the time by which it is judged, and its time for later messages:
/// - Neither is earlier than the lateness allows.
/// - A time far ahead of all earlier ones does not count for later messages, unless the next time confirms it.
/// - If most messages are far behind, the clock is shifted to their times.
fn believed(times: &[Option<i64>], config: &Config) -> Vec<(i64, i64)> {
    let Some(Span::Time { length, lateness }) = config.window else { return Vec::new() };
    let (lateness, most) = (lateness as i64, (length + lateness) as i64);
    let mut believed = Vec::<(i64, i64)>::new();
    let (mut ahead, mut latest, mut shift, mut behind) = (None::<(usize, i64)>, None, 0, 0_u32);
    for (number, time) in times.iter().enumerate() {
        let time = time.map(|time| time + shift);
        let is_ahead = latest.is_some_and(|latest| time.is_some_and(|time| time - latest > most));
        if let Some((first, before)) = ahead.filter(|_| is_ahead) {
            latest = time.min(Some(before));
            believed[first..].iter_mut().for_each(|(_, later)| *later = latest.unwrap());
        }
        let taken = match (time, latest) {
            (None, latest) => latest.unwrap(),
            (Some(time), None) => time,
            (Some(time), Some(latest)) if time - latest > most => latest,
            (Some(time), Some(latest)) => {
                behind = if latest - time > most { behind + 1 } else { behind.saturating_sub(1) };
                if behind == 100 {
                    (behind, shift) = (0, shift + latest - time);
                }
                if behind == 0 && latest - time > most { latest } else { time.max(latest - lateness) }
            }
        };
        latest = latest.max(Some(taken));
        let far = time.filter(|time| time - taken > most);
        if time.is_some() {
            ahead = far.map(|far| (number, far));
        }
        believed.push((far.unwrap_or(taken), taken));
    }
    believed
}

/// Returns the definition of near for an engine. It compares messages at these positions.
fn near(config: &Config) -> impl FnMut([usize; 2], &Printed, &Printed) -> bool {
    let Config { near, max_distance, permutations, similarity, verify_window, .. } = *config;
    let Banding { bands, rows, .. } = Banding::choose(permutations, similarity);
    let mut verifier = Verifier::new(config.policy());
    let mut by_rule = move |a: &Printed, b: &Printed| {
        a.gist
            .as_ref()
            .zip(b.gist.as_ref())
            .is_some_and(|(a, b)| !matches!(verifier.read(b.view()).decide(a.view()), Decision::No(_)))
    };
    let by_simhash = move |a: &Printed, b: &Printed| {
        a.simhash.zip(b.simhash).is_some_and(|(a, b)| (a ^ b).count_ones() <= max_distance)
    };
    move |[of, number], a, b| match near {
        NearMode::Hybrid if (number - of) as u64 <= verify_window => by_rule(a, b),
        NearMode::Hybrid | NearMode::SimHash => by_simhash(a, b),
        NearMode::MinHash => a.signature.as_deref().zip(b.signature.as_deref()).is_some_and(|(a, b)| {
            let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
            equal * 1000 >= similarity as usize * permutations
                && a.chunks_exact(rows).zip(b.chunks_exact(rows)).take(bands).any(|(a, b)| a == b)
        }),
        NearMode::None => false,
    }
}

/// Compares the program's verdicts under `args` with those of the definition. Returns how many are not `kept`.
pub fn hold_against_the_oracle(input: &str, config: &Config, args: &[&str]) -> usize {
    let records: Vec<Value> = input.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<String> = records.iter().map(|record| record["text"].as_str().unwrap().to_owned()).collect();
    let times: Vec<_> = records.iter().map(|record| milliseconds(&record["created_at"].to_string())).collect();
    let judged = dedup(&[&["--output", "annotated"], args].concat(), input.as_bytes()).json();
    let expected = oracle(&texts, &times, config);
    let near = expected.iter().filter(|(verdict, _)| *verdict == "near").count();
    assert!(config.window.is_some() || near > expected.len() / 100, "{args:?}");
    let dropped = expected.iter().filter(|(verdict, _)| *verdict != "kept").count();
    assert_eq!(judged.len(), expected.len());
    for (number, (judged, (verdict, of))) in judged.iter().zip(expected).enumerate() {
        let of = of.map_or(Value::Null, |of| records[of]["id"].clone());
        assert_eq!(
            (&judged["quchong"]["verdict"], &judged["quchong"]["of"]),
            (&Value::from(verdict), &of),
            "{args:?}, record {number}"
        );
    }
    dropped
}
