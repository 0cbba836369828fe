//! Counts pairs by document, and estimates what would be counted on similar collections: a bootstrap over documents.

use std::collections::HashSet;

use super::pairs::Pair;
use crate::evaluate::tally::Counts;
use crate::generate::Random;

/// Counts of each document's pairs with later ones. A row holds the number of true pairs, then for each method the number of true pairs
/// found, and of false pairs found.
pub(super) struct Sums {
    methods: usize,
    rows: Vec<u32>,
}

/// Precision, recall and F1; `None` if undefined: a method that finds nothing has no precision.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Rates(pub(super) [Option<f64>; 3]);

/// Positions in [`Rates`].
pub(super) const PRECISION: usize = 0;
pub(super) const RECALL: usize = 1;
pub(super) const F1: usize = 2;

impl Sums {
    /// Counts pairs. `is_true` says whether the pair of a document is true, or `None` to leave it out.
    pub(super) fn of(rows: &[Vec<Pair>], methods: usize, is_true: impl Fn(usize, &Pair) -> Option<bool>) -> Self {
        let width = 1 + 2 * methods;
        let mut sums = vec![0; rows.len() * width];
        for (a, (pairs, sums)) in rows.iter().zip(sums.chunks_mut(width)).enumerate() {
            for pair in pairs {
                let Some(is_true) = is_true(a, pair) else { continue };
                sums[0] += u32::from(is_true);
                for method in (0..methods).filter(|method| pair.mask >> method & 1 == 1) {
                    sums[1 + 2 * method + usize::from(!is_true)] += 1;
                }
            }
        }
        Self { methods, rows: sums }
    }

    fn width(&self) -> usize {
        1 + 2 * self.methods
    }

    /// The counts of each method over all documents.
    pub(super) fn counts(&self) -> Vec<Counts> {
        let mut total = vec![0_u64; self.width()];
        for row in self.rows.chunks(self.width()) {
            total.iter_mut().zip(row).for_each(|(total, own)| *total += u64::from(*own));
        }
        counts(&total)
    }

    /// Returns the rates of each method on `replicates` collections of as many documents, drawn from these with replacement.
    pub(super) fn bootstrap(&self, replicates: usize, seed: u64) -> Vec<Vec<Rates>> {
        // Most documents have no pair with a later one.
        let documents: Vec<&[u32]> = self.rows.chunks(self.width()).collect();
        let busy: HashSet<usize> = (0..documents.len()).filter(|at| documents[*at].iter().any(|n| *n > 0)).collect();
        let mut random = Random::new(seed);
        let mut total = vec![0_u64; self.width()];
        let replicate = |_| {
            total.fill(0);
            for _ in 0..documents.len() {
                let at = random.below_u64(documents.len() as u64) as usize;
                if busy.contains(&at) {
                    total.iter_mut().zip(documents[at]).for_each(|(total, own)| *total += u64::from(*own));
                }
            }
            counts(&total).iter().map(rates).collect()
        };
        (0..replicates).map(replicate).collect()
    }
}

fn counts(total: &[u64]) -> Vec<Counts> {
    let repeats = total[0];
    let of = |pair: &[u64]| Counts { tp: pair[0], fp: pair[1], r#fn: repeats - pair[0], tn: 0 };
    total[1..].chunks(2).map(of).collect()
}

/// Returns precision, recall and F1 of counts.
pub(super) fn rates(counts: &Counts) -> Rates {
    Rates([counts.precision(), counts.recall(), counts.f1()])
}

/// The 95 % interval: leaves out the lowest and the highest fortieth of the values. `None` if there are no values.
pub(super) fn interval(mut values: Vec<f64>) -> Option<[f64; 2]> {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get((share * values.len() as f64) as usize).or(values.last()).copied();
    Some([at(0.025)?, at(0.975)?])
}

/// Kendall's τ-b of two lists of values, −1..=1; `None` if either list is all ties and so has no order.
pub(super) fn kendall(a: &[f64], b: &[f64]) -> Option<f64> {
    let (mut sum, mut in_a, mut in_b) = (0.0, 0.0, 0.0);
    let sign = |x: f64, y: f64| {
        if x > y {
            1.0
        } else if x < y {
            -1.0
        } else {
            0.0
        }
    };
    for i in 0..a.len().min(b.len()) {
        for j in 0..i {
            let (x, y) = (sign(a[i], a[j]), sign(b[i], b[j]));
            sum += x * y;
            in_a += x * x;
            in_b += y * y;
        }
    }
    (in_a * in_b > 0.0).then(|| sum / f64::sqrt(in_a * in_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_compared_by_kendall() {
        assert_eq!(kendall(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), Some(1.0));
        assert_eq!(kendall(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), Some(-1.0));
        // Of three pairs, two agree and one is a tie: 2 / √(3·2).
        assert!((kendall(&[1.0, 2.0, 3.0], &[1.0, 1.0, 2.0]).unwrap() - 2.0 / 6f64.sqrt()).abs() < 1e-12);
        assert_eq!((kendall(&[1.0, 1.0], &[1.0, 2.0]), kendall(&[], &[])), (None, None));
    }

    #[test]
    fn documents_are_counted_and_drawn() {
        let pair = |b, mask, is_alike| Pair { b, mask, is_alike, levenshtein: 0.0 };
        // Two methods. Document 0: a true pair that both find, and a false one that the second finds. Document 1: a true one that the
        // first finds.
        let rows = vec![vec![pair(1, 0b11, true), pair(2, 0b10, false)], vec![pair(2, 0b01, true)], vec![]];
        let sums = Sums::of(&rows, 2, |_, pair| Some(pair.is_alike));
        let counts = sums.counts();
        assert_eq!([counts[0].tp, counts[0].fp, counts[0].r#fn], [2, 0, 0]);
        assert_eq!([counts[1].tp, counts[1].fp, counts[1].r#fn], [1, 1, 1]);
        let drawn = sums.bootstrap(400, 1);
        let [low, high] = interval(drawn.iter().filter_map(|rates| rates[1].0[RECALL]).collect()).unwrap();
        assert!(low == 0.0 && high == 1.0, "{low} {high}");
        // A draw of document 2 alone has no pair. Its rates are undefined, not 0.
        let precisions: Vec<Option<f64>> = drawn.iter().map(|rates| rates[0].0[PRECISION]).collect();
        assert!(precisions.contains(&None) && precisions.iter().flatten().all(|precision| *precision == 1.0));
        assert_eq!(sums.bootstrap(3, 1), drawn[..3]);
        assert_eq!(interval((0..1000).map(f64::from).collect()), Some([25.0, 975.0]));
    }
}
