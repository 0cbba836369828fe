//! Compressed inputs and outputs. Only these files use flate2, zstd, bzip2 and liblzma.
//!
//! The compression of an input is recognised by its first bytes, whatever the name of the file; that of an output is chosen by its
//! name. An archive may consist of several members or frames, as `cat a.gz b.gz`, `pigz`, `bgzip`, `pzstd` and `xz -T` make them.
//! The members may even be of different kinds, and zeros may lie between them and at the end.
//!
//! The decompressor gets only the bytes that have arrived, and its output is passed on at once. So if the writer of a feed flushes
//! after each message, each message is answered at once. For plain inputs the only cost is a look at the first bytes.
//!
//! Decompression takes time in proportion to its output, and at most 128 MiB of memory. Decompression bombs are therefore read like
//! any other input, and cut into lines under the same limit. An archive that is truncated or damaged is a failure, reported once
//! all whole lines before the damage have been answered. If only a checksum shows the damage, the checksum comes after the data:
//! messages that were answered before the failure may then be damaged, too.

mod pack;
mod unpack;

use std::io::Read;
use std::path::Path;

use crate::locale::tr;
pub(crate) use pack::Packer;
pub(crate) use unpack::Unpacker;

/// Most memory that decompressing may take, in bytes. This is the limit of `zstd -d`, and twice what `xz -9` needs. Archives made
/// by `zstd --ultra --long=31` need more and are refused.
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

/// The beginning of a ZIP file, and so of an Excel workbook.
const ZIP: &[u8] = b"PK\x03\x04";
/// The beginning of an old Excel workbook (.xls), or another document of that time.
const OLD_OFFICE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const SQLITE: &[u8] = b"SQLite format 3\0";
/// The beginnings of files in formats that are packed, but not by one of the [kinds](Compression) that are read: LZ4, 7-Zip and RAR.
const PACKED: [(&str, &[u8]); 3] =
    [("LZ4", b"\x04\x22\x4d\x18"), ("7-Zip", b"7z\xbc\xaf\x27\x1c"), ("RAR", b"Rar!\x1a\x07")];

/// The marks of tar archives, by POSIX and by GNU, and where they stand: behind the name of a file and the NULs that fill its field.
const TAR: [&[u8]; 2] = [b"ustar\0", b"ustar  \0"];
const TAR_AT: usize = 257;

/// Returns what to do with an input that begins so, if it is an archive or a binary file of a kind that is not read.
pub(crate) fn unreadable(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(ZIP) {
        return Some(tr!("it is a ZIP file, which is not read: save a workbook (.xlsx) as CSV, unzip any other"));
    }
    if bytes.starts_with(OLD_OFFICE) {
        return Some(tr!("it is an old Office file, which is not read: save a workbook (.xls) as CSV"));
    }
    if bytes.starts_with(SQLITE) {
        return Some(tr!(
            "it is an SQLite database, which is not read: export the table as CSV (sqlite3 -header -csv)"
        ));
    }
    if let Some((name, _)) = PACKED.iter().find(|(_, mark)| bytes.starts_with(mark)) {
        return Some(tr!("it is packed as {name}, which is not read: unpack it first", name));
    }
    let is_marked = |rest: &[u8]| TAR.iter().any(|mark| rest.starts_with(mark));
    let is_tar = bytes.get(TAR_AT..).is_some_and(|rest| is_marked(rest) && bytes[..TAR_AT].contains(&0));
    is_tar.then(|| tr!("it is a tar archive, which is not read: unpack it first (tar xf), or pipe its files (tar xOf … | quchong dedup)"))
}

/// Returns the last byte of a file's decompressed content; `None` if it is empty.
///
/// # Errors
/// The file cannot be read or unpacked.
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

/// Returns the beginning of a file's decompressed content, at most `most` bytes.
///
/// # Errors
/// The file cannot be read or unpacked.
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

/// Returns the first line of a file's decompressed content that is not blank, without its line end; `None` if there is none, or if the file
/// cannot be read.
pub(crate) fn first_line(path: &Path) -> Option<Vec<u8>> {
    first_line_of(&std::fs::File::open(path).and_then(|file| first_bytes(file, HEADER)).ok()?)
}

/// The same for the beginning of a text.
pub(crate) fn first_line_of(start: &[u8]) -> Option<Vec<u8>> {
    start.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).map(<[u8]>::to_vec)
}

/// The longest header that is recognised, in bytes.
pub(crate) const HEADER: usize = 1 << 16;

/// The first bytes of each kind, as a lower and an upper bound for every byte. No bound contains a line end, so one whole line
/// always settles the kind.
const STARTS: [(Compression, &[u8], &[u8]); 6] = [
    (Compression::Gz, b"\x1f\x8b\x08", b"\x1f\x8b\x08"),
    (Compression::Zst, b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd"),
    // Skippable frames: pzstd begins with one.
    (Compression::Zst, b"\x50\x2a\x4d\x18", b"\x5f\x2a\x4d\x18"),
    // `BZh` and a digit may begin a plain text. In bzip2 the digits of π follow, or those of its square root if the archive is
    // empty.
    (Compression::Bz2, b"BZh1\x31\x41\x59\x26\x53\x59", b"BZh9\x31\x41\x59\x26\x53\x59"),
    (Compression::Bz2, b"BZh1\x17\x72\x45\x38\x50\x90", b"BZh9\x17\x72\x45\x38\x50\x90"),
    (Compression::Xz, b"\xfd7zXZ\0", b"\xfd7zXZ\0"),
];

/// The verdict on the first bytes of an input.
#[derive(Debug, PartialEq, Eq)]
enum Start {
    Packed(Compression),
    Plain,
    /// There are too few bytes to decide.
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
    /// Every kind with its file extension.
    pub(crate) const NAMED: [(&'static str, Self); 4] =
        [("gz", Self::Gz), ("zst", Self::Zst), ("bz2", Self::Bz2), ("xz", Self::Xz)];

    /// Recognises the compression by a file's extension.
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

    /// Recognises the compression by the first bytes of a file; `None` also if it cannot be read.
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
