//! The command line: arguments to [`Config`](quchong::Config), one file for each command. The only place that knows clap.

mod clusters;
mod decide;
mod dedup;
mod durable;
mod edges;
mod encoding;
mod evaluate;
mod exact;
mod explain;
mod files;
mod generate;
mod log;
mod memory;
mod methods;
mod metrics;
mod near;
mod normalise;
mod packaging;
mod report;
mod sign;
mod sketch;
mod state;
mod tune;
mod tune_reports;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use log::LogFormat;
use quchong::config::{Rules, Span};
use quchong::pipeline::MAX_THREADS;
use quchong::pipeline::source::Input;

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
    Completions(packaging::CompletionsArgs),
    Man(packaging::ManArgs),
}

/// Runs the command that was typed.
pub fn run() -> anyhow::Result<ExitCode> {
    let command = Args::parse().command;
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
        Command::Completions(args) => packaging::completions(&args, Args::command()),
        Command::Man(args) => packaging::man(&args, Args::command()),
    }
}

/// Tells the user that the command failed.
pub fn fail(error: &anyhow::Error) {
    tracing::error!("{error:#}");
}

/// Tells the user something that changes what the result is worth.
fn say(message: &str) {
    tracing::warn!("{message}");
}

/// The inputs that were named, standard input if none was, and how a report names them all.
fn inputs(files: &[PathBuf]) -> (Vec<Input>, String) {
    let input = |path: &PathBuf| if path == Path::new("-") { Input::Stdin } else { Input::File(path.clone()) };
    let inputs: Vec<Input> = if files.is_empty() { vec![Input::Stdin] } else { files.iter().map(input).collect() };
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
    Rules::parse(list).map_err(|error| error.to_string())
}

/// A count: `250000`, `1e7`, `10M`.
fn count(text: &str) -> Result<u64, String> {
    scaled(text, &[("k", 1e3), ("M", 1e6), ("G", 1e9)], "250000, 1e7 or 10M")
}

/// A window: a count of messages, or a length of time in milliseconds: `500ms`, `90s`, `30m`, `24h`, `7d`.
fn window(text: &str) -> Result<Span, String> {
    let time = || duration(text).map(|length| Span::Time { length, lateness: 0 });
    count(text)
        .map(Span::Messages)
        .or_else(|_| time())
        .map_err(|_| "write a number of messages (200000, 1e6, 10M) or a length of time (90s, 30m, 24h, 7d)".to_owned())
}

/// A length of time, in milliseconds.
fn duration(text: &str) -> Result<u64, String> {
    let units = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3), ("d", 86_400e3)];
    // A number alone does not say of what.
    let text = if text.ends_with(|c: char| c.is_ascii_lowercase()) { text } else { "" };
    scaled(text, &units, "90s, 30m, 24h or 7d")
}

/// A number of bytes: `65536`, `64KiB`, `16MiB`, `1GB`.
fn size(text: &str) -> Result<u64, String> {
    let units = [
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
        ("kB", 1e3),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
    ];
    scaled(text, &units, "65536, 64KiB or 16MiB")
}

fn scaled(text: &str, units: &[(&str, f64)], examples: &str) -> Result<u64, String> {
    let unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((text, 1.0));
    // Below 2^53 every whole number is exact.
    const MOST: f64 = 9007199254740992.0;
    match number.trim().parse::<f64>().map_or(f64::NAN, |number| number * factor) {
        value if value.is_finite() && value > MOST => Err(format!("too large; the most is {MOST}")),
        value if value.fract() == 0.0 && value >= 0.0 => Ok(value as u64),
        _ => Err(format!("not a whole number; write {examples}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        Args::command().debug_assert();
    }

    #[test]
    fn numbers_as_people_write_them() {
        for (text, value) in [("0", 0), ("250000", 250_000), ("1e7", 10_000_000), ("10M", 10_000_000), ("1.5k", 1500)] {
            assert_eq!(count(text), Ok(value), "{text}");
        }
        for (text, value) in [("64KiB", 65_536), ("16MiB", 16 << 20), ("1GB", 1_000_000_000), ("7", 7)] {
            assert_eq!(size(text), Ok(value), "{text}");
        }
        for (text, length) in [("500ms", 500), ("90s", 90_000), ("1.5h", 5_400_000), ("7d", 604_800_000)] {
            assert_eq!(window(text), Ok(Span::Time { length, lateness: 0 }), "{text}");
        }
        assert_eq!(window("10M"), Ok(Span::Messages(10_000_000)));
        for text in ["", "h", "24 hours", "-1h", "1.5", "1e400h"] {
            assert!(window(text).is_err(), "{text}");
        }
        for text in ["", "x", "-1", "1.5", "1e30", "nan", "inf", "M"] {
            assert!(count(text).is_err(), "{text}");
        }
        assert!(count("1e18").unwrap_err().starts_with("too large"));
    }

    #[test]
    fn a_name_commands_no_terminal() {
        let (_, name) = inputs(&[PathBuf::from("a\n| b"), PathBuf::from("\u{1b}[31m红")]);
        assert_eq!(name, "a\u{fffd}| b, \u{fffd}[31m红");
    }
}
