//! The options for what is read: the same for each command that judges records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::config::units::size;
use crate::formats::parse::{Fault, FieldPath, Further, Parser};
use crate::formats::source::{Format, Input, Source, Whole};
use crate::run::Naming;
use crate::run::sink::OnError;
use anyhow::{Context, ensure};

use super::console::FAULTS_TOLD;
use super::encoding::EncodingArgs;
use super::format::{Chosen, SketchedArg};
use super::glob::with_listed;
use super::settings::{Given, words};
use super::terminal::{fail, say};
use crate::locale::tr;
use crate::report::counted;

/// The inputs that were named, standard input if none was, and how a report names them all.
pub(crate) fn inputs(files: &[PathBuf]) -> (Vec<Input>, String) {
    let inputs = if files.is_empty() { vec![Input::Stdin] } else { inputs_of(files, false) };
    let name = inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ");
    // Reports go to terminals and into Markdown: a name must not command the one or break the lines of the other.
    let name = name.replace(char::is_control, "\u{fffd}");
    (inputs, name)
}

/// What is read, and how.
#[derive(clap::Args)]
pub(crate) struct InputArgs<F: Chosen = Format> {
    /// Files to read, in this order, or patterns in quotes ('dumps/*.zst'), whose files are sorted by name; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[arg(long)]
    files_from: Option<PathBuf>,

    #[arg(long, value_parser = words("format", F::words()))]
    format: F,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[arg(long)]
    no_header: bool,

    #[arg(long)]
    field: String,

    #[arg(long, value_parser = words("on-error", &OnError::NAMED))]
    on_error: OnError,

    #[arg(long, value_parser = longest)]
    max_line: u64,
}

/// The length of a line that can have something in it.
fn longest(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err(tr!("no line could be judged; write a number of bytes from 1 on: 65536, 64KiB or 16MiB")),
        length => Ok(length),
    }
}

/// Where ids are read.
#[derive(clap::Args)]
pub(crate) struct IdArgs {
    #[arg(long)]
    id_field: String,
}

impl InputArgs {
    /// How records stand in the input.
    pub(crate) fn format(&self) -> Format {
        self.format
    }
}

impl<F: Chosen> InputArgs<F> {
    /// Whether tables have a header.
    pub(crate) fn is_headed(&self) -> bool {
        !self.no_header
    }
}

impl InputArgs<SketchedArg> {
    /// How records stand in the input; `None` for a stream of Arrow IPC.
    ///
    /// # Errors
    /// Such a stream would have an encoding.
    pub(crate) fn records(&self) -> anyhow::Result<Option<Format>> {
        match self.format {
            SketchedArg::Records(format) => Ok(Some(format)),
            SketchedArg::Arrow => {
                ensure!(
                    self.encoding.name() == "auto",
                    tr!("--encoding: does nothing with --format arrow, whose texts are Unicode; leave it out")
                );
                Ok(None)
            }
        }
    }
}

impl<F: Chosen> InputArgs<F> {
    /// The files to read, `-` for standard input; says which ones a pattern means, unless `quiet`.
    pub(crate) fn files(&self, quiet: bool) -> anyhow::Result<Vec<PathBuf>> {
        let files = with_listed(&self.files, self.files_from.as_deref(), quiet)?;
        Ok(if files.is_empty() { vec![PathBuf::from("-")] } else { files })
    }

    /// All that is read: these files, and the list that names some of them.
    pub(crate) fn reads(&self, files: &[PathBuf]) -> Vec<PathBuf> {
        files.iter().chain(&self.files_from).cloned().collect()
    }

    /// Where the message stands, and where it goes on.
    pub(crate) fn fields(&self) -> crate::Result<(FieldPath, Vec<FieldPath>)> {
        fields(&self.field)
    }

    /// Bytes of the longest line that is judged.
    pub(crate) fn max_line(&self) -> anyhow::Result<usize> {
        usize::try_from(self.max_line).context("--max-line")
    }

    /// What becomes of records that cannot be judged.
    pub(crate) fn on_error(&self) -> OnError {
        self.on_error
    }

    /// The records of these inputs, whose columns were looked at; `tell` hears, in words, of encodings.
    pub(crate) fn source(
        &self,
        given: &Given,
        format: Format,
        inputs: Vec<Input>,
        parser: &Parser,
        whole: Whole,
        tell: impl Fn(&str) + Send + 'static,
    ) -> anyhow::Result<Source> {
        given.check_formats(format, &inputs)?;
        ensure!(
            !self.no_header || self.field.split(',').all(|field| field.parse::<usize>().is_ok_and(|number| number > 0)),
            tr!("--no-header: then columns have no names; name them by number, --field 1 for the first")
        );
        let source = Source::new(inputs.clone(), format, self.max_line()?)?;
        self.dressed(given.apply(format, &inputs, source), parser, whole, tell)
    }

