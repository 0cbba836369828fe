//! What a filter alone knows under a window.

use super::*;
use crate::reach::Clock;

const LENGTH: u64 = 4000;

fn digest(i: u64) -> Digest {
    Digest::of(&i.to_le_bytes(), 9)
}

/// A filter alone knows a text for as long as the window, and a quarter longer at the most; what repeats it in between makes
/// it no younger.
#[test]
fn a_filter_alone_forgets_within_a_quarter() {
    let window = Some(Span::Messages(LENGTH));
    let config = Config { exact: ExactMode::Bloom, window, capacity: 1 << 20, ..Config::default() };
    for offset in [0, 1, 333, 999] {
        let (mut stage, mut clock) = (ExactStage::new(&config).unwrap(), Clock::new(window));
        let mut forgotten = None;
        for i in offset..offset + 2 * LENGTH {
            clock.tick(Pos(i), None);
            // One text at every third position, and others.
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

/// Over ten windows of new texts the filters together err no more often than was asked for, and take no more memory.
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
