//! How many messages lack what a rule chooses by.

use super::{Represent, ValueOrder};
use crate::run::Portion;

/// Counts of such messages.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Lacks {
    messages: u64,
    /// Messages without the field, or with nothing in it.
    valueless: u64,
    /// Messages without a time, or with a value that has no rank.
    unranked: u64,
}

impl Lacks {
    /// Adds a message with this time, and with this value, given as JSON text.
    pub(crate) fn add(&mut self, by: &Represent, time: Option<i64>, value: Option<&str>) {
        self.messages += 1;
        self.valueless += u64::from(matches!(value, None | Some("null" | "\"\"")));
        self.unranked += u64::from(match by {
            Represent::By(_, order) => value.and_then(|value| order.rank(value)).is_none(),
            Represent::Newest => time.is_none(),
            Represent::First | Represent::Longest | Represent::MostFrequent => false,
        });
    }

    /// The messages that lack it, of all.
    pub(crate) fn portion(&self, by: &Represent) -> Portion {
        Portion { count: self.count(by), of: self.messages }
    }

    /// How many messages lack it. A value that is not in the list is no lack, unless no message has one of the list.
    pub(crate) fn count(&self, by: &Represent) -> u64 {
        match by {
            Represent::By(_, ValueOrder::Listed(_)) if self.unranked < self.messages => self.valueless,
            _ => self.unranked,
        }
    }
}
