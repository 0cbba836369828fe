//! The options that keep what is remembered across runs.

use std::path::PathBuf;

use clap::ValueEnum;
use quchong::formats::parse::FieldPath;
use quchong::store::Sync;

/// Where what is remembered is kept.
#[derive(clap::Args)]
pub struct DurableArgs {
    /// Folder that keeps what is remembered: a later run with the same one goes on from there, whatever happened to this one
    #[arg(long, value_name = "DIR", help_heading = "State")]
    pub state: Option<PathBuf>,

    /// Go on with the last run of --state: files are read on from where it was, -o and --dropped are continued, so that they
    /// end as if nothing had happened
    #[arg(long, requires = "state", help_heading = "State")]
    pub resume: bool,

    /// Give the last run of --state up, if it was over files and did not come to its end: what it kept and had not written is lost
    #[arg(long, requires = "state", conflicts_with = "resume", help_heading = "State")]
    pub abandon: bool,

    /// Read files again that a run of --state has read to their end, and replace what is in the output: by next to nothing, since
    /// nearly all their messages repeat themselves
    #[arg(long, requires = "state", conflicts_with = "resume", help_heading = "State")]
    pub again: bool,

    /// JSONL: where the number of a record in the feed stands, which rises: records up to the last one that an earlier run noted are
    /// passed over and counted, so that a feed may send again what it does not know to have been answered. A number a million
    /// ahead is taken only if the next one is as well
    #[arg(long, value_name = "PATH", requires = "state", help_heading = "State")]
    seq_field: Option<String>,

    /// When what is remembered must be on disk; a killed process loses nothing under any of them
    #[arg(long, value_enum, default_value_t = SyncArg::Interval, requires = "state", help_heading = "State")]
    pub sync: SyncArg,
}

impl DurableArgs {
    /// Where numbers in the feed stand.
    pub fn seq_field(&self) -> quchong::Result<Option<FieldPath>> {
        self.seq_field.as_ref().map(|path| FieldPath::parse("--seq-field", path)).transpose()
    }

    /// What a run that goes on with another must have as well.
    pub fn note(&self) -> [(&'static str, String); 1] {
        [("--seq-field", self.seq_field.clone().unwrap_or_else(|| "-".to_owned()))]
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum SyncArg {
    /// After each batch that was read: a power failure costs nothing that was answered
    Always,
    /// Every second: a power failure costs that second
    Interval,
    /// At the end
    None,
}

impl From<SyncArg> for Sync {
    fn from(sync: SyncArg) -> Self {
        match sync {
            SyncArg::Always => Self::Always,
            SyncArg::Interval => Self::Interval,
            SyncArg::None => Self::None,
        }
    }
}
