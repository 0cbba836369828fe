//! Turns records into sketches, which hold all that the later steps need to know of them.

use std::fmt;

use super::position;
use super::rows::{Cell, Column, Gaps, Kind, RowOut, pos_cell, whole};
use crate::config::{Config, ExactMode, NearMode};
use crate::error::{Error, Result};
use crate::fingerprint::{Digest, Printer};
use crate::formats::columnar::ipc;
use crate::formats::lines::Location;
use crate::formats::parse::{Fault, FaultKind, Parser, as_text};
use crate::formats::source::{Input, Source};
use crate::locale::tr;
use crate::record::Pos;
use crate::text::Clean;

/// The sketch of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sketch {
    /// The position of the record among all records.
    pub(crate) pos: Pos,
    /// What later steps need to know of the record.
    pub(crate) content: Content,
}

/// What later steps need to know of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// A message.
    Message {
        /// A keyed 128-bit hash of the form that the exact stage compares. The key is [`Config::seed`], which must be the same for all
        /// tasks. Among 10^9 different texts, two share a digest with probability 1.5 · 10^-21, among 10^11 with 1.5 · 10^-17. `None`
        /// if there is nothing to compare, or no exact stage.
        digest: Option<Digest>,
        /// The SimHash of the body; under the hybrid, a mask of its [facts](crate::text::mask::mask) is XORed into it. `None` if the
        /// message has no body, or without a near stage.
        simhash: Option<u64>,
        /// The message itself, which the hybrid compares; `None` under other engines.
        text: Option<String>,
    },
    /// A blank line. It is always kept.
    Blank,
    /// A record that cannot be judged. It is passed through.
    Fault(FaultKind),
}

