//! Detects the encoding of an input whose encoding was not named.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, GB18030, GBK, IBM866, KOI8_U, UTF_16BE, UTF_16LE, WINDOWS_1251};

use super::{Encoding, utf_32};

/// This many characters beyond ASCII, in lines of valid UTF-8, show that an input is UTF-8. Four characters of GB18030 are valid
/// UTF-8 by chance once in some thousand lines; one or two, such as 联通, often are.
const ENOUGH: usize = 4;

/// This many characters beyond ASCII show it, if the only other choice is UTF-16.
const ENOUGH_BESIDE_UTF_16: usize = 2;

/// Bytes that are looked at, from the first line that is not UTF-8: some twenty posts. A feed waits for them once.
const BLOCK: usize = 4096;

/// With fewer bytes beyond ASCII the encoding cannot be told: a truncated UTF-8 character passes for GB18030.
const EVIDENCE_FROM: usize = 8;

/// This many zeros are no strays. The chance that six zeros in UTF-8 are all at even or all at odd offsets is 1 in 32.
const ZEROS: usize = 6;

/// To detect UTF-16 with few zeros: the most bytes at the beginning of an input that are looked at, and the fewest characters
/// needed.
const UTF_16_MOST: usize = 512;
const UTF_16_LEAST: usize = 6;

/// What is known of the encoding so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// This many bytes, at least one, are lines that may be judged as UTF-8; the bytes after them are undecided.
    Lines(usize),
    /// The bytes begin with a line that can only be decided with more bytes.
    Wait,
    /// Everything from here on is in this encoding.
    Is(Encoding),
}

/// Reads the lines of an input until they show its encoding, by the rules in the [module](super).
#[derive(Debug, Default)]
pub(crate) struct Finder {
    /// Characters beyond ASCII in lines of valid UTF-8.
    shown: usize,
    /// How many of the bytes in hand have been looked at, in whole lines.
    seen: usize,
    /// The offset in them of the first line that is not UTF-8.
    bad: Option<usize>,
    /// Whether the first line of the input has been checked for UTF-16 and UTF-32.
    begun: bool,
    /// Whether lines have already been passed on.
    has_passed_on: bool,
}

impl Finder {
    /// Looks at the bytes in hand: `bytes`, of which `whole` are whole lines, and the first `skip` the rest of an overlong line.
    /// Each call gets the same bytes as the one before, or more, except for those that [`advance`](Self::advance) removed.
    /// `end_after` returns where the line ends that begins at an offset below `whole`. `ended` says that no more bytes will come.
    pub(crate) fn look(
        &mut self,
        bytes: &[u8],
        whole: usize,
        skip: usize,
        end_after: impl Fn(usize) -> usize,
        max_line: usize,
        ended: bool,
    ) -> Finding {
        if !self.begun && skip == 0 && whole > 0 {
            let first = end_after(0);
            let line = &bytes[..first];
            let block = &bytes[..bytes.len().min(BLOCK)];
            let by_characters = || in_lines(block).or_else(|| other_script(line));
            let in_16 = || utf_16(line).or_else(|| by_characters().filter(|_| !is_utf_8(block)));
            if let Some(encoding) = utf_32::known(bytes).or_else(in_16) {
                return Finding::Is(encoding);
            }
            // In UTF-16, one byte of a character may look like a line end. So a line that looks odd is judged together with the
            // bytes after it.
            if is_odd(line) {
                if bytes.len() < UTF_16_MOST && !ended {
                    return Finding::Wait;
                }
                if let Some(encoding) = other_script(bytes) {
                    return Finding::Is(encoding);
                }
            }
        }
        self.begun = true;
        self.seen = self.seen.max(skip);
        while self.seen < whole {
            let length = end_after(self.seen) - self.seen;
            let line = &bytes[self.seen..self.seen + length];
            if self.bad.is_some_and(|bad| self.seen + length > bad + BLOCK) {
                break;
            }
            // Overlong lines are not judged: they come whole or in pieces, depending on how reads cut them.
            if line.strip_suffix(b"\n").unwrap_or(line).len() <= max_line {
                match str::from_utf8(line) {
                    // Each character beyond ASCII has exactly one such byte.
                    Ok(_) => self.shown += line.iter().filter(|byte| **byte >= 0xC0).count(),
                    Err(_) if self.bad.is_none() => self.bad = Some(self.seen),
                    Err(_) => {}
                }
            }
            if self.shown >= ENOUGH {
                return Finding::Is(Encoding::UTF_8);
            }
            self.seen += length;
        }
        match self.bad {
            None => Finding::Lines(whole),
            Some(0) if bytes.len() < BLOCK && !ended => Finding::Wait,
            Some(0) => {
                // Once lines have been passed on, nobody knows where a character of two bytes begins.
                let utf_16 = other_script(bytes).filter(|_| !self.has_passed_on);
                let detected = || detect(&bytes[..bytes.len().min(BLOCK)], bytes.len() <= BLOCK);
                Finding::Is(utf_16.unwrap_or_else(detected))
            }
            Some(bad) => Finding::Lines(bad),
        }
    }

