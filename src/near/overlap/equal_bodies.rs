//! Bodies with the same tokens, whose links, names or topics [distinguish the messages](crate::rule::equal_bodies):
//! 领券戳 t.cn/A6xq / 领券戳 t.cn/B8mk.

use super::features::{Hash, PropertyKeys};
use super::postings::Entering;
use super::query::Query;
use super::sets::Sets;
use crate::hash::SweptMap;

/// An index of such bodies.
#[derive(Default)]
pub(super) struct Equals {
    /// By the hash of the tokens and a kind of thing: the set of the bodies with these tokens and this kind of thing.
    same: SweptMap<Hash, u32>,
}

impl Equals {
    /// Keeps the things that distinguish a body just remembered from others with the same tokens.
    pub(crate) fn remember(&mut self, distinguishing: &PropertyKeys, entering: &mut Entering<'_>) {
        for (key, values) in distinguishing {
            entering.postings.sets.insert(self.same.entry(*key), entering.number);
            values.iter().for_each(|value| entering.insert(*value));
        }
    }

    /// How many bodies have the same tokens, and something that may distinguish them.
    pub(crate) fn count(&self, distinguishing: &PropertyKeys, sets: &Sets) -> usize {
        let known = distinguishing.iter().filter_map(|(key, _)| self.same.get(key));
        known.map(|set| sets.get(*set).len()).max().unwrap_or_default()
    }

    /// Adds steps to a query that take away bodies with the same tokens and other things.
    pub(crate) fn add_steps(&self, distinguishing: &PropertyKeys, query: &mut Query<'_>) {
        for (key, values) in distinguishing {
            let Some(set) = self.same.get(key) else { continue };
            query.take_away(*set, |union| values.iter().for_each(|value| union.add_hash(*value)));
        }
    }

    /// Forgets bodies older than `oldest`, a part of them with each of `calls` calls.
    pub(crate) fn sweep(&mut self, calls: usize, oldest: u32, sets: &mut Sets) {
        self.same.sweep(calls, |set| sets.keep_live(*set, oldest));
    }

    /// Heap bytes in use, not counting the sets.
    pub(crate) fn bytes(&self) -> usize {
        self.same.bytes()
    }
}
