//! How much two bodies must have in common for B to be a repeat: the steps *near* and *quote* of the [rule](super).
//!
//! 我在东湖边的樱花树下等你 / 我在东湖旁的樱花树下等你: each has 12 tokens, of which 11 are *covered*. A token is covered if the other body has, anywhere, one of
//! the two bigrams that contain the token. 边 is not covered: 湖边 and 边的 are only in A. The *similarity* is 2·min(covered of A, covered of
//! B) / (|A| + |B|), here 22/24 = 0.92. The rule counts bigrams because single tokens (的, 了) are often common by chance. It looks for them
//! anywhere because passages may move.
//!
//! Let n be the number of tokens of the shorter body. B is near A if one of these rows holds:
//!
//! | condition | needed | example |
//! |---|---|---|
//! | n ≥ 16 | similarity 0.62 | |
//! | n < 16 | similarity 0.70: a changed word is a larger part of a short body | 我在东湖边的樱花树下等你 / 我在东湖旁的樱花树下等你 |
//! | n < 16, A covers all of B, and B has 4 tokens or more | similarity 0.66 | 首批开放栈道，明天免费入园 / 首批开放栈道 |
//! | 7 ≤ n < 16, B has at most 2 tokens more than A | similarity 0.66, and at *words* no difference says anything | 他都等了一会儿 / 他已经等了一会儿 |
//! | B is A, with an author after it (`facts/bylines.rs`) | similarity 0.66, and the same at *words* | 凡是过往，皆为序章 / 凡是过往，皆为序章。——莎士比亚《暴风雨》 |
//! | both have 4 to 6 tokens, and the same number | only one token differs, and by a typo | 武汉加油 / 武汉加由 |
//! | n ≥ 16: B is *inside* A | A covers 0.75 of B, and 16 tokens of it; 0.6 of B is in common runs | a report / its first sentences |
//! | A ≥ 16, 8 ≤ B < 16: a *quote* | B is a clause of A or more, and has no topic; A refutes nothing | …，我终于学会了砍价，… / 我终于学会了砍价 |
//!
//! If n ≥ 16, there is one more condition: a third of B must be in runs of 5 tokens or more that A has, too. A run with a number or a word
//! of letters needs 6 tokens: hundreds of reports begin with NBA 23-24 赛季. Otherwise B is a report in other words. There are exceptions:
//! - If B has fewer than 25 tokens, one such run is enough if no difference says anything: 家里都挺好，… / 家里挺好的，….
//! - For the same B one run is also enough if the similarity is 0.75 and the differing words share a character or are left out:
//!   出一套乐高，拼好… / 出乐高一套，拼好后….
//! - Clauses or items of a list may be shorter than a run. So the condition does not apply if both bodies have the same 16 to 24 tokens,
//!   and only clauses or items changed places: 请自备护照、照片、毛巾、水杯、牙刷、拖鞋、雨伞 / 请自备雨伞、拖鞋、牙刷、水杯、毛巾、照片、护照.
//!
//! A B that is only inside A also names no place that A lacks, if A names another one of its kind: a report on all provinces / 江苏新增9例.
//!
//! A quote says nothing that A does not say, so the steps after *quote* are not taken. Under `careful` there are no quotes. If facts do not
//! count, the rows that refer to *words* are left out.

use super::bounds::{Bounds, LONG, QUOTED, RATHER_SHORT, RUN, least_of_slip};
use crate::config::{Guard, Policy, SIMILARITY, Templates};

/// Fewest covered tokens of a B inside A. Shorter remarks share phrases by chance (会已经影响我的工资 / 影响我工资).
pub(crate) const INSIDE: usize = 16;
/// The share of B that must be in common [runs](super::bounds::RUN) if both bodies are [long](LONG), in thousandths: a third. This
/// condition makes the [overlap engine](crate::near::overlap) fast.
pub(crate) const RUN_SHARE: usize = 333;

// The following thresholds are thousandths, and hold at the default similarity. At another setting their distance from 1000 is scaled
// with it.

/// Similarity for bodies of fewer than 16 tokens.
pub(crate) const SHORT_SIMILARITY: u32 = 700;
/// Fewest tokens of a B that A covers completely, for [`FRAGMENT_SIMILARITY`] to be enough.
pub(crate) const FRAGMENT: usize = 4;
/// Similarity for a [fragment](FRAGMENT), which A covers completely.
pub(crate) const FRAGMENT_SIMILARITY: u32 = 660;
/// Similarity for bodies of fewer than 20 tokens in which two tokens or more replace two or more.
pub(crate) const REPLACED_SIMILARITY: u32 = 830;
/// Similarity for bodies with one common run, if the differing words share a character or are left out.
pub(crate) const WORDED_SIMILARITY: u32 = 750;
/// Share of B that A must cover for B to be inside A.
pub(crate) const INSIDE_SHARE: u32 = 750;
/// Share of B that must be in common [runs](super::bounds::RUN) for B to be inside A, in thousandths. A long A has most bigrams of B by
/// chance.
pub(crate) const INSIDE_RUN_SHARE: usize = 600;

