//! A file that is being read: how far, and the bytes by which the same file or a copy of it is recognised.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::hash::XxHash3_64;
use serde::{Deserialize, Serialize};

use super::folder::Stamp;
use crate::formats::compression::Unpacker;
use crate::formats::encoding::Encoding;

/// How many bytes, at the beginning and before the current place, are used to recognise a file.
pub(super) const ENDS: usize = 4096;

/// A file and how far it has been read.
pub(super) struct Held {
    pub(crate) file: File,
    /// If the file is packed: its path, and its unpacker.
    pub(crate) packed: Option<(PathBuf, Unpacker)>,
    /// The number of bytes read.
    pub(crate) offset: u64,
    /// The first of these bytes, if they were read and not skipped.
    head: Vec<u8>,
    /// The last of these bytes.
    pub(crate) tail: Vec<u8>,
    /// The greatest length at which the file has been seen.
    pub(crate) length: u64,
    /// Whether the end of the file has been seen.
    pub(crate) at_end: bool,
    /// When the file was last seen to grow after that.
    pub(crate) grew: Option<Instant>,
    /// Whether the file grows no more: it is packed, or a copy of a file that was cut.
    pub(crate) is_final: bool,
    /// Whether no more of the file will be read.
    pub(crate) is_given_up: bool,
    /// The stamp of the file when copies were last looked for before its first byte was read.
    pub(crate) stamp_at_last_copy_search: Option<Stamp>,
}

/// How a file is related to the one that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// A copy with this many bytes.
    Copy(u64),
    /// No copy of what was read.
    Other,
}

impl Held {
    /// Takes a file that is at its beginning.
    pub(crate) fn new(file: File, is_final: bool) -> Self {
        Self {
            file,
            packed: None,
            offset: 0,
            head: Vec::new(),
            tail: Vec::new(),
            length: 0,
            at_end: false,
            grew: None,
            is_final,
            is_given_up: false,
            stamp_at_last_copy_search: None,
        }
    }

    /// Takes a file and goes to its beginning. `packed` is its path, if it is packed.
    pub(crate) fn begin(mut file: File, packed: Option<PathBuf>, is_final: bool) -> io::Result<Self> {
        file.rewind()?;
        let Some(path) = packed else { return Ok(Self::new(file, is_final)) };
        let unpacker = Unpacker::new(Box::new(file.try_clone()?));
        Ok(Self { packed: Some((path, unpacker)), ..Self::new(file, true) })
    }

    /// Goes to `offset`, whatever the bytes before it are. Returns whether the file is that long.
    pub(crate) fn go_to(&mut self, offset: u64) -> io::Result<bool> {
        if self.packed.is_none() {
            self.file.rewind()?;
            (&self.file).take(offset.min(ENDS as u64)).read_to_end(&mut self.head)?;
            let begin = offset.saturating_sub(ENDS as u64);
            self.file.seek(SeekFrom::Start(begin))?;
            (&self.file).take(offset - begin).read_to_end(&mut self.tail)?;
            self.offset = begin + self.tail.len() as u64;
            return Ok(self.offset == offset);
        }
        let mut bytes = vec![0; 1 << 16];
        while self.offset < offset {
            let most = usize::try_from(offset - self.offset).unwrap_or(bytes.len()).min(bytes.len());
            if self.read(&mut bytes[..most])? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The length and the checksum of what was read so far.
    pub(crate) fn ending(&self) -> Ending {
        Ending { length: self.offset, sum: XxHash3_64::oneshot(&self.tail) }
    }

    /// Replaces the file by a copy that holds the bytes read so far. Returns the old file.
    pub(crate) fn go_on_in(&mut self, copy: File) -> File {
        (self.is_final, self.at_end, self.grew, self.length) = (true, false, None, 0);
        std::mem::replace(&mut self.file, copy)
    }

    /// Whether the file was cut: the bytes that were read are no longer in their place. Leaves the file at the current place.
    pub(crate) fn is_cut(&mut self) -> io::Result<bool> {
        if self.packed.is_some() {
            return Ok(false);
        }
        let length = self.file.metadata()?.len();
        self.length = self.length.max(length);
        Ok(length < self.offset || !continues(&mut self.file, self.offset, &self.tail)?)
    }

    /// The line end of the file in its encoding: that of its byte-order mark, else `encoding`, else UTF-8.
    pub(crate) fn line_end(&self, encoding: Option<Encoding>) -> &'static [u8] {
        Encoding::of_mark(&self.head).or(encoding).unwrap_or(Encoding::UTF_8).line_end()
    }

    /// Reads the next bytes.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.packed {
            Some((_, unpacker)) => unpacker.read(into)?,
            None => self.file.read(into)?,
        };
        if read == 0 {
            self.at_end = true;
            return Ok(0);
        }
        let bytes = &into[..read];
        if self.offset == self.head.len() as u64 {
            self.head.extend_from_slice(&bytes[..read.min(ENDS - self.head.len())]);
        }
        self.offset += read as u64;
        add(&mut self.tail, bytes);
        if self.at_end {
            self.grew = Some(Instant::now());
        }
        Ok(read)
    }

    /// Judges whether another file is a copy of what was read of this one: it holds all of these bytes, or the first of them.
    pub(crate) fn likeness(&self, other: &mut File) -> io::Result<Likeness> {
        let length = other.metadata()?.len();
        let begins = self.head.len().min(usize::try_from(length).unwrap_or(ENDS));
        let (begin, overlap) = (self.offset - self.tail.len() as u64, length.min(self.offset));
        let known = usize::try_from(overlap.saturating_sub(begin)).unwrap_or(0);
        let is_like = length > 0
            && self.offset > 0
            && stands(other, 0, &self.head[..begins])?
            && stands(other, begin, &self.tail[..known])?
            && begins + known > 0;
        Ok(if is_like { Likeness::Copy(length) } else { Likeness::Other })
    }
}

