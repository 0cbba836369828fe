//! The values of Chinese numerals.

use crate::text::common_chars::CharSet;

/// Most characters of a Chinese numeral: a longer run is no count.
pub(super) const MOST_DIGITS: usize = 20;
/// From this many digits on, a leading zero counts: 0123 is another code than 123, but 08 and 8 are the same month.
pub(super) const CODE: usize = 4;

/// Returns the value of a Chinese digit and 0, or for 十 百 千 万 亿 0 and the power of ten.
fn numeral(c: char) -> Option<(u128, u32)> {
    Some(match c {
        '〇' | '○' | '零' => (0, 0),
        '一' => (1, 0),
        '二' | '两' => (2, 0),
        '三' => (3, 0),
        '四' => (4, 0),
        '五' => (5, 0),
        '六' => (6, 0),
        '七' => (7, 0),
        '八' => (8, 0),
        '九' => (9, 0),
        '十' => (0, 1),
        '百' => (0, 2),
        '千' => (0, 3),
        '万' => (0, 4),
        '亿' => (0, 8),
        _ => return None,
    })
}

/// Returns the value of a single Chinese numeral up to ten.
pub(crate) fn digit(c: char) -> Option<u32> {
    if c == '十' { Some(10) } else { numeral(c).filter(|(_, scale)| *scale == 0).map(|(value, _)| value as u32) }
}

/// Whether `c` is a Chinese numeral.
#[inline(always)]
pub(crate) fn is_numeral(c: char) -> bool {
    is_numeral_code(c.into())
}

/// The characters that [`numeral`] gives a value.
pub(crate) static NUMERALS: CharSet = CharSet::of("〇○零一二两三四五六七八九十百千万亿");

/// Whether the character of this code is a Chinese numeral.
#[inline(always)]
pub(crate) fn is_numeral_code(code: u32) -> bool {
    NUMERALS.has(code)
}

/// Whether `c` is a digit, Arabic or Chinese.
pub(crate) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || is_numeral(c)
}

/// Returns `whole`.`fraction` times 10^`scale`, without leading zeros.
pub(super) fn multiplied(whole: &str, fraction: &str, scale: usize) -> String {
    let (moved, left) = fraction.split_at(fraction.len().min(scale));
    let mut digits = String::with_capacity(whole.len() + fraction.len() + scale + 2);
    for digit in whole.chars().chain(moved.chars()).chain(std::iter::repeat_n('0', scale - moved.len())) {
        if digit != '0' || !digits.is_empty() {
            digits.push(digit);
        }
    }
    if digits.is_empty() {
        digits.push('0');
    }
    if !left.is_empty() {
        digits.push('.');
        digits.push_str(left);
    }
    digits
}

/// Returns the value of a run of Chinese numerals: 三百二十 is 320, 二〇二〇 is 2020, 二十一 is 21. A run of two numbers has both: 二十一二 is 21/22,
/// and 十四五, the name of a five-year plan, is 14/15. 百 or 千万 alone are no numbers.
pub(crate) fn value(run: &str) -> Option<String> {
    let numerals: Vec<(u128, u32)> = run.chars().filter_map(numeral).collect();
    if numerals.len() > MOST_DIGITS {
        return None;
    }
    if numerals.iter().all(|(_, scale)| *scale == 0) {
        let digits: String = numerals.iter().map(|(value, _)| value.to_string()).collect();
        // A code keeps its leading zero: 零三一二.
        if digits.len() >= CODE && digits.starts_with('0') {
            return Some(digits);
        }
        return Some(multiplied(&digits, "", 0));
    }
    let are_digits = |two: &[(u128, u32)]| two.iter().all(|(value, scale)| *scale == 0 && *value > 0);
    let Some(at) = numerals.windows(2).position(are_digits) else { return one_value(&numerals) };
    let without = |left_out: usize| {
        let mut one = numerals.clone();
        one.remove(left_out);
        one_value(&one).filter(|_| !one.windows(2).any(are_digits))
    };
    Some(format!("{}/{}", without(at + 1)?, without(at)?))
}

/// Returns the value of numerals without two digits in a row, of which one multiplies.
fn one_value(numerals: &[(u128, u32)]) -> Option<String> {
    if numerals.first()?.1 > 1 {
        return None;
    }
    // 五千五 is 5500: the last digit counts in the place below the place before it.
    let colloquial = match *numerals {
        [.., (_, scale), (value, 0)] if scale >= 2 && value > 0 => value * 10_u128.pow(scale - 1) - value,
        _ => 0,
    };
    // 亿 multiplies all numerals before it, 万 those between it and the last 亿, and 十 百 千 one digit.
    let (mut most, mut middle, mut section, mut digit) = (0_u128, 0_u128, 0_u128, None);
    for &(value, scale) in numerals {
        match scale {
            0 => digit = Some(value),
            1..=3 => section += digit.take().unwrap_or(1) * 10_u128.pow(scale),
            4 => middle += (std::mem::take(&mut section) + digit.take().unwrap_or(0)) * 10_000,
            _ => {
                let before = std::mem::take(&mut middle) + std::mem::take(&mut section) + digit.take().unwrap_or(0);
                // A number that overflows 128 bits is larger than any count, so it is no number.
                most = (most + before).checked_mul(100_000_000)?;
            }
        }
    }
    Some((most + middle + section + digit.unwrap_or(0) + colloquial).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_are_those_with_a_value() {
        assert!(('\0'..=char::MAX).all(|c| is_numeral(c) == numeral(c).is_some()));
    }
}
