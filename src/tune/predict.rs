//! The theory of Bloom filters, and how far a count may deviate from it by chance.

use crate::exact::paper::{BloomHash, BloomRule};

/// Probability that a new text is taken for a repeat, given the share of set bits (`fill`, 0..=1): fill^k under [`BloomRule::All`], 1 − (1
/// − fill)^k under [`BloomRule::Any`].
pub(crate) fn rate_of_fill(rule: BloomRule, hashes: u32, fill: f64) -> f64 {
    match rule {
        BloomRule::All => fill.powi(hashes as i32),
        BloomRule::Any => 1.0 - (1.0 - fill).powi(hashes as i32),
    }
}

/// Expected fill after `n` distinct texts in `bits` bits: 1 − e^(−t) with t = kn/m. Under [`BloomRule::Any`], a text that is taken for a
/// repeat sets no bit, so the share u of clear bits obeys du/dt = −u^k.
pub(crate) fn fill(rule: BloomRule, hashes: u32, n: f64, bits: u64) -> f64 {
    let t = f64::from(hashes) * n / bits as f64;
    match rule {
        BloomRule::Any if hashes > 1 => 1.0 - (1.0 + f64::from(hashes - 1) * t).powf(-1.0 / f64::from(hashes - 1)),
        _ => -(-t).exp_m1(),
    }
}

/// Expected false-positive rate after `n` distinct texts: (1 − e^(−kn/m))^k for the standard rule.
pub(crate) fn rate(rule: BloomRule, hashes: u32, n: f64, bits: u64) -> f64 {
    rate_of_fill(rule, hashes, fill(rule, hashes, n, bits))
}

/// Expected share of `n` distinct texts that are lost while the filter fills: the mean of [`rate`] over 0..n.
pub(crate) fn loss(rule: BloomRule, hashes: u32, n: f64, bits: u64) -> f64 {
    let steps = 1000;
    (0..steps).map(|i| rate(rule, hashes, n * (f64::from(i) + 0.5) / f64::from(steps), bits)).sum::<f64>()
        / f64::from(steps)
}

/// Returns the fewest bits, a multiple of 8, with which [`rate`] after `n` texts is at most `error` (in (0, 1)). A size beyond `u64`
/// saturates.
pub(crate) fn bits_for(rule: BloomRule, hashes: u32, n: f64, error: f64) -> u64 {
    let k = f64::from(hashes);
    let t = match rule {
        BloomRule::Any if hashes > 1 => ((1.0 - error).powf(-(k - 1.0) / k) - 1.0) / (k - 1.0),
        BloomRule::Any => -(-error).ln_1p(),
        BloomRule::All => -(-error.powf(1.0 / k)).ln_1p(),
    };
    ((k * n / t / 8.0).ceil().max(1.0) as u64).saturating_mul(8)
}

/// Converts `bits` under `hash` to the size of a filter with evenly spread marks that has the same error. For XXH3, returns `bits`.
///
/// BKDR and AP give 32 bits. Unless `bits` divides 2^32, some positions get one more of the 2^32 values than others; positions beyond 2^32
/// get none. The even size is 1 ÷ Σp², where p is the probability of each position. This is exact while few bits are set, which is the
/// case in filters so large; in small ones, the positions are almost equal. The even size grows with `bits` up to 2^32 and stays there.
pub(crate) fn effective_bits(hash: BloomHash, bits: u64) -> u64 {
    if hash == BloomHash::Xxh3 {
        return bits;
    }
    let (values, bits) = (1_u128 << 32, u128::from(bits.max(1)));
    let (each, more) = (values / bits, values % bits);
    let squares = more * (each + 1).pow(2) + (bits - more) * each.pow(2);
    ((values * values + squares / 2) / squares) as u64
}

/// Returns the fewest bits, a multiple of 8, that are worth this many [even](effective_bits) ones; `None` if no size is.
pub(crate) fn bits_counting_as(hash: BloomHash, even: u64) -> Option<u64> {
    if hash == BloomHash::Xxh3 || even <= 8 {
        return Some(even.max(8));
    }
    let (mut low, mut high) = (1, (1_u64 << 32) / 8);
    if effective_bits(hash, high * 8) < even {
        return None;
    }
    while low < high {
        let middle = (low + high) / 2;
        if effective_bits(hash, middle * 8) < even { low = middle + 1 } else { high = middle }
    }
    Some(low * 8)
}

/// Number of standard deviations around the mean that hold 95 % of a normal distribution.
pub(crate) const Z95: f64 = 1.959_964;
/// The same for 99.9 %.
pub(crate) const Z999: f64 = 3.290_527;

/// Wilson's score interval of a rate, after `hits` in `trials`. `z` is [`Z95`], for example. Returns (0, 1) for no trials.
pub(crate) fn wilson(hits: u64, trials: u64, z: f64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (trials as f64, hits as f64 / trials as f64);
    let scale = 1.0 + z * z / n;
    let middle = (p + z * z / (2.0 * n)) / scale;
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / scale;
    let low = if hits == 0 { 0.0 } else { (middle - half).max(0.0) };
    (low, (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_intervals_are_those_of_the_books() {
        assert!((rate(BloomRule::All, 7, 1e6, 9_592_955) - 0.01).abs() < 1e-4);
        let (low, high) = wilson(0, 100, Z95);
        assert!(low == 0.0 && (high - 0.037).abs() < 1e-3);
    }

    #[test]
    fn sizes_and_rates_are_inverse() {
        for rule in [BloomRule::All, BloomRule::Any] {
            for (hashes, n, error) in [(1, 1e4, 0.01), (2, 5e4, 0.1), (7, 1e6, 1e-3)] {
                let bits = bits_for(rule, hashes, n, error);
                let got = rate(rule, hashes, n, bits);
                assert!(got <= error * (1.0 + 1e-9) && got > error * 0.99, "{rule:?} {hashes} {n} {error}: {got}");
            }
        }
    }

    /// 32-bit marks never fill more than 2^32 bits, and fill unevenly if the size does not divide 2^32.
    #[test]
    fn short_hashes_count_as_fewer_bits() {
        let even = |bits| effective_bits(BloomHash::BkdrAp, bits);
        assert_eq!([even(160_000), even(1 << 31), even(1 << 32), even(1 << 39)], [160_000, 1 << 31, 1 << 32, 1 << 32]);
        assert_eq!(even(3 << 30), (1_u64 << 34).div_ceil(6));
        assert_eq!(effective_bits(BloomHash::Xxh3, 1 << 39), 1 << 39);
        for wanted in [8, 160_000, 3_000_000_000, 1 << 32] {
            let bits = bits_counting_as(BloomHash::BkdrAp, wanted).unwrap();
            assert!(even(bits) >= wanted && (bits == 8 || even(bits - 8) < wanted), "{wanted}: {bits}");
        }
        assert_eq!(bits_counting_as(BloomHash::BkdrAp, (1 << 32) + 8), None);
    }

    #[test]
    fn the_paper_s_point() {
        let survive = |rule| 1.0 - loss(rule, 2, 5e4, 160_000);
        assert!((survive(BloomRule::All) - 0.913).abs() < 0.005, "{}", survive(BloomRule::All));
        assert!((survive(BloomRule::Any) - 0.615).abs() < 0.005, "{}", survive(BloomRule::Any));
    }
}
