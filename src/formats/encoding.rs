//! Encodings of inputs: the only files that know encoding_rs and chardetng.
//!
//! Lines are decoded to be judged. What is kept leaves in the bytes that it came in; what is annotated is JSON, in UTF-8. The
//! thread that reads decodes: GB18030 takes it 1.6 µs for a line of 97 bytes; the exact stage alone takes 2.6 µs for all else.
//!
//! A byte-order mark goes before everything else, as in the WHATWG Encoding Standard; an input with that of UTF-32, which the standard
//! does not know, is refused. Then comes the encoding that was
//! named. If none was, lines are read until they show which it is:
//!
//! - If a sixteenth of the first line is zeros, six or more, nearly all in odd places or in even ones, the input is UTF-16.
//! - If the first read, up to 4 KiB, has a line end of two bytes, and all of it is text in UTF-16, the input is UTF-16.
//! - If a third of the first line are control characters, or it is not UTF-8, and in the first 512 bytes nearly all of every other byte are those of
//!   one alphabet or of ideographs in UTF-16, the input is UTF-16.
//! - Lines in ASCII show nothing.
//! - Four characters beyond ASCII in lines that are UTF-8 show that the input is; lines that are not are then at fault
//!   themselves, one by one, and so are those before them.
//! - If a line is not UTF-8, and none of those in the 4 KiB from its beginning show that the input is, the 4 KiB go to a detector,
//!   unless three quarters of what is beyond ASCII are UTF-8, in lines that were cut within a character. If it finds GB18030,
//!   Big5, windows-1251, KOI8 or IBM866, this is the encoding from that line on; if not, UTF-8 is.
//!
//! What is found depends on the bytes alone, not on how reads cut them; only UTF-16 that comes through a pipe may be known by
//! less than its first lines. It is a guess from a few lines: naming the encoding
//! is safe. A wrong guess loses no message that is not taken for a repeat, for what is kept leaves in the bytes that it came in. Of
//! posts, headlines and SMS in GB18030 and Big5, one line was known 90 to 100 times of 100, two lines 99 or 100 times.

mod finder;

use std::fmt;

use encoding_rs::{DecoderResult, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

use crate::error::{Error, Result};
pub(crate) use finder::{Finder, Finding};
use tr::tr;

/// An encoding of the WHATWG Encoding Standard whose lines can be read one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

/// Byte-order marks.
const MARKS: [(&[u8], Encoding); 3] =
    [(b"\xEF\xBB\xBF", Encoding::UTF_8), (b"\xFF\xFE", Encoding(UTF_16LE)), (b"\xFE\xFF", Encoding(UTF_16BE))];

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(UTF_8);

    /// Reads the value of `--encoding`: `auto`, which is `None`, or one of the standard's labels in any case: `gb18030`, `gbk`,
    /// `big5`, `utf-16le`, `windows-1251`, `koi8-r`, `ibm866`, `cp866`. `utf-16` without a byte-order mark is little-endian.
    ///
    /// # Errors
    /// [`Error::Config`] for other names, and for ISO-2022-JP, in which a line depends on those before it.
    ///
    /// ```
    /// use quchong::formats::encoding::Encoding;
    /// assert_eq!(Encoding::parse("auto").unwrap(), None);
    /// assert_eq!(Encoding::parse("cp866").unwrap().unwrap().to_string(), "ibm866");
    /// ```
    pub fn parse(label: &str) -> Result<Option<Self>> {
        if label.eq_ignore_ascii_case("auto") {
            return Ok(None);
        }
        let unfit = [ISO_2022_JP, REPLACEMENT, X_USER_DEFINED];
        match encoding_rs::Encoding::for_label(label.as_bytes()).filter(|encoding| !unfit.contains(encoding)) {
            Some(encoding) => Ok(Some(Self(encoding))),
            None => Err(Error::config(
                "--encoding",
                tr!(
                    "`{label}` cannot be read; use auto, utf-8, gb18030, big5, utf-16, utf-16le, utf-16be, windows-1251, koi8-r, ibm866 \
                     or another label of the WHATWG Encoding Standard",
                    label
                ),
            )),
        }
    }

    /// The encoding that the mark at the beginning of an input stands for.
    pub(crate) fn of_mark(start: &[u8]) -> Option<Self> {
        MARKS.iter().find(|(mark, _)| start.starts_with(mark)).map(|(_, encoding)| *encoding)
    }

    /// Whether the beginning of an input is the mark of UTF-32 (little-endian, which begins as the mark of UTF-16 does; big-endian),
    /// which the standard does not know; `None` if only more bytes can tell.
    pub(crate) fn has_utf_32_mark(start: &[u8]) -> Option<bool> {
        const UTF_32: [&[u8]; 2] = [b"\xFF\xFE\0\0", b"\0\0\xFE\xFF"];
        let begun = |mark: &&[u8]| !start.is_empty() && start.len() < mark.len() && mark.starts_with(start);
        if UTF_32.iter().any(begun) {
            return None;
        }
        Some(UTF_32.iter().any(|mark| start.starts_with(mark)))
    }

    /// The bytes that end a line. They are no part of a longer character in any encoding but UTF-16, where they count at even
    /// places only.
    pub(crate) fn line_end(self) -> &'static [u8] {
        match self.0 {
            encoding if encoding == UTF_16LE => b"\n\0",
            encoding if encoding == UTF_16BE => b"\0\n",
            _ => b"\n",
        }
    }

    /// Bytes that no line is cut within.
    pub(crate) fn unit(self) -> usize {
        self.line_end().len()
    }

    /// Behind the first line end in `bytes`, which begin where a character does.
    pub(crate) fn first_line(self, bytes: &[u8]) -> Option<usize> {
        let end = self.line_end();
        match end.len() {
            1 => memchr::memchr(b'\n', bytes).map(|at| at + 1),
            unit => bytes.chunks_exact(unit).position(|character| character == end).map(|at| (at + 1) * unit),
        }
    }

    /// Behind the last line end in `bytes`, which begin where a character does.
    pub(crate) fn last_line(self, bytes: &[u8]) -> Option<usize> {
        let end = self.line_end();
        match end.len() {
            1 => memchr::memrchr(b'\n', bytes).map(|at| at + 1),
            unit => bytes.chunks_exact(unit).rposition(|character| character == end).map(|at| (at + 1) * unit),
        }
    }

    /// Appends `bytes` to `out` in UTF-8, U+FFFD for what is not in this encoding; whether all was.
    pub(crate) fn decode(self, bytes: &[u8], out: &mut String) -> bool {
        let mut decoder = self.0.new_decoder_without_bom_handling();
        let (mut rest, mut whole) = (bytes, true);
        loop {
            // Short of the limit of memory there is room for all that is left.
            out.reserve(decoder.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or(rest.len()));
            let (result, read) = decoder.decode_to_string_without_replacement(rest, out, true);
            rest = &rest[read..];
            match result {
                DecoderResult::InputEmpty => return whole,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    out.push(char::REPLACEMENT_CHARACTER);
                    whole = false;
                }
            }
        }
    }
}

