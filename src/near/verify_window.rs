//! The window: the last kept messages themselves, and the repeat rule over them.

use std::collections::{HashMap, VecDeque};

use crate::hash::HashMap as FastMap;

use super::bounds::few_counts;
use super::overlap::{Hand, Overlap, Partners};
use super::topic_index::TopicIndex;
use super::verify::{Decision, Verifier, least_covered, necessary};
use crate::config::Policy;
use crate::fingerprint::{Digest, random_seed};
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::facts::{Count, counts_differ};
use crate::text::tokens::{Digits, View};
use crate::text::{Gist, GistView};

/// The kept messages of the last positions, and what finds the earliest that a new one repeats.
pub(crate) struct VerifyWindow {
    kept: Kept,
    searcher: Searcher,
}

/// The memory of one search after another.
pub(crate) struct Searcher {
    verifier: Verifier,
    hand: Hand,
}

/// What a search ahead of a message's turn found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Foreseen {
    digest: Digest,
    /// The earliest kept message that it repeats, of those kept before the batch, and the similarity; none if that was not searched.
    found: Option<Option<(Pos, u32)>>,
    /// Number of the first body that was not searched.
    from: u64,
}

/// All bodies.
const EVERYTHING: (u64, Partners) = (0, Partners::ALL);

/// The kept messages.
struct Kept {
    length: u64,
    policy: Policy,
    overlap: Overlap,
    /// What `overlap`, which has the tokens, does not keep of its messages, by its numbers; the first's number.
    rests: VecDeque<Rest>,
    /// Bytes that are behind the boxes of `rests`.
    boxed: usize,
    first: u64,
    by_topic: TopicIndex,
    /// Gist to the kept message that it is, or repeats, and their similarity: 25 % of real posts are answered here. Two generations, so that what
    /// is older than the window goes without a search: a lost entry costs time only.
    known: [FastMap<Digest, (Pos, u32)>; 2],
    /// Of the digests in `known`.
    key: u64,
    /// Where the younger generation began.
    turned: Pos,
    /// The message that was looked for last, and its digest.
    last: (Pos, Digest),
}

/// A gist without its tokens.
struct Rest {
    pos: Pos,
    counts: Box<[Count]>,
    digits: Box<Digits>,
    topics: Box<[u64]>,
    comments: u32,
    breaks: Box<[u32]>,
}

impl Rest {
    /// Bytes that are behind its boxes.
    fn boxed(&self) -> usize {
        let digits = self.digits.iter().map(|(_, digits)| on_heap(digits.len())).sum::<usize>();
        let lists = [
            size_of_val(&*self.counts),
            size_of_val(&*self.digits),
            size_of_val(&*self.topics),
            size_of_val(&*self.breaks),
        ];
        digits + lists.into_iter().map(on_heap).sum::<usize>()
    }
}

