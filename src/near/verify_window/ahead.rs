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

use std::collections::VecDeque;

use super::{Features, Found, Question, Searcher, VerifyWindow};
use crate::fingerprint::Digest;
use crate::hash::HashSet;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Fewer are searched for by one thread sooner than others begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// After how many batches the choice to enter early is made anew.
const ENTERED: u32 = 24;
/// Messages that a thread takes at a time.
const CHUNK: usize = 16;

/// What is known of a batch before its messages are judged, and of the one before.
pub(super) struct Ahead {
    /// The messages that were searched for before their turn, in order.
    coming: VecDeque<Coming>,
    /// What the other threads search with.
    pub(super) crew: Vec<Searcher>,
    /// The number of the first message that was entered or kept after the search for `coming`.
    since: u64,
    /// Whether all that was kept before it was searched for them.
    is_searched: bool,
    /// So many batches more are entered before their turn.
    to_enter: u32,
    /// How many messages of the batch were searched for before their turn.
    asked: usize,
    /// How many messages of the batch were kept.
    kept: usize,
}

/// A message that was searched for before its turn, and the answer.
pub(super) struct Coming {
    pub(super) pos: Pos,
    pub(super) digest: Digest,
    /// The earliest message kept or entered by then that it repeats.
    pub(super) found: Option<Found>,
    /// Its own number, if it was entered.
    pub(super) entered: Option<u64>,
    /// Its features, if they are known.
    pub(super) features: Features,
}

impl VerifyWindow {
    /// Searches, on `threads` threads, for what the next messages repeat, among what is kept. They must then come at exactly these positions.
    /// A message that is left out is judged all the same. Returns those that are to be [entered](Self::enter_ahead) and
    /// [searched for](Self::search_entered) before the first is judged.
    pub(crate) fn look_ahead<'g>(&mut self, coming: &[(Pos, &'g Gist)], threads: usize) -> Vec<(Pos, &'g Gist)> {
        self.ahead.clear();
        self.ahead.since = self.overlap.mark();
        let asked = self.unknown(coming);
        let twice = self.searcher.as_mut().map(|searcher| searcher.since_mark()).unwrap_or_default();
        let is_entered = self.ahead.choose(asked.len(), twice);
        let questions: Vec<_> = asked.iter().map(|(pos, gist, _)| self.question(*pos, gist)).collect();
        let answers = self.by_all(&questions, threads, |window, searcher, question| {
            let found = if window.ahead.is_searched { window.find_first(searcher, question) } else { None };
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
            self.ahead.coming.push_back(Coming { pos, digest, found, entered: None, features });
        }
        new
    }

    /// Enters messages of the batch that repeat nothing, as far as is known.
    pub(crate) fn enter_ahead(&mut self, new: &[(Pos, &Gist)]) {
        // What is not kept goes with the window only.
        if self.rests.entered() > self.length as usize + new.len() {
            self.ahead.clear();
            return;
        }
        let mut coming = std::mem::take(&mut self.ahead.coming);
        let entered = coming.iter_mut().filter(|coming| coming.found.is_none());
        for ((own, (pos, gist)), number) in entered.zip(new).zip(self.ahead.since..) {
            self.enter(gist, &own.features, *pos, false);
            own.entered = Some(number);
        }
        self.ahead.coming = coming;
    }

    /// Searches, on `threads` threads, for what the messages that were entered repeat: of each other, and of all that is kept unless that
    /// was searched.
    pub(crate) fn search_entered(&mut self, new: &[(Pos, &Gist)], threads: usize) {
        let from = if self.ahead.is_searched { self.ahead.since } else { 0 };
        let mut coming = std::mem::take(&mut self.ahead.coming);
        let entered = coming.iter().filter_map(|coming| Some((coming.entered?, &coming.features)));
        let questions = new.iter().zip(entered).map(|((pos, gist), (number, features))| Question {
            among: from..number,
            unsettled: self.ahead.since,
            features: Some(features),
            ..self.question(*pos, gist)
        });
        let questions: Vec<_> = questions.collect();
        let answers = self.by_all(&questions, threads, Self::find_first);
        let entered = coming.iter_mut().filter(|coming| coming.entered.is_some());
        entered.zip(answers).for_each(|(own, found)| own.found = found);
        self.ahead.coming = coming;
    }

    /// Those that are not known as yet, the first of equals, and their digests.
    fn unknown<'g>(&mut self, coming: &[(Pos, &'g Gist)]) -> Vec<(Pos, &'g Gist, Digest)> {
        if let Some((first, _)) = coming.first() {
            self.expire(*first);
        }
        // Of equal gists, the later ones will be known by the time of their turn.
        let mut seen = HashSet::default();
        let is_known =
            |digest: &Digest, pos: Pos| self.answers.get(digest).is_some_and(|known| known.of.0 + self.length >= pos.0);
        let asked = coming.iter().filter(|(_, gist)| gist.body.list.len() >= 2);
        let asked = asked.map(|(pos, gist)| (*pos, *gist, self.answers.digest(gist)));
        asked.filter(|(pos, _, digest)| !is_known(digest, *pos) && seen.insert(*digest)).collect()
    }

    /// What is asked for the message at `pos`.
    fn question<'g>(&self, pos: Pos, gist: &'g Gist) -> Question<'g> {
        Question { oldest: Pos(pos.0.saturating_sub(self.length)), ..Question::of(gist, Reach::ALL) }
    }

    /// The earliest message that the one asked about repeats.
    fn find_first(&self, searcher: &mut Searcher, question: &Question<'_>) -> Option<Found> {
        self.search(searcher, question, Some)
    }

    /// What many threads make of questions.
    fn by_all<'q, R: Send>(
        &mut self,
        questions: &[Question<'q>],
        threads: usize,
        answer: impl Fn(&Self, &mut Searcher, &Question<'q>) -> R + Sync,
    ) -> Vec<R> {
        if self.ahead.crew.len() != threads {
            self.ahead.crew = (0..threads).map(|_| self.searcher()).collect();
        }
        let mut crew = std::mem::take(&mut self.ahead.crew);
        let answers = at_once(questions, CHUNK, &mut crew, |searcher, question| answer(self, searcher, question));
        self.ahead.crew = crew;
        answers
    }

    /// Whether what was entered with a number is kept.
    pub(super) fn is_kept(&self, number: u64) -> bool {
        self.rests.get(number).is_some_and(|rest| rest.is_kept)
    }

    /// Keeps the message in hand, if it was entered before its turn as this number; whether it was. If not, those behind it lose their
    /// places.
    pub(super) fn keep_entered(&mut self, entered: Option<u64>) -> bool {
        self.ahead.kept += 1;
        let is_kept = entered.is_some_and(|number| self.rests.keep(number));
        if !is_kept && self.ahead.coming.iter().any(|coming| coming.entered.is_some()) {
            self.ahead.clear();
        }
        is_kept
    }
}

