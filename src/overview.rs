//! The overview of a whole run: `quchong dedup --report`.
//!
//! # Memory
//! Memory does not grow with the run. It holds at most [`course::MOST`] stretches of time, the same number for the
//! throughput, [`CLUSTERS`] clusters with the beginning of a text each (4 to 8 MB of Weibo posts), and some numbers.

pub(crate) mod course;
pub(crate) mod page;
pub(crate) mod top;

use std::time::Instant;

use crate::formats::parse::FaultKind;
use crate::record::{Engine, Verdict};
use crate::run::Observed;
use course::Course;
use top::Top;

/// Most clusters that are counted. Counts are exact until more messages than this have been repeated. From then on a count
/// can be too high, by at most one for every so many repeats.
pub(crate) const CLUSTERS: usize = 1 << 14;

/// Characters in a bar of the histogram of lengths …
const STEP: u32 = 10;
/// … and bars. The last bar holds all longer texts.
const STEPS: usize = 31;

/// The kinds of verdicts.
const KINDS: [&str; 5] =
    ["kept 保留", "exact 相同", "near 近似 (overlap)", "near 近似 (simhash)", "near 近似 (minhash)"];

/// Data collected during a run.
pub(crate) struct Overview {
    began: Instant,
    /// Whether messages are ordered by their times, else by their positions.
    timed: bool,
    /// By [`KINDS`].
    verdicts: [u64; KINDS.len()],
    blank: u64,
    faults: [u64; FaultKind::NAMED.len()],
    /// Messages without a time, if messages are ordered by times.
    untimed: u64,
    /// Exact repeats whose kept message is unknown.
    unknown: u64,
    /// Kept, exact and near messages, by seconds since 1970 or by position.
    course: Course<3>,
    /// Lengths of kept and of dropped messages.
    lengths: [[u64; STEPS]; 2],
    clusters: Top<Member>,
    /// Records by milliseconds since the start.
    throughput: Course<1>,
    /// Records in the batches so far, and the number of batches.
    records: u64,
    batches: u64,
}

/// The last repeat of a kept message.
struct Member {
    /// The kept message's id, as JSON.
    of: String,
    /// The beginning of the repeat's text.
    text: String,
}

impl Overview {
    /// The overview of a run that starts now. With `timed`, messages are ordered by their times.
    pub(crate) fn new(timed: bool) -> Self {
        Self {
            began: Instant::now(),
            timed,
            verdicts: [0; KINDS.len()],
            blank: 0,
            faults: [0; FaultKind::NAMED.len()],
            untimed: 0,
            unknown: 0,
            course: Course::default(),
            lengths: [[0; STEPS]; 2],
            clusters: Top::new(CLUSTERS),
            throughput: Course::default(),
            records: 0,
            batches: 0,
        }
    }

    /// Counts a judged message.
    pub(crate) fn message(&mut self, seen: &Observed<'_>) {
        let (kind, group) = match seen.verdict {
            Verdict::Kept => (0, 0),
            Verdict::Exact { .. } => (1, 1),
            Verdict::Near { engine: Engine::Overlap, .. } => (2, 2),
            Verdict::Near { engine: Engine::SimHash, .. } => (3, 2),
            Verdict::Near { engine: Engine::MinHash, .. } => (4, 2),
        };
        self.verdicts[kind] += 1;
        let place = if self.timed { seen.time.map(|time| time.div_euclid(1000)) } else { Some(seen.pos.0 as i64) };
        match place {
            Some(place) => self.course.add(place, group, 1),
            None => self.untimed += 1,
        }
        let step = (seen.sample.characters / STEP) as usize;
        self.lengths[usize::from(group > 0)][step.min(STEPS - 1)] += 1;
        match (seen.verdict.of().filter(|_| !seen.is_held), seen.of) {
            (Some(pos), Some(of)) => {
                let member = Member { of: of.to_string(), text: seen.sample.text.clone() };
                self.clusters.add(pos.0, member);
            }
            _ if group > 0 => self.unknown += 1,
            _ => {}
        }
    }

    /// Counts a blank line.
    pub(crate) fn blank(&mut self) {
        self.blank += 1;
    }

    /// Counts a record that cannot be judged.
    pub(crate) fn fault(&mut self, kind: FaultKind) {
        self.faults[kind as usize] += 1;
    }

    /// Counts a written batch.
    pub(crate) fn progress(&mut self) {
        let records = self.judged();
        self.throughput.add(self.began.elapsed().as_millis() as i64, 0, records - self.records);
        self.records = records;
        self.batches += 1;
    }

    /// Records so far: messages, blank lines and records that cannot be judged.
    fn judged(&self) -> u64 {
        self.verdicts.iter().chain(&self.faults).sum::<u64>() + self.blank
    }
}
