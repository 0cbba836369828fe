//! The option for how records stand in inputs.

use clap::ValueEnum;
use quchong::pipeline::source::Format;

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
