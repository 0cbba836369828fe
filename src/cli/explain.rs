//! `quchong explain`: explains why one message repeats another, or does not.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::config::ExactMode;
use crate::explain::Explainer;
use crate::formats::lines::MAX_LINE;
use crate::formats::parse::{FieldPath, Further, Parser, line_content, shown_scope};
use crate::formats::source::{Batch, Format, Line, Source, Whole};
use crate::locale::in_english;
use anyhow::{bail, ensure};
use clap::ValueEnum;

use super::encoding::EncodingArgs;
use super::files::refuse_own_input;
use super::input::{checked, fields};
use super::screen::print_explanation;
use super::settings::{ColorArgs, ConfigArgs, PairArgs, SameArgs, ScopeArgs, Typed, words};
use super::{inputs, print, warn_user};
use crate::locale::tr;

/// Explain why a message is dropped as a repeat of an earlier one, or kept
///
/// Shows the forms of both that the stages compare, where they differ, how alike they are, the verdict on B with its reason, and
/// which options would change it. The order matters: A came first, and what B adds to it counts.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong explain '昨日新增病例7例' '昨日新增病例9例'
  quchong explain --file dump.jsonl p006 p021
  quchong explain --config quchong.toml --file dump.jsonl p006 p021
  quchong explain --near simhash --format json --file feed.txt 17 230")]
pub(crate) struct Args {
    #[command(flatten)]
    typed: Typed,

    /// The earlier message; with --file its id, or its line number if it has none
    a: String,

    /// The later message; with --file its id, or its line number if it has none
    b: String,

    /// Take the two messages from this file; `-`: standard input
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    file: Option<PathBuf>,

    /// Format of the file; auto goes by the extension, else by the content
    #[arg(long, value_parser = words("format", &Format::NAMED), default_value = "auto", help_heading = "Input")]
    input_format: Format,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[arg(long)]
    field: String,

    #[arg(long)]
    id_field: String,

    #[arg(long)]
    no_header: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    /// How the explanation is written; text is cut to what fits, json is whole
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Output")]
    format: FormatArg,

    #[command(flatten)]
    exact: SameArgs,

    #[command(flatten)]
    near: PairArgs,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    color: ColorArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Text,
    Json,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.typed.refuse_idle("explain")?;
    let given = &args.typed.given;
    let config = given.0.of_stages().config()?;
    ensure!(
        !given.0.is_typed("bloom-bits") || config.exact == ExactMode::PaperBloom,
        tr!("--bloom-bits: decides about two messages only under --exact paper-bloom; add that, or leave it out")
    );
    let mut explainer = Explainer::new(&config)?;
    let mut explain = |a: &str, b: &str| match args.format {
        FormatArg::Text => explainer.explain(a, b),
        FormatArg::Json => in_english(|| explainer.explain(a, b)),
    };
    let explanation = match &args.file {
        None => explain(&args.a, &args.b),
        Some(file) => {
            let [a, b] = args.find(file)?;
            explain(&a, &b)
        }
    };
    match args.format {
        FormatArg::Text => print_explanation(&explanation),
        FormatArg::Json => print(serde_json::to_string_pretty(&explanation)? + "\n"),
    }
}

