//! The parts of a state that must be stored, message by message, and how a state is restored from them.

use std::borrow::Cow;

use super::{Remembered, State};
use crate::error::Result;
use crate::fingerprint::Printed;
use crate::reach::ClockState;
use crate::record::{Pos, RecordId, Verdict};

impl State {
    /// The part of the last judged message that must be stored to restore the state: nothing if the state remembers nothing
    /// of it, two entries if it renewed what it repeats.
    pub fn remembered<'a, 'b: 'a>(
        &'a self,
        pos: Pos,
        verdict: Verdict,
        printed: &'b Printed,
        id: impl FnOnce() -> RecordId<'b>,
    ) -> impl Iterator<Item = Remembered<'a>> {
        let renewed = self.renewed(pos);
        let itself = self.remembered_itself(pos, verdict, printed, id, renewed.is_some());
        renewed.into_iter().chain(itself)
    }

    fn remembered_itself<'a>(
        &self,
        pos: Pos,
        verdict: Verdict,
        printed: &'a Printed,
        id: impl FnOnce() -> RecordId<'a>,
        renews: bool,
    ) -> Option<Remembered<'a>> {
        let exact = matches!(verdict, Verdict::Exact { .. });
        let (of, id, printed) = match verdict {
            // What it repeats has an entry at its own position.
            Verdict::Near { .. } | Verdict::Exact { .. } if renews => {
                (Some(pos), RecordId::Number(0), Cow::Borrowed(printed))
            }
            Verdict::Kept => (None, id(), Cow::Borrowed(printed)),
            Verdict::Near { of, .. } => (Some(self.newest(of)), RecordId::Number(0), Cow::Borrowed(printed)),
            Verdict::Exact { of: Some(of) } if self.tally.is_some() => {
                (Some(self.newest(of)), RecordId::Number(0), Cow::Owned(Printed::default()))
            }
            Verdict::Exact { .. } => return None,
        };
        Some(Remembered { pos, of, exact, stamp: self.clock.stamp(), id, printed, renewal: None })
    }

    /// Puts a stored message back into the state, without judging it. Positions must rise, and all are below `next`.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub(crate) fn restore(&mut self, message: Remembered<'_>, next: Pos) -> Result<()> {
        let Remembered { pos, of, exact, stamp, id, printed, renewal } = message;
        self.clock.restore(pos, stamp);
        self.count_again(pos, of, exact);
        if of.is_none() {
            self.clock.keep();
        }
        let reach = self.clock.reach();
        if let Some(digest) = printed.digest {
            self.exact.restore(digest, of.unwrap_or(pos), pos, &reach)?;
        }
        if of.is_some() {
            return Ok(());
        }
        if let Some(near) = &mut self.near {
            near.restore(&printed, pos, next, &reach)?;
        }
        match renewal {
            Some(renewal) => self.enter_renewal(renewal, Some(id), printed),
            None => self.enter(pos, printed, || Some(id)),
        }
        self.forget_entered();
        Ok(())
    }

    /// Ends the restoring: all stored messages are back, and the next message is at `next`.
    pub(crate) fn restored(&mut self, clock: ClockState, next: Pos) {
        self.exact.restored();
        self.clock.resume(clock, next);
        self.next = next.0;
        // Ids stay until the next message: the last counts of forgotten messages are reported then, and the reports name ids.
        self.forget_in_stages(self.clock.floor());
    }
}
