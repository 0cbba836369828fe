//! `quchong sketch`: computes what a job over many machines needs of each record.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::config::settings::find;
use crate::config::{Config, Settings, Span};
use crate::formats::parse::{Fault, FieldPath, Further, Parser};
use crate::formats::source::Whole;
use crate::run::sink::{Stream, Written};
use crate::scale::rows::{RowFormat, RowsWriter};
use crate::scale::sketch::{Sketch, Sketcher, check};
use crate::{Error, Pos, Result};
use anyhow::{bail, ensure};
use serde_json::json;

use super::files::{Target, open_outputs};
use super::format::{RowsArgs, SketchedArg, check_json_name, check_packed};
use super::input::{Faults, InputArgs, inputs_of};
use super::settings::{DigestArgs, JobNearArgs, Typed, WindowArgs};
use super::terminal::warn_user_unless;
use super::{DOUBTFUL, print, unwritten};
use crate::locale::tr;

/// Sketch records for a job over many machines: position, digest of the text, fingerprint
///
/// One row for each record, in order: `pos`, the `digest` of what the exact stage compares (32 hexadecimal digits), the
/// `simhash` of the body (16), and under --near hybrid the `text`. A blank line has none of them; a record that cannot be judged has
/// its `error`. Options are those of `quchong dedup`, and so are the values. See spark/README.md.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong sketch dump.jsonl.zst
  quchong sketch --near simhash --pos-field n --on-error fail rows.jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    typed: Typed,

    #[command(flatten)]
    input: InputArgs<SketchedArg>,

    /// Where its position stands, a whole number: earlier messages have smaller ones [default: positions are counted]
    #[arg(long, value_name = "PATH", conflicts_with = "first_pos", help_heading = "Input")]
    pos_field: Option<String>,

    /// The position of the first record, from which positions are counted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64), default_value_t = 0, help_heading = "Input")]
    first_pos: u64,

    /// Write the sketches to this file, not to standard output; compressed if it ends in .gz, .zst, .bz2 or .xz
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    exact: DigestArgs,

    #[command(flatten)]
    near: JobNearArgs,

    #[command(flatten)]
    window: WindowArgs,

    /// Key of the digests, the same for the whole job. If strangers write the texts, choose a secret number
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Read nothing; print the resulting settings as JSON
    #[arg(long, conflicts_with = "files", help_heading = "Output")]
    settings: bool,

    #[command(flatten)]
    rows: RowsArgs,
}

/// Settings that do not change a sketch, each with the later step that uses it.
const LATER: [(&str, &str); 7] = [
    ("similarity", "edges"),
    ("guard", "edges"),
    ("remarks", "edges"),
    ("templates", "edges"),
    ("verify-window", "edges"),
    ("max-distance", "edges"),
    ("window", "decide"),
];

