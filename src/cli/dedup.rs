//! `quchong dedup`: each message once.

mod steps;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use quchong::config::Config;
use quchong::config::options::Options;
use quchong::fingerprint::{random_seed, seeded};
use quchong::formats::parse::Parser;
use quchong::overview::Overview;
use quchong::report::json;
use quchong::run::durable::{Durable, RunNote};
use quchong::run::recount::Pace;
use quchong::run::represent::Choice;
use quchong::run::sink::{Output, Sink, Stream, Written};
use quchong::run::stop::Signals;
use quchong::run::{self, End, Job, Totals};

use super::durable::DurableArgs;
use super::exact::ExactArgs;
use super::files::Target;
use super::input::{IdArgs, InputArgs};
use super::log::LogFormat;
use super::memory::MemoryArgs;
use super::metrics::{MetricsArgs, Watched};
use super::near::NearArgs;
use super::recount::RecountArgs;
use super::report::{Reporter, doubts};
use super::represent::{RepresentArg, Second};
use super::{DOUBTFUL, say, thread_count, threads};
use steps::{Inputs, Outputs};

/// Drop exact and near repeats; kept records leave byte for byte as they came
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong dedup dump.jsonl --dropped dropped.jsonl --report report.html > kept.jsonl
  quchong dedup dump.jsonl --represent longest > kept.jsonl

Rules of --normalise: repost, mention, url, emoticon, emoji, topic, video, place, page, punctuation.

Exit codes: 0 done (also when the reader of the output goes away), 2 failure, 3 done, but most records of an input could not be
judged (under --strict: any record), or most messages had no time under --window TIME; 129, 130 and 143 stopped by SIGHUP, SIGINT and
SIGTERM after everything that had been read was answered.")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    ids: IdArgs,

    /// Read the file on as it grows, and as another takes its name (log rotation), until the run is stopped. Each run begins with the
    /// file's first record: under --state, --seq-field skips those that are remembered, which would else be repeats of themselves
    #[arg(long, conflicts_with = "resume", help_heading = "Input")]
    follow: bool,

    /// Which records to write; dropped and annotated ones carry a member or column "quchong" with the verdict
    #[arg(long, value_enum, default_value_t = OutputArg::Kept, help_heading = "Output")]
    output: OutputArg,

    /// Write them to this file, not to standard output; compressed if it ends in .gz, .zst, .bz2 or .xz, as --dropped is. Rows of
    /// Parquet leave as Parquet, but as JSON objects in outputs that are called .jsonl
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Add to what -o and --dropped have in them, in place of replacing it
    #[arg(long, requires = "output_file", help_heading = "Output")]
    append: bool,

    /// Also write the dropped records, annotated, to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    dropped: Option<PathBuf>,

    /// Annotate near repeats found by their texts with "differs": up to 8 stretches ["old","new"], of the kept body and of
    /// this one; keeps the bodies of --verify-window in memory (each its bytes and 40, about 160 bytes for a Weibo post)
    #[arg(long, help_heading = "Output")]
    explain: bool,

    #[command(flatten)]
    recount: RecountArgs,

    /// Write the totals as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    summary: Option<PathBuf>,

    /// Write a page with charts of the whole run to this file: repeats over time (of the messages with --time-field, else by
    /// position), by verdict and length, the largest clusters, throughput, the filter; it needs no network. Takes at most 8 MB
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Which message of a cluster is written, byte for byte and at its own place; the others, dropped, name it. All but `first`
    /// read the files twice, and hold about 100 bytes more for each kept message and 40 for each repeat
    #[arg(long, value_enum, default_value_t = RepresentArg::First, help_heading = "Output",
          conflicts_with_all = ["state", "follow", "explain", "max_memory"])]
    represent: RepresentArg,

    /// End with exit code 3 if any record could not be judged, not only if most could not
    #[arg(long, help_heading = "Input")]
    strict: bool,

    /// Say nothing on standard error but errors
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    #[command(flatten)]
    durable: DurableArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    exact: ExactArgs,

    #[command(flatten)]
    near: NearArgs,

    #[command(flatten)]
    metrics: MetricsArgs,

    /// Threads for the steps that need no order [default: all cores]; the output is the same for any number
    #[arg(short = 'j', long, value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,

    /// Seed of the exact stage's hashes, a number or `random` [default: that of --state; else random, so that nobody can make
    /// texts that are taken for another, but 0 where it could decide what is dropped: --exact bloom and paper-trie]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,
}