    /// Removes the first `length` bytes, which have been passed on.
    pub(crate) fn advance(&mut self, length: usize) {
        self.has_passed_on = true;
        self.seen = self.seen.saturating_sub(length);
        self.bad = self.bad.map(|bad| bad.saturating_sub(length));
    }
}

/// Detects UTF-16 without a byte-order mark by zeros in the first line of an input. They must be a sixteenth of it or more, with
/// four times as many at even offsets as at odd ones, or the reverse. ASCII in UTF-16 looks like this. A zero as the other byte is
/// rare: 开 (U+5F00) is one of the few characters that have it.
fn utf_16(line: &[u8]) -> Option<Encoding> {
    let zeros = |parity: usize| line.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let is_enough = |zeros: usize, others: usize| zeros >= ZEROS.max(4 * others) && zeros * 16 >= line.len();
    match (zeros(0), zeros(1)) {
        (even, odd) if is_enough(odd, even) => Some(Encoding::of(UTF_16LE)),
        (even, odd) if is_enough(even, odd) => Some(Encoding::of(UTF_16BE)),
        _ => None,
    }
}

/// Whether the beginning of an input is certainly UTF-8. Read as UTF-16, ideographs in UTF-8 are ideographs, too, and the NUL of a string and
/// a line end after it are a line end of UTF-16. The reverse is rare: several lines of UTF-16 are hardly ever valid UTF-8. A single line may
/// be, such as 黄金. It ends with the line end of UTF-16.
fn is_utf_8(block: &[u8]) -> bool {
    let valid = match str::from_utf8(block) {
        Ok(text) => text,
        // A character that is cut at the end.
        Err(error) if error.error_len().is_none() => str::from_utf8(&block[..error.valid_up_to()]).unwrap_or_default(),
        Err(_) => return false,
    };
    !block.ends_with(b"\n\0") && valid.chars().filter(|c| !c.is_ascii()).count() >= ENOUGH_BESIDE_UTF_16
}

/// Detects UTF-16 without a byte-order mark: it has line ends of two bytes, and no control characters. Short texts need this rule.
/// As single bytes, 我在 is three ASCII characters and only one control character, too few to look odd. A single byte of a line end
/// is no sign, because 上 and 《 contain it, too.
fn in_lines(bytes: &[u8]) -> Option<Encoding> {
    let (pairs, _) = bytes.as_chunks();
    let is_text = |unit: u16| match unit {
        9 | 10 | 13 => true,
        // A line feed of one byte, next to another byte, would look like this. Excluding the range costs the two alphabets with
        // this high byte.
        0x0A00..=0x0AFF => false,
        _ => !(0..32).contains(&unit) && !(0x7F..0xA0).contains(&unit),
    };
    type Unit = fn([u8; 2]) -> u16;
    let orders: [(Unit, _); 2] = [(u16::from_le_bytes, UTF_16LE), (u16::from_be_bytes, UTF_16BE)];
    let found = orders.into_iter().find(|(unit, _)| {
        let mut units = pairs.iter().map(|pair| unit(*pair));
        units.clone().any(|unit| unit == 10) && units.all(is_text)
    });
    found.map(|(_, encoding)| Encoding::of(encoding))
}

