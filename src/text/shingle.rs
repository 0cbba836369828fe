//! Shingles: W consecutive units (words or characters) of a text, each shingle hashed to 64 bits (Gao & Li 2014, stage 2). With W =
//! 2, 今天武汉 has the shingles 今天, 天武 and 武汉.

use crate::hash::XxHash3_64;
use crate::hash::mix::fold;
use crate::hash::table::probe;

/// Returns the unit for a word: XXH3 of its bytes. Hashing each word once and mixing the hashes costs a fraction of hashing the
/// text of every shingle. The result does not depend on the blanks between the words.
pub fn word(word: &str) -> u64 {
    XxHash3_64::oneshot(word.as_bytes())
}

/// Appends the hash of each run of `length` units to `out`: M units give M − `length` + 1 features. If there are fewer units than
/// `length`, all of them make one feature, so that a short text has a fingerprint of its own. No units give no feature.
///
/// ```
/// use quchong::text::shingle::{shingles, word};
///
/// let words = ["今天", "天气", "真好"].map(word);
/// let mut features = Vec::new();
/// shingles(&words, 2, &mut features);
/// assert_eq!(features.len(), 2);
/// ```
pub fn shingles(units: &[u64], length: usize, out: &mut Vec<u64>) {
    if units.is_empty() {
        return;
    }
    let length = length.min(units.len());
    // The compiler knows the usual lengths, and unrolls the loop for them.
    match length {
        1 => out.extend(units.windows(1).map(mix)),
        2 => out.extend(units.iter().zip(&units[1..]).map(|(first, second)| mix(&[*first, *second]))),
        3 => out.extend(units.windows(3).map(mix)),
        _ => out.extend(units.windows(length).map(mix)),
    }
}

/// With more features than this, they are sorted instead of hashed. Nobody can choose features that take long to sort.
const HASHED_UPTO: usize = 512;

/// Leaves each feature once. The order may change; `seen` is scratch memory.
pub(crate) fn once(features: &mut Vec<u64>, seen: &mut Vec<u16>) {
    if features.len() > HASHED_UPTO {
        features.sort_unstable();
        return features.dedup();
    }
    // The numbers of the features that are kept. Features are well mixed, so they need no other hash.
    let places = (2 * features.len()).next_power_of_two();
    seen.clear();
    seen.resize(places, 0);
    let mut left = 0;
    for at in 0..features.len() {
        let feature = features[at];
        let place = probe(seen, feature as usize & (places - 1), |kept| features[kept] != feature);
        if seen[place] == 0 {
            features[left] = feature;
            left += 1;
            seen[place] = left as u16;
        }
    }
    features.truncate(left);
}

/// Mixes units into one hash that depends on all of them and on their order. It is a multiply-rotate fold, followed by the finish
/// of MurmurHash3, so that every bit of the result depends on every bit of the input.
#[inline(always)]
fn mix(units: &[u64]) -> u64 {
    let mut hash = units.iter().fold(units.len() as u64, |hash, unit| fold(hash, *unit));
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_feature_stays_once(
            features in prop::collection::vec(prop_oneof![any::<u64>(), 0_u64..20, (0_u64..5).prop_map(|top| top << 60)], 0..600),
        ) {
            let (mut left, mut expected) = (features.clone(), features);
            once(&mut left, &mut vec![7; 3]);
            left.sort_unstable();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(left, expected);
        }
    }

    fn of(units: &[u64], length: usize) -> Vec<u64> {
        let mut out = Vec::new();
        shingles(units, length, &mut out);
        out
    }

    #[test]
    fn m_units_give_m_minus_w_plus_1_features() {
        assert_eq!(of(&[1, 2, 3, 4, 5], 3).len(), 3);
        assert_eq!(of(&[1, 2, 3], 3).len(), 1);
        assert_eq!(of(&[1, 2, 3], 1).len(), 3);
    }

    #[test]
    fn a_short_text_uses_what_it_has() {
        assert_eq!(of(&[7], 3), [mix(&[7])]);
        assert_ne!(of(&[7], 3), of(&[8], 3));
        assert!(of(&[], 3).is_empty());
    }

    #[test]
    fn order_counts() {
        assert_ne!(of(&[1, 2], 2), of(&[2, 1], 2));
        assert_ne!(of(&[1, 1], 2), of(&[1], 2));
    }
}
