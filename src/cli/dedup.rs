//! `quchong dedup`: keeps each message once.

mod archives;
mod check;
mod steps;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::config::settings::TIME_FIELD;
use crate::config::{Config, ExactMode, Span};
use crate::fingerprint::seeded;
use crate::formats::parse::{FieldPath, Further, Parser};
use crate::overview::Overview;
use crate::report::json;
use crate::run::durable::{ARCHIVES, Durable, RunNote, STDOUT};
use crate::run::recount::Pace;
use crate::run::represent::{Choice, Represent};
use crate::run::sink::{OnError, Output, Sink, Stream, Written};
use crate::run::stop::Signals;
use crate::run::{self, Archives, End, Job, Naming, Totals};
use anyhow::{anyhow, ensure};

use super::console::{ConsoleObserver, Teller};
use super::doubts::{Expected, tell_doubts, unread_told};
use super::durable::DurableArgs;
use super::files::Target;
use super::input::{IdArgs, InputArgs, checked, naming};
use super::left_out::LeftOut;
use super::log::LogFormat;
use super::metrics::{MetricsArgs, Watched};
use super::origins::Origins;
use super::recount::RecountArgs;
use super::represent::SecondPass;
use super::screen::ShowProgress;
use super::settings::{ColorArgs, Given, KeepArgs, MemoryArgs, ScopeArgs, words};
use super::stdout::{Shell, Stdout};
use super::terminal::advice;
use super::work::WorkArgs;
use super::{DOUBTFUL, warn_user};
use crate::locale::tr;
pub(crate) use check::CheckArgs;
use steps::{Inputs, Outputs};

/// Drop exact and near repeats; kept records are written byte for byte
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong dedup dump.jsonl --dropped dropped.jsonl --report report.html > kept.jsonl
  quchong dedup dump.jsonl --represent longest > kept.jsonl
  quchong dedup new.jsonl --against archive --scope author --keep 3 > kept.jsonl

Exit codes: 0: done, also if the reader of the output closed the pipe (without --state). 2: failure. 3: done, but check the input: most \
records of an input could not be judged (under --strict: any record); or most messages had no time (--window TIME, --time-field), id \
(--id-field), value (--scope, --represent) or number (--seq-field); or --seq-field skipped most records; or earlier runs of --state, or \
an archive of --against, had all messages of the files; or the filter of --exact bloom was far too small; or the input of a --window \
TIME begins with the newest message; or under --state the reader of the output closed the pipe. 129, 130, 143: \
stopped by SIGHUP, SIGINT or SIGTERM, after everything that had been read was answered.")]
pub(crate) struct Args {
    #[command(flatten)]
    given: Given,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    ids: IdArgs,

    #[command(flatten)]
    scope: ScopeArgs,

    #[arg(long, value_delimiter = ',')]
    against: Vec<PathBuf>,

    #[arg(long)]
    follow: bool,

    #[arg(long)]
    strict: bool,

    #[arg(long, value_parser = words("output", &Output::NAMED))]
    output: Output,

    #[arg(long)]
    output_file: Option<PathBuf>,

    #[arg(long)]
    append: bool,

    #[arg(long)]
    dropped: Option<PathBuf>,

    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    keep: KeepArgs,

    #[command(flatten)]
    recount: RecountArgs,

    #[arg(long)]
    summary: Option<PathBuf>,

    #[arg(long)]
    report: Option<PathBuf>,

    #[arg(long, value_parser = Represent::parse)]
    represent: Represent,

    #[arg(long)]
    quiet: bool,

    #[arg(long, value_parser = words("progress", &ShowProgress::NAMED))]
    progress: ShowProgress,

    #[command(flatten)]
    color: ColorArgs,

    #[command(flatten)]
    durable: DurableArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    work: WorkArgs<MetricsArgs>,
}

