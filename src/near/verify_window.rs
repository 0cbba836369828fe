//! The window: the last kept messages themselves, and the repeat rule over them.
//!
//! A new message asks for the earliest kept one that it repeats. If an equal one came before, the answer is known. A message without
//! bigrams asks the [topic index](super::topic_index). For any other the [overlap engine](super::overlap) offers candidates, and the
//! [rule](super::verify) judges them.

pub(crate) mod ahead;
mod digest;
mod rest;

use std::cell::LazyCell;
use std::collections::{HashMap, VecDeque};
#[cfg(any(feature = "cli", feature = "lab"))]
use std::ops::ControlFlow;
use std::ops::Range;

use crate::hash::HashMap as FastMap;

use super::bounds::{LONG, commented, few_counts};
use super::entries::entries;
use super::equal::told;
use super::listed::items;
use super::overlap::{BodyParts, Features, Hand, Overlap};
use super::thresholds::{least_covered, necessary};
use super::topic_index::TopicIndex;
use super::verify::{Decision, Verifier, greet_others};
use crate::config::Policy;
use crate::fingerprint::{Digest, random_seed};
use crate::prefetch::prefetch;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::facts::{counts_differ, ending, ends_freely};
use crate::text::tokens::{View, character};
use crate::text::{Gist, GistView};
use ahead::Coming;
pub(crate) use digest::digest;
use rest::Rest;

/// After so many candidates that do not [greet others](greet_others), a search no longer asks it of the next ones.
const PATIENCE: u32 = 4;

/// The kept messages of the last positions, and what finds the earliest that a new one repeats.
pub(crate) struct VerifyWindow {
    length: u64,
    policy: Policy,
    /// Lent out for the length of a search.
    searcher: Option<Box<Searcher>>,
    overlap: Overlap,
    /// By the numbers of `overlap`, which has the tokens: what else is known of its messages.
    rests: VecDeque<Rest>,
    /// Bytes that are behind the boxes of `rests`.
    boxed: usize,
    /// The number of the first of `rests`.
    first: u64,
    /// How many of `rests` are of kept messages.
    kept: usize,
    /// The messages that were searched for before their turn, in order.
    coming: VecDeque<Coming>,
    /// What the other threads search with.
    crew: Vec<Searcher>,
    /// The number of the first message that was entered or kept after the search for `coming`.
    since: u64,
    /// Whether all that was kept before it was searched for them.
    is_searched: bool,
    /// So many batches more are entered before their turn.
    to_enter: u32,
    /// Of the batch: how many messages were asked about before their turn, and how many were kept.
    looked_at: [usize; 2],
    by_topic: TopicIndex,
    /// Gist to the kept message that it is, or repeats, and their similarity: many real posts are answered here. Two generations, so that
    /// what is older than the window goes without a search: a lost entry costs time only.
    known: [FastMap<Digest, (Pos, u32)>; 2],
    /// The hash key of the digests in `known`.
    key: u64,
    /// Where the younger generation began.
    turned: Pos,
    /// The message that was looked for last, and its digest.
    last: (Pos, Digest),
    /// Whether the searcher has read it.
    is_read: bool,
    /// Its number, if it was entered before its turn.
    entered: Option<u64>,
}

/// A query of a window: a message, and which kept messages count for it.
struct Question<'q> {
    gist: &'q Gist,
    reach: Reach<'q>,
    /// The first position that counts.
    oldest: Pos,
    /// The range of the numbers of the bodies that count.
    among: Range<u64>,
    /// From this number on, messages that are entered and not yet kept count, too.
    unsettled: u64,
    /// The features of the message, if they are known.
    features: Option<&'q Features>,
}

/// The buffers with which a thread searches a window.
pub(crate) struct Searcher {
    hand: Hand,
    verifier: Verifier,
    /// Of the body that was searched for last.
    features: Features,
}

/// Makes room for one more, and for an eighth beyond. A vector that doubles would have up to half of its memory empty, and ask for it at
/// once.
pub(super) fn make_room<T>(queue: &mut VecDeque<T>) {
    if queue.len() == queue.capacity() {
        queue.reserve_exact((queue.len() / 8).max(32));
    }
}

impl VerifyWindow {
    /// A window over the last `length` positions, for this policy.
    /// `memory` limits what it may take, in bytes; see [`Overlap::new`].
    pub(crate) fn new(length: u64, policy: Policy, memory: Option<u64>) -> Self {
        let mut window = Self {
            length,
            policy,
            searcher: None,
            overlap: Overlap::new(length, necessary(policy), memory),
            rests: VecDeque::new(),
            boxed: 0,
            first: 0,
            kept: 0,
            coming: VecDeque::new(),
            crew: Vec::new(),
            since: 0,
            is_searched: true,
            to_enter: 0,
            looked_at: [0; 2],
            by_topic: TopicIndex::default(),
            known: Default::default(),
            key: random_seed(),
            turned: Pos(0),
            last: (Pos(u64::MAX), Digest(0)),
            is_read: false,
            entered: None,
        };
        // Its memory counts from the beginning.
        window.searcher = Some(Box::new(window.searcher()));
        window
    }

