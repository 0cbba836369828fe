//! The stateless steps: decides what each line is, and makes the prints of messages.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::archives::{ArchiveHit, Archives, Worker};
use super::{Read, Sample};
use crate::fingerprint::{Printed, Printer};
use crate::formats::parse::{Fault, Parser, as_text};
use crate::formats::source::{Batch, Line, Part};
use crate::parallel::beside;

/// Fewer lines than these are prepared faster by one thread than on several.
const FEW: usize = 48;
/// Lines that a thread takes at a time.
const CHUNK: usize = 32;

/// The stateless steps, shared by all threads.
pub(super) struct Preparer {
    pub(crate) parser: Parser,
    pub(crate) printer: Printer,
    /// Whether an observer receives samples of the texts.
    pub(crate) watched: bool,
    /// The archives in which messages are searched.
    pub(crate) archives: Archives,
    /// Buffers and their caches, kept for later batches: as many as threads worked at once.
    pub(crate) workers: Mutex<Vec<Worker>>,
}

/// A batch on its way to the judge.
pub(super) struct Prepared {
    /// The time at which the batch was read.
    pub(crate) read: Instant,
    pub(crate) batch: Batch,
    pub(crate) items: Vec<Item>,
}

/// A batch whose first lines are prepared.
pub(super) struct Preparing<'b> {
    batch: &'b Batch,
    /// Its bytes, if they are text.
    text: Option<&'b str>,
    pub(crate) items: Vec<Item>,
}

impl<'b> Preparing<'b> {
    /// Begins with no prepared line.
    pub(crate) fn of(batch: &'b Batch) -> Self {
        Self { batch, text: as_text(batch), items: Vec::with_capacity(batch.lines.len()) }
    }

    /// The number of lines that are not prepared yet.
    pub(crate) fn left(&self) -> usize {
        self.batch.lines.len() - self.items.len()
    }
}

/// The kind of a line, with its data.
pub(super) enum Item {
    Message(Message),
    Blank,
    Fault(Fault),
    /// A further piece of a line that is too long.
    Rest,
    /// A row of column names that is to be written.
    Header,
    /// A row of column names that was written already.
    HeaderAgain,
    /// The same row once more in one input.
    HeaderRow,
}

/// A message as the judge receives it.
pub(super) struct Message {
    pub(crate) printed: Printed,
    /// The message of an archive that it repeats.
    pub(crate) archive_hit: Option<Box<ArchiveHit>>,
    pub(crate) id: Option<Id>,
    /// Whether the record has a value in the place of the id that is no id.
    pub(crate) has_other_id: bool,
    /// Whether it has no value in a field of the scope.
    pub(crate) lacks_scope: bool,
    /// Whether a part of it is null or empty.
    pub(crate) lacks_part: bool,
    pub(crate) time: Option<i64>,
    pub(crate) seq: Option<u64>,
    /// JSON text of the value that `--represent` chooses by.
    pub(crate) value: Option<Box<str>>,
    /// A sample of the text, if an observer receives them.
    pub(crate) sample: Option<Box<Sample>>,
}

/// JSON text of a record's id.
pub(super) enum Id {
    /// Its range in the bytes of the batch.
    There(Range<usize>),
    /// Its text, if it is not part of those bytes.
    Own(String),
}

impl Id {
    /// Makes an id from text that may be part of the batch's bytes.
    fn of(id: Cow<'_, str>, batch: &[u8]) -> Self {
        let place = match &id {
            Cow::Borrowed(id) => place_of(id.as_bytes(), batch),
            Cow::Owned(_) => None,
        };
        place.map_or_else(|| Self::Own(id.into_owned()), Self::There)
    }

    /// The JSON text; `batch` must be the batch it came from.
    pub(crate) fn json<'b>(&'b self, batch: &'b Batch) -> Option<&'b str> {
        match self {
            Self::There(place) => std::str::from_utf8(batch.bytes.get(place.clone())?).ok(),
            Self::Own(id) => Some(id),
        }
    }
}

/// The range of `part` in `whole`, if it is a piece of that memory.
fn place_of(part: &[u8], whole: &[u8]) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let place = start..start.checked_add(part.len())?;
    (place.end <= whole.len()).then_some(place)
}

impl Preparer {
    /// Prepares a whole batch on the calling thread.
    pub(crate) fn prepare(&self, (read, batch): Read) -> Prepared {
        let mut items = Preparing::of(&batch);
        self.go_on(&mut items, batch.lines.len(), 1, || ());
        let items = items.items;
        Prepared { read, batch, items }
    }

    /// Prepares some more lines of a batch on `threads` threads. The calling thread first runs `meanwhile`, then helps.
    pub(crate) fn go_on<O>(
        &self,
        Preparing { batch, text, items }: &mut Preparing<'_>,
        lines: usize,
        threads: usize,
        meanwhile: impl FnOnce() -> O,
    ) -> O {
        let lines = &batch.lines[items.len()..][..lines];
        let threads = if lines.len() < FEW { 1 } else { threads };
        let mut workers: Vec<_> =
            (0..threads).map(|_| self.workers().pop().unwrap_or_else(|| self.archives.worker())).collect();
        let item = |worker: &mut Worker, line: &Line| self.item(batch, *text, line, worker);
        let (more, other) = beside(lines, CHUNK, &mut workers, item, meanwhile);
        items.extend(more);
        self.workers().extend(workers);
        other
    }

    fn workers(&self) -> MutexGuard<'_, Vec<Worker>> {
        // No code can panic while the lock is held; even if it could, buffers are usable at any time.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn item(&self, batch: &Batch, text: Option<&str>, line: &Line, worker: &mut Worker) -> Item {
        match line.part {
            Part::TooLongRest => return Item::Rest,
            Part::Header => return Item::Header,
            Part::HeaderAgain => return Item::HeaderAgain,
            Part::HeaderRow => return Item::HeaderRow,
            Part::Whole | Part::Undecodable | Part::TooLong | Part::Misquoted => {}
        }
        let parsed = match self.parser.read(batch, text, line) {
            Ok(Some(parsed)) => parsed,
            Ok(None) => return Item::Blank,
            Err(fault) => return Item::Fault(fault),
        };
        let id = parsed.id.map(|id| Id::of(id, &batch.bytes));
        let (printed, archive_hit) = self.archives.print(&self.printer, &parsed.text, parsed.scope.as_deref(), worker);
        let value = parsed.value.map(Into::into);
        let sample = self.watched.then(|| Box::new(Sample::of(&parsed.text)));
        Item::Message(Message {
            printed,
            archive_hit,
            id,
            has_other_id: parsed.has_other_id,
            lacks_scope: parsed.lacks_scope,
            lacks_part: parsed.lacks_part,
            time: parsed.time,
            seq: parsed.seq,
            value,
            sample,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_stands_elsewhere_is_taken_along() {
        let all = *b"0\"a\"1";
        let (before, batch) = all.split_at(1);
        let (batch, behind) = batch.split_at(3);
        let of = |bytes: &[u8]| match Id::of(Cow::Borrowed(std::str::from_utf8(bytes).unwrap()), batch) {
            Id::There(place) => Ok(place),
            Id::Own(id) => Err(id),
        };
        assert_eq!(of(batch), Ok(0..3));
        assert_eq!(of(&batch[1..2]), Ok(1..2));
        assert_eq!((of(before), of(behind)), (Err("0".to_owned()), Err("1".to_owned())));
        assert_eq!(of(&all[2..]), Err("a\"1".to_owned()));
        assert!(matches!(Id::of(Cow::Owned("7".to_owned()), batch), Id::Own(id) if id == "7"));
    }
}
