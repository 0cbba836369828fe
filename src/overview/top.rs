//! The most frequent keys in bounded memory: Space-Saving (Metwally, Agrawal & El Abbadi 2005, "Efficient computation of
//! frequent and top-k elements in data streams").

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Counts of the most frequent keys, each with a value.
#[derive(Debug, Clone)]
pub(crate) struct Top<V> {
    most: usize,
    counted: BTreeMap<u64, Counted<V>>,
    /// The same keys ordered by count. The first is removed when room is needed.
    order: BTreeSet<(u64, Reverse<u64>)>,
}

/// A key's count and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted<V> {
    /// The estimated count. The true count is at least `count - error` and at most `count`.
    pub(crate) count: u64,
    /// The count taken over from the key that this one replaced; 0 if there was room.
    pub(crate) error: u64,
    /// The value made by the latest addition.
    pub(crate) value: V,
}

impl<V> Top<V> {
    /// Counts at most `most` keys, 1 or more. Counts are exact until more than `most` different keys have come. After n additions,
    /// no error exceeds n / `most`, and every key that was added more than n / `most` times is present.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, counted: BTreeMap::new(), order: BTreeSet::new() }
    }

    /// Adds a key once, in time logarithmic in the number of keys. `value` makes the key's new value from its old one, if it has
    /// one. Returns the key's count.
    pub(crate) fn add(&mut self, key: u64, value: impl FnOnce(Option<&V>) -> V) -> u64 {
        let value = value(self.counted.get(&key).map(|known| &known.value));
        let before = self.counted.get(&key).map(|known| (known.count, known.error));
        let (count, error) = before.unwrap_or_else(|| {
            let rarest = if self.counted.len() < self.most { None } else { self.order.pop_first() };
            rarest.map_or((0, 0), |(count, Reverse(gone))| {
                self.counted.remove(&gone);
                (count, count)
            })
        });
        self.order.remove(&(count, Reverse(key)));
        self.order.insert((count + 1, Reverse(key)));
        self.counted.insert(key, Counted { count: count + 1, error, value });
        count + 1
    }

    /// The keys with the largest counts, at most `number`, in falling order. Of equal counts, the smaller key comes first.
    pub(crate) fn largest(&self, number: usize) -> impl Iterator<Item = &Counted<V>> {
        self.order.iter().rev().take(number).filter_map(|(_, Reverse(key))| self.counted.get(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_are_within_their_error(keys in prop::collection::vec(0_u64..40, 1..400), most in 1_usize..50) {
            let mut top = Top::new(most);
            let mut truth = BTreeMap::<u64, u64>::new();
            for key in &keys {
                top.add(*key, |_| *key);
                *truth.entry(*key).or_default() += 1;
            }
            let found: Vec<_> = top.largest(most).collect();
            prop_assert!(found.is_sorted_by(|a, b| a.count >= b.count) && found.len() == truth.len().min(most));
            for counted in &found {
                let count = truth[&counted.value];
                prop_assert!(counted.count - counted.error <= count && count <= counted.count);
                prop_assert!(counted.error <= (keys.len() / most) as u64);
                prop_assert!(truth.len() > most || counted.error == 0);
            }
            let frequent = truth.iter().filter(|(_, count)| **count > (keys.len() / most) as u64);
            for (key, _) in frequent {
                prop_assert!(found.iter().any(|counted| counted.value == *key));
            }
        }
    }
}
