//! Chooses the bands into which a fingerprint is cut.
//!
//! For example, four bands of 16 bits are enough for a distance of 3: three differences cannot be in four bands. For larger distances, a
//! lookup in a band also looks at all neighbours with at most `flips` changed bits. With one flip, four bands are enough for a distance of
//! 7: if each had two differences, there would be eight. In general, two values that differ in at most k bits agree up to `flips` bits in
//! at least one band, as soon as Σ(flips + 1) ≥ k + 1. Bands need not cover all bits, and a band of no bits is the linear scan, so a plan
//! always exists.
//!
//! [`BandPlan::choose`] takes the cheapest plan under a small cost model. For 64 bits it gives this table (checked by a test). A cell has
//! the widths of the bands, and then the flips of each.
//!
//! | k | 10^3 expected | 10^5 | 10^6 | 10^7 | 10^8 |
//! |---|---|---|---|---|---|
//! | 0 | 8 0 | 14 0 | 17 0 | 21 0 | 24 0 |
//! | 1 | 8/8 0,0 | 14/14 0,0 | 17/17 0,0 | 21/21 0,0 | 24/24 0,0 |
//! | 2 | 8/8/8 0,0,0 | 14/14/14 0,0,0 | 17/17/17 0,0,0 | 21/21/21 0,0,0 | 22/21/21 0,0,0 |
//! | 3 | 8/8/8/8 0,0,0,0 | 14/14/14/14 0,0,0,0 | 16/16/16/16 0,0,0,0 | 16/16/16/16 0,0,0,0 | 24/20/20 1,0,0 |
//! | 4 | 8/8/8/8/8 0,0,0,0,0 | 13/13/13/13/12 0,0,0,0,0 | 17/16/16/15 1,0,0,0 | 21/21/21 1,1,0 | 23/23/18 1,1,0 |
//! | 5 | 8/8/8/8/8/8 0,0,0,0,0,0 | 15/13/12/12/12 1,0,0,0,0 | 17/17/15/15 1,1,0,0 | 21/21/21 1,1,1 | 22/21/21 1,1,1 |
//! | 6 | 8/8/8/8/8/8/8 0,0,0,0,0,0,0 | 14/14/12/12/12 1,1,0,0,0 | 17/17/17/13 1,1,1,0 | 17/17/17/13 1,1,1,0 | 23/21/20 2,1,1 |
//! | 7 | 8/8/8/8/8/8/8/8 0,0,0,0,0,0,0,0 | 14/14/14/11/11 1,1,1,0,0 | 16/16/16/16 1,1,1,1 | 16/16/16/16 1,1,1,1 | 22/22/20 2,2,1 |
//! | 8 | 8/7/7/7/7/7/7/7/7 0,0,0,0,0,0,0,0,0 | 14/14/13/13/10 1,1,1,1,0 | 17/16/16/15 2,1,1,1 | 21/21/21 2,2,2 | 22/21/21 2,2,2 |
//! | 9 | 0 9 | 13/13/13/13/12 1,1,1,1,1 | 17/17/15/15 2,2,1,1 | 18/18/14/14 2,2,1,1 | 23/21/20 3,2,2 |
//! | 10 | 0 10 | 12/11/11/11/11/8 1,1,1,1,1,0 | 17/16/16/15 2,2,2,1 | 17/17/17/13 2,2,2,1 | 22/22/20 3,3,2 |
//! | 11 | 0 11 | 11/11/11/11/10/10 1,1,1,1,1,1 | 16/16/16/16 2,2,2,2 | 16/16/16/16 2,2,2,2 | 22/21/21 3,3,3 |
//! | 12 | 0 12 | 13/11/10/10/10/10 2,1,1,1,1,1 | 14/14/14/11/11 2,2,2,1,1 | 18/16/15/15 3,2,2,2 | 19/18/18/9 3,3,3,0 |

use std::fmt;

/// Some bits of a value, and how many of them a lookup may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Band {
    /// Position of the lowest bit, 0..64.
    pub(crate) shift: u32,
    /// Number of bits, 0..=[`MAX_WIDTH`].
    pub(crate) width: u32,
    /// Most bits that a lookup changes.
    pub(crate) flips: u32,
}

impl Band {
    /// The band's bits of a value.
    #[inline(always)]
    pub(crate) fn of(&self, value: u64) -> u64 {
        (value >> self.shift) & ((1 << self.width) - 1)
    }

    /// The other bits of a value, folded into 32. The rests of two values differ in at most as many bits as the values do beside the band.
    #[inline(always)]
    pub(crate) fn rest(&self, value: u64) -> u32 {
        let above = value.checked_shr(self.shift + self.width).unwrap_or_default();
        let others = value & ((1 << self.shift) - 1) | above << self.shift;
        (others ^ others >> 32) as u32
    }

