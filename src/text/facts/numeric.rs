//! Tokens that are numbers.

use crate::text::tokens::{Token, character, is_number};
use crate::text::{numerals, tokens};

pub(super) fn is_numeric(token: Token) -> bool {
    is_number(token) || character(token).is_some_and(numerals::is_numeral)
}

/// The token, or of a single Chinese numeral the number that it is.
pub(crate) fn value(token: Token) -> Token {
    character(token).and_then(numerals::digit).map_or(token, tokens::number)
}
