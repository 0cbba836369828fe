//! Tokens are the units that the repeat rule compares. Each CJK character, word of another script, number or code is one token.
//!
//! 新增1,234例 has the tokens 新, 增, 1234 and 例. Numbers are one token each, in canonical digits. So `1,234人` and `1234人` are equal, and `7例`
//! and `9例` are one step apart, however many digits they have.

mod alone;
mod codes;
mod numeral;
mod reader;
mod wordings;

use std::ops::Range;

use crate::hash::XxHash3_64;

pub(super) use alone::beginning;
pub(super) use codes::is_inside_word;
pub(crate) use wordings::SYNONYMS;
use wordings::wordings;

/// Signs before a number or a name that belong to it.
pub(crate) const MARKS: [char; 10] = ['@', '+', '-', '±', '↑', '↓', '$', '¥', '€', '£'];

/// A token: the code of a character, the hash of a word, or a number. `is_word` and `is_number` tell which.
pub type Token = u32;

const NUMBER: Token = 1 << 31;
const WORD: Token = 1 << 30;
/// Flag of a number: the token holds a hash, and the digits are in [`Tokens::digits`].
const HASHED: Token = 1 << 30;
const VALUE: Token = (1 << 30) - 1;
/// Flag of a word: it is a name after `@`, or a link.
const REFERENCE: Token = 1 << 29;
/// Flag of a word: it is a code of letters and digits.
const CODE: Token = 1 << 28;
/// Mask of a word: the hash of its spelling.
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

/// Whether the token is a number of four digits or more that is no year, or a number with a point, a sign, a percent sign or a
/// leading zero.
pub(crate) fn is_large(token: Token) -> bool {
    let value = token & VALUE;
    is_number(token) && (token & HASHED != 0 || value >= 1000 && !(1900..=2100).contains(&value))
}

/// Returns the token of a small number.
pub(crate) fn number(value: u32) -> Token {
    NUMBER | value & VALUE
}

/// Returns the value of a whole number up to 1 073 741 823 without a leading zero.
pub(crate) fn small(token: Token) -> Option<u32> {
    (is_number(token) && token & HASHED == 0).then_some(token & VALUE)
}

/// Returns the token of a word with this hash.
#[cfg(test)]
pub(crate) fn word(hash: u32) -> Token {
    WORD | hash & VALUE
}

/// Returns the character that the token is, or `None` for a number or word.
pub(crate) fn character(token: Token) -> Option<char> {
    if token & (NUMBER | WORD) == 0 { char::from_u32(token) } else { None }
}

/// Whether the token is one of these characters.
#[inline]
pub(crate) fn is_one_of(token: Token, characters: &str) -> bool {
    character(token).is_some_and(|c| characters.chars().any(|other| other == c))
}

/// Whether there are only characters: no numbers, and no words of letters.
pub(crate) fn are_characters(list: &[Token]) -> bool {
    list.iter().all(|token| character(*token).is_some())
}

/// Joins the characters among the tokens. Numbers, words of letters and codes are left out.
pub(crate) fn spelled(list: &[Token]) -> String {
    list.iter().filter_map(|token| character(*token)).collect()
}

/// Counts the tokens that two stretches have in common at their beginnings.
#[inline]
pub(crate) fn common_head(x: &[Token], y: &[Token]) -> usize {
    x.iter().zip(y).take_while(|(x, y)| x == y).count()
}

/// Counts the tokens that two stretches have in common at their ends.
#[inline]
pub(crate) fn common_tail(x: &[Token], y: &[Token]) -> usize {
    x.iter().rev().zip(y.iter().rev()).take_while(|(x, y)| x == y).count()
}

/// Counts the tokens that two stretches have in common at their beginnings, and then at their ends within the rest.
pub(crate) fn common_ends(x: &[Token], y: &[Token]) -> (usize, usize) {
    let head = common_head(x, y);
    (head, common_tail(&x[head..], &y[head..]))
}

/// Returns the first place of a stretch in the list. An empty stretch has none.
#[inline]
pub(crate) fn find(list: &[Token], stretch: &[Token]) -> Option<usize> {
    let first = stretch.first()?;
    list.windows(stretch.len()).position(|tokens| tokens[0] == *first && tokens == stretch)
}

/// Whether two stretches have the same tokens, in any order.
pub(crate) fn are_permuted(x: &[Token], y: &[Token]) -> bool {
    let sorted = |list: &[Token]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    x.len() == y.len() && sorted(x) == sorted(y)
}

/// The digits of numbers whose tokens hold only a hash: fractions, shares, numbers with a sign or a leading zero, and those above 1
/// 073 741 823.
pub(crate) type Digits = [(Token, Box<str>)];

/// The words of a body: their tokens, and 32 further bits of the hashes of their spellings, in rising order.
pub(crate) type Spellings = [(Token, u32)];

