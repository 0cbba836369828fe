//! Tests of bounded memory, and of foreseeing.

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
        let most = 12 << 20;
        let max_memory = Some(most + PROGRAM_BYTES);
        let config = Config { exact, window, max_memory, ..Config::of(NearMode::SimHash) };
        let mut state = State::new(&config).unwrap();
        let total = 300_000;
        for i in 0..total {
            state.judge(&printed(i), None, || format!("{i}").as_str().into()).unwrap();
            assert!(!i.is_multiple_of(CHECK) || state.bytes() <= most, "{exact:?} at {i}: {}", state.bytes());
        }
        let recent = (total - 20_000..total).filter(|i| is_known(&mut state, *i)).count();
        assert!(recent == 20_000, "{exact:?}: {recent}");
        assert!(!is_known(&mut state, 5), "{exact:?}");
        assert!(state.bytes() > most / 3, "{exact:?}: little of the memory is used: {}", state.bytes());
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
            let (_, least) = error.split_once("max_memory: ").unwrap().1.split_once("which need ").unwrap();
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
        let length = 40_000;
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

/// Texts of a few templates, some new, some edited, in batches of any size, with any window: foreseeing changes no verdict.
#[test]
fn what_is_foreseen_changes_no_verdict() {
    let mut seed = 7_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..3000 {
        let text = match (random(5), texts.len() as u64) {
            (0 | 1, len @ 1..) => {
                let mut edited: Vec<char> = texts[random(len) as usize].chars().collect();
                let at = random(edited.len() as u64 + 1) as usize;
                match random(4) {
                    0 => edited.truncate(at),
                    1 => edited.extend("，大家都来看看吧".chars()),
                    _ => edited.insert(at, '的'),
                }
                edited.into_iter().collect()
            }
            (2, _) => format!("您的验证码是{}", random(400)),
            (3, len @ 1..) => texts[(len - 1 - random(len.min(40))) as usize].clone(),
            _ => (0..random(40)).filter_map(|_| char::from_u32(0x4e00 + random(300) as u32)).collect(),
        };
        texts.push(text);
    }
    let time = Span::Time { length: 700, lateness: 100 };
    for (window, verify_window) in
        [(None, 200_000), (None, 150), (Some(Span::Messages(300)), 200_000), (Some(time), 200_000)]
    {
        let config = Config { window, verify_window, ..Config::default() };
        let printer = Printer::new(&config);
        let mut clean = Clean::default();
        let printed: Vec<Printed> =
            texts.iter().map(|text| printer.print(&Record::new(0, text.as_str()), &mut clean)).collect();
        let times = |at: usize| Some((at + at % 7 * 20) as i64);
        let mut plain = State::new(&config).unwrap();
        let expected: Vec<Verdict> =
            (0..texts.len()).map(|at| plain.judge(&printed[at], times(at), || (at as u64).into()).unwrap().1).collect();
        let mut state = State::new(&config).unwrap();
        let mut searcher = state.searcher().unwrap();
        let (mut begin, mut near, mut found) = (0, 0, 0);
        while begin < texts.len() {
            let end = texts.len().min(begin + 1 + random(200) as usize);
            let from = state.begin();
            let foreseen: Vec<Option<Foreseen>> =
                printed[begin..end].iter().map(|printed| state.foresee(&mut searcher, printed, from)).collect();
            for at in begin..end {
                let foreseen = foreseen[at - begin].as_ref();
                let judged = state.judge_foreseen(&printed[at], times(at), || (at as u64).into(), foreseen).unwrap();
                assert_eq!(judged, (Pos(at as u64), expected[at]), "{window:?} {verify_window} {}", texts[at]);
                near += usize::from(matches!(judged.1, Verdict::Near { .. }));
                found += usize::from(judged.1.of().is_some_and(|of| of.0 >= begin as u64));
            }
            begin = end;
        }
        assert!(near > 100 && found > 50, "{near} {found}");
    }
}
