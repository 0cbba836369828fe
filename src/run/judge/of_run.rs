//! Counts of this run alone, which end in the totals as warnings: messages without a time, a state that knew everything.

use crate::config::Span;
use crate::fingerprint::Printed;
use crate::formats::parse::Parser;
use crate::record::Verdict;
use crate::run::prepare::Message;
use crate::run::{Portion, Totals};

/// A few new messages may all repeat an archive by chance.
const MANY: u64 = 100;

/// Counts of the messages of this run, not of one that it resumes.
#[derive(Debug, Default)]
pub(super) struct OfRun {
    /// Messages that were judged.
    messages: u64,
    /// Messages that were skipped because of their numbers.
    pub(super) skipped: u64,
    /// Messages that no stage compares.
    incomparable: u64,
    /// Other messages that were kept.
    kept: u64,
    /// Messages that equalled an earlier one.
    equal: u64,
    /// Dropped messages that repeat a message of an archive.
    archived: u64,
    /// Messages without a time.
    timeless: u64,
    /// The time of the last message that has one, the earliest time and the latest.
    time: Option<i64>,
    span: Option<(i64, i64)>,
    /// Messages with a later time than the one before, and with an earlier one.
    rises: u64,
    falls: u64,
    /// Messages that lack a value in a field of the scope; `None` if there is no scope.
    scopeless: Option<u64>,
    /// Messages of which a part is null or empty; `None` if a message is a single field.
    partial: Option<u64>,
}

impl OfRun {
    /// Begins to count. `parser` shows which fields a message has.
    pub(super) fn new(parser: &Parser) -> Self {
        Self {
            scopeless: (!parser.further.scope.is_empty()).then_some(0),
            partial: (!parser.further.also.is_empty()).then_some(0),
            ..Self::default()
        }
    }

    /// Counts a message, and what it lacks.
    pub(super) fn message(&mut self, message: &Message) {
        self.messages += 1;
        self.timeless += u64::from(message.time.is_none());
        if let (Some(before), Some(time)) = (self.time, message.time) {
            self.rises += u64::from(time > before);
            self.falls += u64::from(time < before);
        }
        if let Some(time) = message.time {
            let (earliest, latest) = self.span.unwrap_or((time, time));
            self.span = Some((earliest.min(time), latest.max(time)));
            self.time = Some(time);
        }
        self.scopeless = self.scopeless.map(|messages| messages + u64::from(message.lacks_scope));
        self.partial = self.partial.map(|messages| messages + u64::from(message.lacks_part));
    }

    /// Counts the verdict about a message.
    pub(super) fn verdict(&mut self, printed: &Printed, verdict: Verdict, in_archive: bool) {
        self.equal += u64::from(!in_archive && matches!(verdict, Verdict::Exact { .. }));
        self.archived += u64::from(in_archive);
        let kept = if printed.is_blank() { &mut self.incomparable } else { &mut self.kept };
        *kept += u64::from(verdict.is_kept());
    }

    /// Writes the counts into the totals. `is_timed` says whether messages are expected to have times, and `has_state` whether the run
    /// has a state and resumes no other run.
    pub(super) fn add_to(&self, totals: &mut Totals, is_timed: bool, has_state: bool) {
        let of_messages = |count| Portion { count, of: self.messages };
        totals.untimed = Some(of_messages(self.timeless)).filter(|untimed| is_timed && untimed.count > 0);
        totals.scopeless = self.scopeless.map(of_messages);
        totals.partial = self.partial.map(of_messages);
        totals.mostly_skipped = Some(self.of_all(self.skipped)).filter(|skipped| skipped.is_most());
        let comparable = self.messages - self.incomparable;
        let all_seen = has_state && self.kept == 0 && self.equal * 2 > comparable;
        totals.all_seen = all_seen.then_some(comparable);
        let all_archived = self.kept == 0 && self.archived * 2 > comparable && comparable >= MANY;
        totals.all_archived = all_archived.then_some(comparable);
    }

    /// This many late messages of all, if they are most, nearly all times fall, and the window does not hold them all: the input begins
    /// with the newest. Where several feeds come together, times rise as often as they fall.
    pub(super) fn newest_first(&self, late: u64, window: Option<Span>) -> Option<Portion> {
        let late = Portion { count: late, of: self.messages };
        let is_long = self.span.is_some_and(|(earliest, latest)| match window {
            Some(Span::Time { length, .. }) => latest.abs_diff(earliest) > length,
            _ => false,
        });
        Some(late).filter(|late| late.is_most() && self.falls > 4 * self.rises && is_long)
    }

    /// This many of all messages, also of those that were skipped.
    pub(super) fn of_all(&self, count: u64) -> Portion {
        Portion { count, of: self.messages + self.skipped }
    }
}
