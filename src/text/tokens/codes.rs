//! Codes of letters and digits: k7w2q9xa is one token.
//!
//! If it were cut into letters and numbers, two codes would have some of them in common by chance. But p40pro may be written p40 pro, 70x48mm
//! may be written 70 x 48 mm, and 10h15m is a time. These are no codes.
//!
//! A code may be written in groups: an activation code 8m4b-hxrg-h5cz-a8tc, an address ae:b3:b7:f5:5d:5e or 2001:db8:c1ba::199, an identifier
//! 4d843319-a188-4c93-afcf-6e6bf99c9eb5. A telephone number may, too: 400-820-8820. The body has both in one piece. 2024-01-15 has no letters,
//! and ipad-air5-2022 has a word in most groups: these are no codes.

use crate::text::wrapping::is_hyphenated;

/// Fewest characters of a code.
const LEAST: usize = 5;
/// Fewest runs of letters and runs of digits in a code.
const RUNS: usize = 4;
/// From so many characters on, hexadecimal digits of both kinds are a code: no word is so long.
const LONG_HEX: usize = 12;
/// What may stand behind a number, with a blank between or without: units, and the x between two lengths.
const UNITS: [&str; 23] = [
    "x", "mm", "cm", "m", "km", "kg", "mg", "ml", "l", "gb", "tb", "mb", "g", "t", "d", "h", "min", "s", "w", "k", "v",
    "hz", "y",
];

/// Fewest groups of a code that is written in groups.
const GROUPS: usize = 3;
/// Fewest of its groups that have both letters and digits, unless they are [many](MANY).
const MIXED: usize = 2;
/// So many groups are a code, whatever is in them.
const MANY: usize = 6;
/// With so many characters it is no code.
const CODE_BELOW: usize = 64;
/// The lengths of the groups of an identifier (RFC 9562).
const IDENTIFIER: [usize; 5] = [8, 4, 4, 4, 12];
/// Most characters of a telephone number, and of the `-` in it.
const PHONE: usize = 14;
/// Longest group of an address (RFC 4291).
const ADDRESS: usize = 4;

/// Whether a mark at a place of a text parts no words: e-mail, a code in groups, a telephone number.
#[inline]
pub(crate) fn is_inside_word(text: &str, at: usize, mark: char) -> bool {
    let parts = || (&text[..at], &text[at + mark.len_utf8()..]);
    let is_one = |(before, after)| {
        mark == '-' && (is_hyphenated(before, after) || is_in_phone(before, after)) || is_grouped(before, mark, after)
    };
    matches!(mark, '-' | ':') && is_one(parts())
}

/// Whether a `-` between these two parts of a text is inside a telephone number: 400-820-8820, 138-0013-8000, and the second one of
/// 027-8888-2019. An area code stands apart, as it may be left out.
fn is_in_phone(before: &str, after: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    let head = before.bytes().rev().take(PHONE).take_while(is_part).count();
    let tail = after.bytes().take(PHONE).take_while(is_part).count();
    if head == 0 || tail == 0 || head + tail > PHONE {
        return false;
    }
    let head = &before[before.len() - head..];
    let number = [head, &after[..tail]].join("-");
    let groups: Vec<&str> = number.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let begins = |with: &[&str]| with.iter().any(|with| groups[0].starts_with(with));
    // Distances and prices: 800-900-1000米.
    let are_round = || groups.iter().all(|group| group.ends_with("00"));
    match lengths[..] {
        _ if are_round() => false,
        [3 | 4, 3 | 4, 4] if begins(&["0"]) => head.contains('-'),
        [3, 3, 4] | [3, 4, 3] => begins(&["400", "800"]),
        [3, 4, 4] => begins(&["13", "14", "15", "16", "17", "18", "19"]),
        _ => false,
    }
}

/// Whether a `-` or `:` between these two parts of a text is inside a code that is written in groups. All groups have the same length, or those
/// of an identifier, or it is an address.
fn is_grouped(before: &str, mark: char, after: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || char::from(*byte) == mark;
    if !after.bytes().next().is_some_and(|byte| is_part(&byte)) {
        return false;
    }
    let head = before.bytes().rev().take(CODE_BELOW).take_while(is_part).count();
    let tail = after.bytes().take(CODE_BELOW).take_while(is_part).count();
    if head + tail >= CODE_BELOW {
        return false;
    }
    let [head, tail] = [&before[before.len() - head..], &after[..tail]];
    let groups = || head.split(mark).chain(tail.split(mark)).filter(|group| !group.is_empty());
    let count = groups().count();
    if head.is_empty() || count < GROUPS {
        return false;
    }
    let joined: String = groups().collect();
    if single(&joined) != Some(joined.len()) {
        return false;
    }
    let digits = |group: &str| group.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = || joined.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_mixed = |group: &&str| (1..group.len()).contains(&digits(group));
    let says_nothing = || count >= MANY || groups().filter(is_mixed).count() >= MIXED;
    let longest = groups().map(str::len).max().unwrap_or_default();
    let is_even = longest > 1 && groups().all(|group| group.len() == longest);
    let is_address = || mark == ':' && longest <= ADDRESS && is_hex();
    is_even && says_nothing() || is_address() || groups().map(str::len).eq(IDENTIFIER) && is_hex()
}

/// The length of the code that `rest` begins with, if it does.
pub(super) fn code(rest: &str, before: &str) -> Option<usize> {
    if before.ends_with(|c: char| c.is_ascii_alphanumeric()) { None } else { single(rest) }
}

/// A code without a mark inside.
fn single(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if length < LEAST {
        return None;
    }
    let code = &rest[..length];
    let changes =
        bytes[..length].windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    let is_quantity = || {
        let mut letters = code.split(|c: char| c.is_ascii_digit()).filter(|letters| !letters.is_empty());
        bytes[0].is_ascii_digit() && letters.all(|letters| UNITS.contains(&letters))
    };
    let is_long_hex = || length >= LONG_HEX && changes > 0 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    (changes + 1 >= RUNS && !is_quantity() || is_long_hex()).then_some(length)
}
