//! `quchong sketch`: what a job over many machines needs to know of each record.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use quchong::config::options::Options;
use quchong::config::units::size;
use quchong::pipeline::parse::{FieldPath, Parser};
use quchong::pipeline::source::{Source, Whole};
use quchong::scale::sketch::{Sketcher, check};
use quchong::{Error, Pos};

use super::dedup::OnErrorArg;
use super::encoding::EncodingArgs;
use super::exact::ExactArgs;
use super::files::expand;
use super::format::{FormatArg, RowsArgs, SketchedArg};
use super::near::NearArgs;
use super::report::FAULTS_TOLD;
use super::{inputs, say, unwritten};

/// Sketch records for a job over many machines: position, digest of the text, fingerprint
///
/// One row for each record, in order: `pos`, the `digest` of what the exact stage compares (32 hexadecimal digits), the
/// `simhash` of the body (16). A blank line has neither; a record that cannot be judged has its `error`. Options are those of
/// `quchong dedup`, and so are the values. See spark/README.md.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong sketch --near simhash dump.jsonl.zst
  quchong sketch --near simhash --pos-field n --on-error fail rows.jsonl")]
pub struct Args {
    /// Files to read, in this order; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How records stand in the input; auto goes by the extension, else by the first byte
    #[arg(short, long, value_enum, default_value_t = SketchedArg::Records(FormatArg::Auto), help_heading = "Input")]
    format: SketchedArg,

    #[command(flatten)]
    encoding: EncodingArgs,

    /// Where the message stands; JSONL: a name, a dotted path or a JSON pointer; CSV, TSV: the name or the number of a column
    #[arg(long, value_name = "PATH", default_value = "text", help_heading = "Input")]
    field: String,

    /// Where its position stands, a whole number: earlier messages have smaller ones [default: positions are counted]
    #[arg(long, value_name = "PATH", conflicts_with = "first_pos", help_heading = "Input")]
    pos_field: Option<String>,

    /// The position of the first record, from which positions are counted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64), default_value_t = 0, help_heading = "Input")]
    first_pos: u64,

    /// What becomes of records that cannot be judged
    #[arg(long, value_enum, default_value_t = OnErrorArg::Pass, help_heading = "Input")]
    on_error: OnErrorArg,

    /// Longest line that is judged
    #[arg(long, value_name = "BYTES", default_value = "16MiB", value_parser = size, help_heading = "Input")]
    max_line: u64,

    #[command(flatten)]
    exact: ExactArgs,

    #[command(flatten)]
    near: NearArgs,

    /// Key of the digests: the same for all of a job, and a secret where texts come from those who would have others dropped
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    rows: RowsArgs,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let options = args.exact.options(args.near.options());
    let config = Options { seed: Some(args.seed), ..options }.config()?;
    check(&config)?;
    let parser = Parser {
        field: FieldPath::parse("--field", &args.field)?,
        id_field: FieldPath::parse("--id-field", "id")?,
        time_field: None,
        seq_field: args.pos_field.as_deref().map(|field| FieldPath::parse("--pos-field", field)).transpose()?,
    };
    let max_line = usize::try_from(args.max_line).context("--max-line")?;
    let inputs = inputs(&expand(&args.files, false)?).0;
    let mut out = args.rows.stdout().map_err(unwritten)?;
    let mut faults = 0;
    let fault = |file: &str, line, fault: &quchong::pipeline::parse::Fault| {
        faults += 1;
        match args.on_error {
            OnErrorArg::Fail => Err(Error::Record { path: file.to_owned(), line, reason: fault.reason.clone() }),
            _ if faults <= FAULTS_TOLD => {
                say(&format!("{file}:{line}: {}", fault.reason));
                Ok(())
            }
            _ => Ok(()),
        }
    };
    let mut sketcher =
        Sketcher::new(&config, Pos(args.first_pos), fault, |sketch| out.row(&sketch).map_err(unwritten))?;
    match args.format {
        SketchedArg::Records(format) => {
            let source = Source::new(inputs, format.into(), max_line)?.parsed_by(&parser, Whole::Not);
            sketcher.records(args.encoding.apply(source, say)?, &parser)?;
        }
        SketchedArg::Arrow => sketcher.rows(&inputs, &args.field, args.pos_field.as_deref(), max_line)?,
    }
    let sketched = sketcher.sketched();
    out.finish().map_err(unwritten)?;
    tracing::info!(
        "sketched {} = messages {} + blank {} + errors {}",
        sketched.records(),
        sketched.messages,
        sketched.blank,
        sketched.errors
    );
    Ok(ExitCode::SUCCESS)
}
