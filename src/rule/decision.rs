//! What the repeat rule says of a pair of messages. Its steps stand in the docs of [`rule`](super).

use super::align::Gap;
use crate::rule::facts::Conflict;

/// What the rule says of a pair, and why. All numbers are thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// A repeat: the bodies are equal, or both are empty and A has the topics of B.
    Equal,
    /// A repeat by similarity.
    Near {
        /// How alike the bodies are: 2·min(covered of A, covered of B) / (|A| + |B|).
        similarity: u32,
        /// The largest setting under which this is a repeat.
        setting: u32,
    },
    /// A repeat: B is inside A.
    Inside {
        /// How much of B is in A.
        share: u32,
        /// The largest setting under which this is a repeat.
        setting: u32,
    },
    /// No repeat.
    No(Reason),
}

/// Why a message is no repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// One message is nothing but topics or wrapping, or A lacks topics of B.
    Empty,
    /// A short remark under another topic.
    OtherTopic,
    /// The bodies differ too much: their similarity in thousandths.
    Unlike(u32),
    /// Less than a third of B is in common runs.
    Scattered,
    /// The bodies differ, and one is too long to be a short text.
    Long,
    /// B says more: a passage, a clause that tells a fact, or words to a short text.
    Added,
    /// Other words stand in a place of the text: a slot, an end, a title, or words of content.
    Replaced,
    /// A fact differs.
    Fact(Conflict),
}

/// Why a pair is no repeat, and where that shows.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) reason: Reason,
    /// The tokens of both messages that say so; `None` where the whole messages do.
    pub(super) place: Option<Gap>,
}

impl Refusal {
    /// For what this place says.
    pub(super) fn at(place: Gap, reason: Reason) -> Self {
        Self { reason, place: Some(place) }
    }

    /// For what the whole messages say.
    pub(super) fn whole(reason: Reason) -> Self {
        Self { reason, place: None }
    }

    /// Whether only words say no: a text that is retold may have others.
    pub(super) fn is_by_words(&self) -> bool {
        matches!(self.reason, Reason::Replaced | Reason::Added | Reason::Fact(Conflict::NumberForWord))
    }
}