pub(crate) fn run(args: Args, origins: &Origins) -> anyhow::Result<ExitCode> {
    // First of all, because earlier signals would be missed.
    let signals = listen()?;
    let mut config = args.checked_config()?;
    let files = args.input.files(args.quiet)?;
    let inputs = Inputs::of(&args, &files, &config)?;
    let mut reporter = ConsoleObserver::new(args.quiet, args.progress, args.log_format(), &config, inputs.bytes());
    reporter.left_out = args.leaves_out().then(LeftOut::default);
    let (recount, represent) = (args.pace(&inputs)?, args.represented(&inputs)?);
    let parser = args.parser(config.window, recount)?;
    args.check_outputs(&inputs)?;
    let (mut source, again) = args.sources(&inputs, &parser, represent, reporter.teller().clone())?;
    args.remember(&mut config);
    let outputs = Outputs::open(&args, &inputs)?;
    let before = args.appended(&source, &outputs)?;
    let against = args.archives(&config, &parser)?;
    let watched = args.work.metrics.begin(&outputs.reads, outputs.to_stdout, &outputs.targets(), reporter.teller())?;
    let durable = args.durable(&mut config, &mut source, &inputs, &outputs, &against)?;
    let Outputs { main, dropped, summary, report, written, stdout_begin, .. } = outputs;
    let written = durable.as_ref().map_or(written, Durable::written);
    let mut sink = args.sink(main, dropped, written, inputs.files_only(), stdout_begin, reporter.teller())?;
    sink.follows(source.shown.or(before));
    let (sink, second) = SecondPass::prepare(again, &parser, sink);
    reporter.choice = represent.cloned().map(Choice::new);
    reporter.overview = report.is_some().then(|| Overview::new(parser.time_field.is_some()));
    let metrics = watched.as_ref().map(|watched| watched.metrics.clone());
    let threads = args.work.threads();
    let job = Job { source, parser, sink, threads, observer: &mut reporter, durable, metrics, recount, against };
    let naming = args.durable.state.as_ref().map_or_else(|| naming(&files), |_| Naming::Record);
    let (mut totals, mut end) = run::run(&config, job, naming, signals.first());
    match (second, &reporter.choice, &end) {
        (Some(second), Some(choice), Ok(End::Input)) => end = second.run(choice, &mut totals),
        // Before the second pass nothing is written.
        (second, ..) => totals.incomplete |= second.is_some(),
    }
    totals.untimed = totals.untimed.or(reporter.choice.as_ref().and_then(Choice::untimed));
    totals.unranked = reporter.choice.as_ref().and_then(Choice::unranked);
    reporter.finish(&totals);
    let summarised = summary.map_or(Ok(()), |target| target.write(&json(&totals)));
    let page = reporter.overview.map(|overview| overview.html(&inputs.name(), &totals));
    let reported = report.zip(page).map_or(Ok(()), |(target, page)| target.write(&page));
    watched.into_iter().for_each(Watched::finish);
    let end = end.map_err(|error| args.with_advice(error, inputs.files_only()))?;
    summarised.and(reported)?;
    let code = exit_code(end, &totals, &signals)?;
    if end == End::Stopped && inputs.files_only() && !args.quiet {
        warn_user(&args.stopped());
    }
    if let (Some(unread), Some(state)) = (totals.unread, &args.durable.state) {
        warn_user(&unread_told(unread, &state.display().to_string()));
        return Ok(ExitCode::from(DOUBTFUL));
    }
    let state = args.durable.state.as_ref().map(|folder| folder.display().to_string());
    let expected = Expected {
        is_new: inputs.are_new(&args),
        state: state.as_deref(),
        filter_decides: config.exact == ExactMode::Bloom,
    };
    let is_doubtful = end == End::Input && tell_doubts(&totals, args.strict, &expected, origins);
    Ok(if is_doubtful { ExitCode::from(DOUBTFUL) } else { code })
}

/// How long a stopped run may take to write the records that it has judged, before the process exits. Otherwise a reader that has stalled
/// would keep the process alive for ever.
const GRACE: Duration = Duration::from_millis(900);

/// Listens for signals. The first signal ends the run; if the run is not over after [`GRACE`], the process exits. Later signals change
/// nothing.
fn listen() -> crate::Result<Signals> {
    Signals::listen(GRACE, |number| {
        warn_user(&tr!(
            "stopped before all that had been read was answered: its output was not taken, or its comparisons took too long"
        ));
        std::process::exit(128 + number);
    })
}

fn exit_code(end: End, totals: &Totals, signals: &Signals) -> anyhow::Result<ExitCode> {
    ensure!(
        end != End::Input || totals.add_up(),
        tr!(
            "the totals do not add up: {totals}; this is a fault of quchong, please report it",
            totals = format_args!("{totals:?}")
        )
    );
    match end {
        End::Input | End::ClosedPipe => Ok(ExitCode::SUCCESS),
        End::Stopped => Ok(ExitCode::from(128 + u8::try_from(signals.number()).unwrap_or(0))),
    }
}

impl Args {
    /// Whether only errors are reported.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// How events are written.
    pub(crate) fn log_format(&self) -> LogFormat {
        self.work.log_format
    }

    /// Says that the output lacks what a signal kept from being read.
    fn stopped(&self) -> String {
        let output =
            self.output_file.as_ref().map_or_else(|| tr!("standard output"), |file| file.display().to_string());
        match self.durable.state.is_some() {
            true => {
                tr!("stopped before the end of the input: {output} is incomplete; --resume goes on with it", output)
            }
            false => tr!("stopped before the end of the input: {output} is incomplete", output),
        }
    }

