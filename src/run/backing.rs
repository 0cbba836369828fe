//! The state of a run, either for this run only or in a folder for all runs.

use super::Totals;
use super::archives::ArchiveHit;
use super::durable::Durable;
use super::recount::Reported;
use crate::dedup::State;
use crate::error::Result;
use crate::fingerprint::Printed;
use crate::record::{Judged, OfId, Pos, RecordId, Verdict};

/// The state of a run: in memory only, or in a folder.
pub(super) enum Backing {
    Run(Box<State>),
    Durable(Box<Durable>),
}

impl Backing {
    pub(crate) fn state(&self) -> &State {
        match self {
            Self::Run(state) => state,
            Self::Durable(durable) => &durable.state,
        }
    }

    pub(crate) fn state_mut(&mut self) -> &mut State {
        match self {
            Self::Run(state) => state,
            Self::Durable(durable) => &mut durable.state,
        }
    }

    /// Answers the next message. If an archive holds the message, its verdict is the answer; otherwise the state judges.
    /// Returns the verdict, and the answer as it is shown, which counts a copy that is to be kept as kept.
    pub(crate) fn answer<'a>(
        &mut self,
        printed: &'a Printed,
        archive_hit: Option<ArchiveHit>,
        time: Option<i64>,
        id: impl Fn() -> RecordId<'a>,
        of_id: OfId,
    ) -> Result<(Verdict, Judged)> {
        if let Some(ArchiveHit { verdict, of, differs }) = archive_hit {
            let pos = self.state_mut().take_position_for_archive_hit(time);
            return Ok((verdict, Judged { pos, verdict, of: Some(of), copy: None, differs }));
        }
        let (pos, verdict) = self.judge(printed, time, id)?;
        Ok((verdict, self.state().judged(printed, pos, verdict, of_id)))
    }

    /// Judges the next message, and stores it if there is a folder.
    fn judge<'a>(
        &mut self,
        printed: &'a Printed,
        time: Option<i64>,
        id: impl Fn() -> RecordId<'a>,
    ) -> Result<(Pos, Verdict)> {
        match self {
            Self::Run(state) => state.judge(printed, time, id),
            Self::Durable(durable) => durable.judge(printed, time, id),
        }
    }

    /// Returns which counts an earlier run reported.
    pub(crate) fn reported(&self) -> Option<Reported> {
        match self {
            Self::Run(_) => None,
            Self::Durable(durable) => durable.checkpoint.reported,
        }
    }

    /// Records that the run begins.
    pub(crate) fn begin(&mut self, reported: Option<Reported>) -> Result<()> {
        match self {
            Self::Run(_) => Ok(()),
            Self::Durable(durable) => durable.begin(reported),
        }
    }

    pub(crate) fn totals(&self) -> Totals {
        match self {
            Self::Run(_) => Totals::default(),
            Self::Durable(durable) => Totals::resumed_from(durable.checkpoint.counts),
        }
    }

    /// The last number in the feed that was recorded before the run.
    pub(crate) fn seq_floor(&self) -> Option<u64> {
        match self {
            Self::Run(_) => None,
            Self::Durable(durable) => durable.seq_floor,
        }
    }

    pub(crate) fn last_seq(&self) -> Option<u64> {
        match self {
            Self::Run(_) => None,
            Self::Durable(durable) => durable.checkpoint.last_seq,
        }
    }
}
