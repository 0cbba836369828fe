//! The options of `quchong dedup` and `quchong serve` for how messages are judged, and for how the program works.

use std::path::PathBuf;

use super::log::LogFormat;
use super::settings::{ExactArgs, NearArgs, SeedArgs, words};
use super::{thread_count, threads};

/// Options for the stages, the file of settings, logging and threads. `M` has the options for watching the run.
#[derive(clap::Args)]
pub(crate) struct WorkArgs<M: clap::Args> {
    #[command(flatten)]
    exact: ExactArgs,

    #[command(flatten)]
    near: NearArgs,

    // `origins` reads this file before the other arguments are parsed, because it supplies some of them.
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
    /// The number of threads that work at once.
    pub(crate) fn threads(&self) -> usize {
        threads(self.threads)
    }
}
