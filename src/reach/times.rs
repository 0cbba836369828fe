//! Which time a message is taken at. [`reach`](super) has the rules.

use serde::{Deserialize, Serialize};

/// So many more messages must be too far behind the clock than not, before it falls back to them. One or two dated 2099 are
/// outvoted after a hundred others, which are few to be judged by the wrong time; a hundred in a row that are rightly
/// behind by more than the window are another feed or another dump, which has a right to its own times.
pub(crate) const OUTVOTED: u32 = 100;

/// Messages whose time was not taken as it stood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untimely {
    /// Had no time that could be read.
    pub missing: u64,
    /// Were later than the lateness allows.
    pub late: u64,
    /// Were too far ahead to be believed alone.
    pub ahead: u64,
    /// Times that the clock fell back.
    pub back: u64,
}

/// What decides how the times that messages tell are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Times {
    /// Added to what messages tell, since the clock fell back.
    shift: i64,
    /// A time too far ahead, told by the last message with a time.
    leap: Option<i64>,
    /// Messages too far behind, each that was not taking one away.
    behind: u32,
    pub(crate) untimely: Untimely,
}

impl Times {
    /// The time of the next message and the clock then, from what it tells and the clock before.
    pub(crate) fn take(&mut self, told: Option<i64>, clock: i64, lateness: i64, most: i64) -> (i64, i64) {
        let Some(told) = told else {
            self.untimely.missing += 1;
            return (clock, clock);
        };
        let time = told.saturating_add(self.shift);
        if clock == i64::MIN {
            return (time, time);
        }
        let leap = self.leap.take();
        if time > clock.saturating_add(most) {
            let clock = leap.map_or(clock, |leap| leap.min(time));
            if time <= clock.saturating_add(most) {
                return (time, time);
            }
            self.leap = Some(time);
            self.untimely.ahead += 1;
            return (clock, clock);
        }
        let is_behind = time < clock.saturating_sub(most);
        self.behind = if is_behind { self.behind + 1 } else { self.behind.saturating_sub(1) };
        if self.behind == OUTVOTED {
            // The window's own time goes on: what it holds was kept while the clock was wrong.
            self.shift = self.shift.saturating_add(clock.saturating_sub(time));
            self.behind = 0;
            self.untimely.back += 1;
            return (clock, clock);
        }
        let earliest = clock.saturating_sub(lateness);
        self.untimely.late += u64::from(time < earliest);
        (time.max(earliest), clock.max(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 100, messages up to 10 late: the clock after each of these times.
    fn clocks(times: impl IntoIterator<Item = i64>) -> (Vec<i64>, Times) {
        let (mut state, mut clock) = (Times::default(), i64::MIN);
        let clocks = times.into_iter().map(|time| {
            let (taken, now) = state.take(Some(time), clock, 10, 110);
            assert!(now >= clock && (now - 10..=now).contains(&taken), "{time}: {taken} {now}");
            clock = now;
            now
        });
        (clocks.collect(), state)
    }

    const WRONG: i64 = 1_000_000;

    /// The clock goes on by what the feed's own times do, whatever the wrong ones said before.
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

    /// A feed slower than its window: no two times are near each other.
    #[test]
    fn a_sparse_feed_moves_the_clock() {
        let (clocks, _) = clocks((0..50).map(|i| i * 1000));
        assert_eq!(clocks[49], 48_000);
        // One wrong time after a pause is not believed either.
        assert_eq!(clocks_of(&[0, 5000, WRONG, 5001, 5002]), [0, 0, 5000, 5001, 5002]);
    }

    fn clocks_of(times: &[i64]) -> Vec<i64> {
        clocks(times.iter().copied()).0
    }
}