    /// The records of one more file, of which settings need not do anything.
    pub(crate) fn beside(
        &self,
        format: Format,
        input: Input,
        parser: &Parser,
        tell: impl Fn(&str) + Send + 'static,
    ) -> anyhow::Result<Source> {
        self.dressed(Source::new(vec![input], format, self.max_line()?)?, parser, Whole::Not, tell)
    }

    fn dressed(
        &self,
        source: Source,
        parser: &Parser,
        whole: Whole,
        tell: impl Fn(&str) + Send + 'static,
    ) -> anyhow::Result<Source> {
        let source = source.headed(!self.no_header).parsed_by(parser, whole);
        let source = self.encoding.apply(source, tell)?;
        source.check_columns()?;
        Ok(source)
    }
}

/// Where the message stands that is in these fields, and where it goes on.
pub(crate) fn fields(names: &str) -> crate::Result<(FieldPath, Vec<FieldPath>)> {
    let mut fields = FieldPath::parse_all("--field", names)?;
    Ok((fields.remove(0), fields))
}

impl IdArgs {
    /// Where ids stand.
    pub(crate) fn path(&self) -> anyhow::Result<FieldPath> {
        Ok(FieldPath::parse("--id-field", &self.id_field)?)
    }
}

/// Refuses a parser that looks for an id, a scope or what to choose by in an object that the message is in.
pub(crate) fn checked(parser: Parser) -> anyhow::Result<Parser> {
    let Further { value, scope, also } = &parser.further;
    let within = scope.iter().map(|path| ("--scope", path));
    let by = value.iter().map(|path| ("--represent", path));
    for (option, path) in by.chain(within).chain([("--id-field", &parser.id_field)]) {
        let is_above = std::iter::once(&parser.field).chain(also).any(|field| path.is_above(field));
        ensure!(
            !is_above,
            tr!(
                "{option}: `{}` is an object with --field in it; name a field that is a string or a number",
                path.spelled(),
                option
            )
        );
    }
    Ok(parser)
}

/// The inputs of these names.
pub(crate) fn inputs_of(files: &[PathBuf], growing: bool) -> Vec<Input> {
    let input = |path: &PathBuf| match path == Path::new("-") {
        true => Input::Stdin,
        false if growing => Input::Growing(path.clone()),
        false => Input::File(path.clone()),
    };
    files.iter().map(input).collect()
}

/// How records of these files are named that have no id, where nothing is known of other runs.
pub(crate) fn naming(files: &[PathBuf]) -> Naming {
    let distinct: BTreeSet<_> = files.iter().map(|file| file.display().to_string()).collect();
    match files.len() {
        0 | 1 => Naming::Line,
        several if several == distinct.len() => Naming::FileAndLine,
        _ => Naming::Record,
    }
}

/// Tells the first records that cannot be judged, or ends the run at one.
pub(crate) struct Faults {
    on_error: OnError,
    quiet: bool,
    found: u64,
    /// What was wrong with the first of them.
    first: String,
}

impl Faults {
    /// None so far.
    ///
    /// # Errors
    /// They would be dropped, by a command that writes no records.
    pub(crate) fn new(on_error: OnError, quiet: bool) -> anyhow::Result<Self> {
        ensure!(
            on_error != OnError::Drop,
            tr!("--on-error: drop does nothing here, where no record is written; use pass or fail")
        );
        Ok(Self { on_error, quiet, found: 0, first: String::new() })
    }

    /// Tells that more than half of so many records cannot be judged, even if it should say nothing else; whether it is so.
    pub(crate) fn tell_if_most(&self, records: u64) -> bool {
        let are_most = self.found * 2 > records;
        if are_most {
            fail(&anyhow::anyhow!(tr!(
                "{} of {of} could not be judged; the first: {}",
                self.found,
                self.first,
                of = counted(records, "record")
            )));
        }
        are_most
    }

    /// Hears of one.
    ///
    /// # Errors
    /// [`Error::Record`] if it ends the run.
    pub(crate) fn hear(&mut self, file: &str, line: u64, fault: &Fault) -> crate::Result<()> {
        self.found += 1;
        if self.found == 1 {
            self.first = format!("{file}:{line}: {}", fault.reason);
        }
        if self.on_error == OnError::Fail {
            return Err(Error::Record { path: file.to_owned(), line, reason: fault.reason.clone() });
        }
        if self.found <= FAULTS_TOLD && !self.quiet {
            say(&format!("{file}:{line}: {}", fault.reason));
        }
        Ok(())
    }
}
