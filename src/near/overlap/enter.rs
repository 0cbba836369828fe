//! How a body enters the index.

use super::features::{Feature, class};
use super::postings::Entering;
use super::short_floods::{self, ShortFloods};
use super::{Features, Overlap, Scoped};
use crate::record::Pos;

impl Overlap {
    /// Keeps a body of fewer than 2^31 tokens, with these features. Forgets nothing. Positions must rise from body to body. Bodies of fewer
    /// than two tokens can be nobody's partner, but may be kept, so that the numbers agree with the caller's. Returns the body's number.
    pub(crate) fn enter(&mut self, body: Scoped<'_>, features: &Features, pos: Pos) -> u64 {
        let whole = self.bodies.next();
        // Numbers wrap round in the lists, but no list keeps a number for so long.
        let (number, oldest) = (whole as u32, self.bodies.oldest() as u32);
        let (short, long) = features.split();
        self.since.iter_mut().for_each(|(_, gate)| gate.note(&features.all));
        // All prefetches come at once, so that their cache misses overlap.
        features.all.iter().for_each(|feature| self.postings.prefetch(self.postings.slot(feature.hash)));
        let least_sharing = short_floods::least_sharing(self.bodies.len());
        let is_of_flood = self.is_of_short_flood(body, features, least_sharing);
        self.post(if is_of_flood { &[] } else { short }, long, number, oldest);
        self.bodies.push(body, &features.hashes, pos);
        if !features.items.is_empty() {
            self.floods.lists.remember(number);
        }
        if is_of_flood {
            self.join_short_flood(body, features, least_sharing, number, oldest);
        }
        let hasher = self.hasher.within(body.scope);
        let mut entering = Entering { number, oldest, hasher, postings: &mut self.postings };
        self.floods.equals.remember(&features.distinguishing, &mut entering);
        self.floods.remember(body.tokens, number, features, entering.postings, &self.bodies);
        self.floods.keep_entries(&features.entries, &mut entering);
        self.floods.catch_up(&mut self.postings, &self.bodies);
        self.sweep(number, oldest);
        whole
    }

    /// Whether a short body is in a flood. Either at least `least_sharing` kept bodies have the same tokens and something that may
    /// distinguish them, or at least `least_sharing` bodies have most of its bigrams.
    fn is_of_short_flood(
        &self,
        Scoped { tokens, scope }: Scoped<'_>,
        features: &Features,
        least_sharing: usize,
    ) -> bool {
        let (short, _) = features.split();
        let key = short_floods::key(tokens, class(tokens.len()), self.hasher.within(scope));
        !short.is_empty() && self.floods.equals.count(&features.distinguishing, &self.postings.sets) >= least_sharing
            || self.short_floods.has(tokens, short, least_sharing, key, &self.bounds, &self.postings)
    }

    /// Adds a body to the lists of its bigrams, and to those of its runs, which may become sets. Their slots should be prefetched.
    fn post(&mut self, bigrams: &[Feature], runs: &[Feature], number: u32, oldest: u32) {
        for features in [bigrams, runs] {
            features.iter().for_each(|feature| self.postings.prefetch_end(self.postings.slot(feature.hash)));
        }
        for (features, may_be_set) in [(bigrams, false), (runs, true)] {
            for feature in features {
                self.postings.push(self.postings.slot(feature.hash), number, oldest, may_be_set);
            }
        }
    }

    /// Makes keys of the bigrams of a body of a short flood. It becomes a member, and so do the bodies that came before the flood was known.
    fn join_short_flood(
        &mut self,
        body: Scoped<'_>,
        features: &Features,
        least_sharing: usize,
        number: u32,
        oldest: u32,
    ) {
        let (Scoped { tokens, scope }, (bigrams, _)) = (body, features.split());
        let key = short_floods::key(tokens, class(tokens.len()), self.hasher.within(scope));
        let earlier = ShortFloods::earlier(bigrams, least_sharing, &key, &self.postings, oldest).to_vec();
        self.short_floods.note(bigrams);
        bigrams.iter().for_each(|bigram| self.postings.insert(key(bigram), number, oldest));
        self.floods.join_after(&earlier, (number, features), &mut self.postings, &self.bodies);
    }

    /// Drops some numbers older than `oldest`. `number` is that of the body entered last.
    fn sweep(&mut self, number: u32, oldest: u32) {
        self.floods.sweep(oldest, &mut self.postings);
        self.short_floods.sweep(oldest, number);
        if self.bodies.oldest() > 0 {
            self.postings.sweep(self.postings.slots().div_ceil(self.window as usize), oldest);
        }
    }
}
