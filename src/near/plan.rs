//! The shape of the band tables: which bits each table is addressed by, and how many of them may differ.

/// One table: the bits that address it, and how far around a query's bits it is probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    /// Lowest bit of the band.
    pub shift: u32,
    /// Bits of the band.
    pub width: u32,
    /// The table is probed with every value that differs from the query's in at most so many bits.
    pub flips: u32,
}

/// Bands that together find every fingerprint within a distance.
///
/// If two fingerprints of `bits` bits differ in at most k bits and the bands are disjoint with Σ (flips + 1) ≥ k + 1, then in
/// some band they differ in at most that band's flips: otherwise they would differ in Σ (flips + 1) bits (the general
/// pigeonhole principle). With flips 0 and k + 1 bands it is the classic scheme; a flip in a wide band replaces a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The bands, lowest bits first.
    pub bands: Vec<Band>,
}

/// Nanoseconds of looking at one bucket, and at one entry of it: a cache miss, and a word of a contiguous run. Measured on
/// one machine; only their ratio shapes the plan.
const PROBE: f64 = 9.0;
const ENTRY: f64 = 1.1;

/// A table has at least so many expected fingerprints for each bucket, so that all its buckets take no more than 4 bytes a
/// fingerprint. Four times as many buckets would save a tenth of the time at 4 million and take 40 bytes more.
const FINGERPRINTS_PER_BUCKET: u64 = 2;

impl Plan {
    /// The cheapest plan by `PROBE` and `ENTRY` for fingerprints of `bits` bits, distance `k` and about `expected` fingerprints.
    pub fn new(bits: u32, k: u32, expected: u64) -> Self {
        let widest = (expected / FINGERPRINTS_PER_BUCKET).max(256).ilog2().min(24);
        let mut best: Option<(f64, Self)> = None;
        // k + 1 steps are dealt out to so many bands; the first `extra` bands take one more and are wider for it.
        for bands in 1..=(k + 1).min(bits) {
            let (steps, extra) = ((k + 1) / bands, (k + 1) % bands);
            for wide in 1..=widest.min(bits) {
                let narrow = ((bits - (wide * extra).min(bits)) / (bands - extra)).min(widest);
                if wide * extra + narrow * (bands - extra) > bits || narrow == 0 || extra > 0 && narrow > wide {
                    continue;
                }
                let mut shift = 0;
                let bands = (0..bands).map(|band| {
                    let (width, flips) = if band < extra { (wide, steps) } else { (narrow, steps - 1) };
                    shift += width;
                    Band { shift: shift - width, width, flips }
                });
                let plan = Self { bands: bands.collect() };
                let cost = plan.cost(expected);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, plan));
                }
            }
        }
        best.map_or_else(|| Self { bands: vec![Band { shift: 0, width: 1, flips: k }] }, |(_, plan)| plan)
    }

    /// Nanoseconds of one query among `expected` random fingerprints, by the model.
    fn cost(&self, expected: u64) -> f64 {
        let bucket = |band: &Band| expected as f64 / (1u64 << band.width) as f64;
        self.bands
            .iter()
            .map(|band| values_within(band.width, band.flips) as f64 * (PROBE + ENTRY * bucket(band)))
            .sum()
    }
}

/// Values of `width` bits that differ from a given one in at most `flips` bits.
fn values_within(width: u32, flips: u32) -> u64 {
    let mut binomial = 1u64;
    (0..=flips.min(width)).fold(0, |sum, flipped| {
        if flipped > 0 {
            binomial = binomial * u64::from(width - flipped + 1) / u64::from(flipped);
        }
        sum + binomial
    })
}
