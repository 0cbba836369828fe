//! Handles problems with the ids and numbers of records, and decides whether a record's number means that it came before.

use std::mem::discriminant;

use super::Judge;
use crate::fingerprint::Printed;
use crate::formats::parse::shortened;
use crate::formats::source::{Batch, Line};
use crate::run::Notice;
use crate::run::prepare::Id;
use crate::run::sequence::NumberVerdict;

impl Judge<'_> {
    /// Reports a problem with ids, numbers or quotes, once for each kind.
    pub(super) fn notice(&mut self, file: &str, line: u64, notice: Notice) {
        if !self.noticed.contains(&discriminant(&notice)) {
            self.noticed.push(discriminant(&notice));
            self.observer.notice(file, line, &notice);
        }
    }

    /// Reads a record's number in the feed. Returns whether the record is skipped because it came before: a sender repeats
    /// the records that it does not know to be committed.
    pub(super) fn came_before(
        &mut self,
        batch: &Batch,
        line: &Line,
        number: u64,
        printed: &Printed,
        in_archive: bool,
    ) -> bool {
        let (verdict, wrong) = self.numbers.take(number);
        if let Some(wrong) = wrong {
            self.wrong_number(wrong);
        }
        let mut is_before = false;
        match verdict {
            // The archive would drop this record again.
            NumberVerdict::Before(_) if in_archive => is_before = true,
            NumberVerdict::Before(last) => match self.backing.state().knows(printed) {
                Some(true) => is_before = true,
                Some(false) => {
                    self.numbers.counts.late += 1;
                    self.notice(&batch.file, line.number, Notice::LateNumber { number, last });
                }
                None => {
                    is_before = true;
                    self.numbers.counts.unknown += 1;
                    self.notice(&batch.file, line.number, Notice::Skipped { number, last });
                }
            },
            NumberVerdict::Late(last) => self.notice(&batch.file, line.number, Notice::LateNumber { number, last }),
            NumberVerdict::Moved { from, to } => {
                let (file, line) = self.far_ahead.take().unwrap_or_default();
                self.notice(&file, line, Notice::MovedOn { from, to });
            }
            NumberVerdict::Doubtful if self.far_ahead.is_none() => {
                self.far_ahead = Some((batch.file.to_string(), line.number));
            }
            NumberVerdict::Next => self.far_ahead = None,
            NumberVerdict::Doubtful => {}
        }
        self.of_run.skipped += u64::from(is_before);
        is_before
    }

    /// Reports a number that is now known to be wrong.
    pub(super) fn wrong_number(&mut self, number: u64) {
        let (file, line) = self.far_ahead.take().unwrap_or_default();
        self.notice(&file, line, Notice::WrongNumber(number));
    }

    /// Checks a record's id, if the record could have one.
    pub(super) fn look_at_id(&mut self, batch: &Batch, line: &Line, id: Option<&Id>, has_other: bool) {
        if !self.ids.is_needed() || !batch.could_have_ids() {
            return;
        }
        match id.and_then(|id| id.json(batch)) {
            Some(id) if self.ids.add(id.as_bytes()) => {
                self.notice(&batch.file, line.number, Notice::SameId(shortened(id)));
            }
            None if self.ids.add_missing(has_other) => self.notice(&batch.file, line.number, Notice::NoId),
            _ => {}
        }
    }
}