/// Refuses settings that do not change the sketches.
fn refuse_later(given: &Settings) -> Result<()> {
    if let Some((name, step)) = LATER.iter().find(|(name, _)| given.get(name).is_some()) {
        let reason = tr!("sketches are the same under any; it is for --settings, and `quchong {step}`", step);
        return Err(Error::config(name, reason));
    }
    match given.get("preset") {
        Some("careful") => Err(Error::config(
            "preset",
            tr!("careful makes the same sketches as weibo; it is for --settings, and `quchong edges`"),
        )),
        _ => Ok(()),
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.typed.refuse_idle("sketch")?;
    let given = args.typed.given.0.of_stages();
    let config = given.config()?;
    check(&config).map_err(|error| match error {
        // The exact stage was not typed. The preset chose it.
        Error::Config { setting: "exact", reason } if given.get("exact").is_none() => {
            let exact = find("exact").and_then(|setting| (setting.value_in)(&config)).unwrap_or_default();
            Error::config("preset", tr!("means --exact {exact}: {reason}", exact, reason))
        }
        error => error,
    })?;
    if args.settings {
        let Config { near, max_distance, verify_window, .. } = config;
        let window = config.window.map(messages).transpose()?;
        let settings = json!({
            "near": near.name(), "max_distance": max_distance, "verify_window": verify_window, "window": window,
        });
        return print(format!("{settings}\n"));
    }
    refuse_later(&given)?;
    args.output_file.iter().try_for_each(|output| match args.rows.format() {
        RowFormat::Jsonl => check_json_name("--output-file", output),
        RowFormat::Arrow => check_packed("--output-file", output),
    })?;
    let (field, also) = args.input.fields()?;
    ensure!(
        also.is_empty() || args.input.records()?.is_some(),
        tr!("--field: names one column with --format arrow; join them before")
    );
    let parser = Parser {
        field,
        id_field: FieldPath::parse("--id-field", "id")?,
        time_field: None,
        seq_field: args.pos_field.as_deref().map(|field| FieldPath::parse("--pos-field", field)).transpose()?,
        further: Further { also, ..Further::default() },
    };
    let quiet = args.quiet;
    let tell = warn_user_unless(quiet);
    let files = args.input.files(quiet)?;
    let inputs = inputs_of(&files, false);
    let format = args.input.records()?;
    let source = format
        .map(|format| args.input.source(&args.typed.given, format, inputs.clone(), &parser, Whole::Not, tell))
        .transpose()?;
    let outputs = [("--output-file", &args.output_file)];
    let [target] = open_outputs(&args.input.reads(&files), args.output_file.is_none(), outputs)?;
    let mut out = Out { target, format: args.rows.format(), rows: None };
    let mut faults = Faults::new(args.input.on_error(), quiet)?;
    let fault = |file: &str, line, fault: &Fault| faults.count_fault(file, line, fault);
    let mut sketcher = Sketcher::new(&config, Pos(args.first_pos), fault, |sketch| out.row(&sketch))?;
    let done = match source {
        Some(source) => sketcher.records(source, &parser),
        None => sketcher.rows(&inputs, parser.field.spelled(), args.pos_field.as_deref(), args.input.max_line()?),
    };
    let sketched = sketcher.sketched();
    drop(sketcher);
    out.end(done)?;
    tell(&tr!(
        "sketched {} = messages {} + blank {} + errors {}",
        sketched.records(),
        sketched.messages,
        sketched.blank,
        sketched.errors
    ));
    // An engine that takes Arrow streams sees each error in its row. It takes every exit code except 0 for a failure.
    let is_doubtful =
        args.rows.format() == RowFormat::Jsonl && faults.tell_if_most(sketched.messages + sketched.errors);
    Ok(if is_doubtful { ExitCode::from(DOUBTFUL) } else { ExitCode::SUCCESS })
}

/// The length of a window in messages.
fn messages(window: Span) -> anyhow::Result<u64> {
    match window {
        Span::Messages(messages) => Ok(messages),
        // The clock of a time window depends on all earlier messages, because their times vote on it.
        Span::Time { .. } => bail!(tr!("--window: many processes have no common clock; give a number of messages")),
    }
}

/// The destination of sketches. An existing file is emptied at the first sketch or at the end of a successful run. If the run fails
/// before its first sketch, the file stays as it is.
struct Out {
    /// The file, until it is opened as a stream; `None` for standard output.
    target: Option<Target>,
    format: RowFormat,
    rows: Option<RowsWriter<Sketch, Stream>>,
}

impl Out {
    fn row(&mut self, sketch: &Sketch) -> Result<()> {
        self.begin()?;
        self.rows.as_mut().map_or(Ok(()), |rows| rows.row(sketch)).map_err(library_error)
    }

    fn begin(&mut self) -> Result<()> {
        if self.rows.is_none() {
            let stream = match self.target.take() {
                Some(target) => {
                    let path = target.name.clone();
                    let stream = target.stream(Written::default(), false, false);
                    stream
                        .map_err(|error| Error::Io { path, reason: io::Error::other(error.root_cause().to_string()) })?
                }
                None => Stream::stdout(),
            };
            self.rows = Some(RowsWriter::new(stream, self.format).map_err(library_error)?);
        }
        Ok(())
    }

    /// Completes the output, and returns the error of the run, if any. After an error the lines written so far are completed, but a
    /// stream of Arrow IPC stays without its end.
    fn end(mut self, done: Result<()>) -> Result<()> {
        if done.is_ok() {
            self.begin()?;
        }
        match self.rows {
            None => {}
            Some(rows) if done.is_ok() => rows.finish().map_err(library_error)?.complete()?,
            Some(rows) => rows.lines().map_or(Ok(()), Stream::complete)?,
        }
        done
    }
}

/// The library's error inside `error`, or else an error of standard output.
fn library_error(error: io::Error) -> Error {
    error.downcast().unwrap_or_else(unwritten)
}
