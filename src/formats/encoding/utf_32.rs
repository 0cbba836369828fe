//! UTF-32, which the WHATWG Encoding Standard does not know: four bytes for each character.

use super::{Encoding, Kind};

/// Which of the four bytes comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// To detect UTF-32 without a mark: the most bytes at the beginning of an input that are looked at, and the fewest needed.
const BYTES_UPTO: usize = 512;
const BYTES_FROM: usize = 16;

impl ByteOrder {
    fn number(self, unit: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(unit),
            Self::Big => u32::from_be_bytes(unit),
        }
    }

    /// The bytes of a character.
    #[cfg(test)]
    pub(super) fn bytes(self, number: u32) -> [u8; 4] {
        match self {
            Self::Little => number.to_le_bytes(),
            Self::Big => number.to_be_bytes(),
        }
    }
}

/// Decodes `bytes` and appends them to `out`, with U+FFFD for what is no character. Returns whether all were characters.
pub(super) fn decode(order: ByteOrder, bytes: &[u8], out: &mut String) -> bool {
    let (units, rest) = bytes.as_chunks();
    let before = out.len();
    out.extend(units.iter().map(|unit| char::from_u32(order.number(*unit)).unwrap_or(char::REPLACEMENT_CHARACTER)));
    out.extend((!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER));
    // A U+FFFD that was in the text already is reported, too: nobody can say what it stood for.
    !out[before..].contains(char::REPLACEMENT_CHARACTER)
}

/// Detects UTF-32 without a mark: all the bytes must be characters in it. No other text has a zero at every fourth offset with a
/// small number next to it. UTF-16 with line ends would give numbers beyond all planes that hold characters.
pub(super) fn known(bytes: &[u8]) -> Option<Encoding> {
    let (units, _) = bytes[..bytes.len().min(BYTES_UPTO)].as_chunks();
    let is_in = |order: ByteOrder| {
        let is_text = |c: char| c < '\u{40000}' && !c.is_control() || matches!(c, '\n' | '\r' | '\t');
        units.iter().all(|unit| char::from_u32(order.number(*unit)).is_some_and(is_text))
    };
    let found = [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| is_in(*order));
    found.filter(|_| 4 * units.len() >= BYTES_FROM).map(|order| Encoding(Kind::Utf32(order)))
}
