//! Reads dates in digits: 2024.3.5, 20240305, 3.8-3.20.

use super::common_chars::CharSet;
use super::numerals::UNITS;

/// Digits of a date without marks, after one of the characters that [tell](TELLS) a date: 20240305.
const COMPACT: usize = 8;
/// Characters before a date without marks. After any other text the digits are a word of their own: 错过20200202.
const TELLS: [char; 10] = ['为', '于', '自', '从', '至', '到', '止', '期', '间', '日'];

/// Returns the three numbers of the date that `rest` begins with, and where each ends. The date may be 2024.3.5, 20240305, or the
/// body form of 2024-03-05 and 2024/3/5, which has blanks.
pub(crate) fn date(rest: &str, before: &str) -> Option<[(u32, usize); 3]> {
    let bytes = rest.as_bytes();
    let run =
        |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = |from: usize, to: usize| rest.get(from..to).and_then(|digits| digits.parse().ok());
    if run(0) == COMPACT
        && before.trim_end_matches([':', ' ']).ends_with(TELLS)
        && (rest.starts_with("20") || rest.starts_with("19"))
    {
        return is_day([(number(0, 4)?, 4), (number(4, 6)?, 6), (number(6, 8)?, 8)]);
    }
    let mark = *bytes.get(4).filter(|mark| matches!(mark, b'.' | b' '))?;
    let (month, day) = (run(5), run(5 + run(5) + 1));
    let end = 5 + month + 1 + day;
    let is_one = run(0) == 4
        && (rest.starts_with("20") || rest.starts_with("19"))
        && (1..=2).contains(&month)
        && (1..=2).contains(&day)
        && bytes.get(5 + month) == Some(&mark)
        && !bytes.get(end).is_some_and(|after| after.is_ascii_digit() || matches!(after, b'.' | b':'));
    is_day(is_one.then_some([
        (number(0, 4)?, 4),
        (number(5, 5 + month)?, 5 + month),
        (number(end - day, end)?, end),
    ])?)
}

fn is_day(date: [(u32, usize); 3]) -> Option<[(u32, usize); 3]> {
    ((1..=12).contains(&date[1].0) && (1..=31).contains(&date[2].0)).then_some(date)
}

/// The numbers of one or two days, where each ends, and its name, 月 or 日. The month is left out for a second day in the same month.
pub(crate) type Days = Vec<(u32, usize, char)>;

/// Characters before 于 if the number after it is an amount, not a date.
const AMOUNT: &str = "大小高低少多等早晚收报介超";
/// Words that a date follows.
const TIME_CUES: [&str; 10] = ["截止", "截止到", "截止至", "截至", "日期", "时间", "定在", "改到", "改至", "于"];
/// First characters of units after an amount, including [`UNITS`].
static AMOUNT_UNITS: CharSet = UNITS.with("小公厘毫微升克元块钱万亿千百成折%‰℃°美欧港平英里万倍左");

/// Returns the days that `rest` begins with. They are a rising pair as 3.8-3.20, or a single day as 3.5 that is marked as a date:
/// after a word for it (会议定于3.5), or before the day of the week.
pub(crate) fn days(rest: &str, before: &str) -> Option<Days> {
    // Most numbers have no point at that place.
    if !rest.as_bytes()[1..].iter().take(2).any(|byte| *byte == b'.') || before.ends_with(is_glued) {
        return None;
    }
    let first = day(rest)?;
    let numbered =
        |day: [(u32, usize); 2]| day.into_iter().zip(['月', '日']).map(|((value, end), name)| (value, end, name));
    let after = &rest[first[1].1..];
    if let Some(second) = after.strip_prefix(['-', ' ', '至', '到', '~']) {
        let from = rest.len() - second.len();
        if let Some(second) = day(second).map(|day| day.map(|(value, end)| (value, from + end)))
            && first.map(|part| part.0) < second.map(|part| part.0)
            && is_end(&rest[second[1].1..])
        {
            let same = usize::from(first[0].0 == second[0].0);
            return Some(numbered(first).chain(numbered(second).skip(same)).collect());
        }
    }
    let named = before.trim_end_matches([':', ' ']);
    let is_amount = |cue: &str| cue == "于" && named[..named.len() - cue.len()].ends_with(|c| AMOUNT.contains(c));
    let is_told = || TIME_CUES.iter().any(|cue| named.ends_with(cue) && !is_amount(cue));
    let is_weekday = ["周", "星期", "礼拜"].iter().any(|week| after.trim_start_matches([' ', '(']).starts_with(week));
    (is_end(after) && (is_weekday || is_told())).then(|| numbered(first).collect())
}

/// Reads the month and the day of 3.5.
fn day(text: &str) -> Option<[(u32, usize); 2]> {
    let run = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let month = run(text);
    let after = text[month..].strip_prefix('.')?;
    let day = run(after);
    let end = month + 1 + day;
    let short = (1..=2).contains(&month) && (1..=2).contains(&day);
    let number = |from: usize, to: usize| text[from..to].parse().ok();
    let found = short.then_some([(number(0, month)?, month), (number(month + 1, end)?, end)])?;
    ((1..=12).contains(&found[0].0) && (1..=31).contains(&found[1].0)).then_some(found)
}

/// Whether the character, right before or after a number, makes it part of something longer.
fn is_glued(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '$' | '¥' | '€' | '£')
}

/// Whether the text after a number begins with no unit, and with nothing that makes another number of it.
fn is_end(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !is_glued(c) && c != ':' && !AMOUNT_UNITS.has(c.into()) || c == '点')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_no_amounts() {
        for (before, text, found) in [
            ("展览时间:", "3.8-3.20", &[3, 8, 20][..]),
            ("", "10.1-10.8放假", &[10, 1, 8]),
            ("", "9.28-10.8放假", &[9, 28, 10, 8]),
            ("会议定于", "3.5在二楼", &[3, 5]),
            ("", "3.5(周三)", &[3, 5]),
            ("", "3.5-3.8%", &[]),
            ("", "3.8-3.5", &[]),
            ("", "3.5-3.8米", &[]),
            ("大于", "3.5的", &[]),
            ("时间", "3.5小时", &[]),
            ("涨了", "3.5", &[]),
            ("定于", "3.50", &[]),
            ("v", "3.5-3.8", &[]),
        ] {
            let told: Vec<u32> = days(text, before).into_iter().flatten().map(|(value, ..)| value).collect();
            assert_eq!(told, found, "{before} {text}");
        }
        assert_eq!(date("20240305起", "日期为").map(|date| date.map(|part| part.0)), Some([2024, 3, 5]));
        assert_eq!(date("20240305", "错过"), None);
        assert_eq!(date("20241305", "日期为"), None);
        assert_eq!(date("202403051", "日期为"), None);
    }
}
