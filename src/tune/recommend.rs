//! Finds the smallest filter that meets the target, and measures its error when it holds as many texts as it is meant for.

use std::collections::HashSet;

use super::race::{Contender, Hasher};
use super::texts::fresh_posts;
use super::{Confirmed, Grid, Measured, PROBES, Recommended, predict};
use crate::error::Result;

/// Largest capacity at which a recommendation is measured: remembering the true texts takes up to 45 bytes per text.
pub(crate) const MOST_CONFIRMED: u64 = 10_000_000;

/// Returns the smallest filter that meets the target at the capacity in theory, over the requested numbers of hash functions. `None` if
/// the hash cannot use that many bits.
pub(super) fn recommend(options: &Grid) -> Option<Recommended> {
    let n = options.capacity as f64;
    let even = |k| predict::bits_for(options.rule, k, n, options.target);
    let (even, hashes) = options.hashes.iter().map(|&k| (even(k), k)).min()?;
    let bits = predict::bits_counting_as(options.hash, even)?;
    let predicted = predict::rate(options.rule, hashes, n, predict::effective_bits(options.hash, bits));
    Some(Recommended { bits, hashes, bytes: bits / 8, predicted, confirmed: None })
}

/// Fills a filter of the recommended size up to the capacity with generated posts, and probes it with others. `filter` holds the first
/// texts of the input, at most as many as the capacity; `truth` has the digests of all its texts.
pub(super) fn confirm(options: &Grid, mut filter: Contender, mut truth: HashSet<u128>) -> Result<Option<Confirmed>> {
    let of_input = options.capacity.min(truth.len() as u64);
    let mut held = of_input;
    let mut hasher = Hasher::new(options.exact_on, options.hash);
    // A thousand errors make the standard deviation 3 % of the rate.
    let probes = options.probes.unwrap_or_else(|| ((1e3 / options.target) as u64).clamp(PROBES, 10_000_000));
    let (mut asked, mut hits) = (0, 0);
    // The generator runs out of distinct posts only far above the limit. Then there is no measurement.
    for text in fresh_posts(options.seed.wrapping_add(2))?.take(4 * (options.capacity + probes) as usize) {
        let Some(item) = hasher.item(&text) else { continue };
        if held < options.capacity {
            if truth.insert(item.digest.0) {
                filter.insert(&item);
                held += 1;
            }
        } else if !truth.contains(&item.digest.0) {
            hits += u64::from(filter.holds(&item));
            asked += 1;
            if asked == probes {
                let (measured, generated) = (Measured::new(hits, probes), options.capacity - of_input);
                return Ok(Some(Confirmed { of_input, generated, fill: filter.fill(), measured }));
            }
        }
    }
    Ok(None)
}
