//! How much two bodies must have in common to be repeats: the steps *near* and *quote* of the [rule](super).
//!
//! 我在东湖边的樱花树下等你 / 我在东湖旁的樱花树下等你: of 12 tokens each, 11 are *covered*. A token is covered if the other body has one of the two
//! bigrams that it stands in, anywhere. 边 is not: 湖边 and 边的 are only in A. The *similarity* is 2·min(covered of A, covered of B) /
//! (|A| + |B|), here 22/24 = 0.92. Bigrams, because single tokens (的, 了) are often common by chance; anywhere, because passages may move.
//!
//! Let n be the number of tokens of the shorter body. B is near A if one of these rows holds:
//!
//! | where | needed | example |
//! |---|---|---|
//! | n ≥ 16 | similarity 0.62 | |
//! | n < 16 | similarity 0.70: a changed word is a larger part of them | 我在东湖边的樱花树下等你 / 我在东湖旁的樱花树下等你 |
//! | n < 16, A covers all of B, 4 tokens or more | similarity 0.66 | 首批开放栈道，明天免费入园 / 首批开放栈道 |
//! | 7 ≤ n < 16, B has at most 2 tokens more | similarity 0.66, and at *words* no difference says anything | 他都等了一会儿 / 他已经等了一会儿 |
//! | both 4 to 6 tokens, as many in each | one token differs, and is taken for the other, as a typo is | 武汉加油 / 武汉加由 |
//! | n ≥ 16: B is *inside* A | A covers 0.75 of B, and 16 tokens of it | a report / its first sentences |
//! | A ≥ 16, 8 ≤ B < 16: a *quote* | B is a clause of A or more, under no topic; A refutes nothing | …，我终于学会了砍价，… / 我终于学会了砍价 |
//!
//! If n ≥ 16, one condition more: a third of B must stand in runs of 5 tokens or more that A has, too (of 6, if one of them is a number or a
//! word of letters: hundreds of reports begin with NBA 23-24 赛季). Otherwise B is a report in other
//! words. Where B has fewer than 25 tokens, one such run is enough if no difference says anything: 家里都挺好，… / 家里挺好的，…. It is enough,
//! too, if the similarity is 0.75 and the words that differ share a character or are left out: 出一套乐高，拼好… / 出乐高一套，拼好后….
//! Clauses or items of a list may be shorter than such runs. So the condition does not count where both bodies have the same 16 to
//! 24 tokens, and only clauses or items changed places: 请自备护照、照片、毛巾、水杯、牙刷、拖鞋、雨伞 / 请自备雨伞、拖鞋、牙刷、水杯、毛巾、照片、护照.
//!
//! A quote says nothing that A has not, so the steps behind *quote* are not taken. Under `careful` there are no quotes. Where facts do not
//! count, the row with *words* is left out.

use super::bounds::{Bounds, LONG, ONE_RUN, QUOTED, RUN, least_of_slip};
use crate::config::{Guard, Policy, SIMILARITY, Templates};

/// Fewest covered tokens of a B inside A: below, remarks share phrases (会已经影响我的工资 / 影响我工资).
pub(crate) const INSIDE: usize = 16;
/// How much of B must be in common [runs](super::bounds::RUN) where both bodies are [long](LONG), in thousandths: a third. It is what makes the
/// [overlap engine](crate::near::overlap) fast.
pub(crate) const RUN_SHARE: usize = 333;

// The thresholds that follow are thousandths, and hold at the default similarity. At another one they are as far from 1000 in proportion.

