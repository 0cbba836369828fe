//! The owner of the state, which sees all messages in input order.

mod noticed;
mod of_run;

use std::mem::Discriminant;
use std::sync::Arc;

use super::backing::Backing;
use super::id_register::Register;
use super::metrics::{Metrics, Recorder};
use super::prepare::{Id, Item, Message, Prepared};
use super::recount::Recounter;
use super::sequence::Sequence;
use super::sink::{OnError, Sink};
use super::unjudged::Inputs;
use super::warnings::Warnings;
use super::{Naming, Notice, Observed, Observer, Totals};
use crate::config::settings::{ID_FIELD, TIME_FIELD};
use crate::config::{Config, Span};
use crate::error::{Error, Result};
use crate::formats::parse::{Fault, Parser};
use crate::formats::source::{Batch, Entry, Line};
use crate::formats::time::check_times;
use crate::record::{Judged, OfId, Pos, RecordId, Verdict};
use crate::text::Gist;
use of_run::OfRun;

/// Judges batches and passes them to the sink.
pub(super) struct Judge<'o> {
    pub(crate) backing: Backing,
    pub(crate) sink: Sink,
    pub(crate) totals: Totals,
    /// The numbers in the feed so far.
    numbers: Sequence,
    /// The ids of this run so far.
    ids: Register,
    /// How records without an id are named.
    naming: Naming,
    inputs: Inputs,
    /// The kinds of problems with ids and numbers that were already reported.
    noticed: Vec<Discriminant<Notice>>,
    /// Whether records are expected to have numbers in the feed.
    is_numbered: bool,
    /// File and line of the first number that is too far ahead to be believed yet.
    far_ahead: Option<(String, u64)>,
    of_run: OfRun,
    /// Late messages of earlier runs.
    late_before: u64,
    /// Whether the user named the field of times.
    is_time_field_named: bool,
    warnings: Warnings,
    /// Time of the last message that has one.
    event_time: Option<i64>,
    window: Option<Span>,
    pub(crate) observer: &'o mut dyn Observer,
    /// Whether each message is reported to the observer.
    pub(crate) watched: bool,
    pub(crate) recorder: Option<Recorder>,
    /// Decides when counts of repeats are reported, if they are.
    pub(crate) recounter: Option<Recounter>,
    /// Threads for the search.
    threads: usize,
}

/// The parts from which a judge is made.
pub(super) struct Parts<'o> {
    pub(super) backing: Backing,
    pub(super) recounter: Option<Recounter>,
    pub(super) sink: Sink,
    pub(super) metrics: Option<Arc<Metrics>>,
    pub(super) observer: &'o mut dyn Observer,
    /// Whether messages are searched in archives first.
    pub(super) has_archives: bool,
    /// Threads for the search.
    pub(super) threads: usize,
}

/// The filter's memory is prefetched this many records ahead. If the filter does all the work, on plain lines, that saves much of the
/// time.
const AHEAD: usize = 8;

impl<'o> Judge<'o> {
    /// Makes the judge of a run that begins. `parser` shows which fields the user expects.
    pub(crate) fn new(config: &Config, parser: &Parser, naming: Naming, parts: Parts<'o>) -> Self {
        let Parts { backing, recounter, mut sink, metrics, observer, has_archives, threads } = parts;
        let mut totals = backing.totals();
        totals.against = has_archives.then_some(0);
        if matches!(backing, Backing::Run(_)) {
            sink.disable_checksums();
        }
        Self {
            sink,
            recorder: metrics.map(|metrics| Recorder::new(metrics, &totals)),
            totals,
            numbers: Sequence::new(backing.seq_floor(), backing.last_seq()),
            ids: Register::new(config.remember_ids, parser.id_field.spelled() != ID_FIELD),
            is_time_field_named: parser.time_field.as_ref().is_some_and(|field| field.spelled() != TIME_FIELD),
            inputs: Inputs::default(),
            noticed: Vec::new(),
            is_numbered: parser.seq_field.is_some(),
            far_ahead: None,
            of_run: OfRun::new(parser),
            late_before: backing.state().clock().untimely().late,
            backing,
            recounter,
            naming,
            warnings: Warnings::new(config.window, !parser.further.scope.is_empty()),
            event_time: None,
            window: config.window,
            threads,
            watched: observer.watches(),
            observer,
        }
    }

