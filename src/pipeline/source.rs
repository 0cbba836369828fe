//! Bytes to lines: reads the inputs one after another and cuts them into [`Batch`]es.
//!
//! A batch is what the lines of *one* read are. A pipe's read returns as soon as anything is there, so a single message is a
//! batch of its own and is answered at once; a file's read returns 256 KB, so a dump goes in large batches.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Bytes asked for by one read. Beyond 256 KB reads cost the same per line (200–250 ns per 474-byte line).
const READ_SIZE: usize = 256 << 10;

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// How messages name it.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Whether it is a file, which can be read again from any place.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(path) if fs::metadata(path).is_ok_and(|about| about.is_file()))
    }

    /// Whether it can be opened. A pipe with a name cannot be opened for a try: its writer would be told that nobody reads.
    fn check(&self) -> Result<()> {
        match self {
            Self::File(path) if fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) => Ok(()),
            _ => self.open().map(drop),
        }
    }

    fn open(&self) -> Result<Box<dyn Read + Send>> {
        let file = match self {
            Self::Stdin => return Ok(Box::new(io::stdin())),
            Self::File(path) => File::open(path),
        };
        let is_folder = |file: &File| file.metadata().is_ok_and(|about| about.is_dir());
        match file {
            Ok(file) if is_folder(&file) => {
                Err(Error::io(self.name(), io::Error::other("is a folder; name the files in it")))
            }
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err(Error::io(self.name(), error)),
        }
    }
}

/// How records stand in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// By the file's extension (`.jsonl`, `.ndjson`, `.json`; `.txt`), else by the first byte that is no blank: `{` is JSONL.
    Auto,
    /// Each line is a message.
    Lines,
    /// Each line is a JSON object with the message in a field.
    Jsonl,
}

impl Format {
    fn of(self, input: &Input) -> Self {
        let Input::File(path) = input else { return self };
        match (self, path.extension().and_then(|extension| extension.to_str())) {
            (Self::Auto, Some("jsonl" | "ndjson" | "json")) => Self::Jsonl,
            (Self::Auto, Some("txt")) => Self::Lines,
            _ => self,
        }
    }
}

/// Consecutive lines of one input.
#[derive(Debug)]
pub struct Batch {
    /// The bytes of all lines, line ends included.
    pub bytes: Vec<u8>,
    /// The lines, in order; together they are all of `bytes`.
    pub lines: Vec<Line>,
    /// Name of the input.
    pub file: Arc<str>,
    /// Settled format; [`Format::Auto`] only while nothing but blank lines has come.
    pub format: Format,
    /// Where the input goes on behind it.
    pub end: Place,
}

/// A place between two lines, or between two pieces of a line that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Which input, from 0.
    pub input: u32,
    /// Bytes of it that are before the place.
    pub offset: u64,
    /// 1-based number of the line that begins or goes on there.
    pub line: u64,
    /// Whether the line that goes on there is too long.
    pub in_long_line: bool,
    /// The input's format, as far as it is settled.
    pub format: Format,
}

impl Default for Place {
    /// The beginning of the first input.
    fn default() -> Self {
        Self { input: 0, offset: 0, line: 1, in_long_line: false, format: Format::Auto }
    }
}

/// A line, or a piece of one that is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Where it starts in [`Batch::bytes`].
    pub start: usize,
    /// Where it ends, its line end included.
    pub end: usize,
    /// 1-based number in its file.
    pub number: u64,
    /// Whether it is the whole line.
    pub part: Part,
}

/// Which part of a line is in the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The first piece of a line that is too long.
    TooLong,
    /// A further piece of such a line.
    TooLongRest,
}

/// The inputs, read in order.
pub struct Source {
    inputs: std::vec::IntoIter<Input>,
    /// Inputs that were opened.
    opened: u32,
    open: Option<Open>,
    format: Format,
    max_line: usize,
}

/// The input being read.
struct Open {
    reader: Box<dyn Read + Send>,
    name: Arc<str>,
    format: Format,
    /// Bytes read that do not make a whole line yet.
    carry: Vec<u8>,
    /// Which input it is, and how many of its bytes are before `carry`.
    input: u32,
    offset: u64,
    /// Number of the line that `carry` begins or continues.
    number: u64,
    /// Whether the line that `carry` continues is longer than the limit and its beginning has gone on already.
    in_long_line: bool,
}