fn seed(value: &str) -> anyhow::Result<u64> {
    match value {
        "random" => Ok(random_seed()),
        number => number.parse().context("a seed is a number below 2^64, or `random`"),
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum OutputArg {
    Kept,
    Dropped,
    Annotated,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    // First of all: what comes before it is not heard.
    let signals = listen()?;
    let mut config = args.config_in_limit()?;
    let files = args.input.files(args.quiet)?;
    let inputs = Inputs::of(&args, &files, &config)?;
    let mut reporter = Reporter::new(args.quiet, args.log_format(), config.exact, inputs.bytes());
    let (recount, represent) = (args.pace(&inputs)?, args.represented(&inputs)?);
    let parser = args.parser(recount)?;
    args.check_outputs(&inputs)?;
    let (mut source, again) = args.sources(&inputs, &parser, represent, reporter.teller().clone())?;
    args.remember(&mut config)?;
    let outputs = Outputs::open(&args, &inputs)?;
    let watched = args.metrics.begin(&outputs.reads, outputs.to_stdout, &outputs.targets(), reporter.teller())?;
    let durable = args.durable(&mut config, &mut source, &inputs, &outputs)?;
    let Outputs { main, dropped, summary, report, written, .. } = outputs;
    let sink = args.sink(main, dropped, durable.as_ref().map_or(written, Durable::written))?;
    let (sink, second) = Second::prepare(again, &parser, sink);
    reporter.choice = represent.map(Choice::new);
    reporter.overview = report.is_some().then(|| Overview::new(parser.time_field.is_some()));
    let metrics = watched.as_ref().map(|watched| watched.metrics.clone());
    let threads = threads(args.threads);
    let job = Job { source, parser, sink, threads, observer: &mut reporter, durable, metrics, recount };
    let (mut totals, mut end) = run::run(&config, job, files.len() > 1, signals.first());
    if let (Some(second), Some(choice), Ok(End::Input)) = (second, &reporter.choice, &end) {
        end = second.run(choice, &mut totals);
    }
    reporter.finish(&totals);
    let summarised = summary.map_or(Ok(()), |target| target.write(&json(&totals)));
    let page = reporter.overview.map(|overview| overview.html(&inputs.name(), &totals));
    let reported = report.zip(page).map_or(Ok(()), |(target, page)| target.write(&page));
    let watched = watched.map_or(Ok(()), Watched::finish);
    let end = end?;
    summarised.and(reported).and(watched)?;
    exit_code(end, &totals, args.strict, &signals)
}

/// Hears of signals: the first ends the run, the second at once.
fn listen() -> quchong::Result<Signals> {
    Signals::listen(|number| {
        say(
            "stopped before all that had been read was answered: its output was not taken, or its comparisons took too long",
        );
        std::process::exit(128 + number);
    })
}

fn exit_code(end: End, totals: &Totals, strict: bool, signals: &Signals) -> anyhow::Result<ExitCode> {
    ensure!(
        end != End::Input || totals.add_up(),
        "the totals do not add up: {totals:?}; this is a fault of quchong, please report it"
    );
    match end {
        End::Input if doubts(totals, strict) => Ok(ExitCode::from(DOUBTFUL)),
        End::Input | End::ClosedPipe => Ok(ExitCode::SUCCESS),
        End::Stopped => Ok(ExitCode::from(128 + u8::try_from(signals.number()).unwrap_or(0))),
    }
}

impl Args {
    /// How events are written.
    pub fn log_format(&self) -> LogFormat {
        self.metrics.log_format
    }

    pub fn config(&self) -> anyhow::Result<Config> {
        let options = self.memory.options(self.exact.options(self.near.options()));
        Ok(Config { recount: self.recount.any(), ..seeded(&Options { seed: self.seed, ..options })? })
    }

    /// The run, as a later one must be to go on with it.
    fn note(&self, files: &[PathBuf], files_only: bool) -> RunNote {
        let path =
            |path: &Option<PathBuf>| path.as_ref().map_or_else(|| "-".to_owned(), |path| path.display().to_string());
        let name = |value: Option<clap::builder::PossibleValue>| {
            value.map_or_else(String::new, |value| value.get_name().to_owned())
        };
        let options = [
            ("--output", name(self.output.to_possible_value())),
            ("--output-file", path(&self.output_file)),
            ("--dropped", path(&self.dropped)),
            ("--explain", self.explain.to_string()),
        ];
        let options = options
            .into_iter()
            .chain(self.input.note())
            .chain(self.ids.note())
            .chain(self.memory.note())
            .chain(self.durable.note())
            .chain(self.recount.note());
        RunNote {
            options: options.map(|(option, value)| (option.to_owned(), value)).collect(),
            inputs: files.iter().map(|path| path.display().to_string()).collect(),
            files: files_only,
        }
    }

    /// Where records go, behind what an earlier run had written.
    fn sink(&self, main: Option<Target>, dropped: Option<Target>, written: [Written; 2]) -> anyhow::Result<Sink> {
        let output = match self.output {
            OutputArg::Kept => Output::Kept,
            OutputArg::Dropped => Output::Dropped,
            OutputArg::Annotated => Output::Annotated,
        };
        let members = self.durable.state.is_some();
        let stream = |target: Target, written| target.stream(written, members);
        let main = main.map(|target| stream(target, written[0])).transpose()?;
        let mut sink = Sink::new(output, self.input.on_error(), main.unwrap_or_else(Stream::stdout));
        if let Some(dropped) = dropped {
            sink.dropped_to(stream(dropped, written[1])?);
        }
        Ok(sink)
    }

    fn parser(&self, recount: Option<Pace>) -> anyhow::Result<Parser> {
        let told = self.metrics.any() || self.report.is_some();
        let needed = self.represent == RepresentArg::Newest || matches!(recount, Some(Pace::MessageTimes(_)));
        let field = self.input.field()?;
        let is_replaced = !matches!(self.output, OutputArg::Kept) || self.dropped.is_some();
        ensure!(
            !is_replaced || field.spelled() != "quchong",
            "--field quchong: where records are annotated, their verdict takes its place; rename it, or write kept records alone"
        );
        Ok(Parser {
            id_field: self.ids.path(&field)?,
            field,
            time_field: self.memory.time_field(told, needed)?,
            seq_field: self.durable.seq_field()?,
        })
    }
}
