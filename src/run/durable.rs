//! A run that can be resumed: what it records after each batch, and how a later run continues from there.
//!
//! The output of a batch is written first. Then its remembered messages are committed, with the place in the input and the
//! lengths of the outputs. After a crash the last commit is therefore true of everything before it; anything beyond it in the
//! outputs is cut off and written again. Files end up as if nothing had happened. Standard output and other pipes cannot be
//! cut, so anything that they were given since the last commit, at most a batch, is written twice. After a power failure the
//! run continues from the last commit whose output is on disk.
//!
//! Input from a pipe cannot be read again. Its sender must send unanswered messages again; a message that was already
//! committed is then dropped as a repeat of itself.

mod note;
mod plan;
mod refusals;

use std::hash::Hasher;
use std::path::Path;

use super::recount::Reported;
use super::sink::Sink;
#[cfg(feature = "cli")]
use super::sink::Written;
use super::totals::Counts;
use crate::config::Config;
use crate::dedup::State;
use crate::error::{Error, Result};
use crate::fingerprint::Printed;
use crate::formats::source::Batch;
#[cfg(feature = "cli")]
use crate::formats::source::Followed;
use crate::hash::XxHash3_64;
use crate::locale::tr;
use crate::record::{Pos, RecordId, Verdict};
use crate::store::open::Opened;
use crate::store::{Store, Sync, to_bytes};
use note::FLOOR;
#[cfg(feature = "serve")]
pub(super) use note::SERVICE;
#[cfg(feature = "cli")]
pub(crate) use note::{ARCHIVES, RunNote, STDOUT};
pub(crate) use note::{Checkpoint, notes_of};
pub(crate) use plan::Plan;
use refusals::otherwise;

/// The state of a run in a folder, and how far the run has come.
pub struct Durable {
    /// The last number in the feed that was recorded before the run.
    pub(super) seq_floor: Option<u64>,
    pub(super) store: Store,
    pub(super) state: State,
    pub(super) checkpoint: Checkpoint,
    read: XxHash3_64,
    /// The note of the run, until it is written.
    note: Option<Vec<u8>>,
    damage: Vec<String>,
    /// Whether no run has used the state before.
    #[cfg(feature = "cli")]
    pub(crate) begins: bool,
    /// Whether this run resumes another.
    pub(super) goes_on: bool,
}

impl Durable {
    /// Opens the state, and moves the input to the place where the run continues. The caller must then cut the outputs to the
    /// lengths in [`written`](Self::written).
    ///
    /// # Errors
    /// [`Error::State`] if the state is damaged, in use, or of other options, or if the run to be resumed is another one;
    /// [`Error::Io`]; [`Error::Config`] if the input cannot be resumed.
    pub(crate) fn open(config: &mut Config, mut plan: Plan<'_>) -> Result<Self> {
        plan.check_resumed()?;
        let folder = plan.folder.display().to_string();
        let (lock, mut opened) = Opened::take(plan.folder)?;
        let last = plan.expected(config, &opened)?;
        let lost = [opened.torn(), opened.repaired()].into_iter().flatten();
        let mut damage: Vec<String> = lost.flat_map(str::lines).map(str::to_owned).collect();
        damage.extend(last.as_ref().and_then(|(old, last)| plan.emptied(old, last)));
        let mut read = XxHash3_64::with_seed(0);
        let mut checkpoint = Checkpoint { read: read.finish(), written: plan.written, ..Checkpoint::default() };
        let mut seq_floor = last.as_ref().and_then(|(_, last)| last.last_seq);
        let (resumes, has_run) = (plan.resume.is_some(), last.is_some());
        let mut note = Some(to_bytes(&plan.note.clone().with_floor(seq_floor))?);
        match (last, plan.resume.take()) {
            (Some((old, last)), Some(source)) => {
                let otherwise = otherwise(&old, &last);
                note = None;
                seq_floor = old.noted(FLOOR).parse().ok();
                let good = opened.go_back(|commit| plan.outputs_have(commit))?;
                if !good {
                    let reason =
                        tr!("an output is not as the last run left it; give back the file, or {otherwise}", otherwise);
                    return Err(Error::state(folder, reason));
                }
                checkpoint = opened.last().map(notes_of).transpose()?.map_or(last, |(_, checkpoint)| checkpoint);
                source.go_on(&checkpoint.place, |bytes| read.write(bytes))?;
                if plan.note.files && read.finish() != checkpoint.read {
                    let reason = tr!(
                        "the input is not what the last run read: its beginning has changed; give back the file, or {otherwise}",
                        otherwise
                    );
                    return Err(Error::state(folder, reason));
                }
            }
            // Another run on the same state.
            (Some((old, last)), None) => {
                (checkpoint.last_seq, checkpoint.reported) = (last.last_seq, last.reported);
                checkpoint.followed = last.followed.map(|followed| followed.handed_on(old.inputs == plan.note.inputs));
            }
            // A run that was killed before its first note begins anew.
            (None, _) => {}
        }
        let (store, mut state) = opened.start(lock, config, plan.sync)?;
        damage.extend(state.exceeds_limit().then(|| refusals::forgotten_told(&folder)));
        state.reported_before(Pos(checkpoint.reported.map_or(0, |reported| reported.before)));
        Ok(Self {
            seq_floor,
            store,
            state,
            checkpoint,
            read,
            note,
            damage,
            #[cfg(feature = "cli")]
            begins: !has_run,
            goes_on: resumes && has_run,
        })
    }

