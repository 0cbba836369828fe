//! A look ahead: what the messages that come next repeat of what is kept.
//!
//! 1. Many threads read the features of each message, and search for it all that is kept. Nothing changes meanwhile.
//! 2. The messages are decided in order. If the earliest that a message repeats still counts, that is the answer: whatever was kept since is
//!    later. If it repeats nothing, only what was kept since is searched, which is little. So the verdicts are those of one message after
//!    another.
//!
//! One thread only reads the features. So it can ask for the memory that the next message needs while it is at work on the one before.

use super::{Question, Rest, Searcher, VerifyWindow, digest};
use crate::fingerprint::{Digest, Printed};
use crate::near::overlap::Features;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Most messages that are looked at ahead: so few that what is kept of them meanwhile is soon searched.
pub(crate) const MOST_AHEAD: usize = 256;
/// Fewer are searched for by one thread sooner than others begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// Messages that a thread takes at a time.
const CHUNK: usize = 4;

/// A message that was looked at before its turn.
pub(super) struct Ahead {
    pub(super) pos: Pos,
    pub(super) digest: Digest,
    pub(super) rest: Rest,
    pub(super) features: Features,
    /// If it was searched for: the earliest that it repeats of what was kept then.
    pub(super) found: Option<Option<(Pos, u32)>>,
}

impl VerifyWindow {
    /// Looks at messages that come next and at these positions, if they are `new`, on so many threads. A message that is left out is judged
    /// all the same.
    pub(crate) fn look_ahead(
        &mut self,
        coming: &[(Pos, &Printed)],
        is_new: impl Fn(&Printed) -> bool + Sync,
        threads: usize,
    ) {
        self.coming.clear();
        let Some((first, _)) = coming.first() else { return };
        self.expire(*first);
        self.seen = self.overlap.begin_young();
        let mut crew = std::mem::take(&mut self.crew);
        if threads > 1 {
            crew.resize_with(threads, || self.searcher());
        }
        let look = |searcher: Option<&mut Searcher>, chunk: &[(Pos, &Printed)]| {
            let is_wanted = |printed: &&(Pos, &Printed)| is_new(printed.1);
            let gists = chunk.iter().filter(is_wanted).filter_map(|(pos, printed)| Some((*pos, printed.gist.as_ref()?)));
            let gists: Vec<_> = gists.filter(|(_, gist)| gist.body.list.len() >= 2).collect();
            let mut ahead: Vec<_> = gists.iter().map(|(pos, gist)| self.read(*pos, gist)).collect();
            if let Some(searcher) = searcher {
                gists.iter().zip(&mut ahead).for_each(|((_, gist), ahead)| self.seek(searcher, gist, ahead));
            }
            ahead
        };
        if threads > 1 {
            let chunks: Vec<_> = coming.chunks(CHUNK).collect();
            let found = at_once(&chunks, 1, &mut crew, |searcher, chunk| look(Some(searcher), chunk));
            self.coming.extend(found.into_iter().flatten());
        } else {
            let read = look(None, coming);
            self.coming.extend(read);
        }
        self.crew = crew;
    }

    /// What can be said of a message alone.
    fn read(&self, pos: Pos, gist: &Gist) -> Ahead {
        let mut features = Features::default();
        self.overlap.reader().read((&gist.body.list, gist.scope), &mut features);
        self.overlap.ask_for(&features);
        Ahead { pos, digest: digest(gist, self.key), rest: Rest::of(gist, pos), features, found: None }
    }

    /// Searches for a message all that is kept, unless the answer is known.
    fn seek(&self, searcher: &mut Searcher, gist: &Gist, ahead: &mut Ahead) {
        let oldest = Pos(ahead.pos.0.saturating_sub(self.length));
        if self.known(&ahead.digest).is_none_or(|(of, _)| *of < oldest) {
            let question = Question { features: Some(&ahead.features), oldest, ..Question::of(gist, Reach::ALL) };
            ahead.found = Some(self.search(searcher, &question, Some));
        }
    }

    /// What was seen ahead of the message at `pos`. Lets go those before it, whose turn has passed, and asks for what the next one needs.
    pub(super) fn turn(&mut self, pos: Pos) -> Option<Ahead> {
        while self.coming.front().is_some_and(|coming| coming.pos < pos) {
            self.coming.pop_front();
        }
        let is_own = self.coming.front().is_some_and(|coming| coming.pos == pos);
        let own = if is_own { self.coming.pop_front() } else { None };
        if let Some(next) = self.coming.front() {
            self.overlap.ask_for(&next.features);
        }
        own
    }
}
