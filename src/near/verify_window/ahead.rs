//! Looks ahead: many threads search for the messages that those of a batch repeat, and one thread decides in order. The verdicts are the
//! same as for one message after another.
//!
//! *Ordinary streams*
//! 1. For each message, the threads search all messages that were kept before the batch. Nothing changes meanwhile.
//! 2. The messages are decided in order. All messages kept before the batch are earlier than those kept since. So if a message repeats one
//!    of the former, that is the answer, as long as the earliest still counts. Otherwise only the messages kept since are searched.
//!
//! *Messages of one template* have much in common with others of their batch, so the second search takes one thread a long time. So if this
//! was true of most messages of a batch, or if nearly all of them were kept, the next batches are handled in another way:
//! 1. The threads search all messages that were kept before the batch, unless nearly all messages of the last batch were kept.
//! 2. One thread enters the messages that repeat none of these, in order.
//! 3. For each entered message, the threads search those entered before it, and also those kept before the batch if step 1 was skipped.
//! 4. The messages are decided in order. A message that repeats nothing is kept, and is in its place already. If the earliest message that
//!    it repeats is kept and still counts, that is the answer, because nothing earlier counts either. Otherwise the message is searched for
//!    again, alone.
//!
//! Numbers rise in the order of entering, and positions in the order of messages. A message may be entered twice, and then has two numbers,
//! of which only the later is kept. So kept messages rise in both.
//!
//! A message that was entered and is not kept counts for no other, and leaves with the window. If a message that was not entered is kept,
//! the messages after it lose their places. Each is entered again when its turn comes.

use std::collections::VecDeque;

use super::VerifyWindow;
use super::index::{Found, Index, Question, Searcher};
use crate::fingerprint::Digest;
use crate::hash::HashSet;
use crate::near::overlap::Features;
use crate::parallel::at_once;
use crate::reach::Reach;
use crate::record::Pos;
use crate::text::Gist;

/// Fewer messages than this are searched for by one thread, because it is done before other threads could begin.
pub(crate) const LEAST_AHEAD: usize = 48;
/// For how many batches messages are entered early after a batch of one template.
const ENTERED: u32 = 24;
/// Messages that a thread takes at a time.
const CHUNK: usize = 16;

/// The state of the current batch before its messages are judged, and the counts of the last one.
pub(super) struct Ahead {
    /// The messages that were searched for before their turn, in order.
    coming: VecDeque<Coming>,
    /// The buffers of the other threads.
    pub(super) crew: Vec<Searcher>,
    /// The number of the first message that was entered or kept after the search for `coming`.
    since: u64,
    /// Whether the messages kept before `since` were searched for `coming`.
    is_searched: bool,
    /// For how many more batches messages are entered before their turn.
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
    /// The earliest message that it repeats, of those kept or entered by then.
    pub(super) found: Option<Found>,
    /// Its number, if it was entered.
    pub(super) entered: Option<u64>,
    /// Its features, if they are known.
    pub(super) features: Features,
}

