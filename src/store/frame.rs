//! The bytes of a segment file: a beginning, then frames, each under a checksum that continues the one before.
//!
//! ```text
//! "quchong\n"  8 bytes    length    4 bytes, of the payload
//! version      4 bytes    checksum  8 bytes, XXH3 of length and payload, seeded with the checksum before
//! segment      8 bytes    payload
//! ```
//! All numbers are little-endian. So a frame that is changed, left out, doubled or from another file is known where it stands.

use crate::hash::XxHash3_64;
use crate::locale::tr;

/// What a segment file and HEAD begin with.
pub(crate) const MAGIC: &[u8; 8] = b"quchong\n";
/// Version of the format of the files.
pub(crate) const VERSION: u32 = 4;
/// Where it stands in them.
const VERSION_AT: usize = MAGIC.len();
/// Bytes before the first frame.
pub(crate) const BEGINNING: usize = 20;
/// Bytes of a frame before its payload.
pub(crate) const PREFIX: usize = 12;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// Offset of the first byte of what cannot be read.
    pub(crate) at: u64,
    /// In words.
    pub(crate) reason: String,
    /// Whether it is whole, and of another format.
    pub(crate) is_foreign: bool,
}

impl Flaw {
    /// A flaw.
    pub(crate) fn new(at: usize, reason: impl Into<String>) -> Self {
        Self { at: at as u64, reason: reason.into(), is_foreign: false }
    }

    /// If a segment file or HEAD, which begins with these bytes, has another format than this program's.
    pub(crate) fn foreign(bytes: &[u8]) -> Option<Self> {
        let version = bytes[VERSION_AT..].iter().take(4).rev().fold(0, |version, byte| version << 8 | u32::from(*byte));
        let reason = || tr!("format version {version}; this quchong knows {VERSION}", version, VERSION);
        (version != VERSION).then(|| Self { is_foreign: true, ..Self::new(VERSION_AT, reason()) })
    }
}

/// A frame that is intact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'b> {
    /// Offset behind it.
    pub(crate) end: u64,
    /// Its checksum.
    pub(crate) sum: u64,
    /// What it holds.
    pub(crate) payload: &'b [u8],
}

/// The beginning of a segment file, and the checksum that its first frame continues.
pub(crate) fn beginning(segment: u64) -> ([u8; BEGINNING], u64) {
    let mut bytes = [0; BEGINNING];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&segment.to_le_bytes());
    (bytes, XxHash3_64::oneshot(&bytes))
}

/// Appends a frame behind one with the checksum `sum`; the frame's own.
///
/// # Errors
/// A payload of 4 GiB or more, in words.
pub(crate) fn write(payload: &[u8], sum: u64, out: &mut Vec<u8>) -> Result<u64, String> {
    let length =
        u32::try_from(payload.len()).map_err(|_| tr!("a batch of 4 GiB or more cannot be written down"))?.to_le_bytes();
    let sum = checksum(length, payload, sum);
    out.extend(length);
    out.extend(sum.to_le_bytes());
    out.extend(payload);
    Ok(sum)
}

fn checksum(length: [u8; 4], payload: &[u8], before: u64) -> u64 {
    // The length is a part of the seed, so that the payload is hashed where it lies.
    XxHash3_64::oneshot_with_seed(before ^ u64::from(u32::from_le_bytes(length)).rotate_left(32), payload)
}

/// Reads the frames of a segment file one after another.
#[derive(Debug, Clone)]
pub(crate) struct Frames<'b> {
    bytes: &'b [u8],
    at: usize,
    /// What the next frame continues: the checksum of the last one as it stands in the file, and as it should.
    before: [u64; 2],
}

impl<'b> Frames<'b> {
    /// The frames of the file of this segment.
    ///
    /// # Errors
    /// The [`Flaw`] in its beginning.
    pub(crate) fn of(bytes: &'b [u8], segment: u64) -> Result<Self, Flaw> {
        let (expected, sum) = beginning(segment);
        if bytes.len() < BEGINNING {
            return Err(Flaw::new(bytes.len(), tr!("the file ends within its beginning")));
        }
        let is = |range: std::ops::Range<usize>| bytes[range.clone()] == expected[range];
        if !is(0..8) {
            return Err(Flaw::new(0, tr!("this is no segment of a quchong state")));
        }
        if let Some(flaw) = Flaw::foreign(bytes) {
            // The first frame continues the beginning: if it continues that of this version, only the number is damaged.
            let is_damaged = matches!(Self::left_in(bytes, segment).next_frame(), Ok(Some(_)));
            return Err(Flaw { is_foreign: !is_damaged, ..flaw });
        }
        if !is(12..BEGINNING) {
            return Err(Flaw::new(12, tr!("this is another segment than its name says")));
        }
        Ok(Self { bytes, at: BEGINNING, before: [sum; 2] })
    }

