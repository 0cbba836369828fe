//! The reports of `quchong tune`, beside the table on standard output.

use std::path::PathBuf;
use std::process::ExitCode;

use super::columns::print_markdown;
use super::files::{Target, open_outputs};

/// Where results go; the table goes to standard output.
#[derive(clap::Args)]
pub(crate) struct OutputArgs {
    /// Write a page with charts to this file; it needs no network
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write the charts to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,

    /// Write the rows as CSV to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,

    /// Write everything as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
}

/// Files that are open for reports: HTML, SVG, CSV and JSON.
pub(crate) struct TuneOutputs([Option<Target>; 4]);

impl OutputArgs {
    /// Opens what was asked for, before the work, so that a report that cannot be written is told at once; `reads` are the
    /// files that are read.
    pub(crate) fn open(&self, reads: &[PathBuf]) -> anyhow::Result<TuneOutputs> {
        let outputs = [("--html", &self.html), ("--svg", &self.svg), ("--csv", &self.csv), ("--json", &self.json)];
        open_outputs(reads, true, outputs).map(TuneOutputs)
    }
}

impl TuneOutputs {
    /// Prints the table, on a terminal below the one number, then writes what was asked for; one that fails keeps no other from being written.
    pub(crate) fn write(self, lead: &str, table: &str, writers: [&dyn Fn() -> String; 4]) -> anyhow::Result<ExitCode> {
        let mut end = print_markdown(lead, table);
        for (target, writer) in self.0.into_iter().zip(writers) {
            let written = target.map_or(Ok(()), |target| target.write(&writer()));
            end = end.and_then(|code| written.map(|()| code));
        }
        end
    }
}
