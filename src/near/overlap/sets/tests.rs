use std::collections::BTreeSet;

use super::*;
use proptest::prelude::*;

proptest! {
    /// Holds for any numbers in any order, however many of them are forgotten, and also if numbers wrap round.
    #[test]
    fn a_set_is_a_set(
        start in prop::sample::select(vec![0_u32, 5000, u32::MAX - 9000]),
        steps in prop::collection::vec((0_u32..20_000, 1_u32..300, 1_u32..50), 1..30),
        oldest in 0_u32..20_000,
    ) {
        let (mut set, mut plain) = (Set::default(), BTreeSet::new());
        for (from, count, step) in steps {
            for at in (0..count).map(|at| from + at * step) {
                prop_assert_eq!(set.insert(start.wrapping_add(at)), plain.insert(at));
                prop_assert_eq!(set.len(), plain.len());
            }
        }
        set.expire(start.wrapping_add(oldest));
        let live: Vec<u32> = plain.into_iter().filter(|at| *at >= oldest).collect();
        let mut found = Vec::new();
        set.each(start.wrapping_add(oldest), |number| found.push(number.wrapping_sub(start)));
        found.sort_unstable();
        prop_assert_eq!(&found, &live);
        let (mut cursor, mut joined, mut at) = (Cursor::default(), Vec::new(), block(start.wrapping_add(oldest)));
        for _ in 0..12 {
            match set.at(&mut cursor, at) {
                Here::Few(few) => joined.extend(few.iter().map(|number| number.wrapping_sub(start))),
                Here::Many(bits) => numbers(bits, at, |number| joined.push(number.wrapping_sub(start))),
            }
            at = next(at);
        }
        joined.retain(|at| *at >= oldest && *at < 1 << 30);
        prop_assert_eq!(joined, live);
        set.expire(start.wrapping_add(1 << 20));
        prop_assert_eq!(set.len(), 0);
    }
}
