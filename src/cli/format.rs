//! The options for how records stand in inputs, and rows between the steps of a job.

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use clap::builder::PossibleValue;
use quchong::pipeline::source::Format;
use quchong::scale::rows::{RowFormat, RowOut, Writer};

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

/// How records stand in what is sketched.
#[derive(Clone, Copy)]
pub enum SketchedArg {
    Records(FormatArg),
    Arrow,
}

impl ValueEnum for SketchedArg {
    fn value_variants<'a>() -> &'a [Self] {
        use FormatArg as F;
        const {
            &[
                Self::Records(F::Auto),
                Self::Records(F::Lines),
                Self::Records(F::Jsonl),
                Self::Records(F::Csv),
                Self::Records(F::Tsv),
                Self::Records(F::Parquet),
                Self::Arrow,
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Records(format) => format.to_possible_value(),
            Self::Arrow => Some(
                PossibleValue::new("arrow")
                    .help("A stream of Arrow IPC, of which --field and --pos-field name columns"),
            ),
        }
    }
}

/// The option for rows.
#[derive(clap::Args)]
pub struct RowsArgs {
    /// How rows are read and written: one JSON object a line, or one stream of Arrow IPC
    #[arg(long, value_enum, default_value_t = RowsArg::Jsonl)]
    rows: RowsArg,
}

impl RowsArgs {
    /// Where rows are written.
    pub fn stdout<R: RowOut>(&self) -> io::Result<Writer<R, impl Write>> {
        Writer::new(BufWriter::with_capacity(1 << 18, io::stdout().lock()), self.format())
    }

    pub fn format(&self) -> RowFormat {
        match self.rows {
            RowsArg::Jsonl => RowFormat::Jsonl,
            RowsArg::Arrow => RowFormat::Arrow,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum RowsArg {
    Jsonl,
    Arrow,
}
