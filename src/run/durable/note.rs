//! The notes that a run leaves in its state: what it runs over, and after each batch how far it has come.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::formats::source::{Followed, Place};
use crate::run::recount::Reported;
use crate::run::sink::Written;
use crate::run::totals::Counts;
use crate::store::{Commit, begin_of_bytes, from_bytes, to_bytes};

/// The options and inputs of a run. They must be the same in the run that resumes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunNote {
    /// Options that decide what is written, with their values.
    pub(crate) options: Vec<(String, String)>,
    /// The inputs.
    pub(crate) inputs: Vec<String>,
    /// Whether all inputs are files, which can be read again.
    pub(crate) files: bool,
}

/// Stands for the input of a service.
#[cfg(feature = "cli")]
pub(crate) const SERVICE: &str = "<service>";

/// A noted value that is no option: the last number in the feed of the runs before this one.
pub(super) const FLOOR: &str = "floor";

/// A noted value that is no option: the checksum of the archives' contents.
pub(crate) const ARCHIVES: &str = "archives";

/// A noted value that is no option: the file to which standard output goes, if it is one.
pub(crate) const STDOUT: &str = "stdout";

impl RunNote {
    /// Whether the run was a service, which has no place in an input and no output.
    #[cfg(feature = "cli")]
    pub(crate) fn is_service(&self) -> bool {
        self.inputs == [SERVICE]
    }

    /// The options of the command line, with their values.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = &(String, String)> {
        self.options.iter().filter(|(name, _)| name.starts_with("--"))
    }

    pub(super) fn noted(&self, name: &str) -> &str {
        self.options.iter().find(|(noted, _)| noted == name).map_or("", |(_, value)| value)
    }

    /// Whether both runs write to the same file, opened by a shell for standard output.
    pub(super) fn is_to(&self, other: &Self) -> bool {
        !self.noted(STDOUT).is_empty() && self.noted(STDOUT) == other.noted(STDOUT)
    }

    /// Adds the last number in the feed of the runs before this one.
    pub(super) fn with_floor(mut self, floor: Option<u64>) -> Self {
        let floor = floor.map_or_else(String::new, |floor| floor.to_string());
        self.options.push((FLOOR.to_owned(), floor));
        self
    }
}

/// How far a run has come, noted after each batch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Whether all input was read.
    pub(crate) ended: bool,
    /// Whether the run closed its outputs, because it ended or was stopped. Bytes after the noted lengths are then from other
    /// programs.
    pub(crate) closed: bool,
    /// The counts of the run so far.
    pub(crate) counts: Counts,
    /// The number in the feed of the last judged record, of this run or an earlier one; `None` without `--seq-field`.
    pub(crate) last_seq: Option<u64>,
    /// The place where the input continues.
    pub(crate) place: Place,
    /// Checksum of all input before that place.
    pub(crate) read: u64,
    /// The lengths and checksums of the output and of the output for dropped records.
    pub(crate) written: [Written; 2],
    /// The counts of repeats that were reported; `None` except under [`Config::recount`](crate::config::Config::recount).
    pub(crate) reported: Option<Reported>,
    /// The place in a followed file where the input continues. It is written last, because earlier versions did not have it.
    #[serde(skip)]
    pub(crate) followed: Option<Followed>,
}

impl Checkpoint {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let followed =
            self.followed.as_ref().map(|followed| Ok([to_bytes(followed)?, to_bytes(&followed.read)?].concat()));
        Ok([to_bytes(self)?, followed.transpose()?.unwrap_or_default()].concat())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (checkpoint, rest): (Self, _) = begin_of_bytes(bytes)?;
        if rest.is_empty() {
            return Ok(checkpoint);
        }
        let (mut followed, rest): (Followed, _) = begin_of_bytes(rest)?;
        if !rest.is_empty() {
            followed.read = from_bytes(rest)?;
        }
        Ok(Self { followed: Some(followed), ..checkpoint })
    }
}

/// Returns the notes of the run and of its checkpoint in a commit.
///
/// # Errors
/// [`Error::State`](crate::Error::State) if the notes cannot be read.
pub(crate) fn notes_of(commit: &Commit) -> Result<(RunNote, Checkpoint)> {
    Ok((from_bytes(&commit.run_note)?, Checkpoint::from_bytes(&commit.checkpoint)?))
}
