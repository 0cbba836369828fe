//! The input options, the same for each command that judges records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::config::units::size;
use crate::formats::encoding::Encoding;
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
use super::terminal::{fail, warn_user};
use crate::locale::tr;
use crate::report::counted;

/// Returns the named inputs, or standard input if none was named. Also returns their names in one string, for reports.
pub(crate) fn inputs(files: &[PathBuf]) -> (Vec<Input>, String) {
    let inputs = if files.is_empty() { vec![Input::Stdin] } else { inputs_of(files, false) };
    let name = inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ");
    // Reports go to terminals and into Markdown. A name must not control a terminal or break a line of Markdown.
    let name = name.replace(char::is_control, "\u{fffd}");
    (inputs, name)
}

/// The inputs, and how they are read.
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

/// Reads the length of the longest line, at least 1 byte.
fn longest(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err(tr!("no line could be judged; write a number of bytes from 1 on: 65536, 64KiB or 16MiB")),
        length => Ok(length),
    }
}

/// The option for the field of ids.
#[derive(clap::Args)]
pub(crate) struct IdArgs {
    #[arg(long)]
    id_field: String,
}

impl InputArgs {
    /// The format of the input.
    pub(crate) fn format(&self) -> Format {
        self.format
    }
}

impl<F: Chosen> InputArgs<F> {
    /// The encoding of the input, if it was named.
    pub(crate) fn encoding(&self) -> crate::Result<Option<Encoding>> {
        Encoding::parse(self.encoding.name())
    }

    /// Whether tables have a header.
    pub(crate) fn is_headed(&self) -> bool {
        !self.no_header
    }
}

impl InputArgs<SketchedArg> {
    /// The format of the input; `None` for a stream of Arrow IPC.
    ///
    /// # Errors
    /// The input is such a stream, and an encoding was given for it.
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
    /// Returns the files to read, with `-` for standard input. Unless `quiet`, reports which files a pattern means.
    pub(crate) fn files(&self, quiet: bool) -> anyhow::Result<Vec<PathBuf>> {
        let files = with_listed(&self.files, self.files_from.as_deref(), quiet)?;
        Ok(if files.is_empty() { vec![PathBuf::from("-")] } else { files })
    }

    /// Returns everything that is read: these files, and the list of `--files-from`.
    pub(crate) fn reads(&self, files: &[PathBuf]) -> Vec<PathBuf> {
        files.iter().chain(&self.files_from).cloned().collect()
    }

    /// Returns the field with the message, and the fields that continue it.
    pub(crate) fn fields(&self) -> crate::Result<(FieldPath, Vec<FieldPath>)> {
        fields(&self.field)
    }

    /// The longest line that is judged, in bytes.
    pub(crate) fn max_line(&self) -> anyhow::Result<usize> {
        usize::try_from(self.max_line).context("--max-line")
    }

    /// What happens to records that cannot be judged.
    pub(crate) fn on_error(&self) -> OnError {
        self.on_error
    }

    /// Opens the records of these inputs, and checks that tables have the needed columns. `tell` is called with a message if an input is
    /// in another encoding than expected.
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
        self.prepared(given.apply(format, &inputs, source), parser, whole, tell)
    }

    /// Opens the records of one more file. Unlike [`source`](Self::source), it does not refuse settings that have no effect on the file.
    pub(crate) fn source_of_file(
        &self,
        format: Format,
        input: Input,
        parser: &Parser,
        tell: impl Fn(&str) + Send + 'static,
    ) -> anyhow::Result<Source> {
        self.prepared(Source::new(vec![input], format, self.max_line()?)?, parser, Whole::Not, tell)
    }

    fn prepared(
        &self,
        source: Source,
        parser: &Parser,
        whole: Whole,
        tell: impl Fn(&str) + Send + 'static,
    ) -> anyhow::Result<Source> {
        let source = source.headed(!self.no_header).parsed_by(parser, whole);
        let source = self.encoding.apply(source, tell)?;
        source.check_files()?;
        Ok(source)
    }
}

/// Reads a list of fields: the first has the message, and the others continue it.
pub(crate) fn fields(names: &str) -> crate::Result<(FieldPath, Vec<FieldPath>)> {
    let mut fields = FieldPath::parse_all("--field", names)?;
    Ok((fields.remove(0), fields))
}

impl IdArgs {
    /// The path of the field with the id.
    pub(crate) fn path(&self) -> anyhow::Result<FieldPath> {
        Ok(FieldPath::parse("--id-field", &self.id_field)?)
    }
}

/// Refuses a parser if its field for the id, the scope or `--represent` is an object that contains the message.
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

/// The inputs with these names. Under `growing`, files are followed as they grow.
pub(crate) fn inputs_of(files: &[PathBuf], growing: bool) -> Vec<Input> {
    let input = |path: &PathBuf| match path == Path::new("-") {
        true => Input::Stdin,
        false if growing => Input::Growing(path.clone()),
        false => Input::File(path.clone()),
    };
    files.iter().map(input).collect()
}

/// How to name records of these files that have no id, if there is no state from other runs.
pub(crate) fn naming(files: &[PathBuf]) -> Naming {
    let distinct: BTreeSet<_> = files.iter().map(|file| file.display().to_string()).collect();
    match files.len() {
        0 | 1 => Naming::Line,
        several if several == distinct.len() => Naming::FileAndLine,
        _ => Naming::Record,
    }
}

/// Reports the first records that cannot be judged, or ends the run at the first one.
pub(crate) struct Faults {
    on_error: OnError,
    quiet: bool,
    found: u64,
    /// The place and the reason of the first fault.
    first: String,
}

impl Faults {
    /// Begins without any faults.
    ///
    /// # Errors
    /// `on_error` is `drop`, which means nothing in a command that writes no records.
    pub(crate) fn new(on_error: OnError, quiet: bool) -> anyhow::Result<Self> {
        ensure!(
            on_error != OnError::Drop,
            tr!("--on-error: drop does nothing here, where no record is written; use pass or fail")
        );
        Ok(Self { on_error, quiet, found: 0, first: String::new() })
    }

    /// Reports if more than half of `records` cannot be judged, even under `--quiet`. Returns whether this is so.
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

    /// Counts a fault, and reports it if it is among the first.
    ///
    /// # Errors
    /// [`Error::Record`] if the fault ends the run.
    pub(crate) fn count_fault(&mut self, file: &str, line: u64, fault: &Fault) -> crate::Result<()> {
        self.found += 1;
        if self.found == 1 {
            self.first = format!("{file}:{line}: {}", fault.reason);
        }
        if self.on_error == OnError::Fail {
            return Err(Error::Record { path: file.to_owned(), line, reason: fault.reason.clone() });
        }
        if self.found <= FAULTS_TOLD && !self.quiet {
            warn_user(&format!("{file}:{line}: {}", fault.reason));
        }
        Ok(())
    }
}
