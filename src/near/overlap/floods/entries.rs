//! Lists of entries: if two entries say something else, they distinguish one list from another.

use super::super::features::{FeatureHasher, fill_key};
use super::super::postings::Postings;
use super::super::query::{Half, Query};
use super::super::slots::Kind;
use super::{Floods, Passage};
use crate::rule::entries::Entry;

/// The key of an entry, in the form of passages.
fn around(entry: &Entry) -> [Passage; 2] {
    let [first, second, end] = entry.key;
    [[first, second, end, 0], [0; 4]]
}

impl Floods {
    /// Keeps the entries of a body just remembered. It need not be a member, because few bodies have entries.
    pub(crate) fn keep_entries(
        &mut self,
        entries: &[Entry],
        number: u32,
        oldest: u32,
        hasher: FeatureHasher,
        postings: &mut Postings,
    ) {
        for entry in entries {
            let around = around(entry);
            postings.sets.insert(self.by_kind.entry((Kind::Entry, around)), number);
            let hashes = entry.parts.iter().copied().map(fill_key(&around, hasher));
            hashes.for_each(|hash| postings.insert(hash, number, oldest));
        }
    }

    /// Takes away the bodies that say something else in two entries.
    pub(super) fn take_away_by_entries(&self, entries: &[Entry], query: &mut Query<'_>, hasher: FeatureHasher) {
        for entry in entries {
            let around = around(entry);
            let Some(set) = self.by_kind.get(&(Kind::Entry, around)) else { continue };
            query.take_away_by_two(Half::Entry, *set, |query| {
                entry.parts.iter().copied().map(fill_key(&around, hasher)).for_each(|hash| query.add_hash(hash));
            });
        }
    }
}
