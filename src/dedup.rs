//! The steps joined. A plain synchronous value: no threads, no input or output, no clock.
//!
//! # Which messages are kept
//! In the order of their positions, *m is kept if and only if no earlier message has the same digest and no earlier kept k is
//! near m* to the engine; under a [window](Config::window), such a message counts only within [`reach`](crate::reach), and an
//! equal one only if the kept message that it is or repeats does. So no two kept messages are alike, and each dropped one names an earlier kept message that it
//! repeats: the earliest one, or the one that its equal repeats. The kept set is unique, whatever the number of threads and
//! whatever structure finds the neighbours: the first maximal independent set, in input order, of the graph "equal or near".

use std::borrow::Cow;

use crate::bodies::Bodies;
use crate::config::{Config, ExactMode, OnFull};
use crate::error::{Error, Result};
use crate::exact::{ExactStage, Seen};
use crate::fingerprint::{Printed, Printer};
use crate::ids::Ids;
use crate::near::difference::told;
use crate::near::{NearMatch, NearStage};
use crate::reach::{Clock, ClockState, Stamp};
use crate::record::{Engine, Judged, Pos, Record, RecordId, Verdict};
use crate::text::Clean;

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
        Ok(Self { printer: Printer::new(&config), state: State::new(&config)?, clean: Clean::default() })
    }

    /// Judges the next message.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) beyond 2^29 kept messages, or if the paper's trie is full.
    pub fn judge(&mut self, record: &Record<'_>) -> Result<Judged> {
        let printed = self.printer.print(record, &mut self.clean);
        let (pos, verdict) = self.state.judge(&printed, record.time, || record.id.clone())?;
        let of = verdict.of().and_then(|of| self.state.id(of));
        let differs = self.state.differences(&printed, verdict);
        Ok(Judged { pos, verdict, of, differs })
    }
}

/// Messages between two measurements of memory.
const CHECK: u64 = 1 << 10;

const TOO_SMALL: &str =
    "--max-memory is too small for what these options take; a smaller --verify-window or --capacity takes less";

/// A limit of memory.
#[derive(Clone, Copy)]
struct Memory {
    most: u64,
    on_full: OnFull,
    /// Bytes after something was forgotten last.
    least: u64,
}

/// A message that is remembered: one that was kept, or a near repeat, whose equals repeat the same kept message.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered<'a> {
    /// Its position.
    pub pos: Pos,
    /// The kept message that it repeats; none if it was kept.
    pub of: Option<Pos>,
    /// When it was said, under a window of time.
    pub stamp: Option<Stamp>,
    /// Its id; that of a repeat does not matter.
    pub id: RecordId<'a>,
    /// What the stages know it by; of a repeat, only the digest matters.
    pub printed: Cow<'a, Printed>,
}

/// Everything that is remembered about the messages so far: the part of a [`Deduplicator`] that must see them in order.
/// The pipeline prints batches on many threads and brings them here one after another.
pub struct State {
    exact: ExactStage,
    /// Whether a filter decides what is exact, without a trie.
    exact_alone: bool,
    near: Option<NearStage>,
    ids: Option<Ids>,
    bodies: Option<Bodies>,
    clock: Clock,
    memory: Option<Memory>,
    next: u64,
}

