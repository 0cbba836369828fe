//! Bytes to lines: reads the inputs one after another and cuts them into [`Batch`]es, in UTF-8.
//!
//! A batch is what the lines of *one* read are. A pipe's read returns as soon as anything is there, so a single message is a
//! batch of its own and is answered at once; a file's read returns 256 KB, so a dump goes in large batches.

mod follow;
mod open;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::compression::{Compression, Unpacker};
use super::encoding::Encoding;
use super::table::Table;
use crate::error::{Error, Result};
use follow::Follower;
use open::Open;

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A file that is read on as it grows, and as another takes its name: a second after the old one was last written to. What is
    /// cut short is read from its beginning. Never ends.
    Growing(PathBuf),
}

impl Input {
    /// How messages name it.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) | Self::Growing(path) => path.display().to_string(),
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

    /// How many bytes will be read, if it is known: it is a file, and not compressed.
    pub fn size(&self) -> Option<u64> {
        let Self::File(path) = self else { return None };
        let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        File::open(path).is_ok_and(|file| Compression::of_file(file).is_none()).then_some(about.len())
    }

    fn open(&self) -> Result<Unpacker> {
        let file = match self {
            Self::Stdin => return Ok(Unpacker::new(Box::new(io::stdin()))),
            Self::File(path) => File::open(path),
            Self::Growing(path) => {
                let follower = Follower::open(path.clone()).map_err(|error| Error::io(self.name(), error))?;
                return Ok(Unpacker::new(Box::new(follower)));
            }
        };
        let is_folder = |file: &File| file.metadata().is_ok_and(|about| about.is_dir());
        match file {
            Ok(file) if is_folder(&file) => {
                Err(Error::io(self.name(), io::Error::other("is a folder; name the files in it")))
            }
            Ok(file) => Ok(Unpacker::new(Box::new(file))),
            Err(error) => Err(Error::io(self.name(), error)),
        }
    }
}

/// How records stand in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// By the file's extension (`.jsonl`, `.ndjson`, `.json`; `.csv`, `.tsv`; `.txt`), before one that tells how it is compressed, else by the first
    /// byte that is no blank: `{` is JSONL.
    Auto,
    /// Each line is a message.
    Lines,
    /// Each line is a JSON object with the message in a field.
    Jsonl,
    /// Rows of a table, fields separated by commas; see [`table`](super::table).
    Csv,
    /// Rows of a table, fields separated by tabs.
    Tsv,
}

/// How records stand in a batch.
#[derive(Debug, Clone, Copy)]
pub enum Layout<'t> {
    /// As in [`Format::Lines`]; blank lines before anything else, too.
    Lines,
    /// As in [`Format::Jsonl`].
    Jsonl,
    /// Rows of this table.
    Table(&'t Table),
}

impl Format {
    /// The format of an input as far as its name tells.
    pub fn of(self, input: &Input) -> Self {
        let (Input::File(path) | Input::Growing(path)) = input else { return self };
        let packed = Compression::of_path(path).and_then(|_| path.file_stem());
        let path = packed.map_or(&**path, Path::new);
        match (self, path.extension().and_then(|extension| extension.to_str())) {
            (Self::Auto, Some("jsonl" | "ndjson" | "json")) => Self::Jsonl,
            (Self::Auto, Some("csv")) => Self::Csv,
            (Self::Auto, Some("tsv")) => Self::Tsv,
            (Self::Auto, Some("txt")) => Self::Lines,
            _ => self,
        }
    }

    /// What stands between the fields of a table's rows.
    fn delimiter(self) -> Option<u8> {
        match self {
            Self::Csv => Some(b','),
            Self::Tsv => Some(b'\t'),
            Self::Auto | Self::Lines | Self::Jsonl => None,
        }
    }
}

/// Consecutive lines of one input.
#[derive(Debug)]
pub struct Batch {
    /// The bytes of all lines in UTF-8, line ends included.
    pub bytes: Vec<u8>,
    /// The lines, in order; together they are all of `bytes`.
    pub lines: Vec<Line>,
    /// Name of the input.
    pub file: Arc<str>,
    /// Settled format; [`Format::Auto`] only while nothing but blank lines has come.
    pub format: Format,
    /// The table that the lines are rows of, if they are.
    pub table: Option<Arc<Table>>,
    /// Where the input goes on behind it.
    pub end: Place,
    /// What `bytes` were decoded from; none if the input is in UTF-8.
    original: Option<Original>,
}

/// A place between two lines, or between two pieces of a line that is too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Which input, from 0.
    pub input: u32,
    /// Bytes of it that are before the place.
    pub offset: u64,
    /// Whole lines of it that are.
    pub lines: u64,
}

/// Lines as they came.
#[derive(Debug)]
struct Original {
    encoding: Encoding,
    bytes: Vec<u8>,
    /// Where each line ends in `bytes`.
    ends: Vec<usize>,
}

/// A line of a batch in all that the sink needs of it.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'b> {
    /// As it came.
    pub original: &'b [u8],
    /// In UTF-8.
    pub text: &'b [u8],
    /// How the record stands in it.
    pub layout: Layout<'b>,
}

impl Batch {
    /// The encoding of the input.
    pub fn encoding(&self) -> Encoding {
        self.original.as_ref().map_or(Encoding::UTF_8, |original| original.encoding)
    }

    /// The bytes of all lines as they were read.
    pub fn bytes_read(&self) -> &[u8] {
        self.original.as_ref().map_or(&self.bytes, |original| &original.bytes)
    }

