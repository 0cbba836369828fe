//! The option for how records stand in inputs, and names of outputs that say otherwise.

use std::path::Path;

use anyhow::bail;
use clap::ValueEnum;
use quchong::pipeline::source::{Format, Input};

#[derive(Clone, Copy, ValueEnum)]
pub enum FormatArg {
    Auto,
    Lines,
    Jsonl,
    Csv,
    Tsv,
    Parquet,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Auto => Self::Auto,
            FormatArg::Lines => Self::Lines,
            FormatArg::Jsonl => Self::Jsonl,
            FormatArg::Csv => Self::Csv,
            FormatArg::Tsv => Self::Tsv,
            FormatArg::Parquet => Self::Parquet,
        }
    }
}

/// Refuses an output whose name says that something else is in it than what records of these inputs leave as.
///
/// # Errors
/// Naming the option, and what to call it.
pub fn check_name(option: &str, output: &Path, inputs: &[Input], format: Format) -> anyhow::Result<()> {
    let Some(input) = inputs.first() else { return Ok(()) };
    let (comes, named) = (format.of(input), Format::Auto.named(output));
    let leaves = match (comes, named) {
        (Format::Csv, Format::Tsv | Format::Jsonl | Format::Parquet) => "CSV; call it .csv",
        (Format::Tsv, Format::Csv | Format::Jsonl | Format::Parquet) => "TSV; call it .tsv",
        (Format::Parquet, Format::Csv | Format::Tsv) => "Parquet; call it .parquet, or .jsonl for JSON objects",
        (Format::Auto | Format::Lines | Format::Jsonl, Format::Parquet) => "lines; call it .jsonl",
        _ => return Ok(()),
    };
    bail!("{option} {}: records of {} leave as {leaves}", output.display(), input.name())
}
