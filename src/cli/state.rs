//! `quchong state`: what is in a state folder, is it intact, and what can be done if it is not?

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::dedup::Remembered;
use crate::report::counted;
use crate::run::durable::progress_of;
use crate::store::open::Opened;
use crate::store::{Rewritten, compact, repair};
use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use super::{print, say};

/// What a state folder of `quchong dedup --state` has in it, and whether it is intact
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tell what is in it: options, messages, the last run
    Info(Info),
    /// Read all of it; exit code 2 with file and offset if something is damaged
    Check(Folder),
    /// Write all messages that can still be repeated as JSONL, in their order
    Dump(Folder),
    /// Rewrite it without what is damaged; the files as they were stay, as *.damaged
    Repair(Folder),
    /// Rewrite it without what is too old to be repeated
    Compact(Folder),
}

#[derive(clap::Args)]
struct Info {
    #[command(flatten)]
    folder: Folder,

    /// How it is told
    #[arg(long, value_enum, default_value_t = InfoFormat::Table)]
    format: InfoFormat,
}

#[derive(Clone, Copy, ValueEnum)]
enum InfoFormat {
    /// For people
    Table,
    /// For programs
    Json,
}

#[derive(clap::Args)]
struct Folder {
    /// The folder of --state
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Lost places that are told one by one.
const TOLD: usize = 10;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Info(Info { folder: Folder { folder }, format }) => info(&open(folder)?, *format),
        Command::Check(Folder { folder }) => check(&open(folder)?),
        Command::Dump(Folder { folder }) => dump(&open(folder)?),
        Command::Repair(Folder { folder }) => told(&repair(expected(folder)?)?),
        Command::Compact(Folder { folder }) => told(&compact(expected(folder)?)?),
    }
}

/// A folder that is there: looking at a state must not make one.
fn expected(folder: &Path) -> anyhow::Result<&Path> {
    anyhow::ensure!(folder.is_dir(), "{}: there is no such folder; name that of --state", folder.display());
    Ok(folder)
}

fn open(folder: &Path) -> anyhow::Result<Opened> {
    let opened = Opened::read(expected(folder)?)?;
    opened.config()?;
    opened.torn().into_iter().chain(opened.repaired()).for_each(say);
    Ok(opened)
}

fn info(opened: &Opened, format: InfoFormat) -> anyhow::Result<ExitCode> {
    let config = opened.config()?;
    let (mut kept, mut repeats) = (0_u64, 0_u64);
    opened.each_that_counts(|message| {
        *(if message.of.is_none() { &mut kept } else { &mut repeats }) += 1;
        Ok(())
    })?;
    let header = opened.header().context("no header")?;
    let run = match opened.last() {
        Some(last) => {
            let (note, progress) = progress_of(last)?;
            let options: Map<String, Value> =
                note.spelled().map(|(option, value)| (option.clone(), value.clone().into())).collect();
            json!({
                "ended": progress.ended,
                "inputs": note.inputs,
                "options": options,
                "place": progress.place,
                "written": progress.written.map(|written| written.length),
                "counts": progress.counts,
                "last_seq": progress.last_seq,
            })
        }
        None => Value::Null,
    };
    let about = json!({
        "program": header.program,
        "algorithm": header.algorithm,
        "config": config,
        "segments": opened.segments(),
        "messages": opened.last().map_or(0, |last| last.next.0),
        "kept_that_count": kept,
        "repeats_that_count": repeats,
        "run": run,
    });
    match format {
        InfoFormat::Json => print(serde_json::to_string_pretty(&about)? + "\n"),
        InfoFormat::Table => {
            print(table("", &about).into_iter().map(|(name, value)| format!("{name:<28}{value}\n")).collect())
        }
    }
}

/// The values of an object, one in a row, under the names of the objects that they are in.
fn table(above: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(members) => {
            let name = |key: &str| {
                if above.is_empty() { key.replace('_', " ") } else { format!("{above} {}", key.replace('_', " ")) }
            };
            members.iter().flat_map(|(key, value)| table(&name(key), value)).collect()
        }
        Value::Array(values) => {
            let told = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            vec![(above.to_owned(), told.collect::<Vec<_>>().join(" "))]
        }
        Value::String(text) => vec![(above.to_owned(), text.clone())],
        Value::Null => vec![(above.to_owned(), "-".to_owned())],
        value => vec![(above.to_owned(), value.to_string())],
    }
}

fn check(opened: &Opened) -> anyhow::Result<ExitCode> {
    let mut messages = 0_u64;
    opened.replay(
        |_| true,
        |_| {
            messages += 1;
            Ok(())
        },
    )?;
    let segments = opened.segments();
    let (segments, messages) = (counted(segments as u64, "segment"), counted(messages, "message"));
    print(format!("{}: intact; {segments}, {messages}\n", opened.folder().display()))
}

fn dump(opened: &Opened) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    opened.each_that_counts(|message| {
        if written.is_ok() {
            written = writeln!(out, "{}", shown(&message));
        }
        Ok(())
    })?;
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(anyhow::Error::new(error).context("<stdout>")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// A message as a line of JSON.
fn shown(message: &Remembered<'_>) -> Value {
    let printed = &message.printed;
    let id = serde_json::from_str::<Value>(&message.id.to_string()).unwrap_or(Value::Null);
    let mut shown = json!({ "pos": message.pos.0 });
    let mut add = |name: &str, value: Option<Value>| {
        if let (Some(shown), Some(value)) = (shown.as_object_mut(), value) {
            shown.insert(name.to_owned(), value);
        }
    };
    add("of", message.of.map(|of| of.0.into()));
    add("exact", message.exact.then_some(true.into()));
    add("id", message.of.is_none().then_some(id));
    add("time", message.stamp.map(|stamp| stamp.time.into()));
    add("digest", printed.digest.map(|digest| format!("{:032x}", digest.0).into()));
    add("simhash", printed.simhash.map(|simhash| format!("{simhash:016x}").into()));
    add("signature", printed.signature.as_deref().map(Value::from));
    add("tokens", printed.gist.as_ref().map(|gist| gist.body.list.len().into()));
    shown
}

fn told(rewritten: &Rewritten) -> anyhow::Result<ExitCode> {
    let Rewritten { before, after, messages, lost } = rewritten;
    for place in lost.places.iter().take(TOLD) {
        say(place);
    }
    if lost.places.len() > TOLD {
        say(&format!("and {} places more", lost.places.len() - TOLD));
    }
    let lost = match lost.places.len() {
        0 => String::new(),
        places => format!(", {places} places could not be read, {} of {} messages are lost", lost.messages, lost.of),
    };
    print(format!("{before} bytes are now {after}; {messages} messages are known{lost}\n"))
}
