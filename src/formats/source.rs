//! Reads the inputs one after another, and cuts their bytes into [`Batch`]es of lines in UTF-8.
//!
//! A batch holds the lines of *one* read. A read of a pipe returns as soon as any bytes have arrived, so a single message is a
//! batch of its own and is answered at once. A read of a file returns 128 KiB, so a dump is read in large batches.

#[cfg(feature = "cli")]
mod check;
mod heading;
mod open;

use std::sync::Arc;

pub use super::batch::Batch;
pub(crate) use super::batch::{Entry, Layout, Likely, Line, Part, Place};
use super::beginning::Beginning;
use super::columnar::{self, RowReader};
use super::encoding::Encoding;
pub use super::fields::Whole;
use super::fields::{Columns, Parser};
use super::input::Following;
pub(crate) use super::input::{Followed, Stop};
pub use super::input::{Format, Input};
use super::table::Table;
use crate::config::no_format;
use crate::config::settings::Setting;
use crate::error::{Error, Result};
use crate::locale::tr;
use open::Open;

/// Called with the name of an input and its encoding.
type Tell = Box<dyn FnMut(&str, Encoding) + Send>;

/// The input that is being read.
enum Opened {
    Lines(Box<Open>),
    Rows(RowReader),
}

/// Called with each batch.
#[cfg(feature = "cli")]
type Look = Box<dyn FnMut(&Batch) + Send>;

/// The inputs, read in order.
///
/// ```
/// use quchong::formats::lines::MAX_LINE;
/// use quchong::formats::source::{Format, Input, Source};
///
/// let input = Input::File("data/posts.jsonl".into());
/// let mut source = Source::new(vec![input], Format::Auto, MAX_LINE)?;
/// assert!(source.next_batch()?.is_some());
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct Source {
    inputs: std::vec::IntoIter<Input>,
    /// The number of inputs opened so far.
    opened: u32,
    open: Option<Opened>,
    format: Format,
    has_header: bool,
    columns: Option<Columns>,
    /// The first lines of the input, if it is read as plain lines.
    beginning: Beginning,
    /// Whether the inputs share no output.
    is_apart: bool,
    /// The table whose header was read last, if the inputs are tables.
    table: Option<Arc<Table>>,
    max_line: usize,
    encoding: Option<Encoding>,
    /// The encoding that the lines before the place of [`go_on`](Self::go_on) showed.
    pub(crate) shown: Option<Encoding>,
    tell: Tell,
    /// How a growing file is followed.
    following: Following,
    /// A setting that has no effect on plain lines, if one was given.
    idle_in_lines: Option<&'static Setting>,
    /// How many records are still to be read, if the run is limited, and the function that sees them.
    #[cfg(feature = "cli")]
    first: Option<(u64, Look)>,
}

impl Source {
    /// Makes a source over `inputs` with lines of at most `max_line` bytes (line end not counted). The encoding of each input is
    /// detected, and nobody is notified of it; see [`encoded`](Self::encoded).
    ///
    /// # Errors
    /// [`Error::Io`] if one of the files cannot be opened: failing now is better than failing after all files before it. Also if
    /// some inputs are tables and others are not.
    pub fn new(inputs: Vec<Input>, format: Format, max_line: usize) -> Result<Self> {
        let source = Self::apart(inputs, format, max_line)?;
        let inputs = source.inputs.as_slice();
        let formats: Vec<Format> = inputs.iter().map(|input| format.of(input)).collect();
        let kind = |format: Format| (format.delimiter(), format == Format::Parquet);
        for (input, format) in inputs.iter().zip(&formats) {
            if kind(*format) != kind(formats[0]) {
                let reason = tr!(
                    "it is {}, and {} is {}; one output cannot hold both. Read each in a run of its own, with the same --state, and its own \
                     --field and output",
                    format.known_name(),
                    inputs[0].name(),
                    formats[0].known_name()
                );
                return Err(Error::invalid(input.name(), reason));
            }
        }
        Ok(Self { is_apart: false, ..source })
    }

