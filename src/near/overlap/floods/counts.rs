//! Numbers: the counts of a body, its numbers between neighbours, and the things that it has only one of.

use std::borrow::Cow;

use super::super::features::{FeatureHasher, bigram_key, count_key, number_key, numbers_key};
use super::super::postings::Entering;
use super::super::query::Query;
use super::Floods;
use crate::rule::bounds::few_counts;
use crate::rule::facts::Count;
use crate::rule::numbers::numbers;
use crate::rule::sole_facts::{Only, only};
use crate::text::tokens::Token;

impl Floods {
    /// Keeps the numbers of a member, and the things that it has [only] one of. Its counts may be `known`.
    pub(super) fn keep_counts(
        &mut self,
        tokens: &[Token],
        known: Option<&[Count]>,
        only: &[Only],
        entering: &mut Entering<'_>,
    ) {
        let hasher = entering.hasher;
        let mut insert = |hash| entering.insert(hash);
        let counts = known.map_or_else(|| Cow::Owned(few_counts(tokens).into_vec()), Cow::Borrowed);
        for count in &*counts {
            insert(number_key(count.number, hasher));
            if let Some(counted) = count.counted {
                insert(count_key(counted, count.number, hasher));
            }
        }
        let numbers = numbers(tokens);
        for own in &numbers {
            own.indexed(tokens, |key, numbers| insert(numbers_key(key, numbers, hasher)));
        }
        for own in only {
            own.marks(tokens).for_each(|mark| insert(numbers_key(&own.key, &mark, hasher)));
        }
        let counted = counts.iter().filter_map(|count| Some([count.counted?, 0, 0, 0]));
        let counted = counted.chain(only.iter().map(|own| own.key));
        for key in counted.chain(numbers.iter().flat_map(|own| own.set_keys(tokens))) {
            entering.postings.sets.insert(self.by_number_key.entry(key), entering.number);
        }
    }

    /// Adds steps that take away the bodies that count the same thing to another number.
    pub(super) fn add_steps_by_counts(&self, counts: &[Count], query: &mut Query<'_>, hasher: FeatureHasher) {
        for (at, count) in counts.iter().enumerate() {
            let Some(counted) = count.counted else { continue };
            let Some(set) = self.by_number_key.get(&[counted, 0, 0, 0]) else { continue };
            if counts[..at].iter().any(|before| before.counted == count.counted) {
                continue;
            }
            let who = query.union_of(|union| union.add_set(*set));
            let named_so = counts.iter().map(|other| count_key(counted, other.number, hasher));
            let named_so = query.union_of(|union| named_so.for_each(|hash| union.add_hash(hash)));
            let numbers = counts.iter().filter(|other| other.counted == Some(counted));
            let having =
                numbers.map(|other| query.union_of(|union| union.add_hash(number_key(other.number, hasher)))).collect();
            query.step(who, named_so, having);
        }
    }

    /// Adds steps that take away the bodies with other numbers between the same neighbours. `ends_freely` says whether letters at the end
    /// may be random.
    pub(super) fn add_steps_by_numbers(
        &self,
        tokens: &[Token],
        ends_freely: bool,
        query: &mut Query<'_>,
        hasher: FeatureHasher,
    ) {
        for own in numbers(tokens).iter().filter(|own| !own.may_be_random(tokens, || ends_freely)) {
            if let Some(set) = self.by_number_key.get(&own.key) {
                query.take_away(*set, |union| {
                    own.alike(tokens, |key, numbers| union.add_hash(numbers_key(key, numbers, hasher)));
                });
            }
            if let Some(set) = own.of_other_kind(tokens).and_then(|key| self.by_number_key.get(&key)) {
                query.take_away(*set, |union| {
                    own.alike_of_other_kind(tokens, |key, numbers| union.add_hash(numbers_key(key, numbers, hasher)));
                });
            }
        }
    }

    /// Adds steps that take away the bodies with another thing of a kind that a body has only one of.
    pub(super) fn add_steps_by_only(&self, tokens: &[Token], query: &mut Query<'_>, hasher: FeatureHasher) {
        for own in only(tokens) {
            let Some(set) = self.by_number_key.get(&own.key) else { continue };
            query.take_away(*set, |union| {
                own.marks_and_other_names(tokens).for_each(|mark| union.add_hash(numbers_key(&own.key, &mark, hasher)));
                own.beginning(tokens).into_iter().for_each(|name| union.add_hash(bigram_key(name, hasher)));
            });
        }
    }
}
