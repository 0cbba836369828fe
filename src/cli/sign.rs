//! `quchong sign`: what a method keeps of each message.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use quchong::config::Rules;
use quchong::methods::{self, Collection, Reading};
use quchong::pipeline::lines::each_line;
use quchong::pipeline::parse::{FieldPath, Parser};
use quchong::pipeline::source::{Format, Source};
use quchong::text::language::Language;

use super::encoding::EncodingArgs;
use super::{inputs, say};

/// Sign messages by a method of the papers
///
/// One JSON object for each message: its `id`, or line number without one, and its `signature`; null for a message that has
/// nothing to sign. Words are weighed by the counts of the messages themselves, so all are read before the first is signed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong sign --method A2 feed.jsonl
  quchong methods                       which there are")]
pub struct Args {
    /// Files to read, in this order; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The method
    #[arg(long, value_name = "NAME", value_parser = super::methods::names(), ignore_case = true, hide_possible_values = true)]
    method: String,

    /// JSONL: where the message stands; a name, a dotted path (user.text) or a JSON pointer (/user/text)
    #[arg(long, value_name = "PATH", default_value = "text")]
    field: String,

    /// JSONL: where its id stands; a record without one goes by its line number
    #[arg(long, value_name = "PATH", default_value = "id")]
    id_field: String,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// How methods read messages.
#[derive(clap::Args)]
pub struct ReadingArgs {
    /// The language of all messages, for methods [default: each by its script]
    #[arg(long, value_enum, help_heading = "Methods")]
    lang: Option<LanguageArg>,

    /// Wrapping that methods take off before they sign: all, none, or names (see `quchong dedup --help`)
    #[arg(long, value_name = "RULES", default_value = "none", value_parser = super::rules, allow_hyphen_values = true, help_heading = "Methods")]
    normalise: Rules,

    /// Take messages for pages of documents: methods undo hyphenation, page breaks, page numbers and torn lines
    #[arg(long, help_heading = "Methods")]
    reflow: bool,
}

impl ReadingArgs {
    /// What was asked for.
    pub fn reading(&self) -> Reading {
        Reading { language: self.lang.map(|lang| lang.0), rules: self.normalise, reflow: self.reflow }
    }
}

/// A language on the command line.
#[derive(Clone, Copy)]
struct LanguageArg(Language);

impl ValueEnum for LanguageArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [LanguageArg; Language::NAMED.len()] = {
            let mut all = [LanguageArg(Language::Han); Language::NAMED.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = LanguageArg(Language::NAMED[at].1);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Language::NAMED.iter().find(|(_, language)| *language == self.0).map(|(name, _)| PossibleValue::new(*name))
    }
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let method = methods::named("--method", &args.method)?;
    let parser = Parser {
        field: FieldPath::parse("--field", &args.field)?,
        id_field: FieldPath::parse("--id-field", &args.id_field)?,
        time_field: None,
    };
    let source = args.encoding.apply(Source::new(inputs(&args.files).0, Format::Auto, 16 << 20)?, say)?;
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    each_line(source, |place, bytes, format| {
        if let Some(parsed) = parser.parse(bytes, format).map_err(|fault| place.error(fault.reason))? {
            ids.push(parsed.id.map_or_else(|| place.line.to_string(), Cow::into_owned));
            texts.push(parsed.text.into_owned());
        }
        Ok(true)
    })?;
    let collection = Collection::read(texts.iter().map(String::as_str), args.reading.reading());
    let signer = (method.signer)(&collection);
    let mut out = BufWriter::new(io::stdout().lock());
    let written = ids.iter().zip(&collection.documents).try_for_each(|(id, document)| {
        let signature = serde_json::to_string(&signer(document))?;
        writeln!(out, "{{\"id\":{id},\"signature\":{signature}}}")
    });
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("<stdout>"),
        _ => Ok(ExitCode::SUCCESS),
    }
}
