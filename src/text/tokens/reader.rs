//! Reads a body, token by token, from its beginning to its end.

use std::ops::Range;

use super::alone::{HAN, is_alone};
use super::codes::code;
use super::numeral::{numeral, numeral_at};
use super::wordings::Wordings;
use super::{CODE, MARKS, REFERENCE, Token, Tokens, WORD, is_grade, is_letter};
use crate::text::clock::{clock, part_of_day};
use crate::text::common_chars::each_common;
use crate::text::dates;
use crate::text::normalise::is_list_number;
use crate::text::numerals::{self, Numeral};
use crate::text::quantities::{self, Quantity};
use crate::text::wrapping::name;

/// The state of reading a body. Places of tokens, and lengths, are in bytes from `at`.
struct Reader<'r, E> {
    tokens: &'r mut Tokens,
    /// Words that are read as other words; `None` if every word is read as it is spelled.
    wordings: Option<&'r Wordings>,
    body: &'r str,
    /// The offset that was read to, and the unread rest.
    at: usize,
    rest: &'r str,
    each: E,
}

impl Tokens {
    /// Reads a body into this, replacing its contents, and calls `each` with the place of each token.
    pub(super) fn read_by(&mut self, wordings: Option<&Wordings>, body: &str, each: impl FnMut(Range<usize>)) {
        self.list.clear();
        self.list.reserve(body.len() / HAN);
        self.digits.clear();
        self.spellings.clear();
        Reader { tokens: &mut *self, wordings, body, at: 0, rest: body, each }.read();
        self.digits.sort_unstable();
        self.digits.dedup();
        self.spellings.sort_unstable();
        self.spellings.dedup();
    }
}

impl<'r, E: FnMut(Range<usize>)> Reader<'r, E> {
    /// Reads the whole body. At each place the first reading that fits is taken.
    fn read(mut self) {
        loop {
            self.characters();
            let Some(c) = self.rest.chars().next() else { return };
            let length = self
                .code(c)
                .or_else(|| self.wording())
                .or_else(|| self.marked(c))
                .or_else(|| self.time(c))
                .or_else(|| self.date(c))
                .or_else(|| self.number(c))
                .unwrap_or_else(|| self.other(c));
            self.at += length;
        }
    }