impl Ahead {
    /// Nothing is known of any batch.
    pub(super) fn new() -> Self {
        let (coming, crew) = Default::default();
        Self { coming, crew, since: 0, is_searched: true, to_enter: 0, asked: 0, kept: 0 }
    }

    /// Forgets what was found for the messages that come next.
    pub(super) fn clear(&mut self) {
        self.coming.clear();
    }

    /// Chooses, by the batch before, which way the next one goes, of which `asked` messages are searched for. `twice` is how many of the one
    /// before were searched for among what was kept since. Returns whether messages are entered before their turn.
    fn choose(&mut self, asked: usize, twice: usize) -> bool {
        let before = std::mem::replace(&mut self.asked, asked);
        let kept = std::mem::take(&mut self.kept);
        self.is_searched = before < LEAST_AHEAD || 16 * kept < 15 * before;
        let is_template = before >= LEAST_AHEAD && 2 * twice > before;
        self.to_enter = if is_template { ENTERED } else { self.to_enter.saturating_sub(1) };
        self.to_enter > 0 || !self.is_searched
    }

    /// What was found ahead for the message at `pos`, whose turn it is. What was found for those before it is dropped.
    pub(super) fn own(&mut self, pos: Pos) -> Option<Coming> {
        while self.coming.front().is_some_and(|coming| coming.pos < pos) {
            self.coming.pop_front();
        }
        let is_there = self.coming.front().is_some_and(|coming| coming.pos == pos);
        if is_there { self.coming.pop_front() } else { None }
    }

    /// From which number on a message is still to be searched for. What was kept before the batch was searched, unless something of it was
    /// found and does not count.
    pub(super) fn unsearched(&self, own: &Coming) -> u64 {
        let is_searched = own.found.as_ref().is_none_or(|found| found.number >= self.since);
        if is_searched { self.since } else { 0 }
    }
}

impl Searcher {
    /// How many messages had much in common with what was kept since the batch before, and were searched for among it. Counts from 0
    /// again.
    fn since_mark(&mut self) -> usize {
        std::mem::take(&mut self.buffers.since_mark)
    }
}
