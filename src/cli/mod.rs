//! The command line: turns arguments into a [`Config`](crate::Config). There is one file for each command. Only this module uses clap.

#[cfg(feature = "lab")]
mod bars;
mod clusters;
#[cfg(feature = "lab")]
mod columns;
mod console;
mod decide;
mod dedup;
mod doubts;
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
mod help;
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
mod origins;
mod packaging;
mod recount;
mod refusal;
mod represent;
#[cfg(feature = "lab")]
mod reproduce;
mod screen;
#[cfg(feature = "serve")]
mod serve;
mod settings;
#[cfg(feature = "lab")]
mod sign;
mod sketch;
mod state;
mod stdout;
mod summary;
mod terminal;
#[cfg(feature = "lab")]
mod tune;
#[cfg(feature = "lab")]
mod tune_outputs;
mod ui;
mod values;
mod work;

use std::process::ExitCode;

use crate::locale;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use input::inputs;
use log::LogFormat;
use origins::{Origins, OutsideSettings};
use terminal::{fail, fail_by, of_stdout, print, unless_gone, unwritten, warn_user};
use values::{positive_count, rules, thread_count, threads};

/// Exit code for a failure: bad options, bad input under `--on-error fail`, a stream that failed.
const FAILURE: u8 = 2;

/// Exit code of `quchong check` if something would be refused.
const REFUSED: u8 = 1;

/// Exit code for a run that came to its end but is most likely not what the user meant, such as one with many records that could not be
/// judged.
pub(crate) const DOUBTFUL: u8 = 3;

/// Short Chinese texts, each once: drops exact and near repeats from a feed or a dump.
#[derive(Parser)]
#[command(name = "quchong", version, after_help = EXAMPLES)]
struct Args {
    #[command(subcommand)]
    command: Command,

    /// Language of messages and help; without it that of QUCHONG_UI, LC_ALL, LC_MESSAGES or LANG
    #[arg(long, value_parser = ui::Reader, global = true, value_name = "LANGUAGE")]
    ui: Option<ui::Ui>,
}

const EXAMPLES: &str = "\
Examples:
  quchong dedup --follow feed.txt                             a feed: each new message at once
  quchong dedup dump.jsonl --dropped why.jsonl > kept.jsonl   a dump, every drop explained
  quchong serve --state seen                                  a service: messages over HTTP, from many clients
  quchong tune bloom dump.jsonl                               false-positive rates of Bloom filters by size
  quchong check --config quchong.toml dump.jsonl              what dedup would do; nothing is written
  quchong explain '新增7例' '新增9例'                           why two messages are repeats, or not
  quchong normalise '转发微博 //@某人: 今天天气真好'          what the stages compare

The same over many machines, in three steps: sketch, edges, decide; each tells its options under --help.";

