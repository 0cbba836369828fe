//! The totals of a run.

use std::time::Duration;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{IdCounts, Numbers, Portion, Unjudged};
use crate::dedup::State;
use crate::exact::bloom::FilterHealth;
use crate::formats::parse::FaultKind;
use crate::formats::time::EARLIEST_PLAUSIBLE;
use crate::reach::Untimely;
use crate::record::Verdict;

/// Counts of a run: `in = kept + dropped + errors + skipped`.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Totals {
    /// Records that came in, blank lines among them.
    pub r#in: u64,
    /// Records kept.
    pub kept: u64,
    /// Records dropped.
    pub dropped: Dropped,
    /// Dropped records that repeat a message of an archive (`--against`); `None` without an archive. Only of this run, not of one that it
    /// resumes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
    /// Messages without a value in a field of `--scope`; `None` without a scope. Of this run. The summary shows the count.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "Portion::serialize_count")]
    pub scopeless: Option<Portion>,
    /// Messages of several fields (`--field title,text`) of which one is null or empty; `None` if a message is a single field. Of this
    /// run. The summary shows the count.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "Portion::serialize_count")]
    pub partial: Option<Portion>,
    /// Messages without a number, a date or a listed value in the field of `--represent`; `None` if no field chooses. Of this run. The
    /// summary shows the count.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "Portion::serialize_count")]
    pub unranked: Option<Portion>,
    /// Records that could not be judged.
    pub errors: Errors,
    /// Records that were skipped because their number in the feed (`--seq-field`) is not above the last one of an earlier run, and their
    /// text is known or could have been forgotten.
    pub skipped: u64,
    /// Bytes read.
    pub bytes_in: u64,
    /// Bytes written to the output.
    pub bytes_out: u64,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Largest resident memory that the process ever had, in bytes; `None` if the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// Heap bytes of the state, by part.
    pub state_bytes: StateBytes,
    /// Messages whose time was changed or missing, of all runs of a state; `None` without a window of time.
    pub times: Option<Untimely>,
    /// The Bloom filter's health; `None` if there is no filter.
    pub filter: Option<FilterHealth>,
    /// New messages that the exact stage is expected to have dropped by mistake, of all runs of a state. Known only for the paper's
    /// filter and trie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_lost: Option<f64>,
    /// Ids that do not identify one record each; zeros if ids are shown nowhere. Only of this run, not of one that it resumes.
    pub ids: IdCounts,
    /// Numbers in the feed (`--seq-field`) that were not as expected. Of this run.
    pub numbers: Numbers,
    /// Rows of tables with a quoted field whose lines look like rows; they were judged as one row each. Of this run.
    pub joined: u64,
    /// Whether the outputs lack some of the judged records, because an output failed or its reader has gone. The summary says the
    /// opposite.
    #[serde(rename = "complete", serialize_with = "serialize_opposite")]
    pub incomplete: bool,
    /// The names of the outputs that failed, or whose reader has gone.
    #[serde(skip)]
    pub failed: Vec<String>,
    /// Inputs of which most records could not be judged; only the first few of these inputs.
    #[serde(skip)]
    pub unjudged: Vec<Unjudged>,
    /// Messages without a time, if there are any; only under a window of time, or if the user named the field of times.
    #[serde(skip)]
    pub untimed: Option<Portion>,
    /// The latest time of all messages, in milliseconds since 1970, if it is before 1980. `None` without a window of time.
    #[serde(skip)]
    pub implausible_clock: Option<i64>,
    /// Messages that came later than the lateness allows, if these are most and the input seems to begin with the newest. Of this run.
    #[serde(skip)]
    pub newest_first: Option<Portion>,
    /// Records without an id, if there are any and the user named the field of ids.
    #[serde(skip)]
    pub unnamed: Option<Portion>,
    /// Messages that were skipped because of their numbers, if these are most. Of this run.
    #[serde(skip)]
    pub mostly_skipped: Option<Portion>,
    /// Messages without a number in the feed, if there are any and they were expected to have one. Of this run.
    #[serde(skip)]
    pub unnumbered: Option<Portion>,
    /// Under a state, if the reader of the output went away: the most records that the state knows and the reader may not have taken.
    #[serde(skip)]
    pub unread: Option<u64>,
    /// Under a state: the number of comparable messages, if none was kept and most equalled a message of an earlier run. `None` for a run
    /// that resumes another.
    #[serde(skip)]
    pub all_seen: Option<u64>,
    /// The number of comparable messages, if these are many, none was kept, and most repeat a message of an archive.
    #[serde(skip)]
    pub all_archived: Option<u64>,
}

