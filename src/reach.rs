//! How far back a message can repeat another: the window, in messages or in event time.
//!
//! Take a window of an hour. A post of 10:00 is kept. A copy of 10:40 is dropped. A copy of 11:10 is kept, although the copy
//! of 10:40 is only half an hour old: only kept messages count, and a repeat does not renew the message that it repeats. So a
//! campaign that is longer than the window is kept once per window.
//!
//! The rule: a kept message k counts for a later message m only if k is within the window of m.
//!
//! # Event time
//! The wall clock decides nothing. The *clock* is the latest event time so far. Each message is judged by a time:
//! - A message without a time gets the clock's time.
//! - A message may lie behind the clock by the lateness. If it lies further behind, it gets the earliest time that the
//!   lateness allows, and is counted as late.
//! - A message that is ahead of the clock by more than the window and the lateness is judged by its own time, so nothing before
//!   it counts: it may be the first after a quiet night. It is counted as ahead and does not move the clock, and for later
//!   messages it has the clock's time. Otherwise a single record dated 2099 would end the window for all others. If the next
//!   message with a time is as far ahead, the clock goes to the earlier of the two times, and that message is judged by the new
//!   clock.
//! - Messages that lie behind the clock by more than the window and the lateness are late. They also vote against the clock.
//!   When there have been a hundred more of them than of others, the clock falls back, and that is counted. From then on a
//!   constant is added to all event times, so that the message that tipped the vote stands at the clock. So a feed whose
//!   first message is dated 2099 has its window after a hundred others. Those hundred, and the messages kept before them,
//!   count from that moment.
//! - k is within the window of m if k's time is at most the window's length before m's time.

mod times;

use std::collections::VecDeque;

use crate::config::Span;
use crate::record::Pos;
use times::Times;
pub use times::Untimely;

/// A window is dropped in this many parts, so a state holds at most a quarter more than the window.
pub(crate) const PARTS: u64 = 4;

/// A kept message's time, and the clock at its arrival. In the order of messages the clock never falls. In milliseconds since
/// 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stamp {
    /// The time by which the message is judged, after the rules above. It is beyond the clock only where that does not believe it.
    pub(crate) time: i64,
    /// The clock.
    pub(crate) clock: i64,
}

/// The position and the time up to which messages have come, and what may still count.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    window: Option<Span>,
    /// The message being judged.
    pos: Pos,
    stamp: Stamp,
    times: Times,
    /// Messages before this position do not count, because memory was full.
    forced: Pos,
    /// The kept messages that may still count, under a window of time.
    kept: VecDeque<(Pos, Stamp)>,
}

/// The part of a [`Clock`] that is stored, beside the stamps of the kept messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ClockState {
    stamp: Stamp,
    times: Times,
    forced: u64,
}

impl Clock {
    /// The clock before the first message.
    pub(crate) fn new(window: Option<Span>) -> Self {
        Self {
            window,
            pos: Pos(0),
            stamp: Stamp { time: i64::MIN, clock: i64::MIN },
            times: Times::default(),
            forced: Pos(0),
            kept: VecDeque::new(),
        }
    }

    /// Takes the next message, at `pos`, with this time in milliseconds since 1970. Positions must not fall.
    pub(crate) fn tick(&mut self, pos: Pos, time: Option<i64>) {
        self.pos = pos;
        let Some(Span::Time { length, lateness }) = self.window else { return };
        let (length, lateness) = (length as i64, lateness as i64);
        let most = length.saturating_add(lateness);
        let (time, clock) = self.times.take(time, self.stamp.clock, lateness, most);
        self.turn_to(Stamp { time, clock });
    }

    fn turn_to(&mut self, stamp: Stamp) {
        self.stamp = stamp;
        let Some(Span::Time { length, lateness }) = self.window else { return };
        let gone = stamp.clock.saturating_sub(length as i64).saturating_sub(lateness as i64);
        while self.kept.front().is_some_and(|(pos, stamp)| stamp.clock < gone || *pos < self.forced) {
            self.kept.pop_front();
        }
    }

