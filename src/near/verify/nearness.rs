//! How near two messages are: what the step *near* says to the others.

use crate::near::decision::Decision;

/// How near a pair is: for each way to be a repeat, the largest similarity setting, in thousandths, under which it is one.
pub(super) struct Nearness {
    /// As a near repeat.
    pub(super) near: u32,
    /// 2·min(cov A, cov B) / (|A| + |B|).
    pub(super) similarity: u32,
    /// As a near repeat in other words, if no difference says anything.
    pub(super) plain: u32,
    /// As a part of A.
    pub(super) inside: u32,
    /// How much of B is in A.
    pub(super) share: u32,
    /// Whether B is a clause or more of A.
    pub(super) quoted: bool,
    /// Whether A is a subject of which B says something.
    pub(super) subject: bool,
    /// Whether so little of B is in common runs that a difference which says anything is one too many.
    pub(super) scattered: bool,
}

impl Nearness {
    pub(super) fn reached(&self) -> u32 {
        self.near.max(self.plain).max(self.inside)
    }

    pub(super) fn inside(&self) -> Decision {
        Decision::Inside { share: self.share, setting: self.inside }
    }

    pub(super) fn decision(&self) -> Decision {
        if self.near < self.inside {
            return self.inside();
        }
        Decision::Near { similarity: self.similarity, setting: self.near }
    }
}
