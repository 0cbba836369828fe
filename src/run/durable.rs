//! A run that can be taken up again: what is noted after each batch, and how a later run goes on from there.
//!
//! A batch's output is written first, then what is remembered of it, with the place in the input and the lengths of the outputs.
//! So after a crash the last note is true of everything before it, and what the outputs have beyond it is cut off and written
//! again. Files end up as if nothing had happened. Standard output, and other pipes, cannot be cut: what they were given since
//! the last note, a batch at the most, is written again. After a power failure, in place of the last note, it is the last one
//! whose output is on disk.
//!
//! What comes by a pipe cannot be read again. Who feeds it must send again what was not answered; a message that was
//! noted already is then a repeat of itself.

mod refusals;

use std::fs::File;
use std::hash::Hasher;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::hash::XxHash3_64;
use serde::{Deserialize, Serialize};

use super::recount::Told;
use super::sink::{Sink, Written};
use super::totals::Counts;
use crate::config::Config;
use crate::dedup::State;
use crate::error::{Error, Result};
use crate::fingerprint::Printed;
use crate::formats::source::{Batch, Followed, Place, Source};
use crate::record::{Pos, RecordId, Verdict};
use crate::store::open::Opened;
use crate::store::{Commit, Store, Sync, begin_of_bytes, from_bytes, to_bytes};
use refusals::{emptied, no_run, otherwise, refuse_grown, same_run, would_replace};
use tr::tr;

/// What a run is over: the same for the run that takes it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunNote {
    /// Options that decide what is written, as they are spelled, and their values.
    pub(crate) options: Vec<(String, String)>,
    /// The inputs.
    pub(crate) inputs: Vec<String>,
    /// Whether all of them are files, which can be read again.
    pub(crate) files: bool,
}

/// The input of a service.
#[cfg(feature = "cli")]
pub(super) const SERVICE: &str = "<service>";

/// What is noted of a run beside its options: the last number in the feed of the runs before it.
const FLOOR: &str = "floor";

/// What is noted of archives: a checksum of what is in them.
pub(crate) const ARCHIVES: &str = "archives";

/// What is noted where standard output is a file: which.
pub(crate) const STDOUT: &str = "stdout";

impl RunNote {
    /// Whether it was a service, which has no place in an input and no output.
    #[cfg(feature = "cli")]
    pub(crate) fn is_service(&self) -> bool {
        self.inputs == [SERVICE]
    }

    /// The options as they are spelled, and their values.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = &(String, String)> {
        self.options.iter().filter(|(name, _)| name.starts_with("--"))
    }

    fn noted(&self, name: &str) -> &str {
        self.options.iter().find(|(noted, _)| noted == name).map_or("", |(_, value)| value)
    }

    /// Whether both write to the same file that a shell opened for standard output.
    fn is_to(&self, other: &Self) -> bool {
        !self.noted(STDOUT).is_empty() && self.noted(STDOUT) == other.noted(STDOUT)
    }

    /// The same, with the last number in the feed of the runs before.
    fn behind(mut self, floor: Option<u64>) -> Self {
        let floor = floor.map_or_else(String::new, |floor| floor.to_string());
        self.options.push((FLOOR.to_owned(), floor));
        self
    }
}

/// What is noted after each batch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Whether all input was read.
    pub(crate) ended: bool,
    /// Whether the run closed its outputs, at its end or because it was stopped: what is behind them then is of others.
    pub(crate) closed: bool,
    /// What the run adds up to so far.
    pub(crate) counts: Counts,
    /// Number in the feed of the last record that was judged, in this run or an earlier one; none without `--seq-field`.
    pub(crate) last_seq: Option<u64>,
    /// Where the input goes on.
    pub(crate) place: Place,
    /// Checksum of all input before that.
    pub(crate) read: u64,
    /// What was written to the output, and to that of the dropped records.
    pub(crate) written: [Written; 2],
    /// Which counts of repeats were told; none but under [`Config::recount`].
    pub(crate) told: Option<Told>,
    /// Where in which file the input goes on, if one is followed. It is written behind the others: earlier versions did not have it.
    #[serde(skip)]
    pub(crate) followed: Option<Followed>,
}

