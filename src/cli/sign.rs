//! `quchong sign`: computes the signature of each message by a method of the papers.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::Spelling;
use crate::config::Rules;
use crate::config::settings::{ID_FIELD, MARKUP};
use crate::formats::lines::{MAX_LINE, each_file, each_line};
use crate::formats::parse::{FieldPath, Further, Parser};
use crate::formats::source::{Format, Layout, Source, Whole};
use crate::methods::{self, Collection, Reading};
use crate::record::{Naming, Pos};
use crate::text::language::Language;
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::console::FAULTS_TOLD;
use super::doubts::unnamed;
use super::encoding::EncodingArgs;
use super::files::refuse_own_input;
use super::glob::expand;
use super::input::fields;
use super::settings::{Typed, words};
use super::{DOUBTFUL, fail, inputs, warn_user};
use crate::locale::tr;
use crate::report::counted;

/// Sign messages by a method of the papers
///
/// One JSON object for each message: its `id`, or its line without one (`{"line":17}`), and its `signature`; null for a message that has
/// nothing to sign: no words, no full sentence, or none that the collection's counts choose. Words are weighed by the counts of the
/// messages themselves, so all are read before the first is signed. What cannot be read is reported, counted and not signed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong sign --method A2 feed.jsonl
  quchong sign --method sharapova --whole-files --reflow pages/*.txt
  quchong methods                       which there are")]
pub(crate) struct Args {
    #[command(flatten)]
    typed: Typed,

    /// Files to read, in this order, or patterns in quotes ('dumps/*.zst'), whose files are sorted by name; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The method: one of those that `quchong methods` lists
    #[arg(long, value_name = "NAME", value_parser = super::methods::names(), ignore_case = true, hide_possible_values = true)]
    method: String,

    #[arg(long)]
    field: String,

    #[arg(long)]
    id_field: String,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// How methods read messages.
#[derive(clap::Args)]
pub(crate) struct ReadingArgs {
    /// The language of all messages, for methods [default: each by its script]
    #[arg(long, value_enum, help_heading = "Methods")]
    lang: Option<LanguageArg>,

    /// Wrapping that methods take off before they sign: all, none, or names (see `quchong dedup --help`)
    #[arg(long, value_name = "RULES", default_value = "none", value_parser = super::rules, allow_hyphen_values = true, help_heading = "Methods")]
    normalise: Rules,

    /// Undo page layout first: hyphens at line ends, page breaks, page numbers, torn lines
    #[arg(long, help_heading = "Methods")]
    reflow: bool,

    /// Whether messages are HTML. keep: tags are words of the text; strip: tags are removed first, and entities decoded
    #[arg(long, value_name = "HOW", value_parser = words("markup", &MARKUP), default_value = "keep", action = clap::ArgAction::Set, help_heading = "Methods")]
    markup: bool,

    /// Take each file for one message, all its lines together, and its name for the id
    #[arg(long, help_heading = "Input")]
    pub(crate) whole_files: bool,
}

impl ReadingArgs {
    /// The reading that the options ask for.
    pub(crate) fn reading(&self) -> Reading {
        let language = self.lang.map(|lang| lang.0);
        Reading { language, rules: self.normalise, reflow: self.reflow, html: self.markup, ..Reading::default() }
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

/// A string as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let method = methods::find("--method", &args.method)?;
    let (field, also) = fields(&args.field)?;
    let parser = Parser {
        field,
        id_field: FieldPath::parse("--id-field", &args.id_field)?,
        time_field: None,
        seq_field: None,
        further: Further { also, ..Further::default() },
    };
    let Read { ids, texts, faults, nameless } = args.read(&parser)?;
    // If no other id field was named, a message without an id is nothing unusual.
    let nameless = if parser.id_field.spelled() == ID_FIELD { 0 } else { nameless };
    let is_doubtful = tell_doubts(texts.len() as u64, faults, nameless);
    let collection = Collection::read(texts.iter().map(String::as_str), args.reading.reading());
    let signer = (method.signer)(&collection);
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut signed, mut empty) = (0_u64, 0_u64);
    let written = ids.iter().zip(&collection.documents).try_for_each(|(id, document)| {
        let signature = serde_json::to_string(&signer(document))?;
        *(if signature == "null" { &mut empty } else { &mut signed }) += 1;
        writeln!(out, "{{\"id\":{id},\"signature\":{signature}}}")
    });
    let written = written.and_then(|()| out.flush());
    if !is_doubtful && faults > 0 {
        let nothing = match empty {
            0 => String::new(),
            empty => tr!("; {empty} more have nothing that the method signs", empty),
        };
        warn_user(&tr!("{signed} signed, {faults} not: they could not be read{nothing}", signed, faults, nothing));
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("<stdout>"),
        _ if is_doubtful => Ok(ExitCode::from(DOUBTFUL)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The messages that were read.
#[derive(Default)]
struct Read {
    /// The ids, as JSON.
    ids: Vec<String>,
    texts: Vec<String>,
    /// Records that could not be read.
    faults: u64,
    /// Messages without an id.
    nameless: u64,
}

impl Args {
    fn read(&self, parser: &Parser) -> anyhow::Result<Read> {
        let files = expand(&self.files, false)?;
        refuse_own_input(&files)?;
        let inputs = inputs(&files).0;
        let naming = if inputs.len() > 1 { Naming::FileAndLine } else { Naming::Line };
        self.typed.refuse_idle_in("sign", Format::Auto, &inputs)?;
        let source = Source::new(inputs.clone(), Format::Auto, MAX_LINE)?.parsed_by(parser, Whole::Not);
        let source = self.encoding.apply(self.typed.apply(Format::Auto, &inputs, source), warn_user)?;
        let mut read = Read::default();
        if self.reading.whole_files {
            each_file(source, |name, text| {
                read.ids.push(quoted(name));
                read.texts.push(text.to_owned());
                Ok(true)
            })?;
        } else {
            each_line(source, |place, line, format| {
                place.has_layout(format, self.reading.reflow)?;
                let could_have = !matches!(format, Layout::Lines);
                let parsed =
                    line.and_then(|line| parser.parse(line, format).map_err(|fault| place.error(fault.reason)));
                match parsed {
                    Ok(Some(parsed)) => {
                        read.nameless += u64::from(parsed.id.is_none());
                        read.ids.push(match parsed.id {
                            Some(id) => id.into_owned(),
                            None => naming.name(place.file, place.line, Pos(0), could_have).to_string(),
                        });
                        read.texts.push(parsed.text.into_owned());
                    }
                    Ok(None) => {}
                    Err(fault) => {
                        read.faults += 1;
                        if read.faults <= FAULTS_TOLD {
                            warn_user(&fault.spelled(Spelling::Flag));
                        }
                    }
                }
                Ok(true)
            })?;
        }
        Ok(read)
    }
}

/// Reports if most messages could not be read or have no id. Returns whether this is so.
fn tell_doubts(signed: u64, faults: u64, nameless: u64) -> bool {
    let is_nameless = nameless * 2 > signed;
    if is_nameless {
        fail(&unnamed(nameless, signed));
    }
    if faults > signed {
        let of = counted(signed + faults, "record");
        fail(&anyhow!(tr!(
            "{faults} of {of} could not be read, and there is no signature of it; --field names where the message stands"
                | "{faults} of {of} could not be read, and have no signature; --field names where the message stands"
                    % faults,
            faults = faults,
            of = of
        )));
    }
    faults > signed || is_nameless
}
