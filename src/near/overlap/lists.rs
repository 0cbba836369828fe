//! Bodies that list items. Other items [distinguish a list](crate::rule::list_items) from others.

use super::features::{FeatureHasher, bigram_key};
use super::postings::Key;
use super::query::Query;
use super::sets::{Set, Sets};
use crate::rule::list_items::{FOREIGN, Item};

/// Pairs are made within groups of this many items, because all pairs of a long list would be too many.
const TOGETHER: usize = 4;

/// The bodies that list items.
#[derive(Default)]
pub(super) struct Lists {
    all: Set,
    /// The set of those bodies whose bigrams are keys.
    members: Option<u32>,
}

impl Lists {
    /// Heap bytes in use, not counting the set of members.
    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes()
    }

    /// Notes that a body just remembered lists items.
    pub(crate) fn remember(&mut self, number: u32) {
        self.all.insert(number);
    }

    /// Notes that a body's bigrams are keys now.
    pub(crate) fn join(&mut self, number: u32, sets: &mut Sets) {
        if self.all.has(number) {
            let members = *self.members.get_or_insert_with(|| sets.take());
            sets.get_mut(members).insert(number);
        }
    }

    /// Adds steps to a query that take away the bodies that list items and have neither item of some pair. Pairs of the rarest items come
    /// first.
    pub(crate) fn add_steps(&self, items: &[Item], query: &mut Query<'_>, hasher: FeatureHasher) {
        let Some(members) = self.members.filter(|_| items.len() >= FOREIGN) else { return };
        let postings = query.postings;
        let keys = |item: &Item| item.ends.iter().map(|two| postings.key(bigram_key(two, hasher))).collect();
        let mut items: Vec<Vec<Key>> = items.iter().map(keys).collect();
        items.sort_by_cached_key(|keys| keys.iter().map(|key| postings.count(*key)).sum::<usize>());
        for together in items.chunks(TOGETHER) {
            for (at, one) in together.iter().enumerate() {
                for other in &together[..at] {
                    query.take_away(members, |union| {
                        one.iter().chain(other).for_each(|key| union.add_key(*key));
                    });
                }
            }
        }
    }

    /// Forgets the bodies older than `oldest`.
    pub(crate) fn sweep(&mut self, oldest: u32, sets: &mut Sets) {
        self.all.expire(oldest);
        self.members = self.members.filter(|set| sets.keep_live(*set, oldest));
    }
}
