//! `quchong reproduce`: writes the papers' tables beside ours, for any collection.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::config::units::count;
use crate::evaluate::Dataset;
use crate::evaluate::reproduce::{Options, reproduce};
use crate::formats::lines::MAX_LINE;
use crate::formats::source::{Format, Source};
use anyhow::Context;
use clap::ValueEnum;

use super::bars::Bars;
use super::columns::print_markdown;
use super::encoding::EncodingArgs;
use super::files::open_outputs;
use super::glob::expand;
use super::input::fields;
use super::screen::ShowProgress;
use super::settings::{ColorArgs, Typed, words};
use super::sign::ReadingArgs;
use super::{inputs, print, thread_count, threads, warn_user};
use crate::locale::tr;

/// Write the papers' tables beside ours for a collection of your own
///
/// Every method of `quchong methods` over the collection: precision, recall and F1 beside the paper's, pairs found, agreement, by length,
/// at four Levenshtein similarities; each claim of the papers on an ordering, with Kendall's τ and a bootstrap over documents; and
/// what other readings of the papers change.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong reproduce history.jsonl
  quchong reproduce posts.jsonl --sample 30000 --html tables.html
  quchong reproduce --whole-files --reflow 'pages/*.txt' --no-ablations")]
pub(crate) struct Args {
    #[command(flatten)]
    typed: Typed,

    /// Files to read, in this order, or patterns in quotes ('dumps/*.zst'), whose files are sorted by name; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[arg(long)]
    field: String,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Use only the first N messages
    #[arg(long, value_name = "N", default_value = "10000", value_parser = count)]
    sample: u64,

    /// Collections that the bootstrap draws
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    replicates: u32,

    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Leave out the ablations, which take ten times as long as all else
    #[arg(long)]
    no_ablations: bool,

    /// How the tables are written to standard output
    #[arg(long, value_enum, default_value_t = FormatArg::Markdown, help_heading = "Output")]
    format: FormatArg,

    /// Write a page with the tables and the agreement of all methods to this file; it needs no network
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write everything as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    #[arg(long, value_parser = words("progress", &ShowProgress::NAMED))]
    progress: ShowProgress,

    #[command(flatten)]
    color: ColorArgs,

    #[arg(long, value_parser = thread_count)]
    threads: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Markdown,
    Json,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let options = Options {
        reading: args.reading.reading(),
        whole_files: args.reading.whole_files,
        sample: usize::try_from(args.sample).context("--sample")?,
        seed: args.seed,
        replicates: args.replicates as usize,
        ablations: !args.no_ablations,
        threads: threads(args.threads),
    };
    anyhow::ensure!(options.sample > 1, tr!("--sample: {} messages have no pair; take more", options.sample));
    let files = expand(&args.files, false)?;
    let (inputs, name) = inputs(&files);
    let (field, further_fields) = fields(&args.field)?;
    args.typed.refuse_idle_in("reproduce", Format::Auto, &inputs)?;
    let source = args.typed.apply(Format::Auto, &inputs, Source::new(inputs.clone(), Format::Auto, MAX_LINE)?);
    let source = args.encoding.apply(source, warn_user)?;
    let [html, json] = open_outputs(&files, true, [("--html", &args.html), ("--json", &args.json)])?;
    let bars = Bars::new(args.progress);
    let input = Dataset { source, field, further_fields, name };
    let report = reproduce(input, &options, &|what, done, of| bars.show(what, done, of))?;
    bars.finish();
    let printed = match args.format {
        FormatArg::Markdown => print_markdown(&report.lead(), &report.markdown()),
        FormatArg::Json => print(report.json()),
    };
    html.map_or(Ok(()), |target| target.write(&report.html()))?;
    json.map_or(Ok(()), |target| target.write(&report.json()))?;
    printed
}
