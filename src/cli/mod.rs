//! The command line: arguments to [`Config`](crate::Config), one file for each command. The only place that knows clap.

#[cfg(feature = "lab")]
mod bars;
mod clusters;
mod console;
mod decide;
mod dedup;
mod durable;
mod edges;
mod encoding;
#[cfg(feature = "lab")]
mod evaluate;
mod explain;
mod files;
mod format;
#[cfg(feature = "lab")]
mod generate;
mod glob;
mod input;
mod left_out;
mod log;
mod losses;
#[cfg(feature = "lab")]
mod methods;
#[cfg_attr(not(feature = "metrics"), path = "metrics/absent.rs")]
mod metrics;
mod normalise;
mod notices;
mod packaging;
mod recount;
mod refusal;
mod represent;
mod reproduce;
mod settings;
#[cfg(feature = "lab")]
mod sign;
mod sketch;
mod state;
mod stdout;
mod terminal;
#[cfg(feature = "lab")]
mod tune;
#[cfg(feature = "lab")]
mod tune_outputs;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use input::inputs;
use log::LogFormat;
use terminal::{fail, print, say, unwritten};
use values::{rules, thread_count, threads};

/// Exit code for a failure: bad options, bad input under `--on-error fail`, a stream that failed.
const FAILURE: u8 = 2;

/// Exit code for a run that came to its end and is most likely not what was meant: records that could not be judged.
pub(crate) const DOUBTFUL: u8 = 3;

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
  quchong normalise '转发微博 //@某人: 今天天气真好'          what the stages compare

The same over many machines, in three steps: sketch, edges, decide; each tells its options under --help.";

#[derive(Subcommand)]
enum Command {
    Dedup(Box<dedup::Args>),
    Clusters(Box<clusters::Args>),
    Explain(Box<explain::Args>),
    Normalise(normalise::Args),
    #[cfg(feature = "lab")]
    Generate(generate::Args),
    #[cfg(feature = "lab")]
    Tune(tune::Args),
    #[cfg(feature = "lab")]
    Evaluate(Box<evaluate::Args>),
    Reproduce(Box<reproduce::Args>),
    #[cfg(feature = "lab")]
    Methods(methods::Args),
    #[cfg(feature = "lab")]
    Sign(sign::Args),
    #[command(hide = true)]
    Sketch(Box<sketch::Args>),
    #[command(hide = true)]
    Edges(edges::Args),
    #[command(hide = true)]
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

/// Runs the command that was typed, and tells what went wrong.
pub fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        fail(&error);
        ExitCode::from(FAILURE)
    })
}

fn run() -> anyhow::Result<ExitCode> {
    let program = program();
    let command = match refusal::parse::<Args>(program.clone()) {
        Ok(args) => args.command,
        Err(error) if refusal::is_help(&error) => error.exit(),
        Err(error) => {
            log::begin(LogFormat::Text);
            anyhow::bail!(refusal::line(&error));
        }
    };
    log::begin(match &command {
        Command::Dedup(args) => args.log_format(),
        _ => LogFormat::Text,
    });
    match command {
        Command::Dedup(args) => dedup::run(*args),
        Command::Clusters(args) => clusters::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Normalise(args) => normalise::run(&args),
        #[cfg(feature = "lab")]
        Command::Generate(args) => generate::run(&args),
        #[cfg(feature = "lab")]
        Command::Tune(args) => tune::run(args),
        #[cfg(feature = "lab")]
        Command::Evaluate(args) => evaluate::run(*args),
        Command::Reproduce(args) => reproduce::run(*args),
        #[cfg(feature = "lab")]
        Command::Methods(args) => methods::run(&args),
        #[cfg(feature = "lab")]
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        program().debug_assert();
    }

    #[test]
    fn every_setting_is_an_option_of_dedup_with_the_words_of_the_table() {
        use std::collections::BTreeSet;

        use crate::config::settings::{self, Value};

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
