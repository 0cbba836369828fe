//! The options of `quchong dedup` and `quchong serve` for how messages are judged, and how the program goes about it.

use std::path::PathBuf;

use super::log::LogFormat;
use super::settings::{ExactArgs, NearArgs, SeedArgs, words};
use super::{thread_count, threads};

/// The stages, the file of settings, and what a run takes and tells; `M` says how it can be watched.
#[derive(clap::Args)]
pub(crate) struct WorkArgs<M: clap::Args> {
    #[command(flatten)]
    exact: ExactArgs,

    #[command(flatten)]
    near: NearArgs,

    // Read before all others are: what stands in it is among them.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) metrics: M,

    #[arg(long, value_parser = words("log-format", &LogFormat::NAMED))]
    pub(crate) log_format: LogFormat,

    #[arg(long, value_parser = thread_count)]
    threads: Option<usize>,

    #[command(flatten)]
    seed: SeedArgs,
}

impl<M: clap::Args> WorkArgs<M> {
    /// Threads that work at once.
    pub(crate) fn threads(&self) -> usize {
        threads(self.threads)
    }
}
