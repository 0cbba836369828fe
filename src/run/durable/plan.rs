//! How a run means to use a state, and whether it can follow on the last one there.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::note::{Checkpoint, RunNote, progress_of};
use super::refusals::{emptied, no_run, otherwise, refuse_grown, same_run, would_replace};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::formats::source::Source;
use crate::hash::XxHash3_64;
use crate::locale::tr;
use crate::run::sink::Written;
use crate::store::open::Opened;
use crate::store::{Commit, Sync};

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

impl<'p> Plan<'p> {
    /// That of who hands over messages and waits for answers: there is no input to be read again, and no output.
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
            follows: false,
            written: Default::default(),
            note: RunNote { options: Vec::new(), inputs: vec![by.to_owned()], files: false },
            outputs: [None, None],
        }
    }

    /// Refuses what [`Durable::open`](super::Durable::open) would refuse for the folder as it is, and makes and writes nothing.
    ///
    /// # Errors
    /// As there, but for a state that is in use and an input that is another.
    #[cfg(feature = "cli")]
    pub(crate) fn check(&self, config: &mut Config) -> Result<()> {
        self.check_resumed()?;
        Opened::refuse_file(self.folder)?;
        if Opened::is_there(self.folder) {
            self.expected(config, &Opened::read(self.folder)?)?;
        }
        Ok(())
    }

    /// Refuses to take up a run that cannot be, or is not there.
    pub(super) fn check_resumed(&self) -> Result<()> {
        if let Some(source) = &self.resume {
            source.check_resume()?;
        }
        match self.filled.as_ref().filter(|_| self.resume.is_some() && !Opened::is_there(self.folder)) {
            Some(output) => Err(no_run(&self.folder.display().to_string(), output)),
            None => Ok(()),
        }
    }

    /// The last run of a state, on which the planned one can follow; gives the configuration the state's seed, if any will do.
    pub(super) fn expected(&self, config: &mut Config, opened: &Opened) -> Result<Option<(RunNote, Checkpoint)>> {
        let folder = self.folder.display().to_string();
        if self.any_seed && opened.header().is_some() {
            config.seed = opened.config()?.seed;
        }
        opened.expect(config)?;
        let found = opened.last().map(progress_of).transpose()?;
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
        } else if !last.ended && old.files && !self.abandon {
            // Its messages are known, but for some of them there is no output yet.
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

    /// Whether the outputs that are files have what a commit says that the batch before it wrote.
    pub(super) fn outputs_have(&self, commit: &Commit) -> Result<bool> {
        let (_, Checkpoint { written, .. }) = progress_of(commit)?;
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
