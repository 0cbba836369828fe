//! Decides which punctuation carries meaning and stays in the body: -5度, C++, 9%.

use super::Scanner;
use crate::text::common_chars::CharSet;
use crate::text::normalise::is_list_number;
use crate::text::numerals;
use crate::text::tokens::{is_grade, is_inside_word};

/// After these words a `-` is a minus sign.
const FALLS: [&str; 5] = ["降到", "降至", "跌到", "跌至", "温度"];
/// After these characters a hyphen joins the two ends of a range.
const RANGES: &str = "年月日号点时分秒周期楼层章节集名第一二三四五六七八九十度%岁元万亿个至到";

impl Scanner<'_> {
    /// Whether punctuation carries meaning: a sign or a currency mark beside a number, `+` after a Latin word, a zero among Chinese
    /// numerals, or the only circled number of the text.
    pub(super) fn is_said(&mut self, at: usize, c: char) -> bool {
        if is_list_number(c) {
            let is_list = || self.text.chars().filter(|c| is_list_number(*c)).nth(1).is_some();
            return !*self.numbered.get_or_insert_with(is_list);
        }
        static SIGNS: CharSet = CharSet::of("$¥€£±↑↓+-○");
        if !SIGNS.has(c.into()) {
            return false;
        }
        let after = self.text[at + c.len_utf8()..].chars().next();
        let number = after.is_some_and(|c| c.is_ascii_digit());
        let before = self.before(at);
        match c {
            '$' | '¥' | '€' | '£' => number || before.is_some_and(|c| c.is_ascii_digit()),
            '±' | '↑' | '↓' => number,
            '-' if before.is_some_and(|c| matches!(c, 'a'..='f')) && self.ends_with_mark(at) => true,
            '+' if before.is_some_and(|c| c.is_ascii_lowercase() || c == '+') => {
                !after.is_some_and(|c| c.is_ascii_alphanumeric())
            }
            '+' | '-' if before == Some('(') => after == Some(')') || number,
            // In a range, a date or a name there is no sign: 1月-3月, 3-5, covid-19. But in 降到-5度 there is one.
            '+' | '-' => {
                number
                    && (before
                        .is_none_or(|c| !c.is_ascii_alphanumeric() && !RANGES.contains(c) && c != '-' && c != ')')
                        || FALLS.iter().any(|fall| self.text[..at].ends_with(fall)))
            }
            // The zero of 二○二○年.
            '○' => [before, after].iter().flatten().any(|c| numerals::is_numeral(*c)),
            _ => false,
        }
    }

    /// Whether the minus at `at` and the letters before it are a grade: A-.
    fn ends_with_mark(&self, at: usize) -> bool {
        let letters = self.text[..at].bytes().rev().take_while(|byte| byte.is_ascii_lowercase()).take(4).count();
        let (before, letters) = self.text[..at].split_at(at - letters);
        !before.ends_with(|c: char| c.is_ascii_alphanumeric() || "-_./".contains(c))
            && is_grade(letters, &self.text[at..])
    }

    /// Whether the punctuation belongs to a number: `6.3`, `1,234`, `20:30`, `9%`.
    pub(super) fn is_in_number(&self, at: usize, c: char) -> bool {
        let bytes = self.text.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let after = match c {
            '.' | ':' => digit(at + 1),
            ',' => digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4),
            '%' | '‰' => true,
            _ => false,
        };
        after && at > 0 && digit(at - 1) && !is_inside_word(self.text, at, c)
    }
}
