//! Tokens: what the repeat rule compares. One CJK character, one word of another script, one number or one code is one token.
//!
//! Numbers as one token each, in canonical digits, make `1,234人` and `1234人` equal and keep `7例` and `9例` one step apart
//! however many digits they have; as runs of characters they lowered F1 on the labelled posts.

mod alone;
mod codes;
mod numeral;
mod places;
mod times;
mod wordings;

use std::ops::Range;

use crate::hash::{HashSet, XxHash3_64};

use super::clock::{clock, part_of_day};
use super::common_chars::each_common;
use super::dates;
use super::normalise::is_list_number;
use super::numerals::{self, Numeral};
use super::quantities;
use super::wrapping::name;
pub(super) use alone::beginning;
use alone::{HAN, is_alone};
use codes::code;
use numeral::{numeral, numeral_at};
pub(super) use places::Places;
pub(crate) use wordings::SYNONYMS;
use wordings::{Wordings, wordings};

/// Signs before a number or a name that are part of it.
pub(crate) const MARKS: [char; 10] = ['@', '+', '-', '±', '↑', '↓', '$', '¥', '€', '£'];

/// A token: a character's code, a word's hash or a number, told apart by `is_word` and `is_number`.
pub type Token = u32;

const NUMBER: Token = 1 << 31;
const WORD: Token = 1 << 30;
/// Of a number: it is hashed, and its digits are in [`Tokens::digits`].
const HASHED: Token = 1 << 30;
const VALUE: Token = (1 << 30) - 1;
/// Of a word: it is a name after `@` or a link.
const REFERENCE: Token = 1 << 29;
/// Of a word: it is a code of letters and digits.
const CODE: Token = 1 << 28;
/// Of a word: the hash of how it is spelled.
const SPELLED: Token = CODE - 1;

/// Whether the token is a number.
pub(crate) fn is_number(token: Token) -> bool {
    token & NUMBER != 0
}

/// Whether the token is a word of a script that separates words.
pub(crate) fn is_word(token: Token) -> bool {
    token & (NUMBER | WORD) == WORD
}

/// Whether the token is a name after `@`, or a link.
pub(crate) fn is_reference(token: Token) -> bool {
    is_word(token) && token & REFERENCE != 0
}

/// Whether the token is a code of letters and digits.
pub(crate) fn is_code(token: Token) -> bool {
    is_word(token) && token & CODE != 0
}

/// The token of a small number.
pub(crate) fn number(value: u32) -> Token {
    NUMBER | value & VALUE
}

/// The token of a word with this hash.
#[cfg(test)]
pub(crate) fn word(hash: u32) -> Token {
    WORD | hash & VALUE
}

/// The character that the token is, if it is one.
pub(crate) fn character(token: Token) -> Option<char> {
    if token & (NUMBER | WORD) == 0 { char::from_u32(token) } else { None }
}

/// Digits of the numbers that a token only holds a hash of: fractions, shares, ten digits and more.
pub(crate) type Digits = [(Token, Box<str>)];

/// The tokens of a body.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// In the order of the text, runs of one token cut to two (哈哈哈哈 is 哈哈).
    pub list: Vec<Token>,
    /// What `list` only holds hashes of.
    pub(crate) digits: Vec<(Token, Box<str>)>,
}

/// Tokens, wherever they are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    /// See [`Tokens::list`].
    pub(crate) list: &'a [Token],
    /// See [`Tokens::digits`].
    pub(crate) digits: &'a Digits,
}

impl View<'_> {
    /// Appends the digits of a number to `out`; of any other token, nothing.
    pub(crate) fn digits_into(self, token: Token, out: &mut String) {
        if !is_number(token) {
        } else if token & HASHED == 0 {
            out.push_str(&(token & VALUE).to_string());
        } else if let Some((_, digits)) = self.digits.iter().find(|(known, _)| *known == token) {
            out.push_str(digits);
        }
    }
}

impl Tokens {
    /// Writes the tokens of `body` into this, whatever was in it. What is no letter, digit or ideograph is dropped.
    ///
    /// Words are hashed to 28 bits and long numbers to 30: two different words are taken for equal once in 3·10^8.
    pub fn read(&mut self, body: &str) {
        self.read_with(body, |_| {});
    }

    /// As [`read`](Self::read); calls `each` with the place of every token in `body`, in bytes.
    pub fn read_with(&mut self, body: &str, mut each: impl FnMut(Range<usize>)) {
        self.read_for(body, &mut each);
    }

    /// As [`read_with`](Self::read_with).
    pub(super) fn read_for(&mut self, body: &str, each: &mut impl Places) {
        self.read_by(Some(wordings()), body, each);
    }

    /// As [`read`](Self::read), but every word is read as it is spelled.
    fn read_plain(&mut self, body: &str) {
        self.read_by(None, body, &mut |_| {});
    }

