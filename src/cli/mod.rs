//! The command line: arguments to [`Config`](quchong::Config), one file for each command. The only place that knows clap.

#[cfg(feature = "lab")]
mod bars;
mod clusters;
mod decide;
mod dedup;
mod durable;
mod edges;
mod encoding;
#[cfg(feature = "lab")]
mod evaluate;
mod exact;
mod explain;
mod files;
mod format;
#[cfg(feature = "lab")]
mod generate;
mod glob;
mod input;
mod log;
mod memory;
#[cfg(feature = "lab")]
mod methods;
#[cfg_attr(not(feature = "metrics"), path = "metrics/absent.rs")]
mod metrics;
mod near;
mod normalise;
mod packaging;
mod recount;
mod refusal;
mod report;
mod represent;
#[cfg(feature = "lab")]
mod sign;
mod sketch;
mod state;
mod terminal;
#[cfg(feature = "lab")]
mod tune;
#[cfg(feature = "lab")]
mod tune_reports;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use input::inputs;
use log::LogFormat;
pub use terminal::fail;
use terminal::{print, say, unwritten};
use values::{rules, thread_count, threads};

/// Exit code for a failure: bad options, bad input under `--on-error fail`, a stream that failed.
pub const FAILURE: u8 = 2;

/// Exit code for a run that came to its end and is most likely not what was meant: records that could not be judged.
pub const DOUBTFUL: u8 = 3;

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
    Completions(packaging::CompletionsArgs),
    Man(packaging::ManArgs),
}

/// Runs the command that was typed.
pub fn run() -> anyhow::Result<ExitCode> {
    let command = match refusal::parse::<Args>() {
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
        #[cfg(feature = "lab")]
        Command::Methods(args) => methods::run(&args),
        #[cfg(feature = "lab")]
        Command::Sign(args) => sign::run(args),
        Command::Sketch(args) => sketch::run(&args),
        Command::Edges(args) => edges::run(args),
        Command::Decide(args) => decide::run(&args),
        Command::State(args) => state::run(&args),
        Command::Completions(args) => packaging::completions(&args, Args::command()),
        Command::Man(args) => packaging::man(&args, Args::command()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use quchong::config::options::SETTINGS;

    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_setting_is_an_option_of_dedup_and_no_other() {
        let command = Args::command();
        let dedup = command.find_subcommand("dedup").unwrap();
        let of_stages = dedup.get_arguments().filter(|option| match option.get_id().as_str() {
            // Where times stand is a matter of the input.
            "time_field" => false,
            "seed" => true,
            _ => option.get_help_heading().is_some_and(|of| ["Near stage", "Exact stage", "Memory"].contains(&of)),
        });
        let mut options: Vec<String> = of_stages.map(|option| format!("--{}", option.get_long().unwrap())).collect();
        let mut settings: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        options.sort_unstable();
        settings.sort_unstable();
        assert_eq!(options, settings);
    }

    #[test]
    fn a_name_commands_no_terminal() {
        let (_, name) = inputs(&[PathBuf::from("a\n| b"), PathBuf::from("\u{1b}[31m红")]);
        assert_eq!(name, "a\u{fffd}| b, \u{fffd}[31m红");
    }
}
