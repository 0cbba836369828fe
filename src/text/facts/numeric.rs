//! Tokens that are numbers. A single Chinese numeral is one, too: 七 of 七连胜.

use crate::text::tokens::{Token, character, is_number};
use crate::text::{numerals, tokens};

#[inline]
pub(super) fn is_numeric(token: Token) -> bool {
    is_number(token) || numerals::is_numeral_code(token)
}

/// The token, or of a single Chinese numeral the number that it is.
#[inline]
pub(crate) fn value(token: Token) -> Token {
    if !numerals::is_numeral_code(token) {
        return token;
    }
    character(token).and_then(numerals::digit).map_or(token, tokens::number)
}
