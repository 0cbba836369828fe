//! The bytes of a segment file: a beginning, then frames. The checksum of each frame continues the one of the frame before.
//!
//! ```text
//! "quchong\n"  8 bytes    length    4 bytes, of the payload
//! version      4 bytes    checksum  8 bytes, XXH3 of length and payload, seeded with the checksum before
//! segment      8 bytes    payload
//! ```
//! All numbers are little-endian. Because the checksums are chained, a frame that was changed, left out, doubled or copied
//! from another file is detected at its place.

use crate::hash::XxHash3_64;
use crate::locale::tr;

/// The first bytes of a segment file and of HEAD.
pub(crate) const MAGIC: &[u8; 8] = b"quchong\n";
/// Version of the file format.
pub(crate) const VERSION: u32 = 4;
/// Offset of the version in these files.
const VERSION_AT: usize = MAGIC.len();
/// Bytes before the first frame.
pub(crate) const BEGINNING: usize = 20;
/// Bytes of a frame before its payload.
pub(crate) const PREFIX: usize = 12;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// Offset of the first byte that cannot be read.
    pub(crate) at: u64,
    /// The reason, as text for the user.
    pub(crate) reason: String,
    /// Whether the file is whole but has another format.
    pub(crate) is_foreign: bool,
}

impl Flaw {
    /// Makes a flaw of damage.
    pub(crate) fn new(at: usize, reason: impl Into<String>) -> Self {
        Self { at: at as u64, reason: reason.into(), is_foreign: false }
    }

    /// Returns a flaw if a segment file or HEAD that begins with `bytes` has another format version than this program's.
    pub(crate) fn foreign(bytes: &[u8]) -> Option<Self> {
        let version = u32_at(bytes, VERSION_AT);
        let reason = || tr!("format version {version}; this quchong knows {VERSION}", version, VERSION);
        (version != VERSION).then(|| Self { is_foreign: true, ..Self::new(VERSION_AT, reason()) })
    }
}

/// Returns the little-endian number at this byte; 0 if the bytes end before it does.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The same, of eight bytes.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// An intact frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'b> {
    /// Offset after the frame.
    pub(crate) end: u64,
    /// The frame's checksum.
    pub(crate) sum: u64,
    /// The bytes that the frame holds.
    pub(crate) payload: &'b [u8],
}

/// Returns the beginning of a segment file, and the checksum that its first frame continues.
pub(crate) fn beginning(segment: u64) -> ([u8; BEGINNING], u64) {
    let mut bytes = [0; BEGINNING];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&segment.to_le_bytes());
    (bytes, XxHash3_64::oneshot(&bytes))
}

/// Appends a frame that continues the checksum `sum`. Returns the frame's own checksum.
///
/// # Errors
/// A message for the user if the payload has 4 GiB or more.
pub(crate) fn write(payload: &[u8], sum: u64, out: &mut Vec<u8>) -> Result<u64, String> {
    let length = u32::try_from(payload.len())
        .map_err(|_| tr!("a batch of 4 GiB or more cannot be written down; send fewer records at once"))?
        .to_le_bytes();
    let sum = checksum(length, payload, sum);
    out.extend(length);
    out.extend(sum.to_le_bytes());
    out.extend(payload);
    Ok(sum)
}

fn checksum(length: [u8; 4], payload: &[u8], before: u64) -> u64 {
    // The length is part of the seed, so that the payload can be hashed in place.
    XxHash3_64::oneshot_with_seed(before ^ u64::from(u32::from_le_bytes(length)).rotate_left(32), payload)
}

/// Reads the frames of a segment file one after another.
#[derive(Debug, Clone)]
pub(crate) struct Frames<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The checksum that the next frame continues: the one that the last frame carries, and the one it should carry.
    before: [u64; 2],
}

impl<'b> Frames<'b> {
    /// Begins with the first frame in the file of this segment.
    ///
    /// # Errors
    /// The [`Flaw`] in the file's beginning.
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
            // The first frame continues the checksum of the beginning. If it continues the beginning of this version, only
            // the version number is damaged.
            let is_damaged = matches!(Self::left_in(bytes, segment).next_frame(), Ok(Some(_)));
            return Err(Flaw { is_foreign: !is_damaged, ..flaw });
        }
        if !is(12..BEGINNING) {
            return Err(Flaw::new(12, tr!("this is another segment than its name says")));
        }
        Ok(Self { bytes, at: BEGINNING, before: [sum; 2] })
    }

    /// Begins with the first frame of a damaged file of this segment, without checking the file's beginning.
    pub(crate) fn left_in(bytes: &'b [u8], segment: u64) -> Self {
        Self { bytes, at: BEGINNING.min(bytes.len()), before: [beginning(segment).1; 2] }
    }

    /// Offset of the next frame.
    pub(crate) fn at(&self) -> u64 {
        self.at as u64
    }

    /// Returns the next frame; `None` at the end of the file.
    ///
    /// # Errors
    /// The [`Flaw`] because of which the frame cannot be read. If the frame's length is right, a further call returns the
    /// next frame.
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
            // In a file that was cut off, all frames before the cut are whole.
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
        // Without a frame nothing shows whether the version number is damaged.
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
