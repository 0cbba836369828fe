//! The limit of memory: how much the options need at least, and what the state forgets when memory is full.

use super::State;
use super::renewals::Renewals;
use super::tally::Tally;
use crate::bodies::SpelledBodies;
use crate::config::{Config, ExactMode, NearMode, OnFull};
use crate::error::{Error, Result};
use crate::fingerprint::Printed;
use crate::ids::Ids;
use crate::locale::tr;
use crate::near::NearStage;
use crate::record::Pos;

/// Messages between two measurements of memory.
pub(super) const CHECK: u64 = 1 << 10;
/// If the messages kept since the last measurement have this many tokens together, memory is measured at once. Ordinary posts never do.
const CHECK_TOKENS: usize = 1 << 20;

/// Bytes that an empty state must leave free for messages: the first tables of a near stage and some ten thousand posts.
const ROOM: u64 = 8_000_000;

/// The refusal of a small limit names the needed limit in this unit.
const MEGABYTE: u64 = 1_000_000;

/// A limit of memory.
#[derive(Clone, Copy)]
pub(super) struct MemoryLimit {
    /// Bytes for the state.
    most: u64,
    on_full: OnFull,
    /// Bytes in use after the last forgetting.
    after_forgetting: u64,
    /// Tokens of the messages that were kept since the last measurement.
    unmeasured: usize,
}

impl MemoryLimit {
    /// The limit that a configuration sets.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        config.memory_for_messages().map(|most| Self {
            most,
            on_full: config.on_full,
            after_forgetting: 0,
            unmeasured: 0,
        })
    }

    /// Notes that a message was kept.
    pub(super) fn note_kept(&mut self, printed: &Printed) {
        self.unmeasured += printed.gist.as_ref().map_or(0, |gist| gist.body.list.len());
    }
}

/// Refuses a limit that is too small for an empty state and some messages. The refusal names a limit that is large enough.
pub(super) fn check(state: &State, config: &Config) -> Result<()> {
    let (Some(given), Some(mut lacking)) = (config.max_memory, lacking(state)) else { return Ok(()) };
    let mut least = given;
    loop {
        least = (least + lacking).next_multiple_of(MEGABYTE);
        match self::lacking(&State::empty(&Config { max_memory: Some(least), ..config.clone() })?) {
            Some(more) => lacking = more,
            None => break,
        }
    }
    let smaller = match (config.near, config.exact) {
        (NearMode::Hybrid, ExactMode::Bloom | ExactMode::Verified) => {
            tr!("; a smaller --verify-window or --capacity needs less")
        }
        (NearMode::Hybrid, _) => tr!("; a smaller --verify-window needs less"),
        (_, ExactMode::Bloom | ExactMode::Verified) => tr!("; a smaller --capacity needs less"),
        _ => String::new(),
    };
    let reason =
        tr!("{given} (bytes) is too small: these options need {}MB{smaller}", least / MEGABYTE, given, smaller);
    Err(Error::config("--max-memory", reason))
}

/// Bytes by which the limit is too small for an empty state; `None` if it is large enough.
fn lacking(state: &State) -> Option<u64> {
    let limit = state.limit?;
    Some((state.bytes() + ROOM).saturating_sub(limit.most)).filter(|lacking| *lacking > 0)
}

impl State {
    /// Forgets the oldest messages if memory is full. It measures every [`CHECK`] messages, and sooner if they are very long, so the
    /// moment does not depend on the batches. Memory of forgotten messages may stay allocated for later ones. So memory counts as full again only once
    /// it has grown since the last forgetting.
    pub(super) fn make_room(&mut self) -> Result<()> {
        let is_due = |limit: &MemoryLimit| self.next.is_multiple_of(CHECK) || limit.unmeasured >= CHECK_TOKENS;
        let Some(limit) = self.limit.filter(is_due) else { return Ok(()) };
        let limit = MemoryLimit { unmeasured: 0, ..limit };
        self.limit = Some(limit);
        let bytes = self.bytes();
        let begins = limit.most - limit.most / 8;
        if bytes <= begins.max(limit.after_forgetting.min(limit.most)) {
            return Ok(());
        }
        let from = self.clock.floor().0;
        let there = self.next - from;
        let over = bytes > limit.most;
        let part = match limit.on_full {
            OnFull::Stop if over => {
                return Err(Error::Limit(
                    "memory is as full as --max-memory allows; raise it, or give a --window or --on-full expire-oldest",
                ));
            }
            OnFull::Stop => return Ok(()),
            OnFull::ExpireOldest if over && there <= CHECK => there,
            OnFull::ExpireOldest => there / if over { 2 } else { 8 },
        };
        let before = Pos(from + part);
        self.clock.forget(before);
        self.forget_before(before);
        let after_forgetting = self.bytes();
        if part == there && after_forgetting > limit.most {
            return Err(Error::Limit("the last messages alone take more than --max-memory allows; raise it"));
        }
        self.limit = Some(MemoryLimit { after_forgetting, ..limit });
        Ok(())
    }

    /// Whether the state takes more memory than the limit allows, so that half of it is about to be forgotten.
    pub(crate) fn exceeds_limit(&self) -> bool {
        self.limit.is_some_and(|limit| limit.on_full == OnFull::ExpireOldest && self.bytes() > limit.most)
    }

    /// Heap bytes of the whole state.
    pub fn bytes(&self) -> u64 {
        let near = self.near.as_ref().map_or(0, NearStage::bytes);
        let names = self.ids.as_ref().map_or(0, Ids::bytes) + self.bodies.as_ref().map_or(0, SpelledBodies::bytes);
        let tally = self.tally.as_ref().map_or(0, Tally::bytes) + self.renewals.as_ref().map_or(0, Renewals::bytes);
        (self.exact.filter_bytes() + self.exact.trie_bytes() + near + names + tally + self.clock.bytes()) as u64
    }
}