impl Progress {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let followed = self.followed.map(|followed| to_bytes(&followed)).transpose()?;
        Ok([to_bytes(self)?, followed.unwrap_or_default()].concat())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (progress, rest): (Self, _) = begin_of_bytes(bytes)?;
        let followed = Some(rest).filter(|rest| !rest.is_empty()).map(from_bytes).transpose()?;
        Ok(Self { followed, ..progress })
    }
}

/// How a state is used.
pub(crate) struct Plan<'p> {
    /// The state's folder.
    pub(crate) folder: &'p Path,
    /// When what is written must be on disk.
    pub(crate) sync: Sync,
    /// The input, if the last run is taken up.
    pub(crate) resume: Option<&'p mut Source>,
    /// Whether the last run may be given up, if it did not come to its end.
    pub(crate) abandon: bool,
    /// An output that has something in it which the run would replace, and may not.
    pub(crate) replaced: Option<String>,
    /// An output that has something in it, whatever is to become of that.
    pub(crate) filled: Option<String>,
    /// The length of standard output in bytes, where it is the output and a file.
    pub(crate) stdout: Option<u64>,
    /// Whether the input is followed, so that no run takes it up.
    pub(crate) follows: bool,
    /// What the outputs have in them that is to stay.
    pub(crate) written: [Written; 2],
    /// Whether the state's own seed is taken in place of the configuration's.
    pub(crate) any_seed: bool,
    /// The run.
    pub(crate) note: RunNote,
    /// The output and that of the dropped records, where they are files.
    pub(crate) outputs: [Option<PathBuf>; 2],
}

/// What is remembered across runs, and where this one stands.
pub struct Durable {
    /// The last number in the feed that was noted before the run.
    pub(super) seq_floor: Option<u64>,
    pub(super) store: Store,
    pub(super) state: State,
    pub(super) progress: Progress,
    read: XxHash3_64,
    /// The run, until it is noted.
    note: Option<Vec<u8>>,
    told: Vec<String>,
    /// Whether it was to go on with a run, and there was none.
    #[cfg(feature = "cli")]
    pub(crate) found_none: bool,
    /// Whether it goes on with a run.
    pub(super) goes_on: bool,
}

impl Durable {
    /// Opens the state, with the input at the place where the run goes on. The outputs are to be cut to what
    /// [`written`](Self::written) says.
    ///
    /// # Errors
    /// [`Error::State`] if the state is damaged, in use, or of other options, or if the run that is taken up is another;
    /// [`Error::Io`]; [`Error::Config`] if the run is to be taken up and cannot be.
    pub(crate) fn open(config: &mut Config, plan: Plan<'_>) -> Result<Self> {
        check_resumed(&plan)?;
        let folder = plan.folder.display().to_string();
        let (lock, mut opened) = Opened::take(plan.folder)?;
        let last = expected(config, &plan, &opened)?;
        let lost = [opened.torn(), opened.repaired()].into_iter().flatten();
        let told: Vec<String> = lost.flat_map(str::lines).map(str::to_owned).collect();
        let mut read = XxHash3_64::with_seed(0);
        let mut progress = Progress { read: read.finish(), written: plan.written, ..Progress::default() };
        let mut seq_floor = last.as_ref().and_then(|(_, last)| last.last_seq);
        let (resumes, has_run) = (plan.resume.is_some(), last.is_some());
        let mut note = Some(to_bytes(&plan.note.clone().behind(seq_floor))?);
        match (last, plan.resume) {
            (Some((old, last)), Some(source)) => {
                let otherwise = otherwise(&old, &last);
                note = None;
                seq_floor = old.noted(FLOOR).parse().ok();
                let good = opened.go_back(|commit| outputs_have(commit, &plan.outputs))?;
                if !good {
                    let reason =
                        tr!("an output is not as the last run left it; give back the file, or {otherwise}", otherwise);
                    return Err(Error::state(folder, reason));
                }
                progress = opened.last().map(progress_of).transpose()?.map_or(last, |(_, progress)| progress);
                source.go_on(&progress.place, |bytes| read.write(bytes))?;
                if plan.note.files && read.finish() != progress.read {
                    let reason = tr!(
                        "the input is not what the last run read: its beginning has changed; give back the file, or {otherwise}",
                        otherwise
                    );
                    return Err(Error::state(folder, reason));
                }
            }
            // Another run of the same feed.
            (Some((old, last)), None) => {
                (progress.last_seq, progress.told) = (last.last_seq, last.told);
                progress.followed = last.followed.filter(|_| plan.follows && old.inputs == plan.note.inputs);
            }
            // A run that was killed before its first note begins anew.
            (None, _) => {}
        }
        let (store, mut state) = opened.start(lock, config, plan.sync)?;
        state.told_before(Pos(progress.told.map_or(0, |told| told.before)));
        Ok(Self {
            seq_floor,
            store,
            state,
            progress,
            read,
            note,
            told,
            #[cfg(feature = "cli")]
            found_none: resumes && !has_run,
            goes_on: resumes && has_run,
        })
    }