    /// Opens the state for `by`, a caller that passes messages and waits for answers, and records that the run begins.
    ///
    /// # Errors
    /// As [`open`](Self::open); [`Error::Config`] before the folder is made.
    pub(super) fn answering(by: &str, config: &mut Config, folder: &Path, sync: Sync, any_seed: bool) -> Result<Self> {
        config.validate()?;
        let mut durable = Self::open(config, Plan::answering(by, folder, sync, any_seed))?;
        durable.begin(None)?;
        Ok(durable)
    }

    /// The lengths and checksums of what the outputs already have of this run.
    #[cfg(feature = "cli")]
    pub(crate) fn written(&self) -> [Written; 2] {
        self.checkpoint.written
    }

    /// The place in a followed file that an earlier run had reached.
    #[cfg(feature = "cli")]
    pub(crate) fn followed(&self) -> Option<Followed> {
        self.checkpoint.followed.clone()
    }

    /// Notes which file is followed from its beginning. If the file is rotated before anything of it is answered, the next run reads it.
    #[cfg(feature = "cli")]
    pub(crate) fn follow_from(&mut self, beginning: Option<Followed>) {
        self.checkpoint.followed = beginning;
    }

    /// Messages about lost data: the part that was cut off from the log, what a repair lost, and an output that was emptied.
    pub(crate) fn damage(&self) -> &[String] {
        &self.damage
    }

    /// Records that the run begins.
    pub(super) fn begin(&mut self, reported: Option<Reported>) -> Result<()> {
        self.checkpoint.reported = reported;
        // From now on bytes after the recorded lengths of the outputs are this run's own: if it is killed, they may be cut
        // off.
        let was_closed = std::mem::take(&mut self.checkpoint.closed);
        match self.note.take() {
            Some(note) => self.store.commit(&self.state, &self.checkpoint.to_bytes()?, Some(&note)),
            None if was_closed => {
                self.store.commit(&self.state, &self.checkpoint.to_bytes()?, None)?;
                self.save()
            }
            None => Ok(()),
        }
    }

    /// Judges the next message, and stores what is remembered of it.
    pub(super) fn judge<'a>(
        &mut self,
        printed: &'a Printed,
        time: Option<i64>,
        id: impl Fn() -> RecordId<'a>,
    ) -> Result<(Pos, Verdict)> {
        let (pos, verdict) = self.state.judge(printed, time, &id)?;
        self.state.remembered(pos, verdict, printed, id).try_for_each(|message| self.store.remember(&message))?;
        Ok((pos, verdict))
    }

    /// Records a batch that was judged and written.
    pub(super) fn commit(
        &mut self,
        batch: &Batch,
        counts: Counts,
        last_seq: Option<u64>,
        reported: Option<Reported>,
        sink: &Sink,
    ) -> Result<()> {
        self.read.write(batch.bytes_read());
        let read = self.read.finish();
        let written = sink.written();
        let followed = batch.followed.clone().or_else(|| self.checkpoint.followed.take());
        let (ended, closed, place) = (false, false, batch.end);
        self.checkpoint = Checkpoint { ended, closed, counts, last_seq, place, read, written, reported, followed };
        self.store.commit(&self.state, &self.checkpoint.to_bytes()?, None)?;
        self.sync_if_due(sink)
    }

    /// Records that counts were reported between two batches.
    pub(super) fn commit_reported(&mut self, reported: Reported, sink: &Sink) -> Result<()> {
        (self.checkpoint.written, self.checkpoint.reported) = (sink.written(), Some(reported));
        self.store.commit(&self.state, &self.checkpoint.to_bytes()?, None)?;
        self.sync_if_due(sink)
    }

    /// Records messages that were answered. The run always counts as ended, because it has no input to read again.
    pub(super) fn commit_answered(&mut self, counts: Counts) -> Result<()> {
        self.checkpoint.ended = true;
        self.checkpoint.counts = counts;
        self.store.commit(&self.state, &self.checkpoint.to_bytes()?, None)?;
        self.save_if_due()
    }

    /// Forces committed data to disk, if that is due.
    pub(super) fn save_if_due(&mut self) -> Result<()> {
        if self.store.is_due(&self.state) { self.save() } else { Ok(()) }
    }

    /// Forces committed data to disk.
    pub(super) fn save(&mut self) -> Result<()> {
        self.store.sync(&self.state)
    }

    /// Forces committed data to disk, if that is due; the outputs come first.
    pub(super) fn sync_if_due(&mut self, sink: &Sink) -> Result<()> {
        if self.store.is_due(&self.state) {
            sink.sync()?;
            self.store.sync(&self.state)?;
        }
        Ok(())
    }

    /// Records that the run is over, and forces everything to disk. `ended` tells whether all input was read.
    pub(super) fn close(mut self, sink: &Sink, ended: bool) -> Result<()> {
        let ended = ended || self.checkpoint.ended;
        self.checkpoint = Checkpoint { ended, closed: true, written: sink.written(), ..self.checkpoint };
        self.store.commit(&self.state, &self.checkpoint.to_bytes()?, None)?;
        sink.sync()?;
        self.store.close(&self.state)
    }
}
