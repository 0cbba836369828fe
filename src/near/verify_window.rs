//! The window: the last kept messages with their texts, and the repeat rule over them.
//!
//! A new message asks for the earliest kept message that it repeats. If an equal message came before, the answer is already known. A
//! message without bigrams asks the [tiny index](super::tiny_index). For any other message the [overlap engine](super::overlap) offers
//! candidates, and the [rule](crate::rule) judges them.

pub(crate) mod ahead;
mod answers;
mod digest;
mod rest;

#[cfg(any(feature = "cli", feature = "lab"))]
use std::ops::ControlFlow;
use std::ops::Range;

use super::overlap::{Asked, BodyParts, Buffers, Features, Overlap, Scoped};
use super::tiny_index::TinyIndex;
use crate::config::Policy;
use crate::fingerprint::Digest;
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
use ahead::{Ahead, Coming};
pub(crate) use answers::Answer;
use answers::Answers;
#[cfg(feature = "cli")]
pub(crate) use digest::digest;
use rest::{Rests, TokenlessGist};

/// After this many candidates in a row that do not [greet others](greet_others), a search no longer makes this check.
const PATIENCE: u32 = 4;

/// The kept messages of the last positions, and the indexes that find the earliest one that a new message repeats.
pub(crate) struct VerifyWindow {
    length: u64,
    policy: Policy,
    /// `None` while a search uses it.
    searcher: Option<Box<Searcher>>,
    /// The tokens of the messages, and their index.
    overlap: Overlap,
    /// By the numbers of `overlap`: all that is known of its messages besides their tokens.
    rests: Rests,
    /// The messages of fewer than two tokens.
    tiny: TinyIndex,
    answers: Answers,
    ahead: Ahead,
    /// The message that was looked up last. `None` if the next message that is kept may be another.
    in_hand: Option<InHand>,
}

/// The message that was looked up last. If it is kept, part of the work is done already.
#[derive(Clone, Copy)]
struct InHand {
    pos: Pos,
    digest: Digest,
    /// Whether the searcher has the features of the message.
    is_read: bool,
    /// Its number, if it was entered before its turn.
    entered: Option<u64>,
}

/// A message that another one repeats, and its number. The number is 0 if it has fewer than two tokens.
struct Found {
    number: u64,
    answer: Answer,
}

/// A query of a window: a message, and which kept messages count for it.
struct Question<'q> {
    gist: &'q Gist,
    reach: Reach<'q>,
    /// The first position that counts.
    oldest: Pos,
    /// The range of the numbers of the bodies that count.
    among: Range<u64>,
    /// From this number on, messages count that are entered and not yet kept.
    unsettled: u64,
    /// The features of the message, if they are known.
    features: Option<&'q Features>,
}

/// The buffers with which a thread searches a window.
pub(crate) struct Searcher {
    buffers: Buffers,
    verifier: Verifier,
    /// The features of the body that was searched for last.
    features: Features,
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

impl VerifyWindow {
    /// Makes a window over the last `length` positions, for this policy. `memory` limits the bytes that it may take; see [`Overlap::new`].
    pub(crate) fn new(length: u64, policy: Policy, memory: Option<u64>) -> Self {
        let mut window = Self {
            length,
            policy,
            searcher: None,
            overlap: Overlap::new(length, Bounds::of_policy(policy), memory),
            rests: Rests::default(),
            tiny: TinyIndex::new(policy),
            answers: Answers::new(),
            ahead: Ahead::new(),
            in_hand: None,
        };
        // The searcher is made now, so that its memory counts from the beginning.
        window.searcher = Some(Box::new(window.searcher()));
        window
    }

    /// Returns the earliest kept message of the window that counts and that `gist`, at `pos`, repeats. Positions must not fall.
    pub(crate) fn earliest(&mut self, gist: &Gist, pos: Pos, reach: &Reach<'_>) -> Option<Answer> {
        self.forget(reach.floor);
        let oldest = self.expire(pos);
        let counts = |of: Pos| of >= oldest && reach.has(of);
        let own = self.ahead.take(pos);
        let digest = own.as_ref().map_or_else(|| self.answers.digest(gist), |own| own.digest);
        let in_hand = InHand { pos, digest, is_read: false, entered: own.as_ref().and_then(|own| own.entered) };
        self.in_hand = Some(in_hand);
        // Equal gists have the same answer, as long as this message counts and no earlier one does.
        if let Some(known) = self.answers.get(&digest).filter(|known| reach.timely && counts(known.of)) {
            return Some(known);
        }
        let is_answer = |found: &Found| counts(found.answer.of) && self.is_kept(found.number);
        let answer = match own {
            Some(Coming { found: Some(found), .. }) if is_answer(&found) => Some(found.answer),
            Some(Coming { found: None, entered: Some(_), .. }) => None,
            own => {
                let mut searcher = self.lend();
                let from = own.as_ref().map_or(0, |own| self.ahead.unsearched(own));
                let features = own.as_ref().filter(|own| own.entered.is_some()).map(|own| &own.features);
                let question = Question { oldest, among: from..u64::MAX, features, ..Question::of(gist, *reach) };
                let answer = self.search(&mut searcher, &question, |found| Some(found.answer));
                self.searcher = Some(searcher);
                self.in_hand = Some(InHand { is_read: features.is_none(), ..in_hand });
                answer
            }
        };
        if let Some(answer) = answer {
            self.answers.put(digest, answer);
        }
        answer
    }