impl Source {
    /// A source over `inputs`, lines limited to `max_line` bytes (line end not counted).
    ///
    /// # Errors
    /// [`Error::Io`] if one of the files cannot be opened: better before the first record than after the last but one.
    pub fn new(inputs: Vec<Input>, format: Format, max_line: usize) -> Result<Self> {
        for input in &inputs {
            input.check()?;
        }
        Ok(Self { inputs: inputs.into_iter(), opened: 0, open: None, format, max_line })
    }

    /// Goes on at a place where an earlier run over the same inputs was: `whole` is given all bytes before it. What is no file
    /// cannot be read again, and only its lines are counted on.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails or an input is shorter than it was.
    pub fn go_on(&mut self, place: &Place, mut whole: impl FnMut(&[u8])) -> Result<()> {
        while let Some(input) = self.inputs.next() {
            self.opened += 1;
            let mut reader = input.open()?;
            let is_last = self.opened > place.input;
            if input.is_file() {
                let wanted = if is_last { place.offset } else { u64::MAX };
                let io = |error| Error::io(input.name(), error);
                let mut beginning = reader.by_ref().take(wanted);
                let (mut buffer, mut passed) = (vec![0; READ_SIZE], 0);
                loop {
                    let read = beginning.read(&mut buffer).map_err(io)?;
                    if read == 0 {
                        break;
                    }
                    whole(&buffer[..read]);
                    passed += read as u64;
                }
                if is_last && passed < place.offset {
                    let reason = format!("it ends at byte {passed}, and was read up to {} before", place.offset);
                    return Err(io(io::Error::new(io::ErrorKind::InvalidData, reason)));
                }
            }
            if is_last {
                let format = if place.format == Format::Auto { self.format.of(&input) } else { place.format };
                self.open = Some(Open {
                    reader,
                    name: input.name().into(),
                    format,
                    carry: Vec::new(),
                    input: place.input,
                    offset: place.offset,
                    number: place.line,
                    in_long_line: place.in_long_line,
                });
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next lines; blocks until there are any. `None` at the end of the last input.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(input) = self.inputs.next() else { return Ok(None) };
                self.opened += 1;
                self.open = Some(Open {
                    reader: input.open()?,
                    name: input.name().into(),
                    format: self.format.of(&input),
                    carry: Vec::new(),
                    input: self.opened - 1,
                    offset: 0,
                    number: 1,
                    in_long_line: false,
                });
                continue;
            };
            match open.next_batch(self.max_line)? {
                Some(batch) => return Ok(Some(batch)),
                None => self.open = None,
            }
        }
    }
}

impl Open {
    fn next_batch(&mut self, max_line: usize) -> Result<Option<Batch>> {
        let mut bytes = std::mem::take(&mut self.carry);
        loop {
            let old = bytes.len();
            bytes.resize(old + READ_SIZE, 0);
            let read = loop {
                match self.reader.read(&mut bytes[old..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read.map_err(|error| Error::io(&*self.name, error))?,
                }
            };
            bytes.truncate(old + read);
            if self.number == 1
                && !self.in_long_line
                && [&b"\xFF\xFE"[..], b"\xFE\xFF"].iter().any(|mark| bytes.starts_with(mark))
            {
                let reason = "this is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8";
                return Err(Error::io(&*self.name, io::Error::new(io::ErrorKind::InvalidData, reason)));
            }
            // The end of the input ends its last line; the next call then finds nothing.
            let end = match memchr::memrchr(b'\n', &bytes[old..]) {
                Some(last) => old + last + 1,
                None if read == 0 && bytes.is_empty() => return Ok(None),
                None if read == 0 || bytes.len() > max_line || self.in_long_line => bytes.len(),
                None => continue,
            };
            self.settle(&bytes[..end]);
            // Blank lines wait for what tells the format, so that they are treated alike however the reads fall.
            if self.format == Format::Auto && read > 0 && end < MOST_BLANK {
                continue;
            }
            self.carry = bytes.split_off(end);
            return Ok(Some(self.cut(bytes, max_line)));
        }
    }

    /// Cuts bytes that end with a line, or with a piece of a line that is too long, into lines.
    fn cut(&mut self, bytes: Vec<u8>, max_line: usize) -> Batch {
        let mut lines = Vec::with_capacity(bytes.len() / 64);
        let mut start = 0;
        while start < bytes.len() {
            let line_end = memchr::memchr(b'\n', &bytes[start..]).map(|length| start + length);
            let end = line_end.map_or(bytes.len(), |line_end| line_end + 1);
            let length = line_end.unwrap_or(end) - start;
            let part = match self.in_long_line {
                true => Part::TooLongRest,
                false if length > max_line => Part::TooLong,
                false => Part::Whole,
            };
            lines.push(Line { start, end, number: self.number, part });
            self.in_long_line = part != Part::Whole && line_end.is_none();
            self.number += u64::from(line_end.is_some());
            start = end;
        }
        self.offset += bytes.len() as u64;
        let end = Place {
            input: self.input,
            offset: self.offset,
            line: self.number,
            in_long_line: self.in_long_line,
            format: self.format,
        };
        Batch { bytes, lines, file: self.name.clone(), format: self.format, end }
    }

    /// Settles the format by the first character that is no blank.
    fn settle(&mut self, bytes: &[u8]) {
        if self.format == Format::Auto {
            let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
            let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            self.format = match valid.trim_start().chars().next() {
                Some('{') => Format::Jsonl,
                None if valid.len() == text.len() => Format::Auto,
                _ => Format::Lines,
            };
        }
    }
}

/// Blank bytes that may stand before what tells the format.
const MOST_BLANK: usize = 1 << 20;

/// The byte-order mark that some editors put before the first line.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns what it is told to, a read at a time.
    struct Reads(std::vec::IntoIter<Vec<u8>>);

