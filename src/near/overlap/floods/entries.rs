//! Lists of entries: if two entries say something else, they distinguish one list from another.

use super::super::features::{FeatureHasher, fill_key};
use super::super::postings::Entering;
use super::super::query::{Half, Query};
use super::{Floods, Passage};
use crate::rule::list_entries::Entry;

/// What the parts of an entry are hashed with: its key, in the form of the passages around a fill.
fn hashed_as(entry: &Entry) -> [Passage; 2] {
    let [first, second, end] = entry.key;
    [[first, second, end, 0], [0; 4]]
}

impl Floods {
    /// Keeps the entries of a body just remembered. It need not be a member, because few bodies have entries.
    pub(crate) fn keep_entries(&mut self, entries: &[Entry], entering: &mut Entering<'_>) {
        for entry in entries {
            let hashed_as = hashed_as(entry);
            entering.postings.sets.insert(self.by_entry.entry(entry.key), entering.number);
            let hashes = entry.parts.iter().copied().map(fill_key(&hashed_as, entering.hasher));
            hashes.for_each(|hash| entering.insert(hash));
        }
    }

    /// Adds steps that take away the bodies that say something else in two entries.
    pub(super) fn add_steps_by_entries(&self, entries: &[Entry], query: &mut Query<'_>, hasher: FeatureHasher) {
        for entry in entries {
            let Some(set) = self.by_entry.get(&entry.key) else { continue };
            let hashed_as = hashed_as(entry);
            query.take_away_by_two(Half::Entry, *set, |union| {
                entry.parts.iter().copied().map(fill_key(&hashed_as, hasher)).for_each(|hash| union.add_hash(hash));
            });
        }
    }
}