    /// Makes a source whose inputs share no output, so that some may be tables and others not, and tables may have other columns.
    ///
    /// # Errors
    /// [`Error::Io`] if one of the files cannot be opened.
    pub(crate) fn apart(inputs: Vec<Input>, format: Format, max_line: usize) -> Result<Self> {
        for input in &inputs {
            input.check()?;
            if format.of(input) == Format::Parquet {
                columnar::check(input)?;
            }
        }
        Ok(Self {
            is_apart: true,
            inputs: inputs.into_iter(),
            opened: 0,
            open: None,
            format,
            has_header: true,
            columns: None,
            beginning: Beginning::default(),
            table: None,
            max_line,
            encoding: None,
            shown: None,
            tell: Box::new(|_, _| {}),
            following: Following::default(),
            idle_in_lines: None,
            #[cfg(feature = "cli")]
            first: None,
        })
    }

    /// Says whether tables begin with a row that names their columns.
    #[must_use]
    pub fn headed(self, has_header: bool) -> Self {
        Self { has_header, ..self }
    }

    /// Sets the parser and the columns that lines of Parquet hold. These are the columns that `parser` looks at, and the column of
    /// the message must be text. Without this call the lines hold all columns, and no column is required.
    #[must_use]
    pub fn parsed_by(self, parser: &Parser, whole: Whole) -> Self {
        Self { columns: Some(Columns { parser: parser.clone(), whole }), ..self }
    }

    /// Checks that a later run could [go on](Self::go_on) from where this one ends.
    ///
    /// # Errors
    /// [`Error::Config`] if an input is Parquet: a Parquet output that breaks off has no footer, and can be neither read nor
    /// continued.
    pub(crate) fn check_resume(&self) -> Result<()> {
        let is_parquet = |input: &&Input| self.format.of(input) == Format::Parquet;
        self.inputs.as_slice().iter().find(is_parquet).map_or(Ok(()), |input| {
            let reason = tr!("{} is Parquet, over which no run can be taken up; leave it out", input.name());
            Err(Error::config("--resume", reason))
        })
    }

    /// Sets the encoding of the inputs. An input with a byte-order mark is read as the mark says. `tell` is called for each input
    /// that turns out to be in another encoding than `encoding`, or in another than UTF-8 if none was given.
    #[must_use]
    pub fn encoded(mut self, encoding: Option<Encoding>, tell: impl FnMut(&str, Encoding) + Send + 'static) -> Self {
        self.following.encoding = encoding;
        Self { encoding, tell: Box::new(tell), ..self }
    }

    /// Sets the function that receives a message, with the name of the file, for each part of a growing file that cannot be read.
    #[must_use]
    #[cfg(feature = "cli")]
    pub(crate) fn losing(mut self, lost: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.following.report = Arc::new(lost);
        self
    }

    /// Follows a growing file from where an earlier run stopped. If the file has been rotated since, the rest of the rotated file
    /// is read first. A table is read again from its header.
    #[cfg(feature = "cli")]
    pub(crate) fn follow_on(&mut self, since: Option<Followed>) {
        self.following.since = since;
    }

    /// The beginning of the file that is followed, if there is one.
    #[cfg(feature = "cli")]
    pub(crate) fn beginning_followed(&self) -> Option<Followed> {
        let growing = |input: &Input| match input {
            Input::Growing(path) => Followed::beginning_of(path),
            _ => None,
        };
        self.inputs.as_slice().iter().find_map(growing)
    }

    /// Returns the handle that asks a followed input to end, if there is a followed input.
    pub(crate) fn stop(&self) -> Option<Stop> {
        let is_growing = |input: &Input| matches!(input, Input::Growing(_));
        self.inputs.as_slice().iter().any(is_growing).then(|| self.following.stop.clone())
    }

