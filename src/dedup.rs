//! The steps joined. A plain synchronous value: no threads, no input or output, no clock.
//!
//! # Which messages are kept
//! In the order of their positions, *m is kept if and only if no earlier message has the same digest and no earlier kept k is
//! near m* to the engine; under a [window](Config::window), such a message counts only within [`reach`](crate::reach), and an
//! equal one only if the kept message that it is or repeats does. So no two kept messages are alike, and each dropped one names an earlier kept message that it
//! repeats: the earliest one, or the one that its equal repeats. The kept set is unique, whatever the number of threads and
//! whatever structure finds the neighbours: the first maximal independent set, in input order, of the graph "equal or near".

mod memory_limit;
mod tally;

use std::borrow::Cow;

use crate::bodies::Bodies;
use crate::config::Config;
use crate::error::Result;
use crate::exact::{ExactStage, Seen};
use crate::fingerprint::{Digest, Printed, Printer};
use crate::ids::Ids;
use crate::near::difference::told;
use crate::near::{Foreseen, NearMatch, NearStage, Searcher};
use crate::reach::{Clock, ClockState, Stamp};
use crate::record::{Engine, Judged, Pos, Record, RecordId, Verdict};
use crate::text::Clean;
use memory_limit::MemoryLimit;
pub(crate) use tally::Recount;
use tally::Tally;

/// Judges messages one after another.
///
/// ```
/// use quchong::{Config, Deduplicator, Record, Verdict};
///
/// let mut dedup = Deduplicator::new(Config::default())?;
/// let kept = dedup.judge(&Record::new("a", "武汉加油！中国加油！"))?;
/// assert_eq!(kept.verdict, Verdict::Kept);
///
/// // Full-width, traditional script: the same text to a reader.
/// let repeat = dedup.judge(&Record::new("b", "武漢加油！中國加油!"))?;
/// assert_eq!(repeat.verdict.name(), "exact");
/// assert_eq!(repeat.of.unwrap().to_string(), "\"a\"");
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct Deduplicator {
    printer: Printer,
    state: State,
    clean: Clean,
}

impl Deduplicator {
    /// A deduplicator that has seen nothing. Loads jieba's dictionary if word shingles are asked for (0.1–1 s).
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) naming the option that cannot work.
    pub fn new(config: Config) -> Result<Self> {
        config.validate()?;
        config.refuse_scope()?;
        // Nobody could ask for the counts.
        let config = Config { recount: false, ..config };
        Ok(Self { printer: Printer::new(&config), state: State::new(&config)?, clean: Clean::default() })
    }

    /// Judges the next message.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 kept messages, or if the paper's trie is full.
    pub fn judge(&mut self, record: &Record<'_>) -> Result<Judged> {
        let printed = self.printer.print(record, &mut self.clean);
        let (pos, verdict) = self.state.judge(&printed, record.time, || record.id.clone())?;
        Ok(self.state.judged(&printed, pos, verdict))
    }
}

/// A message that is remembered: one that was kept, or a near repeat, whose equals repeat the same kept message; or an exact one
/// that was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered<'a> {
    /// Its position.
    pub(crate) pos: Pos,
    /// The kept message that it repeats; none if it was kept.
    pub(crate) of: Option<Pos>,
    /// Whether it repeats that one exactly; written down only where repeats are counted.
    pub(crate) exact: bool,
    /// When it was said, under a window of time.
    pub(crate) stamp: Option<Stamp>,
    /// Its id; that of a repeat does not matter.
    pub(crate) id: RecordId<'a>,
    /// What the stages know it by; of a near repeat, only the digest matters, of an exact one nothing.
    pub(crate) printed: Cow<'a, Printed>,
}

/// Everything that is remembered about the messages so far: the part of a [`Deduplicator`] that must see them in order.
/// A run prints batches on many threads and brings them here one after another.
pub struct State {
    exact: ExactStage,
    /// Whether a filter decides what is exact, without a trie.
    exact_alone: bool,
    near: Option<NearStage>,
    ids: Option<Ids>,
    bodies: Option<Bodies>,
    tally: Option<Tally>,
    clock: Clock,
    limit: Option<MemoryLimit>,
    next: u64,
}

impl State {
    /// The state before the first message.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) naming the option that cannot work.
    pub fn new(config: &Config) -> Result<Self> {
        let state = Self::empty(config)?;
        memory_limit::check(&state, config)?;
        Ok(state)
    }

