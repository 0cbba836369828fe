//! Collects the pairs that an engine misjudges: counts them by kind, keeps the first of each kind, and reports them with the reason.

use std::collections::BTreeMap;

use super::sample::Sample;
use super::{Misjudged, Told};
use crate::config::Config;
use crate::error::Result;
use crate::explain::Explainer;
use crate::locale::tr;

/// Misjudged pairs of one kind.
#[derive(Default)]
struct Kind {
    count: u64,
    /// The first of the pairs, in order.
    pairs: Vec<(usize, usize)>,
}

/// Misjudged pairs, by whether they are repeats and by group. Several threads may each collect a part. If each sees its pairs in order,
/// the merged result does not depend on how the pairs were split.
pub(super) struct Wrong {
    most: usize,
    kinds: BTreeMap<(bool, Option<u16>), Kind>,
}

impl Wrong {
    /// An empty collection, which keeps at most `most` pairs of each kind.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kinds: BTreeMap::new() }
    }

    /// Counts a pair and keeps it if there is room. Does nothing if no pair is to be kept.
    pub(crate) fn add(&mut self, is_repeat: bool, group: Option<u16>, pair: (usize, usize)) {
        if self.most == 0 {
            return;
        }
        let kind = self.kinds.entry((is_repeat, group)).or_default();
        kind.count += 1;
        if kind.pairs.len() < self.most {
            kind.pairs.push(pair);
        }
    }

    /// Adds the pairs of another collection.
    pub(crate) fn merge(&mut self, other: Self) {
        for (key, Kind { count, pairs }) in other.kinds {
            let kind = self.kinds.entry(key).or_default();
            kind.count += count;
            kind.pairs.extend(pairs);
            kind.pairs.sort_unstable();
            kind.pairs.truncate(self.most);
        }
    }

    /// Returns the pairs for the report, with the reasons that `quchong explain` gives.
    pub(crate) fn explained(self, config: &Config, sample: &Sample) -> Result<Vec<Misjudged>> {
        if self.kinds.is_empty() {
            return Ok(Vec::new());
        }
        let mut explainer = Explainer::new(config)?;
        Ok(self.told_with(sample, |a, b, _| explainer.explain(a, b).reason))
    }

    /// Returns the pairs that a method misjudges. The only reason of a method is that its signatures are alike or not.
    pub(crate) fn told_of_method(self, sample: &Sample) -> Vec<Misjudged> {
        self.told_with(sample, |_, _, is_repeat| match is_repeat {
            true => tr!("the signatures are not alike"),
            false => tr!("the signatures are alike"),
        })
    }

    fn told_with(self, sample: &Sample, mut reason: impl FnMut(&str, &str, bool) -> String) -> Vec<Misjudged> {
        let of_kind = |((is_repeat, group), Kind { count, pairs }): ((bool, Option<u16>), Kind)| {
            let value = group.map_or_else(String::new, |group| sample.groups[usize::from(group)].localised_value());
            let misjudged = |(a, b): (usize, usize)| {
                let [a, b] = [a, b].map(|at| sample.texts[at].clone());
                Told { reason: reason(&a, &b, is_repeat), a, b }
            };
            Misjudged { is_repeat, value, count, pairs: pairs.into_iter().map(misjudged).collect() }
        };
        self.kinds.into_iter().map(of_kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result is the same whether one thread saw all pairs or several saw a part each.
    #[test]
    fn whoever_saw_them() {
        let pairs: Vec<(usize, usize)> = (0..40).flat_map(|a| [(a, a + 1), (a, a + 2)]).collect();
        let kept = |parts: &[&dyn Fn(usize) -> bool]| {
            let mut all = Wrong::new(3);
            for part in parts {
                let mut own = Wrong::new(3);
                for pair in pairs.iter().filter(|pair| part(pair.0)) {
                    own.add(pair.0 % 2 == 0, Some((pair.1 % 3) as u16), *pair);
                }
                all.merge(own);
            }
            all.kinds.into_iter().map(|(key, kind)| (key, kind.count, kind.pairs)).collect::<Vec<_>>()
        };
        let one = kept(&[&|_| true]);
        assert_eq!(one.len(), 6);
        assert_eq!(one.iter().map(|(_, count, _)| count).sum::<u64>(), 80);
        assert!(one.iter().all(|(_, _, pairs)| pairs.len() == 3));
        assert_eq!(one, kept(&[&|a| a % 5 == 4, &|a| a % 5 < 2, &|a| (2..4).contains(&(a % 5))]));
        assert!(kept(&[]).is_empty());
    }
}
