//! The step *near*: how much two messages have in common.

use super::{Alike, Decision, Later, Reason, Refusal};
use crate::config::SIMILARITY;
use crate::rule::aligned::Weight;
use crate::rule::bounds::{LONG, RATHER_SHORT, RUN, are_rearranged, least_of_slip};
use crate::rule::facts;
use crate::rule::gap::Gap;
use crate::rule::thresholds::{FRAGMENT, FRAGMENT_SIMILARITY, INSIDE, INSIDE_RUN_SHARE, INSIDE_SHARE};
use crate::rule::thresholds::{
    RUN_SHARE, SHORT_SIMILARITY, WORDED_SIMILARITY, has_quotes, is_quotable, may_be_worded, setting,
};
use crate::text::GistView;
use crate::text::tokens::Token;

/// An A of at most this many tokens is a mere subject if B says more: 上海疫情 / 上海疫情发布会.
const BARE_SUBJECT: usize = 7;
/// Fewest tokens of B that A does not cover, for B to say something of a subject.
const SAID_OF_SUBJECT: usize = 2;

/// How near a pair is. For each way to be a repeat it holds the largest similarity setting, in thousandths, under which the pair is one.
pub(super) struct Nearness {
    /// The setting for a near repeat.
    pub(super) near: u32,
    /// 2·min(cov A, cov B) / (|A| + |B|).
    pub(super) similarity: u32,
    /// The setting for a near repeat in other words, which counts only if no difference says anything.
    pub(super) near_if_harmless: u32,
    /// The setting for a B inside A.
    pub(super) inside: u32,
    /// The share of B that A covers, in thousandths.
    pub(super) share: u32,
    /// Whether B quotes a clause or more of A.
    pub(super) quoted: bool,
    /// Whether A is a mere subject of which B says something.
    pub(super) subject: bool,
    /// Whether too little of B is in common runs. Then a difference that says anything makes B another message.
    pub(super) scattered: bool,
}

impl Nearness {
    fn reached(&self) -> u32 {
        self.near.max(self.near_if_harmless).max(self.inside)
    }

    /// Refuses the pair if no way to be a repeat reaches the configured similarity.
    pub(super) fn reach(&self, similarity: u32, refusal: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
        if self.reached() < similarity { Err(refusal()) } else { Ok(()) }
    }

    /// Lets the pair count as a near repeat only if its similarity reaches `threshold`.
    pub(super) fn require(&mut self, threshold: u32) {
        let most = setting(self.similarity, threshold);
        (self.near, self.near_if_harmless) = (self.near.min(most), self.near_if_harmless.min(most));
    }

    /// Chooses between `near` and `near_if_harmless` by what the differing words say. Afterwards `near_if_harmless` no longer counts.
    pub(super) fn settle(&mut self, weight: Weight) {
        match weight {
            Weight::Nothing => self.near = self.near.max(self.near_if_harmless),
            Weight::LittleElse if self.scattered => {
                self.near = self.near_if_harmless.min(setting(self.similarity, WORDED_SIMILARITY));
            }
            _ => {}
        }
        self.near_if_harmless = 0;
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

impl Later<'_> {
    /// Measures how near the pair is, and refuses it if that is not enough.
    pub(super) fn nearness(&mut self, a: GistView<'_>) -> Result<Nearness, Refusal> {
        let Alike { similarity, share, covered } = self.alike(a);
        let (b, policy) = (self.b, self.verifier.policy);
        let (x, y) = (a.body.list, b.body.list);
        let (is_long, is_covered) = (x.len().min(y.len()) >= LONG, covered == y.len());
        let no_topics = a.topics.is_empty() && b.topics.is_empty();
        let subject = no_topics && x.len() <= BARE_SUBJECT && y.len() - covered >= SAID_OF_SUBJECT;
        self.threshold = if is_long {
            SIMILARITY
        } else if is_covered && y.len() >= FRAGMENT {
            FRAGMENT_SIMILARITY
        } else {
            SHORT_SIMILARITY
        };
        let near = if is_slip(a, b, covered) { 1000 } else { setting(similarity, self.threshold) };
        let is_worded = policy.has_facts() && (may_be_worded(x.len(), y.len()) || facts::is_credited(a, b));
        let near_if_harmless = if is_worded { setting(similarity, FRAGMENT_SIMILARITY) } else { 0 };
        let quoted = is_covered && is_quotable(x.len(), y.len()) && has_quotes(policy) && facts::is_quoted(a, b);
        let inside = if quoted {
            1000
        } else if is_long && covered >= INSIDE {
            Some(setting(share, INSIDE_SHARE))
                .filter(|inside| *inside <= near || self.is_in_runs(a, INSIDE_RUN_SHARE))
                .unwrap_or(0)
        } else {
            0
        };
        let nearness =
            Nearness { near, similarity, near_if_harmless, inside, share, quoted, subject, scattered: false };
        nearness.reach(policy.similarity, || Refusal::whole(Reason::Unlike(similarity)))?;
        if !is_long || self.has_common_runs(a) {
            return Ok(nearness);
        }
        if !policy.has_facts() || !RATHER_SHORT.contains(&y.len()) || !self.verifier.runs.are_common(y, x, RUN) {
            return Err(Refusal::whole(Reason::Scattered));
        }
        Ok(Nearness { near: 0, inside: 0, near_if_harmless: near.max(inside), scattered: true, ..nearness })
    }

    /// Whether enough of B is in runs that A has, too, or the bodies differ only in the order of clauses or items.
    fn has_common_runs(&mut self, a: GistView<'_>) -> bool {
        let (x, y) = (a.body.list, self.b.body.list);
        self.is_in_runs(a, RUN_SHARE) || are_rearranged(x, y) && facts::has_no_new_clause(a, self.b)
    }

    /// Whether this share of B, in thousandths, is in runs that A has, too.
    fn is_in_runs(&mut self, a: GistView<'_>, share: usize) -> bool {
        let (x, y) = (a.body.list, self.b.body.list);
        self.verifier.runs.are_common(y, x, (y.len() * share).div_ceil(1000))
    }
}

/// Whether two tiny bodies differ in a single character that is easily confused with the other one: 武汉加油 / 武汉加由.
fn is_slip(a: GistView<'_>, b: GistView<'_>, covered: usize) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    if x.len() != y.len() || least_of_slip(y.len()).is_none_or(|least| covered < least) {
        return false;
    }
    let differ = |(_, (x, y)): &(usize, (&Token, &Token))| facts::value(**x) != facts::value(**y);
    let mut others = x.iter().zip(y).enumerate().filter(differ).map(|(at, _)| at);
    match (others.next(), others.next()) {
        (Some(at), None) => facts::is_noise(a, b, &Gap { a: at..at + 1, b: at..at + 1 }),
        _ => false,
    }
}
