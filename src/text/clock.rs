//! Reads times of day as people do: 18:00, 18时, 下午6点, 晚上六点半.

use super::numerals::{is_digit, is_numeral, spoken_fraction, value};

/// A time of day at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    /// The seconds, and the bytes up to their end: 36 in 01:12:36.
    pub(crate) second: Option<(u32, usize)>,
    /// Bytes up to the end of the hour.
    pub(crate) hour_end: usize,
    /// Bytes up to the end of the mark between hour and minutes: 点, `:`.
    pub(crate) mark_end: usize,
    /// Bytes up to the end of the minutes.
    pub(crate) end: usize,
}

/// After these words an hour below 12 is after noon.
const AFTER_NOON: [&str; 6] = ["下午", "午后", "傍晚", "晚上", "晚间", "晚"];
/// After these words an hour from [`LATE_FROM`] on, below 12, is after noon.
const LATE: [&str; 3] = ["夜里", "夜间", "深夜"];
const LATE_FROM: u32 = 8;
/// After these words 12 is midnight.
const NIGHT: [&str; 7] = ["晚上", "晚间", "晚", "夜里", "深夜", "半夜", "凌晨"];
/// After 中午 an hour up to this one is after noon, too.
const NOON: u32 = 3;
/// Parts of the day that may come before a time. The converted time says as much.
pub(super) const PARTS: [&str; 16] = [
    "下午", "午后", "傍晚", "晚上", "晚间", "中午", "上午", "早上", "早晨", "早间", "清晨", "夜里", "夜间", "深夜",
    "晚", "早",
];
/// After these characters 早 or 晚 is no part of the day alone: it belongs to a comparison (最晚), or also names the day (今晚).
const NO_PART: &str = "今明昨当前后每夜最更较提及尽趁起";

/// Returns the bytes of the part of the day that `rest` begins with before a time, and of the blank after it; 0 if there is none.
/// 今晚 also tells which day it is, so its 晚 does not count.
#[inline]
pub(crate) fn part_of_day(rest: &str, before: &str) -> usize {
    match rest.chars().next() {
        Some('下' | '午' | '傍' | '晚' | '中' | '上' | '早' | '清' | '夜' | '深') => {
            known_part_of_day(rest, before)
        }
        _ => 0,
    }
}

fn known_part_of_day(rest: &str, before: &str) -> usize {
    let day = before.ends_with(|c| NO_PART.contains(c));
    let part = PARTS.iter().find(|part| rest.starts_with(**part) && !(day && part.len() == '晚'.len_utf8()));
    let Some(part) = part else { return 0 };
    let after = &rest[part.len()..];
    let time = after.strip_prefix(' ').unwrap_or(after);
    // 夜里两点 is not converted, so 夜里 must stay.
    let is_told = !LATE.contains(part) || short_number(time).is_some_and(|(hour, _)| (LATE_FROM..12).contains(&hour));
    if is_told && time.starts_with(is_digit) { rest.len() - time.len() } else { 0 }
}

/// Returns the time of day that `rest` begins with. The text `before` it tells the part of the day: 18:00, 18时, 下午6点 and 晚上6点整 are
/// the same.
pub(crate) fn clock(rest: &str, before: &str) -> Option<Clock> {
    // Most numbers are no times, as the character after the digits tells.
    let digits: usize =
        rest.chars().take(4).take_while(|c| c.is_ascii_digit() || is_numeral(*c)).map(char::len_utf8).sum();
    if !rest[digits..].starts_with([':', '点', '时']) {
        return None;
    }
    let (hour, hour_end) = short_number(rest)?;
    let after = &rest[hour_end..];
    if spoken_fraction(after, || false).is_some() {
        return None;
    }
    let mut second = None;
    let (minute, mark_end, end) = match after.strip_prefix(':') {
        Some(minutes) => {
            let (minute, mut rest) = sixtieth(minutes)?;
            let end = hour_end + 1 + minutes.len() - rest.len();
            if let Some((last, behind)) = rest.strip_prefix(':').and_then(sixtieth) {
                rest = behind;
                second = Some((last, hour_end + 1 + minutes.len() - rest.len()));
            }
            let goes_on = rest.starts_with(|c: char| matches!(c, ':' | '.') || c.is_ascii_digit());
            (!goes_on).then_some((minute, hour_end + 1, end))?
        }
        None => {
            let mark = after.chars().next().filter(|mark| matches!(mark, '点' | '时'))?;
            let mark_end = hour_end + mark.len_utf8();
            let minutes = &rest[mark_end..];
            let said = [("钟", 0), ("整", 0), ("正", 0), ("半", 30), ("一刻", 15), ("三刻", 45)];
            match said.iter().find(|(word, _)| minutes.starts_with(word)) {
                Some((word, minute)) => (*minute, mark_end, mark_end + word.len()),
                None => short_number(minutes).map_or((0, mark_end, mark_end), |(minute, length)| {
                    let unit = minutes[length..].strip_prefix('分').map_or(0, |_| '分'.len_utf8());
                    (minute, mark_end, mark_end + length + unit)
                }),
            }
        }
    };
    let before = before.trim_end_matches(' ');
    let part = start_of_span(before, hour).unwrap_or(before);
    let late = (1..12).contains(&hour) && AFTER_NOON.iter().any(|after_noon| part.ends_with(after_noon))
        || (LATE_FROM..12).contains(&hour) && LATE.iter().any(|late| part.ends_with(late))
        || (1..=NOON).contains(&hour) && part.ends_with("中午");
    let late = late || hour == 12 && NIGHT.iter().any(|night| part.ends_with(night));
    let is_time = hour <= 24 && minute < 60;
    let hour = if late { hour + 12 } else { hour };
    is_time.then_some(Clock { hour, minute, second, hour_end, mark_end, end })
}

