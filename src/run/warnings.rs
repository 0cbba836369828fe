//! What a run or a service warns of while it goes on: a filter that fills, and a window of time over messages without times.

use super::Observer;
use crate::config::Span;
use crate::dedup::State;
use crate::exact::bloom::Fullness;

/// So many messages without a time are no accident.
const UNTIMED: u64 = 1000;

/// Knows what was warned of already.
pub(super) struct Warnings {
    /// How full the filter was when that was said last.
    fullness: Fullness,
    /// Messages so far, under a window of time, if none of them had a time and that was not said yet.
    untimed: Option<u64>,
}

impl Warnings {
    /// Nothing was warned of, under this window.
    pub(super) fn new(window: Option<Span>) -> Self {
        let untimed = matches!(window, Some(Span::Time { .. })).then_some(0);
        Self { fullness: Fullness::Roomy, untimed }
    }

    /// Counts a message of this time.
    pub(super) fn count(&mut self, time: Option<i64>) {
        self.untimed = self.untimed.filter(|_| time.is_none()).map(|messages| messages + 1);
    }

    /// Warns of what has become true since the last call.
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
