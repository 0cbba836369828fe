//! A look ahead: many threads search for what the messages of a batch repeat, and one decides in their order. The verdicts are those of
//! one message after another.
//!
//! *Ordinary streams*
//! 1. Many threads search, for each message, all that was kept before the batch. Nothing changes meanwhile.
//! 2. The messages are decided in order. What was kept before is earlier than all that is kept since. So if a message repeats some of
//!    it, that is the answer, as long as the earliest still counts. Otherwise only what was kept since is searched.
//!
//! *Messages of one template* have much in common with others of their batch, so nearly all of them would be searched for twice. But
//! most are kept. So where most of a batch were searched for twice, and most were kept, the next batches go another way:
//! 1. One thread enters all messages before their turn.
//! 2. Many threads search, for each message, all that is kept and all that was entered before it.
//! 3. The messages are decided in order. One that repeats nothing is kept, and is in its place already. If the earliest that a message
//!    repeats is kept and still counts, that is the answer: nothing earlier counts either. Otherwise it is searched for again, alone.
//!
//! What was entered and is not kept counts for nobody, and goes with the window. It makes searches longer, so where more than an eighth
//! was entered for nothing, or most are not kept, the next batches are searched for at their turn, by one thread. If a message is to be
//! kept that was not entered, those behind it lose their places, and are entered again, each in its turn.

use super::{Coming, Question, Searcher, VerifyWindow, digest};
use crate::fingerprint::Digest;
use crate::hash::HashSet;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Fewer are searched for by one thread sooner than others begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// So many batches go another way before looking ahead is tried again.
const UNSUITED: u32 = 24;
/// Messages that a thread takes at a time.
const CHUNK: usize = 16;

/// How the messages of a batch are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Before their turn, among what was kept before the batch.
    Ahead,
    /// Before their turn, after they were entered; so many batches more.
    Entered(u32),
    /// Each at its turn; so many batches more.
    Alone(u32),
}

impl VerifyWindow {
    /// Finds what messages repeat that come next and at these positions, on so many threads. A message that is left out is judged all the
    /// same. Says whether they are to be [entered](Self::enter_ahead) and [searched for](Self::search_entered) instead.
    pub(crate) fn look_ahead(&mut self, coming: &[(Pos, &Gist)], threads: usize) -> bool {
        self.coming.clear();
        if coming.len() < LEAST_AHEAD {
            return false;
        }
        let twice = self.searcher.as_mut().map(|searcher| searcher.since_mark()).unwrap_or_default();
        let [looked_at, kept] = std::mem::take(&mut self.looked_at);
        let is_template = self.way == Way::Ahead && looked_at >= LEAST_AHEAD && 2 * twice > looked_at;
        let entered_for_nothing = matches!(self.way, Way::Entered(_)) && 8 * kept < 7 * looked_at;
        if entered_for_nothing || is_template && 2 * kept < looked_at {
            self.way = Way::Alone(UNSUITED);
        } else if is_template {
            self.way = Way::Entered(UNSUITED);
        }
        match &mut self.way {
            Way::Ahead => {}
            Way::Entered(left @ 1..) => {
                *left -= 1;
                return true;
            }
            Way::Alone(left @ 1..) => {
                *left -= 1;
                return false;
            }
            Way::Entered(_) | Way::Alone(_) => self.way = Way::Ahead,
        }
        let asked = self.unknown(coming);
        let questions = asked.iter().map(|(pos, gist, _)| self.question(*pos, gist));
        let questions: Vec<_> = questions.collect();
        let found = self.search_all(&questions, threads);
        self.looked_at[0] = found.len();
        let since = self.overlap.mark();
        let coming = asked.into_iter().zip(found);
        let coming = coming.map(|((pos, _, digest), found)| Coming { pos, digest, found, entered: None, since });
        self.coming = coming.collect();
        false
    }

    /// Enters messages that come next and at these positions.
    pub(crate) fn enter_ahead(&mut self, coming: &[(Pos, &Gist)]) {
        let asked = self.unknown(coming);
        // What is not kept goes with the window only.
        if self.rests.len() > self.length as usize + asked.len() {
            return;
        }
        self.looked_at[0] = asked.len();
        for (pos, gist, digest) in asked {
            let entered = Some(self.first + self.rests.len() as u64);
            self.enter(gist, pos, false, false);
            self.coming.push_back(Coming { pos, digest, found: None, entered, since: 0 });
        }
    }