    /// The state before the first message, whether or not it is within its limit of memory.
    fn empty(config: &Config) -> Result<Self> {
        config.validate()?;
        Ok(Self {
            exact: ExactStage::new(config)?,
            exact_alone: config.exact.is_filter_alone(),
            near: NearStage::new(config),
            ids: config.remember_ids.then(Ids::default),
            bodies: config.explain.then(|| Bodies::new(config.verify_window)),
            tally: Tally::of(config),
            clock: Clock::new(config.window),
            limit: MemoryLimit::of(config),
            next: 0,
        })
    }

    /// Judges the next message, of this event time in milliseconds since 1970. `id` is asked for only if the message is kept.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 kept messages, or if the paper's trie is full.
    pub fn judge<'a>(
        &mut self,
        printed: &Printed,
        time: Option<i64>,
        id: impl FnOnce() -> RecordId<'a>,
    ) -> Result<(Pos, Verdict)> {
        self.judge_foreseen(printed, time, id, None)
    }

    /// What a further thread [foresees](Self::foresee) with; none where that saves nothing.
    pub(crate) fn searcher(&self) -> Option<Searcher> {
        self.near.as_ref()?.searcher()
    }

    /// A batch begins, of which some will be [foreseen](Self::foresee); what must be told then.
    pub(crate) fn begin(&mut self) -> u64 {
        self.near.as_mut().map_or(0, NearStage::begin)
    }

    /// What a message of the batch that [began](Self::begin) last, with `from`, repeats of what was kept before: many threads can ask
    /// at once. It changes no verdict, and saves time when the message is [judged](Self::judge_foreseen) in its turn.
    pub(crate) fn foresee(&self, searcher: &mut Searcher, printed: &Printed, from: u64) -> Option<Foreseen> {
        self.near.as_ref()?.foresee(searcher, printed, from)
    }

    /// As [`judge`](Self::judge), with what was [foreseen](Self::foresee) of the message.
    pub(crate) fn judge_foreseen<'a>(
        &mut self,
        printed: &Printed,
        time: Option<i64>,
        id: impl FnOnce() -> RecordId<'a>,
        foreseen: Option<&Foreseen>,
    ) -> Result<(Pos, Verdict)> {
        let pos = Pos(self.next);
        self.clock.tick(pos, time);
        self.count_out();
        let verdict = self.decide(printed, pos, foreseen)?;
        self.count(pos, verdict);
        if verdict.is_kept() {
            self.clock.keep();
            self.forget();
        }
        if let (Verdict::Kept, Some(ids)) = (verdict, &mut self.ids) {
            ids.push(pos, id());
        }
        if let (Verdict::Kept, Some(bodies), Some(body)) = (verdict, &mut self.bodies, &printed.body) {
            bodies.push(pos, body.clone());
        }
        self.next += 1;
        self.make_room()?;
        Ok((pos, verdict))
    }

    /// What a message with this digest and these prints would repeat, if it came next; nothing is remembered of it.
    pub(crate) fn find(
        &self,
        searcher: Option<&mut Searcher>,
        digest: Option<Digest>,
        printed: &Printed,
    ) -> Option<Verdict> {
        let reach = self.clock.reach();
        if let Some(Seen::Before { of }) = digest.map(|digest| self.exact.find(digest, &reach)) {
            return Some(Verdict::Exact { of });
        }
        let NearMatch { of, engine, by } = self.near.as_ref()?.find(searcher, printed, &reach)?;
        Some(Verdict::Near { of, engine, by })
    }

    /// The answer about the message judged last.
    pub(crate) fn judged(&self, printed: &Printed, pos: Pos, verdict: Verdict) -> Judged {
        let of = verdict.of().and_then(|of| self.id(of));
        let (verdict, copy) = self.told(verdict);
        Judged { pos, verdict, of, copy, differs: self.differences(printed, verdict) }
    }

    /// Lets a message of this event time go by, which is judged elsewhere: its position is taken, and nothing is remembered of it.
    pub(crate) fn pass_by(&mut self, time: Option<i64>) -> Pos {
        let pos = Pos(self.next);
        self.clock.tick(pos, time);
        self.count_out();
        self.next += 1;
        pos
    }

    /// Lets a position go by: a line that is no message.
    pub(crate) fn pass(&mut self) {
        self.next += 1;
    }

    fn decide(&mut self, printed: &Printed, pos: Pos, foreseen: Option<&Foreseen>) -> Result<Verdict> {
        let reach = self.clock.reach();
        if let Some(digest) = printed.digest
            && let Seen::Before { of } = self.exact.look_up(digest, &reach)?
        {
            return Ok(Verdict::Exact { of });
        }
        let mut verdict = Verdict::Kept;
        if let Some(near) = &mut self.near {
            match near.earliest(printed, pos, &reach, foreseen)? {
                Some(NearMatch { of, engine, by }) => verdict = Verdict::Near { of, engine, by },
                None => near.remember(printed, pos, &reach)?,
            }
        }
        if let Some(digest) = printed.digest {
            self.exact.remember(digest, verdict.of().unwrap_or(pos), pos)?;
        }
        Ok(verdict)
    }

    /// What must be written down of the message judged last, so that it can be restored; none if nothing of
    /// it was remembered.
    pub fn remembered<'a>(
        &self,
        pos: Pos,
        verdict: Verdict,
        printed: &'a Printed,
        id: impl FnOnce() -> RecordId<'a>,
    ) -> Option<Remembered<'a>> {
        let exact = matches!(verdict, Verdict::Exact { .. });
        let (of, id, printed) = match verdict {
            Verdict::Kept => (None, id(), Cow::Borrowed(printed)),
            Verdict::Near { of, .. } => (Some(of), RecordId::Number(0), Cow::Borrowed(printed)),
            Verdict::Exact { of: Some(of) } if self.tally.is_some() => {
                (Some(of), RecordId::Number(0), Cow::Owned(Printed::default()))
            }
            Verdict::Exact { .. } => return None,
        };
        Some(Remembered { pos, of, exact, stamp: self.clock.stamp(), id, printed })
    }

    /// Remembers a message again, in the place of judging it. Positions must rise; all come before `next`.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub(crate) fn restore(&mut self, message: Remembered<'_>, next: Pos) -> Result<()> {
        let Remembered { pos, of, exact, stamp, id, printed } = message;
        self.clock.restore(pos, stamp);
        self.count_again(pos, of, exact);
        if of.is_none() {
            self.clock.keep();
        }
        let reach = self.clock.reach();
        if let Some(digest) = printed.digest {
            self.exact.restore(digest, of.unwrap_or(pos), pos, &reach)?;
        }
        if of.is_some() {
            return Ok(());
        }
        if let Some(near) = &mut self.near {
            near.restore(&printed, pos, next, &reach)?;
        }
        if let Some(ids) = &mut self.ids {
            ids.push(pos, id);
        }
        if let (Some(bodies), Some(body)) = (&mut self.bodies, &printed.body) {
            bodies.push(pos, body.clone());
        }
        self.forget();
        Ok(())
    }

    /// All that was remembered has been restored: the message at `next` can come.
    pub(crate) fn restored(&mut self, clock: ClockState, next: Pos) {
        self.exact.restored();
        self.clock.resume(clock, next);
        self.next = next.0;
        // Ids go with the next message: counts that are then told for the last time need them.
        self.forget_in_stages(self.clock.reach().floor);
    }

    /// The position of the message that comes next.
    pub fn next(&self) -> Pos {
        Pos(self.next)
    }

    /// Nothing before this can decide a verdict any longer. It can be before what the window holds: a filter alone forgets
    /// its texts part by part.
    pub(crate) fn needed(&self) -> Pos {
        let floor = self.clock.reach().floor;
        let oldest = self.exact.oldest().filter(|_| self.exact_alone);
        oldest.map_or(floor, |oldest| oldest.min(floor))
    }

    /// Lets go what cannot count any longer.
    fn forget(&mut self) {
        let floor = self.clock.reach().floor;
        if let Some(ids) = &mut self.ids {
            ids.forget(floor);
        }
        if let Some(bodies) = &mut self.bodies {
            bodies.forget(floor);
        }
    }

    fn forget_before(&mut self, before: Pos) {
        self.count_out();
        self.forget_in_stages(before);
        self.forget();
    }

    fn forget_in_stages(&mut self, before: Pos) {
        self.exact.forget(before);
        if let Some(near) = &mut self.near {
            near.forget(before);
        }
    }

    /// The clock, for what it says of the messages' times.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The id of a kept message, if ids are remembered.
    pub fn id(&self, pos: Pos) -> Option<RecordId<'static>> {
        self.ids.as_ref()?.get(pos)
    }

    /// The stretches `[old, new]` in which the body of the message judged last differs from that of the kept one that it
    /// repeats, in order: at most 8, each side cut to
    /// 40 characters. `None` but for near repeats that the texts decided, under
    /// [`Config::explain`].
    pub fn differences(&self, printed: &Printed, verdict: Verdict) -> Option<Vec<[String; 2]>> {
        let Verdict::Near { of, engine: Engine::Overlap, .. } = verdict else { return None };
        Some(told(self.bodies.as_ref()?.get(of)?, printed.body.as_ref()?))
    }

    /// The exact stage, for its health.
    pub(crate) fn exact(&self) -> &ExactStage {
        &self.exact
    }

    /// The near stage, for its size.
    pub(crate) fn near(&self) -> Option<&NearStage> {
        self.near.as_ref()
    }
}

#[cfg(test)]
mod tests;
