//! The inputs, standard input and files, and the formats in which records are written in them.

mod follow;

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::compression::{Compression, Unpacker};
use crate::error::{Error, Result};
use crate::locale::tr;
use follow::Follower;
pub(crate) use follow::{Followed, Following, Stop};

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A file that is followed as it grows. When another file takes its name, the old file is read until it has not grown for a
    /// second; then the new one is read. A file that was cut is read again from its beginning, after its copies. Never ends.
    Growing(PathBuf),
}

impl Input {
    /// The name of the input in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) | Self::Growing(path) => path.display().to_string(),
        }
    }

    /// Whether this is a regular file, which can be read again from any offset.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self, Self::File(path) if fs::metadata(path).is_ok_and(|about| about.is_file()))
    }

    /// Checks that the input can be opened. A named pipe is not opened as a trial: closing it again would tell its writer that
    /// nobody reads.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::File(path) if fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) => Ok(()),
            _ => self.open(&Following::default()).map(drop),
        }
    }

    /// How many bytes will be read; `None` if this is not a file, or if the file is compressed.
    #[cfg(feature = "cli")]
    pub(crate) fn size(&self) -> Option<u64> {
        let Self::File(path) = self else { return None };
        let about = fs::metadata(path).ok().filter(Metadata::is_file)?;
        File::open(path).is_ok_and(|file| Compression::of_file(file).is_none()).then_some(about.len())
    }

    /// Whether this is a file with the mark of Parquet at its beginning and its end.
    fn is_parquet(&self) -> bool {
        const MARK: &[u8] = b"PAR1";
        let Self::File(path) = self else { return false };
        let look = |path: &Path| {
            let (mut file, mut marks) = (File::open(path)?, [0; 2 * MARK.len()]);
            file.read_exact(&mut marks[..MARK.len()])?;
            file.seek(SeekFrom::End(-(MARK.len() as i64)))?;
            file.read_exact(&mut marks[MARK.len()..]).map(|()| marks)
        };
        self.is_file() && look(path).is_ok_and(|marks| marks.chunks(MARK.len()).all(|mark| mark == MARK))
    }

    /// Opens the input and returns its decompressed bytes. `following` says how a growing file is followed, and receives a message
    /// for each part of that file that cannot be read.
    pub(crate) fn open(&self, following: &Following) -> Result<Unpacker> {
        let file = match self {
            Self::Stdin => {
                let stdin = Uncut::new(io::stdin(), |_| fs::metadata("/dev/stdin"));
                return Ok(Unpacker::new(Box::new(stdin)));
            }
            Self::File(path) => File::open(path),
            Self::Growing(path) => {
                let follower = Follower::open(path.clone(), following.clone()).map_err(|error| self.failed(error))?;
                return Ok(Unpacker::new(Box::new(follower)));
            }
        };
        let is_folder = |file: &File| file.metadata().is_ok_and(|about| about.is_dir());
        match file {
            Ok(file) if is_folder(&file) => {
                Err(Error::io(self.name(), io::Error::other(tr!("is a folder; name the files in it"))))
            }
            Ok(file) => Ok(Unpacker::new(Box::new(Uncut::new(file, File::metadata)))),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, error: io::Error) -> Error {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let missing = || io::Error::new(io::ErrorKind::NotFound, tr!("there is no such file; name one that is there"));
        Error::io(self.name(), if is_missing { missing() } else { error })
    }
}

/// Reads to the end, and fails there if the file has become shorter since it was opened: what was cut off was not read.
struct Uncut<R> {
    reader: R,
    look: fn(&R) -> io::Result<Metadata>,
    /// The length of the file in bytes at first; `None` if this is no regular file.
    length: Option<u64>,
}

impl<R> Uncut<R> {
    /// `look` tells about the file that is read.
    fn new(reader: R, look: fn(&R) -> io::Result<Metadata>) -> Self {
        let mut uncut = Self { reader, look, length: None };
        uncut.length = uncut.length_now();
        uncut
    }

    fn length_now(&self) -> Option<u64> {
        (self.look)(&self.reader).ok().filter(Metadata::is_file).map(|about| about.len())
    }
}

impl<R: Read> Read for Uncut<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out)?;
        if read > 0 {
            return Ok(read);
        }
        match self.length.zip(self.length_now()) {
            Some((had, has)) if has < had => {
                let reason = tr!(
                    "was cut while it was read: it had {had} bytes, and has {has} now; restore it, and read it again",
                    had,
                    has
                );
                Err(io::Error::new(io::ErrorKind::InvalidData, reason))
            }
            _ => Ok(0),
        }
    }
}

/// The format in which records are written in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Chosen by the file's extension: `.jsonl`, `.ndjson`, `.json`; `.csv`, `.tsv`; `.parquet`; `.txt`. An extension that names a
    /// compression, as in `.jsonl.gz`, is ignored. Files with any other name, and standard input, are judged by content: a file
    /// that begins and ends with `PAR1` is Parquet, and an input whose first non-blank character is `{` is JSONL. Anything else is lines.
    Auto,
    /// Each line is a message.
    Lines,
    /// Each line is a JSON object with the message in a field.
    Jsonl,
    /// Rows of a table, fields separated by commas; see `table`.
    Csv,
    /// Rows of a table, fields separated by tabs.
    Tsv,
    /// Rows of Parquet, in files only.
    Parquet,
}

impl Format {
    /// Every format and its name.
    pub(crate) const NAMED: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("lines", Self::Lines),
        ("jsonl", Self::Jsonl),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("parquet", Self::Parquet),
    ];

    /// The name of the format in `--format`.
    pub fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }

    /// The name of the format in which an input is read whose format nobody named, or of the named one.
    pub(super) fn known_name(self) -> &'static str {
        if self == Self::Auto { Self::Lines.name() } else { self.name() }
    }

    /// The format of an input, judged by its name; a file without a known extension is also checked for Parquet.
    pub(crate) fn of(self, input: &Input) -> Self {
        let (Input::File(path) | Input::Growing(path)) = input else { return self };
        match self.by_extension(path) {
            Self::Auto if input.is_parquet() => Self::Parquet,
            named => named,
        }
    }

    /// The format of a file, judged by its name.
    pub(crate) fn by_extension(self, path: &Path) -> Self {
        let packed = Compression::of_path(path).and_then(|_| path.file_stem());
        let path = packed.map_or(path, Path::new);
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        match (self, extension.as_deref()) {
            (Self::Auto, Some("jsonl" | "ndjson" | "json")) => Self::Jsonl,
            (Self::Auto, Some("csv")) => Self::Csv,
            (Self::Auto, Some("tsv")) => Self::Tsv,
            (Self::Auto, Some("parquet")) => Self::Parquet,
            (Self::Auto, Some("txt")) => Self::Lines,
            _ => self,
        }
    }

    /// The byte that separates the fields of a table's rows; `None` if the format is no table.
    pub(super) fn delimiter(self) -> Option<u8> {
        match self {
            Self::Csv => Some(b','),
            Self::Tsv => Some(b'\t'),
            Self::Auto | Self::Lines | Self::Jsonl | Self::Parquet => None,
        }
    }
}
