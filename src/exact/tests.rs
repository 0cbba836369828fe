//! Tests what a filter alone knows, under a window and in limited memory.

use super::*;
#[cfg(feature = "lab")]
use crate::config::BloomRule;
use crate::config::PROGRAM_BYTES;
use crate::reach::Clock;

const LENGTH: u64 = 4000;

fn digest(i: u64) -> Digest {
    Digest::of(&i.to_le_bytes(), 9)
}

/// A filter alone knows a text for as long as the window, and up to a quarter longer. A repeat in between makes the text no younger.
#[test]
fn a_filter_alone_forgets_within_a_quarter() {
    let window = Some(Span::Messages(LENGTH));
    let config = Config { exact: ExactMode::Bloom, window, capacity: 1 << 20, ..Config::default() };
    for offset in [0, 1, 333, 999] {
        let (mut stage, mut clock) = (ExactStage::new(&config).unwrap(), Clock::new(window));
        let mut forgotten = None;
        for i in offset..offset + 2 * LENGTH {
            clock.tick(Pos(i), None);
            // The same text at every third position, and new texts at the others.
            let text = if (i - offset).is_multiple_of(3) { 0 } else { i };
            let seen = stage.look_up(digest(text), &clock.reach()).unwrap();
            if seen == Seen::New {
                if text == 0 && i > offset && forgotten.is_none() {
                    forgotten = Some(i - offset);
                }
                stage.remember(digest(text), Pos(i), Pos(i)).unwrap();
                clock.keep();
            }
        }
        let forgotten = forgotten.unwrap();
        assert!((LENGTH + 1..=LENGTH + LENGTH / 4 + 3).contains(&forgotten), "{offset}: {forgotten}");
    }
}

/// Over ten windows of new texts, the filters together err no more often than asked for, and take no more memory.
#[test]
fn a_filter_alone_keeps_its_error_over_the_window() {
    let (window, error) = (Some(Span::Messages(LENGTH)), 0.02);
    let bloom = BloomSize::Error(Some(error));
    let config = Config { exact: ExactMode::Bloom, window, bloom, ..Config::default() };
    let (mut stage, mut clock) = (ExactStage::new(&config).unwrap(), Clock::new(window));
    let (mut lost, mut most) = (0, 0);
    for i in 0..10 * LENGTH {
        clock.tick(Pos(i), None);
        match stage.look_up(digest(i), &clock.reach()).unwrap() {
            Seen::New => stage.remember(digest(i), Pos(i), Pos(i)).unwrap(),
            Seen::Before { .. } => lost += 1,
        }
        most = most.max(stage.filter_bytes());
        assert_eq!(stage.fullness(), Fullness::Roomy, "each generation is full as it should be");
    }
    let expected = error * (10 * LENGTH) as f64;
    assert!(f64::from(lost) < expected && f64::from(lost) > expected / 10.0, "{lost} of {expected}");
    assert!(most as f64 <= 1.5 * (LENGTH as f64) * 11.0 / 8.0 * 1.25, "{most}");
    assert!(stage.health().unwrap().expected_error < error);
}

/// If memory is limited, the filters that share it together err no more often than asked for, and take no more memory.
#[test]
fn a_filter_alone_keeps_its_error_where_memory_is_limited() {
    const BYTES: u64 = 1_000_000;
    let (max_memory, error) = (Some(PROGRAM_BYTES + BYTES), 0.02);
    let bloom = BloomSize::Error(Some(error));
    let config = Config { exact: ExactMode::Bloom, bloom, max_memory, ..Config::of(NearMode::None) };
    let (mut stage, mut clock) = (ExactStage::new(&config).unwrap(), Clock::new(None));
    let (mut lost, mut texts) = (0, 0);
    while stage.generations.len() as u64 <= 2 * PARTS {
        clock.tick(Pos(texts), None);
        match stage.look_up(digest(texts), &clock.reach()).unwrap() {
            Seen::New => stage.remember(digest(texts), Pos(texts), Pos(texts)).unwrap(),
            Seen::Before { .. } => lost += 1,
        }
        texts += 1;
    }
    assert!(texts > 8 * BYTES / 15, "{texts} texts");
    assert!((lost as f64) < error * texts as f64 && lost > 0, "{lost} of {texts}");
    assert!(stage.filter_bytes() as u64 <= BYTES / 8 * 9 + 9 * 128, "{}", stage.filter_bytes());
}