    /// What the outputs have of this run already.
    #[cfg(feature = "cli")]
    pub(crate) fn written(&self) -> [Written; 2] {
        self.progress.written
    }

    /// Where the run before was in a file that is followed.
    #[cfg(feature = "cli")]
    pub(crate) fn followed(&self) -> Option<Followed> {
        self.progress.followed
    }

    /// What is not known any longer, to be told: what was cut off from the log, and what a repair lost.
    pub(crate) fn told(&self) -> &[String] {
        &self.told
    }

    /// Notes that the run begins.
    pub(super) fn begin(&mut self, told: Option<Told>) -> Result<()> {
        self.progress.told = told;
        // If this run is killed, what is behind its outputs is its own.
        let was_closed = std::mem::take(&mut self.progress.closed);
        match self.note.take() {
            Some(note) => self.store.commit(&self.state, &self.progress.to_bytes()?, Some(&note)),
            None if was_closed => {
                self.store.commit(&self.state, &self.progress.to_bytes()?, None)?;
                self.save()
            }
            None => Ok(()),
        }
    }

    /// Writes down what is remembered of the last message.
    pub(super) fn write_down<'a>(
        &mut self,
        pos: Pos,
        verdict: Verdict,
        printed: &'a Printed,
        id: impl FnOnce() -> RecordId<'a>,
    ) -> Result<()> {
        self.state.remembered(pos, verdict, printed, id).try_for_each(|message| self.store.remember(&message))
    }

    /// Notes a batch that was judged and written.
    pub(super) fn commit(
        &mut self,
        batch: &Batch,
        counts: Counts,
        last_seq: Option<u64>,
        told: Option<Told>,
        sink: &Sink,
    ) -> Result<()> {
        self.read.write(batch.bytes_read());
        let read = self.read.finish();
        let written = sink.written();
        let followed = batch.followed;
        self.progress =
            Progress { ended: false, closed: false, counts, last_seq, place: batch.end, read, written, told, followed };
        self.store.commit(&self.state, &self.progress.to_bytes()?, None)?;
        self.sync_if_due(sink)
    }

    /// Notes that counts were told and written, between two batches.
    pub(super) fn commit_told(&mut self, told: Told, sink: &Sink) -> Result<()> {
        self.progress = Progress { written: sink.written(), told: Some(told), ..self.progress };
        self.store.commit(&self.state, &self.progress.to_bytes()?, None)?;
        self.sync_if_due(sink)
    }

    /// Notes messages whose answers nobody needs once more: nothing of the run is left to do.
    pub(super) fn commit_answered(&mut self, counts: Counts) -> Result<()> {
        self.progress.ended = true;
        self.progress.counts = counts;
        self.store.commit(&self.state, &self.progress.to_bytes()?, None)?;
        self.save_if_due()
    }

    /// Makes what was noted be on disk, if it is time.
    pub(super) fn save_if_due(&mut self) -> Result<()> {
        if self.store.is_due(&self.state) { self.save() } else { Ok(()) }
    }

    /// Makes what was noted be on disk.
    pub(super) fn save(&mut self) -> Result<()> {
        self.store.sync(&self.state)
    }

    /// Makes what was noted be on disk, if it is time; what was written before it first.
    pub(super) fn sync_if_due(&mut self, sink: &Sink) -> Result<()> {
        if self.store.is_due(&self.state) {
            sink.sync()?;
            self.store.sync(&self.state)?;
        }
        Ok(())
    }

    /// Notes that the run is over, and makes all of it be on disk; `ended` if all input was read.
    pub(super) fn close(mut self, sink: &Sink, ended: bool) -> Result<()> {
        let ended = ended || self.progress.ended;
        self.progress = Progress { ended, closed: true, written: sink.written(), ..self.progress };
        self.store.commit(&self.state, &self.progress.to_bytes()?, None)?;
        sink.sync()?;
        self.store.close(&self.state)
    }
}