impl VerifyWindow {
    /// Searches the kept messages, on `threads` threads, for those that the next messages repeat. These must then come at exactly these
    /// positions. A message that is left out is judged all the same. Returns the messages that must be [entered](Self::enter_ahead) and
    /// [searched for](Self::search_entered) before the first is judged.
    pub(crate) fn look_ahead<'g>(&mut self, coming: &[(Pos, &'g Gist)], threads: usize) -> Vec<(Pos, &'g Gist)> {
        self.ahead.clear();
        self.ahead.since = self.index.overlap.mark();
        let asked = self.unknown(coming);
        let is_entered = self.ahead.choose(asked.len(), self.searcher.since_mark());
        let is_searched = self.ahead.is_searched;
        let questions: Vec<_> = asked.iter().map(|(pos, gist, _)| self.question(*pos, gist)).collect();
        let answers = by_all(&self.index, &mut self.ahead.crew, &questions, threads, |index, searcher, question| {
            let found = if is_searched { index.find_first(searcher, question) } else { None };
            let mut features = Features::default();
            if is_entered && found.is_none() {
                if is_searched {
                    // The search has read them.
                    features = std::mem::take(&mut searcher.features).without_slots();
                } else {
                    index.read(question.gist, &mut features);
                }
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

    /// Enters the messages of the batch that repeat nothing, as far as is known.
    pub(crate) fn enter_ahead(&mut self, new: &[(Pos, &Gist)]) {
        // Messages that are not kept leave only with the window. If there are too many of them, nothing is entered.
        if self.index.rests.len() > self.length as usize + new.len() {
            self.ahead.clear();
            return;
        }
        let entered = self.ahead.coming.iter_mut().filter(|coming| coming.found.is_none());
        for (own, (pos, gist)) in entered.zip(new) {
            debug_assert_eq!(own.pos, *pos);
            own.entered = Some(self.index.enter(gist, &own.features, *pos, false));
        }
    }

    /// Searches, on `threads` threads, for the messages that the entered ones repeat: each other, and also all kept messages unless these
    /// were searched already.
    pub(crate) fn search_entered(&mut self, new: &[(Pos, &Gist)], threads: usize) {
        let from = if self.ahead.is_searched { self.ahead.since } else { 0 };
        let entered = self.ahead.coming.iter().filter_map(|coming| Some((coming, coming.entered?)));
        let questions = entered.zip(new).map(|((own, number), (pos, gist))| {
            debug_assert_eq!(own.pos, *pos);
            let (unsettled, features) = (self.ahead.since, Some(&own.features));
            Question { among: from..number, unsettled, features, ..self.question(*pos, gist) }
        });
        let questions: Vec<_> = questions.collect();
        debug_assert!(questions.len() == new.len() || questions.is_empty(), "all are entered, or none");
        let answers = by_all(&self.index, &mut self.ahead.crew, &questions, threads, Index::find_first);
        let entered = self.ahead.coming.iter_mut().filter(|coming| coming.entered.is_some());
        entered.zip(answers).for_each(|(own, found)| own.found = found);
    }

    /// Returns the messages without a known answer, with their digests. Of equal messages it returns only the first.
    fn unknown<'g>(&mut self, coming: &[(Pos, &'g Gist)]) -> Vec<(Pos, &'g Gist, Digest)> {
        if let Some((first, _)) = coming.first() {
            self.expire(*first);
        }
        // The answers of later equal gists will be known when their turn comes.
        let mut seen = HashSet::default();
        let is_known =
            |digest: &Digest, pos: Pos| self.answers.get(digest).is_some_and(|known| known.of.0 + self.length >= pos.0);
        let asked = coming.iter().filter(|(_, gist)| gist.body.list.len() >= 2);
        let asked = asked.map(|(pos, gist)| (*pos, *gist, self.answers.digest(gist)));
        asked.filter(|(pos, _, digest)| !is_known(digest, *pos) && seen.insert(*digest)).collect()
    }

    /// Makes the question for the message at `pos`.
    fn question<'g>(&self, pos: Pos, gist: &'g Gist) -> Question<'g> {
        Question { oldest: Pos(pos.0.saturating_sub(self.length)), ..Question::of(gist, Reach::ALL) }
    }

    /// Keeps the current message, if it was entered before its turn under this number, and returns whether it was. If it was not, the
    /// entered messages after it lose their places.
    pub(super) fn keep_entered(&mut self, entered: Option<u64>) -> bool {
        self.ahead.kept += 1;
        let is_kept = entered.is_some_and(|number| self.index.rests.keep(number));
        if !is_kept && self.ahead.coming.iter().any(|coming| coming.entered.is_some()) {
            self.ahead.clear();
        }
        is_kept
    }
}

/// Answers questions on many threads, each of which has a searcher of the crew.
fn by_all<'q, R: Send>(
    index: &Index,
    crew: &mut Vec<Searcher>,
    questions: &[Question<'q>],
    threads: usize,
    answer: impl Fn(&Index, &mut Searcher, &Question<'q>) -> R + Sync,
) -> Vec<R> {
    if crew.len() != threads {
        *crew = (0..threads).map(|_| index.searcher()).collect();
    }
    at_once(questions, CHUNK, crew, |searcher, question| answer(index, searcher, question))
}

impl Ahead {
    /// Makes the state in which nothing is known of any batch.
    pub(super) fn new() -> Self {
        let (coming, crew) = Default::default();
        Self { coming, crew, since: 0, is_searched: true, to_enter: 0, asked: 0, kept: 0 }
    }

    /// Forgets the answers for the messages that come next.
    pub(super) fn clear(&mut self) {
        self.coming.clear();
    }

    /// Chooses, by the last batch, how the next one is handled. `asked` is how many of its messages are searched for. `twice` is how many
    /// messages of the last batch were also searched for among those kept since. Returns whether messages are entered before their turn.
    fn choose(&mut self, asked: usize, twice: usize) -> bool {
        let before = std::mem::replace(&mut self.asked, asked);
        let kept = std::mem::take(&mut self.kept);
        self.is_searched = before < LEAST_AHEAD || 16 * kept < 15 * before;
        let is_template = before >= LEAST_AHEAD && 2 * twice > before;
        self.to_enter = if is_template { ENTERED } else { self.to_enter.saturating_sub(1) };
        self.to_enter > 0 || !self.is_searched
    }

    /// Returns the answer found ahead for the message at `pos`, whose turn it is. Drops the answers for messages before it.
    pub(super) fn take(&mut self, pos: Pos) -> Option<Coming> {
        while self.coming.front().is_some_and(|coming| coming.pos < pos) {
            self.coming.pop_front();
        }
        let is_there = self.coming.front().is_some_and(|coming| coming.pos == pos);
        if is_there { self.coming.pop_front() } else { None }
    }

    /// Returns the number from which on messages must still be searched. Those kept before the batch were searched, unless a repeated
    /// message was found among them that does not count.
    pub(super) fn unsearched(&self, own: &Coming) -> u64 {
        let is_searched = own.found.as_ref().is_none_or(|found| found.number >= self.since);
        if is_searched { self.since } else { 0 }
    }
}

impl Searcher {
    /// How many messages were also searched for among those kept since the last mark, because they had much in common. Resets the count.
    fn since_mark(&mut self) -> usize {
        std::mem::take(&mut self.buffers.since_mark)
    }
}
