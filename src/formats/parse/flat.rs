//! The quick way through a JSON object as most records are: its values are strings without escapes, whole numbers, `true`, `false` and
//! `null`. Any other text is left to [`PathFinder`](super::path_finder::PathFinder), which says the same of these.

use super::path_finder::{Found, Paths};

/// Longer numbers may be none that a reader can hold.
const MOST_DIGITS: usize = 18;

/// The values at these paths, as JSON text, if the line is such an object.
pub(super) fn find<'l, const N: usize>(line: &'l str, paths: &Paths<'_, N>) -> Option<Found<'l, N>> {
    let bytes = line.as_bytes();
    let (mut found, mut at) = ([None; N], expect(bytes, blanks(bytes, 0), b'{')?);
    loop {
        let start = blanks(bytes, at);
        let end = start + string(bytes.get(start..)?)?;
        let key = &bytes[start + 1..end - 1];
        let start = blanks(bytes, expect(bytes, blanks(bytes, end), b':')?);
        let end = start + value(bytes.get(start..)?)?;
        for (found, path) in found.iter_mut().zip(paths) {
            match path {
                Some([first]) if first.as_bytes() == key => *found = Some(&line[start..end]),
                Some([first, _, ..]) if first.as_bytes() == key => *found = None,
                Some([]) => return None,
                _ => {}
            }
        }
        at = blanks(bytes, end);
        match bytes.get(at)? {
            b',' => at += 1,
            b'}' if blanks(bytes, at + 1) == bytes.len() => return Some(found),
            _ => return None,
        }
    }
}

/// The byte behind this one, if it stands there.
fn expect(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    (bytes.get(at) == Some(&byte)).then_some(at + 1)
}

/// Where blanks end.
fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The bytes of the value at the beginning.
fn value(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b'"' => string(bytes),
        b't' | b'f' | b'n' => {
            [&b"true"[..], b"false", b"null"].into_iter().find(|word| bytes.starts_with(word)).map(<[u8]>::len)
        }
        first => {
            let sign = usize::from(*first == b'-');
            let digits = bytes[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_one = (1..=MOST_DIGITS).contains(&digits) && (digits == 1 || bytes[sign] != b'0');
            let goes_on = matches!(bytes.get(sign + digits), Some(b'.' | b'e' | b'E'));
            (is_one && !goes_on).then_some(sign + digits)
        }
    }
}

/// The bytes of the string without escapes at the beginning, quotes included.
fn string(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let inside = bytes.strip_prefix(b"\"")?;
    let (mut rest, mut at) = (inside, 0);
    // The lowest byte of eight that is a quote, a backslash or a control character has its high bit in `ends`.
    while let Some((eight, behind)) = rest.split_first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let [quote, backslash] = [b'"', b'\\'].map(|byte| eight ^ (ONES * u64::from(byte)));
        let ends = (quote.wrapping_sub(ONES) & !quote
            | backslash.wrapping_sub(ONES) & !backslash
            | eight.wrapping_sub(ONES * 0x20) & !eight)
            & HIGH;
        if ends != 0 {
            at += ends.trailing_zeros() as usize / 8;
            return (inside[at] == b'"').then_some(at + 2);
        }
        (rest, at) = (behind, at + 8);
    }
    let left = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
    (rest[left] == b'"').then_some(at + left + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::parse::path_finder::PathFinder;
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;

    proptest! {
        #[test]
        fn what_is_found_quickly_is_what_is_there(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", ",", ":", " ", "\t", "\"", "\\", "a", "b", "武汉", "0", "12", "-", ".5", "e3", "null", "true", "[", "]",
                    "\u{1}", "\"a\":", "\"b\":", "\"text of many bytes\"", "\"a\": \"一二三四五\", ", "1234567890123456789",
                ]),
                0..14,
            ),
            is_object in any::<bool>(),
        ) {
            let line = parts.concat();
            let line = if is_object { format!("{{\"a\": 1, {line}}}") } else { line };
            let keys: [&[String]; 3] = [&["a".into()], &["b".into()], &["a".into(), "b".into()]];
            let paths = [Some(keys[0]), Some(keys[1]), Some(keys[2]), None];
            let (mut expected, mut json) = ([None; 4], serde_json::Deserializer::from_str(&line));
            let read = PathFinder { paths, found: &mut expected }.deserialize(&mut json).and_then(|()| json.end());
            if let Some(found) = find(&line, &paths) {
                prop_assert!(read.is_ok(), "{line}");
                prop_assert_eq!(found, expected, "{}", line);
            }
        }
    }

    #[test]
    fn usual_records_are_found_quickly() {
        let keys: [&[String]; 2] = [&["text".into()], &["id".into()]];
        let paths = keys.map(Some);
        for (line, expected) in [
            (r#"{"id": 7, "text": "武汉加油", "on": true}"#, Some([Some("\"武汉加油\""), Some("7")])),
            (" {\"id\":\"a7\"}\r\n", Some([None, Some("\"a7\"")])),
            (r#"{"text": null, "text": "", "n": -12}"#, Some([Some("\"\""), None])),
            (r#"{"text": "武汉\n加油"}"#, None),
            (r#"{"text": ["武汉"]}"#, None),
            (r#"{"text": 01}"#, None),
            (r#"{"text": 1} x"#, None),
            ("{\"text\": \"a\u{1}\"}", None),
            ("{}", None),
        ] {
            assert_eq!(find(line, &paths), expected, "{line}");
        }
    }
}