    /// Whether there is a window, out of which messages fall.
    pub(crate) fn forgets(&self) -> bool {
        self.window.is_some()
    }

    /// Marks the last message as kept.
    pub(crate) fn keep(&mut self) {
        if matches!(self.window, Some(Span::Time { .. })) {
            let Stamp { time, clock } = self.stamp;
            self.kept.push_back((self.pos, Stamp { time: time.min(clock), clock }));
        }
    }

    /// Takes an earlier message from a log, in the place of its [`tick`](Self::tick).
    pub(crate) fn restore(&mut self, pos: Pos, stamp: Option<Stamp>) {
        self.pos = pos;
        self.turn_to(stamp.unwrap_or(self.stamp));
    }

    /// From now on, messages before `before` do not count, however long the window is.
    pub(crate) fn forget(&mut self, before: Pos) {
        self.forced = self.forced.max(before);
    }

    /// The messages that count for the last message.
    pub(crate) fn reach(&self) -> Reach<'_> {
        let Stamp { time, clock } = self.stamp;
        let from = |pos: Pos| pos.max(self.forced);
        let (floor, oldest, sure, part) = match self.window {
            None => (Pos(0), Pos(0), Pos(0), 0),
            Some(Span::Messages(length)) => {
                let oldest = Pos(self.pos.0.saturating_sub(length));
                (oldest, oldest, oldest, (self.pos.0 / length.div_ceil(PARTS).max(1)) as i64)
            }
            Some(Span::Time { length, lateness }) => {
                let at = |least: i64| {
                    let index = self.kept.partition_point(|(_, stamp)| stamp.clock < least);
                    self.kept.get(index).map_or(self.pos, |(pos, _)| *pos)
                };
                // A kept message's time is at most its clock, and at most the lateness behind it.
                let since = time.saturating_sub(length as i64);
                let floor = self.kept.front().map_or(self.pos, |(pos, _)| *pos);
                let part = clock.div_euclid(length.div_ceil(PARTS).max(1) as i64);
                (floor, at(since), at(since.saturating_add(lateness as i64)), part)
            }
        };
        let timely = time == clock;
        let since = match self.window {
            Some(Span::Time { length, .. }) => time.saturating_sub(length as i64),
            _ => i64::MIN,
        };
        Reach {
            floor: from(floor),
            oldest: from(oldest),
            sure: from(sure),
            since,
            part,
            timely,
            kept: Some(&self.kept),
        }
    }

    /// The stamp of the last message; `None` without a window of time.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        matches!(self.window, Some(Span::Time { .. })).then_some(self.stamp)
    }

    /// Counts of messages whose time was changed or missing.
    pub(crate) fn untimely(&self) -> Untimely {
        self.times.untimely
    }

    /// The part that is stored.
    pub(crate) fn state(&self) -> ClockState {
        ClockState { stamp: self.stamp, times: self.times, forced: self.forced.0 }
    }

    /// Restores the stored part. The next message is at `next`.
    pub(crate) fn resume(&mut self, state: ClockState, next: Pos) {
        self.times = state.times;
        self.forget(Pos(state.forced));
        self.restore(next, Some(state.stamp));
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.kept.capacity() * size_of::<(Pos, Stamp)>()
    }
}

/// The earlier messages that count for one message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach<'c> {
    /// Messages before this position count neither for this message nor for any later one.
    pub(crate) floor: Pos,
    /// Messages before this position do not count.
    pub(crate) oldest: Pos,
    /// From this position on, every kept message counts. Between `oldest` and here, a message counts if its time does.
    pub(crate) sure: Pos,
    since: i64,
    /// The part of the window in which the message falls. It rises by one at each [`PARTS`]th of the window.
    pub(crate) part: i64,
    /// Whether no later message can reach further back. Then an earliest match stays the earliest for as long as it counts.
    pub(crate) timely: bool,
    kept: Option<&'c VecDeque<(Pos, Stamp)>>,
}