    fn read_by(&mut self, wordings: Option<&Wordings>, body: &str, each: &mut impl Places) {
        self.list.clear();
        self.list.reserve(body.len() / HAN);
        self.digits.clear();
        let mut known = HashSet::default();
        let mut at = 0;
        loop {
            let mut start = at;
            at = each_common(body, at, |code| {
                if code == u16::from(b' ') {
                    start += 1;
                    return true;
                }
                let plain = is_alone(wordings, code, body, start);
                if plain {
                    if self.push(code.into()) {
                        each.token(start..start + HAN);
                    }
                    start += HAN;
                }
                plain
            });
            let rest = &body[at..];
            let Some(c) = rest.chars().next() else { break };
            if let Some(length) = c.is_ascii_alphanumeric().then(|| code(rest, &body[..at])).flatten() {
                if self.push(WORD | CODE | spelled(&rest[..length])) {
                    each.token(at..at + length);
                }
                at += length;
                continue;
            }
            if let Some((length, tokens)) = wordings.and_then(|wordings| wordings.at(rest)) {
                self.digits.extend(tokens.digits.iter().filter(|(token, _)| known.insert(*token)).cloned());
                for token in &tokens.list {
                    if self.push(*token) {
                        each.token(at..at + length);
                    }
                }
                at += length;
                continue;
            }
            if let Some(length) =
                self.marked(rest, &mut known, &mut |place: Range<usize>| each.token(at + place.start..at + place.end))
            {
                at += length;
                continue;
            }
            // 下午 says no more than the hour: 14 点.
            let part = wordings.map_or(0, |_| part_of_day(rest, &body[..at]));
            let told = part > 0 || numeral(c);
            if let Some(clock) = told.then(|| clock(&rest[part..], &body[..at + part])).flatten() {
                let mut from = part;
                self.time(clock, |place| {
                    each.token(at + part + place.start - std::mem::take(&mut from)..at + part + place.end);
                });
                at += part + clock.ends[2];
                at += quantities::between(&body[at..]);
                continue;
            }
            if let Some(date) = (c.is_ascii_digit()
                && !body[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.'))
            .then(|| dates::date(rest, &body[..at]))
            .flatten()
            {
                at += self.date(date, |place| each.token(at + place.start..at + place.end));
                continue;
            }
            if let Some(days) = c.is_ascii_digit().then(|| dates::days(rest, &body[..at])).flatten() {
                at += self.days(days, |place| each.token(at + place.start..at + place.end));
                continue;
            }
            let number = numeral_at(rest, c, &body[..at]);
            let (tokens, start) = (self.list.len(), at);
            at += match (number, c) {
                (Some(number), _) => {
                    let is_glued = body[..at].ends_with(|c: char| c.is_ascii_alphabetic());
                    let length = self.quantity(number, (rest, is_glued), &mut known, |place| {
                        each.token(at + place.start..at + place.end);
                    });
                    at += length;
                    continue;
                }
                (None, '\u{4e00}'..='\u{9fff}') => {
                    self.push(c as Token);
                    c.len_utf8()
                }
                // A sign that stands alone: (+).
                (None, '+' | '-')
                    if rest[1..].chars().next().is_none_or(|c| c == ' ') && (at == 0 || body[..at].ends_with(' ')) =>
                {
                    self.push(c as Token);
                    1
                }
                _ if is_letter(c) => self.word(rest),
                _ => {
                    if c.is_alphanumeric() || is_list_number(c) {
                        self.push(c as Token);
                    }
                    c.len_utf8()
                }
            };
            if self.list.len() > tokens {
                each.token(start..at);
            }
        }
    }

    /// Reads the word in letters that `rest` begins with. The bytes it takes.
    fn word(&mut self, rest: &str) -> usize {
        let letters: usize = rest.chars().take_while(|c| is_letter(*c)).map(char::len_utf8).sum();
        // C++, C#, A+, A-.
        let marks = rest[letters..].bytes().take_while(|byte| matches!(byte, b'+' | b'#')).count();
        let marks = if marks == 0 && is_mark(&rest[..letters], &rest[letters..]) { 1 } else { marks };
        let length = letters + marks;
        let roman = quantities::roman(&rest[..length], &rest[length..]);
        self.push(roman.map_or_else(|| WORD | spelled(&rest[..length]), number));
        length
    }

    /// Reads what `rest` begins with if it is a number behind a sign or a currency mark, or a name after `@`: -5 is another number than 5,
    /// ↓5 is -5, +5 is 5; $5 is 5美元 and ￥5 is 5元. The bytes it takes.
    fn marked(&mut self, rest: &str, known: &mut HashSet<Token>, each: &mut dyn FnMut(Range<usize>)) -> Option<usize> {
        let mark = rest.chars().next().filter(|mark| MARKS.contains(mark))?;
        let start = mark.len_utf8();
        if mark == '@' {
            let length = name(&rest[start..])?;
            self.push(WORD | REFERENCE | spelled(&rest[..start + length]));
            each(0..start + length);
            return Some(start + length);
        }
        let number = numerals::arabic(&rest[start..])?;
        let end = start + number.length;
        let (sign, unit) = match mark {
            '-' | '↓' => ("-", ""),
            '±' => ("±", ""),
            '$' => ("", "美元"),
            '¥' => ("", "元"),
            '€' => ("", "欧元"),
            '£' => ("", "英镑"),
            _ => ("", ""),
        };
        let token = self.number(format!("{sign}{}", number.digits), known);
        self.list.push(token);
        each(0..end);
        for c in unit.chars().filter(|_| !rest[end..].starts_with(['元', '美', '欧', '英'])) {
            self.list.push(c as Token);
            each(end..end);
        }
        let (unit, taken) = quantities::unit(&rest[end..]).unwrap_or_default();
        for c in unit.chars() {
            self.list.push(c as Token);
            each(end..end + taken);
        }
        Some(end + taken)
    }

    /// A number and what makes a part of it: a fraction, a half, a unit by its usual name, but no letter as a unit if the number is glued
    /// to a letter (c37s6g). The bytes that they take of `rest`.
    fn quantity(
        &mut self,
        read: Numeral,
        (rest, is_glued): (&str, bool),
        known: &mut HashSet<Token>,
        mut each: impl FnMut(Range<usize>),
    ) -> usize {
        let Numeral { digits, length } = read;
        let after = &rest[length..];
        if let Some((parts, taken)) = quantities::parts(after) {
            for token in [number(parts), self.number(digits, known)] {
                self.list.push(token);
                each(0..length + taken);
            }
            return length + taken;
        }
        let (digits, end, unit, all) = if let Some((digits, taken)) = quantities::coins(&digits, after) {
            (digits, length, "元", length + taken)
        } else if let Some((digits, middle, unit, all)) = quantities::and_more(&digits, after) {
            (digits, length + middle, unit, length + all)
        } else if let Some((share, taken)) = numerals::tenths(&digits, after) {
            (share, length + taken, "", length + taken)
        } else {
            let is_unit = |(unit, _): &(&str, usize)| !is_glued || after.starts_with(*unit);
            let (unit, taken) = quantities::unit(after).filter(is_unit).unwrap_or_default();
            // 08年.
            let year = length == 2 && rest.starts_with('0') && after.starts_with('年');
            (if year { format!("200{digits}") } else { digits }, length, unit, length + taken)
        };
        let (digits, unit) = quantities::usual(digits, unit);
        // 2比1 is 2:1, 7到8 is 7-8.
        let all = all + if unit.is_empty() { quantities::between(&rest[all..]) } else { 0 };
        let token = self.number(digits, known);
        if self.push(token) {
            each(0..end);
        }
        for c in unit.chars() {
            self.list.push(c as Token);
            each(end..all);
        }
        all
    }

    /// Whether the token was added.
    #[inline]
    fn push(&mut self, token: Token) -> bool {
        let is_third = matches!(self.list[..], [.., last, second] if last == token && second == token);
        if !is_third {
            self.list.push(token);
        }
        !is_third
    }

    /// The token of a number; its digits are noted unless it is among the `known` ones.
    fn number(&mut self, digits: String, known: &mut HashSet<Token>) -> Token {
        let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.contains('.');
        if let Some(value) = digits.parse().ok().filter(|value: &Token| *value <= VALUE && !is_code) {
            return NUMBER | value;
        }
        let token = NUMBER | HASHED | hash(&digits);
        if known.insert(token) {
            self.digits.push((token, digits.into()));
        }
        token
    }

    /// The tokens as they are kept here.
    pub(crate) fn view(&self) -> View<'_> {
        View { list: &self.list, digits: &self.digits }
    }
}

/// Longest mark in letters: BBB-.
const MARK: usize = 3;

/// Whether the letters, and the minus that follows them, are a mark or a rating: A-, but not a-b.
pub(crate) fn is_mark(letters: &str, rest: &str) -> bool {
    let Some(after) = rest.strip_prefix('-') else { return false };
    let first = letters.bytes().next().filter(|first| (b'a'..=b'f').contains(first));
    letters.len() <= MARK
        && first.is_some_and(|first| letters.bytes().all(|byte| byte == first))
        && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_>/=)".contains(c))
}

fn spelled(word: &str) -> Token {
    hash(word) & SPELLED
}

fn hash(text: &str) -> Token {
    XxHash3_64::oneshot(text.as_bytes()) as Token & VALUE
}

/// Letters that make words together: those of scripts that separate words. Kana and Hangul read like ideographs here.
fn is_letter(c: char) -> bool {
    c.is_ascii_lowercase() || (c as u32) < 0x1100 && c.is_alphabetic()
}

#[cfg(test)]
mod tests;
