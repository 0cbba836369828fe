//! Encodings of inputs. Only these files use encoding_rs and chardetng.
//!
//! Lines are decoded to be judged. Kept records leave in the bytes in which they came; annotations are JSON in UTF-8. The reading thread
//! decodes: decoding a line takes less time than the rest of the pipeline needs for it.
//!
//! A byte-order mark overrides everything else, as in the WHATWG Encoding Standard. So does the mark of UTF-32, which the standard does
//! not know and which is decoded here. Next comes the encoding that was named. If none was named, lines are read until they show the
//! encoding:
//!
//! - If the first 512 bytes (at least 16) are all characters of UTF-32 other than control characters, the input is UTF-32.
//! - If at least a sixteenth of the first line is zeros, at least six, and nearly all at odd or nearly all at even offsets, the input is
//!   UTF-16.
//! - If the first read, up to 4 KiB, has a line end of two bytes and is all text in UTF-16, the input is UTF-16.
//! - Otherwise the first line may look odd: a third of it is control characters, or it is not UTF-8. If then nearly all of every second
//!   byte in the first 512 bytes are the high bytes of one alphabet or of ideographs in UTF-16, the input is UTF-16.
//! - Lines in ASCII show nothing.
//! - Four characters beyond ASCII in lines of valid UTF-8 show that the input is UTF-8. Lines that are not UTF-8, before or after, are
//!   then reported as faulty one by one.
//! - If a line is not UTF-8, and no line in the 4 KiB from its beginning shows that the input is, a detector gets these 4 KiB. An
//!   exception: if three quarters of the bytes beyond ASCII are UTF-8, the input is UTF-8 whose lines were cut within a character. If the
//!   detector finds GB18030, Big5, windows-1251, KOI8 or IBM866, this is the encoding from that line on; otherwise it is UTF-8.
//!
//! The result depends on the bytes alone, not on how reads cut them, with one exception: UTF-16 from a pipe may be detected from less
//! than its first lines. The result is a guess from a few lines; naming the encoding is safe. A wrong guess loses no message unless it is
//! judged a repeat, because kept records leave in their original bytes. Of posts, headlines and SMS in GB18030 and Big5, one line was
//! enough in 90 to 100 of 100 cases, two lines in 99 or 100.

mod finder;
mod utf_32;

use std::fmt;

use encoding_rs::{DecoderResult, GB18030, GBK, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};
use utf_32::ByteOrder;

use crate::error::{Error, Result};
use crate::locale::tr;
pub(crate) use finder::{Finder, Finding};

/// UTF-32, or an encoding of the WHATWG Encoding Standard in which each line can be decoded by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Standard(&'static encoding_rs::Encoding),
    Utf32(ByteOrder),
}

