//! A look ahead: what the messages that come next repeat of what is kept.
//!
//! 1. Many threads read the features of each message, and search for it all that is kept. Nothing changes meanwhile.
//! 2. The messages are decided in order. If the earliest that a message repeats still counts, that is the answer: whatever was kept since is
//!    later. If it repeats nothing, only what was kept since is searched, which is little. So the verdicts are those of one message after
//!    another.

use super::{Question, Rest, Searcher, VerifyWindow, digest};
use crate::fingerprint::{Digest, Printed};
use crate::near::overlap::Features;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Most messages that are looked at ahead: so few that what is kept of them meanwhile is soon searched.
pub(crate) const MOST_AHEAD: usize = 1024;
/// Fewer are searched for by one thread sooner than others begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// Messages that a thread takes at a time.
const CHUNK: usize = 8;

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
    /// Finds what messages repeat that come next and at these positions, if they are `new`, on so many threads. A message that is left out
    /// is judged all the same.
    pub(crate) fn look_ahead(
        &mut self,
        coming: &[(Pos, &Printed)],
        is_new: impl Fn(&Printed) -> bool + Sync,
        threads: usize,
    ) {
        self.spare.extend(self.coming.drain(..).map(|ahead| ahead.features));
        let Some((first, _)) = coming.first() else { return };
        self.expire(*first);
        self.seen = self.overlap.begin_young();
        let mut crew = std::mem::take(&mut self.crew);
        crew.resize_with(threads, || self.searcher());
        crew.iter_mut().for_each(|searcher| self.spare.append(&mut searcher.spare));
        self.spare.drain(..).zip(0..).for_each(|(spare, at): (_, usize)| crew[at % threads].spare.push(spare));
        let look = |searcher: &mut Searcher, (pos, printed): &(Pos, &Printed)| {
            let gist = printed.gist.as_ref().filter(|gist| gist.body.list.len() >= 2 && is_new(printed))?;
            let mut features = searcher.spare.pop().unwrap_or_default();
            self.overlap.reader().read((&gist.body.list, gist.scope), &mut features);
            let mut ahead =
                Ahead { pos: *pos, digest: digest(gist, self.key), rest: Rest::of(gist, *pos), features, found: None };
            self.seek(searcher, gist, &mut ahead);
            Some(ahead)
        };
        let found = at_once(coming, CHUNK, &mut crew, look);
        self.coming.extend(found.into_iter().flatten());
        self.crew = crew;
    }

    /// Searches for a message all that is kept, unless the answer is known.
    fn seek(&self, searcher: &mut Searcher, gist: &Gist, ahead: &mut Ahead) {
        let oldest = Pos(ahead.pos.0.saturating_sub(self.length));
        if self.known(&ahead.digest).is_none_or(|(of, _)| *of < oldest) {
            let question = Question { features: Some(&ahead.features), oldest, ..Question::of(gist, Reach::ALL) };
            ahead.found = Some(self.search(searcher, &question, Some));
        }
    }

    /// What was found ahead for the message at `pos`. Lets go what was found for those before it, whose turn has passed.
    pub(super) fn turn(&mut self, pos: Pos) -> Option<Ahead> {
        self.spare.extend(self.own.take().map(|own| own.features));
        while self.coming.front().is_some_and(|coming| coming.pos < pos) {
            self.spare.extend(self.coming.pop_front().map(|ahead| ahead.features));
        }
        let is_own = self.coming.front().is_some_and(|coming| coming.pos == pos);
        if is_own { self.coming.pop_front() } else { None }
    }
}
