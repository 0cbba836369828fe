//! Bytes to lines: reads the inputs one after another and cuts them into [`Batch`]es, in UTF-8.
//!
//! A batch is what the lines of *one* read are. A pipe's read returns as soon as anything is there, so a single message is a
//! batch of its own and is answered at once; a file's read returns 256 KB, so a dump goes in large batches.

mod heading;
mod open;

use std::sync::Arc;

pub use super::batch::Batch;
pub(crate) use super::batch::{Entry, Layout, Line, Part, Place};
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

/// Hears of an input's encoding.
type Tell = Box<dyn FnMut(&str, Encoding) + Send>;

/// The input that is being read.
enum Opened {
    Lines(Box<Open>),
    Rows(RowReader),
}

/// Looks at each batch.
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
    /// Inputs that were opened.
    opened: u32,
    open: Option<Opened>,
    format: Format,
    has_header: bool,
    columns: Option<Columns>,
    /// The table that has been read so far, if it is one.
    table: Option<Arc<Table>>,
    max_line: usize,
    encoding: Option<Encoding>,
    tell: Tell,
    /// How a file that grows is followed.
    following: Following,
    /// What was set, and does nothing in lines.
    idle_in_lines: Option<&'static Setting>,
    /// How many records are still read, if not all, and who looks at them.
    #[cfg(feature = "cli")]
    first: Option<(u64, Look)>,
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
        let formats: Vec<Format> = inputs.iter().map(|input| format.of(input)).collect();
        let kind = |format: Format| (format.delimiter(), format == Format::Parquet);
        for (input, format) in inputs.iter().zip(&formats) {
            if kind(*format) != kind(formats[0]) {
                let reason = tr!(
                    "is not a table like {}; kept records leave as they came, and one output cannot hold both (--format reads all alike)",
                    inputs[0].name()
                );
                return Err(Error::invalid(input.name(), reason));
            }
            if *format == Format::Parquet {
                columnar::check(input)?;
            }
        }
        Ok(Self {
            inputs: inputs.into_iter(),
            opened: 0,
            open: None,
            format,
            has_header: true,
            columns: None,
            table: None,
            max_line,
            encoding: None,
            tell: Box::new(|_, _| {}),
            following: Following::default(),
            idle_in_lines: None,
            #[cfg(feature = "cli")]
            first: None,
        })
    }

    /// The same; whether tables begin with a row that names their columns.
    #[must_use]
    pub fn headed(self, has_header: bool) -> Self {
        Self { has_header, ..self }
    }

    /// The same, whose lines `parser` parses: of Parquet, they hold the columns that it looks at, and that of the message must be
    /// text. By default lines hold all columns, and nothing else is needed.
    #[must_use]
    pub fn parsed_by(self, parser: &Parser, whole: Whole) -> Self {
        Self { columns: Some(Columns { parser: parser.clone(), whole }), ..self }
    }

    /// Whether a later run could [go on](Self::go_on) with this one.
    ///
    /// # Errors
    /// [`Error::Config`] if an input is Parquet: what was written of it has no end without which it could be read or continued.
    pub(crate) fn check_resume(&self) -> Result<()> {
        let is_parquet = |input: &&Input| self.format.of(input) == Format::Parquet;
        self.inputs.as_slice().iter().find(is_parquet).map_or(Ok(()), |input| {
            let reason = tr!("{} is Parquet, over which no run can be taken up; leave it out", input.name());
            Err(Error::config("--resume", reason))
        })
    }

    /// Reads the inputs in `encoding`, if it is one, but for those with a byte-order mark. `tell` hears the name of each input
    /// that turns out to be in another one, or in another than UTF-8 if none was given.
    #[must_use]
    pub fn encoded(mut self, encoding: Option<Encoding>, tell: impl FnMut(&str, Encoding) + Send + 'static) -> Self {
        self.following.encoding = encoding;
        Self { encoding, tell: Box::new(tell), ..self }
    }

    /// The same; `lost` hears, in words that name the file, what of a file that grows cannot be read.
    #[must_use]
    #[cfg(feature = "cli")]
    pub(crate) fn losing(mut self, lost: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.following.told = Arc::new(lost);
        self
    }

    /// A file that grows is followed from where an earlier run was: what that has left of one that was rotated since is read first. A table
    /// is read from its header on.
    #[cfg(feature = "cli")]
    pub(crate) fn follow_on(&mut self, since: Option<Followed>) {
        self.following.since = since;
    }

    /// What asks for the end of an input that never ends, if one is.
    pub(crate) fn stop(&self) -> Option<Stop> {
        let is_growing = |input: &Input| matches!(input, Input::Growing(_));
        self.inputs.as_slice().iter().any(is_growing).then(|| self.following.stop.clone())
    }

    /// The same, which fails if lines are found before anything else, in which `setting` would do nothing.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn without_lines(self, setting: Option<&'static Setting>) -> Self {
        Self { idle_in_lines: setting, ..self }
    }

    /// The same, which ends behind so many records; `look` sees what is read.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn first(self, records: u64, look: impl FnMut(&Batch) + Send + 'static) -> Self {
        Self { first: Some((records, Box::new(look))), ..self }
    }

    /// Goes on at a place where an earlier run over the same inputs was: `read` is given all bytes before it. What is no file
    /// cannot be read again, and only its lines are counted on.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails or an input is shorter than it was; [`Error::Config`] as [`check_resume`](Self::check_resume).
    pub(crate) fn go_on(&mut self, place: &Place, mut read: impl FnMut(&[u8])) -> Result<()> {
        self.check_resume()?;
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
                open.skip(&|| place.offset, &mut self.tell, &mut read)?;
            } else {
                while let Some(batch) = open.next_batch(&mut self.tell)? {
                    read(batch.bytes_read());
                }
            }
            self.table = open.table();
            self.open = Some(Opened::Lines(Box::new(open)));
        }
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
        let mut open = self.lines_of(input, self.table.clone())?.numbered(self.opened - 1);
        let (following, mut read) = (&self.following, 0);
        let mut skipped = |bytes: &[u8]| {
            read += bytes.len() as u64;
            following.behind(read, bytes);
        };
        open.skip(&|| following.answered(), &mut self.tell, &mut skipped)?;
        Ok(open)
    }

    /// Whether an input is made of files with a header each.
    fn is_in_parts(&self, input: &Input) -> bool {
        matches!(input, Input::Growing(_)) && self.format.of(input).delimiter().is_some()
    }

    /// The lines of an input; `before` is the table of the inputs before.
    fn lines_of(&self, input: &Input, before: Option<Arc<Table>>) -> Result<Open> {
        let (name, format) = (input.name().into(), self.format.of(input));
        let open = Open::new(Box::new(input.open(&self.following)?), name, format, self.encoding, self.max_line);
        Ok(match format.delimiter() {
            Some(delimiter) => {
                let needed = self.columns.iter().flat_map(|columns| columns.parser.needed());
                let needed = needed.map(|(option, field)| (option, field.clone()));
                open.rows(delimiter, self.has_header, before, needed.collect())
            }
            None => open,
        })
    }

    /// Looks whether files that are tables, of Parquet too, have the columns that are looked for: better before outputs are begun than
    /// when the file's turn comes. All else must have been said of the source.
    ///
    /// # Errors
    /// [`Error::Io`] as [`next_batch`](Self::next_batch) would give it.
    #[cfg(feature = "cli")]
    pub(crate) fn check_columns(&self) -> Result<()> {
        let (mut table, mut rows) = (None, None);
        let one_file = self.columns.as_ref().is_some_and(|columns| columns.whole == Whole::Row);
        for input in self.inputs.as_slice().iter().filter(|input| input.is_file()) {
            let format = self.format.of(input);
            if format == Format::Parquet {
                let reader = RowReader::open(input, self.columns.as_ref(), 0, self.max_line)?;
                rows.iter().filter(|_| one_file).try_for_each(|before| reader.check_follows(before))?;
                rows.get_or_insert(reader);
            } else if format.delimiter().is_some() {
                let mut open = self.lines_of(input, table.clone())?;
                open.next_batch(&mut |_, _| {})?;
                table = open.table().or(table);
            }
        }
        Ok(())
    }

    /// The next lines; blocks until there are any. `None` at the end of the last input.
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
                    let followed = self.following.behind(batch.end.offset, batch.bytes_read());
                    Batch { followed, ..batch }
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
