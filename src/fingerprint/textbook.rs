//! The hash functions of Gao & Li 2014. Their Bloom filter uses BKDR and AP. Their trie uses "the built-in hash function of
//! Visual Studio 2010's C#", which is `String.GetHashCode` of .NET Framework 4.
//!
//! .NET hashes the UTF-16 units of a string to a *signed* number. A 32-bit program hashes otherwise than a 64-bit program,
//! and the paper does not say which it used, so both are here. A test compares them with values printed by Microsoft's
//! documentation and others. The paper does not say either which bytes BKDR and AP hash; here it is the text in UTF-8.

use super::Digest;

/// Multipliers of BKDR for the two rounds: 131 is the usual one, 31 belongs to the same scheme.
const MULTIPLIERS: [u32; 2] = [131, 31];

/// BKDR hash (Kernighan & Ritchie) of the bytes, 32 bits. The multiplier is 131 in the first round of filtering, 31 in the
/// second.
pub(crate) fn bkdr_of(bytes: &[u8], round: usize) -> u32 {
    let multiplier = MULTIPLIERS[round % MULTIPLIERS.len()];
    bytes.iter().fold(0, |hash: u32, byte| hash.wrapping_mul(multiplier).wrapping_add(u32::from(*byte)))
}

/// AP hash (Arash Partow, with exclusive or throughout, as usual in Chinese textbooks) of the bytes, 32 bits. It starts from
/// the number of the round. The textbooks start from 0.
pub(crate) fn ap_of(bytes: &[u8], round: usize) -> u32 {
    bytes.iter().enumerate().fold(round as u32, |hash: u32, (i, byte)| {
        let byte = u32::from(*byte);
        hash ^ if i % 2 == 0 { (hash << 7) ^ byte ^ (hash >> 3) } else { !((hash << 11) ^ byte ^ (hash >> 5)) }
    })
}

/// [`bkdr_of`] of the first round.
pub(crate) fn bkdr(bytes: &[u8]) -> u32 {
    bkdr_of(bytes, 0)
}

/// [`ap_of`] of the first round.
pub(crate) fn ap(bytes: &[u8]) -> u32 {
    ap_of(bytes, 0)
}

/// The marks of the paper's filter, before the modulo of its bits: BKDR and AP of two rounds, from the lowest bits on.
pub(crate) fn marks(bytes: &[u8]) -> Digest {
    let of_round = |round| u128::from(ap_of(bytes, round)) << 32 | u128::from(bkdr_of(bytes, round));
    Digest(of_round(1) << 64 | of_round(0))
}

/// The factor by which .NET multiplies the second half.
const JOIN: i32 = 1_566_083_941;

/// `String.GetHashCode` of .NET Framework 4 in a 64-bit program. Units go to two sums in turn, until the first unit that is
/// 0.
pub(crate) fn csharp_x64(text: &str) -> i32 {
    let mut sums = [5381_i32; 2];
    for (at, unit) in text.encode_utf16().take_while(|unit| *unit != 0).enumerate() {
        let sum = &mut sums[at % 2];
        *sum = sum.wrapping_mul(33) ^ i32::from(unit);
    }
    sums[0].wrapping_add(sums[1].wrapping_mul(JOIN))
}

/// `String.GetHashCode` of .NET Framework 4 in a 32-bit program. Pairs of units, the first one low, go to two sums in turn.
/// If the number of units is odd, the last pair ends with the 0 that ends a string.
pub(crate) fn csharp_x86(text: &str) -> i32 {
    let units: Vec<u16> = text.encode_utf16().collect();
    let unit = |at: usize| u32::from(units.get(at).copied().unwrap_or(0));
    let mut sums = [(5381 << 16) + 5381_i32; 2];
    for pair in 0..units.len().div_ceil(2) {
        let both = unit(2 * pair) | unit(2 * pair + 1) << 16;
        let sum = &mut sums[pair % 2];
        *sum = (sum.wrapping_mul(33).wrapping_add(*sum >> 27)) ^ both as i32;
    }
    sums[0].wrapping_add(sums[1].wrapping_mul(JOIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_books() {
        assert_eq!((bkdr(b""), ap(b"")), (0, 0));
        assert_eq!(bkdr(b"ab"), 97 * 131 + 98);
        assert_eq!(ap(b"a"), 97);
        assert_eq!(ap(b"ab"), 97 ^ !((97 << 11) ^ 98 ^ (97 >> 5)));
        assert_ne!(bkdr("中国".as_bytes()), bkdr("国中".as_bytes()));
        assert_eq!(bkdr_of(b"ab", 1), 97 * 31 + 98);
        // (1 << 7) ^ 97 ^ (1 >> 3) = 225, and 1 ^ 225.
        assert_eq!(ap_of(b"a", 1), 224);
    }

    /// Microsoft's documentation of `String.GetHashCode` prints the 32-bit values. Both values of "hello" are widely known.
    #[test]
    fn strings_have_the_hash_codes_of_dot_net_4() {
        let printed = [
            ("", 757_602_046),
            ("a", -842_352_705),
            ("ab", -840_386_625),
            ("abc", 536_991_770),
            ("abd", -1_029_092_171),
            ("abcdef", 392_335_469),
            ("abcdeh", 391_942_253),
            ("hello", -695_839),
        ];
        for (text, code) in printed {
            assert_eq!(csharp_x86(text), code, "{text}");
        }
        assert_eq!(csharp_x64(""), 371_857_150);
        assert_eq!(csharp_x64("a"), 372_029_373);
        assert_eq!(csharp_x64("hello"), -327_419_862);
        // By hand: the sums are 5381·33 ⊕ 0x4E2D = 195464 and 5381·33 ⊕ 0x56FD = 189272.
        assert_eq!(csharp_x64("中国"), 195_464_i32.wrapping_add(189_272_i32.wrapping_mul(JOIN)));
        assert_eq!((csharp_x64("中国"), csharp_x86("中国")), (-1_328_057_024, -75_629_181));
    }
}
