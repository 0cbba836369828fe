//! The time by which a message is judged. [`reach`](super) has the rules.

use serde::{Deserialize, Serialize};

use crate::record::Pos;

/// The number of votes at which the clock falls back. It is a compromise. After one or two records dated 2099, a hundred messages are
/// judged by a wrong time, which are few. On the other hand, a hundred messages in a row that are behind by more than the window come from
/// another feed or another dump, which should have its own times.
pub(crate) const OUTVOTED: u32 = 100;

/// Counts of messages whose time was changed or missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untimely {
    /// Messages without a readable time.
    pub missing: u64,
    /// Messages later than the lateness allows.
    pub late: u64,
    /// Messages too far ahead of the clock.
    pub ahead: u64,
    /// How often the clock fell back.
    pub back: u64,
}

/// The part of the clock that changes event times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Times {
    /// The constant that is added to event times since the clock fell back.
    shift: i64,
    /// The position and the time of the last message with a time, if it was too far ahead.
    leap: Option<(Pos, i64)>,
    /// Votes against the clock: a message too far behind adds one, any other takes one away.
    behind: u32,
    pub(crate) untimely: Untimely,
}

/// The time and the clock for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) time: i64,
    pub(super) clock: i64,
    /// If this message shows that an earlier one, which was too far ahead, was right: that message's position, and the clock
    /// that both agree on.
    pub(super) leap: Option<(Pos, i64)>,
}

impl Times {
    /// Returns the time and the clock for the next message, at `pos`, from its event time `event_time` and the clock before it.
    pub(crate) fn take(&mut self, pos: Pos, event_time: Option<i64>, clock: i64, lateness: i64, most: i64) -> Taken {
        let by = |time, clock| Taken { time, clock, leap: None };
        let Some(event_time) = event_time else {
            self.untimely.missing += 1;
            return by(clock, clock);
        };
        let time = event_time.saturating_add(self.shift);
        if clock == i64::MIN {
            return by(time, time);
        }
        let leap = self.leap.take();
        if time > clock.saturating_add(most) {
            let leap = leap.map(|(pos, leap)| (pos, leap.min(time)));
            let clock = leap.map_or(clock, |(_, leap)| leap);
            if time <= clock.saturating_add(most) {
                return Taken { time, clock: time, leap };
            }
            self.leap = Some((pos, time));
            self.untimely.ahead += 1;
            return Taken { time, clock, leap };
        }
        let is_behind = time < clock.saturating_sub(most);
        self.behind = if is_behind { self.behind + 1 } else { self.behind.saturating_sub(1) };
        if self.behind == OUTVOTED {
            // The window's time continues: the messages in it were kept while the clock was wrong.
            self.shift = self.shift.saturating_add(clock.saturating_sub(time));
            self.behind = 0;
            self.untimely.back += 1;
            return by(clock, clock);
        }
        let earliest = clock.saturating_sub(lateness);
        self.untimely.late += u64::from(time < earliest);
        by(time.max(earliest), clock.max(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock after each of these times, under a window of 100 with a lateness of 10.
    fn clocks(times: impl IntoIterator<Item = i64>) -> (Vec<i64>, Times) {
        let (mut state, mut clock) = (Times::default(), i64::MIN);
        let clocks = times.into_iter().map(|time| {
            let Taken { time: taken, clock: now, .. } = state.take(Pos(0), Some(time), clock, 10, 110);
            assert!(now >= clock && ((now - 10..=now).contains(&taken) || taken > now + 110), "{time}: {taken} {now}");
            clock = now;
            now
        });
        (clocks.collect(), state)
    }

    const WRONG: i64 = 1_000_000;

    /// After wrong times, the clock follows the times of the feed again.
    #[test]
    fn the_clock_falls_back_to_what_most_messages_tell() {
        for wrong in [vec![WRONG], vec![WRONG, WRONG], vec![5000, WRONG, WRONG + 1, WRONG + 500], vec![WRONG; 500]] {
            let feed = (0..1000).map(|i| 5000 + i);
            let (clocks, state) = clocks(wrong.iter().copied().chain(feed));
            let clocks = &clocks[wrong.len()..];
            assert_eq!(state.untimely.back, 1, "{wrong:?}");
            assert_eq!((clocks[98], clocks[99], clocks[100]), (clocks[0], clocks[0], clocks[0] + 1), "{wrong:?}");
            assert_eq!(clocks[999], clocks[0] + 900, "{wrong:?}");
        }
    }

    #[test]
    fn a_few_wrong_ones_among_the_others_do_not_hold_it() {
        let (clocks, state) = clocks((0..2000).map(|i| if i % 10 == 0 { WRONG } else { 5000 + i }));
        assert_eq!((state.untimely.back, clocks[1999] - clocks[200]), (1, 1800));
    }

    #[test]
    fn late_messages_do_not_turn_it_back() {
        let (clocks, state) = clocks((0..2000).map(|i| if i % 5 < 2 { 5000 } else { 6000 + i }));
        assert_eq!((state.untimely.back, clocks[1999]), (0, 7999));
    }

    /// A feed slower than its window: no two times are within one window.
    #[test]
    fn a_sparse_feed_moves_the_clock() {
        let (clocks, _) = clocks((0..50).map(|i| i * 1000));
        assert_eq!(clocks[49], 48_000);
        // A single wrong time after a pause is not believed either.
        assert_eq!(clocks_of(&[0, 5000, WRONG, 5001, 5002]), [0, 0, 5000, 5001, 5002]);
    }

    fn clocks_of(times: &[i64]) -> Vec<i64> {
        clocks(times.iter().copied()).0
    }
}
