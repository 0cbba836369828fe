//! `quchong state`: shows, checks, dumps, repairs and compacts a state folder.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::config::{Config, settings};
use crate::dedup::Remembered;
use crate::formats::parse::FaultKind;
use crate::locale::columns;
use crate::record::Pos;
use crate::report::{counted, grouped};
use crate::run::durable::{Checkpoint, RunNote, notes_of};
use crate::store::open::Opened;
use crate::store::{Lock, Rewritten, compact, repair};
use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use super::screen::lead_line;
use super::{print, unwritten, warn_user};
use crate::locale::tr;

/// Show, check or repair the folder of `quchong dedup --state`
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
    /// Rewrite the state without the messages that are too old to be repeated
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

/// How many damaged places are reported one by one.
const TOLD: usize = 10;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Info(Info { folder: Folder { folder }, format }) => info(&open(folder)?, *format),
        Command::Check(Folder { folder }) => check(&open(folder)?),
        Command::Dump(Folder { folder }) => dump(&open(folder)?),
        Command::Repair(Folder { folder }) => report_rewrite(&repair(expected(folder)?)?),
        Command::Compact(Folder { folder }) => report_rewrite(&compact(expected(folder)?)?),
    }
}

/// Checks that a folder exists, because looking at a state must not create one.
fn expected(folder: &Path) -> anyhow::Result<&Path> {
    let name = folder.display();
    anyhow::ensure!(
        folder.is_dir() || !folder.exists(),
        tr!("{name}: is a file, and a state is a folder; name that of --state", name)
    );
    anyhow::ensure!(folder.is_dir(), tr!("{name}: there is no such folder; name that of --state", name));
    Ok(folder)
}

fn open(folder: &Path) -> anyhow::Result<Opened> {
    let opened = Opened::read(expected(folder)?)?;
    opened.config()?;
    opened.torn().into_iter().chain(opened.repaired()).for_each(warn_user);
    Ok(opened)
}

fn info(opened: &Opened, format: InfoFormat) -> anyhow::Result<ExitCode> {
    let config = opened.config()?;
    let (mut kept, mut repeats) = (0_u64, 0_u64);
    // A renewed message has several entries that count, but it is one message.
    let mut renewed = HashSet::new();
    opened.each_that_counts(|message| {
        match (message.of, message.renewal) {
            (Some(_), _) => repeats += 1,
            (None, Some(renewal)) => drop(renewed.insert(renewal.kept)),
            (None, None) if config.refresh => drop(renewed.insert(message.pos)),
            (None, None) => kept += 1,
        }
        Ok(())
    })?;
    kept += renewed.len() as u64;
    let header = opened.header().context("no header")?;
    let last = opened.last().map(notes_of).transpose()?;
    let messages = opened.last().map_or(0, |last| last.next.0);
    if matches!(format, InfoFormat::Table) {
        let usual = Config::default();
        let chosen = settings::all().filter_map(|setting| Some((setting, (setting.value_in)(&config)?)));
        let chosen = chosen
            // The value of a flag is empty.
            .filter(|(setting, value)| (setting.value_in)(&usual).as_ref() != Some(value))
            .filter(|(setting, value)| setting.default != value || value.is_empty());
        let made = chosen.map(|(setting, value)| format!("--{} {value}", setting.name).trim_end().to_owned());
        let mut rows = vec![
            (tr!("folder"), opened.folder().display().to_string()),
            (
                tr!("made by"),
                tr!("quchong {}, fingerprints and repeat rule of version {}", header.program, header.algorithm),
            ),
            (tr!("lexicon"), opened.lexicon().map_or_else(String::new, |version| tr!("version {version}", version))),
            (tr!("made with"), made.collect::<Vec<_>>().join(" ")),
            (tr!("on disk"), counted(opened.segments() as u64, "segment")),
            (tr!("seen"), counted(messages, "record")),
            (tr!("can be repeated"), tr!("{} and {}", counted(kept, "kept message"), counted(repeats, "repeat"))),
        ];
        let holder = Lock::holder(opened.folder());
        rows.extend(last.iter().flat_map(|(note, checkpoint)| run_rows(note, checkpoint, holder.as_deref())));
        let (number, of) = (grouped(kept), counted(messages, "record"));
        let lead = tr!("{number} · kept messages that can be repeated, of {of} seen", number, of);
        let rows: String = rows.into_iter().filter(|(_, value)| !value.is_empty()).map(row).collect();
        return print(lead_line(&lead) + &rows);
    }
    let run = last.map(|(note, checkpoint)| {
        let options: Map<String, Value> =
            note.spelled().map(|(option, value)| (option.clone(), value.clone().into())).collect();
        json!({
            "ended": checkpoint.ended,
            "inputs": note.inputs,
            "options": options,
            "place": checkpoint.place,
            "followed": followed_to(&note, &checkpoint),
            "written": checkpoint.written.map(|written| written.length),
            "counts": checkpoint.counts,
            "last_seq": checkpoint.last_seq,
        })
    });
    let about = json!({
        "program": header.program,
        "algorithm": header.algorithm,
        "lexicon": opened.lexicon(),
        "config": config,
        "segments": opened.segments(),
        "messages": messages,
        "kept_that_count": kept,
        "repeats_that_count": repeats,
        "in_use_by": Lock::holder(opened.folder()).and_then(|holder| holder.parse::<u64>().ok()),
        "run": run,
    });
    print(serde_json::to_string_pretty(&about)? + "\n")
}

