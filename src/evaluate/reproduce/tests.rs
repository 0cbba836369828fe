//! Tests claims and orders with little or nothing to judge.

use super::*;

/// Eight documents. The first `documents` begin a true pair that all methods find; the others, a true and a false pair that all but MD5
/// find.
fn precise(documents: usize) -> JudgedClaim {
    let all = (1 << CATALOGUE.len()) - 1;
    let pair = |is_alike, mask| Pair { b: u32::MAX, mask, is_alike, levenshtein: 0.0 };
    let md5 = 1 << place("A0");
    let (found, missed) = (vec![pair(true, all)], vec![pair(true, all & !md5), pair(false, all & !md5)]);
    let rows: Vec<_> = (0..8).map(|at| if at < documents { found.clone() } else { missed.clone() }).collect();
    let sums = Sums::of(&rows, CATALOGUE.len(), |_, pair| Some(pair.is_alike));
    let seen = Seen { counts: sums.counts(), drawn: sums.bootstrap(1000, 1) };
    let views = [View::All, View::Identical, View::Short].map(|view| (view, &seen));
    let claim = judged(&views).into_iter().find(|claim| claim.claim == "MD5 is the most precise");
    claim.unwrap_or_else(|| panic!("no such claim"))
}

/// A method that finds nothing has no precision, not precision 0. Such draws are no evidence against a method that is never wrong.
#[test]
fn draws_without_a_find_say_nothing_of_precision() {
    let half = precise(4);
    assert!((1..50).contains(&half.skipped) && half.interval.unwrap()[0] > 0.0 && half.verdict == "holds", "{half:?}");
    // Two draws of three contain the one document.
    let one = precise(1);
    assert!((200..500).contains(&one.skipped) && one.interval.unwrap()[0] > 0.0, "{one:?}");
    assert_eq!(one.verdict, "holds, unsure", "{one:?}");
    let none = precise(0);
    let expected = (None, None, 1000, "nothing to judge");
    assert_eq!((none.difference, none.interval, none.skipped, none.verdict), expected);
}

/// If no pair is true, or every method has the same F1, there is no order. Methods that never differ are level, but not surely so if most
/// draws say nothing.
#[test]
fn what_has_no_order_is_not_ordered() {
    let all = (1 << CATALOGUE.len()) - 1;
    let seen = |pairs: &[Pair], documents: usize| {
        let rows: Vec<_> = (0..documents).map(|at| if at == 0 { pairs.to_vec() } else { Vec::new() }).collect();
        let sums = Sums::of(&rows, CATALOGUE.len(), |_, pair| Some(pair.is_alike));
        Seen { counts: sums.counts(), drawn: sums.bootstrap(200, 1) }
    };
    let pair = |is_alike| Pair { b: u32::MAX, mask: all, is_alike, levenshtein: 0.0 };
    for nothing in [&[pair(false)][..], &[pair(true)], &[]] {
        let seen = seen(nothing, 8);
        for order in orders(&seen, &seen) {
            assert_eq!((order.tau, order.interval, order.skipped), (None, None, 200), "{order:?}");
            assert!(order.ours.is_empty() && !order.theirs.is_empty(), "{order:?}");
        }
    }
    let verdict = |documents| {
        let seen = seen(&[pair(true)], documents);
        let views = [View::All, View::Identical, View::Short].map(|view| (view, &seen));
        let claim = judged(&views).into_iter().find(|claim| claim.claim == "K1 finds most").unwrap();
        (claim.verdict, claim.skipped > 10)
    };
    assert_eq!((verdict(1), verdict(8)), (("level", false), ("level, unsure", true)));
}
