//! A map whose entries are checked a few at a time, so that no message waits until all old ones have gone.

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
    /// How many entries a call checks at least in this pass.
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

    /// Checks the next few entries, and drops those that `keep` refuses. A pass over all entries takes about `calls` calls, also while the
    /// map grows. With 1 call, all entries are checked.
    pub(crate) fn sweep(&mut self, calls: usize, mut keep: impl FnMut(&mut V) -> bool) {
        if calls == 1 {
            self.entries.retain(|_, value| keep(value));
            (self.next, self.step) = (0, 0);
            return;
        }
        // The step must not shrink with the map, nor stay behind if the map grows during a pass.
        self.step = self.step.max(self.entries.len().div_ceil(calls));
        for _ in 0..self.step {
            match self.entries.get_index_mut(self.next).map(|(_, value)| keep(value)) {
                Some(true) => self.next += 1,
                // The last entry takes the place of the dropped one, and is checked next.
                Some(false) => drop(self.entries.swap_remove_index(self.next)),
                None => {
                    (self.next, self.step) = (0, 0);
                    return;
                }
            }
        }
    }

    /// Heap bytes in use, without those that the entries own: an entry with its hash, and its place in the table with one extra byte. The
    /// table keeps one of eight places free.
    pub(crate) fn bytes(&self) -> usize {
        let capacity = self.entries.capacity();
        capacity * size_of::<(u64, K, V)>() + capacity * (size_of::<usize>() + 1) * 8 / 7
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry counts for 50 calls, and a pass takes 100 calls, or up to twice as many if the map grows.
    #[test]
    fn old_entries_go_however_many_come() {
        for new in [0, 1, 3, 10] {
            let mut map = SweptMap::default();
            for key in 0..1000 {
                map.insert((0, key), 0);
            }
            for call in 1..=3000 {
                map.sweep(100, |born| *born + 50 > call);
                for key in 0..new {
                    map.insert((call, key), call);
                }
                let len = map.values().count();
                assert!(call < 400 || len <= 250 * new, "{new} new entries with each call: {len} at call {call}");
            }
            assert!(map.get(&(0, 7)).is_none());
            map.sweep(1, |_| false);
            assert!(map.is_empty());
        }
    }
}
