//! The options for watching a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::run::metrics::{Metrics, TextFile, serve};
use anyhow::Context;
use tracing::{info, warn};

use super::console::Teller;
use super::files::{Target, refuse_use};
use super::terminal::in_words;
use crate::locale::tr;

/// The options for watching a run.
#[derive(clap::Args)]
pub(crate) struct MetricsArgs {
    #[arg(long, value_parser = address)]
    metrics: Option<String>,

    #[arg(long)]
    metrics_file: Option<PathBuf>,
}

/// The metrics of a run, and the file to which they are written.
pub(crate) struct Watched {
    pub(crate) metrics: Arc<Metrics>,
    file: Option<TextFile>,
}

impl MetricsArgs {
    /// Whether any metrics are requested.
    pub(crate) fn any(&self) -> bool {
        self.metrics.is_some() || self.metrics_file.is_some()
    }

    /// The file to which metrics are written, if there is one.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.metrics_file.clone()
    }

    /// Begins to answer requests and to write the file; `None` if no metrics are requested. `reads` and `outputs` are the files in use.
    pub(crate) fn begin(
        &self,
        reads: &[PathBuf],
        to_stdout: bool,
        outputs: &[&Option<Target>],
        teller: &Teller,
    ) -> anyhow::Result<Option<Watched>> {
        if !self.any() {
            return Ok(None);
        }
        let metrics = Arc::new(Metrics::default());
        let file = match &self.metrics_file {
            Some(path) => {
                refuse_use(reads, to_stdout, outputs, "--metrics-file", path)?;
                Some(self.write(path, metrics.clone(), teller.clone())?)
            }
            None => None,
        };
        if let Some(address) = &self.metrics {
            let bound = serve(address, metrics.clone())?;
            teller.tell(|| info!(address = %bound, "{}", tr!("metrics at http://{bound}/metrics", bound)));
        }
        Ok(Some(Watched { metrics, file }))
    }

    /// Refuses what [`begin`](Self::begin) would refuse of the file, without replacing it.
    pub(crate) fn check(&self, reads: &[PathBuf], to_stdout: bool, outputs: &[&Option<Target>]) -> anyhow::Result<()> {
        let Some(path) = &self.metrics_file else { return Ok(()) };
        refuse_use(reads, to_stdout, outputs, "--metrics-file", path)?;
        TextFile::check(path).context("--metrics-file")
    }

    fn write(&self, path: &Path, metrics: Arc<Metrics>, teller: Teller) -> anyhow::Result<TextFile> {
        // Whoever looks at the numbers must know that they stand still, even under `--quiet`.
        let report = move |error: &crate::Error| teller.insist(|| unwritten(error));
        TextFile::begin(path, metrics, report).context("--metrics-file")
    }
}

impl Watched {
    /// Ends the watching of a run, and writes the file for the last time. A run whose outputs are complete does not fail because its
    /// numbers cannot be written.
    pub(crate) fn finish(self) {
        if let Some(Err(error)) = self.file.map(TextFile::finish) {
            unwritten(&error);
        }
    }
}

/// Warns that the file cannot be written.
fn unwritten(error: &crate::Error) {
    let error = in_words(&error.to_string());
    warn!("{}", tr!("warning: --metrics-file: {error}; the file keeps its old numbers, and the run goes on", error));
}

/// Reads the address at which requests are answered.
fn address(text: &str) -> Result<String, String> {
    let port = text.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let number = text.rsplit_once(':').map_or("", |(_, port)| port);
    if port.is_none() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(tr!("a port is a number from 0 to 65535; write such a one"));
    }
    port.map(|_| text.to_owned()).ok_or_else(|| tr!("write HOST:PORT, or :PORT for loopback (:9184)"))
}
