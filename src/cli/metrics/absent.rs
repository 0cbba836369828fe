//! In place of the options for watching a run, where the program was built without them.

use std::path::PathBuf;
use std::sync::Arc;

use crate::run::metrics::Metrics;

use super::console::Teller;
use super::files::Target;

/// What tells how a run fares.
#[derive(clap::Args)]
pub(crate) struct MetricsArgs {}

/// The metrics of a run: nobody can ask for them.
pub(crate) struct Watched {
    pub(crate) metrics: Arc<Metrics>,
}

impl MetricsArgs {
    pub(crate) fn any(&self) -> bool {
        false
    }

    pub(crate) fn file(&self) -> Option<PathBuf> {
        None
    }

    pub(crate) fn begin(
        &self,
        _: &[PathBuf],
        _: bool,
        _: &[&Option<Target>],
        _: &Teller,
    ) -> anyhow::Result<Option<Watched>> {
        Ok(None)
    }
}

impl Watched {
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        Ok(())
    }
}
