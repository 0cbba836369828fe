//! The checksums that the papers sign with. Only this file uses CRC32, MD5 and SHA-1.

use std::fmt;

use crate::hash::XxHash3_64;
use md5::{Digest as _, Md5};
use serde::{Serialize, Serializer};
use sha1::Sha1;

/// Number of bytes of the longest checksum, SHA-1.
const MOST: usize = 20;

/// A checksum of 4 (CRC32) to 20 bytes (SHA-1), displayed in hexadecimal.
///
/// ```
/// use quchong::methods::checksum::Checksum;
/// assert_eq!(Checksum::crc32(b"123456789"), Checksum::number(0xCBF4_3926));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Checksum {
    bytes: [u8; MOST],
    length: u8,
}

impl Checksum {
    /// Computes the CRC32 (IEEE 802.3, as in zip and Ethernet).
    pub fn crc32(bytes: &[u8]) -> Self {
        Self::number(crc32fast::hash(bytes))
    }

    /// Computes the MD5.
    pub fn md5(bytes: &[u8]) -> Self {
        Self::of(&Md5::digest(bytes))
    }

    /// Computes the SHA-1.
    pub fn sha1(bytes: &[u8]) -> Self {
        Self::of(&Sha1::digest(bytes))
    }

    /// Computes the 64-bit XXH3 of numbers. It is used for sketches; their authors use fingerprints by random polynomials.
    pub fn of_numbers<N: Into<u64>>(numbers: impl IntoIterator<Item = N>) -> Self {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(|number| number.into().to_le_bytes()).collect();
        Self::of(&XxHash3_64::oneshot(&bytes).to_be_bytes())
    }

    /// Computes the 64-bit XXH3 of two checksums.
    pub fn of_both(a: &Self, b: &Self) -> Self {
        Self::of(&XxHash3_64::oneshot(&[a.bytes(), b.bytes()].concat()).to_be_bytes())
    }

    /// Takes a 32-bit number as the checksum.
    pub fn number(number: u32) -> Self {
        Self::of(&number.to_be_bytes())
    }

    /// Takes the bytes as the checksum, at most 20 of them.
    fn of(digest: &[u8]) -> Self {
        let mut bytes = [0; MOST];
        let length = digest.len().min(MOST);
        bytes[..length].copy_from_slice(&digest[..length]);
        Self { bytes, length: length as u8 }
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values that the definitions of the three checksums give.
    #[test]
    fn checksums_are_those_of_the_books() {
        assert_eq!(Checksum::crc32(b"123456789").to_string(), "cbf43926");
        assert_eq!(Checksum::md5(b"abc").to_string(), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(Checksum::sha1(b"abc").to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(Checksum::of_numbers([7_u64]).bytes().len(), 8);
    }
}
