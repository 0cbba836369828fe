//! Compares the tables with the linear scan. Nothing here is timed: a lost lookup shows as a lost neighbour.

use super::band_plan::{Band, BandPlan};
use super::bands::BandTables;
use crate::hash::mix::{GOLDEN, finish};
use proptest::prelude::*;

/// SplitMix64: the i-th of a sequence of well-mixed numbers.
fn mix(i: u64) -> u64 {
    finish(i.wrapping_mul(GOLDEN))
}

/// `count` distinct bits chosen by `seed`.
fn bits(seed: u64, count: u32) -> u64 {
    let (mut set, mut i) = (0u64, 0);
    while set.count_ones() < count {
        set |= 1 << (mix(seed.wrapping_mul(977) ^ i << 32) % 64);
        i += 1;
    }
    set
}

/// The oracle: a linear scan.
fn scan(stored: &[u64], query: u64, k: u32) -> Option<(u32, u32)> {
    let distances = stored.iter().map(|value| (value ^ query).count_ones());
    distances.zip(0..).find(|(distance, _)| *distance <= k).map(|(distance, number)| (number, distance))
}

/// Stores all values, and asks for every `step`-th before it is inserted.
fn compare(mut tables: BandTables, values: &[u64], k: u32, step: usize) -> BandTables {
    for (i, value) in values.iter().enumerate() {
        if i % step == 0 {
            assert_eq!(tables.earliest(*value), scan(&values[..i], *value, k), "k {k}, {i}: {value:#x}");
        }
        tables.insert(*value);
    }
    tables
}

#[test]
fn bits_are_as_many_as_asked() {
    for count in 0..=20 {
        assert_eq!(bits(u64::from(count) + 5, count).count_ones(), count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// A few centres, and values at about the limit from them, asked and stored in turns.
    #[test]
    fn equals_the_linear_scan(
        k in 0u32..=12,
        expected in prop::sample::select(vec![1u64, 60, 1000, 30_000, 200_000]),
        centres in prop::collection::vec(any::<u64>(), 1..4),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0u32..3, any::<u64>(), any::<bool>()), 1..120),
    ) {
        let (mut tables, mut stored) = (BandTables::new(k, expected), Vec::new());
        for (centre, around, seed, store) in steps {
            // k − 1, k or k + 1 bits from the centre; or half as many, so that two such values are near the limit from each other.
            let flips = (k + around).saturating_sub(1) / if seed % 2 == 0 { 1 } else { 2 };
            let value = centre.get(&centres) ^ bits(seed, flips);
            prop_assert_eq!(tables.earliest(value), scan(&stored, value, k));
            if store {
                tables.insert(value);
                stored.push(value);
            }
        }
    }
}

#[test]
fn a_distance_may_be_as_large_as_a_fingerprint_or_larger() {
    let values: Vec<u64> = (0..200).map(mix).collect();
    for k in [13, 31, 63, 64, 65, u32::MAX] {
        compare(BandTables::new(k, 100), &values, k, 1);
    }
}

#[test]
fn a_neighbour_is_found_at_each_distance_up_to_the_limit_and_none_beyond() {
    for k in 0..=12 {
        for expected in [1, 1000, 20_000, 300_000] {
            let mut tables = BandTables::new(k, expected);
            // Far apart from each other, so that each query has one neighbour at most.
            let stored: Vec<u64> = (0..40).map(|i| mix(i + 1)).collect();
            stored.iter().for_each(|value| tables.insert(*value));
            for distance in 0..=k + 2 {
                for (i, value) in stored.iter().enumerate() {
                    let query = value ^ bits(u64::from(distance) << 8 | i as u64, distance);
                    let want = (distance <= k).then_some((i as u32, distance));
                    assert_eq!(tables.earliest(query), want, "k {k}, expected {expected}");
                }
            }
        }
    }
}

/// The differences are placed so that each band except one holds flips + 1 of them. So one lost lookup anywhere loses a neighbour.
#[test]
fn each_band_and_flip_is_needed() {
    for k in 0..=12u32 {
        for expected in [1000, 30_000, 1_000_000, 10_000_000] {
            let plan = BandPlan::choose(64, k, expected);
            let mut differences = Vec::new();
            for spared in &plan.bands {
                let (mut difference, mut left) = (0u64, k);
                for band in &plan.bands {
                    let count = if band == spared { band.flips } else { band.flips + 1 }.min(left);
                    let seed = mix(u64::from(band.shift) << 8 | u64::from(k));
                    (0..u64::from(count)).for_each(|i| {
                        difference |= 1 << (u64::from(band.shift) + (seed + i) % u64::from(band.width.max(1)))
                    });
                    left -= count;
                }
                differences.push(difference);
            }
            let mut tables = BandTables::new(k, expected);
            tables.insert(mix(1));
            for difference in differences {
                assert_eq!(tables.earliest(mix(1) ^ difference), Some((0, difference.count_ones())), "k {k}, {plan}");
            }
        }
    }
}