/// As the standard calls it, in lower case.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_ascii_lowercase())
    }
}

#[cfg(test)]
impl Encoding {
    /// `text` in this encoding, which must have all of its characters.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        match self.0 {
            encoding if encoding == UTF_16LE => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            encoding if encoding == UTF_16BE => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            encoding => {
                let (bytes, _, replaced) = encoding.encode(text);
                assert!(!replaced, "{self} has no {text}");
                bytes.into_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(label: &str) -> Encoding {
        Encoding::parse(label).unwrap().unwrap()
    }

    #[test]
    fn names() {
        for (label, name) in [
            ("UTF-8", "utf-8"),
            ("gb18030", "gb18030"),
            ("gbk", "gbk"),
            ("big5", "big5"),
            ("utf-16", "utf-16le"),
            ("utf-16be", "utf-16be"),
            ("cp1251", "windows-1251"),
            ("koi8-r", "koi8-r"),
            ("cp866", "ibm866"),
        ] {
            assert_eq!(named(label).to_string(), name);
        }
        assert_eq!(Encoding::parse("auto").unwrap(), None);
        for label in ["", "utf-7", "iso-2022-jp", "hz-gb-2312", "latin"] {
            assert!(Encoding::parse(label).unwrap_err().to_string().starts_with("encoding: `"), "{label}");
        }
    }

    #[test]
    fn the_mark_of_utf_32_is_no_mark_of_utf_16() {
        let cases: [(&[u8], Option<bool>); 7] = [
            (b"\xFF\xFE\0\0a\0\0\0", Some(true)),
            (b"\0\0\xFE\xFF\0\0\0a", Some(true)),
            (b"\xFF\xFEa\0", Some(false)),
            (b"\xFF\xFE", None),
            (b"\0\0", None),
            (b"", Some(false)),
            (b"ab", Some(false)),
        ];
        for (start, expected) in cases {
            assert_eq!(Encoding::has_utf_32_mark(start), expected, "{start:?}");
        }
    }

    #[test]
    fn line_ends_in_16_bits_stand_at_even_places() {
        // U+0A00 U+000A in both orders; the first line end is the second character.
        let (little, big) = (b"\0\x0a\x0a\0a\0", b"\x0a\0\0\x0a\0a");
        for (label, bytes) in [("utf-16le", little), ("utf-16be", big)] {
            assert_eq!((named(label).first_line(bytes), named(label).last_line(bytes)), (Some(4), Some(4)), "{label}");
            assert_eq!(named(label).first_line(&bytes[..3]), None, "{label}");
        }
        assert_eq!((named("big5").first_line(b"a\nb\n"), named("big5").last_line(b"a\nb\nc")), (Some(2), Some(4)));
    }

    #[test]
    fn what_cannot_be_decoded_is_told() {
        let cases: [(&str, &[u8], &str, bool); 8] = [
            ("gb18030", b"\xc4\xe3\xba\xc3", "你好", true),
            ("gb18030", b"\xc4\n", "\u{fffd}\n", false),
            ("gb18030", b"a\xff", "a\u{fffd}", false),
            ("big5", b"\xb3\x5c", "許", true), // the second byte is a backslash
            ("utf-16le", b"a\0\x3d\xd8", "a\u{fffd}", false),
            ("utf-16be", b"\0a\0", "a\u{fffd}", false),
            ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет", true),
            ("ibm866", b"", "", true),
        ];
        for (label, bytes, text, whole) in cases {
            let mut out = String::new();
            assert_eq!((named(label).decode(bytes, &mut out), &out[..]), (whole, text), "{label} {bytes:?}");
        }
    }
}
