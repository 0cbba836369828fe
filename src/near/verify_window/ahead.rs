//! A look ahead: many threads search for what the messages of a batch repeat, and one decides in their order.
//!
//! 1. Many threads search, for each message, all that was kept before the batch. Nothing changes meanwhile.
//! 2. The messages are decided in order. What was kept before is earlier than all that is kept since. So if a message repeats some of
//!    it, that is the answer, as long as the earliest still counts. Otherwise only what was kept since is searched.
//!
//! The verdicts are those of one message after another. Where most messages have much in common with others of their batch, as those of
//! one template have, nearly all would be searched for twice. So the next batches are not searched for ahead.

use super::{Coming, Question, Searcher, VerifyWindow, digest};
use crate::fingerprint::Digest;
use crate::hash::HashSet;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Fewer are searched for by one thread sooner than others begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// Where most messages were searched for twice, so many batches are not searched for ahead.
const UNSUITED: u32 = 24;
/// Messages that a thread takes at a time.
const CHUNK: usize = 16;

impl VerifyWindow {
    /// Finds what messages repeat that come next and at these positions, on so many threads. A message that is left out is judged all the
    /// same.
    pub(crate) fn look_ahead(&mut self, coming: &[(Pos, &Gist)], threads: usize) {
        self.coming.clear();
        let Some((first, _)) = coming.first().filter(|_| coming.len() >= LEAST_AHEAD) else { return };
        let [asked, through] = self.searcher.as_mut().map(|searcher| searcher.since_mark()).unwrap_or_default();
        if 2 * through > asked {
            self.unsuited = UNSUITED;
        }
        if self.unsuited > 0 {
            self.unsuited -= 1;
            return;
        }
        self.expire(*first);
        if self.crew.len() != threads {
            self.crew = (0..threads).map(|_| self.searcher()).collect();
        }
        let mut crew = std::mem::take(&mut self.crew);
        // Of equal gists, the later ones will be known by the time of their turn.
        let mut seen = HashSet::default();
        let is_known =
            |digest: &Digest, pos: Pos| self.known(digest).is_some_and(|(of, _)| of.0 + self.length >= pos.0);
        let asked = coming.iter().filter(|(_, gist)| gist.body.list.len() >= 2);
        let asked = asked.map(|(pos, gist)| (*pos, *gist, digest(gist, self.key)));
        let asked: Vec<_> = asked.filter(|(pos, _, digest)| !is_known(digest, *pos) && seen.insert(*digest)).collect();
        let find = |searcher: &mut Searcher, (pos, gist, _): &(Pos, &Gist, Digest)| {
            let oldest = Pos(pos.0.saturating_sub(self.length));
            let question = Question { oldest, ..Question::of(gist, Reach::ALL) };
            self.search(searcher, &question, Some)
        };
        let found = at_once(&asked, CHUNK, &mut crew, find);
        let since = self.overlap.mark();
        let coming = asked.iter().zip(found).map(|((pos, _, digest), found)| Coming {
            pos: *pos,
            digest: *digest,
            found,
            since,
        });
        self.coming = coming.collect();
        self.crew = crew;
    }

    /// What was found ahead for the message at `pos`, whose turn it is. What was found for those before it is let go.
    pub(super) fn own(&mut self, pos: Pos) -> Option<Coming> {
        while self.coming.front().is_some_and(|coming| coming.pos < pos) {
            self.coming.pop_front();
        }
        self.coming.front().is_some_and(|coming| coming.pos == pos).then(|| self.coming.pop_front()).flatten()
    }
}

impl Searcher {
    /// How many messages were searched for among what was kept since the batch before, and how many of them had much in common with it.
    /// Counts from 0 again.
    fn since_mark(&mut self) -> [usize; 2] {
        std::mem::take(&mut self.hand.since_mark)
    }
}
