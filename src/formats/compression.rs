//! Compressed inputs and outputs: the only files that know flate2, zstd, bzip2 and liblzma.
//!
//! Inputs are known by their first bytes, whatever they are called; outputs by what they are called. An archive may be of several
//! members or frames, as `cat a.gz b.gz`, `pigz`, `bgzip`, `pzstd` and `xz -T` make them, even of different kinds, and zeros may
//! stand between them and at the end.
//!
//! What comes out of a decompressor goes on at once, and it is given no more than what has come: where the writer of a feed
//! flushes behind each message, each message is answered at once. Plain inputs pay one look at their first bytes.
//!
//! Decompression takes time in proportion to what comes out, and memory of at most 128 MiB: bombs are read like any
//! other input, and cut into lines under the same limit. Archives that break off or are damaged are failures, told once all whole
//! lines before have been answered. Where only a checksum shows the damage it stands behind the data: messages that were answered
//! before the failure may then be damaged, too.

mod pack;
mod unpack;

use std::io::Read;
use std::path::Path;

pub(crate) use pack::Packer;
pub(crate) use unpack::Unpacker;

/// Bytes of memory that decompressing may take: as much as `zstd -d` takes, and twice what `xz -9` needs. Windows of `zstd
/// --ultra --long=31` are larger.
pub(crate) const MOST_MEMORY: u64 = 1 << MOST_WINDOW;
const MOST_WINDOW: u32 = 27;

/// How an input or an output is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// gzip, RFC 1952.
    Gz,
    /// Zstandard, RFC 8878.
    Zst,
    /// bzip2.
    Bz2,
    /// xz.
    Xz,
}

/// The last byte of what is in a file, unpacked; none if nothing is.
///
/// # Errors
/// It cannot be read or unpacked.
#[cfg(feature = "cli")]
pub(crate) fn last_byte(file: std::fs::File) -> std::io::Result<Option<u8>> {
    let (mut unpacker, mut bytes, mut last) = (Unpacker::new(Box::new(file)), vec![0; 1 << 16], None);
    loop {
        match unpacker.read(&mut bytes)? {
            0 => return Ok(last),
            read => last = Some(bytes[read - 1]),
        }
    }
}

/// What a file begins with, unpacked: so many bytes at the most.
///
/// # Errors
/// As [`last_byte`].
#[cfg(feature = "cli")]
pub(crate) fn first_bytes(file: std::fs::File, most: usize) -> std::io::Result<Vec<u8>> {
    let (mut unpacker, mut bytes, mut length) = (Unpacker::new(Box::new(file)), vec![0; most], 0);
    while length < most {
        match unpacker.read(&mut bytes[length..])? {
            0 => break,
            read => length += read,
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// First bytes, from the lowest to the highest that they can be. None has a line end in it: behind a whole line it is settled.
const STARTS: [(Compression, &[u8], &[u8]); 6] = [
    (Compression::Gz, b"\x1f\x8b\x08", b"\x1f\x8b\x08"),
    (Compression::Zst, b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd"),
    // Frames that are skipped: pzstd begins with one.
    (Compression::Zst, b"\x50\x2a\x4d\x18", b"\x5f\x2a\x4d\x18"),
    // Three letters and a digit may begin a text; behind them stand the digits of π, or of its root if there is nothing inside.
    (Compression::Bz2, b"BZh1\x31\x41\x59\x26\x53\x59", b"BZh9\x31\x41\x59\x26\x53\x59"),
    (Compression::Bz2, b"BZh1\x17\x72\x45\x38\x50\x90", b"BZh9\x17\x72\x45\x38\x50\x90"),
    (Compression::Xz, b"\xfd7zXZ\0", b"\xfd7zXZ\0"),
];

/// What the first bytes of an input say.
#[derive(Debug, PartialEq, Eq)]
enum Start {
    Packed(Compression),
    Plain,
    /// They are too few.
    Open,
}

impl Start {
    fn of(bytes: &[u8]) -> Self {
        let fits = |(_, low, high): &&(_, &[u8], &[u8])| {
            bytes.iter().zip(low.iter().zip(*high)).all(|(byte, (low, high))| (low..=high).contains(&byte))
        };
        match STARTS.iter().find(fits) {
            None => Self::Plain,
            Some((compression, start, _)) if bytes.len() >= start.len() => Self::Packed(*compression),
            Some(_) => Self::Open,
        }
    }
}

impl Compression {
    /// Every kind, by its file extension.
    pub(crate) const NAMED: [(&'static str, Self); 4] =
        [("gz", Self::Gz), ("zst", Self::Zst), ("bz2", Self::Bz2), ("xz", Self::Xz)];

    /// By a file's extension.
    ///
    /// ```
    /// use quchong::formats::compression::Compression;
    /// assert_eq!(Compression::of_path("kept.jsonl.zst".as_ref()), Some(Compression::Zst));
    /// assert_eq!(Compression::of_path("kept.jsonl".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::NAMED.iter().find(|(name, _)| extension.eq_ignore_ascii_case(name)).map(|(_, compression)| *compression)
    }

    /// By what a file begins with; none if it cannot be read.
    pub(crate) fn of_file(file: impl Read) -> Option<Self> {
        let mut start = Vec::new();
        file.take(16).read_to_end(&mut start).ok()?;
        match Start::of(&start) {
            Start::Packed(compression) => Some(compression),
            Start::Plain | Start::Open => None,
        }
    }

    fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }
}

#[cfg(test)]
mod tests;
