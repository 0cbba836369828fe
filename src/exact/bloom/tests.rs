use super::*;

fn filter(bloom: BloomSize, capacity: u64) -> Filter {
    Filter::new(&Config { exact: ExactMode::Bloom, bloom, capacity, ..Config::default() }).unwrap()
}

fn digest(i: u64) -> Digest {
    Digest::of(&i.to_le_bytes(), 7)
}

#[test]
fn stated_bits_and_hashes_are_what_it_gets() {
    for (bits, hashes) in [(8, 1), (50_000, 2), (160_000, 2), (1_000_000, 7), (1_000_000, 64)] {
        let health = filter(BloomSize::Bits { bits, hashes: Some(hashes) }, 1000).health();
        assert_eq!((health.bits, health.hashes), (bits, hashes));
    }
}

#[test]
fn a_filter_that_would_hold_everything_is_refused() {
    assert!(Filter::new(&Config { bloom_rounds: 0, ..Config::default() }).is_err());
}

/// For three sizes and fixed seeds, the measured rate is within the 99.9 % interval of the predicted one.
#[test]
fn the_error_is_the_one_that_was_asked_for() {
    for (n, error) in [(2_000, 0.05), (20_000, 0.01), (100_000, 0.001)] {
        let mut filter = filter(BloomSize::Error(Some(error)), n);
        for i in 0..n {
            filter.insert(digest(i));
        }
        assert!(filter.fullness() != Fullness::Over);
        let probes = 400_000;
        let false_positives = (n..n + probes).filter(|&i| filter.holds(digest(i))).count() as f64;
        let predicted = filter.health().expected_error;
        let deviation = (predicted * (1.0 - predicted) * probes as f64).sqrt();
        assert!((false_positives - predicted * probes as f64).abs() < 3.29 * deviation, "{n} {false_positives}");
        assert!((predicted / error - 1.0).abs() < 0.1, "{n} at {error}: {predicted}");
    }
}

/// Several rounds that share the bits have the same error together as one filter with all of them.
#[test]
fn rounds_share_the_bits_and_keep_the_error() {
    let (n, probes, error) = (50_000, 400_000, 0.01);
    let mut bits = Vec::new();
    for bloom_rounds in [1, 2, 4] {
        let bloom = BloomSize::Error(Some(error));
        let mut filter =
            Filter::new(&Config { exact: ExactMode::Bloom, bloom, bloom_rounds, capacity: n, ..Config::default() })
                .unwrap();
        let lost = (0..n).filter(|&i| filter.insert(digest(i))).count();
        assert!(lost < 200 && (0..n).all(|i| filter.holds(digest(i))), "{lost}");
        let hits = (n..n + probes).filter(|&i| filter.holds(digest(i))).count() as f64;
        let health = filter.health();
        let deviation = (health.expected_error * probes as f64).sqrt();
        assert!((hits - health.expected_error * probes as f64).abs() < 4.0 * deviation, "{hits} {health:?}");
        assert!((health.expected_error / error - 1.0).abs() < 0.15, "{health:?}");
        assert_eq!(health.rounds, bloom_rounds);
        bits.push(health.bits as f64);
    }
    assert!(bits.iter().all(|other| (other / bits[0] - 1.0).abs() < 1e-2), "{bits:?}");
}

#[test]
fn a_sample_is_as_good_as_all_bits() {
    let mut filter = filter(BloomSize::Error(Some(1e-6)), 1_000_000);
    assert!(filter.bytes() > 3 * SAMPLE);
    for i in 0..1_000_000 {
        filter.insert(digest(i));
    }
    let (all, sample) = (filter.health(), filter.health_by_sample());
    assert!((all.expected_error / 1e-6 - 1.0).abs() < 0.05, "{all:?}");
    assert!((sample.fill / all.fill - 1.0).abs() < 4e-3, "{sample:?} of {all:?}");
    assert!((sample.expected_error / all.expected_error - 1.0).abs() < 0.07, "{sample:?} of {all:?}");
    assert_eq!((sample.bits, sample.inserted), (all.bits, all.inserted));
    assert_eq!(Filter::new(&Config { capacity: 1000, ..Config::default() }).unwrap().health_by_sample().fill, 0.0);
}

#[test]
fn it_says_when_it_fills_up_before_it_errs_too_often() {
    let mut filter = filter(BloomSize::Error(Some(0.01)), 1000);
    let mut told = vec![(filter.fullness(), 0)];
    for i in 0..2000 {
        filter.insert(digest(i));
        if filter.fullness() != told[told.len() - 1].0 {
            told.push((filter.fullness(), filter.inserted));
            assert!(filter.health().expected_error < 0.0115, "{told:?}");
        }
    }
    assert_eq!(told, [(Fullness::Roomy, 0), (Fullness::Nearly, 901), (Fullness::Over, 1001)]);
    assert!(filter.health().expected_error > 0.01);
}

#[test]
fn bits_that_are_too_few_are_known_before_they_lie() {
    let bloom = BloomSize::Bits { bits: 9_592_960, hashes: Some(7) };
    // The best filter for 10^6 texts at 1 %.
    assert!((990_000..1_010_000).contains(&filter(bloom, 10_000_000).capacity));
    assert_eq!(filter(bloom, 1000).capacity, 1000);
    assert_eq!(filter(BloomSize::Bits { bits: 8, hashes: Some(8) }, 1000).capacity, 1);
}
