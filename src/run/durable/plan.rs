//! How a run intends to use a state, and whether it may follow the last run there.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::note::{Checkpoint, RunNote, notes_of};
use super::refusals::{abandoned, emptied, emptied_told, no_run, otherwise, refuse_grown, same_run, would_replace};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::formats::source::Source;
use crate::hash::XxHash3_64;
use crate::locale::tr;
use crate::run::sink::Written;
use crate::store::open::Opened;
use crate::store::{Commit, Sync};

/// How a run intends to use a state.
pub(crate) struct Plan<'p> {
    /// The state's folder.
    pub(crate) folder: &'p Path,
    /// When written data must be on disk.
    pub(crate) sync: Sync,
    /// The input, if the last run is resumed.
    pub(crate) resume: Option<&'p mut Source>,
    /// Whether the last run may be abandoned if it did not reach its end.
    pub(crate) abandon: bool,
    /// A non-empty output that the run would overwrite without the user's permission.
    pub(crate) replaced: Option<String>,
    /// A non-empty output, whether or not the run may overwrite it.
    pub(crate) filled: Option<String>,
    /// The length in bytes of the file that standard output goes to, if it is the output.
    pub(crate) stdout: Option<u64>,
    /// Whether standard output is an empty file that is not only added to, as after `>`, and the user did not ask for that.
    pub(crate) starts_empty: bool,
    /// Whether the input is followed, so that no run can resume it.
    pub(crate) follows: bool,
    /// The parts of the outputs that are to stay.
    pub(crate) written: [Written; 2],
    /// Whether to use the state's own seed in place of the configuration's.
    pub(crate) any_seed: bool,
    /// The note of the run.
    pub(crate) note: RunNote,
    /// The paths of the output and of the output for dropped records, if they are files.
    pub(crate) outputs: [Option<PathBuf>; 2],
}

impl<'p> Plan<'p> {
    /// The plan of a caller that passes messages and waits for answers: it has no input to read again, and no output.
    pub(super) fn answering(by: &str, folder: &'p Path, sync: Sync, any_seed: bool) -> Self {
        Self {
            folder,
            any_seed,
            sync,
            resume: None,
            abandon: false,
            replaced: None,
            filled: None,
            stdout: None,
            starts_empty: false,
            follows: false,
            written: Default::default(),
            note: RunNote { options: Vec::new(), inputs: vec![by.to_owned()], files: false },
            outputs: [None, None],
        }
    }

    /// Refuses what [`Durable::open`](super::Durable::open) would refuse for the folder as it is, without creating or writing
    /// anything.
    ///
    /// # Errors
    /// As there, except that a state in use and a changed input go unnoticed.
    #[cfg(feature = "cli")]
    pub(crate) fn check(&self, config: &mut Config) -> Result<()> {
        self.check_resumed()?;
        Opened::refuse_unfit(self.folder)?;
        Opened::refuse_unwritable(self.folder)?;
        if Opened::is_there(self.folder) {
            self.expected(config, &Opened::read(self.folder)?)?;
        }
        Ok(())
    }

    /// The warning that `>` has emptied what the last run wrote, if it has: a run does not write that again.
    pub(super) fn emptied(&self, old: &RunNote, last: &Checkpoint) -> Option<String> {
        let had = last.written[0].length;
        let is_lost = self.starts_empty && self.resume.is_none() && old.is_to(&self.note) && had > 0;
        is_lost.then(|| emptied_told(had))
    }

    /// Refuses to resume a run whose input cannot be resumed, or that is not there.
    pub(super) fn check_resumed(&self) -> Result<()> {
        if let Some(source) = &self.resume {
            source.check_resume()?;
        }
        match self.filled.as_ref().filter(|_| self.resume.is_some() && !Opened::is_there(self.folder)) {
            Some(output) => Err(no_run(&self.folder.display().to_string(), output)),
            None => Ok(()),
        }
    }

    /// Returns the last run of a state, after checking that the planned run may follow it. Sets the seed of `config` to the
    /// state's if any seed will do.
    pub(super) fn expected(&self, config: &mut Config, opened: &Opened) -> Result<Option<(RunNote, Checkpoint)>> {
        let folder = self.folder.display().to_string();
        if self.any_seed && opened.header().is_some() {
            config.seed = opened.config()?.seed;
        }
        opened.expect(config)?;
        let found = opened.last().map(notes_of).transpose()?;
        let Some((old, last)) = &found else { return Ok(None) };
        if self.resume.is_some() {
            same_run(&folder, old, &self.note, &otherwise(old, last))?;
            if last.closed {
                refuse_grown(&folder, &self.outputs, last)?;
            }
            let length = self.stdout.filter(|_| old.is_to(&self.note)).unwrap_or(u64::MAX);
            if length < last.written[0].length {
                return Err(emptied(&folder, length, last.written[0].length));
            }
        } else if let Some(length) = self
            .stdout
            .filter(|length| self.abandon && !last.ended && old.is_to(&self.note) && *length < last.written[0].length)
        {
            return Err(abandoned(&folder, length, last.written[0].length));
        } else if !last.ended && old.files && !self.abandon {
            // The messages of that run are known, but some of them have no output yet.
            let reason = tr!(
                "the last run, over {}, did not come to its end; go on with it by --resume, or give up what it has not \
                 written by --abandon",
                old.inputs.join(" ")
            );
            return Err(Error::state(folder, reason));
        } else if let Some(output) =
            self.replaced.as_ref().filter(|_| opened.last().is_some_and(|last| last.next.0 > 0))
        {
            return Err(would_replace(&folder, output, self.follows));
        }
        Ok(found)
    }

    /// Whether the output files contain everything that, according to a commit, the batch before it wrote.
    pub(super) fn outputs_have(&self, commit: &Commit) -> Result<bool> {
        let (_, Checkpoint { written, .. }) = notes_of(commit)?;
        for (path, written) in
            self.outputs.iter().zip(written).filter_map(|(path, written)| Some((path.as_ref()?, written)))
        {
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
}
