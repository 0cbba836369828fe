//! The stateless steps: what a line turns out to be, and the prints of a message.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::parse::{Fault, FaultKind, Parsed, Parser};
use super::source::{Batch, Line, Part};
use super::{Read, Sample};
use crate::fingerprint::{Printed, Printer};
use crate::text::Clean;

/// The stateless steps, shared by all threads.
pub(super) struct Preparer {
    pub parser: Parser,
    pub printer: Printer,
    /// Whether texts are told.
    pub watched: bool,
    /// Buffers, and what they remember, from one batch to a later one; as many as batches that were under way at once.
    pub cleans: Mutex<Vec<Clean>>,
}

/// A batch on its way to the judge.
pub(super) struct Prepared {
    /// When it was read.
    pub read: Instant,
    pub batch: Batch,
    pub items: Vec<Item>,
}

/// What a line turned out to be.
pub(super) enum Item {
    Message {
        printed: Printed,
        id: Option<Id>,
        time: Option<i64>,
        seq: Option<u64>,
        /// If texts are told.
        sample: Option<Box<Sample>>,
    },
    Blank,
    Fault(Fault),
    /// A further piece of a line that is too long.
    Rest,
    /// Names of columns, to be written.
    Header,
    /// Names of columns that were written already.
    HeaderAgain,
}

/// JSON text of a record's id.
pub(super) enum Id {
    /// Where it stands in the batch.
    There(Range<usize>),
    /// What stands there otherwise.
    Own(String),
}

impl Preparer {
    pub fn prepare(&self, (read, batch): Read) -> Prepared {
        let mut clean = self.cleans().pop().unwrap_or_default();
        let items = batch.lines.iter().map(|line| self.item(&batch, line, &mut clean)).collect();
        self.cleans().push(clean);
        Prepared { read, batch, items }
    }

    fn cleans(&self) -> MutexGuard<'_, Vec<Clean>> {
        // Nothing can panic while it is held; were it otherwise, buffers are fit for use at any time.
        self.cleans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn item(&self, batch: &Batch, line: &Line, clean: &mut Clean) -> Item {
        let parsed = match read_line(&self.parser, batch, line) {
            LineRead::Message(parsed) => parsed,
            LineRead::Blank => return Item::Blank,
            LineRead::Fault(fault) => return Item::Fault(fault),
            LineRead::Rest => return Item::Rest,
            LineRead::Header => return Item::Header,
            LineRead::HeaderAgain => return Item::HeaderAgain,
        };
        let id = parsed.id.map(|id| match id {
            Cow::Borrowed(id) => {
                let start = id.as_ptr() as usize - batch.bytes.as_ptr() as usize;
                Id::There(start..start + id.len())
            }
            Cow::Owned(id) => Id::Own(id),
        });
        let printed = self.printer.print_text(&parsed.text, clean);
        let sample = self.watched.then(|| Box::new(Sample::of(&parsed.text)));
        Item::Message { printed, id, time: parsed.time, seq: parsed.seq, sample }
    }
}

/// What a line turns out to be before it is judged.
pub(super) enum LineRead<'l> {
    Message(Parsed<'l>),
    Blank,
    Fault(Fault),
    Rest,
    Header,
    HeaderAgain,
}

pub(super) fn read_line<'l>(parser: &Parser, batch: &'l Batch, line: &Line) -> LineRead<'l> {
    let fault = |kind, reason: &str| LineRead::Fault(Fault { kind, reason: reason.to_owned() });
    match line.part {
        Part::Whole => match parser.parse(&batch.bytes[line.start..line.end], batch.layout()) {
            Err(fault) => LineRead::Fault(fault),
            Ok(None) => LineRead::Blank,
            Ok(Some(parsed)) => LineRead::Message(parsed),
        },
        Part::Undecodable => {
            let reason = format!("not {} (--encoding names another encoding)", batch.encoding());
            fault(FaultKind::InvalidEncoding, &reason)
        }
        Part::TooLongRest => LineRead::Rest,
        Part::Header => LineRead::Header,
        Part::HeaderAgain => LineRead::HeaderAgain,
        Part::Unclosed => fault(FaultKind::InvalidCsv, "a field begins with a quote and never ends"),
        Part::TooLong => fault(FaultKind::LineTooLong, "the line is too long to be judged (--max-line sets the limit)"),
    }
}
