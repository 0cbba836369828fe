//! A look ahead: many threads search for what the messages of a batch repeat, and one decides in their order.
//!
//! 1. Many threads read the features of each message, and one enters all of them before their turn.
//! 2. Many threads search, for each message, all that is kept and all that was entered before it. Nothing changes meanwhile.
//! 3. The messages are decided in order. One that repeats nothing is kept, and is in its place already. If the earliest that a message
//!    repeats is kept and still counts, that is the answer: nothing earlier counts either. Otherwise it is searched for again, alone.
//!
//! What was entered and is not kept counts for nobody, and goes with the window. So the verdicts are those of one message after another. If a
//! message is to be kept that was not entered, those behind it lose their places, and are entered again, each in its turn.

use super::{Coming, Question, Rest, Searcher, VerifyWindow, digest};
use crate::near::overlap::Features;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Most messages that are looked at ahead.
pub(crate) const MOST_AHEAD: usize = 4096;
/// Fewer are searched for by one thread sooner than others begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// Messages that a thread takes at a time.
const CHUNK: usize = 16;

impl VerifyWindow {
    /// Finds what messages repeat that come next and at these positions, on so many threads. A message that is left out is judged all the
    /// same.
    pub(crate) fn look_ahead(&mut self, coming: &[(Pos, &Gist)], threads: usize) {
        self.coming.clear();
        let Some((first, _)) = coming.first().filter(|_| coming.len() >= LEAST_AHEAD) else { return };
        self.expire(*first);
        if self.rests.len() > self.length as usize + MOST_AHEAD {
            return;
        }
        let unsettled = self.first + self.rests.len() as u64;
        if self.crew.len() != threads {
            self.crew = (0..threads).map(|_| self.searcher()).collect();
            // For those that are searched for again.
            self.searcher = Some(Box::new(self.searcher()));
        }
        let mut crew = std::mem::take(&mut self.crew);
        let coming: Vec<_> = coming.iter().take(MOST_AHEAD).filter(|(_, gist)| gist.body.list.len() >= 2).collect();
        let (mut asked, key, reader) = (Vec::with_capacity(coming.len()), self.key, self.overlap.reader());
        let read = |_: &mut Searcher, (pos, gist): &&(Pos, &Gist)| {
            let mut features = Features::default();
            reader.read((&gist.body.list, gist.scope), &mut features);
            (digest(gist, key), Rest::of(gist, *pos, false), features)
        };
        let read = at_once(&coming, CHUNK, &mut crew, read);
        for ((pos, gist), (digest, rest, features)) in coming.into_iter().zip(read) {
            if self.known(&digest).is_none_or(|(of, _)| of.0 + self.length < pos.0) {
                self.enter(gist, rest, &features);
                let number = unsettled + asked.len() as u64;
                asked.push((*gist, features, Coming { pos: *pos, number, digest, found: None }));
            }
        }
        let find = |searcher: &mut Searcher,
                    (gist, features, Coming { pos, number, .. }): &(&Gist, Features, Coming)| {
            let oldest = Pos(pos.0.saturating_sub(self.length));
            let question = Question {
                features: Some(features),
                oldest,
                below: *number,
                unsettled,
                ..Question::of(gist, Reach::ALL)
            };
            self.search(searcher, &question, |number, found| Some((number, found)))
        };
        let found = at_once(&asked, CHUNK, &mut crew, find);
        self.coming.extend(asked.iter().zip(found).map(|((.., coming), found)| Coming { found, ..*coming }));
        self.crew = crew;
    }

    /// Lets go what was entered for messages before `pos`, whose turn has passed.
    pub(super) fn settle(&mut self, pos: Pos) {
        while self.coming.front().is_some_and(|coming| coming.pos < pos) {
            self.coming.pop_front();
        }
    }

    /// Whether what was entered with a number is kept.
    pub(super) fn is_kept(&self, number: u64) -> bool {
        let at = number.checked_sub(self.first);
        at.and_then(|at| self.rests.get(at as usize)).is_some_and(|rest| rest.is_kept)
    }

    /// Keeps what was entered for the message at `pos`; whether it was. If not, those behind it lose their places.
    pub(super) fn keep_coming(&mut self, pos: Pos) -> bool {
        self.settle(pos);
        let own = self.coming.pop_front().filter(|coming| coming.pos == pos);
        let at = own.and_then(|own| own.number.checked_sub(self.first));
        let rest = at.and_then(|at| self.rests.get_mut(at as usize));
        let is_there = rest.is_some();
        match rest {
            Some(rest) => {
                rest.is_kept = true;
                self.kept += 1;
            }
            None => self.coming.clear(),
        }
        is_there
    }
}