#[derive(Subcommand)]
enum Command {
    Dedup(Box<dedup::Args>),
    Check(Box<dedup::CheckArgs>),
    #[cfg(feature = "serve")]
    Serve(Box<serve::Args>),
    Clusters(Box<clusters::Args>),
    Explain(Box<explain::Args>),
    Normalise(normalise::Args),
    #[cfg(feature = "lab")]
    Generate(generate::Args),
    #[cfg(feature = "lab")]
    Tune(tune::Args),
    #[cfg(feature = "lab")]
    Evaluate(Box<evaluate::Args>),
    #[cfg(feature = "lab")]
    Reproduce(Box<reproduce::Args>),
    #[cfg(feature = "lab")]
    Methods(methods::Args),
    #[cfg(feature = "lab")]
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

/// The command line, as clap sees it.
fn program() -> clap::Command {
    settings::with_table_help(Args::command())
}

/// Runs the typed command, and reports what went wrong.
pub fn main() -> ExitCode {
    let is_check = ui::command(std::env::args_os().skip(1)).is_some_and(|command| command == "check");
    run().unwrap_or_else(|failed| ExitCode::from(if is_check && !failed.of_stdout { REFUSED } else { FAILURE }))
}

/// An error that has been reported already.
#[derive(Default)]
struct AlreadyReported {
    /// Whether standard output failed.
    of_stdout: bool,
}

fn run() -> Result<ExitCode, AlreadyReported> {
    let program = program();
    if let Err(error) = ui::choose(std::env::args_os()) {
        log::begin(LogFormat::Text);
        fail(&error);
        return Err(AlreadyReported::default());
    }
    let (command, outside) = typed(&program).map_err(|error| {
        log::begin(LogFormat::Text);
        fail(&error);
        AlreadyReported::default()
    })?;
    let format = match &command {
        Command::Dedup(args) => args.log_format(),
        Command::Check(args) => args.0.log_format(),
        #[cfg(feature = "serve")]
        Command::Serve(args) => args.log_format(),
        _ => LogFormat::Text,
    };
    if format == LogFormat::Json {
        locale::speak_english();
    }
    log::begin(format);
    let is_quiet = match &command {
        Command::Dedup(args) => args.is_quiet(),
        #[cfg(feature = "serve")]
        Command::Serve(args) => args.is_quiet(),
        _ => false,
    };
    // A name that looks like a setting was probably meant as one, and is reported even under `--quiet`. Other names may have another
    // purpose.
    outside
        .unknown
        .iter()
        .filter(|unknown| !is_quiet || unknown.is_meant)
        .for_each(|unknown| warn_user(&unknown.message));
    run_command(command, program, &outside.origins).map_err(|error| {
        fail_by(&error, &outside.origins);
        AlreadyReported { of_stdout: of_stdout(&error).is_some() }
    })
}

/// Parses the typed command, and adds the settings from outside.
fn typed(program: &clap::Command) -> anyhow::Result<(Command, OutsideSettings)> {
    let refused = |error: clap::Error, origins: &Origins| {
        if refusal::is_help(&error) {
            return help::show(&error, program);
        }
        anyhow::anyhow!(origins.with_origin(&refusal::line(&error)))
    };
    let mut command = refusal::lenient(program.clone());
    let mut words: Vec<_> = std::env::args_os().collect();
    let mut outside = OutsideSettings { origins: Origins::typed(&words), ..OutsideSettings::default() };
    let read = |command: &mut clap::Command, words: &[_], origins: &Origins| {
        command.try_get_matches_from_mut(words).map_err(|error| refused(error, origins))
    };
    refusal::refuse_long_dashes(program, &words)?;
    let mut matches = read(&mut command, &words, &outside.origins)?;
    if let Some((name @ ("dedup" | "check" | "serve" | "explain" | "clusters"), typed)) = matches.subcommand()
        && let Some(of) = command.find_subcommand(name)
    {
        outside = OutsideSettings::gather(typed, &outside.origins, of, program)?;
        let behind = words.iter().position(|word| word == name).map_or(words.len(), |at| at + 1);
        words.splice(behind..behind, outside.arguments.iter().cloned());
        // A file of settings can also choose the language.
        ui::choose(words.iter().cloned())?;
        matches = read(&mut command, &words, &outside.origins)?;
    }
    if let Some(of) = matches.subcommand_name().and_then(|name| command.find_subcommand(name)) {
        settings::note(of, &outside.origins);
    }
    if let Some(color) = innermost(&matches).try_get_one::<String>("color").ok().flatten() {
        screen::choose(color);
    }
    let args = Args::from_arg_matches(&matches).map_err(|error| refused(error.format(&mut command), &outside.origins));
    Ok((args?.command, outside))
}

/// The arguments of the innermost command.
fn innermost(matches: &clap::ArgMatches) -> &clap::ArgMatches {
    matches.subcommand().map_or(matches, |(_, matches)| innermost(matches))
}

fn run_command(command: Command, program: clap::Command, origins: &Origins) -> anyhow::Result<ExitCode> {
    match command {
        Command::Dedup(args) => dedup::run(*args, origins),
        Command::Check(args) => args.0.check(origins),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        Command::Clusters(args) => clusters::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Normalise(args) => normalise::run(&args),
        #[cfg(feature = "lab")]
        Command::Generate(args) => generate::run(&args),
        #[cfg(feature = "lab")]
        Command::Tune(args) => tune::run(args),
        #[cfg(feature = "lab")]
        Command::Evaluate(args) => evaluate::run(*args),
        #[cfg(feature = "lab")]
        Command::Reproduce(args) => reproduce::run(*args),
        #[cfg(feature = "lab")]
        Command::Methods(args) => methods::run(&args),
        #[cfg(feature = "lab")]
        Command::Sign(args) => sign::run(args),
        Command::Sketch(args) => unless_gone(sketch::run(&args)),
        Command::Edges(args) => unless_gone(edges::run(args)),
        Command::Decide(args) => unless_gone(decide::run(&args)),
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
    fn commands_have_the_settings_of_stages_that_the_table_says() {
        use crate::config::settings;

        let program = program();
        for name in ["serve", "clusters", "explain", "sketch", "edges"] {
            let Some(command) = program.find_subcommand(name) else { continue };
            for setting in settings::all().filter(|setting| setting.is_of_stages()) {
                let has = command.get_arguments().any(|option| option.get_long() == Some(setting.name));
                assert_eq!(has, setting.commands.contains(&name), "{name} --{}", setting.name);
            }
        }
    }

    #[test]
    fn a_name_commands_no_terminal() {
        let (_, name) = inputs(&[PathBuf::from("a\n| b"), PathBuf::from("\u{1b}[31m红")]);
        assert_eq!(name, "a\u{fffd}| b, \u{fffd}[31m红");
    }
}
