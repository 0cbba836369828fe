//! A file that is being read: how far, and what stood there, by which it is known to be the same, or a copy.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Instant;

use crate::hash::XxHash3_64;

use super::folder::Stamp;
use crate::formats::compression::Unpacker;
use crate::formats::encoding::Encoding;

/// Bytes from the beginning, and before the place that has been read to, by which a file is known to be the same.
pub(super) const ENDS: usize = 4096;

/// A file, as far as it has been read.
pub(super) struct Held {
    pub(crate) file: File,
    /// If it is packed: what it is called, and what unpacks it.
    pub(crate) packed: Option<(PathBuf, Unpacker)>,
    /// Bytes read of it; the first of them, if they were read; and the last.
    pub(crate) offset: u64,
    head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
    /// The most bytes that it was seen to have.
    pub(crate) length: u64,
    /// Whether its end was seen, and when it was last seen to grow behind that.
    pub(crate) at_end: bool,
    pub(crate) grew: Option<Instant>,
    /// Whether it is a copy of one that was cut, or packed: it grows no more.
    pub(crate) is_copy: bool,
    /// Whether nothing of it is left to be read.
    pub(crate) is_over: bool,
    /// What it was like when it was looked for copies before its first byte.
    pub(crate) seen: Option<Stamp>,
}

/// How a file has to do with one that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// It is a copy, and has so many bytes.
    Copy(u64),
    /// It is no copy of what was read.
    Other,
}

impl Held {
    /// A file from its beginning.
    pub(crate) fn new(file: File, is_copy: bool) -> Self {
        Self {
            file,
            packed: None,
            offset: 0,
            head: Vec::new(),
            tail: Vec::new(),
            length: 0,
            at_end: false,
            grew: None,
            is_copy,
            is_over: false,
            seen: None,
        }
    }

    /// A file from its beginning, wherever it is; `packed` is what it is called, if it is packed.
    pub(crate) fn begin(mut file: File, packed: Option<PathBuf>, is_copy: bool) -> io::Result<Self> {
        file.rewind()?;
        let Some(path) = packed else { return Ok(Self::new(file, is_copy)) };
        let unpacker = Unpacker::new(Box::new(file.try_clone()?));
        Ok(Self { packed: Some((path, unpacker)), ..Self::new(file, true) })
    }

    /// Goes to a place in it, whatever stands before that. Whether it is as long.
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

    /// What it ends with, as far as it was read.
    pub(crate) fn ending(&self) -> Ending {
        Ending { length: self.offset, sum: XxHash3_64::oneshot(&self.tail) }
    }

    /// Goes on in another file, which has what was read so far.
    pub(crate) fn go_on_in(&mut self, copy: File) -> File {
        (self.is_copy, self.at_end, self.grew, self.length) = (true, false, None, 0);
        std::mem::replace(&mut self.file, copy)
    }

    /// Whether it was cut: what was read of it does not stand there any longer. Leaves it at the place that was read to.
    pub(crate) fn is_cut(&mut self) -> io::Result<bool> {
        if self.packed.is_some() {
            return Ok(false);
        }
        let length = self.file.metadata()?.len();
        self.length = self.length.max(length);
        Ok(length < self.offset || !continues(&mut self.file, self.offset, &self.tail)?)
    }

    /// How its lines end in the encoding that a mark at its beginning tells, or else in this one, or else in UTF-8.
    pub(crate) fn line_end(&self, encoding: Option<Encoding>) -> &'static [u8] {
        Encoding::of_mark(&self.head).or(encoding).unwrap_or(Encoding::UTF_8).line_end()
    }

    /// Reads on.
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

    /// Whether another file has what was read of this one, all or the first of it.
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

/// How long a file is, unpacked, and a checksum of the last [`ENDS`] bytes: what tells whether one is another that was packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ending {
    length: u64,
    sum: u64,
}

impl Ending {
    /// Of a file that is not packed. Leaves it anywhere.
    pub(crate) fn of(file: &mut File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(ENDS as u64)))?;
        let mut tail = Vec::new();
        file.take(ENDS as u64).read_to_end(&mut tail)?;
        Ok(Self { length, sum: XxHash3_64::oneshot(&tail) })
    }
}

/// Adds bytes to the last ones, of which there are [`ENDS`] at the most.
pub(super) fn add(tail: &mut Vec<u8>, bytes: &[u8]) {
    let (kept, new) = (ENDS.saturating_sub(bytes.len()), bytes.len().min(ENDS));
    tail.drain(..tail.len().saturating_sub(kept));
    tail.extend_from_slice(&bytes[bytes.len() - new..]);
}

/// Whether `tail` stands in a file before `offset`, where the file then is.
pub(super) fn continues(file: &mut File, offset: u64, tail: &[u8]) -> io::Result<bool> {
    let is_there = stands(file, offset - tail.len() as u64, tail)?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(is_there)
}

/// Whether these bytes, [`ENDS`] at the most, stand in a file at a place.
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

/// Whether all of a file is what another begins with; beyond the first 64 KiB it is taken to be.
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
