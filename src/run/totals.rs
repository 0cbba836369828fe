//! What a run adds up to.

use std::time::Duration;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Names, Numbers, Portion, Unjudged};
use crate::dedup::State;
use crate::exact::bloom::FilterHealth;
use crate::formats::parse::FaultKind;
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
    /// Of those dropped, records that repeat a message of an archive (`--against`); none without one. Of this run, not of one that it goes
    /// on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
    /// Messages without a value in a field of `--scope`; none without a scope. Of this run. The summary has their number.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "Portion::serialize_count")]
    pub scopeless: Option<Portion>,
    /// Messages of several fields (`--field title,text`) of which one is null or empty; none where a message is one field. Of this run.
    /// The summary has their number.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "Portion::serialize_count")]
    pub partial: Option<Portion>,
    /// Messages without a number, a date or a listed value in the field of `--represent`; none where no field chooses. Of this run. The
    /// summary has their number.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "Portion::serialize_count")]
    pub unranked: Option<Portion>,
    /// Records that could not be judged.
    pub errors: Errors,
    /// Records whose number in the feed (`--seq-field`) is not above the last one of an earlier run, and whose text is known or could have
    /// been forgotten: they were passed over.
    pub skipped: u64,
    /// Bytes read.
    pub bytes_in: u64,
    /// Bytes written to the output.
    pub bytes_out: u64,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Most memory that the process ever had resident, in bytes; none where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// Heap bytes of the state, by part.
    pub state_bytes: StateBytes,
    /// Messages whose time was not taken as it stood, of all runs of a state; none but under a window of time.
    pub times: Option<Untimely>,
    /// The Bloom filter's health; none if there is no filter.
    pub filter: Option<FilterHealth>,
    /// New messages that the exact stage is expected to have taken for repeats, of all runs of a state; known of the paper's filter and
    /// trie alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_lost: Option<f64>,
    /// Ids that do not name one record each; zeros where ids are shown nowhere. Of this run, not of one that it goes on with.
    pub ids: Names,
    /// Numbers in the feed (`--seq-field`) that were not taken as they stood. Of this run.
    pub numbers: Numbers,
    /// Rows of tables with a field in quotes whose lines look like rows themselves; they were judged as they stand. Of this run.
    pub joined: u64,
    /// Whether the outputs lack some of what was judged: one failed, or its reader has gone. The summary says the opposite.
    #[serde(rename = "complete", serialize_with = "serialize_opposite")]
    pub incomplete: bool,
    /// Inputs of which most could not be judged, the first of them.
    #[serde(skip)]
    pub unjudged: Vec<Unjudged>,
    /// Messages without a time, if there are any, under a window of time or where the user said where times stand.
    #[serde(skip)]
    pub untimed: Option<Portion>,
    /// Records without an id, if there are any, where the user said where ids stand.
    #[serde(skip)]
    pub unnamed: Option<Portion>,
    /// Messages that were passed over for their numbers, if they are most. Of this run.
    #[serde(skip)]
    pub mostly_skipped: Option<Portion>,
    /// Messages without a number in the feed, if there are any and they were to have one. Of this run.
    #[serde(skip)]
    pub unnumbered: Option<Portion>,
    /// Under a state, if no message was kept, and most equalled one of an earlier run: how many there were. Of a run that goes on with
    /// no other.
    #[serde(skip)]
    pub all_seen: Option<u64>,
}

/// What is noted of the [`Totals`] of a run.
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
    /// With an equal earlier one.
    pub exact: u64,
    /// With a near earlier one.
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

    /// Goes on from what a run added up to before.
    pub(super) fn of(counts: Counts) -> Self {
        let Counts { r#in, kept, exact, near, errors, skipped, bytes_in } = counts;
        let (dropped, errors) = (Dropped { exact, near }, Errors(errors));
        // A state that an earlier version wrote has `in` without what was skipped.
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

    /// A record that was dropped repeats a message of an archive.
    pub(super) fn held(&mut self) {
        self.against = self.against.map(|held| held + 1);
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

/// A line of what Linux tells of the process, in bytes: the resident set is `VmRSS: … kB`, the most that it ever was `VmHWM:`.
pub(super) fn memory(line: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|found| found.strip_prefix(line))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
