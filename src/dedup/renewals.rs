//! Kept messages that a repeat makes young again, under [`Config::refresh`].
//!
//! Take a window of an hour. A is kept at 10:00, and B, at 10:40, repeats it. A is stored once more, under B's position and
//! time and its own text and id. So a copy of 11:30 is a repeat of A, and not of B: a repeat is never what others are compared
//! with. Without this, A would be out of the window at 11:00.
//!
//! A message that comes ten thousand times an hour must not be stored as often. So a repeat renews only what was kept or
//! renewed at least a sixteenth of the window before: there are at most 17 entries for it in the window, and it is out of
//! the window at the latest a window after its last repeat, and at the earliest a sixteenth before that.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use super::{Remembered, State};
use crate::config::Config;
use crate::error::Result;
use crate::fingerprint::{Digest, Printed};
use crate::hash::memory::on_heap;
use crate::record::{Pos, RecordId, Verdict};
use crate::text::Gist;

/// A repeat renews a message only if the message is at least as old as the window divided by this number.
pub(super) const RENEWAL_PARTS: u64 = 16;

/// The prints of the entries in the window, by position, and the entries that belong to one message.
#[derive(Default)]
pub(super) struct Renewals {
    kept: VecDeque<(Pos, Box<Printed>)>,
    /// For each entry that renews a message: the position where that message was kept.
    origins: BTreeMap<Pos, Pos>,
    /// For each renewed message, by the position where it was kept: its youngest entry.
    newest: BTreeMap<Pos, Pos>,
    /// The last entry that renews another.
    last: Option<Renewal>,
    /// Heap bytes of the prints.
    bytes: usize,
}

/// An entry that renews another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Renewal {
    at: Pos,
    /// The entry that was the youngest before.
    of: Pos,
    /// Where the message was kept.
    pub(crate) kept: Pos,
    /// How often the message was repeated before: exactly, and nearly.
    counts: [u64; 2],
}

impl Renewals {
    /// An empty value if the configuration asks for renewing; else `None`.
    pub(super) fn of(config: &Config) -> Option<Self> {
        config.refresh.then(Self::default)
    }

    pub(super) fn push(&mut self, pos: Pos, printed: Printed) {
        self.bytes += heap_bytes(&printed);
        self.kept.push_back((pos, Box::new(printed)));
    }

    /// The youngest entry of the message that has an entry at `pos`.
    pub(super) fn newest(&self, pos: Pos) -> Pos {
        self.newest.get(&self.origin(pos)).copied().unwrap_or(pos)
    }

    /// The position where the message with an entry at `pos` was kept.
    fn origin(&self, pos: Pos) -> Pos {
        self.origins.get(&pos).copied().unwrap_or(pos)
    }

    fn get(&self, pos: Pos) -> Option<&Printed> {
        let at = self.kept.binary_search_by_key(&pos, |(kept, _)| *kept).ok()?;
        self.kept.get(at).map(|(_, printed)| &**printed)
    }

    pub(super) fn forget(&mut self, before: Pos) {
        while self.kept.front().is_some_and(|(pos, _)| *pos < before) {
            if let Some((_, printed)) = self.kept.pop_front() {
                self.bytes -= heap_bytes(&printed);
            }
        }
        while let Some(first) = self.origins.first_entry().filter(|first| *first.key() < before) {
            let (pos, origin) = first.remove_entry();
            if self.newest.get(&origin) == Some(&pos) {
                self.newest.remove(&origin);
            }
        }
    }

    /// Heap bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let maps = (self.origins.len() + self.newest.len()) * 2 * size_of::<Pos>();
        self.bytes + self.kept.capacity() * size_of::<(Pos, Box<Printed>)>() + maps
    }
}

/// Heap bytes of a message, with its box.
fn heap_bytes(printed: &Printed) -> usize {
    let gist = printed.gist.as_ref().map_or(0, |gist| on_heap(size_of::<Gist>()) + gist.heap_bytes());
    let signature = printed.signature.as_ref().map_or(0, |signature| on_heap(size_of_val(&**signature)));
    let body = printed.body.as_ref().map_or(0, |body| on_heap(body.len()));
    on_heap(size_of::<Printed>()) + gist + signature + body
}

impl State {
    /// The youngest entry of the kept message that has an entry at `of`.
    pub(super) fn newest(&self, of: Pos) -> Pos {
        self.renewals.as_ref().map_or(of, |renewals| renewals.newest(of))
    }

    /// The position where the message with an entry at `of` was kept.
    pub(super) fn origin(&self, of: Pos) -> Pos {
        self.renewals.as_ref().map_or(of, |renewals| renewals.origin(of))
    }

    /// Stores the kept message that the message at `pos` repeats once more, if it is old enough. `digest` is the digest of
    /// the repeat.
    pub(super) fn renew(&mut self, digest: Option<Digest>, pos: Pos, verdict: Verdict) -> Result<()> {
        let Some(of) = verdict.of().filter(|of| self.clock.is_stale(*of, RENEWAL_PARTS)) else { return Ok(()) };
        let Some(printed) = self.renewals.as_ref().and_then(|renewals| renewals.get(of)).cloned() else {
            return Ok(());
        };
        let counts = self.tally.as_ref().map_or([0, 0], |tally| tally.counts_of(of));
        let id = self.id(of);
        self.clock.keep();
        let reach = self.clock.reach();
        if let Some(near) = &mut self.near {
            near.restore(&printed, pos, Pos(pos.0 + 1), &reach)?;
        }
        for digest in [printed.digest, digest].into_iter().flatten() {
            self.exact.look_up(digest, &reach)?;
            self.exact.remember(digest, pos, pos)?;
        }
        self.enter_renewal(Renewal { at: pos, of, kept: self.origin(of), counts }, id, Cow::Owned(printed));
        self.forget_entered();
        Ok(())
    }

    /// Stores a renewal, and moves the counts of the message to it.
    pub(super) fn enter_renewal(&mut self, renewal: Renewal, id: Option<RecordId<'_>>, printed: Cow<'_, Printed>) {
        let Renewal { at, of, kept, counts } = renewal;
        if let Some(tally) = &mut self.tally {
            tally.renew(of, at, counts);
        }
        if let Some(renewals) = &mut self.renewals {
            renewals.origins.insert(at, kept);
            renewals.newest.insert(kept, at);
            renewals.last = Some(renewal);
        }
        self.enter(at, printed, || id);
    }

    /// The entry that the message at `pos` made, if it renewed the kept message that it repeats.
    pub(super) fn renewed(&self, pos: Pos) -> Option<Remembered<'_>> {
        let renewals = self.renewals.as_ref()?;
        let renewal = renewals.last.filter(|last| last.at == pos)?;
        let printed = Cow::Borrowed(renewals.get(pos)?);
        let id = self.id(pos).unwrap_or(RecordId::Number(pos.0 + 1));
        let stamp = self.clock.stamp();
        Some(Remembered { pos, of: None, exact: false, stamp, id, printed, renewal: Some(renewal) })
    }
}
