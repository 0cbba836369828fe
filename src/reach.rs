//! How far back a message can repeat another: the window, in messages or in event time.
//!
//! An edge between a kept k and a later m counts only if m is within the window of k. What a message repeats does not
//! make it younger: a campaign that goes on for longer than the window is kept once per window.
//!
//! # Event time
//! The wall clock decides nothing. The *clock* is the latest time that a message has told so far.
//! - A message without a time takes the clock's.
//! - A message that is later than the lateness allows (its time is further behind the clock) takes the earliest time that
//!   the lateness does allow, and is counted.
//! - One whose time is ahead of the clock by more than the window and the lateness takes the clock's, and is counted: a
//!   single record dated 2099 would else end the window for all others. If the next message with a time is as far ahead, the
//!   clock goes to the earlier of the two.
//! - Messages behind the clock by more than the window and the lateness are late, but they also vote against it: if a
//!   hundred more of them come than of others, the clock falls back, and that is counted. From then on what messages
//!   tell is taken as so much later that the last of them is at the clock. So a feed whose first message is dated 2099 has
//!   its window after a hundred others; those hundred, and what was kept before, count from there.
//! - m is within the window of k if k's time is at most the window's length before m's.

mod times;

use std::collections::VecDeque;

use crate::config::Span;
use crate::record::Pos;
use times::Times;
pub use times::Untimely;

/// Parts of a window that what is older can be dropped by: a fifth more than the window is remembered at most.
pub(crate) const PARTS: u64 = 4;

/// A kept message's time, and what the clock said when it came: this one never falls. In milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stamp {
    /// The message's own time, as the rules above leave it: what it told, unless the clock fell back before.
    pub(crate) time: i64,
    /// The latest time so far.
    pub(crate) clock: i64,
}

/// Where the window stands.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    window: Option<Span>,
    /// The message being judged.
    pos: Pos,
    stamp: Stamp,
    times: Times,
    /// Nothing before this counts: memory was full.
    forced: Pos,
    /// Of the kept messages that may still count, under a window of time.
    kept: VecDeque<(Pos, Stamp)>,
}

/// What must be written down of a [`Clock`] beside the stamps of the kept messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ClockState {
    stamp: Stamp,
    times: Times,
    forced: u64,
}

impl Clock {
    /// A clock before the first message.
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

    /// The message at `pos` comes, with this time in milliseconds since 1970. Positions must not fall.
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

    /// The message that came last is kept.
    pub(crate) fn keep(&mut self) {
        if matches!(self.window, Some(Span::Time { .. })) {
            self.kept.push_back((self.pos, self.stamp));
        }
    }

    /// An earlier message comes again, from a log, in the place of its [`tick`](Self::tick).
    pub(crate) fn restore(&mut self, pos: Pos, stamp: Option<Stamp>) {
        self.pos = pos;
        self.turn_to(stamp.unwrap_or(self.stamp));
    }

    /// Nothing before `pos` counts any longer, however long the window is.
    pub(crate) fn forget(&mut self, before: Pos) {
        self.forced = self.forced.max(before);
    }

    /// What counts for the message that came last.
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
                // A message's own time is at most the clock's at its coming, and at most the lateness behind it.
                let since = time.saturating_sub(length as i64);
                let floor = self.kept.front().map_or(self.pos, |(pos, _)| *pos);
                let part = clock.div_euclid(length.div_ceil(PARTS).max(1) as i64);
                (floor, at(since), at(since.saturating_add(lateness as i64)), part)
            }
        };
        let timely = time >= clock;
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

    /// The stamp of the message that came last; none under a window of messages, or without one.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        matches!(self.window, Some(Span::Time { .. })).then_some(self.stamp)
    }

    /// Messages so far whose time was not taken as it stood.
    pub(crate) fn untimely(&self) -> Untimely {
        self.times.untimely
    }

    /// What must be written down.
    pub(crate) fn state(&self) -> ClockState {
        ClockState { stamp: self.stamp, times: self.times, forced: self.forced.0 }
    }

    /// Goes on from what was written down, the next message being the one at `next`.
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

/// Which earlier messages count for one message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach<'c> {
    /// Nothing before this counts for this message or any later one.
    pub(crate) floor: Pos,
    /// Nothing before this counts.
    pub(crate) oldest: Pos,
    /// From here on everything counts; between `oldest` and here, what is not too old.
    pub(crate) sure: Pos,
    since: i64,
    /// Which part of the window the message falls in: rises by one at each [`PARTS`]th of the window.
    pub(crate) part: i64,
    /// Whether less counts for each later message: what was found to be the earliest stays so as long as it counts.
    pub(crate) timely: bool,
    kept: Option<&'c VecDeque<(Pos, Stamp)>>,
}

#[cfg(any(feature = "cli", feature = "lab"))]
impl Reach<'static> {
    /// Everything counts.
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
        /// The twin: all stamps in a list.
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
                prop_assert!(stamp.time <= stamp.clock && stamp.time >= stamp.clock.saturating_sub(lateness as i64));
                if keeps {
                    clock.keep();
                    kept.push((pos, stamp.time));
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
        assert_eq!(times, [1000, 990, 990, 1000, 1000, 1005, 1005, 5050, 5040]);
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
