//! Decides which bodies are members. The keys of members are kept, because many bodies share their runs.

use super::super::features::Feature;
use super::super::postings::Postings;
use crate::rule::bounds::{Bounds, LONG};
use crate::text::tokens::{Token, is_word};

/// Whether the fills of a body's slots may distinguish it. In a short body, only fills with words of letters do.
pub(super) fn has_slots(tokens: &[Token], bounds: &Bounds) -> bool {
    (bounds.slots || bounds.counts) && tokens.len() >= LONG
        || bounds.counts && tokens.iter().any(|token| is_word(*token))
}

/// How many tokens of a body must be in runs that are sets: as many as a body needs that is a quarter shorter, since it may be compared.
pub(super) fn least_of_member(len: usize, bounds: &Bounds) -> usize {
    bounds.least_in_runs((len - len / 4).max(LONG))
}

/// The largest set of a body's runs, if at least `least` tokens are in runs that are sets.
pub(super) fn in_sets(runs: &[Feature], least: usize, postings: &Postings) -> Option<u32> {
    let (mut count, mut end, mut longest) = (0, 0, None);
    for run in runs {
        if let Some(set) = postings.set(postings.slot(run.hash)) {
            count += run.end - run.start.max(end);
            end = run.end;
            let is_longer = |other: &u32| postings.sets.get(set).len() > postings.sets.get(*other).len();
            if longest.as_ref().is_none_or(is_longer) {
                longest = Some(set);
            }
        }
    }
    longest.filter(|_| count as usize >= least)
}
