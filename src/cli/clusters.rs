//! `quchong clusters`: what repeats, and how often.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use quchong::clusters::Clusters;
use quchong::config::Config;
use quchong::config::units::count;
use quchong::pipeline::lines::MAX_LINE;
use quchong::pipeline::parse::{FieldPath, Parser};
use quchong::pipeline::source::{Source, Whole};

use super::encoding::EncodingArgs;
use super::files::{expand, open_outputs};
use super::format::FormatArg;
use super::near::NearArgs;
use super::represent::RepresentArg;
use super::{inputs, say};

/// List kept messages with their repeats: how many, which, since when, and in which words most often
///
/// One JSON object for each kept message: `id`, `count` (itself included), `exact` and `near` repeats, `first` and `last` time,
/// `text`, the most frequent wording as `variant` with its `variant_count`, and the ids of the `repeats`. Each repeats the kept
/// message itself, as `quchong dedup` says; so `count` adds up to what it counts, blank lines and errors apart.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong clusters dump.jsonl.zst --sort size | head
  quchong clusters dump.jsonl --html clusters.html > clusters.jsonl
  quchong clusters --least 10 dump.jsonl | jq -r '[.count, .variant] | @tsv'")]
pub struct Args {
    /// Files to read, in this order, or patterns in quotes ('dumps/*.zst'), whose files are sorted by name; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How records stand in the input; auto goes by the extension, else by the first byte
    #[arg(short, long, value_enum, default_value_t = FormatArg::Auto, help_heading = "Input")]
    format: FormatArg,

    #[command(flatten)]
    encoding: EncodingArgs,

    /// Where the message stands; JSONL: a name, a dotted path or a JSON pointer; CSV, TSV: the name or the number of a column; Parquet: the
    /// name of a column, or a path into it
    #[arg(long, value_name = "PATH", default_value = "text", help_heading = "Input")]
    field: String,

    /// Where its id stands; a record without one goes by its line number
    #[arg(long, value_name = "PATH", default_value = "id", help_heading = "Input")]
    id_field: String,

    /// Where its time stands; RFC 3339, seconds or milliseconds since 1970, or as Weibo writes it
    #[arg(long, value_name = "PATH", default_value = "created_at", help_heading = "Input")]
    time_field: String,

    /// The order of the clusters
    #[arg(long, value_enum, default_value_t = SortArg::Input, help_heading = "Output")]
    sort: SortArg,

    /// Only clusters of so many messages
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, help_heading = "Output")]
    least: u64,

    /// Add the id and the text of the message that stands for the cluster, as `representative`
    #[arg(long, value_enum, help_heading = "Output")]
    represent: Option<RepresentArg>,

    /// Write a page with the largest clusters to this file, to leaf through, differences marked; it needs no network
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    #[command(flatten)]
    near: NearArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum SortArg {
    /// That of the kept messages in the input
    Input,
    /// The largest first
    Size,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let parser = Parser {
        field: FieldPath::parse("--field", &args.field)?,
        id_field: FieldPath::parse("--id-field", &args.id_field)?,
        time_field: Some(FieldPath::parse("--time-field", &args.time_field)?),
        seq_field: None,
    };
    let config: Config = args.near.config()?;
    let files = expand(&args.files, false)?;
    let (inputs, name) = inputs(&files);
    let [page] = open_outputs(&files, true, [("--html", &args.html)])?;
    let several = inputs.len() > 1;
    let source = Source::new(inputs, args.format.into(), MAX_LINE)?.parsed_by(&parser, Whole::Not);
    let source = args.encoding.apply(source, say)?;
    let mut found = Clusters::gather(&config, source, &parser, several, args.represent.map(Into::into))?;
    if matches!(args.sort, SortArg::Size) {
        found.sort_by_size();
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let mut listed = found.clusters.iter().filter(|cluster| cluster.count() >= args.least);
    let written = listed.try_for_each(|cluster| writeln!(out, "{cluster}"));
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error).context("<stdout>"),
        _ => {}
    }
    if let Some(page) = page {
        page.write(&found.html(&name, args.least))?;
    }
    let Clusters { clusters, blank, errors, .. } = &found;
    let (exact, near) =
        clusters.iter().fold((0, 0), |(exact, near), cluster| (exact + cluster.exact, near + cluster.near));
    let kept = clusters.len() as u64;
    say(&format!(
        "in {} = kept {kept} + exact {exact} + near {near} + blank {blank} + errors {errors}",
        kept + exact + near + blank + errors
    ));
    Ok(ExitCode::SUCCESS)
}