    /// The frames of what is left of a file of this segment, whatever its beginning is like.
    pub(crate) fn left_in(bytes: &'b [u8], segment: u64) -> Self {
        Self { bytes, at: BEGINNING.min(bytes.len()), before: [beginning(segment).1; 2] }
    }

    /// Offset of the next frame.
    pub(crate) fn at(&self) -> u64 {
        self.at as u64
    }

    /// The next frame; `None` at the end of the file.
    ///
    /// # Errors
    /// The [`Flaw`] for which the frame cannot be read. Where the frame's length is right, the next one can be asked for.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Frame<'b>>, Flaw> {
        let at = self.at;
        let rest = &self.bytes[at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let Some((prefix, rest)) = rest.split_first_chunk::<PREFIX>() else {
            return Err(Flaw::new(at, tr!("the file ends within a frame")));
        };
        let [a, b, c, d, sum @ ..] = *prefix;
        let length = [a, b, c, d];
        let size = u32::from_le_bytes(length) as usize;
        let Some(payload) = rest.get(..size) else {
            return Err(Flaw::new(at, tr!("the file ends within a frame")));
        };
        let (sum, [stands, should]) = (u64::from_le_bytes(sum), self.before);
        let expected = checksum(length, payload, stands);
        let is_right = sum == expected || stands != should && sum == checksum(length, payload, should);
        (self.at, self.before) = (at + PREFIX + size, [sum, if is_right { sum } else { expected }]);
        if !is_right {
            return Err(Flaw::new(at, tr!("the checksum of this frame is wrong")));
        }
        Ok(Some(Frame { end: self.at as u64, sum, payload }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(payloads: &[Vec<u8>]) -> Vec<u8> {
        let (bytes, mut sum) = beginning(7);
        let mut bytes = bytes.to_vec();
        for payload in payloads {
            sum = write(payload, sum, &mut bytes).unwrap();
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Flaw> {
        let mut frames = Frames::of(bytes, 7)?;
        let mut payloads = Vec::new();
        while let Some(frame) = frames.next_frame()? {
            payloads.push(frame.payload.to_vec());
        }
        Ok(payloads)
    }

    proptest! {
        #[test]
        fn frames_come_back_and_no_bit_may_flip(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
            flip in any::<prop::sample::Index>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let bytes = file(&payloads);
            prop_assert_eq!(read(&bytes).unwrap(), payloads.clone());
            let mut broken = bytes.clone();
            let bit = flip.index(bytes.len() * 8);
            broken[bit / 8] ^= 1 << (bit % 8);
            let flaw = read(&broken).unwrap_err();
            prop_assert!(flaw.at <= bit as u64 / 8, "{:?} {}", flaw, bit);
            // A file that was cut has all frames that are there whole.
            let cut = cut.index(bytes.len());
            match read(&bytes[..cut]) {
                Ok(whole) => prop_assert_eq!(&payloads[..whole.len()], &whole[..]),
                Err(flaw) => prop_assert!(flaw.at <= cut as u64),
            }
        }
    }

    #[test]
    fn another_format_and_a_damaged_number_are_told_apart() {
        let mut damaged = file(&[vec![1; 10]]);
        damaged[VERSION_AT] ^= 1;
        let flaw = read(&damaged).unwrap_err();
        assert_eq!((flaw.at, flaw.is_foreign), (8, false));
        let mut foreign = damaged[..BEGINNING].to_vec();
        write(&[1; 10], XxHash3_64::oneshot(&foreign), &mut foreign).unwrap();
        let flaw = read(&foreign).unwrap_err();
        assert_eq!((flaw.at, flaw.is_foreign), (8, true));
        // Of a file without a frame nobody can tell.
        assert!(read(&foreign[..BEGINNING]).unwrap_err().is_foreign);
    }

    #[test]
    fn frames_of_another_place_are_known() {
        let payloads: Vec<Vec<u8>> = (0..4).map(|i| vec![i; 10]).collect();
        let bytes = file(&payloads);
        let frame = PREFIX + 10;
        let mut swapped = bytes.clone();
        swapped[BEGINNING..BEGINNING + 2 * frame].rotate_left(frame);
        assert_eq!(read(&swapped).unwrap_err().at, BEGINNING as u64);
        assert_eq!(Frames::of(&bytes, 8).unwrap_err().at, 12);
    }
}