    /// Judges a batch, writes it, and commits it.
    pub(crate) fn batch(&mut self, prepared: &Prepared) -> Result<()> {
        let batch = &prepared.batch;
        check_times(batch.format, self.window)?;
        self.sink.begin(batch)?;
        self.inputs.begin(batch.end.input, &batch.file);
        for (index, item) in prepared.items.iter().enumerate() {
            if let Some(Item::Message(ahead)) = prepared.items.get(index + AHEAD)
                && let Some(ahead) = &ahead.printed.digest
            {
                self.backing.state().exact().prefetch(*ahead);
            }
            self.item(batch, index, item)?;
        }
        if let Some(likely) = batch.likely {
            self.notice(&batch.file, 1, Notice::of(likely));
        }
        for line in &batch.suspicious_fields {
            self.totals.joined += 1;
            self.notice(&batch.file, *line, Notice::JoinedRows);
        }
        self.totals.bytes_in += batch.size();
        self.sink.flush()?;
        if let Backing::Durable(durable) = &mut self.backing {
            let reported = self.recounter.as_ref().map(Recounter::note);
            durable.commit(batch, self.totals.counts(), self.numbers.noted(), reported, &self.sink)?;
        }
        for name in self.sink.take_moves() {
            self.observer.output_moved(name);
        }
        for name in self.sink.take_other_headers() {
            self.observer.other_header(name);
        }
        let state = self.backing.state();
        self.warnings.warn(state, self.observer);
        if let Some(input) = self.inputs.unreadable_input() {
            self.observer.hopeless(input);
        }
        self.observer.progress(&self.totals);
        if let Some(recorder) = &mut self.recorder {
            let bytes_out = self.sink.written()[0].length;
            recorder.batch(&self.totals, bytes_out, self.event_time, prepared.read, state);
        }
        Ok(())
    }

    /// Whether it searches on more than one thread before judging.
    pub(crate) fn looks_ahead(&self) -> bool {
        // A record that is skipped because of its number takes no position, so the positions would not be known.
        self.threads > 1 && !self.is_numbered && self.backing.state().looks_ahead()
    }

