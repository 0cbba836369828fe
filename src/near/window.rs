//! The window: the last kept messages themselves, and the repeat rule over them.

use std::collections::{HashMap, VecDeque};

use super::overlap::{Bounds, Overlap};
use super::verify::{Decision, Thresholds, Verifier};
use crate::fingerprint::Digest;
use crate::record::Pos;
use crate::text::Gist;

/// The kept messages of the last positions, and what finds the earliest that a new one repeats.
pub struct Window {
    length: u64,
    verifier: Verifier,
    bounds: Bounds,
    overlap: Overlap,
    /// Messages of two tokens and more, in the order and under the numbers of `overlap`.
    gists: VecDeque<(Pos, Gist)>,
    first: u64,
    /// Messages of no or one token, which have no bigrams: by token or topic, rising.
    tiny: HashMap<u64, Vec<(Pos, Gist)>>,
    /// Gist to the kept message that it is, or repeats: 25 % of real posts are answered here. Two generations, so that what
    /// is older than the window goes without a search: a lost entry costs time only.
    known: [HashMap<Digest, Pos>; 2],
    /// Where the younger generation began.
    turned: Pos,
}

impl Window {
    /// A window over the last `length` positions.
    pub fn new(length: u64, thresholds: Thresholds) -> Self {
        Self {
            length,
            verifier: Verifier::new(thresholds),
            bounds: thresholds.bounds(),
            overlap: Overlap::new(length),
            gists: VecDeque::new(),
            first: 0,
            tiny: HashMap::new(),
            known: Default::default(),
            turned: Pos(0),
        }
    }

    /// The earliest kept message of the window that `gist`, at `pos`, repeats, and the similarity in thousandths. Positions
    /// must not fall.
    pub fn earliest(&mut self, gist: &Gist, pos: Pos) -> Option<(Pos, u32)> {
        let oldest = self.expire(pos);
        let digest = digest(gist);
        let known = self.known.iter().find_map(|generation| generation.get(&digest));
        // Equal gists have equal answers as long as the earliest is there.
        if let Some(&of) = known.filter(|of| **of >= oldest) {
            return Some((of, 1000));
        }
        self.verifier.read(gist);
        let verifier = &mut self.verifier;
        let mut decide = |of: Pos, kept: &Gist| match verifier.decide(kept, gist) {
            Decision::Equal => Some((of, 1000)),
            Decision::Near(similarity) | Decision::Inside(similarity) => Some((of, similarity)),
            Decision::No(_) => None,
        };
        let found = if gist.body.list.len() < 2 {
            let mut candidates: Vec<&(Pos, Gist)> =
                keys(gist).filter_map(|key| self.tiny.get(&key)).flatten().filter(|(of, _)| *of >= oldest).collect();
            candidates.sort_unstable_by_key(|(of, _)| *of);
            candidates.dedup_by_key(|(of, _)| *of);
            candidates.into_iter().find_map(|(of, kept)| decide(*of, kept))
        } else {
            let (gists, first) = (&self.gists, self.first);
            self.overlap.earliest(&gist.body.list, pos, self.bounds, |candidate| {
                let (of, kept) = gists.get((candidate.number - first) as usize)?;
                decide(*of, kept)
            })
        };
        if let Some((of, _)) = found {
            self.known[0].insert(digest, of);
        }
        found
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub fn remember(&mut self, gist: Gist, pos: Pos) {
        self.expire(pos);
        self.known[0].insert(digest(&gist), pos);
        if gist.body.list.len() < 2 {
            for key in keys(&gist) {
                self.tiny.entry(key).or_default().push((pos, gist.clone()));
            }
        } else {
            self.overlap.remember(&gist.body.list, pos);
            self.gists.push_back((pos, gist));
        }
    }

    /// Lets go what is older than the window at `pos`; the first position in it.
    fn expire(&mut self, pos: Pos) -> Pos {
        let oldest = Pos(pos.0.saturating_sub(self.length));
        while self.gists.front().is_some_and(|(kept, _)| *kept < oldest) {
            self.gists.pop_front();
            self.first += 1;
        }
        if self.turned < oldest {
            self.turned = pos;
            self.known.swap(0, 1);
            self.known[0].clear();
            self.tiny.retain(|_, list| {
                list.retain(|(kept, _)| *kept >= oldest);
                !list.is_empty()
            });
        }
        oldest
    }

    /// Messages kept in the window.
    pub fn len(&self) -> usize {
        self.gists.len() + self.tiny.values().map(Vec::len).sum::<usize>()
    }

    /// Whether the window has no message.
    pub fn is_empty(&self) -> bool {
        self.gists.is_empty() && self.tiny.is_empty()
    }

    /// Heap bytes in use, nearly: the tables are counted, the texts of tiny messages are not.
    pub fn bytes(&self) -> usize {
        let entry = size_of::<(Digest, Pos)>() + 1;
        let known: usize = self.known.iter().map(|generation| generation.capacity() * entry).sum();
        let gists: usize = self.gists.iter().map(|(_, gist)| size_of::<(Pos, Gist)>() + gist.bytes()).sum();
        self.overlap.bytes() + known + gists
    }
}

/// What a message of no or one token is found by: its token, or its topics.
fn keys(gist: &Gist) -> impl Iterator<Item = u64> + '_ {
    let token = gist.body.list.first().map(|token| u64::from(*token));
    let topics = gist.topics.iter().copied().filter(move |_| token.is_none());
    token.into_iter().chain(topics)
}

/// The same for equal gists only.
fn digest(gist: &Gist) -> Digest {
    let mut bytes = Vec::with_capacity(gist.body.list.len() * 4 + gist.topics.len() * 8 + 16);
    bytes.extend((gist.comments as u64).to_le_bytes());
    bytes.extend((gist.topics.len() as u64).to_le_bytes());
    bytes.extend(gist.topics.iter().flat_map(|topic| topic.to_le_bytes()));
    bytes.extend(gist.body.list.iter().flat_map(|token| token.to_le_bytes()));
    Digest::of(&bytes, 0)
}
