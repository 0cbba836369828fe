//! Reads the time of a message as milliseconds since 1970.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;

use super::input::Format;
use crate::config::Span;
use crate::error::{Error, Result};
use crate::locale::tr;

/// Numbers from here on are milliseconds, smaller ones seconds. In seconds this number is a time in the year 5138, in milliseconds
/// one in 1973.
const LEAST_MILLISECONDS: f64 = 1e11;

/// Numbers from here on are microseconds. In milliseconds this number is a time in the year 5138, in microseconds one in 1973.
const LEAST_MICROSECONDS: f64 = 1e14;

/// Numbers from here on are no times: in microseconds they are after the year 5138.
const TOO_LATE: f64 = 1e17;

/// No message is older than this (1980), in milliseconds since 1970. A number below it is most likely no time: 43850, 2020, 1.19.
pub(crate) const EARLIEST_PLAUSIBLE: i64 = 315_532_800_000;

/// Reads RFC 2822. A wrong day of the week is ignored.
const RFC_2822: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);

/// Reads the JSON text of a time, which is one of these:
///
/// - seconds, milliseconds or microseconds since 1970, as a number or a string;
/// - RFC 3339, such as `2018-10-31T12:00:00+08:00`; without an offset it is taken as UTC, and `T` may be a space; also as Git and Ruby
///   write it, `2018-10-31 12:00:00 +0800`;
/// - RFC 2822, such as `Wed, 31 Oct 2018 04:00:00 GMT`, as RSS and mail have it;
/// - as spreadsheets and forms write it, in UTC: `2018/10/31 9:05`, `2018.10.31 9:05`, `2018年10月31日 9:05:30`, `2018-10-31`,
///   `20181031`, `20181031090530`;
/// - the format of Weibo, such as `Wed Oct 31 12:00:00 +0800 2018`.
///
/// `None` for anything else, and for times before 1970.
///
/// ```
/// use quchong::formats::time::milliseconds;
///
/// let noon = milliseconds("\"2018-10-31T12:00:00+08:00\"");
/// assert_eq!(noon, Some(1_540_958_400_000));
/// assert_eq!(milliseconds("1540958400"), noon);
/// assert_eq!(milliseconds("\"soon\""), None);
/// ```
pub fn milliseconds(json: &str) -> Option<i64> {
    let text = serde_json::from_str::<String>(json);
    let text = text.as_ref().map_or(json, |text| text.trim());
    let time = match (form_of_digits(text), text.parse::<f64>()) {
        (Some(form), _) => civil(text, form)?.as_millisecond(),
        (None, Ok(number)) => {
            let milliseconds = match number {
                ..LEAST_MILLISECONDS => number * 1000.0,
                LEAST_MILLISECONDS..LEAST_MICROSECONDS => number,
                LEAST_MICROSECONDS..TOO_LATE => number / 1000.0,
                _ => return None,
            };
            // A double is exact to the millisecond for dates in this range.
            milliseconds.floor() as i64
        }
        (None, Err(_)) => timestamp(text)?.as_millisecond(),
    };
    (time >= 0).then_some(time)
}

/// Writes a time in RFC 3339, in UTC. `time` counts units since 1970, of which `per_second` (1 to 10^9) make a second. `None` after
/// the year 9999.
#[cfg(any(feature = "cli", feature = "parquet"))]
pub(crate) fn rfc3339(time: i64, per_second: i64) -> Option<String> {
    let nanoseconds = i128::from(time) * i128::from(1_000_000_000 / per_second);
    Timestamp::from_nanosecond(nanoseconds).ok().map(|time| time.to_string())
}

/// Refuses a time window over plain lines: they have no times, so nothing would ever be forgotten.
///
/// # Errors
/// [`Error::Config`].
pub(crate) fn check_times(format: Format, window: Option<Span>) -> Result<()> {
    match (format, window) {
        (Format::Lines, Some(Span::Time { .. })) => Err(Error::config(
            "--window",
            tr!(
                "plain lines have no times; give a number of messages (--window 1e6), or JSONL that has them (--time-field; --format jsonl if its first line is broken)"
            ),
        )),
        _ => Ok(()),
    }
}

fn timestamp(text: &str) -> Option<Timestamp> {
    let weibo = || strtime::parse("%a %b %d %H:%M:%S %z %Y", text).ok()?.to_timestamp().ok();
    let utc = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    // `2018-10-31 12:00:00 +0800`: without the second blank it is ISO 8601.
    let spaced = || {
        let (time, offset) = text.rsplit_once(' ')?;
        let offset = if offset == "UTC" { "Z" } else { offset };
        (offset == "Z" || offset.starts_with(['+', '-']))
            .then(|| format!("{}{offset}", time.trim_end()).parse().ok())?
    };
    // Of names of zones only GMT means the same everywhere: CST is in China and in America.
    let has_offset = || text.ends_with("GMT") || text.ends_with("UT") || text.ends_with(|c: char| c.is_ascii_digit());
    let rfc_2822 = || RFC_2822.parse_timestamp(text).ok().filter(|_| has_offset());
    text.parse().ok().or_else(weibo).or_else(utc).or_else(spaced).or_else(rfc_2822).or_else(|| written(text))
}

