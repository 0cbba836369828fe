//! Finds out the encoding of an input whose encoding nobody named.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, GB18030, GBK, IBM866, KOI8_U, UTF_16BE, UTF_16LE, WINDOWS_1251};

use super::{Encoding, utf_32};

/// So many characters beyond ASCII, in lines that are UTF-8, show that an input is. Four characters of GB18030 are UTF-8 by chance
/// once in some thousand lines; one or two (联通) are often.
const ENOUGH: usize = 4;

/// Bytes, from the first line that is not UTF-8, that are looked at: some twenty posts. A feed waits for them once.
const BLOCK: usize = 4096;

/// Fewer bytes beyond ASCII do not tell which encoding they are in: a truncated UTF-8 character passes for GB18030.
const LEAST: usize = 8;

/// So many zeros are no strays: of six in UTF-8, all are in even places or all in odd ones by chance once in 32 times.
const ZEROS: usize = 6;

/// Bytes at the beginning of an input, at the most, by which UTF-16 of few zeros is known, and fewest characters.
const UTF_16_MOST: usize = 512;
const UTF_16_LEAST: usize = 6;

/// What has been found out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// So many bytes, not none, are lines that may be judged as UTF-8; what comes behind them is open.
    Lines(usize),
    /// The bytes begin with a line that only more bytes can tell about.
    Wait,
    /// All that comes is in this encoding.
    Is(Encoding),
}

/// Reads the lines of an input until they show its encoding, by the rules that the [module](super) tells.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    /// Characters beyond ASCII in lines that are UTF-8.
    shown: usize,
    /// Bytes of the input in hand that have been looked at, whole lines.
    seen: usize,
    /// Where in them the first line begins that is not UTF-8.
    bad: Option<usize>,
    /// The first line of the input has been looked at for zeros.
    begun: bool,
    /// Lines have gone on.
    gone: bool,
}

impl Finder {
    /// Looks at the input in hand: `bytes`, of which `whole` are whole lines and `skip` the rest of a line that was too long. All
    /// calls get the same bytes and more, but for those that [`advance`](Self::advance) took away. `end_after` tells where the
    /// line ends that begins at a place before `whole`. `ended` if no more will come.
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
            let in_16 =
                || utf_16(line).or_else(|| in_lines(&bytes[..bytes.len().min(BLOCK)])).or_else(|| other_script(line));
            if let Some(encoding) = utf_32::known(bytes).or_else(in_16) {
                return Finding::Is(encoding);
            }
            // A byte of a character of UTF-16 may be that of a line end: what looks odd is known by more than that line.
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
            // Lines that are too long come whole or in pieces, as reads cut them, and are not judged.
            if line.strip_suffix(b"\n").unwrap_or(line).len() <= max_line {
                match str::from_utf8(line) {
                    // Each character beyond ASCII has one such byte.
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
                // Behind lines that have gone on nobody knows where a character of two bytes begins.
                let utf_16 = other_script(bytes).filter(|_| !self.gone);
                let detected = || detect(&bytes[..bytes.len().min(BLOCK)], bytes.len() <= BLOCK);
                Finding::Is(utf_16.unwrap_or_else(detected))
            }
            Some(bad) => Finding::Lines(bad),
        }
    }

    /// The first `length` bytes have gone on.
    pub(crate) fn advance(&mut self, length: usize) {
        self.gone = true;
        self.seen = self.seen.saturating_sub(length);
        self.bad = self.bad.map(|bad| bad.saturating_sub(length));
    }
}

/// UTF-16 without a byte-order mark, if the first line of an input has zeros, a sixteenth of it or more, and four times as many in
/// even places as in odd ones, or the reverse: ASCII in UTF-16 looks so; few characters, as 开 (U+5F00), have the other byte zero.
fn utf_16(line: &[u8]) -> Option<Encoding> {
    let zeros = |parity: usize| line.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let is_enough = |zeros: usize, others: usize| zeros >= ZEROS.max(4 * others) && zeros * 16 >= line.len();
    match (zeros(0), zeros(1)) {
        (even, odd) if is_enough(odd, even) => Some(Encoding::of(UTF_16LE)),
        (even, odd) if is_enough(even, odd) => Some(Encoding::of(UTF_16BE)),
        _ => None,
    }
}

/// UTF-16 without a byte-order mark, if it has line ends of two bytes and no control character: 我在 is three letters of ASCII
/// and a control character. The byte of a line end is no sign, for it stands in 上 and 《, too.
fn in_lines(bytes: &[u8]) -> Option<Encoding> {
    let (pairs, _) = bytes.as_chunks();
    let is_text = |unit: u16| match unit {
        9 | 10 | 13 => true,
        // The end of a line of one byte before a zero, and an alphabet whose high byte that is.
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

/// Whether a line has what no text in one byte or in UTF-8 has: every third byte a control character.
fn is_odd(line: &[u8]) -> bool {
    let controls = line.iter().filter(|byte| **byte < 32 && !b"\t\n\r".contains(byte)).count();
    controls * 3 > line.len()
}

/// UTF-16 without a byte-order mark and with few ASCII characters, in either order. Of an alphabet most characters have the same
/// high byte, a control character as a byte of its own: 4 of Cyrillic, 14 of Thai. Ideographs have one from 4E to 9F, beside that of CJK
/// punctuation, of kana and of ASCII: of GB18030 and Big5, read as UTF-16, fewer than half have; kana are letters where they are many. Hangul has one from AC to D7, which most
/// characters of GB18030 begin with; but only UTF-16 has zeros, of blanks and line ends.
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
        // A tab or a line end in every other place is a table of single characters, unless there are zeros as well.
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
        // The bytes of Shift_JIS are those of rare ideographs.
        let is_common = high[0x4E..=0x7F].iter().sum::<usize>() * 4 > units;
        is_alphabet
            || is_japanese
            || is_common && is_script(ideographs, around)
            || high[0] > 0 && is_script(hangul, ideographs + around)
    });
    found.map(|(.., encoding)| Encoding::of(encoding))
}

/// The encoding of bytes that are not UTF-8, UTF-8 if none of those that are looked for fits.
fn detect(block: &[u8], is_all: bool) -> Encoding {
    let beyond_ascii = |bytes: &[u8]| bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let beyond = beyond_ascii(block);
    let in_utf_8: usize = block.utf8_chunks().map(|chunk| beyond_ascii(chunk.valid().as_bytes())).sum();
    // UTF-16 without a mark looks like anything, but for its zeros.
    if beyond < LEAST || in_utf_8 * 4 >= beyond * 3 || block.contains(&0) {
        return Encoding::UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(block, is_all);
    match detector.guess(None, Utf8Detection::Deny) {
        // The same decoder, and the name of all that it reads.
        guess if guess == GBK => Encoding::of(GB18030),
        guess if [GB18030, BIG5, WINDOWS_1251, KOI8_U, IBM866].contains(&guess) => Encoding::of(guess),
        _ => Encoding::UTF_8,
    }
}
