//! Half of a surrogate pair in JSON, as programs leave it that cut texts between UTF-16 units.

/// Returns the escape of the first surrogate that lacks its other half, such as `\ud83d`.
pub(crate) fn half_surrogate(json: &str) -> Option<&str> {
    let mut at = 0;
    loop {
        at += json.get(at..)?.find('\\')?;
        at += match unit(json, at) {
            // The backslash and the character that it escapes.
            None => 2,
            Some(0xD800..0xDC00) if matches!(unit(json, at + 6), Some(0xDC00..0xE000)) => 12,
            Some(0xD800..0xE000) => return json.get(at..at + 6),
            Some(_) => 6,
        };
    }
}

/// The UTF-16 unit of an escape like `\u4e00` at this offset.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..)?.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_found_and_pairs_are_none() {
        for (json, half) in [
            (r#""\ud83d""#, Some(r"\ud83d")),
            (r#""好\ud83d\ude00\ude00""#, Some(r"\ude00")),
            (r#""\ud83d\ud83d\ude00""#, Some(r"\ud83d")),
            (r#""\ud83d\ude00\\ud83d\n\u4e00""#, None),
            (r#""\u"#, None),
            ("", None),
        ] {
            assert_eq!(half_surrogate(json), half, "{json}");
        }
    }
}