/// The form of a date, and maybe a time, of digits alone: 20181031, 201810310905, 20181031090530. As seconds or milliseconds these numbers
/// would be in August 1970, in 1976 and after 2600, so 20181131 is no time.
fn form_of_digits(text: &str) -> Option<&'static str> {
    let form = match text.len() {
        8 => "%Y%m%d",
        12 => "%Y%m%d%H%M",
        14 => "%Y%m%d%H%M%S",
        _ => return None,
    };
    let is_date = text.bytes().all(|byte| byte.is_ascii_digit()) && ("1970".."2100").contains(&&text[..4]);
    is_date.then_some(form)
}

/// Reads a date, and maybe a time, as spreadsheets and forms write them.
fn written(text: &str) -> Option<Timestamp> {
    let text = text.replace(['/', '.', '年', '月'], "-").replace('日', " ");
    let forms = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"];
    forms.iter().find_map(|form| civil(text.trim_end(), form))
}

/// Reads a date, and maybe a time, of this form in UTC.
fn civil(text: &str, form: &str) -> Option<Timestamp> {
    let parts = strtime::parse(form, text).ok()?;
    let time = parts.to_time().unwrap_or_default();
    let zoned = parts.to_date().ok()?.to_datetime(time).to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_feeds_write_them() {
        let noon = Some(1_540_958_400_000);
        for json in [
            "1540958400",
            "1540958400.0",
            "1540958400000",
            "\"1540958400\"",
            "\"Wed Oct 31 12:00:00 +0800 2018\"",
            "\"2018-10-31T12:00:00+08:00\"",
            "\"2018-10-31T04:00:00Z\"",
            "\"2018-10-31 04:00:00Z\"",
            "\"2018-10-31T04:00:00\"",
            "\" 2018-10-31 04:00:00 \"",
            "\"2018/10/31 4:00\"",
            "\"2018/10/31 04:00:00\"",
            "\"2018-10-31 4:00\"",
            "\"2018年10月31日 4:00\"",
            "\"2018年10月31日4:00:00\"",
            "\"2018.10.31 04:00\"",
            "\"2018.10.31 4:00:00\"",
            "\"2018-10-31 12:00:00 +0800\"",
            "\"2018-10-31 12:00:00 +08:00\"",
            "\"2018-10-30 23:00:00 -0500\"",
            "\"2018-10-31 04:00:00 UTC\"",
            "\"Wed, 31 Oct 2018 04:00:00 GMT\"",
            "\"Wed, 31 Oct 2018 12:00:00 +0800\"",
            "\"31 Oct 2018 12:00 +0800\"",
            "\"Mon, 31 Oct 2018 04:00:00 GMT\"",
            "1540958400000000",
            "\"1540958400000000\"",
            "\"20181031040000\"",
            "20181031040000",
            "201810310400",
        ] {
            assert_eq!(milliseconds(json), noon, "{json}");
        }
        assert_eq!(milliseconds("\"2018-10-31T12:00:00.250+08:00\""), noon.map(|noon| noon + 250));
        assert_eq!(milliseconds("1540958400.25"), noon.map(|noon| noon + 250));
        assert_eq!(milliseconds("1540958400250999"), noon.map(|noon| noon + 250));
        assert_eq!(milliseconds("\"2018-10-31 12:00:00.25 +0800\""), noon.map(|noon| noon + 250));
        assert_eq!(milliseconds("0"), Some(0));
        // As nginx writes seconds: fourteen characters that are no date.
        assert_eq!(milliseconds("1540958400.250"), noon.map(|noon| noon + 250));
        for json in ["20181031", "\"2018-10-31\"", "\"2018.10.31\"", "\"2018/10/31\"", "\"2018年10月31日\""] {
            assert_eq!(milliseconds(json), noon.map(|noon| noon - 4 * 3_600_000), "{json}");
        }
        assert_eq!(milliseconds("\"2018/1/5 8:00\""), milliseconds("\"2018-01-05T08:00:00Z\""));
        for json in [
            "-1",
            "\"\"",
            "\"yesterday\"",
            "\"2018/13/31 4:00\"",
            "20189931",
            "20181131040000",
            "\"201813310400\"",
            "\"Wed, 31 Oct 2018 04:00:00 CST\"",
            "\"2018/10/31 24:61\"",
            "null",
            "true",
            "[1]",
            "1e400",
            "NaN",
            "\"NaN\"",
            "1e17",
            "\"2018-10-31 12:00:00 Paris\"",
            "\"31 Oct 2018\"",
            "\"-1\"",
        ] {
            assert_eq!(milliseconds(json), None, "{json}");
        }
        assert_eq!(milliseconds("\"1969-12-31T23:59:59Z\""), None);
    }
}
