//! A histogram along a line of unknown length, in little memory.

use std::collections::BTreeMap;

/// Most stretches of a histogram.
pub(crate) const MOST: u64 = 128;

/// Counts of `N` kinds along a line, in at most [`MOST`] stretches of one width. If a place lies beyond them, the width
/// doubles and neighbours are joined. The result depends only on the places, not on their order.
#[derive(Debug, Clone)]
pub(crate) struct Course<const N: usize> {
    width: u64,
    counts: BTreeMap<i64, [u64; N]>,
}

impl<const N: usize> Default for Course<N> {
    fn default() -> Self {
        Self { width: 1, counts: BTreeMap::new() }
    }
}

impl<const N: usize> Course<N> {
    /// Adds `count` for a kind, 0 to `N` - 1, at a place.
    pub(crate) fn add(&mut self, at: i64, kind: usize, count: u64) {
        loop {
            let stretch = at.div_euclid(self.width as i64);
            let first = self.counts.first_key_value().map_or(stretch, |(first, _)| stretch.min(*first));
            let last = self.counts.last_key_value().map_or(stretch, |(last, _)| stretch.max(*last));
            if first.abs_diff(last) < MOST {
                self.counts.entry(stretch).or_insert([0; N])[kind] += count;
                return;
            }
            self.width *= 2;
            for (stretch, counts) in std::mem::take(&mut self.counts) {
                let joined = self.counts.entry(stretch.div_euclid(2)).or_insert([0; N]);
                joined.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        }
    }

    /// The length of a stretch.
    pub(crate) fn width(&self) -> u64 {
        self.width
    }

    /// The start and the counts of each stretch, from the first to the last, including empty ones.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (i64, [u64; N])> + '_ {
        let first = self.counts.first_key_value().map_or(0, |(first, _)| *first);
        let end = self.counts.last_key_value().map_or(first, |(last, _)| last + 1);
        let counts = |stretch| self.counts.get(&stretch).copied().unwrap_or([0; N]);
        (first..end).map(move |stretch| (stretch * self.width as i64, counts(stretch)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_count_is_in_its_stretch(places in prop::collection::vec((-5000_i64..2_000_000, 0_usize..2), 1..200)) {
            let mut course = Course::<2>::default();
            places.iter().for_each(|(at, kind)| course.add(*at, *kind, 3));
            let width = course.width() as i64;
            let found: Vec<_> = course.stretches().collect();
            prop_assert!(found.len() as u64 <= MOST);
            for (start, counts) in &found {
                for (kind, count) in counts.iter().enumerate() {
                    let here = |at: i64| (*start..start + width).contains(&at);
                    let expected = places.iter().filter(|(at, of)| here(*at) && *of == kind).count() as u64 * 3;
                    prop_assert_eq!(*count, expected);
                }
            }
            let all: u64 = found.iter().flat_map(|(_, counts)| counts).sum();
            prop_assert_eq!(all, places.len() as u64 * 3);
            let mut backwards = Course::<2>::default();
            places.iter().rev().for_each(|(at, kind)| backwards.add(*at, *kind, 3));
            prop_assert!(backwards.stretches().eq(found));
        }
    }

    #[test]
    fn nothing_is_no_stretch() {
        assert_eq!(Course::<1>::default().stretches().count(), 0);
    }
}
