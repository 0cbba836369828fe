//! Codes of letters and digits: k7w2q9xa is one token.
//!
//! If it were cut into letters and numbers, two codes would have some of them in common by chance. But p40pro may be written p40 pro, 70x48mm
//! may be written 70 x 48 mm, and 10h15m is a time. These are no codes.

/// Fewest characters of a code, …
const LEAST: usize = 5;
/// … and fewest runs of letters and runs of digits.
const RUNS: usize = 4;
/// What may stand behind a number, with a blank between or without: units, and the x between two lengths.
const UNITS: [&str; 23] = [
    "x", "mm", "cm", "m", "km", "kg", "mg", "ml", "l", "gb", "tb", "mb", "g", "t", "d", "h", "min", "s", "w", "k", "v",
    "hz", "y",
];

/// The length of the code that `rest` begins with, if it does.
pub(super) fn code(rest: &str, before: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if length < LEAST || before.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let code = &rest[..length];
    let changes =
        bytes[..length].windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    let is_quantity = || {
        let mut letters = code.split(|c: char| c.is_ascii_digit()).filter(|letters| !letters.is_empty());
        bytes[0].is_ascii_digit() && letters.all(|letters| UNITS.contains(&letters))
    };
    (changes + 1 >= RUNS && !is_quantity()).then_some(length)
}