/// Returns the largest similarity setting, in thousandths, under which `value` is enough. At the default setting `threshold` is needed.
pub(crate) fn setting(value: u32, threshold: u32) -> u32 {
    1000_u32.saturating_sub(((1000 - value) * (1000 - SIMILARITY)).div_ceil(1000 - threshold))
}

impl Bounds {
    /// Returns what the step *near* requires of a repeat, in the form that an index looks up. `similarity` is the setting in thousandths,
    /// 0..=1000; a larger value counts as 1000.
    pub fn of_similarity(similarity: u32) -> Self {
        let similarity = similarity.min(1000);
        let short = 1000 - (1000 - similarity) * (1000 - FRAGMENT_SIMILARITY) / (1000 - SIMILARITY);
        Self { similarity, short, runs: RUN_SHARE as u32, counts: false, slots: false, quotes: true }
    }

    /// Returns what the steps *near* and *template* require of a repeat under this policy, in the form that an index looks up.
    pub(crate) fn of_policy(policy: Policy) -> Self {
        let (counts, slots) = (policy.has_facts(), policy.templates != Templates::Fold);
        Self { counts, slots, quotes: has_quotes(policy), ..Self::of_similarity(policy.similarity) }
    }

    /// Returns how many of the `lb` tokens of B an A of `la` tokens must cover at least for a repeat, judged by the lengths alone. Not for
    /// bodies of fewer than two tokens, which have no bigrams.
    pub(crate) fn least_covered(&self, la: usize, lb: usize) -> usize {
        let alike = |least: u32| (least as usize * (la + lb)).div_ceil(2000);
        if la.min(lb) < LONG {
            let other = least_of_slip(lb).filter(|_| la == lb).or(Some(lb).filter(|_| is_quotable(la, lb)));
            return other.map_or(alike(self.short), |other| other.min(alike(self.short)));
        }
        let share = 1000 - (1000 - self.similarity) * (1000 - INSIDE_SHARE) / (1000 - SIMILARITY);
        let (inside, alike) = ((share as usize * lb).div_ceil(1000).max(INSIDE), alike(self.similarity));
        let near = if alike <= la.min(lb) { alike.min(inside) } else { inside };
        let runs = (lb * self.runs as usize).div_ceil(1000);
        near.max(if RATHER_SHORT.contains(&lb) { runs.min(RUN) } else { runs })
    }
}

/// Whether a clause of a long text counts as a repeat of the text.
pub(crate) fn has_quotes(policy: Policy) -> bool {
    policy.guard != Guard::Careful
}

/// Returns how many of the `lb` tokens of B an A of `la` tokens must cover at least for a repeat, judged by the lengths alone.
/// `similarity` is the setting, as in [`Bounds::of_similarity`]. Not for bodies of fewer than two tokens, which have no bigrams.
///
/// ```
/// use quchong::rule::least_covered;
/// // Of two bodies of 30 tokens, each must cover so many of the other.
/// assert_eq!(least_covered(620, 30, 30), 19);
/// ```
pub fn least_covered(similarity: u32, la: usize, lb: usize) -> usize {
    Bounds::of_similarity(similarity).least_covered(la, lb)
}

/// Whether a body of `lb` tokens may be a clause of a body of `la` tokens.
pub(crate) fn is_quotable(la: usize, lb: usize) -> bool {
    QUOTED.contains(&lb) && la >= LONG
}

/// Shorter bodies say something else if a character is added or replaced: 你是这样 / 你也是这样, 你好吗 / 你好烦.
const WORDED: usize = 7;
/// Most tokens that B may have more than A as a rewording.
const MOST_MORE: usize = 2;

/// Whether short bodies of these lengths may say the same in other words.
pub(crate) fn may_be_worded(la: usize, lb: usize) -> bool {
    (WORDED..LONG).contains(&la.min(lb)) && lb <= la + MOST_MORE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index asks for a range of lengths, and the bitmaps for one length.
    #[test]
    fn a_range_of_lengths_needs_what_its_lengths_need() {
        for bounds in [0, 300, SIMILARITY, 900, 1000].map(Bounds::of_similarity) {
            let lengths = (2..40).flat_map(|lb| (2..40).map(move |longest| (lb, longest)));
            for (lb, longest) in lengths.filter(|(lb, longest)| lb.min(longest) < &LONG) {
                let mut of_range = None;
                for la in (2..=longest).rev() {
                    let of_length = bounds.least_covered_of_short(la, la, lb);
                    match (of_length, bounds.least_covered(la, lb)) {
                        (Some(of_length), least) => assert_eq!(of_length, least, "{la}, {lb}"),
                        (None, least) => assert!(least > la.min(lb) || is_quotable(la, lb), "{la}, {lb}: {least}"),
                    }
                    of_range = of_length.into_iter().chain(of_range).min();
                    assert_eq!(bounds.least_covered_of_short(la, longest, lb), of_range, "{la}..={longest}, {lb}");
                }
            }
        }
    }
}