/// The paper's filter loses as many texts as it expects to lose, under a window too. A state that is read again expects the same.
#[test]
#[cfg(feature = "lab")]
fn the_paper_s_filter_tells_what_it_loses() {
    let text =
        |i: u32| crate::fingerprint::textbook::marks(format!("第{}条消息", i.wrapping_mul(2_654_435_761)).as_bytes());
    for (bloom_rule, bloom_rounds, bits, window) in [
        (BloomRule::Any, 1, 100_000, None),
        (BloomRule::Any, 2, 100_000, None),
        (BloomRule::All, 1, 100_000, None),
        (BloomRule::All, 2, 100_000, None),
        (BloomRule::Any, 1, 1_000_000, Some(Span::Messages(5000))),
        (BloomRule::All, 1, 300_000, Some(Span::Messages(12_000))),
    ] {
        let bloom = BloomSize::Bits { bits, hashes: None };
        let config = Config {
            exact: ExactMode::PaperBloom,
            bloom,
            bloom_rule,
            bloom_rounds,
            window,
            ..Config::of(NearMode::None)
        };
        let make = || (ExactStage::new(&config).unwrap(), Clock::new(window));
        let (mut stage, mut clock) = make();
        let (mut kept, mut lost) = (Vec::new(), 0.0);
        for i in 0..30_000 {
            let pos = Pos(i.into());
            clock.tick(pos, None);
            match stage.look_up(text(i), &clock.reach()).unwrap() {
                Seen::New => {
                    stage.remember(text(i), pos, pos).unwrap();
                    kept.push((pos, text(i)));
                }
                Seen::Before { .. } => lost += 1.0,
            }
        }
        let expected = stage.expected_lost(u64::MAX).unwrap();
        assert!((expected / lost - 1.0_f64).abs() < 0.1 && lost > 100.0, "{config:?}: {expected} {lost}");
        let (mut again, mut clock) = make();
        for (pos, digest) in kept {
            clock.restore(pos, None);
            again.restore(digest, pos, pos, &clock.reach()).unwrap();
        }
        again.restored();
        assert_eq!(again.expected_lost(u64::MAX), Some(expected), "{config:?}");
    }
}

/// A filter that is large for its content keeps the digests themselves, makes no errors, and takes little memory. Then all are in its bits.
#[test]
fn few_texts_are_kept_themselves() {
    let bloom = BloomSize::Error(Some(0.01));
    for bloom_rounds in [1, 3] {
        let config = Config { exact: ExactMode::Bloom, bloom, bloom_rounds, capacity: 400_000, ..Config::default() };
        let mut filter = bloom::Filter::new(&config).unwrap();
        let mut kept = 0;
        while !filter.insert(digest(kept)) && filter.health().fill == 0.0 {
            kept += 1;
            if kept % 1000 == 0 {
                assert!((kept / 2..kept).all(|i| filter.holds(digest(i))));
                assert!((kept..2 * kept).all(|i| !filter.holds(digest(i))));
            }
        }
        kept += 1;
        assert!(kept > 2000 && kept < filter.bytes() as u64 / 16 / 6, "{kept}");
        assert_eq!(filter.health().inserted, kept);
        assert!((0..kept).all(|i| filter.insert(digest(i))));
        assert!((kept..400_000).filter(|i| filter.insert(digest(*i))).count() < 4000);
        assert!((filter.health().expected_error / 0.01 - 1.0).abs() < 0.1, "{:?}", filter.health());
    }
}
