//! A map whose entries are checked a few at a time, so that old ones go and no message waits for all of them.

use std::hash::Hash;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

/// A map from keys to values, of which [`sweep`](Self::sweep) drops those that are no longer needed. Nobody iterates it for output.
#[derive(Debug)]
pub(crate) struct SweptMap<K, V> {
    entries: IndexMap<K, V, RandomState>,
    /// The entry that is checked next.
    next: usize,
    /// How many entries a call checks in this pass.
    step: usize,
}

impl<K, V> Default for SweptMap<K, V> {
    fn default() -> Self {
        Self { entries: IndexMap::default(), next: 0, step: 0 }
    }
}

impl<K: Hash + Eq, V> SweptMap<K, V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key)
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        self.entries.entry(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.entries.insert(key, value);
    }

    /// Iterates over the entries, in no useful order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values()
    }

    /// Checks the next few entries, and drops those that `keep` refuses. A pass over all entries takes about `calls` calls, 1 or more.
    pub(crate) fn sweep(&mut self, calls: usize, mut keep: impl FnMut(&mut V) -> bool) {
        // A pass begins.
        if self.next == 0 || self.next >= self.entries.len() {
            (self.next, self.step) = (0, self.entries.len().div_ceil(calls));
        }
        for _ in 0..self.step {
            match self.entries.get_index_mut(self.next).map(|(_, value)| keep(value)) {
                Some(true) => self.next += 1,
                // The last entry takes the place of the dropped one, and is checked next.
                Some(false) => drop(self.entries.swap_remove_index(self.next)),
                None => return,
            }
        }
    }

    /// Heap bytes in use, without those that the entries own: an entry, its hash, and its place in the table with one extra byte. The table
    /// keeps one of eight places free.
    pub(crate) fn bytes(&self) -> usize {
        let entry = size_of::<(K, V)>() + size_of::<u64>();
        self.entries.capacity() * (entry + (size_of::<usize>() + 1) * 8 / 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_checks_every_entry_that_was_there() {
        let mut map = SweptMap::default();
        for number in 0..100 {
            map.insert(number, number);
        }
        for call in 0..12 {
            map.sweep(10, |value| *value % 3 > 0);
            // Keys that come during a pass may have to wait for the next one.
            map.insert(1000 + 3 * call, 0);
        }
        assert!((0..100).all(|number| map.get(&number).is_some() == (number % 3 > 0)));
        for _ in 0..20 {
            map.sweep(10, |value| *value % 3 > 0);
        }
        assert_eq!(map.values().count(), 66);
        for _ in 0..66 {
            map.sweep(10, |_| false);
        }
        assert!(map.is_empty());
    }
}
