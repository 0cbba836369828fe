//! Decides where numbers begin.

use crate::text::numerals::{self, Numeral};

/// Whether a number may begin with the digit or plain Chinese numeral `c`.
pub(super) fn numeral(c: char) -> bool {
    c.is_ascii_digit() || numerals::is_numeral(c)
}

/// Returns the number that `rest` begins with, in numerals of any kind. `c` is its first character.
pub(super) fn numeral_at(rest: &str, c: char, before: &str) -> Option<Numeral> {
    match c {
        '零' if rest.starts_with("零下") => {
            let after = &rest["零下".len()..];
            let number = numerals::arabic(after).or_else(|| numerals::chinese(after, ""));
            number
                .map(|number| Numeral { digits: format!("-{}", number.digits), length: "零下".len() + number.length })
        }
        '百' if rest.starts_with("百分之") => {
            let after = &rest["百分之".len()..];
            let number = numerals::arabic(after).or_else(|| numerals::chinese(after, "百分之"));
            number.map(|number| Numeral {
                digits: number.digits.trim_end_matches('%').to_owned() + "%",
                length: "百分之".len() + number.length,
            })
        }
        '负' => {
            let after = &rest['负'.len_utf8()..];
            let number = numerals::arabic(after).or_else(|| numerals::chinese(after, ""))?;
            // In 一胜负2球 the 负 is no minus.
            let is_one = number.digits.ends_with('%')
                || ["度", " c", "摄氏度", "层", "楼"].iter().any(|unit| after[number.length..].starts_with(unit));
            is_one.then(|| Numeral { digits: format!("-{}", number.digits), length: '负'.len_utf8() + number.length })
        }
        '0'..='9' => numerals::arabic(rest),
        _ if numerals::is_numeral(c) || c == '日' => numerals::chinese(rest, before),
        '廿' => twenties(rest),
        _ if numerals::may_begin(c.into()) => numerals::amount(rest),
        _ => None,
    }
}

/// Reads 廿六 before 日 or 号 as 26. Without these it is a day of the lunar month.
fn twenties(rest: &str) -> Option<Numeral> {
    let ones = rest.strip_prefix('廿')?.chars().next()?;
    let length = '廿'.len_utf8() + ones.len_utf8();
    let value = numerals::digit(ones).filter(|value| (1..10).contains(value))?;
    let is_day = rest[length..].starts_with(['日', '号']);
    is_day.then(|| Numeral { digits: (20 + value).to_string(), length })
}