    /// Whether records that are too long to be judged are in no output. They are written only under
    /// `--output kept`, and not under `--on-error drop`.
    fn leaves_out(&self) -> bool {
        self.output != Output::Kept || self.input.on_error() == OnError::Drop
    }

    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        Ok(Config { recount: self.recount.any(), ..seeded(&self.given.0)? })
    }

    /// The note of the run, which a later run must match to resume it.
    fn note(&self, inputs: &Inputs<'_>, stdout: Option<&Shell>, against: &Archives) -> RunNote {
        let stdout = stdout.map(|stdout| (STDOUT.to_owned(), stdout.id.clone()));
        let archives = (!against.is_empty()).then(|| (ARCHIVES.to_owned(), format!("{:016x}", against.sum())));
        RunNote {
            options: self.given.0.noted().into_iter().chain(stdout).chain(archives).collect(),
            inputs: inputs.names().collect(),
            files: inputs.files_only(),
        }
    }

    /// Opens the sink for records, which continues after the output of an earlier run. `files_only` says that all inputs are files, which
    /// come to an end.
    fn sink(
        &self,
        main: Option<Target>,
        dropped: Option<Target>,
        written: [Written; 2],
        files_only: bool,
        stdout_begin: Option<Vec<u8>>,
        teller: &Teller,
    ) -> anyhow::Result<Sink> {
        let members = self.durable.state.is_some();
        let follows_name = self.append || !files_only;
        let stream = |target: Target, written: Written| {
            // What is cut off does not count.
            let is_added_to = self.append && written.length > 0;
            let begin = if is_added_to { target.first_line() } else { None };
            target.stream(written, members, follows_name).map(|stream| stream.begun(begin, true))
        };
        let stdout =
            || Stream::stdout_after(written[0], Box::new(Stdout::new(teller.clone()))).begun(stdout_begin, false);
        let main = main.map(|target| stream(target, written[0])).transpose()?;
        let mut sink = Sink::new(self.output, self.input.on_error(), main.unwrap_or_else(stdout));
        if let Some(dropped) = dropped {
            sink.dropped_to(stream(dropped, written[1])?);
        }
        Ok(sink)
    }

    /// Adds advice to the error of a file or a stream, and the option that names the file.
    fn with_advice(&self, error: crate::Error, files_only: bool) -> anyhow::Error {
        let crate::Error::Io { path, reason } = &error else { return error.into() };
        let Some(advice) = advice(reason) else { return error.into() };
        let files = [("--output-file", &self.output_file), ("--dropped", &self.dropped)];
        let is_named = |file: &&PathBuf| file.display().to_string() == *path;
        let option = files.iter().find(|(_, file)| file.as_ref().is_some_and(|file| is_named(&file)));
        let state = self.durable.state.as_ref();
        let in_state = || state.filter(|folder| Path::new(path).starts_with(folder)).map(|_| "--state");
        let option = option.map(|(option, _)| *option).or_else(in_state);
        let option = option.map_or_else(String::new, |option| format!(" ({option})"));
        let resume = match state {
            Some(_) if files_only && path == "<stdout>" => {
                tr!("; then the same command goes on with --resume, and with >> where it has >")
            }
            Some(_) if files_only => tr!("; then the same command goes on with --resume"),
            _ => String::new(),
        };
        anyhow!(tr!("{path}: {reason}{option}; {advice}{resume}", path, reason, option, advice, resume))
    }

    fn parser(&self, window: Option<Span>, recount: Option<Pace>) -> anyhow::Result<Parser> {
        let needed = matches!(window, Some(Span::Time { .. }))
            || self.represent == Represent::Newest
            || matches!(recount, Some(Pace::MessageTimes(_)));
        let reports_times = self.work.metrics.any() || self.report.is_some();
        let named = self.given.0.get("time-field");
        let timed = needed || reports_times && named.is_some();
        let time_field = timed.then(|| FieldPath::parse("--time-field", named.unwrap_or(TIME_FIELD))).transpose()?;
        let (field, also) = self.input.fields()?;
        let is_replaced = self.output != Output::Kept || self.dropped.is_some();
        ensure!(
            !is_replaced || std::iter::once(&field).chain(&also).all(|field| field.spelled() != "quchong"),
            tr!(
                "--field quchong: where records are annotated, their verdict takes its place; rename it, or write kept records alone"
            )
        );
        let further = Further { value: self.represent.field().cloned(), scope: self.given.scope()?, also };
        let (id_field, seq_field) = (self.ids.path()?, self.durable.seq_field()?);
        checked(Parser { field, id_field, time_field, seq_field, further })
    }
}