/// Writes a JSON object: `{"pos":3,"digest":"…","simhash":"…","text":"…"}`, with the digest in 32 and the fingerprint in 16 hexadecimal
/// digits, and without members that are `None`; `{"pos":4}` for a blank line; `{"pos":5,"error":"not-a-string"}` for a fault.
impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"{{"pos":{}"#, self.pos.0)?;
        match &self.content {
            Content::Message { digest, simhash, text } => {
                if let Some(Digest(digest)) = digest {
                    write!(f, r#","digest":"{digest:032x}""#)?;
                }
                if let Some(simhash) = simhash {
                    write!(f, r#","simhash":"{simhash:016x}""#)?;
                }
                if let Some(text) = text {
                    write!(f, r#","text":{}"#, serde_json::Value::from(text.as_str()))?;
                }
            }
            Content::Blank => {}
            Content::Fault(kind) => write!(f, r#","error":"{}""#, kind.name())?,
        }
        f.write_str("}")
    }
}

/// Refuses options under which many processes cannot reach the verdicts of one.
///
/// # Errors
/// [`Error::Config`] naming the option, and the values that work.
pub(crate) fn check(config: &Config) -> Result<()> {
    config.validate()?;
    if config.near == NearMode::MinHash {
        return Err(Error::config("--near", tr!("minhash has no sketch; use hybrid, simhash or none")));
    }
    match config.exact {
        ExactMode::Verified | ExactMode::Trie | ExactMode::None => Ok(()),
        ExactMode::Bloom | ExactMode::PaperBloom | ExactMode::PaperTrie => Err(Error::config(
            "--exact",
            tr!(
                "bloom, paper-bloom and paper-trie err by the order in which they fill, which many processes do not share; use verified, trie or none"
            ),
        )),
    }
}

impl RowOut for Sketch {
    const COLUMNS: &'static [Column<'static>] = &[
        position("pos"),
        Column::new("digest", Kind::Bytes16, Gaps::Cells),
        Column::new("simhash", Kind::Int64, Gaps::Cells),
        Column::new("error", Kind::Text, Gaps::Cells),
        Column::new("text", Kind::Text, Gaps::Cells),
    ];

    fn cells<T>(&self, take: impl FnOnce(&[Cell<'_>]) -> T) -> T {
        let pos = pos_cell(self.pos);
        match &self.content {
            Content::Message { digest, simhash, text } => {
                let digest = digest.map_or(Cell::Null, |Digest(digest)| Cell::Bytes16(digest.to_be_bytes()));
                let text = text.as_deref().map_or(Cell::Null, Cell::Text);
                take(&[pos, digest, simhash.map(u64::cast_signed).into(), Cell::Null, text])
            }
            Content::Blank => take(&[pos, Cell::Null, Cell::Null, Cell::Null, Cell::Null]),
            Content::Fault(kind) => take(&[pos, Cell::Null, Cell::Null, Cell::Text(kind.name()), Cell::Null]),
        }
    }
}

/// How many records were sketched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sketched {
    /// Messages.
    pub(crate) messages: u64,
    /// Blank lines.
    pub(crate) blank: u64,
    /// Records that cannot be judged.
    pub(crate) errors: u64,
}

impl Sketched {
    /// All records.
    pub(crate) fn records(&self) -> u64 {
        self.messages + self.blank + self.errors
    }
}

/// Makes sketches of records, in one process of a job.
pub(crate) struct Sketcher<F, E> {
    printer: Printer,
    clean: Clean,
    has_text: bool,
    /// The position of the first record.
    first: Pos,
    sketched: Sketched,
    fault: F,
    each: E,
}

impl<F, E> Sketcher<F, E>
where
    F: FnMut(&str, u64, &Fault) -> Result<()>,
    E: FnMut(Sketch) -> Result<()>,
{
    /// Makes a sketcher that passes each sketch to `each`, in the order of the records. Positions are counted from `first` if records
    /// have none of their own. `fault` is called with the file, the line and the reason for each record that cannot be judged.
    ///
    /// # Errors
    /// [`Error::Config`] for options that [cannot work](check).
    pub(crate) fn new(config: &Config, first: Pos, fault: F, each: E) -> Result<Self> {
        check(config)?;
        let (printer, clean) = (Printer::new(config), Clean::default());
        let has_text = config.near == NearMode::Hybrid;
        Ok(Self { printer, clean, has_text, first, sketched: Sketched::default(), fault, each })
    }

    /// How many records have been sketched.
    pub(crate) fn sketched(&self) -> Sketched {
        self.sketched
    }

    /// Sketches the records of `source`. If the parser has a [`seq_field`](Parser::seq_field), its numbers are the positions.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails, [`Error::Unmeasurable`] for a record without its position, and the errors of `each` and `fault`.
    pub(crate) fn records(&mut self, mut source: Source, parser: &Parser) -> Result<()> {
        while let Some(batch) = source.next_batch()? {
            let text = as_text(&batch);
            for line in batch.lines.iter().filter(|line| line.part.is_record()) {
                let read = parser.read(&batch, text, line);
                let place = Location { file: &batch.file, line: line.number };
                let pos = match &parser.seq_field {
                    None => None,
                    Some(field) => {
                        let given = read.as_ref().ok().and_then(|parsed| parsed.as_ref()?.seq);
                        Some(Pos(given.ok_or_else(|| {
                            place.error(match &read {
                                Err(fault) => tr!("{}; its position cannot be read", fault.reason),
                                Ok(_) => tr!(
                                    "no position in field `{}`; name the field of one, a whole number from 0 on",
                                    field.spelled()
                                ),
                            })
                        })?))
                    }
                };
                self.take(&place, pos, read.as_ref().map(|read| read.as_ref().map(|parsed| &*parsed.text)))?;
            }
        }
        Ok(())
    }

    /// Sketches the rows of Arrow IPC streams. Messages are in the column `text`; those of more than `max_line` bytes are not judged.
    /// Positions are in the column `pos`, if it is given.
    ///
    /// # Errors
    /// The errors of [`records`](Self::records); [`Error::Io`] also for a stream without such columns.
    pub(crate) fn rows(&mut self, inputs: &[Input], text: &str, pos: Option<&str>, max_line: usize) -> Result<()> {
        let mut columns = vec![Column::new(text, Kind::Text, Gaps::Cells)];
        columns.extend(pos.map(position));
        inputs.iter().try_for_each(|input| {
            ipc::each_row(input, &columns, |place, cells| {
                let pos = columns.get(1).map(|column| whole(column, cells[1])).transpose();
                let pos = pos.map_err(|reason| place.error(reason))?;
                let read = match cells[0] {
                    Cell::Text(message) if message.len() <= max_line => Ok(Some(message)),
                    Cell::Text(_) => {
                        let reason = tr!("the text is too long to be judged (--max-line sets the limit)");
                        Err(Fault { kind: FaultKind::LineTooLong, reason })
                    }
                    _ => Err(Fault { kind: FaultKind::NotAString, reason: tr!("nothing in column `{text}`", text) }),
                };
                self.take(place, pos.map(Pos), read.as_ref().map(|message| *message))
            })
        })
    }

    /// Sketches what was read at a place: a message, a blank line, or a record that cannot be judged.
    fn take(
        &mut self,
        place: &Location<'_>,
        pos: Option<Pos>,
        read: std::result::Result<Option<&str>, &Fault>,
    ) -> Result<()> {
        let pos = pos.unwrap_or(Pos(self.first.0 + self.sketched.records()));
        if i64::try_from(pos.0).is_err() {
            return Err(place.error(tr!("position {} is over 2^63 - 1, the last one", pos.0)));
        }
        let content = match read {
            Ok(Some(text)) => {
                self.sketched.messages += 1;
                let printed = self.printer.print_text(text, &mut self.clean);
                let text = self.has_text.then(|| text.to_owned());
                Content::Message { digest: printed.digest, simhash: printed.simhash, text }
            }
            Ok(None) => {
                self.sketched.blank += 1;
                Content::Blank
            }
            Err(fault) => {
                self.sketched.errors += 1;
                (self.fault)(place.file, place.line, fault)?;
                Content::Fault(fault.kind)
            }
        };
        (self.each)(Sketch { pos, content })
    }
}
