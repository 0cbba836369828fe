//! What a run tells a monitoring system while it goes on: numbers that the run leaves here after each batch, and that whoever
//! asks takes from here, as [text](Metrics::text), or with the feature `metrics` over [HTTP](serve) or in a [file](TextFile).
//!
//! # What it costs
//! Nothing is timed for each message. A batch is what one read gave, and all its verdicts leave in one write, so one time for the
//! batch is the time of each of them: exactly, and for a feed, where a batch is a message, one by one. What must be added up
//! over the state is looked at once a second, the filter's bits by a sample. Those who ask wait for nobody: the lock is held while
//! a few numbers are copied.

mod exposition;
#[cfg(feature = "metrics")]
mod file;
#[cfg(feature = "metrics")]
mod http;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::totals::{Counts, StateBytes, Totals};
use crate::dedup::State;
use crate::exact::bloom::FilterHealth;
use crate::reach::Untimely;
#[cfg(feature = "metrics")]
pub use file::TextFile;
#[cfg(feature = "metrics")]
pub use http::serve;

/// So often, at most, the state is asked what it holds.
const LOOKS: Duration = Duration::from_secs(1);

/// Upper bounds of the buckets of `quchong_verdict_seconds`, in seconds: from a short message alone to a batch of a dump, or
/// a message behind a reader that is slow.
pub(crate) const BUCKETS: [f64; 16] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The numbers of a run, shared by the run and those who ask for them.
#[derive(Default)]
pub struct Metrics(Mutex<Snapshot>);

impl Metrics {
    fn lock(&self) -> MutexGuard<'_, Snapshot> {
        // Numbers that a thread left while it panicked are numbers still.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them as they are now, in the text format of Prometheus, version 0.0.4.
    pub fn text(&self) -> String {
        let snapshot = self.lock().clone();
        exposition::text(&snapshot)
    }
}

#[derive(Clone, Default)]
struct Snapshot {
    counts: Counts,
    bytes_out: u64,
    latency: Histogram,
    /// Of the last message that had one, in milliseconds since 1970.
    event_time: Option<i64>,
    figures: Figures,
}

/// What the state holds.
#[derive(Clone, Default)]
struct Figures {
    parts: StateBytes,
    /// Heap bytes of all of it.
    bytes: u64,
    /// Messages in the exact and in the near stage.
    live: [u64; 2],
    times: Option<Untimely>,
    filter: Option<FilterHealth>,
}

/// How long records took.
#[derive(Clone, Default)]
struct Histogram {
    /// Records by bucket, each counted in one; the last is above all bounds.
    counts: [u64; BUCKETS.len() + 1],
    seconds: f64,
}

impl Histogram {
    fn add(&mut self, each: Duration, records: u64) {
        let seconds = each.as_secs_f64();
        self.counts[BUCKETS.partition_point(|bound| *bound < seconds)] += records;
        self.seconds += seconds * records as f64;
    }
}

/// Leaves the numbers of a run in [`Metrics`].
pub(super) struct Recorder {
    metrics: Arc<Metrics>,
    /// Records of the batches so far.
    records: u64,
    /// When the state was asked last, and after how many records.
    looked: Option<(Instant, u64)>,
}

impl Recorder {
    /// A recorder of a run that goes on from `totals`.
    pub(crate) fn new(metrics: Arc<Metrics>, totals: &Totals) -> Self {
        metrics.lock().counts = totals.counts();
        Self { metrics, records: totals.r#in, looked: None }
    }

    /// A batch that was read at `read` has been written.
    pub(crate) fn batch(
        &mut self,
        totals: &Totals,
        bytes_out: u64,
        event_time: Option<i64>,
        read: Instant,
        state: &State,
    ) {
        {
            let mut snapshot = self.metrics.lock();
            snapshot.counts = totals.counts();
            snapshot.bytes_out = bytes_out;
            snapshot.event_time = event_time;
            snapshot.latency.add(read.elapsed(), totals.r#in - self.records);
        }
        self.records = totals.r#in;
        self.tick(state);
    }

    /// Asks the state what it holds, if it may have changed and it is time.
    pub(crate) fn tick(&mut self, state: &State) {
        if self.looked.is_none_or(|(at, records)| records != self.records && at.elapsed() >= LOOKS) {
            self.look(state, state.exact().health_by_sample());
            self.looked = Some((Instant::now(), self.records));
        }
    }

    /// The run is over.
    pub(crate) fn finish(&self, totals: &Totals, state: &State) {
        self.look(state, totals.filter);
        self.metrics.lock().bytes_out = totals.bytes_out;
    }

    fn look(&self, state: &State, filter: Option<FilterHealth>) {
        let figures = Figures {
            parts: StateBytes::of(state),
            bytes: state.bytes(),
            live: [state.exact().texts(), state.near().map_or(0, |near| near.len() as u64)],
            times: state.clock().stamp().map(|_| state.clock().untimely()),
            filter,
        };
        self.metrics.lock().figures = figures;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_in_one_bucket_and_a_bound_belongs_to_what_is_below_it() {
        let mut histogram = Histogram::default();
        for (bucket, bound) in BUCKETS.iter().enumerate() {
            let bound = Duration::from_secs_f64(*bound);
            histogram.add(bound, 2);
            histogram.add(bound + Duration::from_nanos(1), 1);
            assert_eq!(histogram.counts[bucket..=bucket + 1], [if bucket == 0 { 2 } else { 3 }, 1], "{bound:?}");
        }
        let metrics = Metrics::default();
        metrics.lock().latency = histogram;
        let text = metrics.text();
        for line in
            ["_bucket{le=\"0.0001\"} 2\n", "_bucket{le=\"10\"} 47\n", "_bucket{le=\"+Inf\"} 48\n", "_count 48\n"]
        {
            assert!(text.contains(&format!("quchong_verdict_seconds{line}")), "{text}");
        }
    }
}