impl Args {
    /// Finds the two messages in the file. If several records have an id, the first one counts. If both ids are the same, B is the second
    /// record with it.
    fn find(&self, file: &Path) -> anyhow::Result<[String; 2]> {
        refuse_own_input(&[file.to_owned()])?;
        let parser = self.parser()?;
        let (inputs, name) = inputs(&[file.to_owned()]);
        self.typed.given.check_formats(self.input_format, &inputs)?;
        let source = Source::new(inputs.clone(), self.input_format, MAX_LINE)?;
        let source = self.typed.given.apply(self.input_format, &inputs, source);
        let source = source.headed(!self.no_header).parsed_by(&parser, Whole::Not);
        let read = self.read(self.encoding.apply(source, warn_user)?, &parser, &name)?;
        if read.has_fields && read.named == 0 && read.found.iter().all(Option::is_some) {
            warn_user(&tr!(
                "{name}: no record has a field `{}`; what was given are line numbers (--id-field names where ids stand)",
                self.id_field,
                name
            ));
        }
        let missing = |id: &str| self.missing(id, &read, &name);
        let (a, b) = match &read.found {
            [Some(a), Some(b)] => (a, b),
            [Some(_), None] if self.a == self.b => {
                let id = &self.a;
                bail!(tr!("{name}: only one record has the id {id}, and two are compared; name another one", name, id))
            }
            [None, _] => bail!(missing(&self.a)),
            [_, None] => bail!(missing(&self.b)),
        };
        self.compare_scopes(a, b)?;
        self.tell_choice(&read, &name);
        if b.line < a.line {
            warn_user(&tr!("in the file B stands before A: what is explained is as if A had come first"));
        }
        Ok([a.text.clone(), b.text.clone()])
    }

    /// The parser for the message, the id and the scope of a record.
    fn parser(&self) -> anyhow::Result<Parser> {
        let (field, also) = fields(&self.field)?;
        let id_field = FieldPath::parse("--id-field", &self.id_field)?;
        let further = Further { value: None, scope: self.typed.given.scope()?, also };
        checked(Parser { field, id_field, time_field: None, seq_field: None, further })
    }

    /// Finds both messages, and all lines that could be meant.
    fn read(&self, mut source: Source, parser: &Parser, name: &str) -> anyhow::Result<Read> {
        let mut read = Read::default();
        loop {
            let batch = match source.next_batch() {
                Ok(Some(batch)) => batch,
                // What comes after both messages decides nothing.
                Err(_) if read.found.iter().all(Option::is_some) => break,
                Err(error) => return Err(error.into()),
                Ok(None) => break,
            };
            read.has_fields |= batch.format != Format::Lines;
            for line in batch.lines.iter().filter(|line| line.part.is_record()) {
                self.look(&mut read, parser, &batch, line, name)?;
            }
        }
        Ok(read)
    }

    /// Looks whether a line has one of the messages.
    fn look(&self, read: &mut Read, parser: &Parser, batch: &Batch, line: &Line, name: &str) -> anyhow::Result<()> {
        let number = line.number.to_string();
        let bytes = &batch.bytes[line.start..line.end];
        let parsed = parser.read(batch, None, line);
        let id = match &parsed {
            Ok(None) => return Ok(()),
            Ok(Some(record)) => record.id.as_deref().map(str::to_owned),
            Err(_) => parser.id_of_broken(&String::from_utf8_lossy(line_content(bytes)), batch.layout()),
        };
        // A line number may be typed as `of` shows it (`{"line":17}`) or alone.
        let is = |typed: &str| match &id {
            Some(id) => is_id(id, typed),
            None => typed == number || typed == format!("{{\"line\":{number}}}"),
        };
        let meant = [&self.a, &self.b].map(|typed| is(typed));
        for ((count, lines), _) in read.named_by.iter_mut().zip(meant).filter(|(_, meant)| *meant) {
            *count += 1;
            if lines.len() < LINES {
                lines.push(line.number);
            }
        }
        let at = (0..2).find(|&at| meant[at] && read.found[at].is_none());
        match (parsed, at) {
            (Ok(Some(record)), at) => {
                read.records += 1;
                read.named += u64::from(record.id.is_some());
                if let Some(at) = at {
                    let (text, scope) = (record.text.into_owned(), record.scope);
                    read.found[at] = Some(Message { line: line.number, text, scope });
                }
            }
            (Err(fault), Some(_)) => {
                bail!(tr!("{name}:{number}: {}; name another record", fault.reason, name, number))
            }
            (Err(fault), None) => {
                read.unread.get_or_insert_with(|| format!("{name}:{number}: {}", fault.reason));
            }
            (Ok(None), _) => {}
        }
        Ok(())
    }

