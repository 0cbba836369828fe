//! The options for the state that is kept across runs, and the check that no output goes into a state.

use std::path::{Path, PathBuf};

use crate::formats::parse::FieldPath;
use crate::store::Sync;
use crate::store::open::Opened;
use anyhow::ensure;

use super::settings::words;
use crate::locale::tr;

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

/// Refuses an output in a folder that holds a state, which must hold nothing else.
///
/// # Errors
/// The message names the output.
pub(crate) fn refuse_in_state(option: &str, path: &Path) -> anyhow::Result<()> {
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let real = std::fs::canonicalize(path).ok();
    let folder = real.as_deref().and_then(Path::parent).unwrap_or(parent);
    ensure!(
        !(folder.join("LOCK").exists() && Opened::is_there(folder)),
        tr!(
            "{option} {}: is in the folder of a state, where its own files are alone; name a file elsewhere",
            path.display(),
            option
        )
    );
    Ok(())
}
