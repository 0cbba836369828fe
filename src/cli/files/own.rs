//! Inputs that would be read again by their own run.

use std::fs;
use std::path::PathBuf;

use anyhow::ensure;

use super::Files;
use super::same::is_same;
use crate::locale::tr;

/// Refuses an archive that is also an input of the run, because each of its records would repeat itself.
///
/// # Errors
/// The message names the archive.
pub(crate) fn refuse_own_archive(reads: &[PathBuf], archives: &[PathBuf]) -> anyhow::Result<()> {
    let mut inputs = Files::default();
    reads.iter().for_each(|path| inputs.read(path));
    for path in archives {
        let Ok(about) = fs::metadata(path) else { continue };
        ensure!(
            !inputs.0.iter().any(|input| is_same(&input.about, &about)),
            tr!(
                "--against: {} is an input of this run, and each of its records would repeat itself; leave it out of one of them",
                path.display()
            )
        );
    }
    Ok(())
}
