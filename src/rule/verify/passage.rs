//! The step *passage*: whether B adds a clause or more.

use std::ops::Range;

use super::{Later, Reason, Refusal};
use crate::config::Remarks;
use crate::rule::bounds::COMMENT;
use crate::rule::facts;
use crate::rule::gap::Gap;
use crate::text::GistView;

/// Fewest adjacent tokens that are a passage if B adds them: about a clause.
pub(crate) const PASSAGE: usize = 12;
/// Such a run is a passage only if A leaves more than this share of B uncovered, in thousandths. A prefix before a long repeat is no
/// passage.
const PASSAGE_SHARE: usize = 350;

impl Later<'_> {
    /// Refuses a pair if B adds a passage. Adverts, polite words and words of A are no passage, unless the policy ignores facts, or
    /// keeps remarks and the passage is in one.
    pub(super) fn passage(&self, a: GistView<'_>) -> Result<(), Refusal> {
        let (b, policy) = (self.b, self.verifier.policy);
        let is_kept = |at: usize| policy.remarks == Remarks::Keep && at < b.comment_tokens as usize;
        let says = |passage: &Range<usize>| {
            !policy.has_facts()
                || is_kept(passage.start)
                || !facts::is_advert(b, passage) && !facts::is_said(a, b, passage)
        };
        let passage = self.added_passage(a).filter(says);
        passage.map_or(Ok(()), |passage| Err(Refusal::at(Gap { a: 0..0, b: passage }, Reason::Added)))
    }

    /// Returns the passage that B adds: its own remark before the text that it reposts, or the longest run that A does not cover, if this
    /// is a [`PASSAGE`].
    fn added_passage(&self, a: GistView<'_>) -> Option<Range<usize>> {
        let (x, y, comments) = (a.body.list, self.b.body.list, self.b.comment_tokens as usize);
        let keeps_remarks = self.verifier.policy.remarks == Remarks::Keep;
        // The reposted text may contain the words of the remark, so that A covers them.
        if keeps_remarks && (1..y.len()).contains(&comments) && !x.starts_with(&y[..comments]) {
            return Some(0..comments);
        }
        let (mut run, mut longest, mut bare, mut remark) = (0, 0..0, 0, 0..0);
        for (at, covered) in self.verifier.coverage.covered().enumerate() {
            run = if covered { 0 } else { run + 1 };
            if run > longest.len() {
                longest = at + 1 - run..at + 1;
            }
            bare += usize::from(!covered);
            if at < comments {
                remark = longest.clone();
            }
        }
        let least_of_remark = if keeps_remarks { 1 } else { COMMENT };
        if remark.len() >= least_of_remark {
            return Some(remark);
        }
        (longest.len() >= PASSAGE && bare * 1000 > y.len() * PASSAGE_SHARE).then_some(longest)
    }
}