/// The run and the progress in a commit.
///
/// # Errors
/// [`Error::State`] if they cannot be read.
pub(crate) fn progress_of(commit: &Commit) -> Result<(RunNote, Progress)> {
    Ok((from_bytes(&commit.run)?, Progress::from_bytes(&commit.progress)?))
}

/// Refuses what [`Durable::open`] would refuse for the folder as it is, and makes and writes nothing.
///
/// # Errors
/// As [`Durable::open`], but for a state that is in use and an input that is another.
#[cfg(feature = "cli")]
pub(crate) fn check(config: &mut Config, plan: &Plan<'_>) -> Result<()> {
    check_resumed(plan)?;
    Opened::refuse_file(plan.folder)?;
    if Opened::is_there(plan.folder) {
        expected(config, plan, &Opened::read(plan.folder)?)?;
    }
    Ok(())
}

/// Refuses to take up a run that cannot be, or is not there.
fn check_resumed(plan: &Plan<'_>) -> Result<()> {
    if let Some(source) = &plan.resume {
        source.check_resume()?;
    }
    match plan.filled.as_ref().filter(|_| plan.resume.is_some() && !Opened::is_there(plan.folder)) {
        Some(output) => Err(no_run(&plan.folder.display().to_string(), output)),
        None => Ok(()),
    }
}

/// The last run of a state, on which the planned one can follow; gives the configuration the state's seed, if any will do.
fn expected(config: &mut Config, plan: &Plan<'_>, opened: &Opened) -> Result<Option<(RunNote, Progress)>> {
    let folder = plan.folder.display().to_string();
    if plan.any_seed && opened.header().is_some() {
        config.seed = opened.config()?.seed;
    }
    opened.expect(config)?;
    let found = opened.last().map(progress_of).transpose()?;
    let Some((old, last)) = &found else { return Ok(None) };
    if plan.resume.is_some() {
        same_run(&folder, old, &plan.note, &otherwise(old, last))?;
        if last.closed {
            refuse_grown(&folder, &plan.outputs, last)?;
        }
        let length = plan.stdout.filter(|_| old.is_to(&plan.note)).unwrap_or(u64::MAX);
        if length < last.written[0].length {
            return Err(emptied(&folder, length, last.written[0].length));
        }
    } else if !last.ended && old.files && !plan.abandon {
        // Its messages are known, but for some of them there is no output yet.
        let reason = tr!(
            "the last run, over {}, did not come to its end; go on with it by --resume, or give up what it has not \
             written by --abandon",
            old.inputs.join(" ")
        );
        return Err(Error::state(folder, reason));
    } else if let Some(output) = plan.replaced.as_ref().filter(|_| opened.last().is_some_and(|last| last.next.0 > 0)) {
        return Err(would_replace(&folder, output, plan.follows));
    }
    Ok(found)
}

/// Whether the outputs that are files have what a commit says that the batch before it wrote.
fn outputs_have(commit: &Commit, outputs: &[Option<PathBuf>; 2]) -> Result<bool> {
    let (_, Progress { written, .. }) = progress_of(commit)?;
    for (path, written) in outputs.iter().zip(written).filter_map(|(path, written)| Some((path.as_ref()?, written))) {
        let (start, sum) = written.last;
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            (&file).take(written.length - start).read_to_end(&mut bytes)?;
            file.metadata()
        });
        let is_long_enough = read.is_ok_and(|about| about.len() >= written.length);
        if !is_long_enough || XxHash3_64::oneshot(&bytes) != sum {
            return Ok(false);
        }
    }
    Ok(true)
}