/// The tokens of a body.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// In the order of the text. A run of equal tokens is cut to two (哈哈哈哈 is 哈哈), except numbers.
    pub list: Vec<Token>,
    /// The digits of the numbers of which `list` holds only hashes.
    pub(crate) digits: Vec<(Token, Box<str>)>,
    /// See [`Spellings`].
    pub(crate) spellings: Vec<(Token, u32)>,
}

/// Borrowed tokens, wherever they are stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    /// See [`Tokens::list`].
    pub(crate) list: &'a [Token],
    /// See [`Tokens::digits`].
    pub(crate) digits: &'a Digits,
    /// See [`Tokens::spellings`].
    pub(crate) spellings: &'a Spellings,
}

impl View<'_> {
    /// Appends the digits of a number to `out`; for any other token, nothing.
    pub(crate) fn digits_into(self, token: Token, out: &mut String) {
        if !is_number(token) {
        } else if token & HASHED == 0 {
            out.push_str(&(token & VALUE).to_string());
        } else if let Some((_, digits)) = self.digits.iter().find(|(known, _)| *known == token) {
            out.push_str(digits);
        }
    }

    /// Returns a token that both bodies have, but of another word or number in each. Tokens are too short to tell all words apart: of
    /// 200 000 codes of letters, some 80 have the token of another one.
    pub(crate) fn ambiguous(self, other: View<'_>) -> Option<Token> {
        let words = || unequal(self.spellings, other.spellings).or_else(|| unequal(other.spellings, self.spellings));
        let numbers = || unequal(self.digits, other.digits).or_else(|| unequal(other.digits, self.digits));
        words().or_else(numbers)
    }
}

/// Returns a token of `some` that `others` have, too, but not with this spelling. Both are in rising order.
fn unequal<T: Ord>(some: &[(Token, T)], others: &[(Token, T)]) -> Option<Token> {
    let is_other = |one: &&(Token, T)| {
        let at = others.partition_point(|(token, _)| *token < one.0);
        others.get(at).is_some_and(|(token, _)| *token == one.0) && others.binary_search(one).is_err()
    };
    some.iter().find(is_other).map(|(token, _)| *token)
}

impl Tokens {
    /// Reads the tokens of `body` into this, replacing its contents. Characters other than letters, digits and ideographs are
    /// dropped.
    ///
    /// Words are hashed to 28 bits and long numbers to 30. `View::ambiguous` tells apart those that have the same token.
    pub fn read(&mut self, body: &str) {
        self.read_with(body, |_| {});
    }

    /// Does the same as [`read`](Self::read), and calls `each` with the byte range of every token in `body`.
    pub fn read_with(&mut self, body: &str, each: impl FnMut(Range<usize>)) {
        self.read_by(Some(wordings()), body, each);
    }

    /// Does the same as [`read`](Self::read), but reads every word as it is spelled.
    fn read_plain(&mut self, body: &str) {
        self.read_by(None, body, |_| {});
    }

    /// Adds a token, unless it is the third of its kind in a row. Returns whether it was added.
    #[inline]
    fn push(&mut self, token: Token) -> bool {
        let is_third = matches!(self.list[..], [.., last, second] if last == token && second == token);
        if !is_third {
            self.list.push(token);
        }
        !is_third
    }

    /// Returns the token of a word with these flags, and stores more of its hash.
    fn spelling(&mut self, word: &str, flags: Token) -> Token {
        let hash = XxHash3_64::oneshot(word.as_bytes());
        let token = flags | hash as Token & SPELLED;
        self.spellings.push((token, (hash >> 32) as u32));
        token
    }

    /// Returns the token of a number, and stores its digits if the token hides them.
    fn number(&mut self, digits: String) -> Token {
        let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.contains('.');
        if let Some(value) = digits.parse().ok().filter(|value: &Token| *value <= VALUE && !is_code) {
            return NUMBER | value;
        }
        let token = NUMBER | HASHED | hash(&digits);
        self.digits.push((token, digits.into()));
        token
    }

    /// Returns a borrowed view of these tokens.
    pub(crate) fn view(&self) -> View<'_> {
        View { list: &self.list, digits: &self.digits, spellings: &self.spellings }
    }
}

/// Most letters of a grade: BBB-.
const LONGEST_GRADE: usize = 3;

/// Whether the letters, and the minus that follows them, are a grade or a rating: A-, but not a-b.
pub(crate) fn is_grade(letters: &str, rest: &str) -> bool {
    let Some(after) = rest.strip_prefix('-') else { return false };
    let first = letters.bytes().next().filter(|first| (b'a'..=b'f').contains(first));
    letters.len() <= LONGEST_GRADE
        && first.is_some_and(|first| letters.bytes().all(|byte| byte == first))
        && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_>/=)".contains(c))
}

fn hash(text: &str) -> Token {
    XxHash3_64::oneshot(text.as_bytes()) as Token & VALUE
}

/// Whether a character is a letter of a script that separates words. Kana and Hangul are read like ideographs here.
fn is_letter(c: char) -> bool {
    c.is_ascii_lowercase() || (c as u32) < 0x1100 && c.is_alphabetic()
}

#[cfg(test)]
mod tests;