    /// The line at `index` of [`lines`](Self::lines).
    pub fn entry(&self, index: usize) -> Entry<'_> {
        let text = &self.bytes[self.lines[index].start..self.lines[index].end];
        let original = self.original.as_ref().map_or(text, |original| {
            let start = index.checked_sub(1).map_or(0, |before| original.ends[before]);
            &original.bytes[start..original.ends[index]]
        });
        Entry { original, text, layout: self.layout() }
    }

    /// How records stand in the lines.
    pub fn layout(&self) -> Layout<'_> {
        match &self.table {
            Some(table) => Layout::Table(table),
            None if self.format == Format::Jsonl => Layout::Jsonl,
            None => Layout::Lines,
        }
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
    /// All of it, but not in the encoding of the input: U+FFFD stands for what could not be decoded. Lines that should be in
    /// UTF-8 are not looked at here; the [parser](super::parse) does.
    Undecodable,
    /// The first piece of a line that is too long.
    TooLong,
    /// A further piece of such a line; not decoded.
    TooLongRest,
    /// A row that names the columns.
    Header,
    /// A row that names them once more, in another file.
    HeaderAgain,
    /// The rest of a table, within a field that begins with a quote and does not end.
    Unclosed,
}

impl Part {
    /// Whether a record begins here, one that can be judged or not: what has a position of its own.
    pub fn is_record(self) -> bool {
        !matches!(self, Self::TooLongRest | Self::Header | Self::HeaderAgain)
    }
}

/// Hears of an input's encoding.
type Tell = Box<dyn FnMut(&str, Encoding) + Send>;

/// The inputs, read in order.
pub struct Source {
    inputs: std::vec::IntoIter<Input>,
    /// Inputs that were opened.
    opened: u32,
    open: Option<Open>,
    format: Format,
    has_header: bool,
    /// The table that has been read so far, if it is one.
    table: Option<Arc<Table>>,
    max_line: usize,
    encoding: Option<Encoding>,
    tell: Tell,
}

impl Source {
    /// A source over `inputs`, lines limited to `max_line` bytes (line end not counted). The encoding of each is found out,
    /// and nobody hears of it, but for [`encoded`](Self::encoded).
    ///
    /// # Errors
    /// [`Error::Io`] if one of the files cannot be opened: better before the first record than after the last but one. If some
    /// are tables and others are not.
    pub fn new(inputs: Vec<Input>, format: Format, max_line: usize) -> Result<Self> {
        for input in &inputs {
            input.check()?;
        }
        let delimiter = |input: &Input| format.of(input).delimiter();
        if let Some(other) = inputs.iter().find(|input| delimiter(input) != delimiter(&inputs[0])) {
            let reason = format!(
                "is not a table like {}; kept records leave as they came, and one output cannot hold both (--format reads all alike)",
                inputs[0].name()
            );
            return Err(Error::io(other.name(), io::Error::new(io::ErrorKind::InvalidData, reason)));
        }
        Ok(Self {
            inputs: inputs.into_iter(),
            opened: 0,
            open: None,
            format,
            has_header: true,
            table: None,
            max_line,
            encoding: None,
            tell: Box::new(|_, _| {}),
        })
    }

    /// The same; whether tables begin with a row that names their columns.
    #[must_use]
    pub fn headed(self, has_header: bool) -> Self {
        Self { has_header, ..self }
    }

    /// Reads the inputs in `encoding`, if it is one, but for those with a byte-order mark. `tell` hears the name of each input
    /// that turns out to be in another one, or in another than UTF-8 if none was given.
    #[must_use]
    pub fn encoded(self, encoding: Option<Encoding>, tell: impl FnMut(&str, Encoding) + Send + 'static) -> Self {
        Self { encoding, tell: Box::new(tell), ..self }
    }

    /// Goes on at a place where an earlier run over the same inputs was: `read` is given all bytes before it. What is no file
    /// cannot be read again, and only its lines are counted on.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails or an input is shorter than it was.
    pub fn go_on(&mut self, place: &Place, mut read: impl FnMut(&[u8])) -> Result<()> {
        while self.opened <= place.input
            && let Some(input) = self.inputs.next()
        {
            let is_file = input.is_file();
            let mut open = self.begin(&input)?;
            if !is_file && self.format.of(&input).delimiter().is_some() && place.lines > 0 {
                return Err(Error::config(
                    "--resume",
                    "a table that comes by a pipe cannot be taken up: its header has gone by",
                ));
            }
            if !is_file {
                open.count_on(place.lines);
            } else if open.input() == place.input {
                open.skip(place.offset, &mut self.tell, &mut read)?;
            } else {
                while let Some(batch) = open.next_batch(&mut self.tell)? {
                    read(batch.bytes_read());
                }
            }
            self.table = open.table();
            self.open = Some(open);
        }
        Ok(())
    }

    fn begin(&mut self, input: &Input) -> Result<Open> {
        let (name, format) = (input.name().into(), self.format.of(input));
        self.opened += 1;
        let open = Open::new(Box::new(input.open()?), name, format, self.encoding, self.max_line);
        let open = open.numbered(self.opened - 1);
        Ok(match format.delimiter() {
            Some(delimiter) => open.rows(delimiter, self.has_header, self.table.clone()),
            None => open,
        })
    }

    /// The next lines; blocks until there are any. `None` at the end of the last input.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(input) = self.inputs.next() else { return Ok(None) };
                self.open = Some(self.begin(&input)?);
                continue;
            };
            match open.next_batch(&mut self.tell)? {
                Some(batch) => return Ok(Some(batch)),
                None => (self.table, self.open) = (open.table().or(self.table.take()), None),
            }
        }
    }
}

/// The byte-order mark that some editors put before the first line.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";
