//! Joins the stages: [`Deduplicator`] judges one message after another. A plain synchronous value: no threads, no input or
//! output, no clock.
//!
//! # Which messages are kept
//! Take A, then B near A, then C equal to B. A is kept. B repeats A nearly. C repeats B's text, so C is an exact repeat, and
//! its verdict names A, the kept message that B repeats. Now take a D that is near B but not near A: D is kept, because B is
//! not a kept message.
//!
//! The rule, in the order of positions: *a message m is kept if and only if no earlier message has the same digest and no
//! earlier kept message is near m* for the engine.
//!
//! Under a [window](Config::window), only messages within [`reach`](crate::reach) count. For a near match, the kept message
//! must be within reach. For an equal message, its kept message must be within reach: the equal message itself if it was
//! kept, else the kept message that it repeats. In the example, C is judged by the age of A, not of B. Under
//! [`Config::refresh`] the age of a kept message is that of its last repeat, [to a sixteenth](renewals) of the window.
//!
//! A filter that decides alone ([`ExactMode::Bloom`](crate::config::ExactMode::Bloom)) and the structures of the paper err for
//! exact repeats: they can drop a new message, and they name no message or a wrong one. All other modes guarantee:
//! - No two kept messages within reach are equal or near.
//! - Each dropped message names an earlier kept message: the earliest kept message near it, or the kept message of its equal.
//! - The kept set is unique. It depends neither on the number of threads nor on the structure that finds the neighbours. It
//!   is the first maximal independent set, in input order, of the graph whose edges are "equal or near".

mod ahead;
mod memory_limit;
mod renewals;
mod restore;
mod tally;

use std::borrow::Cow;

use crate::bodies::SpelledBodies;
use crate::config::Config;
use crate::error::Result;
use crate::exact::{ExactStage, Seen};
use crate::fingerprint::{Digest, Printed, Printer};
use crate::ids::Ids;
use crate::near::{NearStage, Searcher};
use crate::reach::{Clock, Stamp};
use crate::record::{Engine, Judged, OfId, Pos, Record, RecordId, Verdict};
use crate::rule::difference::shown;
use crate::text::Clean;
use memory_limit::MemoryLimit;
pub(crate) use renewals::Renewal;
use renewals::Renewals;
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
    /// A deduplicator that has seen no message. Loads jieba's dictionary if word shingles are asked for (0.1–1 s).
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) naming the option that cannot work.
    pub fn new(config: Config) -> Result<Self> {
        config.validate()?;
        config.refuse_scope()?;
        // No method of this type returns the counts.
        let config = Config { recount: false, ..config };
        Ok(Self { printer: Printer::new(&config), state: State::new(&config)?, clean: Clean::default() })
    }

    /// Judges the next message.
    ///
    /// # Errors
    /// As those of [`State::judge`]. After an error, do not use this again; make it anew.
    pub fn judge(&mut self, record: &Record<'_>) -> Result<Judged> {
        let printed = self.printer.print(record, &mut self.clean);
        let (pos, verdict) = self.state.judge(&printed, record.time, || record.id.clone())?;
        Ok(self.state.judged(&printed, pos, verdict, OfId::Named))
    }
}

/// A message in the state: a kept message; a near repeat, because later equals of it repeat the same kept message; or an
/// exact repeat, if repeats are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered<'a> {
    /// Its position.
    pub(crate) pos: Pos,
    /// The kept message that it repeats; `None` if it was kept.
    pub(crate) of: Option<Pos>,
    /// Whether it is an exact repeat. Stored only where repeats are counted.
    pub(crate) exact: bool,
    /// Its time, under a window of time.
    pub(crate) stamp: Option<Stamp>,
    /// Its id. Not used for a repeat.
    pub(crate) id: RecordId<'a>,
    /// Its fingerprints. Of a near repeat only the digest is used, of an exact repeat nothing.
    pub(crate) printed: Cow<'a, Printed>,
    /// If it is a kept message that a repeat renewed, under [`Config::refresh`]: which.
    pub(crate) renewal: Option<Renewal>,
}

