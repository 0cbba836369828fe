//! `--against`: the archives that messages are compared with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::formats::parse::Parser;
use crate::formats::source::Input;
use crate::run::Archives;
use crate::run::sink::OnError;
use anyhow::{Context, bail, ensure};

use super::Args;
use crate::cli::glob::expand;
use crate::cli::input::Faults;
use crate::cli::terminal::warn_user_unless;
use crate::locale::tr;

impl Args {
    /// Reads the archives into memory: first the folders, then all files together.
    ///
    /// # Errors
    /// An archive does not exist, is damaged, or was made with other options. Or most records of the files cannot be judged, or have no
    /// scope.
    pub(super) fn archives(&self, config: &Config, parser: &Parser) -> anyhow::Result<Archives> {
        let mut archives = Archives::default();
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            self.against.iter().cloned().partition(|path| path.is_dir());
        for folder in &folders {
            self.refuse_own(folder)?;
            archives.add_folder(folder, config).context("--against")?;
        }
        let files = expand(&files, self.quiet).context("--against")?;
        if !files.is_empty() {
            self.add_files(&mut archives, &files, config, parser)?;
        }
        Ok(archives)
    }

    fn add_files(
        &self,
        archives: &mut Archives,
        files: &[PathBuf],
        config: &Config,
        parser: &Parser,
    ) -> anyhow::Result<()> {
        let tell = warn_user_unless(self.quiet);
        let source = |file: &PathBuf| {
            ensure!(
                file != Path::new("-"),
                tr!("--against: -: standard input is no archive; name a file, or the folder of a state")
            );
            let is_there = file.exists();
            ensure!(
                is_there,
                tr!(
                    "--against: {}: is not there; name the folder of a state, or a file (a name with a comma cannot be given here)",
                    file.display()
                )
            );
            let source = self.input.source_of_file(self.input.format(), Input::File(file.clone()), parser, tell);
            source.context("--against")
        };
        let sources = files.iter().map(source).collect::<anyhow::Result<Vec<_>>>()?;
        // No record of an archive is written, so none can be left out.
        let on_error = if self.input.on_error() == OnError::Fail { OnError::Fail } else { OnError::Pass };
        let (mut faults, mut records, mut scopeless) = (Faults::new(on_error, self.quiet)?, 0, 0);
        archives.add_files(config, sources, parser, self.work.threads(), |file, line, record| {
            records += 1;
            scopeless += u64::from(record.is_ok_and(|record| record.lacks_scope));
            record.map_or_else(|fault| faults.count_fault(file, line, fault), |_| Ok(()))
        })?;
        if faults.tell_if_most(records) {
            bail!(tr!(
                "--against: most records of these files cannot be judged; name the field that has the message (--field), or other files"
            ));
        }
        ensure!(
            scopeless * 2 <= records,
            tr!(
                "--against: most records of these files have no value in the fields of --scope; name fields that they have, or other files"
            )
        );
        Ok(())
    }

    /// Refuses the folder of the run's own state, whose messages count anyway.
    fn refuse_own(&self, folder: &Path) -> anyhow::Result<()> {
        let is_own = |state: &PathBuf| {
            fs::canonicalize(state).ok().is_some_and(|own| fs::canonicalize(folder).ok() == Some(own))
        };
        ensure!(
            !self.durable.state.as_ref().is_some_and(is_own),
            tr!(
                "--against: {}: is the folder of --state, whose messages count anyway; leave --against out",
                folder.display()
            )
        );
        Ok(())
    }
}
