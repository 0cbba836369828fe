//! A look ahead: many threads search for what the messages of a batch repeat, and one decides in their order. The verdicts are those of
//! one message after another.
//!
//! *Ordinary streams*
//! 1. Many threads search, for each message, all that was kept before the batch. Nothing changes meanwhile.
//! 2. The messages are decided in order. What was kept before is earlier than all that is kept since. So if a message repeats some of
//!    it, that is the answer, as long as the earliest still counts. Otherwise only what was kept since is searched.
//!
//! *Messages of one template* have much in common with others of their batch, so the second search takes one thread long. So where most of
//! a batch had, or nearly all of it was kept, the next batches go another way:
//! 1. Many threads search all that was kept before the batch, unless nearly all messages of the batch before were kept.
//! 2. One thread enters those that repeat none of it, in order.
//! 3. Many threads search, for each of these, those that were entered before it, and what was not searched.
//! 4. The messages are decided in order. One that repeats nothing is kept, and is in its place already. If the earliest that a message
//!    repeats is kept and still counts, that is the answer: nothing earlier counts either. Otherwise it is searched for again, alone.
//!
//! What was entered and is not kept counts for nobody, and goes with the window. If a message is to be kept that was not entered, those
//! behind it lose their places, and are entered again, each in its turn.

use super::{Features, Question, Searcher, VerifyWindow, digest};
use crate::fingerprint::Digest;
use crate::hash::HashSet;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Fewer are searched for by one thread sooner than others begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// So many batches are entered before their turn until it is looked again whether that is the better way.
const ENTERED: u32 = 24;
/// Messages that a thread takes at a time.
const CHUNK: usize = 16;

/// A message that was searched for before its turn, and the answer.
pub(super) struct Coming {
    pub(super) pos: Pos,
    pub(super) digest: Digest,
    /// The earliest message kept or entered by then that it repeats: number, position and similarity.
    pub(super) found: Option<(u64, (Pos, u32))>,
    /// Its own number, if it was entered.
    pub(super) entered: Option<u64>,
    /// Its features, if they are known.
    pub(super) features: Features,
}

impl VerifyWindow {
    /// Finds what messages repeat that come next and at these positions, on so many threads, among what is kept. A message that is left
    /// out is judged all the same. Gives back those that are to be [entered](Self::enter_ahead) and
    /// [searched for](Self::search_entered) before the first is judged.
    pub(crate) fn look_ahead<'g>(&mut self, coming: &[(Pos, &'g Gist)], threads: usize) -> Vec<(Pos, &'g Gist)> {
        self.coming.clear();
        self.since = self.overlap.mark();
        let asked = self.unknown(coming);
        let twice = self.searcher.as_mut().map(|searcher| searcher.since_mark()).unwrap_or_default();
        let [looked_at, kept] = std::mem::replace(&mut self.looked_at, [asked.len(), 0]);
        self.is_searched = looked_at < LEAST_AHEAD || 16 * kept < 15 * looked_at;
        let is_template = looked_at >= LEAST_AHEAD && 2 * twice > looked_at;
        self.to_enter = if is_template { ENTERED } else { self.to_enter.saturating_sub(1) };
        let is_entered = self.to_enter > 0 || !self.is_searched;
        let questions: Vec<_> = asked.iter().map(|(pos, gist, _)| self.question(*pos, gist)).collect();
        let answers = self.by_all(&questions, threads, |window, searcher, question| {
            let found = if window.is_searched { window.find_numbered(searcher, question) } else { None };
            let mut features = Features::default();
            if is_entered && found.is_none() {
                window.read(question.gist, &mut features);
            }
            (found, features)
        });
        let mut new = Vec::new();
        for ((pos, gist, digest), (found, features)) in asked.into_iter().zip(answers) {
            if is_entered && found.is_none() {
                new.push((pos, gist));
            }
            self.coming.push_back(Coming { pos, digest, found, entered: None, features });
        }
        new
    }

    /// Enters messages of the batch that repeat nothing, as far as is known.
    pub(crate) fn enter_ahead(&mut self, new: &[(Pos, &Gist)]) {
        // What is not kept goes with the window only.
        if self.rests.len() > self.length as usize + new.len() {
            self.coming.clear();
            return;
        }
        let mut coming = std::mem::take(&mut self.coming);
        let entered = coming.iter_mut().filter(|coming| coming.found.is_none());
        for ((own, (pos, gist)), number) in entered.zip(new).zip(self.since..) {
            self.enter(gist, &own.features, *pos, false);
            own.entered = Some(number);
        }
        self.coming = coming;
    }

    /// Finds what the messages that were entered repeat, on so many threads: of each other, and of all that is kept unless that was
    /// searched.
    pub(crate) fn search_entered(&mut self, new: &[(Pos, &Gist)], threads: usize) {
        let from = if self.is_searched { self.since } else { 0 };
        let mut coming = std::mem::take(&mut self.coming);
        let entered = coming.iter().filter_map(|coming| Some((coming.entered?, &coming.features)));
        let questions = new.iter().zip(entered).map(|((pos, gist), (number, features))| Question {
            among: from..number,
            unsettled: self.since,
            features: Some(features),
            ..self.question(*pos, gist)
        });
        let questions: Vec<_> = questions.collect();
        let answers = self.by_all(&questions, threads, Self::find_numbered);
        let entered = coming.iter_mut().filter(|coming| coming.entered.is_some());
        entered.zip(answers).for_each(|(own, found)| own.found = found);
        self.coming = coming;
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

    /// The earliest message that the one asked about repeats: number, position and similarity.
    fn find_numbered(&self, searcher: &mut Searcher, question: &Question<'_>) -> Option<(u64, (Pos, u32))> {
        self.search(searcher, question, |number, found| Some((number, found)))
    }

    /// What many threads make of questions.
    fn by_all<'q, R: Send>(
        &mut self,
        questions: &[Question<'q>],
        threads: usize,
        answer: impl Fn(&Self, &mut Searcher, &Question<'q>) -> R + Sync,
    ) -> Vec<R> {
        if self.crew.len() != threads {
            self.crew = (0..threads).map(|_| self.searcher()).collect();
        }
        let mut crew = std::mem::take(&mut self.crew);
        let answers = at_once(questions, CHUNK, &mut crew, |searcher, question| answer(self, searcher, question));
        self.crew = crew;
        answers
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
            if self.coming.iter().any(|coming| coming.entered.is_some()) {
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
