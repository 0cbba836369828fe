//! The topics of two messages.

use super::{Decision, Reason, Refusal};
use crate::text::GistView;

/// With so many topics it is quickest to look for each.
const FEW_TOPICS: usize = 16;

/// How many of b's topics a has too. Where they are many, those of a are sorted first.
pub(super) fn common_topics(a: &[u64], b: &[u64]) -> usize {
    if a.len().min(b.len()) <= FEW_TOPICS {
        return b.iter().filter(|topic| a.contains(topic)).count();
    }
    let mut sorted = a.to_vec();
    sorted.sort_unstable();
    b.iter().filter(|topic| sorted.binary_search(topic).is_ok()).count()
}

/// The step *topics*, where a body is missing: whether all topics of B, or two and half of them, are A's.
pub(super) fn by_topics(a: GistView<'_>, b: GistView<'_>) -> Result<Decision, Refusal> {
    let common = common_topics(a.topics, b.topics);
    let enough = common == b.topics.len() || common >= 2 && 2 * common >= b.topics.len();
    let is_repeat = a.body.list.len() == b.body.list.len() && common > 0 && enough;
    if is_repeat { Ok(Decision::Equal) } else { Err(Refusal::whole(Reason::Empty)) }
}