    /// Lookup masks by rising number of set bits.
    pub(crate) fn masks(&self) -> Vec<u32> {
        let mut masks = vec![0u32];
        let mut begin = 0;
        for _ in 0..self.flips {
            let end = masks.len();
            for i in begin..end {
                let mask = masks[i];
                // Only bits above the highest one are added, so each set of bits comes up once.
                masks.extend((32 - mask.leading_zeros()..self.width).map(|bit| mask | 1 << bit));
            }
            begin = end;
        }
        masks
    }

    /// How many lookup masks there are.
    pub(crate) fn probes(&self) -> f64 {
        probes(self.width, self.flips)
    }
}

/// Widest band. Its 2^26 bucket headers of 8 bytes take 512 MB: one header per entry at the largest sizes that fit a machine.
pub(crate) const MAX_WIDTH: u32 = 26;

/// Most lookups per band. More never paid in the cost model, and the bound keeps the lists of masks small.
const MAX_PROBES: f64 = 4096.0;

/// Disjoint bands that are complete for a distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BandPlan {
    /// The bands from the lowest bit up, the widest first. Never empty.
    pub(crate) bands: Vec<Band>,
}

impl BandPlan {
    /// Chooses the cheapest plan for values of `bits` bits (0..=64), a distance of at most `max_distance`, and about `expected` stored
    /// values.
    pub(crate) fn choose(bits: u32, max_distance: u32, expected: u64) -> Self {
        let (bits, need) = (bits as usize, max_distance as usize + 1);
        let n = expected.max(1) as f64;
        // best[u][b]: the least cost of bands with Σ(flips + 1) = u in b bits, and the band taken last.
        let mut best = vec![vec![(f64::INFINITY, 0usize, 0usize); bits + 1]; need + 1];
        best[0].fill((0.0, 0, 0));
        for flips in 0..need {
            for width in 0..=bits.min(MAX_WIDTH as usize) {
                let cost = cost(width as u32, flips as u32, n);
                if cost.is_infinite() {
                    continue;
                }
                // For one (width, flips), the rising order allows a band to be taken several times.
                for u in flips + 1..=need {
                    for b in width..=bits {
                        let sum = best[u - flips - 1][b - width].0 + cost;
                        if sum < best[u][b].0 {
                            best[u][b] = (sum, width, flips);
                        }
                    }
                }
            }
        }
        let (mut u, mut b, mut bands) = (need, bits, Vec::new());
        while u > 0 {
            let (_, width, flips) = best[u][b];
            bands.push(Band { shift: 0, width: width as u32, flips: flips as u32 });
            (u, b) = (u - flips - 1, b - width);
        }
        bands.sort_by_key(|band| std::cmp::Reverse((band.width, band.flips)));
        let mut shift = 0;
        for band in &mut bands {
            // A band of no bits may come after all 64 bits are used.
            band.shift = shift.min(63);
            shift += band.width;
        }
        Self { bands }
    }
}

impl fmt::Display for BandPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |each: &dyn Fn(&Band) -> u32, by: &str| {
            self.bands.iter().map(|band| each(band).to_string()).collect::<Vec<_>>().join(by)
        };
        write!(f, "{} {}", list(&|band| band.width, "/"), list(&|band| band.flips, ","))
    }
}

/// How many subsets of `k` elements a set of `n` has.
fn binomial(n: u32, k: u32) -> f64 {
    if k > n { 0.0 } else { (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1)) }
}

/// How many values of `width` bits differ from a given one in at most `flips` bits.
fn probes(width: u32, flips: u32) -> f64 {
    (0..=flips).map(|f| binomial(width, f)).sum()
}

/// Nanoseconds of one query and one insertion in one band, plus the price of its memory. Uses only +, −, × and / on doubles, so that
/// every machine finds the same plan. The constants were measured on a 2023 Xeon, to two digits.
fn cost(width: u32, flips: u32, n: f64) -> f64 {
    let (buckets, probes) = ((1u64 << width) as f64, probes(width, flips));
    // More headers than entries would cost memory that small inputs should not take, and cost page walks in large ones.
    if width > 0 && (probes > MAX_PROBES || flips >= width || buckets > n) {
        return f64::INFINITY;
    }
    let load = n / buckets;
    // Beyond a megabyte, where the near caches end, each doubling adds two thirds of the first price of a miss.
    let miss = |mut bytes: f64, near: f64| {
        let mut price = near;
        while bytes > 1e6 {
            (bytes, price) = (bytes / 2.0, price + near / 1.5);
        }
        price
    };
    let (header, run) = (miss(8.0 * buckets, 3.0), miss(16.0 * n, 6.0));
    // Long runs stream from far memory, so the price of a slot includes a share of the miss.
    let query = probes * (header + load.min(1.0) * run + load * (0.5 + run / 32.0));
    let insert = header + run + 20.0;
    // One byte per stored value is worth about 2 ns per message.
    // Blocks have at least two slots. If the load is small, half of the slots are unused.
    let entry = if load < 2.0 { 24.0 } else { 18.0 };
    query + insert + 2.0 * (entry + 8.0 * buckets / n)
}