    /// Returns the earliest kept message of the window that counts and that `gist` repeats. The message of `gist` comes after all others
    /// and is not remembered.
    pub(crate) fn find(&self, searcher: &mut Searcher, gist: &Gist, reach: &Reach<'_>) -> Option<Answer> {
        self.search(searcher, &Question::of(gist, *reach), |found| Some(found.answer))
    }

    /// Calls `each` with the kept messages of the window that `gist`, at `pos`, repeats, by rising position, and the similarity in
    /// thousandths, until `each` returns break. Positions must not fall.
    #[cfg(any(feature = "cli", feature = "lab"))]
    pub(crate) fn each(&mut self, gist: &Gist, pos: Pos, mut each: impl FnMut(Pos, u32) -> ControlFlow<()>) {
        self.expire(pos);
        let mut searcher = self.lend();
        self.in_hand = None;
        self.search(&mut searcher, &Question::of(gist, Reach::ALL), |found| {
            each(found.answer.of, found.answer.similarity).break_value()
        });
        self.searcher = Some(searcher);
    }

    /// Makes the buffers for one more thread.
    pub(crate) fn searcher(&self) -> Searcher {
        Searcher { buffers: Buffers::default(), verifier: Verifier::new(self.policy), features: Features::default() }
    }

    fn lend(&mut self) -> Box<Searcher> {
        self.searcher.take().unwrap_or_else(|| Box::new(self.searcher()))
    }

    /// Calls `take` with each message that the message of the question repeats, by rising position, until it returns something.
    fn search<T>(
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

    /// Forgets the message that was looked up last, because the next one that is kept may be another.
    pub(super) fn look_anew(&mut self) {
        self.in_hand = None;
        self.ahead.clear();
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub(crate) fn remember(&mut self, gist: &Gist, pos: Pos) {
        self.expire(pos);
        let own = self.in_hand.take().filter(|own| own.pos == pos);
        let digest = own.map_or_else(|| self.answers.digest(gist), |own| own.digest);
        self.answers.put(digest, Answer { of: pos, similarity: 1000 });
        if gist.body.list.len() < 2 {
            self.tiny.remember(gist.clone(), pos);
        } else if !self.keep_entered(own.and_then(|own| own.entered)) {
            let mut searcher = self.lend();
            if !own.is_some_and(|own| own.is_read) {
                self.read(gist, &mut searcher.features);
            }
            self.enter(gist, &searcher.features, pos, true);
            self.searcher = Some(searcher);
        }
    }

    /// Reads the features of a message of two tokens or more.
    fn read(&self, gist: &Gist, features: &mut Features) {
        let (items, entries) = match self.policy.has_facts() {
            true => (items(gist.view()), entries(gist.view())),
            false => Default::default(),
        };
        let distinguishing = distinguishing_properties(gist.view(), self.policy);
        self.overlap.reader().read(scoped(gist), &distinguishing, items, entries, features);
    }

    /// Enters a message of two tokens or more with these features. `is_kept` says whether it is kept already.
    fn enter(&mut self, gist: &Gist, features: &Features, pos: Pos, is_kept: bool) {
        self.overlap.enter(scoped(gist), features, pos);
        self.rests.push(TokenlessGist::of(gist, features.counts(), pos, is_kept));
    }

    /// Forgets the messages older than the window at `pos`, and returns the first position in the window.
    fn expire(&mut self, pos: Pos) -> Pos {
        let oldest = Pos(pos.0.saturating_sub(self.length));
        self.forget(oldest);
        self.answers.expire(pos, oldest);
        oldest
    }

    /// Forgets the messages before a position, but not the answers, which expire with the window.
    fn forget(&mut self, before: Pos) {
        self.rests.forget(before);
        self.overlap.forget(before);
        self.tiny.forget(before);
    }

    /// Forgets the messages before a position and about half of the answers, and releases their memory.
    pub(crate) fn release(&mut self, before: Pos) {
        self.forget(before);
        self.rests.shrink();
        self.tiny.shrink();
        self.answers.halve();
    }

    /// How many kept messages of two tokens or more are in the window.
    pub(super) fn len(&self) -> usize {
        self.rests.kept()
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let searchers = self.ahead.crew.iter().chain(self.searcher.as_deref());
        let buffers = searchers.map(|searcher| searcher.buffers.bytes()).sum::<usize>();
        self.overlap.bytes() + buffers + self.answers.bytes() + self.tiny.bytes() + self.rests.bytes()
    }
}

impl<'q> Question<'q> {
    /// Asks for all kept messages that count for a message.
    fn of(gist: &'q Gist, reach: Reach<'q>) -> Self {
        Self { gist, reach, oldest: Pos(0), among: 0..u64::MAX, unsettled: u64::MAX, features: None }
    }
}
