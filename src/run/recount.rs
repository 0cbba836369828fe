//! When counts of repeats are told: `quchong dedup --recount`.
//!
//! A count is told once it has risen, at most once in a stretch of time, and for the last time when the message can be repeated no
//! longer. A feed goes by the wall clock, so that counts are told while nothing comes, too. Files go by the times of their messages:
//! then the same input gives the same output, however fast it is read. What is untold at the end is told there.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::config::Span;
use crate::reach::{Clock, ClockState};
use crate::record::Pos;

/// How often counts are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Each time that so many milliseconds have gone by, 1 or more.
    WallClock(u64),
    /// Each time that the messages' own times have gone on by so many milliseconds, 1 or more. A lone time that is ahead by more than
    /// twice as many is not believed, and a late one changes nothing: see [`reach`](crate::reach).
    MessageTimes(u64),
}

/// What a later run must know of the counts that were reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reported {
    /// Messages before this position are in counts that were reported.
    pub(crate) before: u64,
    /// The messages' time then, in milliseconds since 1970; none before the first.
    at: Option<i64>,
    clock: ClockState,
}

/// Says when it is time.
pub(super) struct Recounter {
    pace: Pace,
    clock: Clock,
    /// When counts were told last, by the pace's clock, or could have been told for the first time.
    at: Option<i64>,
    since: Instant,
    before: Pos,
}

impl Recounter {
    /// Goes on from what an earlier run had told.
    pub(crate) fn new(pace: Pace, earlier: Option<Reported>) -> Self {
        let (Pace::WallClock(every) | Pace::MessageTimes(every)) = pace;
        let mut clock = Clock::new(Some(Span::Time { length: every, lateness: every }));
        let before = Pos(earlier.map_or(0, |earlier| earlier.before));
        if let Some(earlier) = earlier {
            clock.resume(earlier.clock, before);
        }
        Self { pace, clock, at: earlier.and_then(|earlier| earlier.at), since: Instant::now(), before }
    }

    /// Hears of the message at `pos`, which has this time; whether counts are to be told before it.
    pub(crate) fn tick(&mut self, pos: Pos, time: Option<i64>) -> bool {
        let Pace::MessageTimes(every) = self.pace else { return false };
        self.clock.tick(pos, time);
        let Some(now) = self.clock.stamp().map(|stamp| stamp.clock).filter(|clock| *clock != i64::MIN) else {
            return false;
        };
        let at = *self.at.get_or_insert(now);
        now.saturating_sub(at) >= i64::try_from(every).unwrap_or(i64::MAX)
    }

    /// Whether counts are to be told, whatever comes.
    pub(crate) fn is_due(&self) -> bool {
        matches!(self.pace, Pace::WallClock(every) if self.since.elapsed() >= Duration::from_millis(every))
    }

    /// All counts of messages before `next` have been reported.
    pub(crate) fn reported(&mut self, next: Pos) {
        self.at = self.clock.stamp().map(|stamp| stamp.clock).filter(|clock| *clock != i64::MIN);
        (self.since, self.before) = (Instant::now(), next);
    }

    /// What a later run must know.
    pub(crate) fn note(&self) -> Reported {
        Reported { before: self.before.0, at: self.at, clock: self.clock.state() }
    }
}
