//! The decision of the repeat rule on a pair of messages. The docs of [`rule`](super) have the steps.

use super::gap::Gap;
use crate::rule::facts::Conflict;

/// The decision of the rule on a pair, and the reason. All numbers are thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// A repeat: the bodies are equal, or both are empty and A has the topics of B.
    Equal,
    /// A repeat by similarity.
    Near {
        /// How alike the bodies are: 2·min(covered of A, covered of B) / (|A| + |B|).
        similarity: u32,
        /// The largest similarity setting under which this is a repeat.
        setting: u32,
    },
    /// A repeat: B is inside A.
    Inside {
        /// The share of B that A covers.
        share: u32,
        /// The largest similarity setting under which this is a repeat.
        setting: u32,
    },
    /// No repeat.
    No(Reason),
}

/// Why a message is no repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// One message has nothing but topics or wrapping, or A lacks topics of B.
    Empty,
    /// A short remark under another topic.
    OtherTopic,
    /// The bodies have too little in common. Holds their similarity in thousandths.
    Unlike(u32),
    /// Less than a third of B is in common runs. For a B that is only inside A the bound is 0.6, and the reason is [`Unlike`](Self::Unlike).
    Scattered,
    /// The bodies differ, and one is too long to be a short text.
    Long,
    /// B says more: a passage, a clause that tells a fact, or more words in a short text.
    Added,
    /// Other words replace those of A: in a slot, at an end, in a title, or content words.
    Replaced,
    /// A fact differs.
    Fact(Conflict),
}

/// Why a pair is no repeat, and which place shows it.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) reason: Reason,
    /// The tokens of both messages that decided; `None` if the whole messages did.
    pub(super) place: Option<Gap>,
}

impl Refusal {
    /// Refuses a pair because of this place.
    pub(super) fn at(place: Gap, reason: Reason) -> Self {
        Self { reason, place: Some(place) }
    }

    /// Refuses a pair because of the whole messages.
    pub(super) fn whole(reason: Reason) -> Self {
        Self { reason, place: None }
    }

    /// Whether only words decided. A text that is retold may have other words.
    pub(super) fn is_by_words(&self) -> bool {
        matches!(self.reason, Reason::Replaced | Reason::Added | Reason::Fact(Conflict::NumberForWord))
    }
}
