//! The index of a window: it finds the kept messages that a message repeats, for many threads at once.

use std::ops::Range;

use super::answers::Answer;
use super::rest::{Rests, TokenlessGist};
use crate::config::Policy;
use crate::near::overlap::{Asked, BodyParts, Buffers, Features, Overlap, Scoped};
use crate::near::tiny_index::TinyIndex;
use crate::prefetch::prefetch;
use crate::reach::Reach;
use crate::record::Pos;
use crate::rule::bounds::{Bounds, LONG, commented};
use crate::rule::equal_bodies::distinguishing_properties;
use crate::rule::facts::{counts_differ, ending, ends_freely};
use crate::rule::list_entries::entries;
use crate::rule::list_items::items;
use crate::rule::{Decision, Verifier, greet_others};
use crate::text::tokens::{View, character};
use crate::text::{Gist, GistView};

/// After this many candidates in a row that do not [greet others](greet_others), a search no longer makes this check.
const PATIENCE: u32 = 4;

/// The kept messages, and those that were entered before their turn.
pub(super) struct Index {
    policy: Policy,
    /// The tokens of the messages, and their index.
    pub(super) overlap: Overlap,
    /// By the numbers of `overlap`: all that is known of its messages besides their tokens.
    pub(super) rests: Rests,
    /// The messages of fewer than two tokens.
    tiny: TinyIndex,
}

/// A message that another one repeats, and its number. The number is 0 if it has fewer than two tokens.
pub(super) struct Found {
    pub(super) number: u64,
    pub(super) answer: Answer,
}

/// A query of an index: a message, and which messages count for it.
pub(super) struct Question<'q> {
    pub(super) gist: &'q Gist,
    pub(super) reach: Reach<'q>,
    /// The first position that counts.
    pub(super) oldest: Pos,
    /// The range of the numbers of the bodies that count.
    pub(super) among: Range<u64>,
    /// From this number on, messages count that are entered and not yet kept.
    pub(super) unsettled: u64,
    /// The features of the message, if they are known.
    pub(super) features: Option<&'q Features>,
}

/// The buffers with which a thread searches a window.
pub(crate) struct Searcher {
    pub(super) buffers: Buffers,
    verifier: Verifier,
    /// The features of the body that was searched for last, if they were not known before.
    pub(super) features: Features,
}

/// Returns the body of a message, as the index sees it.
fn scoped(gist: &Gist) -> Scoped<'_> {
    Scoped { tokens: &gist.body.list, scope: gist.scope }
}

/// Returns how the rule reads parts of the body of a message.
fn parts(gist: GistView<'_>) -> BodyParts {
    let list = gist.body.list;
    let has_letters = list.last().is_some_and(|last| character(*last).is_none());
    let is_long = list.len() >= LONG;
    BodyParts {
        ending: if is_long { ending(gist) } else { 0 },
        commented: if is_long { commented(gist) } else { 0 },
        ends_freely: has_letters && ends_freely(gist),
    }
}

impl Index {
    /// Makes an empty index over the last `length` positions, for this policy. `memory` limits the bytes that it may take; see
    /// [`Overlap::new`].
    pub(super) fn new(length: u64, policy: Policy, memory: Option<u64>) -> Self {
        Self {
            policy,
            overlap: Overlap::new(length, Bounds::of_policy(policy), memory),
            rests: Rests::default(),
            tiny: TinyIndex::new(policy),
        }
    }

    /// Makes the buffers for one more thread.
    pub(super) fn searcher(&self) -> Searcher {
        Searcher { buffers: Buffers::default(), verifier: Verifier::new(self.policy), features: Features::default() }
    }

