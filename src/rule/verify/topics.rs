//! Compares the topics of two messages.

use super::{Decision, Reason, Refusal};
use crate::text::GistView;

/// If one message has at most this many topics, a plain search for each is the fastest.
const FEW_TOPICS: usize = 16;

/// Returns how many of b's topics a has, too. Sorts those of a first if both have many.
pub(super) fn common_topics(a: &[u64], b: &[u64]) -> usize {
    if a.len().min(b.len()) <= FEW_TOPICS {
        return b.iter().filter(|topic| a.contains(topic)).count();
    }
    let mut sorted = a.to_vec();
    sorted.sort_unstable();
    b.iter().filter(|topic| sorted.binary_search(topic).is_ok()).count()
}

/// Takes the step *topics*, for a pair with an empty body. B is a repeat if both bodies are empty, and A has all topics of B, or at least
/// two and half of them.
pub(super) fn by_topics(a: GistView<'_>, b: GistView<'_>) -> Result<Decision, Refusal> {
    let common = common_topics(a.topics, b.topics);
    let enough = common == b.topics.len() || common >= 2 && 2 * common >= b.topics.len();
    let is_repeat = a.body.list.len() == b.body.list.len() && common > 0 && enough;
    if is_repeat { Ok(Decision::Equal) } else { Err(Refusal::whole(Reason::Empty)) }
}