/// Reads two digits of minutes or seconds at the beginning of the text. Returns their value and the rest of the text.
fn sixtieth(text: &str) -> Option<(u32, &str)> {
    let (value, length) = short_number(text).filter(|(value, length)| *length == 2 && *value < 60)?;
    Some((value, &text[length..]))
}

/// Returns the text before the first of two times whose second one is at `hour`: 晚上 of 晚上7点到9点, 晚上7点和9点.
fn start_of_span(before: &str, hour: u32) -> Option<&str> {
    let span = before.strip_suffix(|c| matches!(c, '到' | '至' | '-' | '~' | '和' | '、' | '及' | '与' | '或'))?;
    let is_of_time = |c: char| is_digit(c) || matches!(c, ':' | '点' | '时' | '半' | '分');
    let part = span.trim_end_matches(is_of_time);
    let (start, length) = short_number(&span[part.len()..])?;
    let is_time = span[part.len() + length..].starts_with([':', '点', '时']);
    let part = part.trim_end_matches(' ');
    let is_past_noon = || start >= 11 && hour <= NOON && part.ends_with("中午");
    (is_time && (start < hour || is_past_noon())).then_some(part)
}

/// Reads a number of one or two digits, or of up to three Chinese numerals, at the beginning of the text. Returns its value and its
/// bytes.
fn short_number(text: &str) -> Option<(u32, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return Some((text[..digits].parse().ok().filter(|_| digits < 3)?, digits));
    }
    let length: usize = text.chars().take(4).take_while(|c| is_numeral(*c)).map(char::len_utf8).sum();
    let short = (1..=9).contains(&length);
    Some((value(&text[..length]).filter(|_| short)?.parse().ok()?, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_one_however_they_are_written() {
        for (before, text, found) in [
            ("", "18:00起", Some((18, 0, "起"))),
            ("", "18时起", Some((18, 0, "起"))),
            ("下午", "6点起", Some((18, 0, "起"))),
            ("晚上", "六点半起", Some((18, 30, "起"))),
            ("晚间", "9点", Some((21, 0, ""))),
            ("中午", "1点", Some((13, 0, ""))),
            ("中午", "11点半", Some((11, 30, ""))),
            ("", "七点一刻", Some((7, 15, ""))),
            ("", "9点40分到", Some((9, 40, "到"))),
            ("", "十点二十到", Some((10, 20, "到"))),
            ("晚上7点到", "9点", Some((21, 0, ""))),
            ("下午两点半-", "四点半", Some((16, 30, ""))),
            ("下午5:30至", "7:00", Some((19, 0, ""))),
            ("晚上11点到", "1点", Some((1, 0, ""))),
            ("晚上到", "1点", Some((1, 0, ""))),
            ("每晚七点半和", "九点", Some((21, 0, ""))),
            ("中午12点到", "2点", Some((14, 0, ""))),
            ("晚上", "12点", Some((24, 0, ""))),
            ("夜里", "十一点", Some((23, 0, ""))),
            ("夜里", "两点", Some((2, 0, ""))),
            ("中午", "12点", Some((12, 0, ""))),
            ("晚上10点到", "12点", Some((24, 0, ""))),
            ("", "01:12:36被", Some((1, 12, ":36被"))),
            ("", "00:30:22", Some((0, 30, ":22"))),
            ("", "1:12:36.5", None),
            ("", "1:12:36:11", None),
            ("", "2:3", None),
            ("", "1:57.83", None),
            ("", "98:10", None),
            ("", "3小时", None),
            ("", "25点", None),
            ("", "六点四级", None),
        ] {
            let told = clock(text, before).map(|clock| (clock.hour, clock.minute, &text[clock.end..]));
            assert_eq!(told, found, "{before} {text}");
        }
    }
}
