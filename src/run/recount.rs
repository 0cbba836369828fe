//! Decides when counts of repeats are reported: `quchong dedup --recount`.
//!
//! A count is reported after it has risen, at most once in each interval. It is reported for the last time when its message
//! can no longer be repeated. A feed goes by the wall clock, so counts are reported even while no message comes. Files go by
//! the times of their messages, so the same input gives the same output, however fast it is read. At the end all remaining
//! counts are reported.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::config::Span;
use crate::reach::{Clock, ClockState};
use crate::record::Pos;

/// How often counts are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Every this many milliseconds of the wall clock, 1 or more.
    WallClock(u64),
    /// Every this many milliseconds of the messages' own times, 1 or more. A lone time that is ahead by more than twice the
    /// interval is not believed, and a late one changes nothing: see [`reach`](crate::reach).
    MessageTimes(u64),
}

/// What a later run must know about reported counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reported {
    /// All messages before this position are in counts that were reported.
    pub(crate) before: u64,
    /// The messages' time at that report, in milliseconds since 1970; `None` before the first.
    at: Option<i64>,
    clock: ClockState,
}

/// Decides when counts are due.
pub(super) struct Recounter {
    pace: Pace,
    clock: Clock,
    /// The messages' time at the last report, or at the first message with a time.
    at: Option<i64>,
    since: Instant,
    before: Pos,
}

impl Recounter {
    /// Continues after the reports of an earlier run.
    pub(crate) fn new(pace: Pace, earlier: Option<Reported>) -> Self {
        let (Pace::WallClock(every) | Pace::MessageTimes(every)) = pace;
        let mut clock = Clock::new(Some(Span::Time { length: every, lateness: every }));
        let before = Pos(earlier.map_or(0, |earlier| earlier.before));
        if let Some(earlier) = earlier {
            clock.resume(earlier.clock, before);
        }
        Self { pace, clock, at: earlier.and_then(|earlier| earlier.at), since: Instant::now(), before }
    }

    /// Takes the message at `pos` with its time. Returns whether counts are to be reported before it.
    pub(crate) fn tick(&mut self, pos: Pos, time: Option<i64>) -> bool {
        let Pace::MessageTimes(every) = self.pace else { return false };
        self.clock.tick(pos, time);
        let Some(now) = self.clock.stamp().map(|stamp| stamp.clock).filter(|clock| *clock != i64::MIN) else {
            return false;
        };
        let at = *self.at.get_or_insert(now);
        now.saturating_sub(at) >= i64::try_from(every).unwrap_or(i64::MAX)
    }

    /// Whether counts are due by the wall clock.
    pub(crate) fn is_due(&self) -> bool {
        matches!(self.pace, Pace::WallClock(every) if self.since.elapsed() >= Duration::from_millis(every))
    }

    /// Records that all counts of messages before `next` have been reported.
    pub(crate) fn reported(&mut self, next: Pos) {
        self.at = self.clock.stamp().map(|stamp| stamp.clock).filter(|clock| *clock != i64::MIN);
        (self.since, self.before) = (Instant::now(), next);
    }

    /// Returns what a later run must know.
    pub(crate) fn note(&self) -> Reported {
        Reported { before: self.before.0, at: self.at, clock: self.clock.state() }
    }
}
