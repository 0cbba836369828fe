//! What is noted of a run: what it is over, and after each batch where it stands.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::formats::source::{Followed, Place};
use crate::run::recount::Reported;
use crate::run::sink::Written;
use crate::run::totals::Counts;
use crate::store::{Commit, begin_of_bytes, from_bytes, to_bytes};

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
pub(crate) const SERVICE: &str = "<service>";

/// What is noted of a run beside its options: the last number in the feed of the runs before it.
pub(super) const FLOOR: &str = "floor";

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

    pub(super) fn noted(&self, name: &str) -> &str {
        self.options.iter().find(|(noted, _)| noted == name).map_or("", |(_, value)| value)
    }

    /// Whether both write to the same file that a shell opened for standard output.
    pub(super) fn is_to(&self, other: &Self) -> bool {
        !self.noted(STDOUT).is_empty() && self.noted(STDOUT) == other.noted(STDOUT)
    }

    /// The same, with the last number in the feed of the runs before.
    pub(super) fn behind(mut self, floor: Option<u64>) -> Self {
        let floor = floor.map_or_else(String::new, |floor| floor.to_string());
        self.options.push((FLOOR.to_owned(), floor));
        self
    }
}

/// What is noted after each batch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
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
    /// Which counts of repeats were reported; none but under [`Config::recount`](crate::config::Config::recount).
    pub(crate) reported: Option<Reported>,
    /// Where in which file the input goes on, if one is followed. It is written behind the others: earlier versions did not have it.
    #[serde(skip)]
    pub(crate) followed: Option<Followed>,
}

impl Checkpoint {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let followed = self.followed.map(|followed| to_bytes(&followed)).transpose()?;
        Ok([to_bytes(self)?, followed.unwrap_or_default()].concat())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (progress, rest): (Self, _) = begin_of_bytes(bytes)?;
        let followed = Some(rest).filter(|rest| !rest.is_empty()).map(from_bytes).transpose()?;
        Ok(Self { followed, ..progress })
    }
}

/// The run and the progress in a commit.
///
/// # Errors
/// [`Error::State`](crate::Error::State) if they cannot be read.
pub(crate) fn progress_of(commit: &Commit) -> Result<(RunNote, Checkpoint)> {
    Ok((from_bytes(&commit.run)?, Checkpoint::from_bytes(&commit.progress)?))
}
