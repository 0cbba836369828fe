//! Characters that are tokens by themselves: nearly all.

use super::Token;
use super::wordings::{Wordings, is_plain, wordings};
use crate::text::common_chars::each_common;

/// Bytes of an ideograph of the usual block.
pub(super) const HAN: usize = 3;

/// Whether the character of this code, at this byte of the text, is a token by itself whatever stands beside it.
#[inline(always)]
pub(super) fn is_alone(wordings: Option<&Wordings>, code: u16, body: &str, at: usize) -> bool {
    let rest = || &body.as_bytes()[(at + HAN).min(body.len())..];
    let begins =
        |wordings: &Wordings| !wordings.has_none(code) && (!is_plain(code) || wordings.may_begin(code, rest()));
    wordings.map_or_else(|| is_plain(code), |wordings| !begins(wordings))
}

/// The tokens that a body begins with, as far as its characters are tokens by themselves, and whether these are all; the others
/// of `most` are 0, and none is read after them.
pub(crate) fn beginning<const MOST: usize>(body: &str) -> ([Token; MOST], usize, bool) {
    let (mut list, mut length, mut at) = ([0; MOST], 0, 0);
    let wordings = Some(wordings());
    let end = each_common(body, 0, |code| {
        let more = length < MOST && is_alone(wordings, code, body, at);
        if more {
            at += HAN;
            if length < 2 || list[length - 2..length] != [Token::from(code); 2] {
                list[length] = code.into();
                length += 1;
            }
        }
        more
    });
    (list, length, end == body.len())
}