/// Bytes that so many take on the heap: with 8 beside, in units of 16, 32 at the least, as glibc and others hand them out.
fn on_heap(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

/// Makes room for one more, by eighths: doubling would take half as much again for nothing, and all at once.
pub(super) fn make_room<T>(queue: &mut VecDeque<T>) {
    if queue.len() == queue.capacity() {
        queue.reserve_exact((queue.len() / 8).max(32));
    }
}

impl VerifyWindow {
    /// A window over the last `length` positions, for this policy.
    /// `memory` limits what it may take, in bytes; see [`Overlap::new`].
    pub(crate) fn new(length: u64, policy: Policy, memory: Option<u64>) -> Self {
        let kept = Kept {
            length,
            policy,
            overlap: Overlap::new(length, necessary(policy), memory),
            rests: VecDeque::new(),
            boxed: 0,
            first: 0,
            by_topic: TopicIndex::default(),
            known: Default::default(),
            key: random_seed(),
            turned: Pos(0),
            last: (Pos(u64::MAX), Digest(0)),
        };
        let searcher = kept.searcher();
        Self { kept, searcher }
    }

    /// What a further thread searches with.
    pub(crate) fn searcher(&self) -> Searcher {
        self.kept.searcher()
    }

    /// A batch begins: what its messages repeat of what is kept so far can be [foreseen](Self::foresee). The number of the next body.
    pub(crate) fn begin(&mut self) -> u64 {
        self.kept.overlap.begin()
    }

    /// What `gist` repeats of what was kept before the batch that [began](Self::begin) last with the body numbered `from`, wherever
    /// in the batch it stands.
    pub(crate) fn foresee(&self, searcher: &mut Searcher, gist: &Gist, from: u64) -> Foreseen {
        let digest = digest(gist, self.kept.key);
        let is_searched = gist.body.list.len() >= 2 && self.kept.known(&digest).is_none();
        let found = is_searched.then(|| self.kept.search(searcher, gist, EVERYTHING, &Reach::ALL, Some));
        Foreseen { digest, found, from }
    }

    /// The earliest kept message of the window that counts and that `gist`, at `pos`, repeats, and the similarity in
    /// thousandths. Positions must not fall.
    pub(crate) fn earliest(
        &mut self,
        gist: &Gist,
        pos: Pos,
        reach: &Reach<'_>,
        foreseen: Option<&Foreseen>,
    ) -> Option<(Pos, u32)> {
        self.kept.forget(reach.floor);
        let oldest = self.kept.expire(pos);
        let counts = |of: Pos| of >= oldest && reach.has(of);
        let digest = foreseen.map_or_else(|| digest(gist, self.kept.key), |foreseen| foreseen.digest);
        self.kept.last = (pos, digest);
        // Equal gists have equal answers as long as the earliest counts and nothing earlier does.
        if let Some(&known) = self.kept.known(&digest).filter(|(of, _)| reach.timely && counts(*of)) {
            return Some(known);
        }
        let found = match foreseen.and_then(|foreseen| Some((foreseen.found?, foreseen.from))) {
            // What was kept since is later.
            Some((Some(found), _)) if counts(found.0) => Some(found),
            Some((None, from)) => match self.kept.overlap.partners((&gist.body.list, gist.scope), from) {
                Partners::NONE => None,
                among => self.kept.search(&mut self.searcher, gist, (from, among), reach, Some),
            },
            Some((Some(_), _)) | None => self.kept.search(&mut self.searcher, gist, EVERYTHING, reach, Some),
        };
        if let Some(found) = found {
            self.kept.known[0].insert(digest, found);
        }
        found
    }

    /// The earliest kept message of the window that counts and that `gist` repeats, and the similarity, for a message that comes after all
    /// others and is remembered nowhere.
    pub(crate) fn find(&self, searcher: &mut Searcher, gist: &Gist, reach: &Reach<'_>) -> Option<(Pos, u32)> {
        self.kept.search(searcher, gist, EVERYTHING, reach, Some)
    }

    /// Calls `each` with every kept message of the window that `gist`, at `pos`, repeats, by rising position, and the similarity
    /// in thousandths. Positions must not fall.
    #[cfg(any(feature = "cli", feature = "lab"))]
    pub(crate) fn each(&mut self, gist: &Gist, pos: Pos, mut each: impl FnMut(Pos, u32)) {
        self.kept.expire(pos);
        self.kept.search(&mut self.searcher, gist, EVERYTHING, &Reach::ALL, |(of, similarity)| {
            each(of, similarity);
            None
        });
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub(crate) fn remember(&mut self, gist: Gist, pos: Pos) {
        self.kept.remember(gist, pos);
    }

    /// Lets go what is before a position, of known answers about half, and gives back the memory of all that.
    pub(crate) fn release(&mut self, before: Pos) {
        self.kept.release(before);
    }

    /// Messages in the window, but for those of one token.
    pub(super) fn len(&self) -> usize {
        self.kept.rests.len()
    }

    /// Heap bytes in use; of messages of one token, not what is behind their gists.
    pub(crate) fn bytes(&self) -> usize {
        self.kept.bytes() + self.searcher.hand.bytes()
    }
}

impl Kept {
    fn searcher(&self) -> Searcher {
        Searcher { verifier: Verifier::new(self.policy), hand: self.overlap.hand() }
    }

    /// What is known of gists with this digest.
    fn known(&self, digest: &Digest) -> Option<&(Pos, u32)> {
        self.known.iter().find_map(|generation| generation.get(digest))
    }

    /// Hands the kept messages that `gist` repeats to `take`, by rising position, until it gives one back: of those that are not
    /// expired, from the body of one number on and `among` some kinds, where it has a body.
    fn search(
        &self,
        searcher: &mut Searcher,
        gist: &Gist,
        among: (u64, Partners),
        reach: &Reach<'_>,
        mut take: impl FnMut((Pos, u32)) -> Option<(Pos, u32)>,
    ) -> Option<(Pos, u32)> {
        let Searcher { verifier, hand } = searcher;
        let mut is_read = false;
        let mut decide = |of: Pos, kept: GistView<'_>| {
            if !is_read {
                verifier.read(gist.view());
                is_read = true;
            }
            match verifier.decide(kept, gist.view()) {
                Decision::Equal => take((of, 1000)),
                Decision::Near { similarity, .. } | Decision::Inside { share: similarity, .. } => {
                    take((of, similarity))
                }
                Decision::No(_) => None,
            }
        };
        if gist.body.list.len() < 2 {
            self.by_topic.find(gist, |(of, kept)| {
                let counts = kept.scope == gist.scope && reach.has(of);
                if counts { decide(of, kept.view()) } else { None }
            })
        } else {
            let (rests, first, similarity) = (&self.rests, self.first, self.policy.similarity);
            let length = gist.body.list.len();
            let least = |kept| least_covered(similarity, kept, length);
            let own = if self.policy.has_facts() { few_counts(&gist.body.list) } else { Box::default() };
            self.overlap.search(hand, (&gist.body.list, gist.scope), among, least, |candidate| {
                let rest = rests.get((candidate.number - first) as usize)?;
                if !reach.has(rest.pos) {
                    return None;
                }
                if counts_differ(&rest.counts, &own).is_some() {
                    return None;
                }
                let body = View { list: candidate.tokens, digits: &rest.digits };
                decide(rest.pos, GistView { body, topics: &rest.topics, comments: rest.comments, breaks: &rest.breaks })
            })
        }
    }

    /// Keeps the message at `pos`. Positions must rise.
    fn remember(&mut self, gist: Gist, pos: Pos) {
        self.expire(pos);
        let digest = if self.last.0 == pos { self.last.1 } else { digest(&gist, self.key) };
        self.known[0].insert(digest, (pos, 1000));
        if gist.body.list.len() < 2 {
            self.by_topic.remember(gist, pos);
        } else {
            self.overlap.remember((&gist.body.list, gist.scope), pos);
            let Gist { body, topics, comments, breaks, .. } = gist;
            let counts = few_counts(&body.list);
            let rest = Rest { pos, counts, digits: body.digits.into(), topics, comments, breaks };
            self.boxed += rest.boxed();
            make_room(&mut self.rests);
            self.rests.push_back(rest);
        }
    }

    /// Lets go what is older than the window at `pos`; the first position in it.
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

    /// Lets go what is before a position, but for known answers, which go with the window.
    fn forget(&mut self, before: Pos) {
        while self.rests.front().is_some_and(|rest| rest.pos < before) {
            self.boxed -= self.rests.pop_front().map_or(0, |rest| rest.boxed());
            self.first += 1;
        }
        self.overlap.forget(before);
        self.by_topic.forget(before);
    }

    /// Lets go what is before a position, of known answers about half, and gives back the memory of all that.
    fn release(&mut self, before: Pos) {
        self.forget(before);
        self.rests.shrink_to(self.rests.len());
        self.known.swap(0, 1);
        self.known[0] = FastMap::default();
        self.known[1].shrink_to_fit();
    }

    fn bytes(&self) -> usize {
        // Of eight places of the map, one stays free; each has a byte of its own beside.
        let place = size_of::<(Digest, (Pos, u32))>() + 1;
        let known = self.known.iter().map(HashMap::capacity).sum::<usize>() * 8 / 7 * place;
        self.overlap.bytes() + known + self.by_topic.bytes() + self.rests.capacity() * size_of::<Rest>() + self.boxed
    }
}

/// The same for equal gists only, under one key.
pub(crate) fn digest(gist: &Gist, key: u64) -> Digest {
    let mut bytes = Vec::with_capacity(gist.body.list.len() * 4 + gist.topics.len() * 8 + 24);
    bytes.extend(gist.scope.to_le_bytes());
    bytes.extend((gist.comments as u64).to_le_bytes());
    bytes.extend((gist.topics.len() as u64).to_le_bytes());
    bytes.extend(gist.topics.iter().flat_map(|topic| topic.to_le_bytes()));
    bytes.extend((gist.breaks.len() as u64).to_le_bytes());
    bytes.extend(gist.breaks.iter().flat_map(|end| end.to_le_bytes()));
    bytes.extend(gist.body.list.iter().flat_map(|token| token.to_le_bytes()));
    Digest::keyed(&bytes, key)
}
