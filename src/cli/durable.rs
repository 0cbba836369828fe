//! The options that keep what is remembered across runs.

use std::path::PathBuf;

use quchong::formats::parse::FieldPath;
use quchong::store::Sync;

use super::settings::words;

/// Where what is remembered is kept.
#[derive(clap::Args)]
pub struct DurableArgs {
    #[arg(long)]
    pub state: Option<PathBuf>,

    #[arg(long)]
    pub resume: bool,

    #[arg(long)]
    pub abandon: bool,

    #[arg(long)]
    pub again: bool,

    #[arg(long)]
    seq_field: Option<String>,

    #[arg(long, value_parser = words("sync", &Sync::NAMED))]
    pub sync: Sync,
}

impl DurableArgs {
    /// Where numbers in the feed stand.
    pub fn seq_field(&self) -> quchong::Result<Option<FieldPath>> {
        self.seq_field.as_ref().map(|path| FieldPath::parse("--seq-field", path)).transpose()
    }
}