    fn before(&self) -> &'r str {
        &self.body[..self.at]
    }

    /// Adds a token with its place.
    fn add(&mut self, token: Token, place: Range<usize>) {
        self.tokens.list.push(token);
        (self.each)(self.at + place.start..self.at + place.end);
    }

    /// Adds a token with its place, unless it is the third of its kind in a row.
    fn add_run(&mut self, token: Token, place: Range<usize>) {
        if self.tokens.push(token) {
            (self.each)(self.at + place.start..self.at + place.end);
        }
    }

    /// Adds the characters of a unit, all at the same place.
    fn add_unit(&mut self, unit: &str, place: &Range<usize>) {
        unit.chars().for_each(|c| self.add(c as Token, place.clone()));
    }

    fn token_of(&mut self, digits: String) -> Token {
        self.tokens.number(digits)
    }

    /// Reads characters that are tokens by themselves, and the blanks between them: most of a text.
    #[inline]
    fn characters(&mut self) {
        let Self { tokens, wordings, body, at, each, rest, .. } = self;
        let mut start = *at;
        *at = each_common(body, start, |code| {
            if code == u16::from(b' ') {
                start += 1;
                return true;
            }
            let is_alone = is_alone(*wordings, code, body, start);
            if is_alone {
                if tokens.push(code.into()) {
                    each(start..start + HAN);
                }
                start += HAN;
            }
            is_alone
        });
        *rest = &body[*at..];
    }

    /// Reads a code of letters and digits.
    fn code(&mut self, c: char) -> Option<usize> {
        let length = c.is_ascii_alphanumeric().then(|| code(self.rest, self.before())).flatten()?;
        let token = self.tokens.spelling(&self.rest[..length], WORD | CODE);
        self.add_run(token, 0..length);
        Some(length)
    }

    /// Reads a word that stands for another wording.
    fn wording(&mut self) -> Option<usize> {
        let (length, tokens) = self.wordings?.at(self.rest)?;
        self.tokens.digits.extend_from_slice(&tokens.digits);
        self.tokens.spellings.extend(&tokens.spellings);
        tokens.list.iter().for_each(|token| self.add_run(*token, 0..length));
        Some(length)
    }

    /// Reads a number after a sign or a currency mark, or a name after `@`. -5 differs from 5, ↓5 is -5, and +5 is 5; $5 is 5美元,
    /// and ￥5 is 5元.
    fn marked(&mut self, mark: char) -> Option<usize> {
        if !MARKS.contains(&mark) {
            return None;
        }
        let (rest, start) = (self.rest, mark.len_utf8());
        if mark == '@' {
            let length = start + name(&rest[start..])?;
            let token = self.tokens.spelling(&rest[..length], WORD | REFERENCE);
            self.add_run(token, 0..length);
            return Some(length);
        }
        let number = numerals::arabic(&rest[start..])?;
        let end = start + number.length;
        let (sign, currency) = match mark {
            '-' | '↓' => ("-", ""),
            '±' => ("±", ""),
            '$' => ("", "美元"),
            '¥' => ("", "元"),
            '€' => ("", "欧元"),
            '£' => ("", "英镑"),
            _ => ("", ""),
        };
        let mut digits = format!("{sign}{}", number.digits);
        if !currency.is_empty() && digits.contains('.') {
            digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
        }
        let token = self.token_of(digits);
        self.add(token, 0..end);
        if !rest[end..].starts_with(['元', '美', '欧', '英']) {
            self.add_unit(currency, &(end..end));
        }
        let (unit, taken) = quantities::unit(&rest[end..]).unwrap_or_default();
        self.add_unit(unit, &(end..end + taken));
        Some(end + taken)
    }

    /// Reads a time of day: the hour, 点, the minutes unless they are 0, and the seconds if there are any. 下午 adds nothing to the
    /// converted hour: 14 点.
    fn time(&mut self, c: char) -> Option<usize> {
        let rest = self.rest;
        let part = self.wordings.map_or(0, |_| part_of_day(rest, self.before()));
        let is_told = part > 0 || numeral(c);
        let clock = is_told.then(|| clock(&rest[part..], &self.body[..self.at + part])).flatten()?;
        let [hour, mark, end] = [clock.hour_end, clock.mark_end, clock.end].map(|end| part + end);
        self.add(super::number(clock.hour), 0..hour);
        if clock.minute == 0 {
            self.add('点' as Token, hour..end);
        } else {
            self.add('点' as Token, hour..mark);
            self.add(super::number(clock.minute), mark..end);
        }
        let end = match clock.second.map(|(second, length)| (second, part + length)) {
            Some((second, all)) => {
                self.add(super::number(second), end..all);
                self.add('秒' as Token, all..all);
                all
            }
            None => end,
        };
        Some(end + quantities::between(&rest[end..]))
    }

    /// Reads a date, or days of a month: each number, followed by 年, 月 or 日.
    fn date(&mut self, c: char) -> Option<usize> {
        if !c.is_ascii_digit() {
            return None;
        }
        let (before, rest) = (self.before(), self.rest);
        let is_glued = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
        match (!is_glued).then(|| dates::date(rest, before)).flatten() {
            Some(date) => {
                let named = date.into_iter().zip(['年', '月', '日']);
                Some(self.parts_of_date(named.map(|((value, end), name)| (value, end, name))))
            }
            None => dates::days(rest, before).map(|days| self.parts_of_date(days)),
        }
    }

    /// Adds the numbers of a date. Each part has a number, the offset of its end, and 年, 月 or 日.
    fn parts_of_date(&mut self, parts: impl IntoIterator<Item = (u32, usize, char)>) -> usize {
        let mut start = 0;
        for (value, end, name) in parts {
            self.add(super::number(value), start..end);
            self.add(name as Token, end..end);
            start = end;
        }
        start
    }

    /// Reads a number and what belongs to it: a fraction, a half, or a unit, which gets its usual name. If the number is glued to a
    /// letter before it, letters after it are no unit (c37s6g).
    fn number(&mut self, c: char) -> Option<usize> {
        let (before, rest) = (self.before(), self.rest);
        let Numeral { digits, length } = numeral_at(rest, c, before)?;
        let after = &rest[length..];
        if let Some((parts, taken)) = quantities::parts(after) {
            let whole = self.token_of(digits);
            self.add(super::number(parts), 0..length + taken);
            self.add(whole, 0..length + taken);
            return Some(length + taken);
        }
        let quantity = quantities::coins(&digits, after).or_else(|| quantities::and_more(&digits, after));
        let Quantity { digits, unit, unit_at, length: taken } = if let Some(quantity) = quantity {
            quantity
        } else if let Some((share, taken)) = numerals::tenths(&digits, after) {
            Quantity { digits: share, unit: "", unit_at: taken, length: taken }
        } else {
            let is_glued = before.ends_with(|c: char| c.is_ascii_alphabetic());
            let is_unit = |(unit, _): &(&str, usize)| !is_glued || after.starts_with(*unit);
            let (unit, taken) = quantities::unit(after).filter(is_unit).unwrap_or_default();
            // 08年 is 2008年.
            let is_year = length == 2 && rest.starts_with('0') && after.starts_with('年');
            let unit = if unit.is_empty() && quantities::is_height(&digits, before) { "厘米" } else { unit };
            let digits = if is_year { format!("200{digits}") } else { digits };
            Quantity { digits, unit, unit_at: 0, length: taken }
        };
        let (digits, unit) = quantities::to_usual_unit(digits, unit);
        let (unit_at, all) = (length + unit_at, length + taken);
        // 2比1 is 2:1, and 7到8 is 7-8.
        let all = all + if unit.is_empty() { quantities::between(&rest[all..]) } else { 0 };
        let token = self.token_of(digits);
        self.add(token, 0..unit_at);
        self.add_unit(unit, &(unit_at..all));
        Some(all)
    }

    /// Reads a character, a sign on its own, or a word in letters. Anything else is no token.
    fn other(&mut self, c: char) -> usize {
        let rest = self.rest;
        let is_set_off =
            || rest[1..].chars().next().is_none_or(|c| c == ' ') && (self.at == 0 || self.before().ends_with(' '));
        let (token, length) = match c {
            '\u{4e00}'..='\u{9fff}' => (Some(c as Token), c.len_utf8()),
            // The + of (+).
            '+' | '-' if is_set_off() => (Some(c as Token), 1),
            _ if is_letter(c) => self.word(),
            _ => ((c.is_alphanumeric() || is_list_number(c)).then_some(c as Token), c.len_utf8()),
        };
        if let Some(token) = token {
            self.add_run(token, 0..length);
        }
        length
    }

    /// Returns the token and the length of a word in letters, with the signs after it that are part of it (C++, C#, A+, A-).
    fn word(&mut self) -> (Option<Token>, usize) {
        let rest = self.rest;
        let letters: usize = rest.chars().take_while(|c| is_letter(*c)).map(char::len_utf8).sum();
        let marks = rest[letters..].bytes().take_while(|byte| matches!(byte, b'+' | b'#')).count();
        let marks = if marks == 0 && is_grade(&rest[..letters], &rest[letters..]) { 1 } else { marks };
        let length = letters + marks;
        let roman = quantities::roman(&rest[..length], &rest[length..]);
        (Some(roman.map_or_else(|| self.tokens.spelling(&rest[..length], WORD), super::number)), length)
    }
}