    /// Makes the source fail if its first input with content is plain lines, on which `setting` would have no effect.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn without_lines(self, setting: Option<&'static Setting>) -> Self {
        Self { idle_in_lines: setting, ..self }
    }

    /// Ends the source after `records` records; `look` is called with each batch.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn first(self, records: u64, look: impl FnMut(&Batch) + Send + 'static) -> Self {
        Self { first: Some((records, Box::new(look))), ..self }
    }

    /// Goes on at the place where an earlier run over the same inputs stopped. All bytes before that place are passed to `read`. An
    /// input that is not a file cannot be read again, and only its line numbers are continued.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails or an input is shorter than it was; [`Error::Config`] as [`check_resume`](Self::check_resume).
    pub(crate) fn go_on(&mut self, place: &Place, mut read: impl FnMut(&[u8])) -> Result<()> {
        self.check_resume()?;
        let mut shown = None;
        let mut passed = |batch: &Batch| {
            shown = batch.shown_encoding().or(shown);
            read(batch.bytes_read());
        };
        while self.opened <= place.input
            && let Some(input) = self.inputs.next()
        {
            let is_file = input.is_file();
            let mut open = self.begin_lines(&input)?;
            if !is_file && self.format.of(&input).delimiter().is_some() && place.lines > 0 {
                return Err(Error::config(
                    "--resume",
                    tr!("a table that comes by a pipe cannot be taken up: its header has gone by"),
                ));
            }
            if !is_file {
                open.count_on(place.lines);
            } else if open.input() == place.input {
                open.skip(&|| place.offset, &mut self.tell, &mut passed)?;
            } else {
                while let Some(batch) = open.next_batch(&mut self.tell)? {
                    passed(&batch);
                }
            }
            self.table = open.table();
            self.open = Some(Opened::Lines(Box::new(open)));
        }
        self.shown = shown;
        Ok(())
    }

    fn begin(&mut self, input: &Input) -> Result<Opened> {
        if self.format.of(input) != Format::Parquet {
            return self.begin_lines(input).map(|open| Opened::Lines(Box::new(open)));
        }
        self.opened += 1;
        RowReader::open(input, self.columns.as_ref(), self.opened - 1, self.max_line).map(Opened::Rows)
    }

    fn begin_lines(&mut self, input: &Input) -> Result<Open> {
        self.opened += 1;
        self.following.in_parts = self.is_in_parts(input);
        let previous = self.table.clone().filter(|_| !self.is_apart);
        let mut open = self.lines_of(input, previous)?.numbered(self.opened - 1);
        let (following, mut read) = (&self.following, 0);
        let mut skipped = |batch: &Batch| {
            read += batch.bytes_read().len() as u64;
            following.place_after(read, batch.bytes_read());
        };
        open.skip(&|| following.answered(), &mut self.tell, &mut skipped)?;
        Ok(open)
    }

    /// Whether an input consists of several files, each with a header of its own.
    fn is_in_parts(&self, input: &Input) -> bool {
        matches!(input, Input::Growing(_)) && self.format.of(input).delimiter().is_some()
    }

    /// Opens an input and cuts it into lines; `previous_table` is the table of the inputs before.
    fn lines_of(&self, input: &Input, previous_table: Option<Arc<Table>>) -> Result<Open> {
        let (name, format) = (input.name().into(), self.format.of(input));
        let open = Open::new(Box::new(input.open(&self.following)?), name, format, self.encoding, self.max_line);
        Ok(match format.delimiter() {
            Some(delimiter) => {
                let needed = self.columns.iter().flat_map(|columns| columns.parser.needed());
                let needed = needed.map(|(option, field)| (option, field.clone()));
                open.rows(delimiter, self.has_header, previous_table, needed.collect())
            }
            None => open,
        })
    }

    /// Returns the next lines; blocks until there are any. `None` at the end of the last input.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        #[cfg(feature = "cli")]
        if let Some((mut left, mut look)) = self.first.take() {
            let batch = if left == 0 { None } else { self.next_of_all()?.map(|batch| batch.first(left)) };
            if let Some(batch) = &batch {
                look(batch);
                left -= batch.lines.iter().filter(|line| line.part.is_record()).count() as u64;
            }
            self.first = Some((left, look));
            return Ok(batch);
        }
        self.next_of_all()
    }

    fn next_of_all(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(input) = self.inputs.next() else { return Ok(None) };
                self.open = Some(self.begin(&input)?);
                continue;
            };
            let batch = match open {
                Opened::Lines(open) => open.next_batch(&mut self.tell)?.map(|batch| {
                    let followed = self.following.place_after(batch.end.offset, batch.bytes_read());
                    let likely = self
                        .beginning
                        .look(&batch)
                        .filter(|likely| self.format == Format::Auto || *likely == Likely::Dropped);
                    Batch { followed, likely, ..batch }
                }),
                Opened::Rows(reader) => reader.next_batch()?,
            };
            if let Some(batch) = batch {
                match self.idle_in_lines.filter(|_| batch.format != Format::Auto) {
                    Some(setting) if batch.format == Format::Lines => return Err(no_format(setting, "lines")),
                    Some(_) => self.idle_in_lines = None,
                    None => {}
                }
                return Ok(Some(batch));
            }
            if let Some(Opened::Lines(open)) = self.open.take() {
                self.table = open.table().or(self.table.take());
                if self.following.in_parts {
                    let part = open.next_part(self.encoding, self.has_header);
                    self.open = Some(Opened::Lines(Box::new(part)));
                }
            }
        }
    }
}
