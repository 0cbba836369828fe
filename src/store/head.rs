//! HEAD: how much of the log must be intact.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::hash::XxHash3_64;

use super::frame::{Flaw, MAGIC, VERSION, u64_at};
use crate::locale::tr;

/// The file's name.
pub(crate) const NAME: &str = "HEAD";
const NEW: &str = "HEAD.new";
/// The file's size in bytes: magic, version, the four numbers, and the checksum of all of them.
const SIZE: usize = 8 + 4 + 4 * 8 + 8;

/// How much of the log was on disk when HEAD was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The first segment that is needed.
    pub(crate) first: u64,
    /// The segment that was written to.
    pub(crate) segment: u64,
    /// The length of that segment in bytes.
    pub(crate) length: u64,
    /// The checksum of the frame that ends at that length.
    pub(crate) sum: u64,
}

impl Head {
    /// Reads the HEAD of a folder; `None` if there is none.
    ///
    /// # Errors
    /// The [`Flaw`] because of which HEAD cannot be trusted, or the system's error.
    pub(crate) fn read(folder: &Path) -> io::Result<Option<Result<Self, Flaw>>> {
        match fs::read(folder.join(NAME)) {
            Ok(bytes) => Ok(Some(Self::parse(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn parse(bytes: &[u8]) -> Result<Self, Flaw> {
        let Ok(bytes) = <&[u8; SIZE]>::try_from(bytes) else {
            return Err(Flaw::new(bytes.len().min(SIZE), tr!("{} bytes, not {SIZE}", bytes.len(), SIZE)));
        };
        let number = |at| u64_at(bytes, at);
        if XxHash3_64::oneshot(&bytes[..SIZE - 8]) != number(SIZE - 8) {
            return Err(Flaw::new(0, tr!("its checksum is wrong")));
        }
        if bytes[..8] != *MAGIC {
            return Err(Flaw::new(0, tr!("this is no beginning of a quchong state")));
        }
        if let Some(flaw) = Flaw::foreign(bytes) {
            return Err(flaw);
        }
        Ok(Self { first: number(12), segment: number(20), length: number(28), sum: number(36) })
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        for number in [self.first, self.segment, self.length, self.sum] {
            bytes.extend(number.to_le_bytes());
        }
        let sum = XxHash3_64::oneshot(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Replaces the folder's HEAD with this one: completely and on disk, or not at all.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn write(self, folder: &Path) -> io::Result<()> {
        let new = folder.join(NEW);
        let mut file = File::create(&new)?;
        file.write_all(&self.bytes())?;
        file.sync_all()?;
        fs::rename(&new, folder.join(NAME))?;
        sync_folder(folder)
    }
}

/// Makes the file names in a folder durable.
///
/// # Errors
/// The system's.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // On other systems a folder cannot be opened, and the system alone decides whether a renaming is durable.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_of_it_may_flip() {
        let head = Head { first: 1, segment: 2, length: 3 << 40, sum: u64::MAX - 5 };
        let bytes = head.bytes();
        assert_eq!(Head::parse(&bytes), Ok(head));
        for bit in 0..bytes.len() * 8 {
            let mut broken = bytes.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            assert!(Head::parse(&broken).is_err(), "{bit}");
        }
        assert!((0..bytes.len()).all(|end| Head::parse(&bytes[..end]).is_err()));
    }
}
