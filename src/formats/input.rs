//! What is read: standard input and files, and in which format records stand there.

mod follow;

use std::fs::{self, File};
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
    /// A file that is read on as it grows, and as another takes its name: a second after the old one was last written to. What was
    /// cut is read from its beginning, behind its copies. Never ends.
    Growing(PathBuf),
}

impl Input {
    /// How messages name it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) | Self::Growing(path) => path.display().to_string(),
        }
    }

    /// Whether it is a file, which can be read again from any place.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self, Self::File(path) if fs::metadata(path).is_ok_and(|about| about.is_file()))
    }

    /// Whether it can be opened. A pipe with a name cannot be opened for a try: its writer would be told that nobody reads.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::File(path) if fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) => Ok(()),
            _ => self.open(&Following::default()).map(drop),
        }
    }

    /// How many bytes will be read, if it is known: it is a file, and not compressed.
    #[cfg(feature = "cli")]
    pub(crate) fn size(&self) -> Option<u64> {
        let Self::File(path) = self else { return None };
        let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        File::open(path).is_ok_and(|file| Compression::of_file(file).is_none()).then_some(about.len())
    }

    /// Whether it is a file that begins and ends as Parquet does.
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

    /// Its bytes, unpacked; `following` says how a file that grows is followed, and hears what of it cannot be read.
    pub(crate) fn open(&self, following: &Following) -> Result<Unpacker> {
        let file = match self {
            Self::Stdin => return Ok(Unpacker::new(Box::new(io::stdin()))),
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
            Ok(file) => Ok(Unpacker::new(Box::new(file))),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, error: io::Error) -> Error {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let missing = || io::Error::new(io::ErrorKind::NotFound, tr!("there is no such file; name one that is there"));
        Error::io(self.name(), if is_missing { missing() } else { error })
    }
}

/// How records stand in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// By the file's extension (`.jsonl`, `.ndjson`, `.json`; `.csv`, `.tsv`; `.parquet`; `.txt`), before one that tells how it is
    /// compressed, else by content: a file that begins and ends with `PAR1` is Parquet, and what begins with `{` behind blanks is
    /// JSONL.
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

    /// The word for it in `--format`.
    pub fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }

    /// The format of an input as far as its name tells, and whether it is Parquet.
    pub(crate) fn of(self, input: &Input) -> Self {
        let (Input::File(path) | Input::Growing(path)) = input else { return self };
        match self.by_extension(path) {
            Self::Auto if input.is_parquet() => Self::Parquet,
            named => named,
        }
    }

    /// The format of a file as far as its name tells.
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

    /// What stands between the fields of a table's rows.
    pub(super) fn delimiter(self) -> Option<u8> {
        match self {
            Self::Csv => Some(b','),
            Self::Tsv => Some(b'\t'),
            Self::Auto | Self::Lines | Self::Jsonl | Self::Parquet => None,
        }
    }
}
