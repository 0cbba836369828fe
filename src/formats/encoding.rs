//! Encodings of inputs: the only files that know encoding_rs and chardetng.
//!
//! Lines are decoded to be judged. What is kept leaves in the bytes that it came in; what is annotated is JSON, in UTF-8. The
//! thread that reads decodes: a line takes it less time than the rest of the pipeline takes for one.
//!
//! A byte-order mark goes before everything else, as in the WHATWG Encoding Standard; so does that of UTF-32, which the standard does not
//! know and which is decoded here. Then comes the encoding that was named. If none was, lines are read until they show which it
//! is:
//!
//! - If all of the first 512 bytes, sixteen or more, are characters in UTF-32, and none of them is a control character, the input is UTF-32.
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
mod utf_32;

use std::fmt;

use encoding_rs::{DecoderResult, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};
use utf_32::ByteOrder;

use crate::error::{Error, Result};
use crate::locale::tr;
pub(crate) use finder::{Finder, Finding};

/// UTF-32, or an encoding of the WHATWG Encoding Standard whose lines can be read one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Standard(&'static encoding_rs::Encoding),
    Utf32(ByteOrder),
}

/// Byte-order marks. That of UTF-32 begins as that of UTF-16 does.
const MARKS: [(&[u8], Encoding); 5] = [
    (b"\xFF\xFE\0\0", Encoding::UTF_32LE),
    (b"\0\0\xFE\xFF", Encoding::UTF_32BE),
    (b"\xEF\xBB\xBF", Encoding::UTF_8),
    (b"\xFF\xFE", Encoding::of(UTF_16LE)),
    (b"\xFE\xFF", Encoding::of(UTF_16BE)),
];

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Self = Self::of(UTF_8);
    const UTF_32LE: Self = Self(Kind::Utf32(ByteOrder::Little));
    const UTF_32BE: Self = Self(Kind::Utf32(ByteOrder::Big));

    const fn of(encoding: &'static encoding_rs::Encoding) -> Self {
        Self(Kind::Standard(encoding))
    }

    /// Reads the value of `--encoding`: `auto`, which is `None`, or one of the standard's labels in any case: `gb18030`, `gbk`,
    /// `big5`, `utf-16le`, `windows-1251`, `koi8-r`, `ibm866`, `cp866`. `utf-16` without a byte-order mark is little-endian, and so is
    /// `utf-32`, which the standard does not know; nor does it `utf-32le` and `utf-32be`.
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
        let utf_32 = [("utf-32", Self::UTF_32LE), ("utf-32le", Self::UTF_32LE), ("utf-32be", Self::UTF_32BE)];
        if let Some((_, encoding)) = utf_32.iter().find(|(name, _)| label.eq_ignore_ascii_case(name)) {
            return Ok(Some(*encoding));
        }
        let unfit = [ISO_2022_JP, REPLACEMENT, X_USER_DEFINED];
        match encoding_rs::Encoding::for_label(label.as_bytes()).filter(|encoding| !unfit.contains(encoding)) {
            Some(encoding) => Ok(Some(Self::of(encoding))),
            None => Err(Error::config(
                "--encoding",
                tr!(
                    "`{label}` cannot be read; use auto, utf-8, gb18030, big5, utf-16, utf-16le, utf-16be, utf-32, windows-1251, koi8-r, ibm866 \
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

    /// Whether only more bytes can tell which mark an input begins with: that of UTF-16 may be one of UTF-32.
    pub(crate) fn may_be_marked(start: &[u8]) -> bool {
        let begun = |mark: &[u8]| start.len() < mark.len() && mark.starts_with(start);
        !start.is_empty() && MARKS[..2].iter().any(|(mark, _)| begun(mark))
    }

    /// The bytes that end a line. They are no part of a longer character in any encoding but UTF-16 and UTF-32, where they count at every
    /// second or fourth place only.
    pub(crate) fn line_end(self) -> &'static [u8] {
        match self.0 {
            Kind::Utf32(ByteOrder::Little) => b"\n\0\0\0",
            Kind::Utf32(ByteOrder::Big) => b"\0\0\0\n",
            Kind::Standard(encoding) if encoding == UTF_16LE => b"\n\0",
            Kind::Standard(encoding) if encoding == UTF_16BE => b"\0\n",
            Kind::Standard(_) => b"\n",
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
        let encoding = match self.0 {
            Kind::Standard(encoding) => encoding,
            Kind::Utf32(order) => return utf_32::decode(order, bytes, out),
        };
        let mut decoder = encoding.new_decoder_without_bom_handling();
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

/// In lower case, as the standard calls it.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Standard(encoding) => f.write_str(&encoding.name().to_ascii_lowercase()),
            Kind::Utf32(ByteOrder::Little) => f.write_str("utf-32le"),
            Kind::Utf32(ByteOrder::Big) => f.write_str("utf-32be"),
        }
    }
}

#[cfg(test)]
impl Encoding {
    /// `text` in this encoding, which must have all of its characters.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        match self.0 {
            Kind::Utf32(order) => text.chars().flat_map(|c| order.bytes(c.into())).collect(),
            Kind::Standard(encoding) if encoding == UTF_16LE => {
                text.encode_utf16().flat_map(u16::to_le_bytes).collect()
            }
            Kind::Standard(encoding) if encoding == UTF_16BE => {
                text.encode_utf16().flat_map(u16::to_be_bytes).collect()
            }
            Kind::Standard(encoding) => {
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

    fn by_label(label: &str) -> Encoding {
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
            ("UTF-32", "utf-32le"),
            ("utf-32be", "utf-32be"),
            ("cp1251", "windows-1251"),
            ("koi8-r", "koi8-r"),
            ("cp866", "ibm866"),
        ] {
            assert_eq!(by_label(label).to_string(), name);
        }
        assert_eq!(Encoding::parse("auto").unwrap(), None);
        for label in ["", "utf-7", "iso-2022-jp", "hz-gb-2312", "latin"] {
            assert!(Encoding::parse(label).unwrap_err().to_string().starts_with("encoding: `"), "{label}");
        }
    }

    #[test]
    fn the_mark_of_utf_32_is_no_mark_of_utf_16() {
        let cases: [(&[u8], Option<Encoding>, bool); 7] = [
            (b"\xFF\xFE\0\0a\0\0\0", Some(Encoding::UTF_32LE), false),
            (b"\0\0\xFE\xFF\0\0\0a", Some(Encoding::UTF_32BE), false),
            (b"\xFF\xFEa\0", Some(by_label("utf-16le")), false),
            (b"\xFF\xFE", Some(by_label("utf-16le")), true),
            (b"\0\0", None, true),
            (b"", None, false),
            (b"ab", None, false),
        ];
        for (start, mark, waits) in cases {
            assert_eq!((Encoding::of_mark(start), Encoding::may_be_marked(start)), (mark, waits), "{start:?}");
        }
    }

    #[test]
    fn line_ends_in_16_bits_stand_at_even_places() {
        // U+0A00 U+000A in both orders; the first line end is the second character.
        let (little, big) = (b"\0\x0a\x0a\0a\0", b"\x0a\0\0\x0a\0a");
        for (label, bytes) in [("utf-16le", little), ("utf-16be", big)] {
            assert_eq!(
                (by_label(label).first_line(bytes), by_label(label).last_line(bytes)),
                (Some(4), Some(4)),
                "{label}"
            );
            assert_eq!(by_label(label).first_line(&bytes[..3]), None, "{label}");
        }
        assert_eq!(
            (by_label("big5").first_line(b"a\nb\n"), by_label("big5").last_line(b"a\nb\nc")),
            (Some(2), Some(4))
        );
    }

    #[test]
    fn what_cannot_be_decoded_is_told() {
        let cases: [(&str, &[u8], &str, bool); 11] = [
            ("gb18030", b"\xc4\xe3\xba\xc3", "你好", true),
            ("gb18030", b"\xc4\n", "\u{fffd}\n", false),
            ("gb18030", b"a\xff", "a\u{fffd}", false),
            ("big5", b"\xb3\x5c", "許", true), // the second byte is a backslash
            ("utf-16le", b"a\0\x3d\xd8", "a\u{fffd}", false),
            ("utf-16be", b"\0a\0", "a\u{fffd}", false),
            ("utf-32", b"\x60\x4f\0\0\0\xf6\x01\0", "你😀", true),
            ("utf-32be", b"\0\0\x4f\x60\0\0\xd8\0\0\x11\0\0\0\0\0a", "你\u{fffd}\u{fffd}a", false),
            ("utf-32le", b"a\0\0\0b\0", "a\u{fffd}", false),
            ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет", true),
            ("ibm866", b"", "", true),
        ];
        for (label, bytes, text, whole) in cases {
            let mut out = String::new();
            assert_eq!((by_label(label).decode(bytes, &mut out), &out[..]), (whole, text), "{label} {bytes:?}");
        }
    }
}
