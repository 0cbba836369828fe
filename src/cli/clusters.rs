//! `quchong clusters`: lists the kept messages with their repeats.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::Error;
use crate::clusters::{Clusters, Gathering};
use crate::config::Config;
use crate::config::settings::{ID_FIELD, TIME_FIELD};
use crate::formats::parse::{Fault, FieldPath, Further, Parser};
use crate::formats::source::Whole;
use crate::run::represent::Represent;
use crate::run::sink::{Stream, Written};
use anyhow::bail;
use clap::ValueEnum;

use super::doubts::{unnamed, unranked, unscoped, untimed};
use super::files::open_outputs;
use super::format::check_json_name;
use super::input::{Faults, IdArgs, InputArgs, checked, inputs_of, naming};
use super::settings::{ConfigArgs, Given, NearArgs, ScopeArgs};
use super::summary::unranked_few;
use super::terminal::warn_user_unless;
use super::{DOUBTFUL, fail, inputs, positive_count, thread_count, threads};
use crate::locale::tr;

/// List kept messages with their repeats: how many, which ones, since when, and the most frequent wording
///
/// One JSON object for each kept message: `id`, `count` (itself included), `exact` and `near` repeats, `first` and `last` time,
/// `text`, the most frequent wording as `variant` with its `variant_count`, and the ids of the `repeats`. Every repeat in a cluster
/// repeats the kept message. All `count`s together are the number of messages, without blank lines and errors.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong clusters dump.jsonl.zst --sort size | head
  quchong clusters dump.jsonl --html clusters.html > clusters.jsonl
  quchong clusters dump.jsonl --scope author --sort size | head
  quchong clusters --least 10 dump.jsonl | jq -r '[.count, .variant] | @tsv'")]
pub(crate) struct Args {
    #[command(flatten)]
    given: Given,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    ids: IdArgs,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Field with the time of a message: RFC 3339, 2026/11/22 8:00 or 2026年11月22日 8:00, seconds, milliseconds or microseconds since 1970, RFC 2822 as in RSS, or Weibo's own
    /// format [default: created_at]
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    time_field: Option<String>,

    /// The order of the clusters
    #[arg(long, value_enum, default_value_t = SortArg::Input, help_heading = "Output")]
    sort: SortArg,

    /// Only clusters of at least N messages
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive_count, help_heading = "Output")]
    least: u64,

    /// Add the id and the text of the message that stands for the cluster, as `representative`: first, longest, newest, most-frequent,
    /// largest:FIELD, smallest:FIELD or listed:FIELD=A,B
    #[arg(long, value_name = "WHICH", value_parser = Represent::parse, help_heading = "Output")]
    represent: Option<Represent>,

    /// Write a page with the largest clusters to this file, to leaf through, differences marked; it needs no network
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write the list to this file, not to standard output; compressed if it ends in .gz, .zst, .bz2 or .xz
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    near: NearArgs,

    #[command(flatten)]
    config: ConfigArgs,

    #[arg(long, value_parser = thread_count)]
    threads: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum SortArg {
    /// That of the kept messages in the input
    Input,
    /// The largest first
    Size,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let parser = args.parser()?;
    let quiet = args.quiet;
    let tell = warn_user_unless(quiet);
    let config: Config = args.given.0.of_stages().config()?;
    // Only a preset can choose such an exact stage here.
    if config.exact.errs() {
        let reason = tr!(
            "{} drops messages without saying what they repeat, and a cluster lists its repeats; use another preset",
            args.given.0.get("preset").unwrap_or_default()
        );
        bail!(Error::config("preset", reason));
    }
    let files = args.input.files(quiet)?;
    let source =
        args.input.source(&args.given, args.input.format(), inputs_of(&files, false), &parser, Whole::Not, tell)?;
    let to_stdout = args.output_file.is_none();
    args.output_file.iter().try_for_each(|output| check_json_name("--output-file", output))?;
    let outputs = [("--output-file", &args.output_file), ("--html", &args.html)];
    let [list, page] = open_outputs(&args.input.reads(&files), to_stdout, outputs)?;
    let how = Gathering { naming: naming(&files), represent: args.represent.clone(), threads: threads(args.threads) };
    let mut faults = Faults::new(args.input.on_error(), quiet)?;
    let fault = |file: &str, line, fault: &Fault| faults.count_fault(file, line, fault);
    let mut found = Clusters::gather(&config, source, &parser, &how, fault)?;
    if matches!(args.sort, SortArg::Size) {
        found.sort_by_size();
    }
    let mut list = list.map_or_else(|| Ok(Stream::stdout()), |list| list.stream(Written::default(), false, false))?;
    let mut listed = found.clusters.iter().filter(|cluster| cluster.count() >= args.least);
    match listed.try_for_each(|cluster| list.put(cluster)).and_then(|()| list.complete()) {
        Err(Error::Io { reason, .. }) if reason.kind() == io::ErrorKind::BrokenPipe && to_stdout => {}
        written => written?,
    }
    if let Some(page) = page {
        page.write(&found.html(&inputs(&files).1, args.least))?;
    }
    let messages = sum_up(&found, tell);
    let most_failed = faults.tell_if_most(messages + found.errors);
    let is_doubtful = args.tell_doubts(&found, messages, &parser, tell) || most_failed;
    Ok(if is_doubtful { ExitCode::from(DOUBTFUL) } else { ExitCode::SUCCESS })
}

/// Reports the totals. Returns the number of messages.
fn sum_up(found: &Clusters, tell: impl Fn(&str)) -> u64 {
    let Clusters { clusters, blank, errors, .. } = found;
    let (exact, near) =
        clusters.iter().fold((0, 0), |(exact, near), cluster| (exact + cluster.exact, near + cluster.near));
    let kept = clusters.len() as u64;
    tell(&tr!(
        "in {} = kept {kept} + exact {exact} + near {near} + blank {blank} + errors {errors}",
        kept + exact + near + blank + errors,
        kept,
        exact,
        near,
        blank,
        errors
    ));
    kept + exact + near
}

impl Args {
    /// The parser for the records.
    fn parser(&self) -> anyhow::Result<Parser> {
        let (field, also) = self.input.fields()?;
        let time_field = FieldPath::parse("--time-field", self.time_field.as_deref().unwrap_or(TIME_FIELD))?;
        let value = self.represent.as_ref().and_then(Represent::field).cloned();
        checked(Parser {
            id_field: self.ids.path()?,
            field,
            time_field: Some(time_field),
            seq_field: None,
            further: Further { value, scope: self.given.scope()?, also },
        })
    }

    /// Reports if most messages lack a value that an option names, even under `--quiet`. Returns whether this is so.
    fn tell_doubts(&self, found: &Clusters, messages: u64, parser: &Parser, tell: impl Fn(&str)) -> bool {
        let mut is_doubtful = false;
        let is_timed = self.time_field.is_some() || self.represent == Some(Represent::Newest);
        if is_timed && found.timeless * 2 > messages {
            fail(&untimed(found.timeless, messages));
            is_doubtful = true;
        }
        if found.scopeless * 2 > messages {
            fail(&unscoped(found.scopeless, messages));
            is_doubtful = true;
        }
        if found.unranked * 2 > messages {
            fail(&unranked(found.unranked, messages));
            is_doubtful = true;
        } else if found.unranked > 0 {
            tell(&unranked_few(found.unranked, messages));
        }
        if parser.id_field.spelled() != ID_FIELD && found.nameless * 2 > messages {
            fail(&unnamed(found.nameless, messages));
            is_doubtful = true;
        }
        is_doubtful
    }
}
