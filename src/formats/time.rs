//! When a message was said: the value of its time field as milliseconds since 1970.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::input::Format;
use crate::config::Span;
use crate::error::{Error, Result};
use crate::locale::tr;

/// Numbers from here on are milliseconds, smaller ones seconds: as seconds it is in the year 5138, as milliseconds in 1973.
const LEAST_MILLISECONDS: f64 = 1e11;

/// Reads the JSON text of a time: a number of seconds or milliseconds since 1970, as a number or a string; RFC 3339
/// (`2018-10-31T12:00:00+08:00`; without an offset it counts as UTC, `T` may be a blank); or as Weibo writes it
/// (`Wed Oct 31 12:00:00 +0800 2018`). `None` for anything else and for what is before 1970.
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
    let time = match text.parse::<f64>() {
        Ok(number) => {
            let milliseconds = if number < LEAST_MILLISECONDS { number * 1000.0 } else { number };
            // Of a date in this era a double holds every millisecond.
            (milliseconds < 1e15).then_some(milliseconds.floor() as i64)?
        }
        Err(_) => timestamp(text)?.as_millisecond(),
    };
    (time >= 0).then_some(time)
}

/// A time since 1970, in units of which so many make a second (1 to 10^9), in words of RFC 3339, in UTC; none beyond the year 9999.
#[cfg(any(feature = "cli", feature = "parquet"))]
pub(crate) fn rfc3339(time: i64, per_second: i64) -> Option<String> {
    let nanoseconds = i128::from(time) * i128::from(1_000_000_000 / per_second);
    Timestamp::from_nanosecond(nanoseconds).ok().map(|time| time.to_string())
}

/// Refuses a window of time over plain lines: they have none, and nothing would ever be forgotten.
///
/// # Errors
/// [`Error::Config`].
pub(crate) fn check_times(format: Format, window: Option<Span>) -> Result<()> {
    match (format, window) {
        (Format::Lines, Some(Span::Time { .. })) => Err(Error::config(
            "--window",
            tr!(
                "plain lines have no times; give a number of messages (--window 1e6), or JSONL that has them (--time-field)"
            ),
        )),
        _ => Ok(()),
    }
}

fn timestamp(text: &str) -> Option<Timestamp> {
    let weibo = || strtime::parse("%a %b %d %H:%M:%S %z %Y", text).ok()?.to_timestamp().ok();
    let utc = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse().ok().or_else(weibo).or_else(utc)
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
        ] {
            assert_eq!(milliseconds(json), noon, "{json}");
        }
        assert_eq!(milliseconds("\"2018-10-31T12:00:00.250+08:00\""), noon.map(|noon| noon + 250));
        assert_eq!(milliseconds("1540958400.25"), noon.map(|noon| noon + 250));
        assert_eq!(milliseconds("0"), Some(0));
        for json in ["-1", "\"\"", "\"yesterday\"", "null", "true", "[1]", "1e400", "NaN", "\"NaN\"", "1e16", "\"-1\""]
        {
            assert_eq!(milliseconds(json), None, "{json}");
        }
        assert_eq!(milliseconds("\"1969-12-31T23:59:59Z\""), None);
    }
}