    /// Finds what the messages repeat that were entered, on so many threads. They must be among these.
    pub(crate) fn search_entered(&mut self, coming: &[(Pos, &Gist)], threads: usize) {
        let Some(unsettled) = self.coming.front().and_then(|first| first.entered) else { return };
        let mut entered = self.coming.iter().peekable();
        let questions = coming.iter().filter_map(|(pos, gist)| {
            let own = entered.next_if(|own| own.pos == *pos)?;
            Some(Question { among: 0..own.entered?, unsettled, ..self.question(*pos, gist) })
        });
        let questions: Vec<_> = questions.collect();
        let found = self.search_all(&questions, threads);
        self.coming.iter_mut().zip(found).for_each(|(own, found)| own.found = found);
    }

    /// Those that are not known as yet, the first of equals, and their digests.
    fn unknown<'g>(&mut self, coming: &[(Pos, &'g Gist)]) -> Vec<(Pos, &'g Gist, Digest)> {
        if let Some((first, _)) = coming.first() {
            self.expire(*first);
        }
        // Of equal gists, the later ones will be known by the time of their turn.
        let mut seen = HashSet::default();
        let is_known =
            |digest: &Digest, pos: Pos| self.known(digest).is_some_and(|(of, _)| of.0 + self.length >= pos.0);
        let asked = coming.iter().filter(|(_, gist)| gist.body.list.len() >= 2);
        let asked = asked.map(|(pos, gist)| (*pos, *gist, digest(gist, self.key)));
        asked.filter(|(pos, _, digest)| !is_known(digest, *pos) && seen.insert(*digest)).collect()
    }

    /// What is asked for the message at `pos`.
    fn question<'g>(&self, pos: Pos, gist: &'g Gist) -> Question<'g> {
        Question { oldest: Pos(pos.0.saturating_sub(self.length)), ..Question::of(gist, Reach::ALL) }
    }

    /// The earliest answers to questions, on so many threads.
    fn search_all(&mut self, questions: &[Question<'_>], threads: usize) -> Vec<Option<(u64, (Pos, u32))>> {
        if self.crew.len() != threads {
            self.crew = (0..threads).map(|_| self.searcher()).collect();
        }
        let mut crew = std::mem::take(&mut self.crew);
        let find = |searcher: &mut Searcher, question: &Question<'_>| {
            self.search(searcher, question, |number, found| Some((number, found)))
        };
        let found = at_once(questions, CHUNK, &mut crew, find);
        self.crew = crew;
        found
    }

    /// What was found ahead for the message at `pos`, whose turn it is. What was found for those before it is let go.
    pub(super) fn own(&mut self, pos: Pos) -> Option<Coming> {
        while self.coming.front().is_some_and(|coming| coming.pos < pos) {
            self.coming.pop_front();
        }
        self.coming.front().is_some_and(|coming| coming.pos == pos).then(|| self.coming.pop_front()).flatten()
    }

    /// Whether what was entered with a number is kept.
    pub(super) fn is_kept(&self, number: u64) -> bool {
        let at = number.checked_sub(self.first);
        at.and_then(|at| self.rests.get(at as usize)).is_some_and(|rest| rest.is_kept)
    }

    /// Keeps the message looked for last, if it is to be kept and was entered before its turn; whether both. If not, those behind it lose
    /// their places.
    pub(super) fn keep_entered(&mut self, is_last: bool) -> bool {
        self.looked_at[1] += 1;
        let own = self.entered.take().filter(|_| is_last);
        let at = own.and_then(|number| number.checked_sub(self.first));
        let Some(rest) = at.and_then(|at| self.rests.get_mut(at as usize)) else {
            if self.coming.front().is_some_and(|coming| coming.entered.is_some()) {
                self.coming.clear();
            }
            return false;
        };
        rest.is_kept = true;
        self.kept += 1;
        true
    }
}

impl Searcher {
    /// How many messages had much in common with what was kept since the batch before, and were searched for among it. Counts from 0
    /// again.
    fn since_mark(&mut self) -> usize {
        std::mem::take(&mut self.hand.since_mark)
    }
}