/// Similarity of bodies under 16 tokens.
pub(crate) const SHORT_SIMILARITY: u32 = 700;
/// Fewest tokens of a B that A covers as a whole, for [`FRAGMENT_SIMILARITY`] to be enough.
pub(crate) const FRAGMENT: usize = 4;
/// Similarity of a [fragment](FRAGMENT), which A covers as a whole.
pub(crate) const FRAGMENT_SIMILARITY: u32 = 660;
/// Similarity of bodies under 20 tokens where two tokens or more stand for two or more.
pub(crate) const REPLACED_SIMILARITY: u32 = 830;
/// Similarity of bodies with one common run where the words that differ share a character or are left out.
pub(crate) const WORDED_SIMILARITY: u32 = 750;
/// Share of B that A must cover for B to be inside A.
pub(crate) const INSIDE_SHARE: u32 = 750;

/// The largest similarity setting, in thousandths, under which `value` reaches a `threshold` that stands at the default one.
pub(crate) fn setting(value: u32, threshold: u32) -> u32 {
    1000_u32.saturating_sub(((1000 - value) * (1000 - SIMILARITY)).div_ceil(1000 - threshold))
}

/// What a repeat needs: the step *near*, as the index looks it up. `similarity` is the setting in thousandths, 0..=1000; a larger one counts
/// as 1000.
pub fn bounds(similarity: u32) -> Bounds {
    let short = 1000 - (1000 - similarity.min(1000)) * (1000 - FRAGMENT_SIMILARITY) / (1000 - SIMILARITY);
    Bounds { short, runs: RUN_SHARE as u32, counts: false, slots: false, quotes: true }
}

/// What a repeat needs under this policy: the steps *near* and *template*, as the index looks them up.
pub(crate) fn necessary(policy: Policy) -> Bounds {
    let (counts, slots) = (policy.has_facts(), policy.templates != Templates::Fold);
    Bounds { counts, slots, quotes: has_quotes(policy), ..bounds(policy.similarity) }
}

/// Whether a clause of a long text is a repeat of the text.
pub(crate) fn has_quotes(policy: Policy) -> bool {
    policy.guard != Guard::Careful
}

/// Fewest tokens of B, of `lb`, that A, of `la`, must cover for a repeat, by the lengths alone. `similarity` is the setting, as in [`bounds`].
/// Not for bodies of fewer than two tokens: they have no bigrams.
///
/// ```
/// use quchong::rule::least_covered;
/// // Of two bodies of 30 tokens, each must cover so many of the other.
/// assert_eq!(least_covered(620, 30, 30), 19);
/// ```
pub fn least_covered(similarity: u32, la: usize, lb: usize) -> usize {
    let Bounds { short, runs, .. } = bounds(similarity);
    let alike = |least: u32| (least as usize * (la + lb)).div_ceil(2000);
    if la.min(lb) < LONG {
        let other = least_of_slip(lb).filter(|_| la == lb).or(Some(lb).filter(|_| is_quotable(la, lb)));
        return other.map_or(alike(short), |other| other.min(alike(short)));
    }
    let share = 1000 - (1000 - similarity.min(1000)) * (1000 - INSIDE_SHARE) / (1000 - SIMILARITY);
    let inside = (share as usize * lb).div_ceil(1000).max(INSIDE);
    let near = if alike(similarity) <= la.min(lb) { alike(similarity).min(inside) } else { inside };
    let runs = (lb * runs as usize).div_ceil(1000);
    near.max(if ONE_RUN.contains(&lb) { runs.min(RUN) } else { runs })
}

/// Whether a body of `lb` tokens may be a clause of one of `la`.
pub(crate) fn is_quotable(la: usize, lb: usize) -> bool {
    QUOTED.contains(&lb) && la >= LONG
}

/// Shorter bodies say something else with one character more, or another: 你是这样 / 你也是这样, 你好吗 / 你好烦.
const WORDED: usize = 7;
/// Most tokens that B has more in another wording.
const MOST_MORE: usize = 2;

/// Whether short bodies of so many tokens may say the same in other words.
pub(crate) fn may_be_worded(la: usize, lb: usize) -> bool {
    (WORDED..LONG).contains(&la.min(lb)) && lb <= la + MOST_MORE
}