#[test]
fn plans_are_complete_disjoint_and_not_wasteful() {
    for k in 0..=12 {
        for bits in [0, 1, 7, 20, 45, 64] {
            for expected in [0, 1, 1000, 100_000, 4_000_000, 1 << 32] {
                let plan = BandPlan::choose(bits, k, expected);
                assert_eq!(plan.bands.iter().map(|band| band.flips + 1).sum::<u32>(), k + 1);
                assert!(plan.bands.iter().map(|band| band.width).sum::<u32>() <= bits);
                for two in plan.bands.windows(2) {
                    assert!(two[0].shift + two[0].width == two[1].shift || two[1].width == 0);
                }
            }
        }
        assert!(BandTables::new(k, 1000).bytes() < 1 << 20, "k {k}: small tables for small inputs");
    }
}

#[test]
fn the_documented_plans_are_the_plans() {
    let sizes = [1000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    for k in 0..=12 {
        let cells = sizes.map(|expected| BandPlan::choose(64, k, expected).to_string());
        let row = format!("//! | {k} | {} |\n", cells.join(" | "));
        assert!(include_str!("band_plan.rs").contains(&row), "band_plan.rs should say\n{row}");
    }
}

#[test]
fn masks_are_all_neighbours_once() {
    let band = Band { shift: 3, width: 9, flips: 3 };
    let masks = band.masks();
    assert_eq!((masks.len(), band.probes()), (130, 130.0));
    assert!(masks.iter().is_sorted_by_key(|mask| mask.count_ones()));
    assert_eq!(masks.iter().collect::<std::collections::HashSet<_>>().len(), 130);
    assert!(masks.iter().all(|mask| *mask < 1 << 9));
}

proptest! {
    /// A scan may leave out a value judged by its rest alone: rests differ in no more bits than the values beside the band.
    #[test]
    fn rests_are_no_farther_than_values(value: u64, other: u64, shift in 0u32..64, width in 0u32..=26) {
        let band = Band { shift, width: width.min(64 - shift), flips: 0 };
        let beside = (value ^ other) & !(((1 << band.width) - 1) << shift);
        let rests = (band.rest(value) ^ band.rest(other)).count_ones();
        prop_assert!(rests <= beside.count_ones() && rests % 2 == beside.count_ones() % 2);
        // One bit beside the band is seen, wherever it is.
        let bit = 1 << (other % 64);
        let is_beside = bit & !(((1 << band.width) - 1) << shift) != 0;
        prop_assert_eq!(band.rest(value) != band.rest(value ^ bit), is_beside);
    }
}

/// 20 000 values with the same fixed bits, and a near pair for every tenth.
fn hot(k: u32, expected: u64, fixed: u64) -> (BandTables, Vec<u64>) {
    let values = (0..20_000).map(|i| {
        let of = if i % 10 == 9 { mix(mix(i) % i) ^ bits(i, (i % 15) as u32) } else { mix(i) };
        of & !fixed | 0x1234_5678_9ABC_DEF0 & fixed
    });
    (BandTables::new(k, expected), values.collect())
}

#[test]
fn hot_buckets_lose_nothing() {
    for (k, fixed) in
        [(4, 0xFFFF), (4, 0xFFFF << 40), (4, 0x3FF_FFFF_FFFF), (0, 0x7FFF_FFFF), (2, 0xFFFF_FFFF), (8, 0xF_FFFF)]
    {
        let (tables, values) = hot(k, 100_000, fixed);
        assert!(compare(tables, &values, k, 9).levels() > 1, "k {k}, {fixed:#x}: nothing is crowded");
    }
}

/// Floods of several templates and ordinary values by turns: the flood of one bucket shapes a level that others come to, too.
#[test]
fn floods_by_turns_lose_nothing() {
    let masks: Vec<u64> = (0..6).map(|template| bits(template, 36)).collect();
    let value = |i: u64| match i % 8 {
        0 => mix(i),
        1 => mix(mix(i) % i) ^ bits(i, (i % 7) as u32),
        of => mix(i) & !masks[of as usize - 2] | mix(of) & masks[of as usize - 2],
    };
    let values: Vec<u64> = (1..=40_000).map(value).collect();
    for k in [1, 4, 7] {
        assert!(compare(BandTables::new(k, 65_536), &values, k, 23).levels() > 1, "k {k}");
    }
}

#[test]
fn more_than_expected_and_equal_values_are_answered_exactly() {
    let (tables, values) = hot(4, 1, 0);
    compare(tables, &values, 4, 9);
    let repeats: Vec<u64> = (0..10_000).map(|i| mix(i % 3)).collect();
    compare(BandTables::new(4, 1_000), &repeats, 4, 97);
}

/// All values are within 8 bits of one centre, yet at least 5 apart: no bits distinguish them well.
#[test]
fn a_crowded_ball_loses_nothing() {
    let (mut tables, mut kept) = (BandTables::new(4, 100_000), Vec::new());
    for i in 0..40_000 {
        let value = mix(7) ^ bits(i, 8);
        let found = tables.earliest(value);
        if i % 16 == 0 {
            assert_eq!(found, scan(&kept, value, 4));
        }
        if found.is_none() {
            tables.insert(value);
            kept.push(value);
        }
    }
    assert!(kept.len() > 20_000);
}
