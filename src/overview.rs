//! The overview of a whole run: `quchong dedup --report`.
//!
//! # Memory
//! Memory does not grow with the run. It holds at most [`course::MOST`] stretches of time, the same number for the
//! throughput, [`CLUSTERS`] clusters with the beginning of a text each (4 to 8 MB of Weibo posts), and some numbers.

pub(crate) mod course;
pub(crate) mod page;
mod times;
pub(crate) mod top;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::formats::parse::FaultKind;
use crate::record::{Engine, Likeness, Verdict};
use crate::run::Observed;
use course::Course;
use top::Top;

/// Most clusters that are counted. Counts are exact until more messages than this have been repeated. From then on a count can be
/// too high, by at most one for every `CLUSTERS` repeats.
pub(crate) const CLUSTERS: usize = 1 << 14;

/// Characters per bar in the histogram of lengths.
const STEP: u32 = 10;
/// Bars in that histogram. The last bar holds all longer texts.
const STEPS: usize = 31;

/// The reason for which a message was dropped. Reasons are listed in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// An earlier message has the same text.
    Equal,
    /// The repeat rule, with the tenths of similarity that are missing.
    Rule(u32),
    /// The fingerprints, with the number of bits in which they differ.
    SimHash(u32),
    /// MinHash signatures, with the tenths of similarity that are missing.
    MinHash(u32),
}

impl Reason {
    /// The reason of a verdict; `None` for a kept message.
    fn of(verdict: Verdict) -> Option<Self> {
        // 1000 is a case of its own: nothing but wrapping and punctuation differs.
        let missing = |mille: u32| if mille >= 1000 { 0 } else { 10 - (mille / 100).min(9) };
        match verdict {
            Verdict::Kept => None,
            Verdict::Exact { .. } => Some(Self::Equal),
            Verdict::Near { engine, by, .. } => Some(match (engine, by) {
                (_, Likeness::Distance(bits)) => Self::SimHash(bits),
                (Engine::MinHash, Likeness::Similarity(mille)) => Self::MinHash(missing(mille)),
                (_, Likeness::Similarity(mille)) => Self::Rule(missing(mille)),
            }),
        }
    }
}

/// How often a reason was given, with an example. The example is the latest message dropped for this reason whose cluster was at least as
/// large as that of the previous example.
#[derive(Default)]
struct Reasoned {
    count: u64,
    /// The beginning of the example's text.
    text: String,
    /// The position and the id, as JSON, of the kept message that it repeats, if they are known.
    of: Option<(u64, String)>,
    /// How many repeats its cluster had then.
    size: u64,
}

/// Data collected during a run.
pub(crate) struct Overview {
    began: Instant,
    /// Whether messages are ordered by their times; otherwise by their positions.
    timed: bool,
    /// Kept, exact and near messages.
    verdicts: [u64; 3],
    reasons: BTreeMap<Reason, Reasoned>,
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
    /// Records in the batches so far.
    records: u64,
    /// How many batches there were.
    batches: u64,
}

/// The latest repeat of a kept message.
struct Member {
    /// The kept message's position.
    pos: u64,
    /// Its id, as JSON.
    of: String,
    /// The beginning of the repeat's text.
    text: String,
    /// How many repeats were exact, of those that are counted.
    exact: u64,
}

impl Overview {
    /// The overview of a run that starts now. With `timed`, messages are ordered by their times.
    pub(crate) fn new(timed: bool) -> Self {
        Self {
            began: Instant::now(),
            timed,
            verdicts: [0; 3],
            reasons: BTreeMap::new(),
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
        let group = match seen.verdict {
            Verdict::Kept => 0,
            Verdict::Exact { .. } => 1,
            Verdict::Near { .. } => 2,
        };
        self.verdicts[group] += 1;
        let place = if self.timed { seen.time.map(|time| time.div_euclid(1000)) } else { Some(seen.pos.0 as i64) };
        match place {
            Some(place) => self.course.add(place, group, 1),
            None => self.untimed += 1,
        }
        let step = (seen.sample.characters / STEP) as usize;
        self.lengths[usize::from(group > 0)][step.min(STEPS - 1)] += 1;
        let of = seen.verdict.of().filter(|_| !seen.in_archive).zip(seen.of);
        let of = of.map(|(pos, of)| (pos.0, of.to_string()));
        let Some(reason) = Reason::of(seen.verdict) else { return };
        let size = of.clone().map_or(0, |(pos, of)| {
            let is_exact = u64::from(reason == Reason::Equal);
            let exact = |before: Option<&Member>| before.map_or(0, |before| before.exact) + is_exact;
            let text = seen.sample.text.clone();
            self.clusters.add(pos, |before| Member { pos, of, text, exact: exact(before) })
        });
        self.unknown += u64::from(of.is_none());
        let found = self.reasons.entry(reason).or_default();
        found.count += 1;
        if size >= found.size {
            *found = Reasoned { text: seen.sample.text.clone(), of, size, ..*found };
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
