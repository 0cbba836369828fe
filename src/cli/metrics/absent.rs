//! In place of the options for watching a run, where the program was built without them.

use std::path::PathBuf;
use std::sync::Arc;

use quchong::run::metrics::Metrics;

use super::files::Target;
use super::log::LogFormat;
use super::report::Teller;
use super::settings::words;

/// What tells how a run fares.
#[derive(clap::Args)]
pub struct MetricsArgs {
    #[arg(long, value_parser = words("log-format", &LogFormat::NAMED))]
    pub log_format: LogFormat,
}

/// The metrics of a run: nobody can ask for them.
pub struct Watched {
    pub metrics: Arc<Metrics>,
}

impl MetricsArgs {
    pub fn any(&self) -> bool {
        false
    }

    pub fn begin(&self, _: &[PathBuf], _: bool, _: &[&Option<Target>], _: &Teller) -> anyhow::Result<Option<Watched>> {
        Ok(None)
    }
}

impl Watched {
    pub fn finish(self) -> anyhow::Result<()> {
        Ok(())
    }
}