#[cfg(any(feature = "cli", feature = "lab"))]
impl Reach<'static> {
    /// All messages count.
    pub(crate) const ALL: Self =
        Self { floor: Pos(0), oldest: Pos(0), sure: Pos(0), since: i64::MIN, part: 0, timely: true, kept: None };
}

impl Reach<'_> {
    /// Whether the message kept at `pos` counts.
    pub(crate) fn has(&self, pos: Pos) -> bool {
        pos >= self.sure
            || pos >= self.oldest
                && self.kept.is_some_and(|kept| {
                    let stamp = kept.binary_search_by_key(&pos, |(pos, _)| *pos).ok().and_then(|at| kept.get(at));
                    stamp.is_some_and(|(_, stamp)| stamp.time >= self.since)
                })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The oracle keeps all stamps in a list.
        #[test]
        fn what_counts_is_what_is_near_enough(
            length in 1u64..40,
            lateness in 0u64..20,
            wrong in prop::option::of(100i64..100_000),
            messages in prop::collection::vec((prop::option::weighted(0.9, -30i64..30), any::<bool>()), 1..300),
        ) {
            let mut clock = Clock::new(Some(Span::Time { length, lateness }));
            let (mut kept, mut at, mut floor, mut latest) = (Vec::new(), 0, Pos(0), i64::MIN);
            for (pos, (step, keeps)) in messages.into_iter().enumerate() {
                let pos = Pos(pos as u64);
                at += i64::from(pos.0.is_multiple_of(3));
                let wrong = wrong.filter(|_| pos.0 % 200 < 2);
                clock.tick(pos, wrong.or(step.map(|step| at + step)));
                let reach = clock.reach();
                prop_assert!(reach.floor >= floor && reach.oldest >= reach.floor && reach.sure >= reach.oldest);
                floor = reach.floor;
                let stamp = clock.stamp().unwrap();
                prop_assert!(stamp.clock >= latest);
                latest = stamp.clock;
                for (of, time) in &kept {
                    prop_assert_eq!(reach.has(*of), *time >= stamp.time.saturating_sub(length as i64), "{:?} {:?}", of, reach);
                }
                let most = stamp.clock.saturating_add((length + lateness) as i64);
                prop_assert!(stamp.time <= stamp.clock || stamp.time > most);
                prop_assert!(stamp.time >= stamp.clock.saturating_sub(lateness as i64));
                if keeps {
                    clock.keep();
                    kept.push((pos, stamp.time.min(stamp.clock)));
                }
            }
        }
    }

    #[test]
    fn one_wrong_time_does_not_move_the_window() {
        let mut clock = Clock::new(Some(Span::Time { length: 100, lateness: 10 }));
        let times: Vec<i64> =
            [Some(1000), Some(990), Some(900), None, Some(9_999_999), Some(1005), Some(5000), Some(5050), Some(4000)]
                .into_iter()
                .enumerate()
                .map(|(pos, time)| {
                    clock.tick(Pos(pos as u64), time);
                    clock.stamp().unwrap().time
                })
                .collect();
        assert_eq!(times, [1000, 990, 990, 1000, 9_999_999, 1005, 5000, 5050, 5040]);
        assert_eq!(clock.untimely(), Untimely { missing: 1, late: 2, ahead: 2, back: 0 });
    }

    #[test]
    fn a_window_of_messages_is_of_positions() {
        let mut clock = Clock::new(Some(Span::Messages(10)));
        clock.tick(Pos(25), None);
        let reach = clock.reach();
        assert_eq!((reach.has(Pos(14)), reach.has(Pos(15)), reach.floor), (false, true, Pos(15)));
        clock.forget(Pos(20));
        assert_eq!((clock.reach().has(Pos(19)), clock.reach().has(Pos(20))), (false, true));
    }
}
