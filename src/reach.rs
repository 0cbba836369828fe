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
//!   it counts: it may be the first after a quiet night. It is counted as ahead and does not move the clock. For later messages
//!   it has the clock's time; otherwise a single record dated 2099 would end the window for all others. If the next message
//!   with a time is as far ahead, the first one was right. Then the clock goes to the earlier of the two times. For later
//!   messages, the first one and the messages between them get that time. The second one is judged by the new clock.
//! - Messages that lie behind the clock by more than the window and the lateness are late. They also vote against the clock.
//!   When there have been a hundred more of them than of others, the clock falls back, and that is counted. From then on a
//!   constant is added to all event times, so that the message that tipped the vote has the clock's time. So a feed whose first
//!   message is dated 2099 has its window after a hundred others. Those hundred, and the messages kept before them, count from
//!   that moment.
//! - k is within the window of m if k's time is at most the window's length before m's time.

mod times;

use std::collections::VecDeque;

use crate::config::Span;
use crate::record::Pos;
pub use times::Untimely;
use times::{Taken, Times};

/// A window is dropped in this many parts, so a state holds at most a quarter more than the window.
pub(crate) const PARTS: u64 = 4;

/// A kept message's time, and the clock at its arrival. In the order of messages the clock never falls. In milliseconds since
/// 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stamp {
    /// The time by which the message is judged, after the rules above. It lies after the clock only if the message is too far
    /// ahead.
    pub(crate) time: i64,
    /// The clock.
    pub(crate) clock: i64,
    /// The last message that was too far ahead and that a later one showed to be right, with the clock that both agreed on.
    /// Messages kept from its position on have that time. Stored only as long as it can matter.
    pub(crate) leap: Option<(Pos, i64)>,
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
    kept: VecDeque<Kept>,
}

/// A kept message. Its time is at most its clock.
#[derive(Debug, Clone, Copy)]
struct Kept {
    pos: Pos,
    time: i64,
    clock: i64,
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
            stamp: Stamp { time: i64::MIN, clock: i64::MIN, leap: None },
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
        let Taken { time, clock, leap } = self.times.take(pos, time, self.stamp.clock, lateness, most);
        let old = self.stamp.leap.filter(|(_, at)| clock.saturating_sub(*at) <= most);
        self.turn_to(Stamp { time, clock, leap: leap.or(old) });
    }

    fn turn_to(&mut self, stamp: Stamp) {
        if let Some((first, clock)) = stamp.leap.filter(|_| stamp.leap != self.stamp.leap) {
            let first = self.kept.partition_point(|kept| kept.pos < first);
            self.kept.range_mut(first..).for_each(|kept| (kept.time, kept.clock) = (clock, clock));
        }
        self.stamp = stamp;
        let Some(Span::Time { length, lateness }) = self.window else { return };
        let gone = stamp.clock.saturating_sub(length as i64).saturating_sub(lateness as i64);
        while self.kept.front().is_some_and(|kept| kept.clock < gone || kept.pos < self.forced) {
            self.kept.pop_front();
        }
    }

    /// Whether there is a window, so that messages are forgotten.
    pub(crate) fn forgets(&self) -> bool {
        self.window.is_some()
    }

    /// Marks the last message as kept.
    pub(crate) fn keep(&mut self) {
        if matches!(self.window, Some(Span::Time { .. })) {
            let Stamp { time, clock, .. } = self.stamp;
            self.kept.push_back(Kept { pos: self.pos, time: time.min(clock), clock });
        }
    }

    /// Whether the kept message at `pos` is older than the last message by at least one of `parts` equal parts of the window.
    /// False without a window.
    pub(crate) fn is_stale(&self, pos: Pos, parts: u64) -> bool {
        match self.window {
            None => false,
            Some(Span::Messages(length)) => (self.pos.0 - pos.0).saturating_mul(parts) >= length,
            Some(Span::Time { length, .. }) => {
                let found = self.kept.binary_search_by_key(&pos, |kept| kept.pos).ok().and_then(|at| self.kept.get(at));
                let age = |kept: &Kept| u64::try_from(self.stamp.time.saturating_sub(kept.time)).unwrap_or(0);
                found.is_some_and(|kept| age(kept).saturating_mul(parts) >= length)
            }
        }
    }

    /// Restores an earlier message from a log, in place of its [`tick`](Self::tick).
    pub(crate) fn restore(&mut self, pos: Pos, stamp: Option<Stamp>) {
        self.pos = pos;
        self.turn_to(stamp.unwrap_or(self.stamp));
    }

    /// From now on, messages before `before` do not count, however long the window is.
    pub(crate) fn forget(&mut self, before: Pos) {
        self.forced = self.forced.max(before);
    }

    /// Messages before this position count neither for the last message nor for any later one.
    pub(crate) fn floor(&self) -> Pos {
        let floor = match self.window {
            None => Pos(0),
            Some(Span::Messages(length)) => Pos(self.pos.0.saturating_sub(length)),
            Some(Span::Time { .. }) => self.kept.front().map_or(self.pos, |kept| kept.pos),
        };
        floor.max(self.forced)
    }

    /// The messages that count for the last message.
    pub(crate) fn reach(&self) -> Reach<'_> {
        let Stamp { time, clock, .. } = self.stamp;
        let floor = self.floor();
        let (oldest, sure, since, part) = match self.window {
            None => (floor, floor, i64::MIN, 0),
            Some(Span::Messages(length)) => {
                (floor, floor, i64::MIN, (self.pos.0 / length.div_ceil(PARTS).max(1)) as i64)
            }
            Some(Span::Time { length, lateness }) => {
                let at = |least: i64| {
                    let index = self.kept.partition_point(|kept| kept.clock < least);
                    self.kept.get(index).map_or(self.pos, |kept| kept.pos).max(self.forced)
                };
                // A kept message's time is at most its clock, and at most the lateness behind it.
                let since = time.saturating_sub(length as i64);
                let part = clock.div_euclid(length.div_ceil(PARTS).max(1) as i64);
                (at(since), at(since.saturating_add(lateness as i64)), since, part)
            }
        };
        Reach { floor, oldest, sure, since, part, timely: time == clock, leaps: time > clock, kept: Some(&self.kept) }
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
        self.kept.capacity() * size_of::<Kept>()
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
    /// Whether the message is judged by a time after the clock, because it is too far ahead: nothing before it counts.
    pub(crate) leaps: bool,
    kept: Option<&'c VecDeque<Kept>>,
}

