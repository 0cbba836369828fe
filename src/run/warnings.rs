//! The warnings of a run or a service while it goes on: a filter that fills up, a window of time over messages without times, and
//! `--scope` over messages without a scope.

use super::Observer;
use crate::config::Span;
use crate::dedup::State;
use crate::exact::bloom::Fullness;
use crate::formats::time::EARLIEST_PLAUSIBLE;

/// If this many messages from the first on lack a time or a scope, that is no accident.
const LACKING: u64 = 1000;

/// Remembers which warnings were given.
pub(super) struct Warnings {
    /// How full the filter was at the last warning.
    fullness: Fullness,
    /// Messages so far, under a window of time; `None` once one had a plausible time or the warning was given.
    untimed: Option<u64>,
    /// The same for a scope.
    unscoped: Option<u64>,
}

impl Warnings {
    /// Begins without any warning, under this window, with a scope or without.
    pub(super) fn new(window: Option<Span>, is_scoped: bool) -> Self {
        let untimed = matches!(window, Some(Span::Time { .. })).then_some(0);
        Self { fullness: Fullness::Roomy, untimed, unscoped: is_scoped.then_some(0) }
    }

    /// Counts a message with this time.
    pub(super) fn count(&mut self, time: Option<i64>, lacks_scope: bool) {
        let add = |messages: u64| messages + 1;
        self.untimed = self.untimed.filter(|_| time.is_none_or(|time| time < EARLIEST_PLAUSIBLE)).map(add);
        self.unscoped = self.unscoped.filter(|_| lacks_scope).map(add);
    }

    /// Gives the warnings that have become due since the last call.
    pub(super) fn warn(&mut self, state: &State, observer: &mut dyn Observer) {
        let fullness = state.exact().fullness();
        if fullness > self.fullness {
            self.fullness = fullness;
            observer.filter_fills(fullness, state);
        }
        let is_due = |messages: &mut Option<u64>| messages.take_if(|messages| *messages >= LACKING).is_some();
        if is_due(&mut self.untimed) {
            observer.no_times(LACKING);
        }
        if is_due(&mut self.unscoped) {
            observer.no_scopes(LACKING);
        }
    }
}
