//! The warnings of a run or a service while it goes on: a filter that fills up, and a window of time over messages without
//! times.

use super::Observer;
use crate::config::Span;
use crate::dedup::State;
use crate::exact::bloom::Fullness;

/// This many messages in a row without a time are no accident.
const UNTIMED: u64 = 1000;

/// Remembers which warnings were given.
pub(super) struct Warnings {
    /// How full the filter was at the last warning.
    fullness: Fullness,
    /// Messages so far, under a window of time; `None` once one had a time or the warning was given.
    untimed: Option<u64>,
}

impl Warnings {
    /// Begins without any warning, under this window.
    pub(super) fn new(window: Option<Span>) -> Self {
        let untimed = matches!(window, Some(Span::Time { .. })).then_some(0);
        Self { fullness: Fullness::Roomy, untimed }
    }

    /// Counts a message with this time.
    pub(super) fn count(&mut self, time: Option<i64>) {
        self.untimed = self.untimed.filter(|_| time.is_none()).map(|messages| messages + 1);
    }

    /// Gives the warnings that have become due since the last call.
    pub(super) fn warn(&mut self, state: &State, observer: &mut dyn Observer) {
        let fullness = state.exact().fullness();
        if fullness > self.fullness {
            self.fullness = fullness;
            observer.filter_fills(fullness, state);
        }
        if self.untimed.is_some_and(|messages| messages >= UNTIMED) {
            self.untimed = None;
            observer.no_times(UNTIMED);
        }
    }
}
