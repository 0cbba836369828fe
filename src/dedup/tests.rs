//! Tests of bounded memory, and of the look ahead.

use super::memory_limit::CHECK;
use super::*;
use crate::config::{BloomSize, ExactMode, NearMode, OnFull, PROGRAM_BYTES, Shingle, Span};

fn printed(i: u64) -> Printed {
    let digest = Digest::of(&i.to_le_bytes(), 1);
    Printed { digest: Some(digest), simhash: Some((digest.0 >> 64) as u64), signature: None, gist: None, body: None }
}

fn is_known(state: &mut State, i: u64) -> bool {
    let (_, verdict) = state.judge(&printed(i), None, || i.into()).unwrap();
    !verdict.is_kept()
}

#[test]
fn memory_is_bounded_and_the_oldest_are_forgotten() {
    for (exact, window) in
        [(ExactMode::Verified, None), (ExactMode::Trie, Some(Span::Messages(1 << 40))), (ExactMode::Bloom, None)]
    {
        let most = 10 << 20;
        let max_memory = Some(most + PROGRAM_BYTES);
        let config = Config { exact, window, max_memory, ..Config::of(NearMode::SimHash) };
        let mut state = State::new(&config).unwrap();
        let total = 100_000;
        for i in 0..total {
            state.judge(&printed(i), None, || format!("{i}").as_str().into()).unwrap();
            assert!(!i.is_multiple_of(CHECK) || state.bytes() <= most, "{exact:?} at {i}: {}", state.bytes());
        }
        let recent = (total - 12_000..total).filter(|i| is_known(&mut state, *i)).count();
        assert!(recent == 12_000, "{exact:?}: {recent}");
        assert!(!is_known(&mut state, 5), "{exact:?}");
        assert!(state.bytes() > most / 3, "{exact:?}: little of the memory is used: {}", state.bytes());
    }
}

/// A few long messages can fill the memory long before a thousand messages have come.
#[test]
fn memory_is_bounded_if_messages_are_long() {
    const CHARACTERS: u32 = 300_000;
    let config = Config { max_memory: Some(70_000_000), verify_window: 1000, ..Config::default() };
    let (printer, mut clean) = (Printer::new(&config), Clean::default());
    let mut state = State::new(&config).unwrap();
    for i in 0..35 {
        let text: String = (0..CHARACTERS).filter_map(|at| char::from_u32(0x4e00 + at * (i + 1) % 19_997)).collect();
        let printed = printer.print(&Record::new(u64::from(i), &text), &mut clean);
        let (_, verdict) = state.judge(&printed, None, || u64::from(i).into()).unwrap();
        assert!(verdict.is_kept(), "{i}");
        // Up to four messages come between two measurements.
        let most = config.memory_for_messages().unwrap() + 4 * 12 * u64::from(CHARACTERS);
        assert!(state.bytes() <= most, "{i}: {}, not {most}", state.bytes());
    }
}

#[test]
fn memory_that_is_full_can_be_an_error() {
    let config = Config { max_memory: Some(41_000_000), on_full: OnFull::Stop, ..Config::of(NearMode::SimHash) };
    let mut state = State::new(&config).unwrap();
    let error = (0..1_000_000).find_map(|i| state.judge(&printed(i), None, || i.into()).err());
    assert!(error.unwrap().to_string().contains("max_memory"));
}

/// A limit that is too small is refused at once, and the refusal names one that is large enough.
#[test]
fn memory_that_is_too_small_is_refused_at_the_start() {
    let bloom = BloomSize::Bits { bits: 1 << 30, hashes: None };
    for config in [
        Config::default(),
        Config { verify_window: 2_000_000, ..Config::default() },
        Config { shingle: Shingle::Words(2), window: Some(Span::Messages(1000)), ..Config::of(NearMode::SimHash) },
        Config { exact: ExactMode::Bloom, bloom, ..Config::of(NearMode::None) },
        Config::of(NearMode::MinHash),
    ] {
        let limited = |bytes| State::new(&Config { max_memory: Some(bytes), ..config.clone() });
        for bytes in [0, 20_000_000] {
            let error = limited(bytes).err().unwrap().to_string();
            let (_, least) = error.split_once("max_memory: ").unwrap().1.split_once("options need ").unwrap();
            let least: u64 = least.split_once("MB").unwrap().0.parse().unwrap();
            assert!(least > 30, "{error}");
            assert!(limited((least - 1) * 1_000_000).is_err(), "{error}");
            let mut state = limited(least * 1_000_000).unwrap();
            for i in 0..3000 {
                state.judge(&printed(i), None, || i.into()).unwrap();
            }
        }
    }
}

