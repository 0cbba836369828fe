//! How often each kept message has been repeated, and which counts must still be reported.

use std::collections::BTreeMap;

use super::State;
use crate::config::Config;
use crate::record::{Pos, RecordId, Verdict};

/// How often a kept message has been repeated so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recount {
    /// The kept message.
    pub(crate) of: RecordId<'static>,
    /// Messages that repeated it exactly, or repeated a near repeat of it exactly.
    pub(crate) exact: u64,
    /// Messages that repeated it nearly.
    pub(crate) near: u64,
}

/// Bytes of a count in a tree, with the slack of its node and the mark that it is unreported.
const ENTRY: usize = 60;

/// Counts of the kept messages that have been repeated and can still be repeated.
pub(super) struct Tally {
    /// Whether counts are reported; otherwise they only serve `keep`.
    tells: bool,
    /// How many messages of a cluster are kept.
    keep: u64,
    /// Exact and near repeats of each kept message.
    counts: BTreeMap<Pos, [u64; 2]>,
    /// The kept messages whose count has risen since its last report, each with the message that raised it last.
    unreported: BTreeMap<Pos, Pos>,
    /// Last counts of messages that can no longer be repeated.
    left: Vec<Recount>,
}

impl Tally {
    /// A tally without counts, if a configuration asks for one.
    pub(super) fn of(config: &Config) -> Option<Self> {
        let Config { recount: tells, keep, .. } = *config;
        let none = || Self { tells, keep, counts: BTreeMap::new(), unreported: BTreeMap::new(), left: Vec::new() };
        (tells || keep > 1).then(none)
    }

    fn add(&mut self, of: Pos, exact: bool, by: Pos) {
        let [equal, near] = self.counts.entry(of).or_default();
        *(if exact { equal } else { near }) += 1;
        if self.tells {
            self.unreported.insert(of, by);
        }
    }

    /// How often the message kept at `of` has been repeated: exactly, and nearly.
    pub(super) fn counts_of(&self, of: Pos) -> [u64; 2] {
        self.counts.get(&of).copied().unwrap_or_default()
    }

    /// Moves the counts of the message kept at `of` to its new entry at `by`.
    pub(super) fn renew(&mut self, of: Pos, by: Pos, counts: [u64; 2]) {
        self.counts.remove(&of);
        if counts != [0, 0] {
            self.counts.insert(by, counts);
        }
        if self.unreported.remove(&of).is_some() {
            self.unreported.insert(by, by);
        }
    }

    /// Drops the counts of messages kept before `floor`, and returns the unreported ones in order.
    fn forget(&mut self, floor: Pos) -> Vec<(Pos, [u64; 2])> {
        let mut unreported = Vec::new();
        while let Some(first) = self.counts.first_entry().filter(|first| *first.key() < floor) {
            let (of, counts) = first.remove_entry();
            unreported.extend(self.unreported.remove(&of).map(|_| (of, counts)));
        }
        unreported
    }

    pub(crate) fn bytes(&self) -> usize {
        self.counts.len() * ENTRY
    }
}

/// [`Config::recount`] and [`Config::keep`] turn counting on. Without `recount`, the functions below that report counts report nothing.
impl State {
    /// The verdict to report on the message judged last, and which copy of its cluster it is, if more than one is kept. The
    /// first message of a cluster is copy 1.
    pub(crate) fn shown(&self, verdict: Verdict) -> (Verdict, Option<u64>) {
        let tally = self.tally.as_ref().filter(|tally| tally.keep > 1);
        let of = verdict.of().map(|of| self.newest(of));
        let Some((keep, [exact, near])) =
            tally.zip(of).and_then(|(tally, of)| Some((tally.keep, tally.counts.get(&of)?)))
        else {
            return (verdict, None);
        };
        let copy = 1 + exact + near;
        (if copy <= keep { Verdict::Kept } else { verdict }, Some(copy))
    }

    /// All counts that have risen since their last report, in the order of the kept messages. Each is returned once.
    pub(crate) fn recounts(&mut self) -> Vec<Recount> {
        let Some(tally) = &mut self.tally else { return Vec::new() };
        let unreported = std::mem::take(&mut tally.unreported);
        let counts: Vec<_> = unreported.keys().filter_map(|of| Some((*of, *tally.counts.get(of)?))).collect();
        counts.into_iter().map(|count| self.recounted(count)).collect()
    }

    /// Whether a count has risen since its last report.
    pub(crate) fn has_unreported(&self) -> bool {
        self.tally.as_ref().is_some_and(|tally| !tally.unreported.is_empty())
    }

    /// Last counts of messages that have been forgotten since the last call. Call it after each message, or these counts are
    /// lost.
    pub(crate) fn last_recounts(&mut self) -> Vec<Recount> {
        self.tally.as_mut().map_or_else(Vec::new, |tally| std::mem::take(&mut tally.left))
    }

    /// An earlier run reported the counts up to `pos`. Counts that rose only before `pos` are no longer unreported.
    pub(crate) fn reported_before(&mut self, pos: Pos) {
        if let Some(tally) = &mut self.tally {
            tally.unreported.retain(|_, by| *by >= pos);
        }
    }

    pub(super) fn count(&mut self, pos: Pos, verdict: Verdict) {
        let of = verdict.of().map(|of| self.newest(of));
        if let (Some(tally), Some(of)) = (&mut self.tally, of) {
            tally.add(of, matches!(verdict, Verdict::Exact { .. }), pos);
        }
    }

    /// Counts a message again that is read from a log. The run that wrote the log has already reported the counts of messages
    /// that left the window.
    pub(super) fn count_again(&mut self, pos: Pos, of: Option<Pos>, exact: bool) {
        if let Some(tally) = &mut self.tally {
            let floor = self.clock.floor();
            tally.forget(floor);
            if let Some(of) = of.filter(|of| *of >= floor) {
                tally.add(of, exact, pos);
            }
        }
    }

    /// Moves the counts of messages that can no longer be repeated to the last reports, while their ids are still known.
    pub(super) fn count_out(&mut self) {
        let Some(tally) = &mut self.tally else { return };
        let left = tally.forget(self.clock.floor());
        let left: Vec<_> = left.into_iter().map(|count| self.recounted(count)).collect();
        if let Some(tally) = &mut self.tally {
            tally.left.extend(left);
        }
    }

    fn recounted(&self, (of, [exact, near]): (Pos, [u64; 2])) -> Recount {
        Recount { of: self.id(of).unwrap_or(RecordId::Number(of.0 + 1)), exact, near }
    }
}
