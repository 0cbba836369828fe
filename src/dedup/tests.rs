//! Tests of bounded memory.

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
