//! Inputs that would be read again by their own run.

use std::fs;
use std::path::PathBuf;

use anyhow::ensure;

use super::same::is_same;
use super::{Files, Use};
use crate::cli::stdout::stream;
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

/// Refuses standard output if a shell opened one of the files for it that are read: what is written there would be read, too. An empty
/// list of files is standard input.
///
/// # Errors
/// The message names both uses of the file.
pub(crate) fn refuse_own_input(reads: &[PathBuf]) -> anyhow::Result<()> {
    let mut files = Files::default();
    files.read_all(reads);
    files.0.extend(stream(1).map(|about| Use { what: tr!("standard output"), is_read: false, about }));
    files.refuse_double_use()
}