    /// Warns if a record was chosen among several.
    fn tell_choice(&self, read: &Read, name: &str) {
        let is_same = self.a == self.b;
        let ids = [&self.a, &self.b].into_iter().zip(&read.named_by);
        for (id, (count, lines)) in ids.take(if is_same { 1 } else { 2 }) {
            let more = if *count > lines.len() { ", …" } else { "" };
            let lines = lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ") + more;
            match *count {
                0 | 1 => {}
                2 if is_same => {}
                _ if is_same => warn_user(&tr!(
                    "{name}: {id} names {count} records, in lines {lines}; the first two are compared",
                    name,
                    id,
                    count,
                    lines
                )),
                _ => warn_user(&tr!(
                    "{name}: {id} names {count} records, in lines {lines}; the first one counts",
                    name,
                    id,
                    count,
                    lines
                )),
            }
        }
    }

    /// Returns the message that no record has an id, with the likely reason.
    fn missing(&self, id: &str, read: &Read, name: &str) -> String {
        match read.records {
            0 if read.has_fields => tr!(
                "{name}: no record has a message in the field `{}`; --field names where messages stand",
                self.field,
                name
            ),
            records if read.named == 0 => tr!(
                "{name}: no record has the id {id}, and none of {records} has a field `{}`; --id-field names where ids stand, or give line numbers (the header of a table is line 1)",
                self.id_field,
                name,
                id,
                records
            ),
            _ => match &read.unread {
                None => tr!("{name}: no record has the id {id} (--id-field names where it stands)", name, id),
                Some(fault) => tr!(
                    "{name}: no record that can be judged has the id {id} (--id-field names where it stands); the first that cannot: {fault}",
                    name,
                    id,
                    fault
                ),
            },
        }
    }

    /// Refuses two messages of different scopes.
    fn compare_scopes(&self, a: &Message, b: &Message) -> anyhow::Result<()> {
        if let Some(fields) = self.typed.given.0.get("scope")
            && lacks_all(a.scope.as_deref())
            && lacks_all(b.scope.as_deref())
        {
            warn_user(&tr!("--scope {fields}: neither record has such a field, so both are of one scope", fields));
        }
        ensure!(
            a.scope == b.scope,
            tr!(
                "--scope: A has {}, and B has {}, so that neither can repeat the other; leave --scope out to see how alike their texts are",
                shown_scope(a.scope.as_deref().unwrap_or_default()),
                shown_scope(b.scope.as_deref().unwrap_or_default())
            )
        );
        Ok(())
    }
}

/// A message that was found in the file.
struct Message {
    /// Its line, from 1.
    line: u64,
    text: String,
    scope: Option<String>,
}

/// The result of searching a file for the two messages.
#[derive(Default)]
struct Read {
    found: [Option<Message>; 2],
    /// How many records each id names, and the first of their lines.
    named_by: [(usize, Vec<u64>); 2],
    /// The place and the fault of the first record that cannot be judged.
    unread: Option<String>,
    /// Messages read.
    records: u64,
    /// How many of these have an id.
    named: u64,
    /// Whether any part of the input has fields.
    has_fields: bool,
}

/// How many lines with one id are listed.
const LINES: usize = 5;

/// Whether no field of a scope has a value.
fn lacks_all(scope: Option<&str>) -> bool {
    scope.is_some_and(|scope| scope.bytes().all(|byte| byte == b'-'))
}

/// Whether an id, given as JSON text, was typed as `typed`. The id `17` is typed 17; the id `"a-17"` is typed with or without its quotes.
fn is_id(id: &str, typed: &str) -> bool {
    id == typed || id.starts_with('"') && serde_json::from_str::<String>(id).ok().as_deref() == Some(typed)
}
