//! `quchong dedup`: each message once.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use quchong::State;
use quchong::config::{Config, Span};
use quchong::fingerprint::seeded;
use quchong::formats::parse::{FieldPath, Parser};
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
use super::files::{Target, open_outputs};
use super::format::check_name;
use super::input::{IdArgs, InputArgs, inputs_of};
use super::log::LogFormat;
use super::metrics::{MetricsArgs, Watched};
use super::recount::RecountArgs;
use super::report::Reporter;
use super::represent::Second;
use super::settings::{ExactArgs, Given, MemoryArgs, NearArgs, SeedArgs, words};
use super::{say, thread_count, threads};

/// Drop exact and near repeats; kept records leave byte for byte as they came
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong dedup dump.jsonl --dropped dropped.jsonl --report report.html > kept.jsonl
  quchong dedup dump.jsonl --represent longest > kept.jsonl

Exit codes: 0 done (also when the reader of the output goes away), 2 failure, 130 and 143 stopped by SIGINT and SIGTERM
after everything that had been read was answered.")]
pub struct Args {
    #[command(flatten)]
    given: Given,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    ids: IdArgs,

    #[arg(long)]
    follow: bool,

    #[arg(long, value_parser = words("output", &Output::NAMED))]
    output: Output,

    #[arg(long)]
    output_file: Option<PathBuf>,

    #[arg(long)]
    dropped: Option<PathBuf>,

    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    recount: RecountArgs,

    #[arg(long)]
    summary: Option<PathBuf>,

    #[arg(long)]
    report: Option<PathBuf>,

    #[arg(long, value_parser = words("represent", &Represent::NAMED))]
    represent: Represent,

    #[arg(long)]
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

    #[arg(long, value_parser = thread_count)]
    threads: Option<usize>,

    #[command(flatten)]
    seed: SeedArgs,
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
    args.recount.check(&inputs, format)?;
    let recount = args.recount.pace(files_only);
    let represent = Some(args.represent).filter(|by| *by != Represent::First);
    ensure!(
        represent.is_none() || files_only,
        "--represent reads its input twice: name files, not standard input or a pipe (--represent first reads it once)"
    );
    let teller = reporter.teller().clone();
    let parser = args.parser(config.window, recount)?;
    for (option, output) in [("--output-file", &args.output_file), ("--dropped", &args.dropped)] {
        output.iter().try_for_each(|output| check_name(option, output, &inputs, format))?;
    }
    let mut outputs = [&args.output_file, &args.dropped].into_iter().flatten();
    let whole = if outputs.any(|path| Stream::is_jsonl(path)) { Whole::RowAndLine } else { Whole::Row };
    let again = represent
        .map(|_| args.input.source(&args.given, format, inputs.clone(), &parser, whole, |_| {}))
        .transpose()?;
    let mut source = args
        .input
        .source(&args.given, format, inputs, &parser, whole, move |found| teller.tell(|| info!("{found}")))?;
    let shows_ids = args.output != Output::Kept || args.dropped.is_some();
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
    let outputs = [&main, &dropped, &summary, &report];
    let watched = args.metrics.begin(&reads, args.output_file.is_none(), &outputs, reporter.teller())?;
    let durable = match &args.durable.state {
        Some(folder) => {
            let kept = |target: &Option<Target>, path: &Option<PathBuf>| {
                path.clone().filter(|_| target.as_ref().is_some_and(Target::is_file))
            };
            let plan = Plan {
                folder,
                any_seed: args.given.0.get("seed").is_none(),
                sync: args.durable.sync,
                resume: args.durable.resume.then_some(&mut source),
                abandon: args.durable.abandon,
                note: args.note(files, files_only),
                outputs: [kept(&main, &args.output_file), kept(&dropped, &args.dropped)],
            };
            Some(Durable::open(&mut config, plan)?)
        }
        None => None,
    };
    durable.iter().flat_map(Durable::told).for_each(|told| say(told));
    let sink = args.sink(main, dropped, durable.as_ref().map_or_else(Default::default, Durable::written))?;
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
        Ok(Config { recount: self.recount.any(), ..seeded(&self.given.0)? })
    }

    /// The run, as a later one must be to go on with it.
    fn note(&self, files: &[PathBuf], files_only: bool) -> RunNote {
        RunNote {
            options: self.given.0.noted(),
            inputs: files.iter().map(|path| path.display().to_string()).collect(),
            files: files_only,
        }
    }

    /// Where records go, behind what an earlier run had written.
    fn sink(&self, main: Option<Target>, dropped: Option<Target>, written: [Written; 2]) -> anyhow::Result<Sink> {
        let members = self.durable.state.is_some();
        let stream = |target: Target, written| target.stream(written, members);
        let main = main.map(|target| stream(target, written[0])).transpose()?;
        let mut sink = Sink::new(self.output, self.input.on_error(), main.unwrap_or_else(Stream::stdout));
        if let Some(dropped) = dropped {
            sink.dropped_to(stream(dropped, written[1])?);
        }
        Ok(sink)
    }

    fn parser(&self, window: Option<Span>, recount: Option<Pace>) -> anyhow::Result<Parser> {
        let needed = matches!(window, Some(Span::Time { .. }))
            || self.represent == Represent::Newest
            || matches!(recount, Some(Pace::MessageTimes(_)));
        let told = self.metrics.any() || self.report.is_some();
        let named = self.given.0.get("time-field");
        let timed = needed || told && named.is_some();
        let time_field = timed.then(|| FieldPath::parse("--time-field", named.unwrap_or("created_at"))).transpose()?;
        let field = self.input.field()?;
        let is_replaced = self.output != Output::Kept || self.dropped.is_some();
        ensure!(
            !is_replaced || field.spelled() != "quchong",
            "--field quchong: where records are annotated, their verdict takes its place; rename it, or write kept records alone"
        );
        Ok(Parser { id_field: self.ids.path(&field)?, field, time_field, seq_field: self.durable.seq_field()? })
    }
}