impl State {
    /// The state before the first message.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) naming the option that cannot work.
    pub fn new(config: &Config) -> Result<Self> {
        config.validate()?;
        Ok(Self {
            exact: ExactStage::new(config)?,
            exact_alone: config.exact == ExactMode::Bloom,
            near: NearStage::new(config),
            ids: config.remember_ids.then(Ids::default),
            bodies: config.explain.then(|| Bodies::new(config.verify_window)),
            clock: Clock::new(config.window),
            memory: config.max_memory.map(|most| Memory { most, on_full: config.on_full, least: 0 }),
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
        let pos = Pos(self.next);
        self.clock.tick(pos, time);
        let verdict = self.decide(printed, pos)?;
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

    /// Lets a position go by: a line that is no message.
    pub fn pass(&mut self) {
        self.next += 1;
    }

    fn decide(&mut self, printed: &Printed, pos: Pos) -> Result<Verdict> {
        let reach = self.clock.reach();
        if let Some(digest) = printed.digest
            && let Seen::Before { of } = self.exact.look_up(digest, &reach)?
        {
            return Ok(Verdict::Exact { of });
        }
        let mut verdict = Verdict::Kept;
        if let Some(near) = &mut self.near {
            match near.earliest(printed, pos, &reach)? {
                Some(NearMatch { of, engine, by }) => verdict = Verdict::Near { of, engine, by },
                None => near.remember(printed, pos, &reach)?,
            }
        }
        if let Some(digest) = printed.digest {
            self.exact.remember(digest, verdict.of().unwrap_or(pos), pos)?;
        }
        Ok(verdict)
    }

    /// What must be written down of the message judged last, so that it can be [restored](Self::restore); none if nothing of
    /// it was remembered.
    pub fn remembered<'a>(
        &self,
        pos: Pos,
        verdict: Verdict,
        printed: &'a Printed,
        id: impl FnOnce() -> RecordId<'a>,
    ) -> Option<Remembered<'a>> {
        let (of, id) = match verdict {
            Verdict::Exact { .. } => return None,
            Verdict::Near { of, .. } => (Some(of), RecordId::Number(0)),
            Verdict::Kept => (None, id()),
        };
        Some(Remembered { pos, of, stamp: self.clock.stamp(), id, printed: Cow::Borrowed(printed) })
    }

    /// Remembers a message again, in the place of judging it. Positions must rise; all come before `next`.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn restore(&mut self, message: Remembered<'_>, next: Pos) -> Result<()> {
        let Remembered { pos, of, stamp, id, printed } = message;
        self.clock.restore(pos, stamp);
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
    pub fn restored(&mut self, clock: ClockState, next: Pos) {
        self.exact.restored();
        self.clock.resume(clock, next);
        self.next = next.0;
        self.forget_before(self.clock.reach().floor);
    }

    /// The position of the message that comes next.
    pub fn next(&self) -> Pos {
        Pos(self.next)
    }

    /// Nothing before this can decide a verdict any longer. It can be before what the window holds: a filter alone forgets
    /// its texts part by part.
    pub fn needed(&self) -> Pos {
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

    /// Forgets the oldest messages if memory is full. It is measured every so many messages, whatever the batches are. What was
    /// allocated for messages that are gone may stay allocated for those to come, so that only a growth since the last time
    /// says that it is full again.
    fn make_room(&mut self) -> Result<()> {
        let Some(memory) = self.memory.filter(|_| self.next.is_multiple_of(CHECK)) else { return Ok(()) };
        let bytes = self.bytes();
        let begins = memory.most - memory.most / 8;
        if bytes <= begins.max(memory.least.min(memory.most)) {
            return Ok(());
        }
        let from = self.clock.reach().floor.0;
        let there = self.next - from;
        let over = bytes > memory.most;
        let part = match memory.on_full {
            OnFull::Stop if over => return Err(Error::Limit("memory is as full as --max-memory allows")),
            OnFull::Stop => return Ok(()),
            OnFull::ExpireOldest if over && there < 4 * CHECK => return Err(Error::Limit(TOO_SMALL)),
            OnFull::ExpireOldest => there / if over { 2 } else { 8 },
        };
        let before = Pos(from + part);
        self.clock.forget(before);
        self.forget_before(before);
        let least = self.bytes();
        self.memory = Some(Memory { least, ..memory });
        Ok(())
    }

    fn forget_before(&mut self, before: Pos) {
        self.exact.forget(before);
        if let Some(near) = &mut self.near {
            near.forget(before);
        }
        self.forget();
    }

    /// Heap bytes of all that is remembered.
    pub fn bytes(&self) -> u64 {
        let near = self.near.as_ref().map_or(0, NearStage::bytes);
        let names = self.ids.as_ref().map_or(0, Ids::bytes) + self.bodies.as_ref().map_or(0, Bodies::bytes);
        (self.exact.filter_bytes() + self.exact.trie_bytes() + near + names + self.clock.bytes()) as u64
    }

    /// The clock, for what it says of the messages' times.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The id of a kept message, if ids are remembered.
    pub fn id(&self, pos: Pos) -> Option<RecordId<'static>> {
        self.ids.as_ref()?.get(pos)
    }

    /// The stretches `[old, new]` in which the body of the message judged last differs from that of the kept one that it
    /// repeats, in order: at most [`MOST`](crate::near::difference::MOST), each side cut to
    /// [`SHOWN`](crate::near::difference::SHOWN) characters. `None` but for near repeats that the texts decided, under
    /// [`Config::explain`].
    pub fn differences(&self, printed: &Printed, verdict: Verdict) -> Option<Vec<[String; 2]>> {
        let Verdict::Near { of, engine: Engine::Overlap, .. } = verdict else { return None };
        Some(told(self.bodies.as_ref()?.get(of)?, printed.body.as_ref()?))
    }

    /// The exact stage, for its health.
    pub fn exact(&self) -> &ExactStage {
        &self.exact
    }

    /// The near stage, for its size.
    pub fn near(&self) -> Option<&NearStage> {
        self.near.as_ref()
    }
}

#[cfg(test)]
mod tests;
