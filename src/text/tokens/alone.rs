//! Recognises characters that are tokens by themselves: nearly all are.

use super::Token;
use super::wordings::{Wordings, is_plain, wordings};
use crate::text::common_chars::each_common;

/// Bytes of an ideograph of the usual block.
pub(super) const HAN: usize = 3;

/// Whether the character of this code, at byte `at` of the body, is a token by itself in this context.
#[inline(always)]
pub(super) fn is_alone(wordings: Option<&Wordings>, code: u16, body: &str, at: usize) -> bool {
    let rest = || &body.as_bytes()[(at + HAN).min(body.len())..];
    let begins =
        |wordings: &Wordings| !wordings.begins_nothing(code) && (!is_plain(code) || wordings.may_begin(code, rest()));
    wordings.map_or_else(|| is_plain(code), |wordings| !begins(wordings))
}

/// Returns the tokens that a body begins with, at most `MOST`, as long as its characters are tokens by themselves. Returns their
/// number, too, and whether they are the whole body. The unused places of the array are 0.
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