/// The memory of all messages so far: the part of a [`Deduplicator`] that must see them in order. A run makes the
/// fingerprints of batches on many threads and gives them to this state one after another.
///
/// ```
/// use quchong::fingerprint::Printer;
/// use quchong::text::Clean;
/// use quchong::{Config, Record, State};
///
/// let config = Config::default();
/// let (printer, mut clean, mut state) = (Printer::new(&config), Clean::default(), State::new(&config)?);
/// let mut judge = |id: u64, text: &str| {
///     // This part can run on any thread, and the next one in the order of the messages.
///     let printed = printer.print(&Record::new(id, text), &mut clean);
///     let (_, verdict) = state.judge(&printed, None, || id.into())?;
///     Ok(verdict.is_kept())
/// };
/// assert!(judge(1, "今天武汉的樱花开了")?);
/// assert!(!judge(2, "今天武漢的櫻花開了！")?);
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct State {
    exact: ExactStage,
    /// Whether a filter decides alone what is an exact repeat, without a trie.
    exact_alone: bool,
    near: Option<NearStage>,
    ids: Option<Ids>,
    bodies: Option<SpelledBodies>,
    tally: Option<Tally>,
    renewals: Option<Renewals>,
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

    /// The state before the first message. Does not check the limit of memory.
    fn empty(config: &Config) -> Result<Self> {
        config.validate()?;
        Ok(Self {
            exact: ExactStage::new(config)?,
            exact_alone: config.exact.is_filter_alone(),
            near: NearStage::new(config),
            ids: config.remember_ids.then(Ids::default),
            bodies: config.explain.then(|| SpelledBodies::new(config.verify_window)),
            tally: Tally::of(config),
            renewals: Renewals::of(config),
            clock: Clock::new(config.window),
            limit: MemoryLimit::of(config),
            next: 0,
        })
    }

    /// Judges the next message. `time` is its event time in milliseconds since 1970. `id` is called only if the message is
    /// kept.
    ///
    /// # Errors
    /// - [`Error::Limit`](crate::Error::Limit) beyond 2^29 kept messages; if the paper's trie is full; if memory is full under
    ///   [`OnFull::Stop`](crate::config::OnFull::Stop); or if the last 1024 messages alone need more memory than
    ///   [`Config::max_memory`] allows.
    /// - [`Error::Config`](crate::Error::Config) if a further filter of the exact stage does not fit this machine.
    ///
    /// After an error, do not use the state again; make it anew or from disk.
    pub fn judge<'a>(
        &mut self,
        printed: &Printed,
        time: Option<i64>,
        id: impl FnOnce() -> RecordId<'a>,
    ) -> Result<(Pos, Verdict)> {
        let pos = Pos(self.next);
        self.clock.tick(pos, time);
        self.count_out();
        let mut verdict = self.decide(printed, pos)?;
        if self.renewals.is_some() {
            let youngest = verdict;
            verdict = youngest.mapped(|of| self.origin(of));
            self.renew(printed.digest, pos, youngest)?;
        }
        self.count(pos, verdict);
        if verdict.is_kept() {
            self.clock.keep();
            if let Some(limit) = &mut self.limit {
                limit.note_kept(printed);
            }
            self.forget_entered();
            self.enter(pos, Cow::Borrowed(printed), || Some(id()));
        }
        self.next += 1;
        self.make_room()?;
        Ok((pos, verdict))
    }

    /// Buffers for one more thread that calls [`find`](Self::find).
    pub(crate) fn searcher(&self) -> Option<Searcher> {
        self.near.as_ref()?.searcher()
    }

    /// What a message with this digest and these prints would repeat, if it came next. Changes nothing.
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
        self.near.as_ref()?.find(searcher, printed, &reach).map(Verdict::from)
    }

    /// The answer about the message judged last.
    pub(crate) fn judged(&self, printed: &Printed, pos: Pos, verdict: Verdict, of_id: OfId) -> Judged {
        let of = verdict.of().filter(|_| of_id == OfId::Named).and_then(|of| self.id(of));
        let (verdict, copy) = self.shown(verdict);
        Judged { pos, verdict, of, copy, differs: self.differences(printed, verdict) }
    }

    /// Gives a position to a message that an archive has judged. Remembers nothing of it.
    pub(crate) fn take_position_for_archive_hit(&mut self, time: Option<i64>) -> Pos {
        let pos = Pos(self.next);
        self.clock.tick(pos, time);
        self.count_out();
        self.next += 1;
        pos
    }

    /// Whether a message with this text came before. `None` if it is not known and may have been forgotten. Changes nothing.
    pub(crate) fn knows(&self, printed: &Printed) -> Option<bool> {
        // A message without a digest says nothing: it counts as known.
        let knows = printed.digest.is_none_or(|digest| self.exact.knows(digest));
        let forgets = self.limit.is_some() || self.clock.forgets() || !self.exact.remembers();
        (knows || !forgets).then_some(knows)
    }

    /// Skips a position, for a line that is no message.
    pub(crate) fn skip_position(&mut self) {
        self.next += 1;
    }

    fn decide(&mut self, printed: &Printed, pos: Pos) -> Result<Verdict> {
        let reach = self.clock.reach();
        if let Some(digest) = printed.digest
            && let Seen::Before { of } = self.exact.look_up(digest, &reach)?
        {
            return Ok(Verdict::Exact { of: of.map(|of| self.newest(of)) });
        }
        let found = match &mut self.near {
            Some(near) => near.judge(printed, pos, &reach)?,
            None => None,
        };
        let verdict = found.map_or(Verdict::Kept, |found| Verdict::from(found).mapped(|of| self.newest(of)));
        if let Some(digest) = printed.digest {
            self.exact.remember(digest, verdict.of().unwrap_or(pos), pos)?;
        }
        Ok(verdict)
    }

    /// Stores the id, the body and the prints of a message that others can repeat from now on, as far as each is stored.
    fn enter<'a>(&mut self, pos: Pos, printed: Cow<'_, Printed>, id: impl FnOnce() -> Option<RecordId<'a>>) {
        if let Some(ids) = &mut self.ids
            && let Some(id) = id()
        {
            ids.push(pos, id);
        }
        if let (Some(bodies), Some(body)) = (&mut self.bodies, &printed.body) {
            bodies.push(pos, body.clone());
        }
        if let Some(renewals) = &mut self.renewals {
            renewals.push(pos, printed.into_owned());
        }
    }

    /// The position of the message that comes next.
    pub fn next(&self) -> Pos {
        Pos(self.next)
    }

    /// Messages before this position cannot change any later verdict. It can lie before the window: a filter without a trie
    /// forgets its texts only part by part.
    pub(crate) fn needed(&self) -> Pos {
        let floor = self.clock.floor();
        let oldest = self.exact.oldest().filter(|_| self.exact_alone);
        oldest.map_or(floor, |oldest| oldest.min(floor))
    }

    /// Forgets the data of [entered](Self::enter) messages that can no longer count: ids, bodies and renewals.
    fn forget_entered(&mut self) {
        let floor = self.clock.floor();
        if let Some(ids) = &mut self.ids {
            ids.forget(floor);
        }
        if let Some(bodies) = &mut self.bodies {
            bodies.forget(floor);
        }
        if let Some(renewals) = &mut self.renewals {
            renewals.forget(floor);
        }
    }

    fn forget_before(&mut self, before: Pos) {
        self.count_out();
        self.forget_in_stages(before);
        self.forget_entered();
    }

    fn forget_in_stages(&mut self, before: Pos) {
        self.exact.forget(before);
        if let Some(near) = &mut self.near {
            near.forget(before);
        }
    }

    /// The clock, with its counts of messages whose time was not usable.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The id of a kept message, if ids are remembered.
    pub fn id(&self, pos: Pos) -> Option<RecordId<'static>> {
        self.ids.as_ref()?.get(self.newest(pos))
    }

    /// How the body of the last judged message differs from that of the kept message that it repeats: pairs `[old, new]` in
    /// order, at most 8, each side cut to 40 characters. `None` except under [`Config::explain`], for near repeats found by the repeat
    /// rule, and for exact repeats of a message that was itself dropped as a near repeat.
    pub fn differences(&self, printed: &Printed, verdict: Verdict) -> Option<Vec<[String; 2]>> {
        let (of, is_exact) = match verdict {
            Verdict::Near { of, engine: Engine::Overlap, .. } => (of, false),
            Verdict::Exact { of: Some(of) } => (of, true),
            _ => return None,
        };
        let differs = shown(self.bodies.as_ref()?.get(self.newest(of))?, printed.body.as_ref()?);
        (!is_exact || !differs.is_empty()).then_some(differs)
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