    /// The earliest kept message of the window that counts and that `gist`, at `pos`, repeats, and the similarity in
    /// thousandths. Positions must not fall.
    pub(crate) fn earliest(&mut self, gist: &Gist, pos: Pos, reach: &Reach<'_>) -> Option<(Pos, u32)> {
        self.forget(reach.floor);
        let oldest = self.expire(pos);
        let counts = |of: Pos| of >= oldest && reach.has(of);
        let own = self.own(pos);
        let digest = own.as_ref().map_or_else(|| digest(gist, self.key), |own| own.digest);
        (self.last, self.is_read) = ((pos, digest), false);
        self.entered = own.as_ref().and_then(|own| own.entered);
        // Equal gists have equal answers as long as the earliest counts and nothing earlier does.
        if let Some(&known) = self.known(&digest).filter(|(of, _)| reach.timely && counts(*of)) {
            return Some(known);
        }
        let found = match own {
            Some(Coming { found: Some((number, found)), .. }) if counts(found.0) && self.is_kept(number) => Some(found),
            Some(Coming { found: None, entered: Some(_), .. }) => None,
            own => {
                let mut searcher = self.lend();
                // What was kept before the batch was searched, unless that is what was found and does not count.
                let is_searched = |own: Coming| own.found.is_none_or(|(number, _)| number >= self.since);
                let from = if own.is_some_and(is_searched) { self.since } else { 0 };
                let question = Question { oldest, among: from..u64::MAX, ..Question::of(gist, *reach) };
                let found = self.search(&mut searcher, &question, |_, found| Some(found));
                (self.searcher, self.is_read) = (Some(searcher), true);
                found
            }
        };
        if let Some(found) = found {
            self.known[0].insert(digest, found);
        }
        found
    }

    /// The earliest kept message of the window that counts and that `gist` repeats, and the similarity, for a message that comes after all
    /// others and is remembered nowhere.
    pub(crate) fn find(&self, searcher: &mut Searcher, gist: &Gist, reach: &Reach<'_>) -> Option<(Pos, u32)> {
        self.search(searcher, &Question::of(gist, *reach), |_, found| Some(found))
    }

    /// Calls `each` with the kept messages of the window that `gist`, at `pos`, repeats, by rising position, and the similarity
    /// in thousandths, until it says break. Positions must not fall.
    #[cfg(any(feature = "cli", feature = "lab"))]
    pub(crate) fn each(&mut self, gist: &Gist, pos: Pos, mut each: impl FnMut(Pos, u32) -> ControlFlow<()>) {
        self.expire(pos);
        let mut searcher = self.lend();
        self.is_read = false;
        self.search(&mut searcher, &Question::of(gist, Reach::ALL), |_, (of, similarity)| {
            each(of, similarity).break_value()
        });
        self.searcher = Some(searcher);
    }

    /// The buffers for one more thread.
    pub(crate) fn searcher(&self) -> Searcher {
        Searcher { hand: Hand::new(), verifier: Verifier::new(self.policy), features: Features::default() }
    }

    fn lend(&mut self) -> Box<Searcher> {
        self.searcher.take().unwrap_or_else(|| Box::new(self.searcher()))
    }

    /// What is known of gists with this digest.
    fn known(&self, digest: &Digest) -> Option<&(Pos, u32)> {
        self.known.iter().find_map(|generation| generation.get(digest))
    }

