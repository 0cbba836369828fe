//! The options for the state that is kept across runs.

use std::path::PathBuf;

use crate::formats::parse::FieldPath;
use crate::store::Sync;

use super::settings::words;

/// The folder of the state, and how a run uses it.
#[derive(clap::Args)]
pub(crate) struct DurableArgs {
    #[arg(long)]
    pub(crate) state: Option<PathBuf>,

    #[arg(long)]
    pub(crate) resume: bool,

    #[arg(long)]
    pub(crate) abandon: bool,

    #[arg(long)]
    pub(crate) again: bool,

    #[arg(long)]
    seq_field: Option<String>,

    #[arg(long, value_parser = words("sync", &Sync::NAMED))]
    pub(crate) sync: Sync,
}

impl DurableArgs {
    /// The path of the field with the number in the feed.
    pub(crate) fn seq_field(&self) -> crate::Result<Option<FieldPath>> {
        self.seq_field.as_ref().map(|path| FieldPath::parse("--seq-field", path)).transpose()
    }
}