/// Byte-order marks. The mark of little-endian UTF-32 begins with that of UTF-16, and is therefore tried first.
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

    /// Reads the value of `--encoding`: `auto`, which is `None`, or one of the standard's labels in any case: `gb18030`, `gbk`, `big5`,
    /// `utf-16le`, `windows-1251`, `koi8-r`, `ibm866`, `cp866`. `utf-16` without a byte-order mark is little-endian. `utf-32`, `utf-32le`
    /// and `utf-32be`, which the standard does not know, are also read; `utf-32` is little-endian.
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
                    "`{label}` cannot be read; use auto, utf-8, gb18030 (Windows calls it ANSI or GBK), big5, utf-16, utf-16le, utf-16be, utf-32, windows-1251, koi8-r, ibm866 \
                     or another label of the WHATWG Encoding Standard",
                    label
                ),
            )),
        }
    }

    /// The encoding named by the byte-order mark at the beginning of an input.
    pub(crate) fn of_mark(start: &[u8]) -> Option<Self> {
        MARKS.iter().find(|(mark, _)| start.starts_with(mark)).map(|(_, encoding)| *encoding)
    }

    /// Whether more bytes are needed to tell which mark an input begins with: the mark of UTF-16 may be the beginning of that of UTF-32.
    pub(crate) fn may_be_marked(start: &[u8]) -> bool {
        let begun = |mark: &[u8]| start.len() < mark.len() && mark.starts_with(start);
        !start.is_empty() && MARKS[..2].iter().any(|(mark, _)| begun(mark))
    }

    /// The bytes that end a line. In UTF-16 and UTF-32 they count only at offsets that are multiples of 2 or 4; in all other encodings
    /// they are never part of a longer character.
    pub(crate) fn line_end(self) -> &'static [u8] {
        match self.0 {
            Kind::Utf32(ByteOrder::Little) => b"\n\0\0\0",
            Kind::Utf32(ByteOrder::Big) => b"\0\0\0\n",
            Kind::Standard(encoding) if encoding == UTF_16LE => b"\n\0",
            Kind::Standard(encoding) if encoding == UTF_16BE => b"\0\n",
            Kind::Standard(_) => b"\n",
        }
    }

    /// The unit of the encoding in bytes. No line is cut within a unit.
    pub(crate) fn unit(self) -> usize {
        self.line_end().len()
    }

    /// The offset after the first line end in `bytes`, which begin at a character.
    pub(crate) fn first_line(self, bytes: &[u8]) -> Option<usize> {
        let end = self.line_end();
        match end.len() {
            1 => memchr::memchr(b'\n', bytes).map(|at| at + 1),
            unit => bytes.chunks_exact(unit).position(|character| character == end).map(|at| (at + 1) * unit),
        }
    }

    /// The offset after the last line end in `bytes`, which begin at a character.
    pub(crate) fn last_line(self, bytes: &[u8]) -> Option<usize> {
        let end = self.line_end();
        match end.len() {
            1 => memchr::memrchr(b'\n', bytes).map(|at| at + 1),
            unit => bytes.chunks_exact(unit).rposition(|character| character == end).map(|at| (at + 1) * unit),
        }
    }

    /// Whether a line that is not UTF-8 looks like Chinese in GB18030: nearly all of its pairs of bytes are the signs or the common
    /// characters of GB 2312. A line of any length takes one short walk. Only a hint for the user: Korean in EUC-KR looks the same.
    pub(crate) fn may_be_gb18030(line: &[u8]) -> bool {
        let (mut at, mut pairs, mut common) = (0, 0, 0);
        while at + 1 < line.len() && pairs < 100 {
            at += match (line[at], line[at + 1]) {
                (0..0x80, _) => 1,
                (lead, trail) => {
                    pairs += 1;
                    common += usize::from(matches!(lead, 0xa1..=0xa3 | 0xb0..=0xd7) && trail >= 0xa1);
                    2
                }
            };
        }
        pairs >= 4 && common * 10 >= pairs * 9
    }

    /// Whether one file can hold text in both encodings. GBK is part of GB18030.
    pub(crate) fn fits(self, other: Self) -> bool {
        let whole = |one: Self| if one == Self::of(GBK) { Self::of(GB18030) } else { one };
        whole(self) == whole(other)
    }

    /// The refusal of the records of `file`, in this encoding, by an output that has records in `before`.
    pub(crate) fn beside(self, before: Self, file: &str) -> Error {
        let reason = tr!(
            "is {}, and the output already has {before}; kept records leave as they came, and one output cannot hold both: convert it first (iconv), or write --output annotated",
            self,
            before
        );
        Error::invalid(file, reason)
    }

    /// Whether it is neither UTF-8 nor one whose characters have 2 or 4 bytes each. Such encodings are told apart by a guess.
    #[cfg(feature = "cli")]
    pub(crate) fn is_guessed(self) -> bool {
        self != Self::UTF_8 && self.unit() == 1
    }

    /// Decodes `bytes` to UTF-8 and appends them to `out`, with U+FFFD for what is not in this encoding. Returns whether all was.
    pub(crate) fn decode(self, bytes: &[u8], out: &mut String) -> bool {
        let encoding = match self.0 {
            Kind::Standard(encoding) => encoding,
            Kind::Utf32(order) => return utf_32::decode(order, bytes, out),
        };
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let (mut rest, mut whole) = (bytes, true);
        loop {
            // Unless the size overflows, this is room for the whole rest.
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

/// The name of the encoding in lower case, as in the standard.
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
    /// Encodes `text`, whose characters this encoding must all have.
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
        // U+0A00 U+000A in both byte orders. The line end is the second character.
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
