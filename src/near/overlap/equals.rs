//! Bodies with the same tokens, whose links, names or topics [tell their messages apart](crate::near::equal): 领券戳 t.cn/A6xq / 领券戳 t.cn/B8mk.

use super::features::{Hash, Told};
use super::postings::Postings;
use super::query::Query;
use super::sets::Sets;
use crate::hash::HashMap;

/// What is known of such bodies.
#[derive(Default)]
pub(super) struct Equals {
    /// The set of those with the same tokens and the same kind of thing, by the hash of both.
    told: HashMap<Hash, u32>,
}

impl Equals {
    /// Keeps what tells a body just remembered from others with the same tokens.
    pub(crate) fn remember(&mut self, told: &Told, number: u32, oldest: u32, postings: &mut Postings) {
        for (topic, which) in told {
            let set = *self.told.entry(*topic).or_insert_with(|| postings.sets.take());
            postings.sets.get_mut(set).insert(number);
            which.iter().for_each(|key| postings.insert(*key, number, oldest));
        }
    }

    /// How many bodies have the same tokens, and something that may tell them apart.
    pub(crate) fn count(&self, told: &Told, sets: &Sets) -> usize {
        let known = told.iter().filter_map(|(topic, _)| self.told.get(topic));
        known.map(|set| sets.get(*set).len()).max().unwrap_or_default()
    }

    /// Adds to a query what rules out bodies with the same tokens.
    pub(crate) fn ask<'p>(&self, told: &Told, query: &mut Query<'p>, postings: &'p Postings) {
        for (topic, which) in told {
            let Some(set) = self.told.get(topic) else { continue };
            query.take_away(*set, &postings.sets, |query| which.iter().for_each(|key| query.feature(*key, postings)));
        }
    }

    /// Lets go who is older than `oldest`.
    pub(crate) fn sweep(&mut self, oldest: u32, sets: &mut Sets) {
        self.told.retain(|_, set| sets.keep(*set, oldest));
    }

    /// Heap bytes in use, but for the sets.
    pub(crate) fn bytes(&self) -> usize {
        self.told.capacity() * 8 / 7 * (size_of::<(Hash, u32)>() + 1)
    }
}