    /// Searches on all threads for what the messages of the next batch repeat. Returns the messages to be [entered](Self::enter_ahead)
    /// and [searched for](Self::search_entered) before the batch is judged.
    pub(crate) fn look_ahead<'p>(&mut self, prepared: &'p Prepared) -> Vec<(Pos, &'p Gist)> {
        if !self.looks_ahead() {
            return Vec::new();
        }
        let (mut next, mut coming) = (self.backing.state().next(), Vec::new());
        for item in &prepared.items {
            match item {
                Item::Message(message) if message.archive_hit.is_none() => coming.push((next, &message.printed)),
                Item::Message(_) | Item::Blank | Item::Fault(_) => {}
                Item::Rest | Item::Header | Item::HeaderAgain | Item::HeaderRow => continue,
            }
            next = Pos(next.0 + 1);
        }
        self.backing.state_mut().look_ahead(&coming, self.threads)
    }

    /// Enters messages that the [look ahead](Self::look_ahead) returned.
    pub(crate) fn enter_ahead(&mut self, new: &[(Pos, &Gist)]) {
        self.backing.state_mut().enter_ahead(new);
    }

    /// Searches on all threads for what the messages [entered](Self::enter_ahead) repeat of each other.
    pub(crate) fn search_entered(&mut self, new: &[(Pos, &Gist)]) {
        self.backing.state_mut().search_entered(new, self.threads);
    }

    /// Reports all counts that have risen since their last report.
    fn recount(&mut self) {
        for recount in self.backing.state_mut().recounts() {
            self.sink.recounted(&recount);
        }
        if let Some(recounter) = &mut self.recounter {
            recounter.reported(self.backing.state().next());
        }
    }

    /// Reports all counts between two batches, and commits that.
    pub(crate) fn report_counts(&mut self) -> Result<()> {
        let has_unreported = self.backing.state().has_unreported();
        self.recount();
        if !has_unreported {
            return Ok(());
        }
        self.sink.flush()?;
        match (&mut self.backing, &self.recounter) {
            (Backing::Durable(durable), Some(recounter)) => durable.commit_reported(recounter.note(), &self.sink),
            _ => Ok(()),
        }
    }

    /// Reports counts, forces committed data to disk, and updates the metrics, each if it is due.
    pub(crate) fn tick(&mut self) -> Result<()> {
        if let Some(recorder) = &mut self.recorder {
            recorder.tick(self.backing.state());
        }
        if self.recounter.as_ref().is_some_and(Recounter::is_due) {
            self.report_counts()?;
        }
        match &mut self.backing {
            Backing::Durable(durable) => durable.sync_if_due(&self.sink),
            Backing::Run(_) => Ok(()),
        }
    }

    /// Completes the totals after the last message.
    pub(crate) fn end(&mut self) {
        if let Some(wrong) = self.numbers.end() {
            self.wrong_number(wrong);
        }
        self.inputs.end();
        let is_timed = self.is_time_field_named || matches!(self.window, Some(Span::Time { .. }));
        let has_state = matches!(&self.backing, Backing::Durable(durable) if !durable.goes_on);
        self.of_run.add_to(&mut self.totals, is_timed, has_state);
        let late = self.backing.state().clock().untimely().late - self.late_before;
        self.totals.newest_first = self.of_run.newest_first(late, self.window);
        self.totals.unnamed = self.ids.unnamed();
        let unnumbered = self.of_run.of_all(self.numbers.counts.missing);
        self.totals.unnumbered = Some(unnumbered).filter(|missing| missing.count > 0);
        self.totals.unjudged = std::mem::take(&mut self.inputs.found);
        (self.totals.numbers, self.totals.ids) = (self.numbers.counts, self.ids.counts);
    }

    fn item(&mut self, batch: &Batch, index: usize, item: &Item) -> Result<()> {
        let (line, entry) = (&batch.lines[index], batch.entry(index));
        match item {
            Item::Message(message) => self.message(batch, line, entry, message)?,
            Item::Blank => {
                self.backing.state_mut().skip_position();
                self.totals.verdict(Verdict::Kept);
                self.sink.blank(entry);
                self.observer.blank();
            }
            Item::Fault(fault) => self.fault(batch, line, entry, fault)?,
            Item::Rest => self.sink.rest(entry),
            Item::Header => self.sink.header(entry)?,
            Item::HeaderAgain => {}
            Item::HeaderRow => self.notice(&batch.file, line.number, Notice::HeaderRow),
        }
        Ok(())
    }

    /// Judges a message and passes it to the sink, unless it is skipped because of its number in the feed.
    fn message(&mut self, batch: &Batch, line: &Line, entry: Entry<'_>, message: &Message) -> Result<()> {
        let Message { printed, archive_hit, id, time, .. } = message;
        let in_archive = archive_hit.is_some();
        let is_before = message.seq.is_some_and(|seq| self.came_before(batch, line, seq, printed, in_archive));
        self.inputs.record(None);
        if is_before {
            self.totals.skip();
            return Ok(());
        }
        self.count(batch, line, message);
        let next = self.backing.state().next();
        if self.recounter.as_mut().is_some_and(|recounter| recounter.tick(next, *time)) {
            self.recount();
        }
        let id = || self_id(batch, line, id.as_ref(), self.naming, next);
        let of_id = if self.sink.shows_ids() || self.watched { OfId::Named } else { OfId::Omitted };
        let (verdict, judged) = self.backing.answer(printed, archive_hit.as_deref().cloned(), *time, id, of_id)?;
        let Judged { pos, verdict: shown, of, copy, differs } = judged;
        for recount in self.backing.state_mut().last_recounts() {
            self.sink.recounted(&recount);
        }
        self.totals.verdict(shown);
        if in_archive {
            self.totals.count_archive_hit();
        }
        self.of_run.verdict(printed, verdict, in_archive);
        self.event_time = time.or(self.event_time);
        self.sink.judged(entry, shown, of.as_ref(), copy, differs.as_deref());
        if let Some(sample) = &message.sample {
            self.observer.message(&Observed {
                pos,
                id: &id(),
                time: *time,
                value: message.value.as_deref(),
                verdict: shown,
                of: of.as_ref(),
                in_archive,
                sample,
            });
        }
        Ok(())
    }

    /// Counts a message and the parts that it lacks.
    fn count(&mut self, batch: &Batch, line: &Line, message: &Message) {
        if self.is_numbered && message.seq.is_none() {
            self.numbers.counts.missing += 1;
            self.notice(&batch.file, line.number, Notice::NoNumber);
        }
        self.of_run.message(message);
        self.look_at_id(batch, line, message.id.as_ref(), message.has_other_id);
        self.warnings.count(message.time, message.lacks_scope);
    }

    /// Passes on a record that cannot be judged, or ends the run with an error.
    fn fault(&mut self, batch: &Batch, line: &Line, entry: Entry<'_>, fault: &Fault) -> Result<()> {
        self.backing.state_mut().skip_position();
        self.totals.fault(fault.kind);
        self.inputs.record(Some(&fault.reason));
        if self.sink.on_error() == OnError::Fail {
            // Everything judged before is written; then the fault ends the run.
            self.sink.flush()?;
            let reason = fault.reason.clone();
            return Err(Error::Record { path: batch.file.to_string(), line: line.number, reason });
        }
        self.observer.fault(&batch.file, line.number, fault);
        self.sink.fault(entry, fault);
        Ok(())
    }
}

/// A record's id: its own, or else the name that this run gives a record at this position.
fn self_id<'b>(batch: &'b Batch, line: &Line, id: Option<&'b Id>, naming: Naming, pos: Pos) -> RecordId<'b> {
    match id.and_then(|id| id.json(batch)) {
        Some(own) => RecordId::of_json(own.into()),
        None => naming.name(&batch.file, line.number, pos, batch.could_have_ids()),
    }
}
