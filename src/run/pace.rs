//! Chooses between searching ahead on many threads and judging alone. Which is quicker depends on the messages, so both are tried by turns.

use std::time::{Duration, Instant};

/// The slower way is tried for so many batches.
const TRIED: u32 = 3;
/// Then the quicker one is kept for so many.
const KEPT: u32 = 24;

/// Measures two ways to judge, which give the same verdicts.
pub(super) struct Pace {
    is_ahead: bool,
    /// Whether this way is only tried.
    is_trial: bool,
    /// Batches until the next decision.
    left: u32,
    /// Seconds a message: alone, and ahead.
    costs: [Option<f64>; 2],
    /// When the last batch was done; the first one waits for what is loaded.
    since: Option<Instant>,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { is_ahead: true, is_trial: false, left: TRIED, costs: [None; 2], since: None }
    }

    /// Whether the next batch is searched for ahead.
    pub(super) fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// Is told that a batch of so many messages is done.
    pub(super) fn done(&mut self, messages: usize) {
        let now = Instant::now();
        if let Some(since) = self.since.replace(now).filter(|_| messages > 0) {
            self.took(now - since, messages);
        }
    }

    fn took(&mut self, time: Duration, messages: usize) {
        let now = time.as_secs_f64() / messages as f64;
        let cost = &mut self.costs[usize::from(self.is_ahead)];
        *cost = Some(cost.map_or(now, |before| (before + now) / 2.0));
        self.left -= 1;
        if self.left > 0 {
            return;
        }
        self.is_trial = !self.is_trial;
        self.is_ahead = if self.is_trial { !self.is_ahead } else { self.is_worth_it() };
        self.left = if self.is_trial { TRIED } else { KEPT };
    }

    /// Whether searching ahead saves a tenth of the time: it takes more of the processors.
    fn is_worth_it(&self) -> bool {
        let [alone, ahead] = self.costs.map(|cost| cost.unwrap_or(f64::MAX));
        ahead < 0.9 * alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quicker_way_is_taken_whichever_it_is() {
        let mut pace = Pace::new();
        for (alone, ahead) in [(10, 7), (10, 30), (2, 1), (50, 49)] {
            let mut batches = [0; 2];
            for _ in 0..300 {
                batches[usize::from(pace.is_ahead())] += 1;
                pace.took(Duration::from_micros(if pace.is_ahead() { ahead } else { alone } * 500), 500);
            }
            assert!(batches[usize::from(10 * ahead < 9 * alone)] > 200, "{alone} {ahead}: {batches:?}");
        }
    }
}