/// The part of the [`Totals`] that a run stores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Counts {
    /// As in [`Totals`].
    pub(crate) r#in: u64,
    /// As in [`Totals`].
    pub(crate) kept: u64,
    /// Records dropped, as in [`Totals`].
    pub(crate) exact: u64,
    /// Records dropped, as in [`Totals`].
    pub(crate) near: u64,
    /// Records that could not be judged, in the order of [`FaultKind::NAMED`].
    pub(crate) errors: [u64; FaultKind::NAMED.len()],
    /// As in [`Totals`].
    pub(crate) skipped: u64,
    /// As in [`Totals`].
    pub(crate) bytes_in: u64,
}

/// Records dropped, by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Dropped {
    /// Records with an equal earlier one.
    pub exact: u64,
    /// Records with a near earlier one.
    pub near: u64,
}

/// Records that could not be judged, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Errors([u64; FaultKind::NAMED.len()]);

impl Errors {
    /// All kinds together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Those of one kind.
    pub fn of(&self, kind: FaultKind) -> u64 {
        self.0[kind as usize]
    }
}

/// As an object: `total`, then the kinds that occurred.
impl Serialize for Errors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("total", &self.total())?;
        for (name, kind) in FaultKind::NAMED.iter().filter(|(_, kind)| self.of(*kind) > 0) {
            map.serialize_entry(name, &self.of(*kind))?;
        }
        map.end()
    }
}

/// Heap bytes by part of the state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct StateBytes {
    /// The Bloom filter.
    pub filter: u64,
    /// The digest trie, or the paper's.
    pub trie: u64,
    /// The near stage: the window and its index, the band tables, or the signatures.
    pub near: u64,
}

impl StateBytes {
    pub(super) fn of(state: &State) -> Self {
        Self {
            filter: state.exact().filter_bytes() as u64,
            trie: state.exact().trie_bytes() as u64,
            near: state.near().map_or(0, |near| near.bytes() as u64),
        }
    }
}

impl Totals {
    pub(super) fn counts(&self) -> Counts {
        let Self { r#in, kept, dropped: Dropped { exact, near }, errors, skipped, bytes_in, .. } = *self;
        Counts { r#in, kept, exact, near, errors: errors.0, skipped, bytes_in }
    }

    /// Makes the totals with which a run resumes from stored counts.
    pub(super) fn resumed_from(counts: Counts) -> Self {
        let Counts { r#in, kept, exact, near, errors, skipped, bytes_in } = counts;
        let (dropped, errors) = (Dropped { exact, near }, Errors(errors));
        // In the states of an earlier version, `in` does not include skipped records.
        let all = kept + exact + near + errors.total() + skipped;
        let r#in = if r#in + skipped == all { all } else { r#in };
        Self { r#in, kept, dropped, errors, skipped, bytes_in, ..Self::default() }
    }

    pub(super) fn verdict(&mut self, verdict: Verdict) {
        self.r#in += 1;
        match verdict {
            Verdict::Kept => self.kept += 1,
            Verdict::Exact { .. } => self.dropped.exact += 1,
            Verdict::Near { .. } => self.dropped.near += 1,
        }
    }

    /// Counts a dropped record that repeats a message of an archive.
    pub(super) fn count_archive_hit(&mut self) {
        self.against = self.against.map(|count| count + 1);
    }

    pub(super) fn skip(&mut self) {
        self.r#in += 1;
        self.skipped += 1;
    }

    pub(super) fn fault(&mut self, kind: FaultKind) {
        self.r#in += 1;
        self.errors.0[kind as usize] += 1;
    }

    pub(super) fn finish(&mut self, state: &State, bytes_out: u64, elapsed: Duration) {
        self.bytes_out = bytes_out;
        self.seconds = elapsed.as_secs_f64();
        self.peak_memory_bytes = memory("VmHWM:");
        self.times = state.clock().stamp().map(|_| state.clock().untimely());
        let clock = state.clock().stamp().map(|stamp| stamp.clock);
        self.implausible_clock = clock.filter(|clock| (0..EARLIEST_PLAUSIBLE).contains(clock));
        self.filter = state.exact().health();
        self.expected_lost = state.exact().expected_lost(state.next().0);
        self.state_bytes = StateBytes::of(state);
    }

    /// Whether every record that came in is accounted for.
    pub fn add_up(&self) -> bool {
        self.r#in == self.kept + self.dropped.exact + self.dropped.near + self.errors.total() + self.skipped
    }
}

fn serialize_opposite<S: Serializer>(it: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(!it)
}

/// Reads a line of Linux's status of the process, in bytes: `VmRSS:` is the resident memory, `VmHWM:` its maximum so far.
pub(super) fn memory(line: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|found| found.strip_prefix(line))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
