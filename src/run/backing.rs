//! What is remembered, wherever it is kept: for one run, or in a state's folder for all.

use super::Totals;
use super::archives::Held;
use super::durable::Durable;
use super::recount::Reported;
use crate::dedup::State;
use crate::error::Result;
use crate::fingerprint::Printed;
use crate::record::{Judged, Pos, RecordId, Verdict};

/// What is remembered: of this run, or of all.
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

    /// Answers the next message: as the archive does that holds it, or else by a verdict of its own. Returns the verdict, and the answer as it
    /// is shown: a copy that is to be kept counts as kept there. Without `names` the answer does not name the message that is repeated.
    pub(crate) fn answer<'a>(
        &mut self,
        printed: &'a Printed,
        held: Option<Held>,
        time: Option<i64>,
        id: impl Fn() -> RecordId<'a>,
        names: bool,
    ) -> Result<(Verdict, Judged)> {
        if let Some(Held { verdict, of, differs }) = held {
            let pos = self.state_mut().take_position(time);
            return Ok((verdict, Judged { pos, verdict, of: Some(of), copy: None, differs }));
        }
        let (pos, verdict) = self.judge(printed, time, id)?;
        Ok((verdict, self.state().judged(printed, pos, verdict, names)))
    }

    /// Judges the next message, and writes down what is remembered of it where that is kept.
    fn judge<'a>(
        &mut self,
        printed: &'a Printed,
        time: Option<i64>,
        id: impl Fn() -> RecordId<'a>,
    ) -> Result<(Pos, Verdict)> {
        let (pos, verdict) = self.state_mut().judge(printed, time, &id)?;
        if let Self::Durable(durable) = self {
            durable.write_down(pos, verdict, printed, id)?;
        }
        Ok((pos, verdict))
    }

    /// Which counts an earlier run reported.
    pub(crate) fn reported(&self) -> Option<Reported> {
        match self {
            Self::Run(_) => None,
            Self::Durable(durable) => durable.progress.reported,
        }
    }

    /// Notes that the run begins.
    pub(crate) fn begin(&mut self, reported: Option<Reported>) -> Result<()> {
        match self {
            Self::Run(_) => Ok(()),
            Self::Durable(durable) => durable.begin(reported),
        }
    }

    pub(crate) fn totals(&self) -> Totals {
        match self {
            Self::Run(_) => Totals::default(),
            Self::Durable(durable) => Totals::of(durable.progress.counts),
        }
    }

    /// The last number in the feed that was noted before the run.
    pub(crate) fn seq_floor(&self) -> Option<u64> {
        match self {
            Self::Run(_) => None,
            Self::Durable(durable) => durable.seq_floor,
        }
    }

    pub(crate) fn last_seq(&self) -> Option<u64> {
        match self {
            Self::Run(_) => None,
            Self::Durable(durable) => durable.progress.last_seq,
        }
    }
}
