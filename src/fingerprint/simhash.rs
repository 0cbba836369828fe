//! SimHash of features, counted 64 bits at once.

/// 64-bit SimHash of hashed features, each of weight 1 (Gao & Li 2014): bit i is 1 if and only if it is 1 in more features
/// than it is 0. `None` without features.
///
/// The function counts 64 bits at once. Plane p holds bit p of each of 64 counters. Carry-save adders add eight features at a
/// time to planes 0 to 2; only their carry goes on to the higher planes.
///
/// ```
/// use quchong::fingerprint::simhash;
/// assert_eq!(simhash(&[0b0011, 0b0101, 0b1001]), Some(0b0001));
/// assert_eq!(simhash(&[0b01, 0b10]), Some(0)); // a tie is no majority
/// assert_eq!(simhash(&[]), None);
/// ```
pub fn simhash(features: &[u64]) -> Option<u64> {
    if features.is_empty() {
        return None;
    }
    let mut planes = [0u64; usize::BITS as usize];
    let (eights, rest) = features.as_chunks::<8>();
    for [a, b, c, d, e, f, g, h] in eights {
        let (ones, twos_a) = add(planes[0], *a, *b);
        let (ones, twos_b) = add(ones, *c, *d);
        let (twos, fours_a) = add(planes[1], twos_a, twos_b);
        let (ones, twos_a) = add(ones, *e, *f);
        let (ones, twos_b) = add(ones, *g, *h);
        let (twos, fours_b) = add(twos, twos_a, twos_b);
        let (fours, carry) = add(planes[2], fours_a, fours_b);
        [planes[0], planes[1], planes[2]] = [ones, twos, fours];
        ripple(&mut planes[3..], carry);
    }
    rest.iter().for_each(|feature| ripple(&mut planes, *feature));
    // Finds the counters that exceed half the features, from the highest plane down.
    let half = features.len() / 2;
    // No counter exceeds the number of features.
    let used = (usize::BITS - features.len().leading_zeros()) as usize;
    let (mut above, mut equal) = (0u64, u64::MAX);
    for (plane, bits) in planes[..used].iter().enumerate().rev() {
        let half_bit = if half >> plane & 1 == 1 { u64::MAX } else { 0 };
        above |= equal & bits & !half_bit;
        equal &= !(bits ^ half_bit);
    }
    Some(above)
}

/// Sum and carry of three bits in each of 64 counters.
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    let odd = a ^ b;
    (odd ^ c, a & b | odd & c)
}

/// Adds a bit to each of 64 counters. `planes` hold the bits of the counters.
fn ripple(planes: &mut [u64], mut carry: u64) {
    for plane in planes {
        if carry == 0 {
            break;
        }
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}

#[cfg(test)]
mod tests {
    use super::simhash;
    use proptest::prelude::*;

    /// The definition of the paper, bit by bit.
    fn slow_simhash(features: &[u64]) -> Option<u64> {
        let mut v = [0i64; 64];
        for feature in features {
            for (i, v) in v.iter_mut().enumerate() {
                *v += if feature >> i & 1 == 1 { 1 } else { -1 };
            }
        }
        (!features.is_empty()).then(|| (0..64).filter(|&i| v[i] > 0).fold(0, |bits, i| bits | 1 << i))
    }

    proptest! {
        #[test]
        fn the_sliced_counters_count(features in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4, Just(u64::MAX)], 0..300)) {
            prop_assert_eq!(simhash(&features), slow_simhash(&features));
        }
    }
}
