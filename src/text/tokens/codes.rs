//! Recognises codes of letters and digits: k7w2q9xa is one token.
//!
//! If codes were split into letters and numbers, two codes would share some of these by chance. But p40pro may be written p40 pro,
//! 70x48mm may be written 70 x 48 mm, and 10h15m is a time. These are no codes.
//!
//! A code may be written in groups: an activation code 8m4b-hxrg-h5cz-a8tc, an address ae:b3:b7:f5:5d:5e or 2001:db8:c1ba::199, an
//! identifier 4d843319-a188-4c93-afcf-6e6bf99c9eb5. So may a telephone number: 400-820-8820. The body keeps both in one piece.
//! 2024-01-15 has no letters, and ipad-air5-2022 has a word in most groups: these are no codes.

use crate::text::wrapping::is_hyphenated;

/// Fewest characters of a code.
const CODE_FROM: usize = 5;
/// Fewest runs of letters and runs of digits in a code.
const RUNS_FROM: usize = 4;
/// A run of this many hexadecimal digits is a code if it has both letters and digits: no word is so long.
const LONG_HEX: usize = 12;
/// Letters that may follow a number, with or without a blank: units, and the x between two lengths.
const UNITS: [&str; 23] = [
    "x", "mm", "cm", "m", "km", "kg", "mg", "ml", "l", "gb", "tb", "mb", "g", "t", "d", "h", "min", "s", "w", "k", "v",
    "hz", "y",
];

/// Fewest groups of a code that is written in groups.
const GROUPS: usize = 3;
/// Fewest groups that must have both letters and digits, unless there are [many](GROUPS_SUFFICE_FROM) groups.
const MIXED: usize = 2;
/// This many groups make a code, whatever is in them.
const GROUPS_SUFFICE_FROM: usize = 6;
/// A code in groups has fewer characters than this.
const CODE_BELOW: usize = 64;
/// The lengths of the groups of an identifier (RFC 9562).
const IDENTIFIER: [usize; 5] = [8, 4, 4, 4, 12];
/// Most digits and hyphens of a telephone number.
const PHONE: usize = 14;
/// Longest group of an address (RFC 4291).
const ADDRESS: usize = 4;

/// Whether a mark in a text separates no words: in e-mail, in a code in groups, in a telephone number.
#[inline]
pub(crate) fn is_inside_word(text: &str, at: usize, mark: char) -> bool {
    let parts = || (&text[..at], &text[at + mark.len_utf8()..]);
    let is_one = |(before, after)| {
        mark == '-' && (is_hyphenated(before, after) || is_in_phone(before, after)) || is_grouped(before, mark, after)
    };
    matches!(mark, '-' | ':') && is_one(parts())
}

/// Whether a `-` between these two parts of a text is inside a telephone number: 400-820-8820, 138-0013-8000, and the second hyphen
/// of 027-8888-2019. The hyphen after an area code is not, because the area code may be left out.
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
    // Distances and prices are no telephone numbers: 800-900-1000米.
    let are_round = || groups.iter().all(|group| group.ends_with("00"));
    match lengths[..] {
        _ if are_round() => false,
        [3 | 4, 3 | 4, 4] if begins(&["0"]) => head.contains('-'),
        [3, 3, 4] | [3, 4, 3] => begins(&["400", "800"]),
        [3, 4, 4] => begins(&["13", "14", "15", "16", "17", "18", "19"]),
        _ => false,
    }
}

/// Whether a `-` or `:` between these two parts of a text is inside a code in groups. The groups must have equal lengths or those
/// of an identifier, or make an address.
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
    let says_nothing = || count >= GROUPS_SUFFICE_FROM || groups().filter(is_mixed).count() >= MIXED;
    let longest = groups().map(str::len).max().unwrap_or_default();
    let is_even = longest > 1 && groups().all(|group| group.len() == longest);
    let is_address = || mark == ':' && longest <= ADDRESS && is_hex();
    is_even && says_nothing() || is_address() || groups().map(str::len).eq(IDENTIFIER) && is_hex()
}

/// Returns the length of the code that `rest` begins with.
pub(super) fn code(rest: &str, before: &str) -> Option<usize> {
    if before.ends_with(|c: char| c.is_ascii_alphanumeric()) { None } else { single(rest) }
}

/// Returns the length of a code without a mark inside.
fn single(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if length < CODE_FROM {
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
    (changes + 1 >= RUNS_FROM && !is_quantity() || is_long_hex()).then_some(length)
}
