//! How much two bodies must have in common to be repeats: steps d to f of the [rule](super::verify).

use super::bounds::{Bounds, LONG, QUOTED, least_of_slip};
use crate::config::{Guard, Policy, SIMILARITY, Templates};

/// Bodies with fewer tokens are short: a changed word is a larger part of what they say.
pub(crate) const SHORT: usize = LONG;
/// Fewest covered tokens of a quote: below, remarks share phrases (会已经影响我的工资 / 影响我工资).
pub(crate) const QUOTE: usize = 16;
/// How much of B must be in common [runs](super::bounds::RUN) where both bodies are [long](LONG), in thousandths: a third. No labelled pair
/// depends on it, and hardly any near repeat of real posts; it is what makes the [overlap engine](super::overlap) fast.
pub(crate) const RUN_SHARE: usize = 333;

/// Thresholds in thousandths at the default similarity of [`SIMILARITY`]; at another, they are as far from 1000 in proportion.
///
/// Similarity of bodies under 16 tokens.
pub(crate) const SHORT_SIMILARITY: u32 = 700;
/// Fewest tokens of B where A covers all of it …
pub(crate) const FRAGMENT: usize = 4;
/// … for this similarity to do.
pub(crate) const FRAGMENT_SIMILARITY: u32 = 660;
/// Similarity of bodies under 20 tokens where two tokens or more stand for two or more.
pub(crate) const REPLACED_SIMILARITY: u32 = 830;
/// Share of B that A must cover for B to be inside A.
pub(crate) const QUOTE_SHARE: u32 = 750;

/// The largest similarity setting, in thousandths, under which `value` reaches a `threshold` that stands at the default one.
pub(crate) fn setting(value: u32, threshold: u32) -> u32 {
    1000_u32.saturating_sub(((1000 - value) * (1000 - SIMILARITY)).div_ceil(1000 - threshold))
}

/// What a repeat needs under this setting: steps d and e.
pub fn bounds(similarity: u32) -> Bounds {
    let short = 1000 - (1000 - similarity.min(1000)) * (1000 - FRAGMENT_SIMILARITY) / (1000 - SIMILARITY);
    Bounds { short, runs: RUN_SHARE as u32, counts: false, slots: false, quotes: true }
}

/// What a repeat needs under this policy: steps d and e, and of i and h what is told without an alignment.
pub(crate) fn necessary(policy: Policy) -> Bounds {
    let (counts, slots) = (policy.has_facts(), policy.templates != Templates::Fold);
    Bounds { counts, slots, quotes: has_quotes(policy), ..bounds(policy.similarity) }
}

/// Whether a clause of a long text is a repeat of the text.
pub(crate) fn has_quotes(policy: Policy) -> bool {
    policy.guard != Guard::Careful
}

/// Fewest tokens of B, of `lb`, that A, of `la`, must cover for a repeat, by steps d to f and the lengths alone. Not for bodies
/// of fewer than two tokens: they have no bigrams.
///
/// ```
/// use quchong::near::verify::least_covered;
/// // Of two bodies of 30 tokens, each must cover so many of the other.
/// assert_eq!(least_covered(620, 30, 30), 19);
/// ```
pub fn least_covered(similarity: u32, la: usize, lb: usize) -> usize {
    let Bounds { short, runs, .. } = bounds(similarity);
    let alike = |least: u32| (least as usize * (la + lb)).div_ceil(2000);
    if la.min(lb) < SHORT {
        let other = least_of_slip(lb).filter(|_| la == lb).or(Some(lb).filter(|_| is_quotable(la, lb)));
        return other.map_or(alike(short), |other| other.min(alike(short)));
    }
    let quote = 1000 - (1000 - similarity.min(1000)) * (1000 - QUOTE_SHARE) / (1000 - SIMILARITY);
    let inside = (quote as usize * lb).div_ceil(1000).max(QUOTE);
    let near = if alike(similarity) <= la.min(lb) { alike(similarity).min(inside) } else { inside };
    near.max((lb * runs as usize).div_ceil(1000))
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
    (WORDED..SHORT).contains(&la.min(lb)) && lb <= la + MOST_MORE
}
