//! The numbers that a run offers a monitoring system while it goes on. The run stores them here after each batch. Readers
//! take them as [text](Metrics::text), or with the feature `metrics` over [HTTP](serve) or from a [file](TextFile).
//!
//! # What it costs
//! No message is timed on its own. A batch comes from one read, and all its verdicts leave in one write, so the time of the
//! batch is the time of each of its messages. In a feed a batch is a single message, so its own time is measured. Numbers
//! that must be summed over the state are taken once a second, the filter's set bits by a sample. Readers do not wait long:
//! the lock is held only while a few numbers are copied.

pub(crate) mod exposition;
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

/// Least time between two looks at the state.
const LOOKS: Duration = Duration::from_secs(1);

/// Upper bounds of the buckets of `quchong_verdict_seconds`, in seconds. They range from a single short message to a batch of
/// a dump, or a message that waits for a slow reader.
pub(crate) const BUCKETS: [f64; 16] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The numbers of a run, shared by the run and the readers.
#[derive(Default)]
pub struct Metrics(Mutex<Snapshot>);

impl Metrics {
    fn lock(&self) -> MutexGuard<'_, Snapshot> {
        // Numbers that a panicking thread left are still usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all current numbers in the text format of Prometheus, version 0.0.4.
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
    /// Event time of the last message that has one, in milliseconds since 1970.
    event_time: Option<i64>,
    figures: Figures,
}

/// The sizes of the state.
#[derive(Clone, Default)]
struct Figures {
    parts: StateBytes,
    /// Heap bytes of the whole state.
    bytes: u64,
    /// Messages in the exact and in the near stage.
    live: [u64; 2],
    times: Option<Untimely>,
    filter: Option<FilterHealth>,
}

/// The times that records took.
#[derive(Clone, Default)]
struct Histogram {
    /// Records in each bucket; each record is in exactly one. The last bucket is above all bounds.
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

/// Stores the numbers of a run in [`Metrics`].
pub(super) struct Recorder {
    metrics: Arc<Metrics>,
    /// Records in all batches so far.
    records: u64,
    /// The time of the last look at the state, and the number of records at that time.
    looked: Option<(Instant, u64)>,
}

impl Recorder {
    /// Makes a recorder for a run that starts with `totals`.
    pub(crate) fn new(metrics: Arc<Metrics>, totals: &Totals) -> Self {
        metrics.lock().counts = totals.counts();
        Self { metrics, records: totals.r#in, looked: None }
    }

    /// Records a batch that was read at `read` and is now written.
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

    /// Updates the numbers of the state, if it may have changed and the last look is long enough ago.
    pub(crate) fn tick(&mut self, state: &State) {
        if self.looked.is_none_or(|(at, records)| records != self.records && at.elapsed() >= LOOKS) {
            self.look(state, state.exact().health_by_sample());
            self.looked = Some((Instant::now(), self.records));
        }
    }

    /// Stores the final numbers of the run.
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
