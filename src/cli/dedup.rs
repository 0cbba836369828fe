//! `quchong dedup`: each message once.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use quchong::State;
use quchong::config::Config;
use quchong::config::options::Options;
use quchong::fingerprint::{random_seed, seeded};
use quchong::formats::parse::Parser;
use quchong::formats::source::{Format, Input, Whole};
use quchong::formats::time::check_times;
use quchong::overview::Overview;
use quchong::report::json;
use quchong::run::durable::{Durable, Plan, RunNote};
use quchong::run::recount::Pace;
use quchong::run::represent::{Choice, Represent};
use quchong::run::sink::{Output, Sink, Stream, Written};
use quchong::run::stop::Signals;
use quchong::run::{self, End, Job};
use tracing::info;

use super::durable::DurableArgs;
use super::exact::ExactArgs;
use super::files::{Target, open_outputs};
use super::format::check_name;
use super::input::{IdArgs, InputArgs, inputs_of};
use super::log::LogFormat;
use super::memory::MemoryArgs;
use super::metrics::{MetricsArgs, Watched};
use super::near::NearArgs;
use super::recount::RecountArgs;
use super::report::{Reporter, doubts};
use super::represent::{RepresentArg, Second};
use super::{DOUBTFUL, say, thread_count, threads};

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
    let signals = Signals::listen(|number| {
        say(
            "stopped before all that had been read was answered: its output was not taken, or its comparisons took too long",
        );
        std::process::exit(128 + number);
    })?;
    let config = args.config()?;
    config.validate()?;
    if config.max_memory.is_some() {
        // Too little is told before anything is opened.
        State::new(&config)?;
    }
    let files = &args.input.files(args.quiet)?;
    let inputs = inputs_of(files, args.follow);
    ensure!(
        !args.follow || matches!(inputs[..], [Input::Growing(_)]),
        "--follow reads one file, which must be named; several feeds need a run each"
    );
    if inputs.contains(&Input::Stdin) && io::stdin().is_terminal() {
        info!("reading messages from the terminal, one a line; Ctrl-D ends (--help shows more)");
    }

    let format = args.input.format();
    inputs.iter().try_for_each(|input| check_times(Format::of(format, input), config.window))?;
    let bytes = inputs.iter().map(Input::size).sum();
    let mut reporter = Reporter::new(args.quiet, args.log_format(), config.exact, bytes);
    let files_only = inputs.iter().all(Input::is_file);
    args.recount.check(matches!(args.output, OutputArg::Annotated), &inputs, format)?;
    let recount = args.recount.pace(files_only);
    let represent = Some(Represent::from(args.represent)).filter(|by| *by != Represent::First);
    ensure!(
        represent.is_none() || files_only,
        "--represent reads its input twice: name files, not standard input or a pipe (--represent first reads it once)"
    );
    let teller = reporter.teller().clone();
    let parser = args.parser(recount)?;
    args.check_append(&inputs, format)?;
    for (option, output) in [("--output-file", &args.output_file), ("--dropped", &args.dropped)] {
        output.iter().try_for_each(|output| check_name(option, output, &inputs, format))?;
    }
    let mut outputs = [&args.output_file, &args.dropped].into_iter().flatten();
    let whole = if outputs.any(|path| Stream::is_jsonl(path)) { Whole::RowAndLine } else { Whole::Row };
    let again = represent
        .map(|_| args.input.source(args.input.format(), inputs.clone(), &parser, whole, |_| {}))
        .transpose()?;
    let mut source = args
        .input
        .source(args.input.format(), inputs, &parser, whole, move |found| teller.tell(|| info!("{found}")))?;
    let shows_ids = !matches!(args.output, OutputArg::Kept) || args.dropped.is_some();
    ensure!(
        !args.explain || shows_ids,
        "--explain: no record is annotated; add --output annotated, --output dropped or --dropped FILE"
    );
    let mut config = Config {
        // A later run may show the ids of messages that this one keeps.
        remember_ids: shows_ids || args.report.is_some() || args.durable.state.is_some(),
        explain: args.explain,
        ..config
    };
    let reads = args.input.reads(files);
    let [main, dropped, summary, report] = open_outputs(
        &reads,
        args.output_file.is_none(),
        [
            ("--output-file", &args.output_file),
            ("--dropped", &args.dropped),
            ("--summary", &args.summary),
            ("--report", &args.report),
        ],
    )?;
    let begun = |target: &Option<Target>| match target.as_ref().filter(|_| args.append) {
        Some(target) => target.end(),
        None => Ok(Written::default()),
    };
    let begun = [begun(&main)?, begun(&dropped)?];
    let outputs = [&main, &dropped, &summary, &report];
    let watched = args.metrics.begin(&reads, args.output_file.is_none(), &outputs, reporter.teller())?;
    let durable = match &args.durable.state {
        Some(folder) => {
            let kept = |target: &Option<Target>, path: &Option<PathBuf>| {
                path.clone().filter(|_| target.as_ref().is_some_and(Target::is_file))
            };
            let plan = Plan {
                folder,
                any_seed: args.seed.is_none(),
                sync: args.durable.sync.into(),
                resume: args.durable.resume.then_some(&mut source),
                abandon: args.durable.abandon,
                again: args.durable.again || args.append,
                replaced: [&main, &dropped]
                    .into_iter()
                    .flatten()
                    .find(|target| target.has_content())
                    .map(Target::used_as),
                written: begun,
                note: args.note(files, files_only),
                outputs: [kept(&main, &args.output_file), kept(&dropped, &args.dropped)],
            };
            Some(Durable::open(&mut config, plan)?)
        }
        None => None,
    };
    durable.iter().flat_map(Durable::told).for_each(|told| say(told));
    let sink = args.sink(main, dropped, durable.as_ref().map_or(begun, Durable::written))?;
    let (sink, second) = match again {
        Some(source) => {
            let (second, nowhere) = Second::prepare(source, parser.clone(), sink);
            (nowhere, Some(second))
        }
        None => (sink, None),
    };
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
    let summary = summary.map_or(Ok(()), |target| target.write(&json(&totals)));
    let name = files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let report =
        report.zip(reporter.overview).map_or(Ok(()), |(target, overview)| target.write(&overview.html(&name, &totals)));
    let watched = watched.map_or(Ok(()), Watched::finish);
    let end = end?;
    summary?;
    report?;
    watched?;
    ensure!(
        end != End::Input || totals.add_up(),
        "the totals do not add up: {totals:?}; this is a fault of quchong, please report it"
    );
    match end {
        End::Input if doubts(&totals, args.strict) => Ok(ExitCode::from(DOUBTFUL)),
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

    /// Refuses to add to what cannot be added to.
    fn check_append(&self, inputs: &[Input], format: Format) -> anyhow::Result<()> {
        let is_table = |input: &&Input| matches!(format.of(input), Format::Csv | Format::Tsv | Format::Parquet);
        let table = inputs.iter().find(is_table).filter(|_| self.append);
        table.map_or(Ok(()), |table| {
            bail!("--append: {} is a table, and a file has one header; write to another file", table.name())
        })
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