/// Whether more than every third byte of a line is a control character. No text in UTF-8 or in an encoding of single bytes has so
/// many.
fn is_odd(line: &[u8]) -> bool {
    let controls = line.iter().filter(|byte| **byte < 32 && !b"\t\n\r".contains(byte)).count();
    controls * 3 > line.len()
}

/// Detects UTF-16 without a byte-order mark and with few ASCII characters, in either byte order, by the high bytes of its
/// characters:
///
/// - Most characters of an alphabet have the same high byte, which as a single byte is a control character: 04 for Cyrillic, 0E for
///   Thai.
/// - Ideographs have a high byte from 4E to 9F. Beside them only CJK punctuation, kana and ASCII are expected. Of GB18030 and Big5,
///   read as UTF-16, fewer than half of the characters are in that range. If there are many kana, they count as letters.
/// - Hangul has a high byte from AC to D7. Most characters of GB18030 begin with such a byte, too, but only UTF-16 has zeros, from
///   blanks and line ends.
fn other_script(bytes: &[u8]) -> Option<Encoding> {
    let bytes = &bytes[..bytes.len().min(UTF_16_MOST)];
    let units = bytes.len() / 2;
    if units < UTF_16_LEAST {
        return None;
    }
    let counts = |parity: usize| {
        let mut counts = [0_usize; 256];
        bytes[..2 * units].iter().skip(parity).step_by(2).for_each(|byte| counts[usize::from(*byte)] += 1);
        counts
    };
    let orders = [(counts(1), counts(0), UTF_16LE), (counts(0), counts(1), UTF_16BE)];
    let found = orders.into_iter().find(|(high, low, _)| {
        let script = (1..32).max_by_key(|byte| high[*byte]).unwrap_or(0);
        // A tab or a line end at every second place is a table of single characters, unless there are zeros as well.
        let is_plain = [9, 10, 13].contains(&script) && high[0] == 0;
        let is_alphabet = !is_plain
            && (high[script] + high[0]) * 4 >= units * 3
            && high[script] * 2 > units
            && low[script] * 8 < units;
        let [ideographs, hangul] = [0x4E..=0x9F, 0xAC..=0xD7].map(|rows| high[rows].iter().sum::<usize>());
        let around = high[0] + high[0x11] + high[0x20] + high[0x30] + high[0x31] + high[0xFF];
        let is_script = |letters: usize, others: usize| {
            letters * 2 > units && (letters + others) * 20 >= units * 19 && str::from_utf8(bytes).is_err()
        };
        let kana = high[0x30];
        let is_japanese = kana * 8 > units && is_script(ideographs + kana, around - kana);
        // The bytes of Shift_JIS, read as UTF-16, are rare ideographs.
        let is_common = high[0x4E..=0x7F].iter().sum::<usize>() * 4 > units;
        is_alphabet
            || is_japanese
            || is_common && is_script(ideographs, around)
            || high[0] > 0 && is_script(hangul, ideographs + around)
    });
    found.map(|(.., encoding)| Encoding::of(encoding))
}

/// Detects the encoding of bytes that are not UTF-8. Returns UTF-8 if none of the known encodings fits.
fn detect(block: &[u8], is_all: bool) -> Encoding {
    let beyond_ascii = |bytes: &[u8]| bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let beyond = beyond_ascii(block);
    let in_utf_8: usize = block.utf8_chunks().map(|chunk| beyond_ascii(chunk.valid().as_bytes())).sum();
    // UTF-16 without a mark looks like anything, except for its zeros.
    if beyond < EVIDENCE_FROM || in_utf_8 * 4 >= beyond * 3 || block.contains(&0) {
        return Encoding::UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(block, is_all);
    match detector.guess(None, Utf8Detection::Deny) {
        // GBK has the same decoder as GB18030, and GB18030 is the name for all that this decoder reads.
        guess if guess == GBK => Encoding::of(GB18030),
        guess if [GB18030, BIG5, WINDOWS_1251, KOI8_U, IBM866].contains(&guess) => Encoding::of(guess),
        _ => Encoding::UTF_8,
    }
}