/// A feed of eight windows: memory does not grow after the second.
#[test]
fn memory_is_flat_under_a_window() {
    for near in [NearMode::Hybrid, NearMode::SimHash] {
        let length = 20_000;
        let config = Config { window: Some(Span::Messages(length)), capacity: length, ..Config::of(near) };
        let mut state = State::new(&config).unwrap();
        let mut most = [0; 8];
        for i in 0..8 * length {
            state.judge(&printed(i), None, || format!("id {i}").as_str().into()).unwrap();
            let most = &mut most[(i / length) as usize];
            *most = state.bytes().max(*most);
        }
        assert!(most[7] as f64 <= 1.05 * most[2] as f64, "{near:?}: {most:?}");
    }
}

/// Texts of which half repeat an earlier text, original or repeat: either equally, or with some characters changed.
fn repeats(count: usize) -> Vec<String> {
    let mut seed = 5_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut texts: Vec<Vec<char>> = Vec::new();
    for at in 0..count {
        let mut text: Vec<char> =
            (0..6 + random(40)).filter_map(|_| char::from_u32(0x4e00 + random(3000) as u32)).collect();
        if at > 0 && random(2) == 0 {
            text.clone_from(&texts[at - 1 - random(at.min(150))]);
            let places = text.len();
            (0..random(5)).for_each(|_| text[random(places)] = '武');
        }
        texts.push(text);
    }
    texts.into_iter().map(String::from_iter).collect()
}

/// Texts of one template. A third of them repeat an earlier text with other polite phrases.
fn of_one_template(count: usize) -> Vec<String> {
    let (mut seed, mut bodies) = (7_u64, Vec::<String>::new());
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let text = |at: usize| {
        let body = match (at, random(3)) {
            (1.., 0) => bodies[at - 1 - random(at.min(90))].clone(),
            _ => format!("您的快递已到{}号楼的驿站，取件码{}，请凭码领取", random(900), random(90_000)),
        };
        bodies.push(body.clone());
        let courtesy = ["", "，谢谢", "，谢谢您", "，感谢您"][random(4)];
        format!("{body}{courtesy}")
    };
    (0..count).map(text).collect()
}

#[test]
fn what_is_looked_at_ahead_is_judged_the_same() {
    let hour = Span::Time { length: 3_600_000, lateness: 600_000 };
    // If all texts are of one template, some batches must be entered ahead; with other texts that may happen by chance.
    let streams = [(repeats(1500), false), (of_one_template(1500), true)];
    for (window, verify_window, refresh) in [
        (None, 200_000, false),
        (None, 60, false),
        (Some(Span::Messages(70)), 200_000, false),
        (Some(Span::Messages(400)), 100, true),
        (Some(hour), 200_000, false),
        (Some(hour), 30, true),
    ] {
        let config = Config { window, verify_window, refresh, ..Config::default() };
        let (printer, mut clean) = (Printer::new(&config), Clean::default());
        for (texts, is_entered) in &streams {
            let printed: Vec<Printed> =
                texts.iter().map(|text| printer.print(&Record::new(1, text.as_str()), &mut clean)).collect();
            let mut entered = 0;
            let mut judge = |size: usize| {
                let (mut state, mut verdicts) = (State::new(&config).unwrap(), Vec::new());
                for batch in printed.chunks(size) {
                    let next = state.next().0;
                    let coming: Vec<_> = (next..).map(Pos).zip(batch).collect();
                    let new = if size > 1 { state.look_ahead(&coming, 3) } else { Vec::new() };
                    state.enter_ahead(&new);
                    state.search_entered(&new, 3);
                    entered += new.len();
                    for (Pos(at), printed) in coming {
                        // Some messages are late, and some have no time.
                        let time =
                            (at % 11 > 0).then_some(1_540_958_400_000 + at as i64 * 20_000 - (at as i64 % 7) * 90_000);
                        verdicts.push(state.judge(printed, time, || at.into()).unwrap());
                    }
                }
                verdicts
            };
            let serial = judge(1);
            assert!(serial.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Near { .. })).count() > 100);
            for size in [64, 333, 1500] {
                assert_eq!(judge(size), serial, "{window:?} {verify_window} {refresh} {size}");
            }
            assert!(entered > 0 || !is_entered, "{window:?} {verify_window} {refresh}");
        }
    }
}