    /// Hands the messages that the one asked about repeats to `take`, by rising position, until it gives something back: the number of
    /// each, where it has two tokens or more, its position, and the similarity.
    fn search<T>(
        &self,
        searcher: &mut Searcher,
        Question { gist, reach, oldest, among, unsettled, features: known }: &Question<'_>,
        mut take: impl FnMut(u64, (Pos, u32)) -> Option<T>,
    ) -> Option<T> {
        let Searcher { hand, verifier, features } = searcher;
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
            match later.decide(kept) {
                Decision::Equal => take(number, (of, 1000)),
                Decision::Near { similarity, .. } | Decision::Inside { share: similarity, .. } => {
                    take(number, (of, similarity))
                }
                Decision::No(_) => None,
            }
        };
        if gist.body.list.len() < 2 {
            self.by_topic.find(gist, |(of, kept)| {
                let counts = kept.scope == gist.scope && reach.has(of);
                if counts { decide(0, of, kept.view()) } else { None }
            })
        } else {
            let (rests, first, similarity) = (&self.rests, self.first, self.policy.similarity);
            let (has_facts, list, length) = (self.policy.has_facts(), &gist.body.list, gist.body.list.len());
            let least = |kept| least_covered(similarity, kept, length);
            let own = LazyCell::new(|| if has_facts { few_counts(list) } else { Box::default() });
            let body = (&*gist.body.list, gist.scope);
            let features = known.unwrap_or_else(|| {
                self.read(gist, features);
                features
            });
            let has_letters = list.last().is_some_and(|last| character(*last).is_none());
            let is_long = length >= LONG;
            hand.parts = BodyParts {
                ending: if is_long { ending(gist.view()) } else { 0 },
                commented: if is_long { commented(gist.view()) } else { 0 },
                ends_freely: has_letters && ends_freely(gist.view()),
            };
            let coming = |number| {
                if let Some(rest) = rests.get((number - first) as usize) {
                    prefetch(&rest.is_kept);
                    prefetch(&rest.counts);
                }
            };
            self.overlap.search(hand, (body, features), among.clone(), (least, coming), |candidate| {
                let rest = rests.get((candidate.number - first) as usize)?;
                let counts = rest.is_kept || candidate.number >= *unsettled;
                if !counts || rest.pos < *oldest || !reach.has(rest.pos) {
                    return None;
                }
                if !rest.counts.is_empty() && counts_differ(&rest.counts, &own).is_some() {
                    return None;
                }
                let body = View { list: candidate.tokens, digits: &rest.digits };
                let Rest { topics, comments, breaks, signs, .. } = rest;
                decide(candidate.number, rest.pos, GistView { body, topics, comments: *comments, breaks, signs })
            })
        }
    }

    /// Forgets the message that was looked for last: the next one that is kept may be another.
    pub(super) fn look_anew(&mut self) {
        (self.last.0, self.is_read, self.entered) = (Pos(u64::MAX), false, None);
        self.coming.clear();
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub(crate) fn remember(&mut self, gist: &Gist, pos: Pos) {
        self.expire(pos);
        let is_last = self.last.0 == pos;
        let digest = if is_last { self.last.1 } else { digest(gist, self.key) };
        self.known[0].insert(digest, (pos, 1000));
        if gist.body.list.len() < 2 {
            self.by_topic.remember(gist.clone(), pos);
        } else if !self.keep_entered(is_last) {
            let mut searcher = self.lend();
            if !(self.is_read && is_last) {
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
        let apart = (&*told(gist.view(), self.policy), items, entries);
        self.overlap.reader().read((&gist.body.list, gist.scope), apart, features);
    }

    /// Enters a message of two tokens or more and of these features, which is kept if so.
    fn enter(&mut self, gist: &Gist, features: &Features, pos: Pos, is_kept: bool) {
        self.overlap.enter((&gist.body.list, gist.scope), features, pos);
        let rest = Rest::of(gist, pos, is_kept);
        self.boxed += rest.boxed();
        self.kept += usize::from(is_kept);
        make_room(&mut self.rests);
        self.rests.push_back(rest);
    }

    /// Forgets what is older than the window at `pos`, and returns the first position in the window.
    fn expire(&mut self, pos: Pos) -> Pos {
        let oldest = Pos(pos.0.saturating_sub(self.length));
        self.forget(oldest);
        if self.turned < oldest {
            self.turned = pos;
            self.known.swap(0, 1);
            self.known[0].clear();
        }
        oldest
    }

    /// Forgets the messages before a position, but not the known answers, which go with the window.
    fn forget(&mut self, before: Pos) {
        while self.rests.front().is_some_and(|rest| rest.pos < before) {
            let Some(rest) = self.rests.pop_front() else { break };
            self.boxed -= rest.boxed();
            self.kept -= usize::from(rest.is_kept);
            self.first += 1;
        }
        self.overlap.forget(before);
        self.by_topic.forget(before);
    }

    /// Forgets the messages before a position and about half of the known answers, and gives their memory back.
    pub(crate) fn release(&mut self, before: Pos) {
        self.forget(before);
        self.rests.shrink_to(self.rests.len());
        self.known.swap(0, 1);
        self.known[0] = FastMap::default();
        self.known[1].shrink_to_fit();
    }

    /// How many messages are in the window, without those of one token.
    pub(super) fn len(&self) -> usize {
        self.kept
    }

    /// Heap bytes in use; of messages of one token, not what is behind their gists.
    pub(crate) fn bytes(&self) -> usize {
        // Of eight places of the map, one stays free; each has a byte of its own beside.
        let place = size_of::<(Digest, (Pos, u32))>() + 1;
        let known = self.known.iter().map(HashMap::capacity).sum::<usize>() * 8 / 7 * place;
        let hand =
            self.crew.iter().chain(self.searcher.as_deref()).map(|searcher| searcher.hand.bytes()).sum::<usize>();
        self.overlap.bytes()
            + hand
            + known
            + self.by_topic.bytes()
            + self.rests.capacity() * size_of::<Rest>()
            + self.boxed
    }
}

impl<'q> Question<'q> {
    /// Of all that is kept and counts for a message.
    fn of(gist: &'q Gist, reach: Reach<'q>) -> Self {
        Self { gist, reach, oldest: Pos(0), among: 0..u64::MAX, unsettled: u64::MAX, features: None }
    }
}