    impl Read for Reads {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let next = self.0.find(|bytes| !bytes.is_empty()).unwrap_or_default();
            buffer[..next.len()].copy_from_slice(&next);
            Ok(next.len())
        }
    }

    fn open(reads: Vec<Vec<u8>>) -> Open {
        Open {
            reader: Box::new(Reads(reads.into_iter())),
            name: "test".into(),
            format: Format::Lines,
            carry: Vec::new(),
            input: 0,
            offset: 0,
            number: 1,
            in_long_line: false,
        }
    }

    fn lines_of(reads: Vec<Vec<u8>>, max_line: usize) -> Vec<(u64, Part, Vec<u8>)> {
        let mut open = open(reads);
        let mut lines = Vec::new();
        while let Some(batch) = open.next_batch(max_line).unwrap() {
            lines.extend(batch.lines.iter().map(|l| (l.number, l.part, batch.bytes[l.start..l.end].to_vec())));
        }
        lines
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_reads_cut_them(
            reads in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![b'a', b'b', b'\n']), 0..9), 0..12),
            max_line in 1usize..12,
        ) {
            let all = reads.concat();
            let lines = lines_of(reads, max_line);
            prop_assert_eq!(lines.iter().flat_map(|(_, _, bytes)| bytes.clone()).collect::<Vec<_>>(), all.clone());
            let expected: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
            for (index, line) in expected.iter().enumerate() {
                let pieces: Vec<_> = lines.iter().filter(|(number, ..)| *number == index as u64 + 1).collect();
                let too_long = line.strip_suffix(b"\n").unwrap_or(line).len() > max_line;
                prop_assert_eq!(pieces[0].1, if too_long { Part::TooLong } else { Part::Whole });
                prop_assert!(too_long || pieces.len() == 1);
                prop_assert!(pieces[1..].iter().all(|piece| piece.1 == Part::TooLongRest));
            }
        }
    }

    #[test]
    fn utf_16_is_known_however_reads_cut_it() {
        for mark in [&b"\xFF\xFE"[..], b"\xFE\xFF"] {
            let bytes = [mark, b"\0a\0\n"].concat();
            for reads in [vec![bytes.clone()], bytes.iter().map(|byte| vec![*byte]).collect()] {
                let error = open(reads).next_batch(100).unwrap_err().to_string();
                assert!(error.contains("test: this is UTF-16"), "{error}");
            }
        }
        // Behind the beginning the two bytes are but a line that is not UTF-8.
        assert_eq!(lines_of(vec![b"a\n".to_vec(), b"\xFF\xFE\n".to_vec()], 100).len(), 2);
    }

    #[test]
    fn a_line_that_is_too_long_is_not_buffered() {
        let reads = vec![vec![b'a'; 1000]; 50].into_iter().chain([b"\nb\n".to_vec()]).collect();
        let lines = lines_of(reads, 1500);
        assert!(lines.iter().all(|(_, _, bytes)| bytes.len() <= 2000));
        assert_eq!(lines.last(), Some(&(2, Part::Whole, b"b\n".to_vec())));
    }
}
