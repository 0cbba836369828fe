//! The reports that `quchong tune` writes besides the table on standard output.

use std::path::PathBuf;
use std::process::ExitCode;

use super::columns::print_markdown;
use super::files::{Target, open_outputs};

/// The files for the results. The table goes to standard output.
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

/// The open files for the reports: HTML, SVG, CSV and JSON.
pub(crate) struct TuneOutputs([Option<Target>; 4]);

impl OutputArgs {
    /// Opens the requested files before the work, so that a report that cannot be written is refused at once. `reads` are the input
    /// files.
    pub(crate) fn open(&self, reads: &[PathBuf]) -> anyhow::Result<TuneOutputs> {
        let outputs = [("--html", &self.html), ("--svg", &self.svg), ("--csv", &self.csv), ("--json", &self.json)];
        open_outputs(reads, true, outputs).map(TuneOutputs)
    }
}

impl TuneOutputs {
    /// Prints the table, on a terminal after `lead`, and then writes the requested files. If one file fails, the others are still
    /// written.
    pub(crate) fn write(self, lead: &str, table: &str, writers: [&dyn Fn() -> String; 4]) -> anyhow::Result<ExitCode> {
        let mut end = print_markdown(lead, table);
        for (target, writer) in self.0.into_iter().zip(writers) {
            let written = target.map_or(Ok(()), |target| target.write(&writer()));
            end = end.and_then(|code| written.map(|()| code));
        }
        end
    }
}
