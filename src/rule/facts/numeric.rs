//! Tokens that are numbers, and their values. A single Chinese numeral is a number, too: 七 of 七连胜.

use super::Side;
use crate::text::tokens::{Token, character, is_number};
use crate::text::{numerals, tokens};

#[inline]
pub(super) fn is_numeric(token: Token) -> bool {
    is_number(token) || numerals::is_numeral_code(token)
}

/// Whether the token is a character, and no numeral.
#[inline]
pub(super) fn is_plain(token: Token) -> bool {
    character(token).is_some() && !is_numeric(token)
}

/// Returns the token, or, for a single Chinese numeral, its number.
#[inline]
pub(crate) fn value(token: Token) -> Token {
    if !numerals::is_numeral_code(token) {
        return token;
    }
    character(token).and_then(numerals::digit).map_or(token, tokens::number)
}

/// Whether two numbers are one year, with four digits and with two: 2020年 and 20年.
pub(super) fn are_one_year(a: &Side<'_>, i: usize, b: &Side<'_>, j: usize) -> bool {
    let year = |side: &Side<'_>, at| {
        let mut digits = String::new();
        side.tokens.digits_into(side.tokens.list[at], &mut digits);
        (side.after(at).and_then(character) == Some('年')).then_some(digits)
    };
    let (Some(x), Some(y)) = (year(a, i), year(b, j)) else { return false };
    let (long, short) = if x.len() > y.len() { (x, y) } else { (y, x) };
    long.len() == 4 && short.len() == 2 && long.ends_with(&short)
}