/// The unpacked length of a file, and a checksum of its last [`ENDS`] bytes. By these a packed file is recognised as one that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ending {
    length: u64,
    sum: u64,
}

impl Ending {
    /// The ending of a file that is not packed. Leaves the file at any place.
    pub(crate) fn of(file: &mut File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(ENDS as u64)))?;
        let mut tail = Vec::new();
        file.take(ENDS as u64).read_to_end(&mut tail)?;
        Ok(Self { length, sum: XxHash3_64::oneshot(&tail) })
    }

    /// The ending of what a packed file holds; `None` if it cannot be unpacked to its end.
    pub(crate) fn unpacked(file: File, path: &Path) -> io::Result<Option<Self>> {
        let mut held = Held::begin(file, Some(path.to_owned()), true)?;
        let mut bytes = vec![0; 1 << 16];
        loop {
            match held.read(&mut bytes) {
                Ok(0) => return Ok(Some(held.ending())),
                Ok(_) => {}
                Err(_) => return Ok(None),
            }
        }
    }
}

/// Appends `bytes` to `tail`, and keeps only the last [`ENDS`] bytes.
pub(super) fn add(tail: &mut Vec<u8>, bytes: &[u8]) {
    let (kept, new) = (ENDS.saturating_sub(bytes.len()), bytes.len().min(ENDS));
    tail.drain(..tail.len().saturating_sub(kept));
    tail.extend_from_slice(&bytes[bytes.len() - new..]);
}

/// Whether the bytes of a file before `offset` are `tail`. Leaves the file at `offset`.
pub(super) fn continues(file: &mut File, offset: u64, tail: &[u8]) -> io::Result<bool> {
    let is_there = stands(file, offset - tail.len() as u64, tail)?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(is_there)
}

/// Whether a file has these bytes, at most [`ENDS`], at the offset `at`.
fn stands(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<bool> {
    let mut there = [0; ENDS];
    let there = &mut there[..bytes.len()];
    file.seek(SeekFrom::Start(at))?;
    match file.read_exact(there) {
        Ok(()) => Ok(there == bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the whole of `copy` is the beginning of `of`. Only the first 64 KiB are compared; the rest is assumed to be the same.
pub(super) fn is_begin_of(copy: &mut File, of: &mut File) -> io::Result<bool> {
    const LOOKED_AT: u64 = 64 << 10;
    let length = copy.metadata()?.len();
    if of.metadata()?.len() < length {
        return Ok(false);
    }
    let begin = |file: &mut File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.take(length.min(LOOKED_AT)).read_to_end(&mut bytes)?;
        file.rewind()?;
        Ok::<_, io::Error>(bytes)
    };
    Ok(begin(copy)? == begin(of)?)
}
