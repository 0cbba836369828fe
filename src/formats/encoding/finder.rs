//! Finds out the encoding of an input whose encoding nobody named.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, GB18030, GBK, IBM866, KOI8_U, UTF_16BE, UTF_16LE, WINDOWS_1251};

use super::Encoding;

/// So many characters beyond ASCII, in lines that are UTF-8, show that an input is. Four characters of GB18030 are UTF-8 by chance
/// once in some thousand lines; one or two (联通) are often.
const ENOUGH: usize = 4;

/// Bytes, from the first line that is not UTF-8, that are looked at: some twenty posts. A feed waits for them once.
const BLOCK: usize = 4096;

/// Fewer bytes beyond ASCII do not tell which encoding they are in: a truncated UTF-8 character passes for GB18030.
const LEAST: usize = 8;

/// So many zeros are no strays: of six in UTF-8, all are in even places or all in odd ones by chance once in 32 times.
const ZEROS: usize = 6;

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
}

impl Finder {
    /// Looks at the input in hand: `bytes`, of which `whole` are whole lines and `skip` the rest of a line that was too long. All
    /// calls get the same bytes and more, but for those that [`advance`](Self::advance) took away. `end_after` tells where the
    /// line ends that begins at a place before `whole`. `ended` if no more will come.
    pub fn look(
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
            if let Some(encoding) = utf_16(&bytes[..first]) {
                return Finding::Is(encoding);
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
            Some(0) => Finding::Is(detect(&bytes[..bytes.len().min(BLOCK)], bytes.len() <= BLOCK)),
            Some(bad) => Finding::Lines(bad),
        }
    }

    /// The first `length` bytes have gone on.
    pub fn advance(&mut self, length: usize) {
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
        (even, odd) if is_enough(odd, even) => Some(Encoding(UTF_16LE)),
        (even, odd) if is_enough(even, odd) => Some(Encoding(UTF_16BE)),
        _ => None,
    }
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
        guess if guess == GBK => Encoding(GB18030),
        guess if [GB18030, BIG5, WINDOWS_1251, KOI8_U, IBM866].contains(&guess) => Encoding(guess),
        _ => Encoding::UTF_8,
    }
}
