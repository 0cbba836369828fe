//! Comments on reposts: a body that covers no token of a stretch of the comment is ruled out.

use super::super::features::{FeatureHasher, bigram_key};
use super::super::query::Query;
use super::Floods;
use crate::rule::bounds::COMMENT;
use crate::text::tokens::Token;

impl Floods {
    /// Adds a step that takes away all bodies that share no bigram with a stretch of the comment. Of all stretches, it uses the one with
    /// the rarest bigrams.
    pub(super) fn add_steps_by_comment(
        &self,
        tokens: &[Token],
        commented: usize,
        query: &mut Query<'_>,
        hasher: FeatureHasher,
    ) {
        let Some(all) = self.with_bigrams.filter(|_| commented >= COMMENT) else { return };
        let postings = query.postings;
        let keys =
            tokens[..commented + 1].windows(2).map(|two| postings.key(bigram_key(two, hasher))).collect::<Vec<_>>();
        let around = |start: usize| &keys[start.saturating_sub(1)..start + COMMENT];
        let shared = |start: &usize| around(*start).iter().map(|key| postings.count(*key)).sum::<usize>();
        let Some(rarest) = (0..=commented - COMMENT).min_by_key(shared) else { return };
        query.take_away(all, |union| around(rarest).iter().for_each(|key| union.add_key(*key)));
    }
}
