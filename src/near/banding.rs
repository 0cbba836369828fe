//! How a MinHash signature is cut into bands, and when two texts are "near" to the MinHash engine.
//!
//! For example, a signature of 128 slots is cut into 32 bands of 4. Two texts are compared if they have an equal band. This is true of 87 %
//! of the pairs with a Jaccard similarity of 0.5, and of 23 % of the pairs with 0.3. At similarity s, the share is
//! 1 − (1 − s^rows)^bands (Leskovec, Rajaraman & Ullman, *Mining of Massive Datasets*, 3.4).
//!
//! As datasketch does, [`Banding::choose`] takes the bands and rows with the smallest weighted sum of two areas: the area under that curve
//! below the wanted similarity (false candidates), and the area above the curve from there on (missed pairs). datasketch gives both the
//! same weight. Here each candidate is still compared with the wanted similarity, so a false candidate only costs time, and a missed pair
//! has nine times the weight. That increases recall, especially at high similarities, and costs no precision.
//!
//! Bands × rows (checked by a test):
//!
//! | similarity | P = 64 | P = 128 | P = 256 |
//! |---|---|---|---|
//! | 0.3 | 32×2 | 32×2 | 85×3 |
//! | 0.4 | 17×2 | 42×3 | 64×4 |
//! | 0.5 | 21×3 | 32×4 | 42×4 |
//! | 0.6 | 16×4 | 25×5 | 42×6 |
//! | 0.7 | 12×5 | 20×6 | 32×8 |
//! | 0.8 | 9×7 | 14×9 | 23×11 |
//! | 0.9 | 5×12 | 8×16 | 13×19 |

use crate::fingerprint::minhash::similarity;

/// Weight of a false candidate. A missed pair has the rest up to 1.
const FALSE_WEIGHT: f64 = 0.1;
/// Steps of each integral. With 1000 steps, as in datasketch, the table above is the same.
const STEPS: usize = 100;

/// The bands of a signature, and the least similarity of near repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banding {
    /// Number of bands, at least 1.
    pub bands: usize,
    /// Slots of each band, at least 1; bands × rows is at most the signature's length.
    pub rows: usize,
    /// Least estimated Jaccard similarity of near repeats, in thousandths, 0..=1000.
    pub similarity: u32,
}

impl Banding {
    /// Chooses the best banding of `permutations` slots, at least 1, for `similarity` thousandths.
    ///
    /// ```
    /// let banding = quchong::near::banding::Banding::choose(128, 500);
    /// assert_eq!((banding.bands, banding.rows), (32, 4));
    /// ```
    pub fn choose(permutations: usize, similarity: u32) -> Self {
        let wanted = f64::from(similarity) / 1000.0;
        let mut best = (f64::INFINITY, Self { bands: 1, rows: 1, similarity });
        for bands in 1..=permutations {
            for rows in 1..=permutations / bands {
                let candidate = |s: f64| 1.0 - power(1.0 - power(s, rows), bands);
                let error = FALSE_WEIGHT * area(0.0, wanted, candidate)
                    + (1.0 - FALSE_WEIGHT) * area(wanted, 1.0, |s| 1.0 - candidate(s));
                if error < best.0 {
                    best = (error, Self { bands, rows, similarity });
                }
            }
        }
        best.1
    }

    /// The slots of a band, 0..`bands`.
    pub(crate) fn band<'s>(&self, signature: &'s [u32], band: usize) -> &'s [u32] {
        &signature[band * self.rows..][..self.rows]
    }

    /// Returns the similarity of two texts in thousandths if they are near by their signatures. They are near if some band is equal, and
    /// the share of equal slots is at least the wanted similarity. The band belongs to the definition, so that the two texts alone decide
    /// the verdict, and not the other texts in the buckets.
    pub(crate) fn near(&self, a: &[u32], b: &[u32]) -> Option<u32> {
        let similarity = Some(similarity(a, b)).filter(|similarity| *similarity >= self.similarity)?;
        (0..self.bands).any(|band| self.band(a, band) == self.band(b, band)).then_some(similarity)
    }
}

/// Area under `f` by the midpoint rule.
fn area(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let step = (to - from) / STEPS as f64;
    (0..STEPS).map(|i| f(from + (i as f64 + 0.5) * step) * step).sum()
}

/// x^n by squaring. It gives the same bits on every machine, which `powi` does not promise.
fn power(mut x: f64, mut n: usize) -> f64 {
    let mut product = 1.0;
    while n > 0 {
        if n % 2 == 1 {
            product *= x;
        }
        x *= x;
        n /= 2;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_bandings_are_the_bandings() {
        for similarity in [300, 400, 500, 600, 700, 800, 900] {
            let cells = [64, 128, 256].map(|permutations| {
                let banding = Banding::choose(permutations, similarity);
                assert!(banding.bands * banding.rows <= permutations);
                format!("{}×{}", banding.bands, banding.rows)
            });
            let row = format!("//! | 0.{} | {} |\n", similarity / 100, cells.join(" | "));
            assert!(include_str!("banding.rs").contains(&row), "banding.rs should say\n{row}");
        }
    }

    #[test]
    fn both_a_band_and_the_similarity_are_asked_for() {
        let banding = Banding { bands: 2, rows: 2, similarity: 500 };
        let a = [1, 2, 3, 4];
        assert_eq!(banding.near(&a, &[1, 2, 3, 4]), Some(1000));
        assert_eq!(banding.near(&a, &[1, 2, 9, 9]), Some(500));
        assert_eq!(banding.near(&a, &[1, 9, 3, 9]), None, "no band is equal");
        assert_eq!(Banding { similarity: 501, ..banding }.near(&a, &[1, 2, 9, 9]), None, "not alike enough");
    }
}