impl Reach<'static> {
    /// All messages count.
    pub(crate) const ALL: Self = Self {
        floor: Pos(0),
        oldest: Pos(0),
        sure: Pos(0),
        since: i64::MIN,
        part: 0,
        timely: true,
        leaps: false,
        kept: None,
    };
}

impl Reach<'_> {
    /// Whether the message kept at `pos` counts.
    pub(crate) fn has(&self, pos: Pos) -> bool {
        pos >= self.sure
            || pos >= self.oldest
                && self.kept.is_some_and(|kept| {
                    let found = kept.binary_search_by_key(&pos, |kept| kept.pos).ok().and_then(|at| kept.get(at));
                    found.is_some_and(|kept| kept.time >= self.since)
                })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The oracle keeps all times in a list. A second clock is restored from the stamps of kept messages.
        #[test]
        fn what_counts_is_what_is_near_enough(
            length in 1u64..40,
            lateness in 0u64..20,
            wrong in prop::option::of(100i64..100_000),
            messages in prop::collection::vec((prop::option::weighted(0.9, -30i64..30), any::<bool>(), prop::bool::weighted(0.1)), 1..300),
        ) {
            let window = Some(Span::Time { length, lateness });
            let mut clock = Clock::new(window);
            let (mut kept, mut at, mut floor, mut latest) = (Vec::new(), 0, Pos(0), i64::MIN);
            let (mut stamps, mut leap) = (Vec::new(), None);
            for (pos, (step, keeps, jumps)) in messages.into_iter().enumerate() {
                let pos = Pos(pos as u64);
                at += i64::from(pos.0.is_multiple_of(3)) + if jumps { 100 } else { 0 };
                let wrong = wrong.filter(|_| pos.0 % 200 < 2);
                let time = wrong.or(step.map(|step| at + step));
                clock.tick(pos, time);
                let stamp = clock.stamp().unwrap();
                if let Some((first, time)) = stamp.leap.filter(|_| stamp.leap != leap) {
                    leap = stamp.leap;
                    prop_assert!(first < pos && time > latest.saturating_add((length + lateness) as i64));
                    kept.iter_mut().filter(|(pos, _)| *pos >= first).for_each(|(_, kept)| *kept = time);
                }
                let reach = clock.reach();
                prop_assert!(reach.floor >= floor && reach.oldest >= reach.floor && reach.sure >= reach.oldest);
                floor = reach.floor;
                prop_assert!(stamp.clock >= latest);
                latest = stamp.clock;
                let mut again = Clock::new(window);
                for (pos, stamp) in &stamps {
                    again.restore(*pos, Some(*stamp));
                    again.keep();
                }
                again.resume(clock.state(), pos);
                for (of, time) in &kept {
                    prop_assert_eq!(reach.has(*of), *time >= stamp.time.saturating_sub(length as i64), "{:?} {:?}", of, reach);
                    prop_assert_eq!(again.reach().has(*of), reach.has(*of), "{:?} {:?}", of, reach);
                }
                let most = stamp.clock.saturating_add((length + lateness) as i64);
                prop_assert!(stamp.time <= stamp.clock || stamp.time > most);
                prop_assert!(stamp.time >= stamp.clock.saturating_sub(lateness as i64));
                if keeps {
                    clock.keep();
                    kept.push((pos, stamp.time.min(stamp.clock)));
                    stamps.push((pos, stamp));
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

    /// The first message after a gap counts for the second one, which shows that its time was right.
    #[test]
    fn what_follows_a_gap_is_held_against_its_first_message() {
        let mut clock = Clock::new(Some(Span::Time { length: 100, lateness: 10 }));
        for (pos, time) in [(0, Some(1000)), (1, Some(5000)), (2, None)] {
            clock.tick(Pos(pos), time);
            assert!((0..pos).all(|of| clock.reach().has(Pos(of)) == (pos == 2)), "{pos}");
            clock.keep();
        }
        clock.tick(Pos(3), Some(5050));
        let reach = clock.reach();
        assert_eq!([0, 1, 2].map(|of| reach.has(Pos(of))), [false, true, true]);
        assert_eq!(clock.stamp().unwrap().leap, Some((Pos(1), 5000)));
        clock.tick(Pos(4), Some(5111));
        assert_eq!(clock.stamp().unwrap().leap, None);
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
