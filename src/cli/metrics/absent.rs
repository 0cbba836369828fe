//! Replaces the options for watching a run in a program that was built without them.

use std::path::PathBuf;
use std::sync::Arc;

use crate::run::metrics::Metrics;

use super::console::Teller;
use super::files::Target;

/// The options for watching a run, of which there are none.
#[derive(clap::Args)]
pub(crate) struct MetricsArgs {}

/// The metrics of a run. No run has any, because nobody can request them.
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

    pub(crate) fn check(&self, _: &[PathBuf], _: bool, _: &[&Option<Target>]) -> anyhow::Result<()> {
        Ok(())
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
    pub(crate) fn finish(self) {}
}