    /// Calls `take` with each message that the message of the question repeats, by rising position, until it returns something.
    pub(super) fn search<T>(
        &self,
        searcher: &mut Searcher,
        Question { gist, reach, oldest, among, unsettled, features: known }: &Question<'_>,
        mut take: impl FnMut(Found) -> Option<T>,
    ) -> Option<T> {
        let Searcher { buffers, verifier, features } = searcher;
        let (mut unread, mut later, mut patience) = (Some(verifier), None, PATIENCE);
        let mut decide = |number: u64, of: Pos, kept: GistView<'_>| {
            if patience > 0 {
                if greet_others(self.policy, kept, gist.view()) {
                    patience = PATIENCE;
                    return None;
                }
                patience -= 1;
            }
            let later = match &mut later {
                Some(later) => later,
                none => none.insert(unread.take()?.read(gist.view())),
            };
            let similarity = match later.decide(kept) {
                Decision::Equal => 1000,
                Decision::Near { similarity, .. } | Decision::Inside { share: similarity, .. } => similarity,
                Decision::No(_) => return None,
            };
            take(Found { number, answer: Answer { of, similarity } })
        };
        if gist.body.list.len() < 2 {
            self.tiny.find(gist, |(of, kept)| {
                let counts = kept.scope == gist.scope && reach.has(of);
                if counts { decide(0, of, kept.view()) } else { None }
            })
        } else {
            let (rests, bounds) = (&self.rests, self.overlap.bounds());
            let length = gist.body.list.len();
            let least = |kept| bounds.least_covered(kept, length);
            let features = known.unwrap_or_else(|| {
                self.read(gist, features);
                features
            });
            let asked = Asked { body: scoped(gist), features, parts: &|| parts(gist.view()) };
            let coming = |number| {
                if let Some(rest) = rests.get(number) {
                    prefetch(&rest.is_kept);
                    prefetch(&rest.counts);
                }
            };
            self.overlap.search(buffers, asked, among.clone(), least, coming, |candidate| {
                let rest = rests.get(candidate.number)?;
                let counts = rest.is_kept || candidate.number >= *unsettled;
                if !counts || rest.pos < *oldest || !reach.has(rest.pos) {
                    return None;
                }
                if !rest.counts.is_empty() && counts_differ(&rest.counts, features.counts()).is_some() {
                    return None;
                }
                let body = View { list: candidate.tokens, digits: &rest.digits, spellings: &rest.spellings };
                let TokenlessGist { topics, comment_tokens, breaks, signs, .. } = rest;
                decide(
                    candidate.number,
                    rest.pos,
                    GistView { body, topics, comment_tokens: *comment_tokens, breaks, signs },
                )
            })
        }
    }

    /// Returns the earliest message that the message of the question repeats.
    pub(super) fn find_first(&self, searcher: &mut Searcher, question: &Question<'_>) -> Option<Found> {
        self.search(searcher, question, Some)
    }

    /// Reads the features of a message of two tokens or more.
    pub(super) fn read(&self, gist: &Gist, features: &mut Features) {
        let (items, entries) = match self.policy.has_facts() {
            true => (items(gist.view()), entries(gist.view())),
            false => Default::default(),
        };
        let distinguishing = distinguishing_properties(gist.view(), self.policy);
        self.overlap.reader().read(scoped(gist), &distinguishing, items, entries, features);
    }

    /// Enters a message of two tokens or more with these features. `is_kept` says whether it is kept already. Returns its number.
    pub(super) fn enter(&mut self, gist: &Gist, features: &Features, pos: Pos, is_kept: bool) -> u64 {
        self.rests.push(TokenlessGist::of(gist, features.counts(), pos, is_kept));
        self.overlap.enter(scoped(gist), features, pos)
    }

    /// Keeps a message of fewer than two tokens.
    pub(super) fn keep_tiny(&mut self, gist: &Gist, pos: Pos) {
        self.tiny.remember(gist.clone(), pos);
    }

    /// Whether the message entered under a number is kept.
    pub(super) fn is_kept(&self, number: u64) -> bool {
        self.rests.get(number).is_some_and(|rest| rest.is_kept)
    }

    /// Forgets the messages before a position.
    pub(super) fn forget(&mut self, before: Pos) {
        self.rests.forget(before);
        self.overlap.forget(before);
        self.tiny.forget(before);
    }

    /// Releases the memory of forgotten messages.
    pub(super) fn shrink(&mut self) {
        self.rests.shrink();
        self.tiny.shrink();
    }

    /// Heap bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.overlap.bytes() + self.tiny.bytes() + self.rests.bytes()
    }
}

impl<'q> Question<'q> {
    /// Asks for all kept messages that count for a message.
    pub(super) fn of(gist: &'q Gist, reach: Reach<'q>) -> Self {
        Self { gist, reach, oldest: Pos(0), among: 0..u64::MAX, unsettled: u64::MAX, features: None }
    }
}
