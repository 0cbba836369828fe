//! The command line: arguments to [`Config`](quchong::Config), one file for each command. The only place that knows clap.

mod clusters;
mod decide;
mod dedup;
mod durable;
mod edges;
mod encoding;
mod evaluate;
mod explain;
mod files;
mod format;
mod generate;
mod input;
mod log;
mod methods;
mod metrics;
mod named;
mod normalise;
mod packaging;
mod recount;
mod report;
mod represent;
mod settings;
mod sign;
mod sketch;
mod state;
mod tune;
mod tune_reports;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use input::inputs_of;
use log::LogFormat;
use quchong::Spelling;
use quchong::config::Rules;
use quchong::formats::source::Input;
use quchong::run::MAX_THREADS;

/// Exit code for a failure: bad options, bad input under `--on-error fail`, a stream that failed.
pub const FAILURE: u8 = 2;

/// Short Chinese texts, each once: drops exact and near repeats from a feed or a dump.
#[derive(Parser)]
#[command(name = "quchong", version, after_help = EXAMPLES)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  quchong dedup --follow feed.txt                             a feed: each new message at once
  quchong dedup dump.jsonl --dropped why.jsonl > kept.jsonl   a dump, every drop explained
  quchong tune bloom dump.jsonl                               how many Bloom bits for which measured error
  quchong explain '新增7例' '新增9例'                           why two messages are repeats, or not
  quchong normalise '转发微博 //@某人: 今天天气真好'          what the stages compare";

#[derive(Subcommand)]
enum Command {
    Dedup(Box<dedup::Args>),
    Clusters(Box<clusters::Args>),
    Explain(Box<explain::Args>),
    Normalise(normalise::Args),
    Generate(generate::Args),
    Tune(tune::Args),
    Evaluate(Box<evaluate::Args>),
    Methods(methods::Args),
    Sign(sign::Args),
    Sketch(Box<sketch::Args>),
    Edges(edges::Args),
    Decide(decide::Args),
    State(state::Args),
    #[command(hide = true)]
    Settings(settings::Args),
    Completions(packaging::CompletionsArgs),
    Man(packaging::ManArgs),
}

/// The command line.
fn program() -> clap::Command {
    settings::dressed(Args::command())
}

/// Runs the command that was typed.
pub fn run() -> anyhow::Result<ExitCode> {
    let mut program = program();
    let matches = program.get_matches_mut();
    let Args { command } = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut program).exit());
    log::begin(match &command {
        Command::Dedup(args) => args.log_format(),
        _ => LogFormat::Text,
    });
    match command {
        Command::Dedup(args) => dedup::run(*args),
        Command::Clusters(args) => clusters::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Normalise(args) => normalise::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Tune(args) => tune::run(args),
        Command::Evaluate(args) => evaluate::run(*args),
        Command::Methods(args) => methods::run(&args),
        Command::Sign(args) => sign::run(args),
        Command::Sketch(args) => sketch::run(&args),
        Command::Edges(args) => edges::run(args),
        Command::Decide(args) => decide::run(&args),
        Command::State(args) => state::run(&args),
        Command::Settings(args) => settings::run(&args),
        Command::Completions(args) => packaging::completions(&args, program),
        Command::Man(args) => packaging::man(&args, program),
    }
}

/// Tells the user that the command failed.
pub fn fail(error: &anyhow::Error) {
    let spelled = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<quchong::Error>() {
        Some(error) => error.spelled(Spelling::Flag),
        None => cause.to_string(),
    };
    tracing::error!("{}", error.chain().map(spelled).collect::<Vec<_>>().join(": "));
}

/// Tells the user something that changes what the result is worth.
fn say(message: &str) {
    tracing::warn!("{message}");
}

/// The inputs that were named, standard input if none was, and how a report names them all.
fn inputs(files: &[PathBuf]) -> (Vec<Input>, String) {
    let inputs = if files.is_empty() { vec![Input::Stdin] } else { inputs_of(files, false) };
    let name = inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ");
    // Reports go to terminals and into Markdown: a name must not command the one or break the lines of the other.
    let name = name.replace(char::is_control, "\u{fffd}");
    (inputs, name)
}

/// Prints a report. That nobody reads it to the end is no failure.
fn print(report: String) -> anyhow::Result<ExitCode> {
    match io::stdout().lock().write_all(report.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(anyhow::Error::new(error).context("<stdout>")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// A library's error for a standard stream that cannot be written.
fn unwritten(error: io::Error) -> quchong::Error {
    quchong::Error::Io { path: "<stdout>".to_owned(), reason: error }
}

/// A number of threads.
fn thread_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(count));
    count.ok_or_else(|| format!("write a number from 1 to {MAX_THREADS}"))
}

/// As many threads as were asked for, else one for each core.
fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn rules(list: &str) -> Result<Rules, String> {
    Rules::parse(list).map_err(|error| error.spelled(Spelling::Flag))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quchong::config::settings::{self, Value};

    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        program().debug_assert();
    }

    #[test]
    fn every_setting_is_an_option_of_dedup_with_the_words_of_the_table() {
        let program = program();
        let dedup = program.find_subcommand("dedup").unwrap();
        let options = dedup.get_arguments().filter_map(clap::Arg::get_long).filter(|name| *name != "help");
        assert_eq!(options.collect::<BTreeSet<_>>(), settings::all().map(|setting| setting.name).collect());
        for command in program.get_subcommands() {
            for option in command.get_arguments() {
                assert!(option.get_help().is_some(), "{} {}", command.get_name(), option.get_id());
            }
        }
        for setting in settings::all() {
            let option = dedup.get_arguments().find(|option| option.get_long() == Some(setting.name)).unwrap();
            let words = option.get_possible_values();
            let named: Vec<&str> = words.iter().map(|word| word.get_name()).collect();
            match setting.value {
                Value::Word(told) => assert_eq!(named, told.iter().map(|(word, _)| *word).collect::<Vec<_>>()),
                Value::Text(_) => assert!(named.is_empty(), "{}", setting.name),
                Value::Switch => assert!(!option.get_action().takes_values(), "{}", setting.name),
            }
        }
    }

    #[test]
    fn a_name_commands_no_terminal() {
        let (_, name) = inputs(&[PathBuf::from("a\n| b"), PathBuf::from("\u{1b}[31m红")]);
        assert_eq!(name, "a\u{fffd}| b, \u{fffd}[31m红");
    }
}