/// The columns of the table's names, and of its lines.
const NAME: usize = 17;
const WIDTH: usize = 120;

/// A row of the table. A long value is broken between words.
fn row((name, value): (String, String)) -> String {
    let mut lines = vec![String::new()];
    for word in value.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && NAME + columns(&lines[last]) + columns(word) >= WIDTH {
            lines.push(word.to_owned());
        } else {
            let blank = if lines[last].is_empty() { "" } else { " " };
            lines[last] += &format!("{blank}{word}");
        }
    }
    let name = format!("{name}{}", " ".repeat(NAME.saturating_sub(columns(&name))));
    name + &lines.join(&format!("\n{:NAME$}", "")) + "\n"
}

/// If the last run followed a file: how many bytes of the file that it read last are answered, by that run or an earlier one.
fn followed_to(note: &RunNote, checkpoint: &Checkpoint) -> Option<u64> {
    checkpoint.followed.as_ref().filter(|_| !note.files)?.answered()
}

/// The rows of the table about the last run.
fn run_rows(note: &RunNote, checkpoint: &Checkpoint, holder: Option<&str>) -> Vec<(String, String)> {
    let Checkpoint { ended, counts, last_seq, place, written, .. } = checkpoint;
    let followed = followed_to(note, checkpoint);
    let end = match (ended, note.files) {
        _ if holder.is_some() => tr!("goes on, in process {}", holder.unwrap_or_default()),
        _ if note.is_service() => tr!("a service, which has ended; what it had not answered is to be sent again"),
        (true, _) => tr!("came to its end"),
        (false, true) => tr!("broke off; --resume goes on with it, --abandon gives up what it has not written"),
        (false, false) if followed.is_some() => {
            tr!("was stopped, or broke off; the same command goes on in the followed file")
        }
        (false, false) => tr!("was stopped, or goes on; what it was fed and had not answered is to be sent again"),
    };
    let kinds = FaultKind::NAMED.iter().zip(counts.errors).filter(|(_, count)| *count > 0);
    let kinds: Vec<String> = kinds.map(|((name, _), count)| format!("{name} {count}")).collect();
    let errors = if kinds.is_empty() { tr!("none") } else { kinds.join(&tr!(", ")) };
    let [output, dropped] = written.map(|written| written.length);
    let usual = |name: &str| {
        let setting = settings::find(name)?;
        Some(setting.noted.map_or_else(|| setting.default.to_owned(), |noted| noted(setting.default)))
    };
    let is_given = |(option, value): &&(String, String)| {
        !["-", "false"].contains(&&**value) && usual(option).as_ref() != Some(value)
    };
    let options: Vec<String> =
        note.spelled().filter(is_given).map(|(option, value)| format!("{option} {value}")).collect();
    let mut rows = vec![
        (tr!("last run"), end),
        (tr!("  inputs"), note.inputs.join(" ")),
        (tr!("  options"), options.join(" ")),
        (tr!("  read"), [counted(counts.r#in, "record"), counted(counts.bytes_in, "byte")].join(&tr!(", "))),
        (tr!("  kept"), counts.kept.to_string()),
        (tr!("  dropped"), tr!("{} (exact {}, near {})", counts.exact + counts.near, counts.exact, counts.near)),
        (tr!("  errors"), errors),
    ];
    if !note.is_service() {
        let place = match followed {
            Some(bytes) => tr!("behind byte {} of the followed file, which may have another name by now", bytes),
            None => tr!("behind byte {} and line {} of input {}", place.offset, place.lines, place.input + 1),
        };
        let written = tr!("{} of output, {} of dropped records", counted(output, "byte"), counted(dropped, "byte"));
        if note.inputs.iter().any(|input| input != "-") {
            rows.insert(4, (tr!("  goes on"), place));
        }
        rows.extend([
            (tr!("  skipped"), counts.skipped.to_string()),
            (tr!("  written"), written),
            (tr!("  last number"), last_seq.map_or_else(String::new, |last| last.to_string())),
        ]);
    }
    rows
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
    // The state is intact even if this version cannot use it.
    if let Err(error) = opened.expect(&opened.config()?) {
        warn_user(&error.to_string());
    }
    print(tr!("{}: intact; {segments}, {messages}", opened.folder().display(), segments, messages) + "\n")
}

fn dump(opened: &Opened) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut kept_at = HashMap::new();
    opened.each_that_counts(|message| {
        if let Some(renewal) = message.renewal {
            kept_at.insert(message.pos, renewal.kept);
        }
        writeln!(out, "{}", shown(&message, |pos| kept_at.get(&pos).copied().unwrap_or(pos))).map_err(unwritten)
    })?;
    out.flush().map_err(unwritten)?;
    Ok(ExitCode::SUCCESS)
}

/// A message as a line of JSON. `kept_at` maps the position of an entry to the position where its message was first kept.
fn shown(message: &Remembered<'_>, kept_at: impl Fn(Pos) -> Pos) -> Value {
    let printed = &message.printed;
    let id = serde_json::from_str::<Value>(&message.id.to_string()).unwrap_or(Value::Null);
    let mut shown = json!({ "pos": message.pos.0 });
    let mut add = |name: &str, value: Option<Value>| {
        if let (Some(shown), Some(value)) = (shown.as_object_mut(), value) {
            shown.insert(name.to_owned(), value);
        }
    };
    add("of", message.of.map(|of| kept_at(of).0.into()));
    add("renews", message.renewal.map(|renewal| renewal.kept.0.into()));
    add("exact", message.exact.then_some(true.into()));
    add("id", message.of.is_none().then_some(id));
    add("time", message.stamp.map(|stamp| stamp.time.into()));
    add("digest", printed.digest.map(|digest| format!("{:032x}", digest.0).into()));
    add("simhash", printed.simhash.map(|simhash| format!("{simhash:016x}").into()));
    add("signature", printed.signature.as_deref().map(Value::from));
    add("tokens", printed.gist.as_ref().map(|gist| gist.body.list.len().into()));
    shown
}

fn report_rewrite(rewritten: &Rewritten) -> anyhow::Result<ExitCode> {
    let Rewritten { bytes_before, bytes_after, messages, lost } = rewritten;
    for place in lost.places.iter().take(TOLD) {
        warn_user(place);
    }
    if lost.places.len() > TOLD {
        warn_user(&tr!("and {n} place more" | "and {n} places more" % lost.places.len() - TOLD));
    }
    let lost = match lost.places.len() {
        0 => String::new(),
        places => tr!(
            ", {n} place could not be read, lost: {lost}" | ", {n} places could not be read, lost: {lost}" % places,
            lost = lost.describe(&counted(lost.total, "message"))
        ),
    };
    let known = tr!(
        "{before} bytes are now {after}; {n} message is known{lost}"
            | "{before} bytes are now {after}; {n} messages are known{lost}" % *messages,
        before = bytes_before,
        after = bytes_after,
        lost = lost
    );
    print(known + "\n")
}
